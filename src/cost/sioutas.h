/* The analytical model of Sioutas et al. 2020, "Schedule Synthesis for Halide Pipelines on GPUs": listing
 * 1 of section 4.2, with the names of its terms. The paper's scheduler and the cost model share this code:
 * the scheduler finds the needs of a tile from the algorithm alone, the model reads them from a nest.
 *
 * Where the paper is silent, the authors' published code (github.com/TUE-EE-ES/HalideAutoGPU) decides:
 * - A load from global memory costs 200 operations, a load from shared memory 1, as in its setup_env.sh.
 * - The benefit of consecutive loads ends at 64 bytes. Loads are consecutive along the innermost dimension
 *   of the region that a tile reads.
 * - A thread takes at most the registers that Halide's runtime compiles for; the paper's own example
 *   assumes 64. */
#pragma once
#include "cost/cost.h"

#define BW_SIOUTAS_GLOBAL_COST 200.0
#define BW_SIOUTAS_SHARED_COST 1.0
#define BW_SIOUTAS_OCCUPANCY_THRESHOLD 0.1

/* Rules of lines 28, 36 and 37, as bits. */
enum {
	BW_SIOUTAS_THREADS = 1, /* thread_count > MAX_THREADS_PER_BLOCK */
	BW_SIOUTAS_SHARED = 2,  /* footprint > MAX_SHARED_MEM_PER_BLOCK */
	BW_SIOUTAS_OCCUPANCY = 4,
	BW_SIOUTAS_SMS = 8,  /* active_SMs < SM_COUNT */
	BW_SIOUTAS_WARPS = 16 /* thread_count % WARP_SIZE */
};

/* The result of the paper's estimate_occupancy: how a kernel uses the device, given the threads and shared
 * memory of its blocks. */
struct bw_sioutas_use {
	int64_t registers; /* estimated, per thread */
	double occupancy;      /* warps resident over warps that an SM holds */
	double active_threads; /* resident on an SM */
	double active_sms;     /* that have a block */
};
struct bw_sioutas_use bw_sioutas_use(const struct bw_device *device, double thread_count, double footprint,
				     double tiles);

/* A kernel while it is analysed. Costs are sums over all its tiles. */
struct bw_sioutas {
	const struct bw_device *device;
	double tiles;     /* of the output: blocks */
	double footprint; /* bytes of shared memory of a block */
	int64_t thread_block[3];
	double thread_count; /* of the thread block */
	double occupancy, active_threads, active_sms;
	/* sum of the stages' operations, each divided by the stage's occupancy and active threads (line
	 * 30) */
	double arithmetic_cost;
	double memory_cost;     /* line 39 divides it */
};
void bw_sioutas_begin(struct bw_sioutas *kernel, const struct bw_device *device, double tiles,
		      double footprint);
/* Adds a stage. operations: sum over all tiles; threads: x first (lines 19 to 34). Returns the stage's use
 * of the device. */
struct bw_sioutas_use bw_sioutas_stage(struct bw_sioutas *kernel, double operations,
				       const int64_t threads[3]);
/* Returns the number by which the loads from global memory are divided. row: points that a tile reads in
 * the innermost dimension, 0 if unknown. */
double bw_sioutas_consecutive(const struct bw_func *producer, double row);
/* Returns the rules that the kernel breaks, as bits. */
int bw_sioutas_broken(const struct bw_sioutas *kernel);
/* Appends the first of the broken rules in words, with the numbers: `12 of 108 SMs active`. */
void bw_sioutas_say(const struct bw_sioutas *kernel, int broken, struct bw_text *out);
/* Returns the memory cost divided by occupancy and active threads (line 39). */
double bw_sioutas_memory(const struct bw_sioutas *kernel);

/* The cost model. */
extern const struct bw_cost_model bw_sioutas_model;
