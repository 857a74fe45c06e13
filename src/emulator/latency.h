/* How long a block takes if nothing but its own instructions holds it up. */
#ifndef BW_EMULATOR_LATENCY_H
#define BW_EMULATOR_LATENCY_H
#include "emulator/ptx.h"

/* Cycles until the value that an instruction loads can be used, as microbenchmarks of an A100 have it
 * (Luo et al. 2024, "Benchmarking and dissecting the Nvidia Hopper GPU architecture via microbenchmarking and
 * multiple level analysis"), where an RTX 4090 and an H100 take up to a sixth more. Beyond L1: the mean of L2
 * and DRAM, since which of them has it hangs on what other blocks load. */
enum { BW_LATENCY_SHARED = 29, BW_LATENCY_L1 = 38, BW_LATENCY_BEYOND_L1 = 364 };

/* Where a warp's instructions are in time, in cycles. An assembler orders the
 * instructions between two branches so that they wait little, and the hardware keeps that order: each starts
 * as soon as its operands are there, and none after a branch before all before it have started. */
struct bw_pace {
	uint64_t *ready; /* at a quarter of each register's place when its value can be used; NULL: not followed */
	uint64_t begun;  /* when the instructions since the last branch may start */
	uint64_t last;   /* when the last one of those before started */
	uint64_t issued; /* since the last branch, one a cycle */
};

struct bw_block;
/* Sets the cycles of the module's instructions that access no memory. */
void bw_latency_find(struct bw_ptx *module);
/* Sets a warp to the beginning of its block. */
void bw_latency_begin(struct bw_warp *warp);
/* Takes an instruction that has just run; the block's `loaded` are the cycles of what it loaded, if it did.
 */
void bw_latency_add(const struct bw_ptx_instruction *instruction, struct bw_warp *warp);
/* Lets all warps wait for the last one. Returns when that is. */
uint64_t bw_latency_meet(struct bw_block *block);
/* Ends the block, and returns the cycles that it took. The next one begins after all of it, so that it waits
 * for nothing of it. */
uint64_t bw_latency_end(struct bw_block *block);
#endif
