/* Integer expressions over the bounds of a box: how the region that a consumer needs follows from the region it computes.
 *
 * An expression reads *intervals*: variable i stands for one loop of a consumer's stage, or one dimension of a Func, and has a
 * minimum and a maximum (both inclusive). Values are int64; division and modulo are Halide's (Euclidean: the remainder is never
 * negative; x / 0 = 0 and x % 0 = 0). What overflows int64, and what the description marks with null, is unbounded. */
#ifndef BW_PIPELINE_EXPR_H
#define BW_PIPELINE_EXPR_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

/* Operators: name in C, name in the description, number of operands. */
#define BW_OPERATOR_TABLE(X) \
	X(ADD, "+", 2) \
	X(SUB, "-", 2) \
	X(MUL, "*", 2) \
	X(DIV, "/", 2) \
	X(MOD, "%", 2) \
	X(MINIMUM, "min", 2) \
	X(MAXIMUM, "max", 2) \
	X(EQ, "==", 2) \
	X(NE, "!=", 2) \
	X(LT, "<", 2) \
	X(LE, "<=", 2) \
	X(AND, "&&", 2) \
	X(OR, "||", 2) \
	X(NOT, "!", 1) \
	X(SELECT, "select", 3) \
	X(ABS, "abs", 1) \
	X(SHIFT_LEFT, "<<", 2) \
	X(SHIFT_RIGHT, ">>", 2) \
	X(BIT_AND, "&", 2) \
	X(CAST_I8, "int8", 1) \
	X(CAST_I16, "int16", 1) \
	X(CAST_I32, "int32", 1) \
	X(CAST_U8, "uint8", 1) \
	X(CAST_U16, "uint16", 1) \
	X(CAST_U32, "uint32", 1)

struct bw_interval {
	int64_t min, max; /* both inclusive */
};

struct bw_expr;

struct bw_bound {
	const struct bw_expr *min, *max; /* inclusive */
};

/* What names mean while an expression is read: variable i is names[i]; parameters by name with their estimates, NULL in the place of
 * one that has no integer to stand for it. */
struct bw_scope {
	const char *const *names;
	int n_names;
	const char *const *params;
	const int64_t *param_values;
	int n_params;
};

/* Reads an expression of a description into the arena:
 *   7   {"min":"x"}   {"max":"x"}   {"param":"radius"}   ["+", a, b] ...   null (unbounded).
 * NULL with an error that names line and key where it is none. Nesting deeper than 200 is refused. With null anywhere in it the
 * whole is unbounded. */
const struct bw_expr *bw_expr_read(const struct bw_json_at *at, const struct bw_scope *scope, struct bw_arena *arena, struct bw_error *error);
/* A bound of one variable as it is: variable.min or variable.max. */
const struct bw_expr *bw_expr_variable(struct bw_arena *arena, int variable, bool of_max);
/* Whether it is equal to that. */
bool bw_expr_is_variable(const struct bw_expr *expr, int variable, bool of_max);
/* The value for the intervals of the scope's names. False where it is unbounded or overflows int64. */
bool bw_expr_eval(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t *value);
/* The values of both ends, as bits of those that have one: 1 the minimum, 2 the maximum. */
enum { BW_BOUND_MIN = 1, BW_BOUND_MAX = 2, BW_BOUND_BOTH = 3 };
int bw_bound_eval(const struct bw_bound *bound, const struct bw_interval *intervals, struct bw_interval *ends);
/* Whether it is null, so unbounded whatever the intervals are. */
bool bw_expr_unbounded(const struct bw_expr *expr);
/* If it equals (multiplier * bound + offset) / divisor, rounded down, with one bound of one variable or none (variable -1). */
struct bw_affine {
	int variable; /* -1: a constant, offset */
	bool of_max;
	int64_t multiplier, divisor, offset;
};
bool bw_expr_affine(const struct bw_expr *expr, struct bw_affine *affine);
/* Whether it is made of numbers alone: no interval and no parameter, which has a value here and none when Halide compiles. */
bool bw_expr_constant(const struct bw_expr *expr);
/* The variables that are part of it, as bits. */
uint32_t bw_expr_variables(const struct bw_expr *expr);
/* How far it moves, modulo 2^64, where both bounds of each variable move as far as `over` says. False where that is not as far wherever they stand, and where it
 * is unbounded. */
bool bw_expr_shift(const struct bw_expr *expr, const uint64_t *over, uint64_t *shift);
/* Whether a parameter is part of it. */
bool bw_expr_parametric(const struct bw_expr *expr);
/* Whether it is made of sums, products, quotients, minima and maxima alone: Halide bounds these over whatever they are made of. */
bool bw_expr_plain(const struct bw_expr *expr);
/* Prints it for people, infix: `(x.min - 1)/2`. */
void bw_expr_print(const struct bw_expr *expr, const struct bw_scope *scope, struct bw_text *out);
#endif
