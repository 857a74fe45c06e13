/* The time of a block if only its own instructions delay it. */
#ifndef BW_EMULATOR_LATENCY_H
#define BW_EMULATOR_LATENCY_H
#include "emulator/ptx.h"

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
/* Sets the cycles of the module's instructions that access no memory. */
void bw_latency_find(struct bw_ptx *module);
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
#endif
