/* Private to the files of expressions: the program as it was read, and the shorter program that is
 * evaluated. */
#pragma once
#include "pipeline/expr.h"

/* Deepest nesting, and the most values that a program of this depth has on its stack at once: select
 * leaves two values at each level. */
enum { BW_EXPR_DEPTH = 200, BW_EXPR_STACK = 2 * BW_EXPR_DEPTH + 4 };

enum bw_operator { BW_OPERATOR_TABLE(BW_FIRST) BW_N_OPERATORS };

struct bw_operator_info {
	const char *text;
	int operands;
};
extern const struct bw_operator_info bw_operators[BW_N_OPERATORS];

enum bw_code { BW_CODE_CONST, BW_CODE_PARAM, BW_CODE_MIN, BW_CODE_MAX, BW_CODE_APPLY };

/* A node of the expression. Nodes are in postfix order: operands first, right before their operator. */
struct bw_instruction {
	enum bw_code code;
	int operand;   /* the parameter, variable or operator */
	int begin;     /* the first instruction of this subexpression */
	int64_t value; /* of the constant or parameter */
};

/* A leaf: an affine form. shift: the shift to the right that divides by the form's divisor if the divisor
 * is a power of two, else -1. Most leaves are a number, or the sum of a bound and a number. */
enum bw_leaf_kind { BW_LEAF_NUMBER, BW_LEAF_SUM, BW_LEAF_FORM };
struct bw_leaf {
	enum bw_leaf_kind kind;
	int end; /* index of the bound in the list of the bounds of all intervals */
	struct bw_affine form;
	int shift;
};

/* A step pushes a leaf, or applies an operator to the top values of the stack. A leaf may replace the
 * operator's left or right operand. */
enum bw_step_mode { BW_STEP_LOAD, BW_STEP_APPLY, BW_STEP_APPLY_LEFT, BW_STEP_APPLY_RIGHT };
struct bw_step {
	enum bw_step_mode mode;
	enum bw_operator op;
	struct bw_leaf leaf;
};

struct bw_expr {
	bool unbounded;
	bool affine; /* the whole expression is one leaf, steps[0].leaf */
	int n, n_steps;
	const struct bw_instruction *program; /* as read */
	const struct bw_step *steps;          /* the program that is run */
};

/* Applies an operator. Returns false if the result overflows. */
bool bw_operator_apply(enum bw_operator op, const int64_t *operands, int64_t *result);
