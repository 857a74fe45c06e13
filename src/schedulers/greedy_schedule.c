/* The schedule that groups stand for: a kernel per stage of a group's output, a tile per block, and a point
 * of it per thread (Mullapudi et al. 2016, section 5.4, GPU Performance). */
#include <stdio.h>
#include <stdlib.h>

#include "nest/plan.h"
#include "schedulers/greedy_private.h"

enum { BLOCK_DIMS = 3 };

/* The sizes of a group's output by dimension. Threads take the tile in its three innermost dimensions of more
 * than one point; what is left of the tile is serial. Without a tile the threads of a block are as many as
 * the options want, as wide as a vector. */
static void output_sizes(const struct greedy *greedy, int output, int64_t *serial, int64_t *threads)
{
	const int64_t *tile = greedy->of.tiles[output];
	int64_t left = greedy->options.target_threads_per_block, wide = greedy->options.vector_width;
	for (int d = 0, used = 0; d < greedy->of.pipeline->funcs[output].n_dims; d++) {
		const struct bw_interval *whole = &greedy->of.whole[output * BW_MAX_DIMS + d];
		int64_t extent = greedy->of.bounded[output] ? whole->max - whole->min + 1 : 1, size = tile ? tile[d] : 1;
		if (!tile) {
			int64_t most = d == 0 && wide < left ? wide : left;
			while (size < most && size < extent)
				size *= 2;
			left /= size;
		}
		bool thread = size > 1 && used < BLOCK_DIMS;
		serial[d] = thread ? 1 : size;
		threads[d] = thread ? size : 1;
		used += thread;
	}
}

/* The extents of the block that the output's threads make, x first. */
static void block_of(const struct greedy *greedy, int output, int64_t *block)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	int used = 0;
	output_sizes(greedy, output, serial, threads);
	for (int k = 0; k < BLOCK_DIMS; k++)
		block[k] = 1;
	for (int d = 0; d < greedy->of.pipeline->funcs[output].n_dims; d++)
		if (threads[d] > 1)
			block[used++] = threads[d];
}

/* The sizes of a member: its threads each compute several points where the block would have too many. A block
 * has in each dimension as many threads as any of its members. */
static void member_sizes(const struct greedy *greedy, int func, int64_t *serial)
{
	int n_dims = greedy->of.pipeline->funcs[func].n_dims;
	const struct bw_interval *box = &greedy->of.boxes[func * BW_MAX_DIMS];
	int64_t block[BLOCK_DIMS], counts[BLOCK_DIMS];
	block_of(greedy, greedy->of.group[func], block);
	for (int d = 0; d < n_dims; d++)
		serial[d] = 1;
	for (int longest = 0; longest >= 0;) {
		double threads = 1;
		longest = -1;
		for (int d = 0; d < BLOCK_DIMS; d++) {
			counts[d] = d < n_dims ? (box[d].max - box[d].min + serial[d]) / serial[d] : 1;
			threads *= (double)(counts[d] > block[d] ? counts[d] : block[d]);
			if (counts[d] > block[d] && (longest < 0 || counts[d] - block[d] > counts[longest] - block[longest]))
				longest = d;
		}
		if (threads <= greedy->of.device->threads_per_block)
			return;
		if (longest >= 0)
			serial[longest] *= 2;
	}
}

static const struct bw_placement *place(void *data, int func)
{
	struct greedy *greedy = data;
	const struct bw_pipeline *pipeline = greedy->of.pipeline;
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	int output = greedy->of.group[func];
	if (greedy->of.inlined[func])
		return bw_plan_inline(pipeline, func);
	if (output == func) {
		output_sizes(greedy, func, serial, threads);
		bw_plan_spread(pipeline, func, (int64_t)greedy->options.target_threads_per_block, serial, threads);
		return bw_plan_root(pipeline, func, serial, threads);
	}
	struct group_cost cost;
	struct bw_site site = {
	    .kind = BW_SITE_AT, .func = output, .stage = bw_groups_host(&greedy->of, output), .role = BW_ROLE_BLOCK};
	greedy_cost(greedy, output, -1, greedy->of.tiles[output], &cost);
	member_sizes(greedy, func, serial);
	return bw_plan_at_block(pipeline, func, &site, serial);
}

struct bw_schedule *greedy_schedule(struct greedy *greedy, struct bw_error *error)
{
	return bw_groups_schedule(&greedy->of, place, greedy, error);
}
