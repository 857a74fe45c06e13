/* Counters of a launch. */
#ifndef BW_EMULATOR_COUNT_H
#define BW_EMULATOR_COUNT_H
#include <stdio.h>

#include "emulator/l1.h"
#include "emulator/memory.h"
#include "emulator/ptx.h"
#include "gpu/counter.h"

struct bw_ptx_launch;
/* Returns the bytes of L1 that a block of the launch has. */
unsigned bw_l1_bytes(const struct bw_ptx_launch *launch);

/* Sets the counters of the module's instructions. */
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
 * their bytes to *counts. begin: returns false if no memory is left. */
bool bw_touched_begin(struct bw_memory *memory);
void bw_touched_end(struct bw_memory *memory, struct bw_counts *counts, double scale);
/* Writes a line of JSON: kernel, grid, block, shared_bytes, sampled_blocks if not all blocks ran,
 * values that blocks rounded differently, all metrics, and in "parts" the nonzero metrics of each
 * part. */
void bw_counts_write(const struct bw_ptx_launch *launch, FILE *file);
#endif
