/* Counters of a launch. */
#pragma once
#include <stdio.h>

#include "emulator/memory.h"
#include "emulator/ptx.h"
#include "gpu/counter.h"

/* A model of the L1 cache, for loads of global memory only. */

/* Bytes per line, and per sector, the unit in which lines are filled. */
enum { BW_L1_LINE = 128, BW_L1_SECTOR = 32 };

/* A cache line. It is in two lists: the list of all lines, in the order of their last use, and the list of
 * its hash bucket. Both lists link lines by their index in bw_l1.lines; 0: none. */
struct bw_l1_line {
	uint64_t number;            /* sector number / sectors per line */
	uint32_t newer, older, next;
	uint32_t sectors; /* sectors that the line holds, one bit per sector */
};

/* A fully associative cache with LRU replacement, whose lines are filled sector by sector. NVIDIA's caches
 * since Volta are almost like this: they have few sets of many ways (Jia et al. 2018, "Dissecting the
 * NVIDIA Volta GPU architecture via microbenchmarking", table 3.1: four sets). */
struct bw_l1 {
	/* lines[1] to lines[n_lines]; lines[0].older is the most recently used line, lines[0].newer the
	 * least recently used one */
	struct bw_l1_line *lines;
	uint32_t *first;          /* first line of each hash bucket */
	uint32_t n_lines, n_used, mask;
};

/* Makes an empty cache of `bytes` bytes, but of at least one line. Returns false if out of memory. Call
 * bw_l1_free() in any case. */
bool bw_l1_make(struct bw_l1 *l1, unsigned bytes);
void bw_l1_free(struct bw_l1 *l1);
/* Empties the cache. */
void bw_l1_clear(struct bw_l1 *l1);

struct bw_ptx_launch;
/* Returns the share of L1 that each block of the launch has, in bytes. */
unsigned bw_l1_bytes(const struct bw_ptx_launch *launch);

/* Sets `counter` and `cycles` of the module's instructions. */
void bw_counters_find(struct bw_ptx *module);
/* Counts an instruction that the lanes of `mask` run, in the counters of the instruction's part. counts:
 * the counters of all parts of the kernel. lanes: all lanes of the warp's path, including those that are
 * predicated off. */
void bw_count(struct bw_counts *counts, const struct bw_ptx_instruction *instruction, uint32_t lanes,
	      uint32_t mask);
/* Counts a memory access of `bytes` bytes per lane, in the counters of the instruction's part. */
void bw_count_access(struct bw_counts *counts, const struct bw_ptx_instruction *instruction,
		     const struct bw_warp *warp, uint32_t mask, unsigned bytes, bool stores,
		     unsigned char *const places[BW_LANES]);
/* Adds the counters `others` to `counts`, for each of n parts. */
void bw_counts_add(struct bw_counts *counts, const struct bw_counts *others, int n);
/* Begin and end recording the sectors of allocations that a launch touches. bw_touched_begin() returns
 * false if out of memory. bw_touched_end() adds `scale` times the touched bytes to *counts, for each
 * allocation at most its size. */
bool bw_touched_begin(struct bw_memory *memory);
void bw_touched_end(struct bw_memory *memory, struct bw_counts *counts, double scale);
/* Writes a line of JSON: kernel, grid, block, shared_bytes, sampled_blocks if not all blocks ran,
 * values that blocks rounded differently, all metrics, and in "parts" the nonzero metrics of each
 * part. */
void bw_counts_write(const struct bw_ptx_launch *launch, FILE *file);

/* The cycles that a block takes if nothing but its own instructions delays it. */

/* Cycles until a loaded value can be used, by microbenchmarks of an A100 (Luo et al. 2024, "Benchmarking
 * and dissecting the Nvidia Hopper GPU architecture via microbenchmarking and multiple level analysis"); an
 * RTX 4090 and an H100 take up to a sixth more. BEYOND_L1 is the mean of the latencies of L2 and DRAM,
 * because other blocks decide whether L2 holds the data. */
enum { BW_LATENCY_SHARED = 29, BW_LATENCY_L1 = 38, BW_LATENCY_BEYOND_L1 = 364 };

/* A warp's progress in time, in cycles. The assembler orders the instructions between two branches to
 * minimize stalls, and the hardware keeps this order. Model: each instruction starts as soon as its
 * operands are ready; but an instruction after a branch starts only after all instructions before the
 * branch have started. */
struct bw_pace {
	/* per register, at index (register offset / 4): cycle from which its value can be used; NULL: not
	 * modeled */
	uint64_t *ready;
	uint64_t begun;  /* cycle from which the instructions since the last branch may start */
	uint64_t last;   /* latest cycle in which an instruction has started so far */
	uint64_t issued; /* number of instructions issued since the last branch, one per cycle */
};

struct bw_block;
/* Sets a warp's time to the start of its block. */
void bw_latency_begin(struct bw_warp *warp);
/* Adds an instruction that has just run to the warp's time. If the instruction loads, the block's `loaded`
 * holds the cycles of the load. */
void bw_latency_add(const struct bw_ptx_instruction *instruction, struct bw_warp *warp);
/* Sets the time of all warps of the block to the time of the latest warp, as a barrier does. Returns the
 * time. */
uint64_t bw_latency_meet(struct bw_block *block);
/* Ends the block. Returns the cycles that it took. The next block starts after all loads of this block have
 * arrived, so that it never waits for these loads. */
uint64_t bw_latency_end(struct bw_block *block);
