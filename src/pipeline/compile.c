/* Makes the steps of an expression from its program: the largest affine subexpressions become leaves. */
#include "pipeline/expr_private.h"

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
	case BW_CODE_PARAM: forms[at] = bw_affine_constant(instruction->value); return true;
	case BW_CODE_MIN:
	case BW_CODE_MAX:
		forms[at] = bw_affine_bound(instruction->operand, instruction->code == BW_CODE_MAX);
		return true;
	case BW_CODE_APPLY: break;
	}
	for (int i = bw_operators[instruction->operand].operands - 1, end = at - 1; i >= 0; i--) {
		if (!affine[end])
			return false;
		operands[i] = forms[end];
		end = expr->program[end].begin - 1;
	}
	return bw_affine_apply((enum bw_operator)instruction->operand, operands, &forms[at]);
}

void bw_expr_compile(struct bw_expr *expr, struct bw_arena *arena)
{
	struct bw_arena *scratch = bw_arena_new();
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
	bw_arena_free(scratch);
}
