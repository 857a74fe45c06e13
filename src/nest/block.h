/* What one block of a kernel needs, and how much of it the blocks beside need, too. */
#ifndef BW_NEST_BLOCK_H
#define BW_NEST_BLOCK_H
#include "nest/nest.h"

/* The region of a Func that an interior block of a kernel needs. */
struct bw_block_region {
	int n_dims;
	struct bw_interval box[BW_MAX_DIMS]; /* computed; of a Func that the kernel does not compute, required */
	int64_t step[BW_MAX_DIMS]; /* points by dimension from there to the region of the next block; 0: every
				      block needs the same */
};

/* Returns the level of the blocks of a kernel, the stage of a Func at root; BW_LEVEL_ROOT if it has no block
 * loops. */
bw_level bw_block_level(const struct bw_nest *nest, int func, int stage);
/* Finds the region of `func` in the kernel of stage `stage` of `kernel`, a Func at root. Returns false if the
 * kernel does not need it, or needs it without a bound. */
bool bw_block_region(const struct bw_nest *nest, int kernel, int stage, int func,
		     struct bw_block_region *region);
/* Returns the share of a block's region that neighbouring blocks need, too, 0..1. */
double bw_block_shared(const struct bw_block_region *region);
#endif
