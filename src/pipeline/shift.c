/* How much an expression changes with its variables. Changes are whole numbers modulo 2^64. If each
 * variable has a change of its own, equal sums of their multiples are the same sum. */
#include "pipeline/expr_private.h"

/* Computes the change of a leaf. A quotient changes evenly only if its change is 0. */
static bool shift_of_leaf(const struct bw_affine *form, const uint64_t *over, uint64_t *shift)
{
	*shift = form->variable < 0 ? 0 : (uint64_t)form->multiplier * over[form->variable];
	return form->divisor == 1 || *shift == 0;
}

/* Replaces the changes of an operator's operands by the change of its result. Returns false if that is not
 * even. */
static bool apply(enum bw_operator op, uint64_t *operands)
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
		if (!apply(step->op, &stack[top]))
			return false;
		top++;
	}
	*shift = stack[0];
	return !expr->unbounded;
}
