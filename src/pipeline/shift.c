/* How far an expression moves with what it is made of. Distances are in whole numbers modulo 2^64: where each is one of its own, two sums of their multiples
 * that are equal are the same sum. */
#include "pipeline/expr_private.h"

/* That of a leaf: a quotient moves evenly only where it does not move. */
static bool shift_of_leaf(const struct bw_affine *form, const uint64_t *over, uint64_t *shift)
{
	*shift = form->variable < 0 ? 0 : (uint64_t)form->multiplier * over[form->variable];
	return form->divisor == 1 || *shift == 0;
}

/* Replaces operands that move so far by what an operator makes of them; false where that does not move evenly. */
static bool apply(enum bw_operator op, uint64_t *operands)
{
	uint64_t a = operands[0], b = bw_operators[op].operands > 1 ? operands[1] : 0, c = bw_operators[op].operands > 2 ? operands[2] : 0;
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
