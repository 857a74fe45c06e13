/* Reads expressions into a program in postfix order, from which affine.c makes the steps that are run. */
#include "pipeline/expr.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/expr_private.h"

/* The program while it is read. */
struct reader {
	const struct bw_scope *scope;
	struct bw_error *error;
	struct bw_instruction *program;
	int n, capacity;
	bool unbounded;
};

static void push(struct reader *reader, enum bw_code code, int operand, int64_t value, int begin)
{
	BW_PUSH(reader->program, reader->n, reader->capacity, (struct bw_instruction){code, operand, begin, value});
}

static int find_name(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	return -1;
}

/* Reads {"estimate": N}, as a parameter without a name. */
static bool read_estimate(struct reader *reader, const struct bw_json_at *at)
{
	int64_t value;
	if (!bw_json_int(at, INT64_MIN, INT64_MAX, &value, reader->error))
		return false;
	push(reader, BW_CODE_PARAM, -1, value, reader->n);
	return true;
}

/* Reads {"min": NAME}, {"max": NAME}, {"param": NAME} or {"estimate": N}. */
static bool read_name(struct reader *reader, const struct bw_json_at *at)
{
	static const char *const keys[] = {"min", "max", "param", "estimate", NULL};
	static const enum bw_code codes[] = {BW_CODE_MIN, BW_CODE_MAX, BW_CODE_PARAM};
	const struct bw_scope *scope = reader->scope;
	struct bw_json_at member;
	const char *name;
	int k = 0;
	if (!bw_json_only(at, keys, reader->error))
		return false;
	if (json_object_size(at->value) != 1)
		return bw_json_fail(at, reader->error, "expected one of \"min\", \"max\", \"param\" and \"estimate\"");
	while (!bw_json_has(at, keys[k], &member))
		k++;
	if (!strcmp(keys[k], "estimate"))
		return read_estimate(reader, &member);
	if (!bw_json_string(&member, &name, reader->error))
		return false;
	bool param = codes[k] == BW_CODE_PARAM;
	int found = param ? find_name(name, scope->params, scope->n_params)
			  : find_name(name, scope->names, scope->n_names);
	if (found < 0)
		return bw_json_fail(&member, reader->error,
				    param ? "\"%s\" is no parameter with an integer as its estimate"
					  : "\"%s\" is no loop or dimension here",
				    name);
	push(reader, codes[k], found, param ? scope->param_values[found] : 0, reader->n);
	return true;
}

static bool read_expr(struct reader *reader, const struct bw_json_at *at, int depth);

static bool read_operation(struct reader *reader, const struct bw_json_at *at, int depth)
{
	size_t length;
	const char *name;
	int begin = reader->n, op = 0;
	if (!bw_json_length(at, &length, reader->error))
		return false;
	if (!length)
		return bw_json_fail(at, reader->error, "expected an operator and its operands, found an empty array");
	struct bw_json_at first = bw_json_element(at, 0);
	if (!bw_json_string(&first, &name, reader->error))
		return false;
	while (op < BW_N_OPERATORS && strcmp(bw_operators[op].text, name))
		op++;
	if (op == BW_N_OPERATORS)
		return bw_json_fail(&first, reader->error, "there is no operator \"%s\"", name);
	if (length - 1 != (size_t)bw_operators[op].operands)
		return bw_json_fail(at, reader->error, "\"%s\" takes %d operand%s, found %zu", name,
				    bw_operators[op].operands, bw_operators[op].operands == 1 ? "" : "s",
				    length - 1);
	for (size_t i = 1; i < length; i++) {
		struct bw_json_at operand = bw_json_element(at, i);
		if (!read_expr(reader, &operand, depth + 1))
			return false;
	}
	push(reader, BW_CODE_APPLY, op, 0, begin);
	return true;
}

static bool read_expr(struct reader *reader, const struct bw_json_at *at, int depth)
{
	int64_t value = 0;
	if (depth > BW_EXPR_DEPTH)
		return bw_json_fail(at, reader->error, "an expression is nested deeper than %d", BW_EXPR_DEPTH);
	switch (json_typeof(at->value)) {
	case JSON_OBJECT: return read_name(reader, at);
	case JSON_ARRAY: return read_operation(reader, at, depth);
	case JSON_NULL: reader->unbounded = true; break;
	case JSON_INTEGER: value = json_integer_value(at->value); break;
	default:
		return bw_json_fail(
		    at, reader->error,
		    "expected an expression: an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, {\"estimate\": N}, [OPERATOR, ...] or null");
	}
	push(reader, BW_CODE_CONST, 0, value, reader->n);
	return true;
}

static const struct bw_expr *make_expr(struct reader *reader, struct bw_arena *arena)
{
	struct bw_expr *expr = BW_ARENA_NEW(arena, struct bw_expr);
	expr->unbounded = reader->unbounded;
	if (expr->unbounded)
		return expr;
	struct bw_instruction *program = BW_ARENA_ARRAY(arena, struct bw_instruction, reader->n);
	memcpy(program, reader->program, (size_t)reader->n * sizeof *program);
	expr->program = program;
	expr->n = reader->n;
	bw_expr_compile(expr, arena);
	return expr;
}

const struct bw_expr *bw_expr_read(const struct bw_json_at *at, const struct bw_scope *scope,
				   struct bw_arena *arena, struct bw_error *error)
{
	struct reader reader = {.scope = scope, .error = error};
	const struct bw_expr *expr = read_expr(&reader, at, 1) ? make_expr(&reader, arena) : NULL;
	free(reader.program);
	return expr;
}

const struct bw_expr *bw_expr_variable(struct bw_arena *arena, int variable, bool of_max)
{
	struct bw_instruction bound = {.code = of_max ? BW_CODE_MAX : BW_CODE_MIN, .operand = variable};
	return make_expr(&(struct reader){.program = &bound, .n = 1}, arena);
}

bool bw_expr_unbounded(const struct bw_expr *expr)
{
	return expr->unbounded;
}

bool bw_expr_constant(const struct bw_expr *expr)
{
	bool constant = !expr->unbounded;
	for (int i = 0; i < expr->n; i++)
		constant &= expr->program[i].code == BW_CODE_CONST || expr->program[i].code == BW_CODE_APPLY;
	return constant;
}

bool bw_expr_parametric(const struct bw_expr *expr)
{
	for (int i = 0; i < expr->n; i++)
		if (expr->program[i].code == BW_CODE_PARAM)
			return true;
	return false;
}

bool bw_expr_plain(const struct bw_expr *expr)
{
	const uint32_t plain = 1u << BW_OPERATOR_ADD | 1u << BW_OPERATOR_SUB | 1u << BW_OPERATOR_MUL |
			       1u << BW_OPERATOR_DIV | 1u << BW_OPERATOR_MINIMUM | 1u << BW_OPERATOR_MAXIMUM;
	for (int i = 0; i < expr->n; i++)
		if (expr->program[i].code == BW_CODE_APPLY && !(plain >> expr->program[i].operand & 1))
			return false;
	return !expr->unbounded;
}

bool bw_expr_divides(const struct bw_expr *expr)
{
	const uint32_t division =
		1u << BW_OPERATOR_DIV | 1u << BW_OPERATOR_MOD | 1u << BW_OPERATOR_SHIFT_RIGHT;
	for (int i = 0; i < expr->n; i++)
		if (expr->program[i].code == BW_CODE_APPLY && (division >> expr->program[i].operand & 1))
			return true;
	return false;
}

bool bw_bound_constant(const struct bw_bound *bound, uint32_t known)
{
	const uint32_t over = bw_expr_variables(bound->min) | bw_expr_variables(bound->max);
	return !(over & ~known) && !bw_expr_parametric(bound->min) && !bw_expr_parametric(bound->max);
}

uint32_t bw_expr_variables(const struct bw_expr *expr)
{
	uint32_t variables = 0;
	for (int i = 0; i < expr->n; i++)
		if (expr->program[i].code == BW_CODE_MIN || expr->program[i].code == BW_CODE_MAX)
			variables |= (uint32_t)1 << expr->program[i].operand;
	return variables;
}

bool bw_expr_affine(const struct bw_expr *expr, struct bw_affine *affine)
{
	if (expr->affine)
		*affine = expr->steps[0].leaf.form;
	return expr->affine;
}

bool bw_expr_is_variable(const struct bw_expr *expr, int variable, bool of_max)
{
	if (!expr->affine)
		return false;
	const struct bw_affine *form = &expr->steps[0].leaf.form;
	return form->variable == variable && form->of_max == of_max && form->multiplier == 1 &&
	       form->divisor == 1 && !form->offset;
}
