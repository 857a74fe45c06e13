/* The time of a kernel, computed from what the emulated device counted while the kernel ran. This is the
 * only model that sees what the compiler made of a schedule. It needs a run, so no search uses it. */
#pragma once
#include "gpu/counter.h"
#include "gpu/device.h"

/* Parts: name in C, key in JSON, in words, meaning. */
#define BW_COUNTED_PART_TABLE(X) \
	X(BW_COUNTED_PART_ISSUE, "issue_ms", "issue", "instructions of warps at the rate at which SMs issue them") \
	X(BW_COUNTED_PART_L1, "l1_ms", "L1", "sectors and wavefronts at the rate of L1 and shared memory") \
	X(BW_COUNTED_PART_L2, "l2_ms", "L2", "sectors that L1 does not have, and those stored") \
	X(BW_COUNTED_PART_DRAM, "dram_ms", "DRAM", "sectors read from and written to memory, each once, at 0.85 of its bandwidth") \
	X(BW_COUNTED_PART_LATENCY, "latency_ms", "latency", "what a block waits for its own instructions, all waves of blocks that fit") \
	X(BW_COUNTED_PART_LAUNCH, "launch_ms", "launch", "launching the kernel")
enum bw_counted_part_kind { BW_COUNTED_PART_TABLE(BW_FIRST) BW_N_COUNTED_PARTS };

/* Counts of a kernel, and the launches that they are from, which all have the same size. */
struct bw_counted_launches {
	const struct bw_counts *counts; /* of all launches */
	int64_t launches;
	double blocks;                 /* of a launch */
	int64_t threads, shared_bytes; /* of a block */
	int registers;                 /* per thread; 0: not known */
};

struct bw_counted_cost {
	/* of all launches: the square root of the sum of the squares of the other parts, plus the launch
	 * part */
	double ms;
	double parts[BW_N_COUNTED_PARTS]; /* ms of all launches, each as if it were the only one */
};

/* Estimates the time of all launches of a kernel on a device. */
struct bw_counted_cost bw_counted_estimate(const struct bw_counted_launches *of,
					   const struct bw_device *device);
