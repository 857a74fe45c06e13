/* What comes out of running a compiled schedule. The worker and its client share this. */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* What compiled kernels take of the device: as the driver that compiled them tells it, or as ptxas does. */

/* The most kernels of a schedule of which it is kept. */
enum { BW_MOST_KERNELS = 128 };

/* One kernel; -1: not known. */
struct bw_kernel_use {
	char name[96];                 /* of the entry, as in the object */
	int registers;                 /* a thread, of 32 bits each */
	int local_bytes;               /* a thread: its stack, spilled registers among it, in local memory */
	int spill_stores, spill_loads; /* bytes a thread that are moved because registers did not suffice */
	int shared_bytes; /* a block, fixed in the kernel; Halide asks for shared memory at the launch instead
			   */
	int barriers;      /* of the hardware's named barriers */
	int block_threads; /* the most threads of a block that can be launched */
	int blocks_per_sm; /* resident at once, as launched: the driver's occupancy */
	int launches;      /* in a run */
	double ms;         /* of a run, all its launches together */
};
/* A kernel of which nothing is known but its name. */
#define BW_KERNEL_UNKNOWN \
	(struct bw_kernel_use) \
	{ \
		.registers = -1, .local_bytes = -1, .spill_stores = -1, .spill_loads = -1, \
		.shared_bytes = -1, .barriers = -1, .block_threads = -1, .blocks_per_sm = -1, .launches = -1, .ms = -1 \
	}

/* The kernels of an object, in the order of their launch where that is known, else of their text. */
struct bw_kernel_uses {
	int n;              /* 0: not known */
	int register_limit; /* registers a thread that they were compiled for; 0: none, or not known */
	struct bw_kernel_use list[BW_MOST_KERNELS];
};

/* How outputs are compared: floats by |a - b| <= absolute + relative * |b|, b the reference's, NaN equals
 * NaN; integers of up to 32 bits by |a - b| <= absolute where that is 1 or more, otherwise exactly. So many
 * points of all outputs may differ by more. by_type: floats of any type may differ by epsilon * (1 + 4 |b|)
 * at least, with the epsilon of their type. */
struct bw_bound_of_error {
	double absolute, relative;
	int64_t points;
	bool by_type;
};
/* The bound of a pipeline that states none: what a different order of the same operations can move floats by.
 */
#define BW_BOUND_DEFAULT ((struct bw_bound_of_error){.absolute = 1e-6, .relative = 1e-4, .by_type = true})

/* Verdict and its name. UNSTABLE: the output differs from the reference, and so does that of a second plain
 * CPU schedule: the program is at fault, not the schedule. A worker never says it. */
#define BW_VERDICT_TABLE(X) \
	X(BW_UNCHECKED, "unchecked") X(BW_RIGHT, "right") X(BW_RIGHT_WITHIN_BOUND, "right within bound") X(BW_OUTPUT_WRONG, "wrong") \
	X(BW_UNSTABLE, "unstable")
enum bw_verdict { BW_VERDICT_TABLE(BW_FIRST) };
const char *bw_verdict_name(enum bw_verdict verdict);
/* Returns true if the output differs by more than is allowed, whatever is at fault: there are no times. */
bool bw_verdict_differs(enum bw_verdict verdict);

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
	double steps; /* the same in steps of the output's type: of integers 1, or 1/64 of their largest value
			 where that is less; of floats 4 epsilons of the largest value. Over all outputs;
			 0: none, or not known */
	double integers;  /* largest share of an output of integers that is not equal, 0..1 */
	char region[160];  /* the smallest box around the mismatches of the output of the worst:
			      output[0..9, 4..4]; empty: none */
	char advice[320];  /* why the schedule may not be to blame for an output that differs, and what to do;
			      empty: it is, or nobody asked. Not the worker's */
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
/* Says of an output that differs whose fault it is, by how much and where it differs, and what to do, as an
 * error. Returns false. */
bool bw_difference_fail(const struct bw_measurement *measurement, struct bw_error *error);
/* Returns true if another schedule's output is wrong, and the measured one differs by about as much at most.
 */
bool bw_differs_as_much(const struct bw_measurement *measurement, const struct bw_measurement *other);
/* Writes `--bound ABS,REL` that allows what both differ by, where that is no more than the last two bits of
 * integers that are mostly equal, or the last four bits of floats. Returns false if it is more. */
bool bw_bound_propose(const struct bw_measurement *measurement, const struct bw_measurement *other,
		      const struct bw_bound_of_error *bound, char *text, size_t size);

/* What the emulated device is asked for, beside running kernels. */

struct bw_emulation {
	char check[24]; /* what is looked for: race, bounds, init with commas between; empty: accesses out of
			   bounds alone, which it always finds */
	bool counts; /* what a run does is counted */
	bool sampled; /* a sample of the blocks stands for each long launch; outputs are not compared */
};
