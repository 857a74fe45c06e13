/* Regions that one block of a kernel needs, and how much of them its neighbours need, too. */
#pragma once
#include "nest/nest.h"

/* The region of a Func that an interior block of a kernel needs. */
struct bw_block_region {
	int n_dims;
	/* the region that the block computes; for a Func that the kernel only reads, the region required
	 * of it */
	struct bw_interval box[BW_MAX_DIMS];
	/* by dimension: points from this region to that of the next block; 0: every block needs the
	 * same region */
	int64_t step[BW_MAX_DIMS];
};

/* Finds the region of `func` in a kernel, given as stage `stage` of the Func `kernel` at root.
 * Returns false if the kernel does not need `func`, or needs it without a bound. */
bool bw_block_region(const struct bw_nest *nest, int kernel, int stage, int func,
		     struct bw_block_region *region);
/* Returns the points of a Func that are computed in all, without the idle iterations of tails: its own, or if
 * it is inlined those of the stages that call it. bw_placed.points counts an inlined Func's calls in idle
 * iterations, too. 0: it is not placed. */
double bw_busy_points(const struct bw_nest *nest, int func);
/* Returns the share (0..1) of a block's region that neighbouring blocks need, too. */
double bw_block_shared(const struct bw_block_region *region);
