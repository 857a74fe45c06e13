/* Random expressions against an evaluator that knows no short cut: it follows the tree in 128 bits and gives up where a step
 * leaves int64. Where that has a value bw_expr_eval must have the same one; the affine form, where there is one, too; and where it moves evenly it must
 * have moved that far. */
#include <inttypes.h>
#include <string.h>

#include "../core/test.h"
#include "base/hash.h"
#include "pipeline/expr.h"

typedef __int128 wide;

enum { N_NAMES = 3, MOST_NODES = 200, EXPRESSIONS = 30000, POINTS = 12 };
static const char *const names[N_NAMES] = {"x", "y", "z"};
static const struct bw_scope scope = {.names = names, .n_names = N_NAMES};

static const struct {
	const char *text;
	int operands;
} operators[] = {
#define X(name, text, operands) {text, operands},
	BW_OPERATOR_TABLE(X)
#undef X
};
enum { N_OPERATORS = sizeof operators / sizeof *operators };

/* What an operator makes of its operands, from its definition. */
static wide floor_of(wide a, wide b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static wide remainder_of(wide a, wide b)
{
	wide size = b < 0 ? -b : b;
	return b == 0 ? 0 : a - size * floor_of(a, size);
}

static wide quotient_of(wide a, wide b)
{
	return b == 0 ? 0 : (a - remainder_of(a, b)) / b;
}

static wide power_of_two(wide n)
{
	return (wide)1 << (n > 64 ? 64 : (int)n);
}

static wide shifted(wide a, wide n)
{
	return n >= 0 ? a * power_of_two(n) : floor_of(a, power_of_two(-n));
}

static wide wrapped(wide a, int bits, bool is_signed)
{
	wide size = (wide)1 << bits, rest = remainder_of(a, size);
	return is_signed && rest >= size / 2 ? rest - size : rest;
}

static wide result_of(const char *op, wide a, wide b, wide c)
{
	const struct {
		const char *op;
		wide result;
	} results[] = {
		{"+", a + b}, {"-", a - b}, {"/", quotient_of(a, b)}, {"%", remainder_of(a, b)}, {"min", a < b ? a : b}, {"max", a > b ? a : b},
		{"==", a == b}, {"!=", a != b}, {"<", a < b}, {"<=", a <= b}, {"&&", a != 0 && b != 0}, {"||", a != 0 || b != 0}, {"!", a == 0},
		{"select", a != 0 ? b : c}, {"abs", a < 0 ? -a : a}, {"<<", shifted(a, b)}, {">>", shifted(a, -b)}, {"&", (wide)((int64_t)a & (int64_t)b)},
		{"int8", wrapped(a, 8, true)}, {"int16", wrapped(a, 16, true)}, {"int32", wrapped(a, 32, true)},
		{"uint8", wrapped(a, 8, false)}, {"uint16", wrapped(a, 16, false)}, {"uint32", wrapped(a, 32, false)}, {"*", a * b},
	};
	for (size_t i = 0; i < sizeof results / sizeof *results; i++)
		if (!strcmp(results[i].op, op))
			return results[i].result;
	fail_msg("no operator %s", op);
	return 0;
}

/* A random tree: node 0 is its root. */
struct node {
	int op; /* -1: a constant; -2: a bound */
	int64_t value;
	int variable;
	bool of_max;
	int operands[3];
};

struct dice {
	uint64_t keys[2];
};

static int draw(struct dice *dice, int below)
{
	dice->keys[1]++;
	return (int)bw_random_below(bw_random(dice->keys, 2), (uint64_t)below);
}

/* Small numbers mostly, sometimes one near the ends of int64, int32 or of a byte. */
static int64_t draw_number(struct dice *dice)
{
	static const int64_t odd[] = {INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, UINT32_MAX, 255, 128, 32768, 1 << 20, (int64_t)1 << 40};
	if (draw(dice, 8))
		return draw(dice, 21) - 10;
	return odd[draw(dice, sizeof odd / sizeof *odd)];
}

static int make(struct dice *dice, struct node *nodes, int *n, int depth)
{
	int at = (*n)++;
	struct node *node = &nodes[at];
	*node = (struct node){.op = -1};
	if (depth == 0 || *n > MOST_NODES - 4 || draw(dice, 5) == 0) {
		node->op = draw(dice, 5) < 2 ? -1 : -2;
		node->value = draw_number(dice);
		node->variable = draw(dice, 2) ? 0 : draw(dice, N_NAMES);
		node->of_max = draw(dice, 4) == 0;
		return at;
	}
	node->op = draw(dice, 3) ? draw(dice, 7) : draw(dice, N_OPERATORS);
	for (int i = 0; i < operators[node->op].operands; i++)
		node->operands[i] = make(dice, nodes, n, *n > MOST_NODES / 2 ? 0 : depth - 1);
	if (operators[node->op].operands == 2 && draw(dice, 2))
		nodes[node->operands[1]] = (struct node){.op = -1, .value = draw_number(dice)};
	return at;
}

static void put(const struct node *nodes, int at, struct bw_text *out)
{
	const struct node *node = &nodes[at];
	if (node->op == -1) {
		bw_text_printf(out, "%" PRId64, node->value);
	} else if (node->op == -2) {
		bw_text_printf(out, "{\"%s\":\"%s\"}", node->of_max ? "max" : "min", names[node->variable]);
	} else {
		bw_text_printf(out, "[\"%s\"", operators[node->op].text);
		for (int i = 0; i < operators[node->op].operands; i++) {
			bw_text_puts(out, ",");
			put(nodes, node->operands[i], out);
		}
		bw_text_puts(out, "]");
	}
}

static bool follow(const struct node *nodes, int at, const struct bw_interval *intervals, wide *value)
{
	const struct node *node = &nodes[at];
	wide v[3] = {0, 0, 0};
	if (node->op < 0) {
		const struct bw_interval *interval = &intervals[node->variable];
		*value = node->op == -1 ? node->value : node->of_max ? interval->max : interval->min;
		return true;
	}
	for (int i = 0; i < operators[node->op].operands; i++)
		if (!follow(nodes, node->operands[i], intervals, &v[i]))
			return false;
	*value = result_of(operators[node->op].text, v[0], v[1], v[2]);
	return *value >= INT64_MIN && *value <= INT64_MAX;
}

static const struct bw_expr *read(const char *text, struct bw_arena *arena)
{
	struct bw_error error = {0};
	struct bw_json *json = bw_json_parse("random", text, strlen(text), &error);
	if (!json)
		fail_msg("%s: %s", text, error.text);
	struct bw_json_at root = bw_json_root(json), at = bw_json_element(&root, 0);
	const struct bw_expr *expr = bw_expr_read(&at, &scope, arena, &error);
	if (!expr)
		fail_msg("%s: %s", text, error.text);
	bw_json_free(json);
	return expr;
}

/* What is seen of all expressions, so that the test can tell whether it tests something. */
struct seen {
	int values, overflows, affine, divided, even;
};

/* Moves each variable by a distance of its own. */
static void compare_moved(const struct bw_expr *expr, const struct node *nodes, const struct bw_interval *intervals, int64_t value, const char *text, struct seen *seen)
{
	struct bw_interval moved[N_NAMES];
	uint64_t over[N_NAMES], shift;
	wide expected;
	for (int v = 0; v < N_NAMES; v++) {
		over[v] = 1000003 + 7919 * (uint64_t)v * (uint64_t)v;
		if (__builtin_add_overflow(intervals[v].min, over[v], &moved[v].min) || __builtin_add_overflow(intervals[v].max, over[v], &moved[v].max))
			return;
	}
	if (!bw_expr_shift(expr, over, &shift) || !follow(nodes, 0, moved, &expected))
		return;
	seen->even++;
	if ((uint64_t)value + shift != (uint64_t)expected)
		fail_msg("%s: moved by %" PRId64 ", expected %" PRId64, text, (int64_t)shift, (int64_t)((uint64_t)expected - (uint64_t)value));
}

static void compare(const struct bw_expr *expr, const struct node *nodes, const struct bw_interval *intervals, const char *text, struct seen *seen)
{
	wide expected;
	int64_t value = 0;
	struct bw_affine form;
	bool known = follow(nodes, 0, intervals, &expected), found = bw_expr_eval(expr, intervals, &value);
	seen->values += known;
	seen->overflows += !known;
	if (!known)
		return;
	if (!found || value != (int64_t)expected)
		fail_msg("%s: %s %" PRId64 ", expected %" PRId64, text, found ? "" : "no value", value, (int64_t)expected);
	compare_moved(expr, nodes, intervals, value, text, seen);
	if (!bw_expr_affine(expr, &form))
		return;
	seen->affine++;
	seen->divided += form.divisor > 1;
	wide bound = form.variable < 0 ? 0 : form.of_max ? intervals[form.variable].max : intervals[form.variable].min;
	if (floor_of(form.multiplier * bound + form.offset, form.divisor) != expected)
		fail_msg("%s: (%" PRId64 " b + %" PRId64 ") / %" PRId64, text, form.multiplier, form.offset, form.divisor);
}

static void evaluation_takes_no_wrong_short_cut(void **state)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_text text = {0};
	struct seen seen = {0};
	struct node nodes[MOST_NODES + 8];
	for (uint64_t i = 0; i < EXPRESSIONS; i++) {
		struct dice dice = {{i, 0}};
		int n = 0;
		make(&dice, nodes, &n, 1 + draw(&dice, 5));
		bw_text_clear(&text);
		bw_text_puts(&text, "[");
		put(nodes, 0, &text);
		bw_text_puts(&text, "]");
		const struct bw_expr *expr = read(bw_text_get(&text), arena);
		for (int p = 0; p < POINTS; p++) {
			struct bw_interval intervals[N_NAMES];
			for (int v = 0; v < N_NAMES; v++)
				intervals[v] = (struct bw_interval){draw_number(&dice), draw_number(&dice)};
			compare(expr, nodes, intervals, bw_text_get(&text), &seen);
		}
		bw_arena_reset(arena);
	}
	bw_text_free(&text);
	bw_arena_free(arena);
	assert_true(seen.values > EXPRESSIONS * POINTS / 2 && seen.overflows > EXPRESSIONS / 4 && seen.affine > EXPRESSIONS && seen.divided > EXPRESSIONS / 10 && seen.even > EXPRESSIONS / 2);
}

/* Three edges of the evaluator above, by hand: it is what the others are measured with. */
static void the_evaluator_without_short_cuts_is_right(void **state)
{
	assert_true(quotient_of(-7, 2) == -4 && remainder_of(-7, 2) == 1);
	assert_true(quotient_of(-7, -2) == 4 && remainder_of(-7, -2) == 1);
	assert_true(quotient_of(7, -2) == -3 && remainder_of(7, -2) == 1);
	assert_true(wrapped(-1, 8, false) == 255 && wrapped(128, 8, true) == -128 && wrapped(INT64_MIN, 32, true) == 0);
	assert_true(shifted(-5, -1) == -3 && shifted(-5, -100) == -1 && shifted(3, 2) == 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_evaluator_without_short_cuts_is_right),
		cmocka_unit_test(evaluation_takes_no_wrong_short_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
