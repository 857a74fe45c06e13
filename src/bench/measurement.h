/* What comes out of running a compiled schedule. The worker and its client share this. */
#ifndef BW_BENCH_MEASUREMENT_H
#define BW_BENCH_MEASUREMENT_H
#include <stdbool.h>
#include <stdint.h>

#include "bench/kernel_use.h"

/* How outputs are compared: floats by |a - b| <= absolute + relative * |b|, b the reference's, NaN equals NaN; integers of up to 32 bits by
 * |a - b| <= absolute where that is 1 or more, otherwise exactly. */
struct bw_bound_of_error {
	double absolute, relative;
};

/* Verdict and its name. */
#define BW_VERDICT_TABLE(X) \
	X(UNCHECKED, "unchecked") X(RIGHT, "right") X(RIGHT_WITHIN_BOUND, "right within bound") X(OUTPUT_WRONG, "wrong")
enum bw_verdict {
#define X(name, text) BW_##name,
	BW_VERDICT_TABLE(X)
#undef X
};
const char *bw_verdict_name(enum bw_verdict verdict);

struct bw_measurement {
	enum bw_verdict verdict;
	double worst;      /* largest |a - b| / (absolute + relative * |b|) over all outputs; above 1 is wrong, DBL_MAX where no bound allows it */
	char where[160];   /* of the worst: output and coordinates */
	int64_t mismatches;
	char demand[160];  /* the input of which it asks for more than its estimates and the reference do; empty: none */
	double minimum, median, spread; /* ms a run; spread: half the distance between the quartiles over the median. NAN where
	                                 * the output is wrong */
	int runs, warm_ups;
	char device[128];  /* as the runtime calls it */
	bool cpu;
	char driver[96];   /* name and version; empty: not known */
	double clock;      /* Hz of an SM at the end of the timed runs; 0: not known */
	char halide[16];   /* version that compiled it, 14.0.0; empty: not known */
	struct bw_kernel_uses kernels;
	char method[160];  /* in words: clock, what is timed, how many runs */
	int attempts;      /* workers that it took: 2 where the first one ended while it ran this schedule */
};
#endif
