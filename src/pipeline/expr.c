/* Expressions are kept in two forms: affine in one bound where they are, which is what most of a pipeline's are, and a program for a
 * small stack machine for all others. */
#include "pipeline/expr.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200, MAX_STACK = 256 };

enum code {
	PUSH_CONST,
	PUSH_MIN,
	PUSH_MAX,
	APPLY,
};

enum operator {
#define X(name, text, operands) OP_##name,
	BW_OPERATOR_TABLE(X)
#undef X
	N_OPERATORS
};

static const struct {
	const char *text;
	int operands;
} operators[] = {
#define X(name, text, operands) {text, operands},
	BW_OPERATOR_TABLE(X)
#undef X
};

struct instruction {
	enum code code;
	int64_t operand; /* the constant, the variable or the operator */
};

struct bw_expr {
	bool unbounded;
	bool affine;
	struct bw_affine form;
	int n;
	int depth; /* of the stack that the program needs */
	struct instruction *program;
};

/* The program while it is read. */
struct reader {
	const struct bw_scope *scope;
	struct instruction *program;
	int n, capacity;
	int stack, deepest;
	bool unbounded;
};

static void push(struct reader *reader, enum code code, int64_t operand, int effect)
{
	BW_GROW(reader->program, reader->n, reader->capacity);
	reader->program[reader->n++] = (struct instruction){code, operand};
	reader->stack += effect;
	if (reader->stack > reader->deepest)
		reader->deepest = reader->stack;
}

static int find_name(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static bool read_variable(struct reader *reader, const struct bw_json_at *at, struct bw_error *error)
{
	struct bw_json_at member;
	const char *name;
	static const char *const keys[] = {"min", "max", "param", NULL};
	if (!bw_json_only(at, keys, error))
		return false;
	if (json_object_size(at->value) != 1)
		return bw_json_fail(at, error, "expected one of \"min\", \"max\" and \"param\"");
	for (int k = 0; k < 3; k++) {
		if (!bw_json_has(at, keys[k], &member))
			continue;
		if (!bw_json_string(&member, &name, error))
			return false;
		int found = k == 2 ? find_name(name, reader->scope->params, reader->scope->n_params) : find_name(name, reader->scope->names, reader->scope->n_names);
		if (found < 0)
			return bw_json_fail(&member, error, "no %s \"%s\" here", k == 2 ? "parameter" : "loop or dimension", name);
		if (k == 2)
			push(reader, PUSH_CONST, reader->scope->param_values[found], 1);
		else
			push(reader, k == 0 ? PUSH_MIN : PUSH_MAX, found, 1);
		return true;
	}
	return bw_json_fail(at, error, "expected an expression");
}

static bool read_expr(struct reader *reader, const struct bw_json_at *at, int depth, struct bw_error *error);

static bool read_operation(struct reader *reader, const struct bw_json_at *at, int depth, struct bw_error *error)
{
	size_t length;
	const char *name;
	if (!bw_json_length(at, &length, error))
		return false;
	if (!length)
		return bw_json_fail(at, error, "expected an operator and its operands");
	struct bw_json_at first = bw_json_element(at, 0);
	if (!bw_json_string(&first, &name, error))
		return false;
	int op = 0;
	while (op < N_OPERATORS && strcmp(operators[op].text, name))
		op++;
	if (op == N_OPERATORS)
		return bw_json_fail(&first, error, "no operator \"%s\"", name);
	if ((int)length - 1 != operators[op].operands)
		return bw_json_fail(at, error, "%s takes %d operands, not %d", name, operators[op].operands, (int)length - 1);
	for (size_t i = 1; i < length; i++) {
		struct bw_json_at operand = bw_json_element(at, i);
		if (!read_expr(reader, &operand, depth + 1, error))
			return false;
	}
	push(reader, APPLY, op, 1 - operators[op].operands);
	return true;
}

static bool read_expr(struct reader *reader, const struct bw_json_at *at, int depth, struct bw_error *error)
{
	int64_t value;
	if (depth > MAX_DEPTH || reader->stack >= MAX_STACK)
		return bw_json_fail(at, error, "an expression nested deeper than %d", MAX_DEPTH);
	if (json_is_null(at->value)) {
		reader->unbounded = true;
		push(reader, PUSH_CONST, 0, 1);
		return true;
	}
	if (json_is_object(at->value))
		return read_variable(reader, at, error);
	if (json_is_array(at->value))
		return read_operation(reader, at, depth, error);
	if (!json_is_integer(at->value))
		return bw_json_fail(at, error, "expected an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, [operator, ...] or null");
	if (!bw_json_int(at, INT64_MIN, INT64_MAX, &value, error))
		return false;
	push(reader, PUSH_CONST, value, 1);
	return true;
}

/* Euclidean: the remainder is never negative; by 0 both are 0 (Halide's div_imp and mod_imp). */
static bool divide(int64_t a, int64_t b, int64_t *quotient, int64_t *remainder)
{
	*quotient = *remainder = 0;
	if (b == 0)
		return true;
	if (b == -1)
		return !__builtin_sub_overflow((int64_t)0, a, quotient);
	*quotient = a / b;
	*remainder = a % b;
	if (*remainder < 0) {
		*remainder += b < 0 ? -b : b;
		*quotient += b < 0 ? 1 : -1;
	}
	return true;
}

/* Shifted left by b, or right where b is negative: Halide's semantics. */
static bool shift(int64_t a, int64_t b, int64_t *result)
{
	if (b <= -63) {
		*result = a < 0 ? -1 : 0;
		return true;
	}
	if (b < 0) {
		*result = a >> -b;
		return true;
	}
	return b < 63 ? !__builtin_mul_overflow(a, (int64_t)1 << b, result) : (*result = 0, a == 0);
}

static bool apply(enum operator op, const int64_t *v, int64_t *result)
{
	int64_t other;
	switch (op) {
	case OP_ADD: return !__builtin_add_overflow(v[0], v[1], result);
	case OP_SUB: return !__builtin_sub_overflow(v[0], v[1], result);
	case OP_MUL: return !__builtin_mul_overflow(v[0], v[1], result);
	case OP_DIV: return divide(v[0], v[1], result, &other);
	case OP_MOD: return divide(v[0], v[1], &other, result);
	case OP_MINIMUM: *result = v[0] < v[1] ? v[0] : v[1]; return true;
	case OP_MAXIMUM: *result = v[0] > v[1] ? v[0] : v[1]; return true;
	case OP_EQ: *result = v[0] == v[1]; return true;
	case OP_NE: *result = v[0] != v[1]; return true;
	case OP_LT: *result = v[0] < v[1]; return true;
	case OP_LE: *result = v[0] <= v[1]; return true;
	case OP_AND: *result = v[0] && v[1]; return true;
	case OP_OR: *result = v[0] || v[1]; return true;
	case OP_NOT: *result = !v[0]; return true;
	case OP_SELECT: *result = v[0] ? v[1] : v[2]; return true;
	case OP_ABS: return v[0] < 0 ? !__builtin_sub_overflow((int64_t)0, v[0], result) : (*result = v[0], true);
	case OP_SHIFT_LEFT: return shift(v[0], v[1], result);
	case OP_SHIFT_RIGHT: return v[1] == INT64_MIN ? false : shift(v[0], -v[1], result);
	case OP_BIT_AND: *result = v[0] & v[1]; return true;
	case OP_CAST_I8: *result = (int8_t)v[0]; return true;
	case OP_CAST_I16: *result = (int16_t)v[0]; return true;
	case OP_CAST_I32: *result = (int32_t)v[0]; return true;
	case OP_CAST_U8: *result = (uint8_t)v[0]; return true;
	case OP_CAST_U16: *result = (uint16_t)v[0]; return true;
	case OP_CAST_U32: *result = (uint32_t)v[0]; return true;
	default: return false;
	}
}

static bool run(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t *value)
{
	int64_t stack[MAX_STACK + 4];
	int top = 0;
	for (int i = 0; i < expr->n; i++) {
		const struct instruction *instruction = &expr->program[i];
		switch (instruction->code) {
		case PUSH_CONST: stack[top++] = instruction->operand; break;
		case PUSH_MIN: stack[top++] = intervals[instruction->operand].min; break;
		case PUSH_MAX: stack[top++] = intervals[instruction->operand].max; break;
		case APPLY:
			top -= operators[instruction->operand].operands;
			if (!apply((enum operator)instruction->operand, stack + top, &stack[top]))
				return false;
			top++;
			break;
		}
	}
	*value = stack[0];
	return true;
}

bool bw_expr_eval(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t *value)
{
	if (expr->unbounded)
		return false;
	if (!expr->affine)
		return run(expr, intervals, value);
	const struct bw_affine *form = &expr->form;
	if (form->variable < 0) {
		*value = form->offset;
		return true;
	}
	int64_t bound = form->of_max ? intervals[form->variable].max : intervals[form->variable].min, sum, rest;
	if (__builtin_mul_overflow(form->multiplier, bound, &sum) || __builtin_add_overflow(sum, form->offset, &sum))
		return false;
	if (form->divisor == 1) {
		*value = sum;
		return true;
	}
	return divide(sum, form->divisor, value, &rest);
}

static bool affine_constant(const struct bw_affine *form)
{
	return form->variable < 0;
}

/* a op b where it stays affine: sums with one variable, products with and quotients by a constant. */
static bool combine(enum operator op, const struct bw_affine *a, const struct bw_affine *b, struct bw_affine *result)
{
	if (affine_constant(a) && affine_constant(b)) {
		int64_t v[] = {a->offset, b->offset};
		*result = (struct bw_affine){-1, false, 0, 1, 0};
		return apply(op, v, &result->offset);
	}
	*result = affine_constant(a) ? *b : *a;
	const struct bw_affine *constant = affine_constant(a) ? a : b, *other = affine_constant(a) ? b : a;
	if (!affine_constant(constant))
		return false;
	int64_t c = constant->offset, scaled;
	switch (op) {
	case OP_ADD:
		return !__builtin_mul_overflow(c, other->divisor, &scaled) && !__builtin_add_overflow(other->offset, scaled, &result->offset);
	case OP_SUB:
		if (constant == a)
			return other->divisor == 1 && !__builtin_sub_overflow(c, other->offset, &result->offset) && !__builtin_sub_overflow((int64_t)0, other->multiplier, &result->multiplier);
		return !__builtin_mul_overflow(c, other->divisor, &scaled) && !__builtin_sub_overflow(other->offset, scaled, &result->offset);
	case OP_MUL:
		return other->divisor == 1 && !__builtin_mul_overflow(other->offset, c, &result->offset) && !__builtin_mul_overflow(other->multiplier, c, &result->multiplier);
	case OP_DIV:
		if (constant == a || c <= 0 || __builtin_mul_overflow(other->divisor, c, &result->divisor))
			return false;
		return true;
	default:
		return false;
	}
}

/* The affine form of the program, where it has one. (x / a) / b is x / (a * b) for positive a and b, rounded down. */
static bool find_affine(const struct bw_expr *expr, struct bw_affine *form)
{
	struct bw_affine stack[MAX_STACK + 4];
	int top = 0;
	for (int i = 0; i < expr->n; i++) {
		const struct instruction *instruction = &expr->program[i];
		if (instruction->code == PUSH_CONST) {
			stack[top++] = (struct bw_affine){-1, false, 0, 1, instruction->operand};
		} else if (instruction->code != APPLY) {
			stack[top++] = (struct bw_affine){(int)instruction->operand, instruction->code == PUSH_MAX, 1, 1, 0};
		} else {
			struct bw_affine result;
			if (operators[instruction->operand].operands != 2 || !combine((enum operator)instruction->operand, &stack[top - 2], &stack[top - 1], &result))
				return false;
			stack[--top - 1] = result;
		}
	}
	*form = stack[0];
	return true;
}

const struct bw_expr *bw_expr_read(const struct bw_json_at *at, const struct bw_scope *scope, struct bw_arena *arena, struct bw_error *error)
{
	struct reader reader = {.scope = scope};
	struct bw_expr *expr = NULL;
	if (read_expr(&reader, at, 0, error)) {
		expr = BW_ARENA_NEW(arena, struct bw_expr);
		expr->unbounded = reader.unbounded;
		expr->n = reader.n;
		expr->depth = reader.deepest;
		expr->program = BW_ARENA_ARRAY(arena, struct instruction, reader.n);
		memcpy(expr->program, reader.program, (size_t)reader.n * sizeof *expr->program);
		expr->affine = !expr->unbounded && find_affine(expr, &expr->form);
	}
	free(reader.program);
	return expr;
}

const struct bw_expr *bw_expr_variable(struct bw_arena *arena, int variable, bool of_max)
{
	struct bw_expr *expr = BW_ARENA_NEW(arena, struct bw_expr);
	expr->n = expr->depth = 1;
	expr->program = BW_ARENA_NEW(arena, struct instruction);
	expr->program[0] = (struct instruction){of_max ? PUSH_MAX : PUSH_MIN, variable};
	expr->affine = true;
	expr->form = (struct bw_affine){variable, of_max, 1, 1, 0};
	return expr;
}

bool bw_expr_unbounded(const struct bw_expr *expr)
{
	return expr->unbounded;
}

bool bw_expr_affine(const struct bw_expr *expr, struct bw_affine *affine)
{
	if (expr->affine)
		*affine = expr->form;
	return expr->affine;
}

/* Prints what the program's instruction `at` computes; returns where its first operand's code begins. */
static int print_at(const struct bw_expr *expr, const struct bw_scope *scope, int at, struct bw_text *out)
{
	const struct instruction *instruction = &expr->program[at];
	if (instruction->code == PUSH_CONST) {
		bw_text_printf(out, "%lld", (long long)instruction->operand);
		return at;
	}
	if (instruction->code != APPLY) {
		bw_text_printf(out, "%s.%s", scope->names[instruction->operand], instruction->code == PUSH_MIN ? "min" : "max");
		return at;
	}
	int operands = operators[instruction->operand].operands, begin = at;
	struct bw_text parts[3] = {{0}};
	for (int i = operands - 1; i >= 0; i--)
		begin = print_at(expr, scope, begin - 1, &parts[i]);
	const char *text = operators[instruction->operand].text;
	bool infix = operands == 2 && strcmp(text, "min") && strcmp(text, "max");
	bw_text_printf(out, infix ? "(" : "%s(", text);
	for (int i = 0; i < operands; i++) {
		if (i)
			bw_text_printf(out, infix ? " %s " : ", ", text);
		bw_text_puts(out, bw_text_get(&parts[i]));
		bw_text_free(&parts[i]);
	}
	bw_text_puts(out, ")");
	return begin;
}

void bw_expr_print(const struct bw_expr *expr, const struct bw_scope *scope, struct bw_text *out)
{
	if (expr->unbounded)
		bw_text_puts(out, "unbounded");
	else
		print_at(expr, scope, expr->n - 1, out);
}
