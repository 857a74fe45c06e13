/* What times of many runs come to. */
#include <stdlib.h>

#include "base/arith.h"
#include "bench/worker.h"

/* The value below which the part p of the sorted times lies, between two of them in proportion. */
static double quantile(const double *sorted, int n, double p)
{
	double at = p * (n - 1);
	int below = (int)at;
	return below + 1 < n ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

struct bw_timing bw_timing_of(double *ms, int n)
{
	bw_sort_doubles(ms, n);
	struct bw_timing timing = {.runs = n, .minimum = ms[0], .median = quantile(ms, n, 0.5)};
	timing.spread =
	    timing.median > 0 ? 0.5 * (quantile(ms, n, 0.75) - quantile(ms, n, 0.25)) / timing.median : 0;
	return timing;
}
