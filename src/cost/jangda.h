/* The cost of a group of fused stages in warp overlapped tiles (Jangda and Guha 2020): section 4,
 * Algorithm 2 and table 3, with the paper's names. This file only computes sums from counts; the caller
 * finds what a group loads and computes.
 *
 * Where the paper is silent, or contradicts itself:
 * - Line 17 counts the transactions of a whole tile. A tile of one point would then always cost least,
 *   which contradicts section 7.2.1 (larger tiles load less). Here all counts of a tile are divided by its
 *   points per thread.
 * - Line 11 subtracts what line 10 has already subtracted. Here the tile is split once, and a thread takes
 *   whole registers, since the overlap stays in shared memory.
 * - totalTB of line 34 is assumed to be line 6's tbPerSM, which is used nowhere else. Divisions of blocks
 *   are integer divisions.
 * - Line 33 counts the overlapping points of all stages per point of the group's tile: section 3's 0.8 %.
 * - Table 3 has weights for two devices. Those of the V100 are used from compute capability 7.0 on, those
 *   of the GTX 1080 Ti below. */
#pragma once

#include "cost/cost.h"

/* The terms of line 35: name in C, in words, key in JSON, meaning. */
#define BW_JANGDA_TABLE(X) \
	X(BW_JANGDA_TRANSACTIONS, "transactions", "transactions", "w1: transactions of a warp and point of its tile") \
	X(BW_JANGDA_OCCUPANCY, "occupancy", "occupancy", "w2: 1 - theoretical occupancy") \
	X(BW_JANGDA_WAITING, "waiting", "waiting", "w3: time of memory over time of computation") \
	X(BW_JANGDA_UNALLOCATED, "shared unused", "shared_unused", "w4: part of an SM's shared memory that is free") \
	X(BW_JANGDA_UNUSED, "registers unused", "registers_unused", "w5: part of an SM's registers that is free") \
	X(BW_JANGDA_OVERLAP, "overlap", "overlap", "w6: points computed again over points of a tile") \
	X(BW_JANGDA_IMBALANCE, "imbalance", "imbalance", "w7: blocks of an SM beyond whole rounds")

enum bw_jangda_term { BW_JANGDA_TABLE(BW_FIRST) BW_JANGDA_TERMS };
enum { BW_JANGDA_DIMS = 3 };

/* Returns w1 to w7 of table 3 for a device. */
const double *bw_jangda_weights(const struct bw_device *device);
/* Computes the warp sizes W for block sizes B (section 4). */
void bw_jangda_warp(const int64_t *block, int64_t warp_size, int64_t *warp);

/* A group with its sizes: the input of lines 10 to 35 of Algorithm 2. */
struct bw_jangda_group {
	double threads;      /* of a block: a multiple of the warp size */
	double blocks;       /* totalThreads / threads of a block, on all SMs */
	double buffers;      /* bytes of a block's scratchpads, registers and shared memory together (line 9) */
	double fraction;     /* fracRegTile */
	double registers;    /* REG_USAGE of all stages (line 20) */
	double transactions; /* totalGLMemTxs, per point of a thread's tile */
	double size;         /* GLMemTxSz, bytes */
	double compute;      /* computeTime, seconds per point of a thread's tile */
	double overlap;      /* fracOverlap */
};

struct bw_jangda_cost {
	double cost; /* INFINITY: a limit is exceeded; `refused` says which */
	double terms[BW_JANGDA_TERMS];
	double shared; /* ShMemPerTB, bytes */
	double registers; /* RegPerTh */
	double blocks_per_sm; /* maxTBPerSM */
	double occupancy;
	const char *refused;
};

/* Computes the cost of a group: lines 10 to 35. */
struct bw_jangda_cost bw_jangda_cost(const struct bw_jangda_group *group, const struct bw_device *device);
/* Returns the weighted last term of the cost (line 34), which bw_jangda_cost leaves out if group->blocks is
 * 0. */
double bw_jangda_imbalance(double blocks, const struct bw_jangda_cost *cost, const struct bw_device *device);
/* Returns the sum of the terms w1, w3 and w6, which depend on the tile's sizes alone: no block size or
 * fraction lowers them. */
double bw_jangda_bound(const struct bw_jangda_group *group, const struct bw_device *device);
/* Returns TIME_PER_ITER: the seconds that one thread takes for a point with these numbers of operations
 * and loads from shared memory. The authors measure it. Here each operation or load issues 4 cycles after
 * the previous one, and the last load takes 24 more cycles to arrive. */
double bw_jangda_time(double operations, double loads, const struct bw_device *device);
/* Returns REG_USAGE: the registers of a stage whose definition holds `values` values at once (its Strahler
 * number). The authors read it from nvcc. Here it is 8 + 2 * values, which gives the 24 registers of
 * section 3 for the blur. */
double bw_jangda_registers(int values);

/* The cost model `dp`: it treats any kernel as a group. */
extern const struct bw_cost_model bw_jangda_model;
