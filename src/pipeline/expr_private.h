/* What the files of an expression share: the program as it was read, and the shorter one that is run. */
#ifndef BW_PIPELINE_EXPR_PRIVATE_H
#define BW_PIPELINE_EXPR_PRIVATE_H
#include "pipeline/expr.h"

/* Deepest nesting that is read, and the values that a program of that depth holds at once: select leaves two behind at each level. */
enum { BW_EXPR_DEPTH = 200, BW_EXPR_STACK = 2 * BW_EXPR_DEPTH + 4 };

enum bw_operator {
#define X(name, text, operands) BW_OPERATOR_##name,
	BW_OPERATOR_TABLE(X)
#undef X
	BW_N_OPERATORS
};

struct bw_operator_info {
	const char *text;
	int operands;
};
extern const struct bw_operator_info bw_operators[BW_N_OPERATORS];

enum bw_code { BW_CODE_CONST, BW_CODE_PARAM, BW_CODE_MIN, BW_CODE_MAX, BW_CODE_APPLY };

/* One node of the expression. They stand in postfix order: operands first, each right before the next. */
struct bw_instruction {
	enum bw_code code;
	int operand;   /* the parameter, the variable or the operator */
	int begin;     /* the first instruction of this subexpression */
	int64_t value; /* of the constant or the parameter */
};

/* An affine form and, where its divisor is a power of two, the shift that divides by it; else -1. Most are a number, or a bound and a number. */
enum bw_leaf_kind { BW_LEAF_NUMBER, BW_LEAF_SUM, BW_LEAF_FORM };
struct bw_leaf {
	enum bw_leaf_kind kind;
	int end; /* the bound's place among the ends of all intervals */
	struct bw_affine form;
	int shift;
};

/* A step loads a leaf, or applies an operator to the values on top of the stack, one of them replaced by a leaf where there is one. */
enum bw_step_mode { BW_STEP_LOAD, BW_STEP_APPLY, BW_STEP_APPLY_LEFT, BW_STEP_APPLY_RIGHT };
struct bw_step {
	enum bw_step_mode mode;
	enum bw_operator op;
	struct bw_leaf leaf;
};

struct bw_expr {
	bool unbounded;
	bool affine; /* the whole is one leaf, steps[0].leaf */
	int n, n_steps;
	const struct bw_instruction *program; /* as it was read, to print it */
	const struct bw_step *steps;          /* what is run */
};

/* What an operator makes of its operands. False where the result overflows. */
bool bw_operator_apply(enum bw_operator op, const int64_t *operands, int64_t *result);
/* The value of a leaf, exact; false where it is no int64. */
bool bw_leaf_value(const struct bw_leaf *leaf, const struct bw_interval *intervals, int64_t *value);

/* Forms of a constant, a bound, and an operator's result; the last is false where that is not affine. */
struct bw_affine bw_affine_constant(int64_t value);
struct bw_affine bw_affine_bound(int variable, bool of_max);
bool bw_affine_apply(enum bw_operator op, const struct bw_affine *operands, struct bw_affine *result);

/* Fills in what is run from the program. */
void bw_expr_compile(struct bw_expr *expr, struct bw_arena *arena);
#endif
