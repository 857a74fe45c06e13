/* Arithmetic with the same conventions in every room. */
#pragma once
#include <stdint.h>
#include <stdlib.h>

/* Returns a / b, rounded up; a >= 0, b > 0. */
static inline int64_t bw_div_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}
static inline int64_t bw_round_up(int64_t a, int64_t b)
{
	return bw_div_up(a, b) * b;
}
static inline int64_t bw_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
static inline int64_t bw_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
/* Returns the greatest common divisor, never negative; 0 for 0 and 0. Neither argument is INT64_MIN. */
static inline int64_t bw_gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}
/* Returns the scalar product of two vectors of n numbers. */
static inline double bw_dot(const double *a, const double *b, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}
/* Evaluates to -1, 0 or 1 if a is less than, equal to or greater than b. */
#define BW_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))
/* Defines a comparison function for qsort on elements of a type. The last argument is an expression of two
 * pointers, a and b, that is negative if *a comes before *b. For example, 2 * BW_COMPARE(a->x, b->x) +
 * BW_COMPARE(a->y, b->y) orders by x, then by y. */
#define BW_ORDER(name, type, ...) \
	static int name(const void *left, const void *right) \
	{ \
		type const *a = left; \
		type const *b = right; \
		return __VA_ARGS__; \
	}
static inline int bw_compare_doubles(const void *a, const void *b)
{
	return BW_COMPARE(*(const double *)a, *(const double *)b);
}
/* Sorts n values, ascending. */
static inline void bw_sort_doubles(double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, bw_compare_doubles);
}
