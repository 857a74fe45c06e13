/* The analytical model of Sioutas et al. 2020, "Schedule Synthesis for Halide Pipelines on GPUs": listing 1 of
 * section 4.2, with the names of its terms. The scheduler of the paper and the cost model share it: the one
 * finds what a tile needs from the algorithm alone, the other reads it from a nest.
 *
 * Where the paper is silent, the authors' published code (github.com/TUE-EE-ES/HalideAutoGPU) decides:
 * - A load from global memory costs 200 operations, one from shared memory 1, as in its setup_env.sh.
 * - The benefit of consecutive loads ends at 64 bytes, and consecutive are those along the innermost
 *   dimension of what a tile reads.
 * - No thread takes more registers than Halide's runtime compiles for; the paper's own example assumes 64. */
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

/* The share of the device that a block gets, by its threads and shared memory: estimate_occupancy. */
struct bw_sioutas_use {
	int64_t registers; /* estimated, of a thread */
	double occupancy;      /* warps resident over warps that an SM holds */
	double active_threads; /* resident on an SM */
	double active_sms;     /* that have a block */
};
struct bw_sioutas_use bw_sioutas_use(const struct bw_device *device, double thread_count, double footprint,
				     double tiles);

/* A kernel while it is analysed. Costs are of all its tiles. */
struct bw_sioutas {
	const struct bw_device *device;
	double tiles;     /* of the output: blocks */
	double footprint; /* bytes of shared memory of a block */
	int64_t thread_block[3];
	double thread_count; /* of the thread block */
	double occupancy, active_threads, active_sms;
	double arithmetic_cost; /* over the occupancy and active threads of each stage (line 30) */
	double memory_cost;     /* line 39 divides it */
};
void bw_sioutas_begin(struct bw_sioutas *kernel, const struct bw_device *device, double tiles,
		      double footprint);
/* Adds a stage, with its operations in all tiles and its threads, x first (lines 19 to 34). Returns its
 * share of the device. */
struct bw_sioutas_use bw_sioutas_stage(struct bw_sioutas *kernel, double operations,
				       const int64_t threads[3]);
/* Returns by what loads from global memory are divided; row: points of what a tile reads in the innermost
 * dimension, 0 if unknown. */
double bw_sioutas_consecutive(const struct bw_func *producer, double row);
/* Returns the rules that it breaks. */
int bw_sioutas_broken(const struct bw_sioutas *kernel);
/* Appends the first rule of these in words, with the figures: `12 of 108 SMs active`. */
void bw_sioutas_say(const struct bw_sioutas *kernel, int broken, struct bw_text *out);
/* Returns the memory cost over occupancy and active threads, as line 39 has it. */
double bw_sioutas_memory(const struct bw_sioutas *kernel);

/* The cost model. */
extern const struct bw_cost_model bw_sioutas_model;
