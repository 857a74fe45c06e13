/* Integer expressions over the bounds of a box: they give the region that a consumer requires as a
 * function of the region that the consumer computes.
 *
 * The inputs of an expression are intervals. Variable i stands for one loop of a consumer's stage, or for
 * one dimension of a Func, and has a minimum and a maximum (both inclusive). Values are int64. Division
 * and modulo are Halide's: Euclidean, with a remainder that is never negative; x / 0 and x % 0 are 0. A
 * value is unbounded if it overflows int64 or the description marks it with null. */
#pragma once

#include "base/json.h"

/* Operators: name in C, name in the description, number of operands. */
#define BW_OPERATOR_TABLE(X) \
	X(BW_OPERATOR_ADD, "+", 2) \
	X(BW_OPERATOR_SUB, "-", 2) \
	X(BW_OPERATOR_MUL, "*", 2) \
	X(BW_OPERATOR_DIV, "/", 2) \
	X(BW_OPERATOR_MOD, "%", 2) \
	X(BW_OPERATOR_MINIMUM, "min", 2) \
	X(BW_OPERATOR_MAXIMUM, "max", 2) \
	X(BW_OPERATOR_EQ, "==", 2) \
	X(BW_OPERATOR_NE, "!=", 2) \
	X(BW_OPERATOR_LT, "<", 2) \
	X(BW_OPERATOR_LE, "<=", 2) \
	X(BW_OPERATOR_AND, "&&", 2) \
	X(BW_OPERATOR_OR, "||", 2) \
	X(BW_OPERATOR_NOT, "!", 1) \
	X(BW_OPERATOR_SELECT, "select", 3) \
	X(BW_OPERATOR_ABS, "abs", 1) \
	X(BW_OPERATOR_SHIFT_LEFT, "<<", 2) \
	X(BW_OPERATOR_SHIFT_RIGHT, ">>", 2) \
	X(BW_OPERATOR_BIT_AND, "&", 2) \
	X(BW_OPERATOR_CAST_I8, "int8", 1) \
	X(BW_OPERATOR_CAST_I16, "int16", 1) \
	X(BW_OPERATOR_CAST_I32, "int32", 1) \
	X(BW_OPERATOR_CAST_U8, "uint8", 1) \
	X(BW_OPERATOR_CAST_U16, "uint16", 1) \
	X(BW_OPERATOR_CAST_U32, "uint32", 1)

struct bw_interval {
	int64_t min, max; /* both inclusive */
};

struct bw_expr;

struct bw_bound {
	const struct bw_expr *min, *max; /* inclusive */
};

/* The names that an expression may use when it is read. Variable i has the name names[i]. Parameters have
 * names and estimates; the name of a parameter without an integer estimate is NULL. */
struct bw_scope {
	const char *const *names;
	int n_names;
	const char *const *params;
	const int64_t *param_values;
	int n_params;
};

/* Reads an expression of a description into the arena: an integer, {"min": "x"}, {"max": "x"},
 * {"param": "radius"}, {"estimate": 7}, ["+", a, b] and other operators, or null, which makes the whole
 * expression unbounded. Returns NULL with an error that names line and key if it is not an expression, or is
 * nested deeper than 200. */
const struct bw_expr *bw_expr_read(const struct bw_json_at *at, const struct bw_scope *scope,
				   struct bw_arena *arena, struct bw_error *error);
/* Returns the expression of one bound of a variable: its max if of_max is true, else its min. */
const struct bw_expr *bw_expr_variable(struct bw_arena *arena, int variable, bool of_max);
/* Returns true if the expression is this bound of the variable, and nothing else. */
bool bw_expr_is_variable(const struct bw_expr *expr, int variable, bool of_max);
/* Evaluates an expression for the intervals of the scope's names. Returns false if it is unbounded or
 * overflows int64. */
bool bw_expr_eval(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t *value);
/* Evaluates both ends of a bound. Returns, as bits, the ends that have a value: BW_BOUND_MIN,
 * BW_BOUND_MAX. */
enum { BW_BOUND_MIN = 1, BW_BOUND_MAX = 2, BW_BOUND_BOTH = 3 };
int bw_bound_eval(const struct bw_bound *bound, const struct bw_interval *intervals,
		  struct bw_interval *ends);
/* Returns true if the expression is null: unbounded for all intervals. */
bool bw_expr_unbounded(const struct bw_expr *expr);
/* The form (multiplier * bound + offset) / divisor, rounded down, where `bound` is one bound of one
 * variable, or is absent. bw_expr_affine returns true if the expression has this form. */
struct bw_affine {
	int variable; /* -1: no variable; the form is the constant `offset` */
	bool of_max;
	int64_t multiplier, divisor, offset;
};
bool bw_expr_affine(const struct bw_expr *expr, struct bw_affine *affine);
/* Returns true if the expression contains only numbers: no interval and no parameter. (Halide does not
 * know the value of a parameter when it compiles.) */
bool bw_expr_constant(const struct bw_expr *expr);
/* Returns the variables of the expression, as bits. */
uint32_t bw_expr_variables(const struct bw_expr *expr);
/* Computes by how much the value changes, modulo 2^64, if both bounds of each variable i change by
 * over[i]. Returns false if the result depends on the bounds, or if the expression is unbounded. */
bool bw_expr_shift(const struct bw_expr *expr, const uint64_t *over, uint64_t *shift);
/* Returns true if the expression contains a parameter. */
bool bw_expr_parametric(const struct bw_expr *expr);
/* Returns true if both ends of a bound contain no parameter, and no variables but those in `known` (bits). */
bool bw_bound_constant(const struct bw_bound *bound, uint32_t known);
/* Returns true if the expression contains only sums, products, quotients, minima and maxima. Halide finds
 * bounds of these whatever their operands are. */
bool bw_expr_plain(const struct bw_expr *expr);
/* Returns true if the expression contains a quotient, a remainder or a shift to the right. */
bool bw_expr_divides(const struct bw_expr *expr);
