/* The cost of a group of fused stages in warp overlapped tiles (Jangda and Guha 2020): section 4, Algorithm 2
 * and table 3, with the paper's names. Sums and counts alone: what a group loads and computes is found by who
 * calls it.
 *
 * Where the paper is silent, or contradicts itself:
 * - Line 17 counts the transactions of a whole tile, so that a tile of one point would always cost least,
 *   against section 7.2.1 (larger tiles load less). Here all that is counted for a tile is divided by its
 *   points per thread.
 * - Line 11 takes what line 10 has already taken away. Here the tile is split once, and a thread
 *   takes whole registers, since the overlap stays in shared memory.
 * - totalTB of line 34 is line 6's tbPerSM, which nothing else reads. Divisions of blocks are whole.
 * - Line 33 counts overlapping points of all stages for each point of the group's tile: section 3's 0.8 %.
 * - Table 3 has two devices: the V100's weights from compute capability 7.0 on, the GTX 1080 Ti's below. */
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

/* Table 3: w1 to w7 for a device. */
const double *bw_jangda_weights(const struct bw_device *device);
/* Section 4: the warp sizes W of blocks of these sizes B. */
void bw_jangda_warp(const int64_t *block, int64_t warp_size, int64_t *warp);

/* A group with its sizes, as Algorithm 2 comes to see it. */
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
	double cost; /* INFINITY: a limit is exceeded, as `refused` says */
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
/* TIME_PER_ITER: seconds that one thread takes for a point of this many operations and loads from shared
 * memory. The authors measure it. Here an operation or load takes 4 cycles to issue after the one before, and
 * the last load 24 more to arrive. */
double bw_jangda_time(double operations, double loads, const struct bw_device *device);
/* REG_USAGE: registers of a stage whose definition holds `values` at once (its Strahler number). The authors
 * read it from nvcc. Here it is 8 + 2 * values, which gives the 24 registers of section 3 for the blur. */
double bw_jangda_registers(int values);

/* The cost model dp: any kernel as a group. */
extern const struct bw_cost_model bw_jangda_model;
