/* Reads expressions into programs in postfix order, turns a program into the steps that are evaluated, and
 * finds what an expression depends on. */
#include "pipeline/expr.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "pipeline/expr_private.h"

/* Affine forms: (multiplier * bound + offset) / divisor, rounded down, in lowest terms; divisor > 0. Every
 * rule here is an identity of integers, so a form has the value of its expression. If a coefficient would
 * overflow there is no form. */
/* Return the forms of a constant, of a bound, and of an operator's result; the last returns false if that
 * is not affine. */
static struct bw_affine affine_constant(int64_t value)
{
	return (struct bw_affine){.variable = -1, .divisor = 1, .offset = value};
}

static struct bw_affine affine_bound(int variable, bool of_max)
{
	return (struct bw_affine){.variable = variable, .of_max = of_max, .multiplier = 1, .divisor = 1};
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* (g m x + c) / (g d) = (m x + c / g) / d, all rounded down. */
static bool reduce(struct bw_affine *form)
{
	if (form->multiplier == INT64_MIN)
		return false;
	int64_t common = form->multiplier ? bw_gcd(form->multiplier, form->divisor) : form->divisor;
	form->multiplier /= common;
	form->divisor /= common;
	form->offset = floor_div(form->offset, common);
	if (!form->multiplier)
		*form = affine_constant(form->offset);
	return true;
}

static bool same_bound(const struct bw_affine *a, const struct bw_affine *b)
{
	return a->variable < 0 || b->variable < 0 || (a->variable == b->variable && a->of_max == b->of_max);
}

/* n / d + (m x + c) = (n + d m x + d c) / d: one of the two has divisor 1. */
static bool add(const struct bw_affine *a, const struct bw_affine *b, struct bw_affine *sum)
{
	const struct bw_affine *divided = a->divisor > 1 ? a : b, *whole = divided == a ? b : a;
	int64_t multiplier, offset;
	if (!same_bound(a, b) || whole->divisor > 1)
		return false;
	*sum = divided->variable < 0 ? *whole : *divided;
	sum->divisor = divided->divisor;
	return !__builtin_mul_overflow(whole->multiplier, divided->divisor, &multiplier) &&
	       !__builtin_mul_overflow(whole->offset, divided->divisor, &offset) &&
	       !__builtin_add_overflow(divided->multiplier, multiplier, &sum->multiplier) &&
	       !__builtin_add_overflow(divided->offset, offset, &sum->offset) && reduce(sum);
}

/* -(n / d), n / d rounded down, is -n / d rounded up, which is (-n + d - 1) / d rounded down. */
static bool negate(const struct bw_affine *a, struct bw_affine *negative)
{
	*negative = *a;
	return !__builtin_sub_overflow((int64_t)0, a->multiplier, &negative->multiplier) &&
	       !__builtin_sub_overflow(a->divisor - 1, a->offset, &negative->offset);
}

static bool multiply(const struct bw_affine *a, int64_t factor, struct bw_affine *product)
{
	*product = *a;
	if (factor == 1)
		return true;
	if (factor == 0) {
		*product = affine_constant(0);
		return true;
	}
	return a->divisor == 1 && !__builtin_mul_overflow(a->multiplier, factor, &product->multiplier) &&
	       !__builtin_mul_overflow(a->offset, factor, &product->offset) && reduce(product);
}

/* (n / d) / k = n / (d k) for k > 0; for k < 0 Euclid's quotient is that by -k, negated; by 0 it is 0. */
static bool divide(const struct bw_affine *a, int64_t divisor, struct bw_affine *quotient)
{
	if (divisor == 0) {
		*quotient = affine_constant(0);
		return true;
	}
	struct bw_affine positive = *a;
	if (divisor == INT64_MIN ||
	    __builtin_mul_overflow(a->divisor, divisor < 0 ? -divisor : divisor, &positive.divisor) ||
	    !reduce(&positive))
		return false;
	*quotient = positive;
	return divisor > 0 || negate(&positive, quotient);
}

/* Of two forms that differ in the offset alone, the same one is the lesser at every bound. */
static bool extreme(const struct bw_affine *a, const struct bw_affine *b, bool greatest,
		    struct bw_affine *result)
{
	if (a->variable != b->variable || a->of_max != b->of_max || a->multiplier != b->multiplier ||
	    a->divisor != b->divisor)
		return false;
	*result = (a->offset > b->offset) == greatest ? *a : *b;
	return true;
}

static bool all_constant(const struct bw_affine *operands, int n)
{
	for (int i = 0; i < n; i++)
		if (operands[i].variable >= 0)
			return false;
	return true;
}

static bool affine_apply(enum bw_operator op, const struct bw_affine *operands, struct bw_affine *result)
{
	const struct bw_affine *a = &operands[0], *b = &operands[1];
	struct bw_affine negative;
	if (all_constant(operands, bw_operators[op].operands)) {
		int64_t values[3], value;
		for (int i = 0; i < bw_operators[op].operands; i++)
			values[i] = operands[i].offset;
		if (!bw_operator_apply(op, values, &value))
			return false;
		*result = affine_constant(value);
		return true;
	}
	switch (op) {
	case BW_OPERATOR_ADD: return add(a, b, result);
	case BW_OPERATOR_SUB: return negate(b, &negative) && add(a, &negative, result);
	case BW_OPERATOR_MUL:
		return (b->variable < 0 && multiply(a, b->offset, result)) ||
		       (a->variable < 0 && multiply(b, a->offset, result));
	case BW_OPERATOR_DIV: return b->variable < 0 && divide(a, b->offset, result);
	case BW_OPERATOR_MINIMUM: return extreme(a, b, false, result);
	case BW_OPERATOR_MAXIMUM: return extreme(a, b, true, result);
	case BW_OPERATOR_SELECT:
		if (a->variable >= 0)
			return false;
		*result = a->offset ? operands[1] : operands[2];
		return true;
	default: return false;
	}
}

/* Makes the steps of an expression from its program: the largest affine subexpressions become leaves. */

/* The forms of all subexpressions, while steps are made. */
struct compiler {
	const struct bw_instruction *program;
	const bool *affine;
	const struct bw_affine *forms;
	struct bw_step *steps;
	int n_steps;
};

static struct bw_leaf leaf_of(const struct bw_affine *form)
{
	bool sum = form->multiplier == 1 && form->divisor == 1;
	struct bw_leaf leaf = {form->variable < 0 ? BW_LEAF_NUMBER
			       : sum              ? BW_LEAF_SUM
						  : BW_LEAF_FORM,
			       2 * form->variable + form->of_max, *form, -1};
	if ((form->divisor & (form->divisor - 1)) == 0)
		leaf.shift = __builtin_ctzll((unsigned long long)form->divisor);
	return leaf;
}

static void emit(struct compiler *compiler, enum bw_step_mode mode, enum bw_operator op, int leaf)
{
	struct bw_step *step = &compiler->steps[compiler->n_steps++];
	step->mode = mode;
	step->op = op;
	if (mode != BW_STEP_APPLY)
		step->leaf = leaf_of(&compiler->forms[leaf]);
}

/* Makes the steps of the subexpression that ends at `at`. */
static void make_steps(struct compiler *compiler, int at)
{
	if (compiler->affine[at]) {
		emit(compiler, BW_STEP_LOAD, BW_N_OPERATORS, at);
		return;
	}
	enum bw_operator op = (enum bw_operator)compiler->program[at].operand;
	int operands = bw_operators[op].operands, ends[3];
	for (int i = operands - 1, end = at - 1; i >= 0; i--) {
		ends[i] = end;
		end = compiler->program[end].begin - 1;
	}
	int last = ends[operands - 1];
	bool right = operands > 1 && compiler->affine[last];
	bool left = operands == 2 && !right && compiler->affine[ends[0]];
	for (int i = left; i < operands - right; i++)
		make_steps(compiler, ends[i]);
	emit(compiler,
	     right  ? BW_STEP_APPLY_RIGHT
	     : left ? BW_STEP_APPLY_LEFT
		    : BW_STEP_APPLY,
	     op, right ? last : ends[0]);
}

/* Returns true with the form of the subexpression that ends at `at`, if it and its operands have one. */
static bool form_of(const struct bw_expr *expr, int at, const bool *affine, struct bw_affine *forms)
{
	const struct bw_instruction *instruction = &expr->program[at];
	struct bw_affine operands[3];
	switch (instruction->code) {
	case BW_CODE_CONST:
	case BW_CODE_PARAM: forms[at] = affine_constant(instruction->value); return true;
	case BW_CODE_MIN:
	case BW_CODE_MAX:
		forms[at] = affine_bound(instruction->operand, instruction->code == BW_CODE_MAX);
		return true;
	case BW_CODE_APPLY: break;
	}
	for (int i = bw_operators[instruction->operand].operands - 1, end = at - 1; i >= 0; i--) {
		if (!affine[end])
			return false;
		operands[i] = forms[end];
		end = expr->program[end].begin - 1;
	}
	return affine_apply((enum bw_operator)instruction->operand, operands, &forms[at]);
}

/* Makes the steps from the program. */
static void compile(struct bw_expr *expr, struct bw_arena *arena)
{
	BW_SCOPED_ARENA *scratch = bw_arena_new();
	bool *affine = BW_ARENA_ARRAY(scratch, bool, expr->n);
	struct bw_affine *forms = BW_ARENA_ARRAY(scratch, struct bw_affine, expr->n);
	struct compiler compiler = {expr->program, affine, forms,
				    BW_ARENA_ARRAY(scratch, struct bw_step, expr->n), 0};
	for (int i = 0; i < expr->n; i++)
		affine[i] = form_of(expr, i, affine, forms);
	make_steps(&compiler, expr->n - 1);
	struct bw_step *steps = BW_ARENA_ARRAY(arena, struct bw_step, compiler.n_steps);
	for (int i = 0; i < compiler.n_steps; i++)
		steps[i] = compiler.steps[i];
	expr->steps = steps;
	expr->n_steps = compiler.n_steps;
	expr->affine = affine[expr->n - 1];
}

/* Reading. */

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
	compile(expr, arena);
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
