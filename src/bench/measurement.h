/* Results of running a compiled schedule. The worker and its client share this file. */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* Resource use of compiled kernels, as reported by the driver that compiled them or by ptxas. */

/* The most kernels of a schedule that are kept. */
enum { BW_MOST_KERNELS = 128 };

/* Resource use of one kernel; -1: not known. */
struct bw_kernel_use {
	char name[96];                 /* the kernel's entry, as in the object */
	int registers;                 /* per thread, of 32 bits each */
	int local_bytes;               /* per thread: stack in local memory, including spilled registers */
	int spill_stores, spill_loads; /* bytes per thread, stored and loaded because of register spills */
	int shared_bytes; /* per block, static; Halide's shared memory is dynamic, requested at the launch,
			     and not in here */
	int barriers;      /* number of the hardware's named barriers */
	int block_threads; /* the most threads per block with which the kernel can be launched */
	int blocks_per_sm; /* blocks resident at once, for the actual launch: the driver's occupancy */
	int launches;      /* number of launches per run */
	double ms;         /* per run, sum of all launches */
};
/* A kernel of which only the name is known. */
#define BW_KERNEL_UNKNOWN \
	(struct bw_kernel_use) \
	{ \
		.registers = -1, .local_bytes = -1, .spill_stores = -1, .spill_loads = -1, \
		.shared_bytes = -1, .barriers = -1, .block_threads = -1, .blocks_per_sm = -1, .launches = -1, .ms = -1 \
	}

/* The kernels of an object, in the order of their launches if known, else in the order of their text. */
struct bw_kernel_uses {
	int n;              /* 0: not known */
	int register_limit; /* registers per thread to which the compiler was limited; 0: no limit, or not
			       known */
	struct bw_kernel_use list[BW_MOST_KERNELS];
};

/* How an output value a is compared with the reference's value b. Floats: |a - b| <= absolute + relative *
 * |b|; NaN equals NaN. Integers of up to 32 bits: |a - b| <= absolute if absolute is 1 or more; otherwise,
 * and for wider integers, exactly. points: number of points of all outputs that may violate this. by_type:
 * floats may always differ by epsilon * (1 + 4 |b|), with the epsilon of their type. */
struct bw_bound_of_error {
	double absolute, relative;
	int64_t points;
	bool by_type;
};
/* The bound for a pipeline that gives none. It allows what reordering of float operations can change. */
#define BW_BOUND_DEFAULT ((struct bw_bound_of_error){.absolute = 1e-6, .relative = 1e-4, .by_type = true})

/* Verdict and its name. UNSTABLE: the output differs from the reference, and the output of a second plain CPU
 * schedule differs as well. Then the program is the cause, not the schedule. A worker never returns
 * UNSTABLE. */
#define BW_VERDICT_TABLE(X) \
	X(BW_UNCHECKED, "unchecked") X(BW_RIGHT, "right") X(BW_RIGHT_WITHIN_BOUND, "right within bound") X(BW_OUTPUT_WRONG, "wrong") \
	X(BW_UNSTABLE, "unstable")
enum bw_verdict { BW_VERDICT_TABLE(BW_FIRST) };
const char *bw_verdict_name(enum bw_verdict verdict);
/* Returns true if the output differs by more than the bound allows (WRONG or UNSTABLE). Such a measurement
 * has no times. */
bool bw_verdict_differs(enum bw_verdict verdict);

/* The beginning of the emulated driver's name; the CUDA version follows. */
#define BW_EMULATED_DRIVER "emulated by beamwalk"

struct bw_measurement {
	enum bw_verdict verdict;
	double worst; /* largest |a - b| / (absolute + relative * |b|) over all outputs; above 1 is wrong;
			 DBL_MAX: no bound would allow the difference */
	char where[160]; /* output and coordinates of the worst point */
	int64_t mismatches; /* points that differ by more than one point may */
	int64_t differing, points; /* points that are not equal; points of all outputs; 0: not known */
	double largest; /* largest |a - b| of all points; 0: all equal, or not known; DBL_MAX: one of the
			   values is no number */
	double steps; /* largest |a - b| in steps of the output's type, over all outputs; 0: all equal, or not
			 known. A step of integers is 1, or 1/64 of the largest value if that is less; a
			 step of floats is 4 epsilons of the largest value */
	double integers;  /* largest share of unequal points in an integer output, 0..1 */
	char region[160];  /* the smallest box around the mismatches of the output with the worst point:
			      output[0..9, 4..4]; empty: none */
	char advice[320];  /* why the schedule may not be the cause of a difference, and what to do; empty: it
			      is the cause, or this was not analysed. The client sets it, not the worker */
	char demand[160];  /* the input of which the schedule reads more than the estimates and the reference;
			      empty: none */
	double skipped;    /* share of the outputs that the emulated device did not compute because it ran
			      only a sample of a launch's blocks, 0..1. This share counts as equal */
	/* ms per run; spread: half the distance between the quartiles over the median. NAN if the output is
	 * wrong */
	double minimum, median, spread;
	int runs, warm_ups;
	char device[128]; /* the device's name in its runtime */
	bool cpu;
	char driver[96]; /* name and version; empty: not known */
	double clock;    /* clock of an SM at the end of the timed runs, in Hz; 0: not known */
	char halide[16]; /* version of Halide that compiled it, as 14.0.0; empty: not known */
	struct bw_kernel_uses kernels;
	char method[160]; /* how the runs were timed, in words: clock, timed section, number of runs */
	int attempts;     /* number of workers used: 2 if the first one ended while it ran this schedule */
};

/* Returns the suffix for the name of a device that is not a GPU, like bw_device_mark(). */
const char *bw_measurement_mark(const struct bw_measurement *measurement);
/* Writes how much and where outputs differ: `243 points differ, worst at output(8,0,2) is 255, not 254; of
 * 12288, by at most 1, in output[8..9, 0..63]`. */
void bw_difference_words(const struct bw_measurement *measurement, char *text, size_t size);
/* Sets an error for an output that differs: the cause, how much and where it differs, and what to do. Returns
 * false. */
bool bw_difference_fail(const struct bw_measurement *measurement, struct bw_error *error);
/* Returns true if the output of `other` is wrong and the measured output differs by at most about as much. */
bool bw_differs_as_much(const struct bw_measurement *measurement, const struct bw_measurement *other);
/* Writes an option `--bound ABS,REL` that allows the differences of both. Returns false if they exceed the
 * last two bits of integers that are mostly equal, or the last four bits of floats. */
bool bw_bound_propose(const struct bw_measurement *measurement, const struct bw_measurement *other,
		      const struct bw_bound_of_error *bound, char *text, size_t size);

/* What the emulated device does in addition to running kernels. */

struct bw_emulation {
	char check[24]; /* checks to make, separated by commas: race, bounds, init; empty: bounds, which is
			   always checked */
	bool counts; /* count the operations of a run */
	bool sampled; /* run only a sample of the blocks of each long launch; outputs are not compared */
};
