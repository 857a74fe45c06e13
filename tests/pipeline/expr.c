/* Expressions of descriptions: their values, worked out by hand, where Halide's arithmetic differs from C's and where int64 ends;
 * which are affine and as what; which move evenly, and how far; and what is refused, with the place that is named. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "pipeline/expr.h"

static const char *const names[] = {"x", "y", "r$x"};
static const char *const params[] = {"radius", NULL, "k"};
static const int64_t param_values[] = {3, 0, -7};
static const struct bw_scope scope = {names, 3, params, param_values, 3};

/* x -5..12, y 100..227, r$x INT64_MIN..INT64_MAX. */
static const struct bw_interval intervals[] = {{-5, 12}, {100, 227}, {INT64_MIN, INT64_MAX}};

static struct bw_arena *arena;

static int make_arena(void **state)
{
	arena = bw_arena_new();
	return 0;
}

static int free_arena(void **state)
{
	bw_arena_free(arena);
	return 0;
}

/* Reads an expression written with ' for "; NULL with the error's text in `error`. */
static const struct bw_expr *read(const char *text, struct bw_error *error)
{
	char *json_text = bw_strdup(text);
	for (char *at = json_text; *at; at++)
		if (*at == '\'')
			*at = '"';
	struct bw_text whole = {0};
	bw_text_printf(&whole, "[%s]", json_text);
	free(json_text);
	struct bw_json *json = bw_json_parse("e.json", bw_text_get(&whole), whole.length, error);
	bw_text_free(&whole);
	assert_non_null(json);
	struct bw_json_at root = bw_json_root(json), at = bw_json_element(&root, 0);
	const struct bw_expr *expr = bw_expr_read(&at, &scope, arena, error);
	bw_json_free(json);
	return expr;
}

static const struct bw_expr *read_good(const char *text)
{
	struct bw_error error = {0};
	const struct bw_expr *expr = read(text, &error);
	if (!expr)
		fail_msg("%s: %s", text, error.text);
	return expr;
}

#define X_MIN "{'min':'x'}"
#define X_MAX "{'max':'x'}"
#define Y_MIN "{'min':'y'}"
#define Y_MAX "{'max':'y'}"
#define LEAST "{'min':'r$x'}"
#define MOST "{'max':'r$x'}"

static void values_are_halides(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{"7", 7},
		{X_MIN, -5},
		{X_MAX, 12},
		{Y_MAX, 227},
		{LEAST, INT64_MIN},
		{MOST, INT64_MAX},
		{"{'param':'radius'}", 3},
		{"{'param':'k'}", -7},
		{"{'estimate':-5}", -5},
		{"['+'," X_MIN "," Y_MIN "]", 95},
		{"['-'," X_MIN "," Y_MIN "]", -105},
		{"['*'," X_MIN "," Y_MIN "]", -500},
		{"['+',['*'," X_MIN ",2],['*',-3," X_MIN "]]", 5},
		/* Euclid: the remainder is never negative, whatever the signs. */
		{"['/'," X_MIN ",2]", -3},
		{"['/',5,2]", 2},
		{"['/'," X_MIN ",-2]", 3},
		{"['/'," X_MAX ",-5]", -2},
		{"['/'," X_MIN "," X_MIN "]", 1},
		{"['/'," X_MAX "," X_MIN "]", -2},
		{"['/',['-',0," X_MAX "]," X_MIN "]", 3},
		{"['/'," Y_MIN "," X_MAX "]", 8},
		{"['/'," X_MIN ",0]", 0},
		{"['/'," Y_MIN ",['*'," X_MIN ",0]]", 0},
		{"['%'," X_MIN ",3]", 1},
		{"['%'," X_MIN ",-3]", 1},
		{"['%'," X_MAX "," X_MIN "]", 2},
		{"['%'," Y_MIN "," X_MAX "]", 4},
		{"['%'," X_MIN ",0]", 0},
		{"['%'," LEAST ",-1]", 0},
		{"['%'," LEAST ",2]", 0},
		{"['%'," X_MIN "," LEAST "]", INT64_MAX - 4},
		{"['/'," LEAST ",2]", INT64_MIN / 2},
		{"['/'," LEAST "," LEAST "]", 1},
		/* (4 x + 6) / 8 is (2 x + 3) / 4; with x = -5: -7 / 4, rounded down. */
		{"['/',['+',['*'," X_MIN ",4],6],8]", -2},
		{"['/',['-',['*'," X_MIN ",4],6],8]", -4},
		{"['/',['/',['-'," X_MIN ",1],2],2]", -2},
		{"['-',10,['/',['+'," X_MIN ",1],3]]", 12},
		{"['+',['/'," X_MIN ",3],['*'," X_MIN ",2]]", -12},
		{"['-',10,['min'," X_MIN "," Y_MIN "]]", 15},
		{"['-',['min'," X_MIN "," Y_MIN "],10]", -15},
		{"['-',['min'," X_MIN "," Y_MIN "],['%'," X_MIN ",3]]", -6},
		{"['min'," X_MIN "," Y_MIN "]", -5},
		{"['max'," X_MIN "," Y_MIN "]", 100},
		{"['max',['min'," X_MIN ",99],0]", 0},
		{"['max',['min'," Y_MAX ",99],0]", 99},
		{"['max',['min'," X_MAX ",99],0]", 12},
		{"['min',['+'," X_MIN ",2],['-'," X_MIN ",2]]", -7},
		{"['max',['+'," X_MIN ",2],['-'," X_MIN ",2]]", -3},
		{"['=='," X_MIN ",-5]", 1},
		{"['!='," X_MIN ",-5]", 0},
		{"['<'," X_MIN "," X_MAX "]", 1},
		{"['<'," X_MIN "," X_MIN "]", 0},
		{"['<='," X_MIN "," X_MIN "]", 1},
		{"['<=',6," X_MIN "]", 0},
		{"['&&'," X_MIN ",2]", 1},
		{"['&&'," X_MIN ",0]", 0},
		{"['||',0," X_MIN "]", 1},
		{"['||',0,['-'," X_MIN "," X_MIN "]]", 0},
		{"['!'," X_MIN "]", 0},
		{"['!',['<'," X_MAX "," X_MIN "]]", 1},
		{"['select',['<'," X_MIN ",0]," Y_MIN "," Y_MAX "]", 100},
		{"['select',['<',0," X_MIN "]," Y_MIN "," Y_MAX "]", 227},
		{"['select',2," X_MIN "," X_MAX "]", -5},
		{"['select',0,['+'," MOST ",1]," X_MAX "]", 12},
		{"['select'," X_MIN ",['min'," X_MIN "," Y_MIN "],['min'," X_MAX "," Y_MIN "]]", -5},
		{"['abs'," X_MIN "]", 5},
		{"['abs'," X_MAX "]", 12},
		{"['<<'," X_MIN ",3]", -40},
		{"['<<'," X_MIN ",-1]", -3},
		{"['<<'," X_MIN ",-200]", -1},
		{"['<<'," X_MAX ",['-',0," Y_MIN "]]", 0},
		{"['<<',0,1000]", 0},
		{"['<<',-1,63]", INT64_MIN},
		{"['<<'," X_MAX "," LEAST "]", 0},
		{"['>>'," X_MIN ",1]", -3},
		{"['>>'," X_MIN ",63]", -1},
		{"['>>'," X_MIN "," MOST "]", -1},
		{"['>>'," X_MAX ",64]", 0},
		{"['>>'," X_MAX ",-2]", 48},
		{"['>>',0," LEAST "]", 0},
		{"['&'," X_MIN ",12]", 8},
		{"['&'," Y_MAX ",15]", 3},
		{"['int8'," Y_MAX "]", -29},
		{"['int8',128]", -128},
		{"['int16',['*'," Y_MAX ",200]]", -20136},
		{"['int32',2147483648]", INT32_MIN},
		{"['int32'," MOST "]", -1},
		{"['uint8'," X_MIN "]", 251},
		{"['uint8',256]", 0},
		{"['uint16'," X_MIN "]", 65531},
		{"['uint32'," X_MIN "]", 4294967291},
		{"['uint32'," LEAST "]", 0},
		/* Only the value counts, not what the way to it would overflow. */
		{"['-',['+'," MOST ",1],1]", INT64_MAX},
		{"['/',['*'," MOST ",6],8]", (INT64_MAX / 4) * 3 + 2},
		{"['/',['*'," LEAST ",6],8]", (INT64_MIN / 4) * 3},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t value = 0;
		const struct bw_expr *expr = read_good(cases[i].text);
		assert_false(bw_expr_unbounded(expr));
		if (!bw_expr_eval(expr, intervals, &value) || value != cases[i].value)
			fail_msg("%s: %" PRId64 ", expected %" PRId64, cases[i].text, value, cases[i].value);
	}
}

static void what_overflows_has_no_value(void **state)
{
	static const char *const cases[] = {
		"['+'," MOST ",1]", "['-'," LEAST ",1]", "['+'," MOST "," Y_MIN "]", "['-'," X_MAX "," LEAST "]", "['-',0," LEAST "]",
		"['*'," MOST ",2]", "['*'," MOST "," Y_MIN "]", "['*'," LEAST ",-1]", "['/'," LEAST ",-1]", "['/'," LEAST ",['/'," X_MIN ",5]]", "['abs'," LEAST "]",
		"['<<'," X_MAX ",60]", "['<<'," X_MIN ",63]", "['<<',-1,64]", "['<<',1," Y_MIN "]", "['>>',1," LEAST "]",
		"['+',9223372036854775807,1]", "['min',['*'," MOST "," Y_MIN "]," X_MIN "]",
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t value;
		const struct bw_expr *expr = read_good(cases[i]);
		assert_false(bw_expr_unbounded(expr));
		if (bw_expr_eval(expr, intervals, &value))
			fail_msg("%s: %" PRId64, cases[i], value);
	}
}

static void null_is_unbounded_wherever_it_stands(void **state)
{
	static const char *const cases[] = {"null", "['+'," X_MIN ",null]", "['min',null,3]", "['select',1,2,null]", "['*',0,['!',null]]"};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t value;
		struct bw_affine form;
		const struct bw_expr *expr = read_good(cases[i]);
		assert_true(bw_expr_unbounded(expr));
		assert_false(bw_expr_affine(expr, &form));
		assert_false(bw_expr_eval(expr, intervals, &value));
	}
}

static void affine_forms_are_exact_and_in_lowest_terms(void **state)
{
	static const struct {
		const char *text;
		struct bw_affine form;
	} cases[] = {
		{"7", {-1, false, 0, 1, 7}},
		{"{'param':'k'}", {-1, false, 0, 1, -7}},
		{"['%',-7,3]", {-1, false, 0, 1, 2}},
		{"['uint8',-1]", {-1, false, 0, 1, 255}},
		{"['select',['<',1,2],10,20]", {-1, false, 0, 1, 10}},
		{X_MIN, {0, false, 1, 1, 0}},
		{Y_MAX, {1, true, 1, 1, 0}},
		{"['+'," X_MAX ",{'param':'radius'}]", {0, true, 1, 1, 3}},
		{"['+'," X_MAX ",{'estimate':4}]", {0, true, 1, 1, 4}},
		{"['-',4," X_MAX "]", {0, true, -1, 1, 4}},
		{"['*',3,['-'," X_MIN ",2]]", {0, false, 3, 1, -6}},
		{"['*'," X_MIN ",0]", {-1, false, 0, 1, 0}},
		{"['-'," X_MIN "," X_MIN "]", {-1, false, 0, 1, 0}},
		{"['+'," X_MIN "," X_MIN "]", {0, false, 2, 1, 0}},
		{"['/',['-'," X_MIN ",1],2]", {0, false, 1, 2, -1}},
		{"['+',['/'," X_MIN ",2],1]", {0, false, 1, 2, 2}},
		{"['/',['/'," X_MIN ",2],3]", {0, false, 1, 6, 0}},
		{"['/',['+',['*'," X_MIN ",4],6],8]", {0, false, 1, 2, 1}},
		{"['/',['-',['*'," X_MIN ",4],6],8]", {0, false, 1, 2, -2}},
		{"['/',['+',['*'," X_MIN ",2],1],2]", {0, false, 1, 1, 0}},
		{"['/'," X_MIN ",-2]", {0, false, -1, 2, 1}},
		{"['-',0,['/'," X_MIN ",3]]", {0, false, -1, 3, 2}},
		{"['+',['/'," X_MIN ",3]," X_MIN "]", {0, false, 4, 3, 0}},
		{"['-'," X_MIN ",['/'," X_MIN ",3]]", {0, false, 2, 3, 2}},
		{"['*',['/'," X_MIN ",3],1]", {0, false, 1, 3, 0}},
		{"['/'," X_MIN ",0]", {-1, false, 0, 1, 0}},
		{"['max',['+'," X_MIN ",1]," X_MIN "]", {0, false, 1, 1, 1}},
		{"['min',['/',['+'," X_MIN ",1],2],['/'," X_MIN ",2]]", {0, false, 1, 2, 0}},
		{"['select',1," X_MIN "," X_MAX "]", {0, false, 1, 1, 0}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_affine form = {0};
		const struct bw_affine *expected = &cases[i].form;
		if (!bw_expr_affine(read_good(cases[i].text), &form))
			fail_msg("%s is not affine", cases[i].text);
		if (form.variable != expected->variable || form.of_max != expected->of_max || form.multiplier != expected->multiplier || form.divisor != expected->divisor || form.offset != expected->offset)
			fail_msg("%s: (%" PRId64 " b + %" PRId64 ") / %" PRId64, cases[i].text, form.multiplier, form.offset, form.divisor);
	}
}

static void what_is_not_affine_is_not_called_so(void **state)
{
	static const char *const cases[] = {
		"['+'," X_MIN "," X_MAX "]", "['+'," X_MIN "," Y_MIN "]", "['*'," X_MIN "," X_MIN "]", "['*',['/'," X_MIN ",3],3]", "['+',['/'," X_MIN ",3],['/'," X_MIN ",2]]",
		"['%'," X_MIN ",2]", "['/',8," X_MIN "]", "['min'," X_MIN ",8]", "['int32'," X_MIN "]", "['<'," X_MIN ",0]", "['abs'," X_MIN "]", "['<<'," X_MIN ",1]",
		"['select'," X_MIN ",1,2]", "['*',['*'," X_MIN ",4611686018427387904],4]", "['+',9223372036854775807,1]",
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_affine form;
		if (bw_expr_affine(read_good(cases[i]), &form))
			fail_msg("%s is called affine", cases[i]);
	}
}

/* x moves by 5, y by 100, r$x not at all. */
static void what_moves_evenly_is_told_by_how_much(void **state)
{
	static const uint64_t over[] = {5, 100, 0};
	static const struct {
		const char *text;
		bool even;
		int64_t shift;
	} cases[] = {
		{"7", true, 0},
		{X_MIN, true, 5},
		{Y_MAX, true, 100},
		{"['+'," X_MIN "," Y_MIN "]", true, 105},
		{"['+',['*',3," X_MIN "],['-'," Y_MAX "," X_MAX "]]", true, 110},
		{"['-',4," X_MAX "]", true, -5},
		{"['-'," X_MAX "," X_MIN "]", true, 0},
		{"['min',['+'," X_MIN "," Y_MIN "],['+'," Y_MAX "," X_MIN "]]", true, 105},
		{"['max',7,{'min':'r$x'}]", true, 0},
		{"['%',['/',{'max':'r$x'},2],3]", true, 0},
		{"['+',['/',['-'," X_MAX "," X_MIN "],2]," Y_MIN "]", true, 100},
		{"['select',['<',{'max':'r$x'},9],['+'," X_MIN ",1]," X_MIN "]", true, 5},
		{"['/'," X_MIN ",2]", false, 0},
		{"['min'," X_MIN ",8]", false, 0},
		{"['max',8," X_MIN "]", false, 0},
		{"['max'," X_MIN "," Y_MIN "]", false, 0},
		{"['*'," X_MIN "," Y_MIN "]", false, 0},
		{"['select',['<'," X_MIN ",9],1,1]", false, 0},
		{"['select',['<',{'max':'r$x'},9]," X_MIN "," Y_MIN "]", false, 0},
		{"null", false, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t shift = 0;
		bool even = bw_expr_shift(read_good(cases[i].text), over, &shift);
		if (even != cases[i].even || (even && shift != (uint64_t)cases[i].shift))
			fail_msg("%s: %s, %" PRId64, cases[i].text, even ? "even" : "not even", (int64_t)shift);
	}
}

static void a_variable_can_be_made_without_a_description(void **state)
{
	int64_t min, max;
	assert_true(bw_expr_eval(bw_expr_variable(arena, 1, false), intervals, &min));
	assert_true(bw_expr_eval(bw_expr_variable(arena, 1, true), intervals, &max));
	assert_int_equal(min, 100);
	assert_int_equal(max, 227);
	assert_true(bw_expr_is_variable(bw_expr_variable(arena, 1, true), 1, true));
}

/* Which variables an expression has, as bits (x 1, y 2), and whether it is x.min. */
static void variables_are_told(void **state)
{
	static const struct {
		const char *text;
		uint32_t variables;
		bool x_min;
	} cases[] = {
		{"7", 0, false}, {"{'param':'k'}", 0, false}, {X_MIN, 1, true}, {"['+'," X_MIN ",0]", 1, true}, {X_MAX, 1, false}, {Y_MIN, 2, false}, {"['+'," X_MIN ",1]", 1, false},
		{"['*'," X_MIN ",2]", 1, false}, {"['/'," X_MIN ",2]", 1, false}, {"['max',['min'," X_MIN ",9],0]", 1, false}, {"['select',['<'," Y_MAX ",3]," X_MIN ",0]", 3, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_expr *expr = read_good(cases[i].text);
		assert_int_equal(bw_expr_variables(expr), cases[i].variables);
		assert_int_equal(bw_expr_is_variable(expr, 0, false), cases[i].x_min);
		assert_false(bw_expr_is_variable(expr, 1, false) && cases[i].variables != 2);
	}
}

static void what_is_none_is_refused_by_name(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"'x'", "e.json:1: [0]: expected an expression: an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, {\"estimate\": N}, [OPERATOR, ...] or null"},
		{"1.0", "e.json:1: [0]: expected an expression: an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, {\"estimate\": N}, [OPERATOR, ...] or null"},
		{"['+',1,true]", "e.json:1: [0][2]: expected an expression: an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, {\"estimate\": N}, [OPERATOR, ...] or null"},
		{"[]", "e.json:1: [0]: expected an operator and its operands, found an empty array"},
		{"[1,2]", "e.json:1: [0][0]: expected a string, found an integer"},
		{"\n['^',1,2]", "e.json:2: [0][0]: there is no operator \"^\""},
		{"['+',1]", "e.json:1: [0]: \"+\" takes 2 operands, found 1"},
		{"['!',1,2]", "e.json:1: [0]: \"!\" takes 1 operand, found 2"},
		{"['select',1,2,3,4]", "e.json:1: [0]: \"select\" takes 3 operands, found 4"},
		{"{}", "e.json:1: [0]: expected one of \"min\", \"max\", \"param\" and \"estimate\""},
		{"{'min':'x','max':'x'}", "e.json:1: [0]: expected one of \"min\", \"max\", \"param\" and \"estimate\""},
		{"{'mim':'x'}", "e.json:1: [0].mim: unknown key; did you mean \"min\"?"},
		{"{'min':3}", "e.json:1: [0].min: expected a string, found an integer"},
		{"['+',1,\n{'min':'z'}]", "e.json:2: [0][2].min: \"z\" is no loop or dimension here"},
		{"{'max':'radius'}", "e.json:1: [0].max: \"radius\" is no loop or dimension here"},
		{"{'estimate':'radius'}", "e.json:1: [0].estimate: expected an integer, found a string"},
		{"{'param':'sigma'}", "e.json:1: [0].param: \"sigma\" is no parameter with an integer as its estimate"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		assert_null(read(cases[i].text, &error));
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		assert_string_equal(error.text, cases[i].error);
	}
}

/* x.min inside of n operations. */
/* What holds whatever a parameter is, and what does not. */
static void estimates_are_no_constants(void **state)
{
	assert_true(bw_expr_constant(read_good("['+',3,4]")));
	assert_false(bw_expr_parametric(read_good("['+',3," X_MIN "]")));
	static const char *const texts[] = {"['+',3,{'param':'k'}]", "['+',3,{'estimate':4}]", "{'estimate':4}"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_false(bw_expr_constant(read_good(texts[i])));
		assert_true(bw_expr_parametric(read_good(texts[i])));
	}
}

static const struct bw_expr *read_nested(int n, const char *left, const char *right, struct bw_error *error)
{
	struct bw_text text = {0};
	for (int i = 0; i < n; i++)
		bw_text_puts(&text, left);
	bw_text_puts(&text, X_MIN);
	for (int i = 0; i < n; i++)
		bw_text_puts(&text, right);
	const struct bw_expr *expr = read(bw_text_get(&text), error);
	bw_text_free(&text);
	return expr;
}

/* Operations within operations up to the 200th level, which leave nothing, one value and two values each on the stack meanwhile. */
static void nesting_has_an_end(void **state)
{
	static const struct {
		const char *left, *right;
		int most;
		int64_t value;
	} cases[] = {
		{"['+',", ",1]", 199, -5 + 199},
		{"['-',1,", "]", 199, 6},
		{"['min',['%'," X_MAX ",7],", "]", 198, -5},
		{"['select',['<'," X_MIN "," X_MAX "],['abs'," X_MIN "],", "]", 198, 5},
		{"['select',['<'," X_MAX "," X_MIN "],['abs'," X_MIN "],", "]", 198, -5},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		int64_t value = 0;
		const struct bw_expr *expr = read_nested(cases[i].most, cases[i].left, cases[i].right, &error);
		assert_non_null(expr);
		assert_true(bw_expr_eval(expr, intervals, &value));
		assert_int_equal(value, cases[i].value);
		assert_null(read_nested(cases[i].most + 1, cases[i].left, cases[i].right, &error));
		assert_non_null(strstr(error.text, "an expression is nested deeper than 200"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_halides),
		cmocka_unit_test(what_overflows_has_no_value),
		cmocka_unit_test(null_is_unbounded_wherever_it_stands),
		cmocka_unit_test(affine_forms_are_exact_and_in_lowest_terms),
		cmocka_unit_test(what_is_not_affine_is_not_called_so),
		cmocka_unit_test(what_moves_evenly_is_told_by_how_much),
		cmocka_unit_test(a_variable_can_be_made_without_a_description),
		cmocka_unit_test(what_is_none_is_refused_by_name),
		cmocka_unit_test(variables_are_told),
		cmocka_unit_test(estimates_are_no_constants),
		cmocka_unit_test(nesting_has_an_end),
	};
	return cmocka_run_group_tests(tests, make_arena, free_arena);
}
