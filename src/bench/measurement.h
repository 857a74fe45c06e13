/* What comes out of running a compiled schedule. The worker and its client share this. */
#ifndef BW_BENCH_MEASUREMENT_H
#define BW_BENCH_MEASUREMENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/kernel_use.h"

/* How outputs are compared: floats by |a - b| <= absolute + relative * |b|, b the reference's, NaN equals
 * NaN; integers of up to 32 bits by |a - b| <= absolute where that is 1 or more, otherwise exactly. So many
 * points of all outputs may differ by more. */
struct bw_bound_of_error {
	double absolute, relative;
	int64_t points;
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

/* What the driver of the emulated device begins with, before the version of CUDA. */
#define BW_EMULATED_DRIVER "emulated by beamwalk"

struct bw_measurement {
	enum bw_verdict verdict;
	double worst; /* largest |a - b| / (absolute + relative * |b|) over all outputs; above 1 is wrong,
			 DBL_MAX where no bound allows it */
	char where[160]; /* of the worst: output and coordinates */
	int64_t mismatches; /* points that differ by more than is allowed of one */
	int64_t differing, points; /* that are not equal; of all outputs. 0: not known */
	double largest; /* |a - b| of all points; 0: none, or not known; DBL_MAX where one of them is no number */
	char region[160];  /* the smallest box around the mismatches of the output of the worst:
			      output[0..9, 4..4]; empty: none */
	char advice[160];  /* what to do about a wrong output that the schedule by hand has as well, or that
			      only rounding makes wrong; empty: neither, or not asked. Not the worker's */
	char demand[160];  /* the input of which it asks for more than its estimates and the reference do;
			      empty: none */
	double skipped;    /* share of the outputs that the emulated device did not compute, since it ran a sample
			      of a launch's blocks; 0..1. It counts as equal */
	/* ms a run; spread: half the distance between the quartiles over the median. NAN if the
	 * output is wrong */
	double minimum, median, spread;
	int runs, warm_ups;
	char device[128]; /* as the runtime calls it */
	bool cpu;
	char driver[96]; /* name and version; empty: not known */
	double clock;    /* Hz of an SM at the end of the timed runs; 0: not known */
	char halide[16]; /* version that compiled it, 14.0.0; empty: not known */
	struct bw_kernel_uses kernels;
	char method[160]; /* in words: clock, what is timed, how many runs */
	int attempts;     /* workers that it took: 2 where the first one ended while it ran this schedule */
};

/* Returns what the name of a device that is no GPU is followed by, as bw_device_mark(). */
const char *bw_measurement_mark(const struct bw_measurement *measurement);
/* Writes by how much and where outputs differ: `243 points differ, worst at output(8,0,2) is 255, not 254; of
 * 12288, by at most 1, in output[8..9, 0..63]`. */
void bw_difference_words(const struct bw_measurement *measurement, char *text, size_t size);
/* Writes what to do if the schedule by hand differs about as much: the bound of error that allows both;
 * nothing if it does not. */
void bw_bound_advise(const struct bw_measurement *measurement, const struct bw_measurement *hand,
		     const struct bw_bound_of_error *bound, char *text, size_t size);
#endif
