/* Evaluation of expressions. The search evaluates them for every region of every option, so evaluation
 * must be fast. Every affine subexpression is one leaf. A leaf that is an operand is not pushed to the
 * stack: clamp(x, 0, 99) takes three steps. */
#include "pipeline/expr_private.h"

const struct bw_operator_info bw_operators[BW_N_OPERATORS] = {BW_OPERATOR_TABLE(BW_ROW)};

/* Divides like Euclid: the remainder is never negative; both are 0 if b is 0. */
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
		*remainder = b < 0 ? *remainder - b : *remainder + b;
		*quotient += b < 0 ? 1 : -1;
	}
	return true;
}

/* Computes a * 2^by, rounded down if `by` is negative. */
static bool shift(int64_t a, int64_t by, int64_t *result)
{
	if (by < 0) {
		*result = a >> (by > -63 ? -by : 63);
		return true;
	}
	*result = 0;
	return a == 0 || (by < 64 && !__builtin_mul_overflow(a, (__int128)1 << by, result));
}

static inline bool apply(enum bw_operator op, int64_t a, int64_t b, int64_t c, int64_t *result)
{
	int64_t other;
	switch (op) {
	case BW_OPERATOR_ADD: return !__builtin_add_overflow(a, b, result);
	case BW_OPERATOR_SUB: return !__builtin_sub_overflow(a, b, result);
	case BW_OPERATOR_MUL: return !__builtin_mul_overflow(a, b, result);
	case BW_OPERATOR_DIV: return divide(a, b, result, &other);
	case BW_OPERATOR_MOD: return b == -1 ? (*result = 0, true) : divide(a, b, &other, result);
	case BW_OPERATOR_MINIMUM: *result = a < b ? a : b; return true;
	case BW_OPERATOR_MAXIMUM: *result = a > b ? a : b; return true;
	case BW_OPERATOR_EQ: *result = a == b; return true;
	case BW_OPERATOR_NE: *result = a != b; return true;
	case BW_OPERATOR_LT: *result = a < b; return true;
	case BW_OPERATOR_LE: *result = a <= b; return true;
	case BW_OPERATOR_AND: *result = a && b; return true;
	case BW_OPERATOR_OR: *result = a || b; return true;
	case BW_OPERATOR_NOT: *result = !a; return true;
	case BW_OPERATOR_SELECT: *result = a ? b : c; return true;
	case BW_OPERATOR_ABS: *result = a; return a >= 0 || !__builtin_sub_overflow((int64_t)0, a, result);
	case BW_OPERATOR_SHIFT_LEFT: return shift(a, b, result);
	case BW_OPERATOR_SHIFT_RIGHT: return shift(a, b > INT64_MIN ? -b : INT64_MAX, result);
	case BW_OPERATOR_BIT_AND: *result = a & b; return true;
	case BW_OPERATOR_CAST_I8: *result = (int8_t)a; return true;
	case BW_OPERATOR_CAST_I16: *result = (int16_t)a; return true;
	case BW_OPERATOR_CAST_I32: *result = (int32_t)a; return true;
	case BW_OPERATOR_CAST_U8: *result = (uint8_t)a; return true;
	case BW_OPERATOR_CAST_U16: *result = (uint16_t)a; return true;
	case BW_OPERATOR_CAST_U32: *result = (uint32_t)a; return true;
	case BW_N_OPERATORS: break;
	}
	return false;
}

bool bw_operator_apply(enum bw_operator op, const int64_t *operands, int64_t *result)
{
	int n = bw_operators[op].operands;
	return apply(op, operands[0], n > 1 ? operands[1] : 0, n > 2 ? operands[2] : 0, result);
}

/* Computes the same in 128 bits, in which no product of two int64 overflows. */
static bool wide_leaf_value(const struct bw_affine *form, int64_t bound, int64_t *value)
{
	__int128 sum = (__int128)form->multiplier * bound + form->offset;
	__int128 quotient = sum / form->divisor - (sum % form->divisor < 0);
	*value = (int64_t)quotient;
	return *value == quotient;
}

_Static_assert(sizeof(struct bw_interval) == 2 * sizeof(int64_t), "intervals are their ends");

static inline bool leaf_value(const struct bw_leaf *leaf, const struct bw_interval *intervals, int64_t *value)
{
	const struct bw_affine *form = &leaf->form;
	const int64_t *ends = (const int64_t *)intervals;
	int64_t sum;
	if (leaf->kind == BW_LEAF_SUM)
		return !__builtin_add_overflow(ends[leaf->end], form->offset, value);
	if (leaf->kind == BW_LEAF_NUMBER) {
		*value = form->offset;
		return true;
	}
	if (__builtin_mul_overflow(form->multiplier, ends[leaf->end], &sum) ||
	    __builtin_add_overflow(sum, form->offset, &sum))
		return wide_leaf_value(form, ends[leaf->end], value);
	*value = leaf->shift >= 0 ? sum >> leaf->shift : sum / form->divisor - (sum % form->divisor < 0);
	return true;
}

static bool run(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t *value)
{
	int64_t stack[BW_EXPR_STACK], leaf = 0;
	int top = 0;
	for (int i = 0; i < expr->n_steps; i++) {
		const struct bw_step *step = &expr->steps[i];
		if (step->mode != BW_STEP_APPLY && !leaf_value(&step->leaf, intervals, &leaf))
			return false;
		if (step->mode == BW_STEP_APPLY_LEFT) {
			stack[top] = stack[top - 1];
			stack[top++ - 1] = leaf;
		} else if (step->mode != BW_STEP_APPLY) {
			stack[top++] = leaf;
		}
		if (step->mode == BW_STEP_LOAD)
			continue;
		int operands = bw_operators[step->op].operands;
		int64_t *v = stack + (top -= operands);
		if (!apply(step->op, v[0], operands > 1 ? v[1] : 0, operands > 2 ? v[2] : 0, &stack[top++]))
			return false;
	}
	*value = stack[0];
	return true;
}

static inline bool eval(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t *value)
{
	if (expr->affine)
		return leaf_value(&expr->steps[0].leaf, intervals, value);
	return !expr->unbounded && run(expr, intervals, value);
}

bool bw_expr_eval(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t *value)
{
	return eval(expr, intervals, value);
}

int bw_bound_eval(const struct bw_bound *bound, const struct bw_interval *intervals, struct bw_interval *ends)
{
	bool low = eval(bound->min, intervals, &ends->min), high = eval(bound->max, intervals, &ends->max);
	return (low ? BW_BOUND_MIN : 0) | (high ? BW_BOUND_MAX : 0);
}

/* How much an expression changes with its variables. Changes are whole numbers modulo 2^64. If each
 * variable has a change of its own, equal sums of their multiples are the same sum. */

/* Computes the change of a leaf. A quotient changes evenly only if its change is 0. */
static bool shift_of_leaf(const struct bw_affine *form, const uint64_t *over, uint64_t *shift)
{
	*shift = form->variable < 0 ? 0 : (uint64_t)form->multiplier * over[form->variable];
	return form->divisor == 1 || *shift == 0;
}

/* Replaces the changes of an operator's operands by the change of its result. Returns false if that is not
 * even. */
static bool change_of(enum bw_operator op, uint64_t *operands)
{
	uint64_t a = operands[0], b = bw_operators[op].operands > 1 ? operands[1] : 0,
		 c = bw_operators[op].operands > 2 ? operands[2] : 0;
	switch (op) {
	case BW_OPERATOR_ADD: operands[0] = a + b; return true;
	case BW_OPERATOR_SUB: operands[0] = a - b; return true;
	case BW_OPERATOR_MINIMUM:
	case BW_OPERATOR_MAXIMUM: return a == b;
	case BW_OPERATOR_SELECT: operands[0] = b; return !a && b == c;
	default: return !a && !b && !c;
	}
}

bool bw_expr_shift(const struct bw_expr *expr, const uint64_t *over, uint64_t *shift)
{
	uint64_t stack[BW_EXPR_STACK], leaf = 0;
	int top = 0;
	for (int i = 0; i < expr->n_steps; i++) {
		const struct bw_step *step = &expr->steps[i];
		if (step->mode != BW_STEP_APPLY && !shift_of_leaf(&step->leaf.form, over, &leaf))
			return false;
		if (step->mode == BW_STEP_APPLY_LEFT) {
			stack[top] = stack[top - 1];
			stack[top++ - 1] = leaf;
		} else if (step->mode != BW_STEP_APPLY) {
			stack[top++] = leaf;
		}
		if (step->mode == BW_STEP_LOAD)
			continue;
		top -= bw_operators[step->op].operands;
		if (!change_of(step->op, &stack[top]))
			return false;
		top++;
	}
	*shift = stack[0];
	return !expr->unbounded;
}
