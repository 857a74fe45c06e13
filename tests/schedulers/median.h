/* The median of values, for the benchmarks of tuning. */
#pragma once
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* Sorts n values, at least 1, and returns the one in the middle; of an even number the higher one. */
static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, by_value);
	return values[n / 2];
}
