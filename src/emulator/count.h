/* Counters of a launch. */
#pragma once
#include <stdio.h>

#include "emulator/memory.h"
#include "emulator/ptx.h"
#include "gpu/counter.h"

/* The cache L1, as far as loads of global memory go. */

/* Bytes per line, and per sector, the unit in which lines are filled. */
enum { BW_L1_LINE = 128, BW_L1_SECTOR = 32 };

/* A line. It is in the list of all lines, in order of last use, and in the list of its hash bucket.
 * Both lists link lines by index in bw_l1.lines; 0 is none. */
struct bw_l1_line {
	uint64_t number;            /* sector over the sectors of a line */
	uint32_t newer, older, next;
	uint32_t sectors; /* that it holds, a bit each */
};

/* A cache of lines in sectors. Any line can be in any place; the line that was used the longest ago goes
 * first. NVIDIA's caches since Volta have few sets of many ways (Jia et al. 2018, "Dissecting the NVIDIA
 * Volta GPU architecture via microbenchmarking", table 3.1: four sets), which comes near to that. */
struct bw_l1 {
	struct bw_l1_line *lines; /* n_lines, from 1 on; of lines[0] `older` is the newest, `newer` the oldest */
	uint32_t *first;          /* line of each hash */
	uint32_t n_lines, n_used, mask;
};

/* Makes an empty cache of `bytes` bytes, but at least one line. Returns false if no memory is left.
 * bw_l1_free() in any case. */
bool bw_l1_make(struct bw_l1 *l1, unsigned bytes);
void bw_l1_free(struct bw_l1 *l1);
/* Empties the cache. */
void bw_l1_clear(struct bw_l1 *l1);

struct bw_ptx_launch;
/* Returns the bytes of L1 that a block of the launch has. */
unsigned bw_l1_bytes(const struct bw_ptx_launch *launch);

/* Sets the counters of the module's instructions, and the cycles of those that access no memory. */
void bw_counters_find(struct bw_ptx *module);
/* Counts an instruction, for its part of the kernel in `counts`, for the lanes of `mask`; `lanes`: all
 * lanes of its path, predicated off or not. */
void bw_count(struct bw_counts *counts, const struct bw_ptx_instruction *instruction, uint32_t lanes,
	      uint32_t mask);
/* Counts an access of `bytes` bytes per lane, likewise. */
void bw_count_access(struct bw_counts *counts, const struct bw_ptx_instruction *instruction,
		     const struct bw_warp *warp, uint32_t mask, unsigned bytes, bool stores,
		     unsigned char *const places[BW_LANES]);
/* Adds other blocks' counters, for each of n parts. */
void bw_counts_add(struct bw_counts *counts, const struct bw_counts *others, int n);
/* Begin and end the notes of which sectors a launch touches, in all allocations; the end adds `scale` times
 * their bytes to *counts, of each allocation at most its size. begin: returns false if no memory is left. */
bool bw_touched_begin(struct bw_memory *memory);
void bw_touched_end(struct bw_memory *memory, struct bw_counts *counts, double scale);
/* Writes a line of JSON: kernel, grid, block, shared_bytes, sampled_blocks if not all blocks ran,
 * values that blocks rounded differently, all metrics, and in "parts" the nonzero metrics of each
 * part. */
void bw_counts_write(const struct bw_ptx_launch *launch, FILE *file);

/* The time of a block if only its own instructions delay it. */

/* Cycles until a loaded value can be used, by microbenchmarks of an A100 (Luo et al. 2024,
 * "Benchmarking and dissecting the Nvidia Hopper GPU architecture via microbenchmarking and multiple
 * level analysis"); an RTX 4090 and an H100 take up to a sixth more. Beyond L1: the mean of L2 and
 * DRAM, since it depends on other blocks which of them holds the data. */
enum { BW_LATENCY_SHARED = 29, BW_LATENCY_L1 = 38, BW_LATENCY_BEYOND_L1 = 364 };

/* A warp's progress in time, in cycles. The assembler orders the instructions between two branches to
 * minimize stalls, and the hardware keeps that order. Model: each instruction starts as soon as its
 * operands are ready, and none after a branch before all earlier ones have started. */
struct bw_pace {
	uint64_t *ready; /* at a quarter of each register's place when its value can be used; NULL: not followed */
	uint64_t begun;  /* when the instructions since the last branch may start */
	uint64_t last;   /* when the last instruction before that branch started */
	uint64_t issued; /* since the last branch, one a cycle */
};

struct bw_block;
/* Sets a warp to the beginning of its block. */
void bw_latency_begin(struct bw_warp *warp);
/* Accounts for an instruction that has just run; if it loads, the block's `loaded` holds the cycles of
 * the load. */
void bw_latency_add(const struct bw_ptx_instruction *instruction, struct bw_warp *warp);
/* Lets all warps wait for the last one. Returns the time of the last one. */
uint64_t bw_latency_meet(struct bw_block *block);
/* Ends the block, and returns the cycles that it took. The next block starts after all its loads have
 * arrived, so that it never waits for them. */
uint64_t bw_latency_end(struct bw_block *block);
