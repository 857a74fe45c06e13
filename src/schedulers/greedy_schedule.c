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
	const int64_t *tile = greedy->tiles[output];
	int64_t left = greedy->options.target_threads_per_block, wide = greedy->options.vector_width;
	for (int d = 0, used = 0; d < greedy->pipeline->funcs[output].n_dims; d++) {
		const struct bw_interval *whole = &greedy->whole[output * BW_MAX_DIMS + d];
		int64_t extent = greedy->bounded[output] ? whole->max - whole->min + 1 : 1, size = tile ? tile[d] : 1;
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
	int64_t serial[BW_MAX_DIMS], threads[BW_MAX_DIMS];
	int used = 0;
	output_sizes(greedy, output, serial, threads);
	for (int k = 0; k < BLOCK_DIMS; k++)
		block[k] = 1;
	for (int d = 0; d < greedy->pipeline->funcs[output].n_dims; d++)
		if (threads[d] > 1)
			block[used++] = threads[d];
}

/* The sizes of a member: its threads each compute several points where the block would have too many. A block
 * has in each dimension as many threads as any of its members. */
static void member_sizes(const struct greedy *greedy, int func, int64_t *serial)
{
	int n_dims = greedy->pipeline->funcs[func].n_dims;
	const struct bw_interval *box = &greedy->boxes[func * BW_MAX_DIMS];
	int64_t block[BLOCK_DIMS], counts[BLOCK_DIMS];
	block_of(greedy, greedy->group[func], block);
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
		if (threads <= greedy->device->threads_per_block)
			return;
		if (longest >= 0)
			serial[longest] *= 2;
	}
}

/* Returns true if a stage reads one of these Funcs. */
static bool reads_any(const struct bw_stage *stage, const bool *funcs)
{
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].producer != stage->func && funcs[stage->reads[r].producer])
			return true;
	return false;
}

/* The stage of the group's output that members are computed for: the last that reads one, directly or through
 * inlined Funcs. */
static int host_stage(const struct greedy *greedy, int output)
{
	const struct bw_func *funcs = greedy->pipeline->funcs;
	bool *leads = BW_NEW_ARRAY(bool, greedy->pipeline->n_funcs);
	for (int f = 0; f < output; f++)
		leads[f] = greedy->group[f] == output || (greedy->inlined[f] && reads_any(&funcs[f].stages[0], leads));
	int s = funcs[output].n_stages - 1;
	while (s > 0 && !reads_any(&funcs[output].stages[s], leads))
		s--;
	free(leads);
	return s;
}

static const struct bw_placement *place(struct greedy *greedy, int func)
{
	const struct bw_pipeline *pipeline = greedy->pipeline;
	int64_t serial[BW_MAX_DIMS], threads[BW_MAX_DIMS];
	int output = greedy->group[func];
	if (greedy->inlined[func])
		return bw_plan_inline(pipeline, func);
	if (output == func) {
		output_sizes(greedy, func, serial, threads);
		return bw_plan_root(pipeline, func, serial, threads);
	}
	struct group_cost cost;
	struct bw_site site = {
	    .kind = BW_SITE_AT, .func = output, .stage = host_stage(greedy, output), .role = BW_ROLE_BLOCK};
	greedy_cost(greedy, output, -1, greedy->tiles[output], &cost);
	member_sizes(greedy, func, serial);
	return bw_plan_at_block(pipeline, func, &site, serial);
}

/* Returns true if the device can launch each kernel, and Halide knows the size of all that is stored in one.
 */
static bool is_legal(const struct greedy *greedy, const struct bw_nest *nest, struct bw_error *error)
{
	const struct bw_device *device = greedy->device;
	const struct bw_func *funcs = greedy->pipeline->funcs;
	struct bw_arena *arena = bw_arena_new();
	bool good = true;
	int n;
	struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n);
	for (int k = 0; k < n && good; k++) {
		const char *name = funcs[kernels[k].func].name;
		const int64_t *threads = kernels[k].threads;
		if ((double)kernels[k].n_threads > device->threads_per_block ||
		    (double)threads[0] > device->block_x || (double)threads[1] > device->block_y ||
		    (double)threads[2] > device->block_z)
			good = bw_fail(error, BW_ERROR_INPUT,
				       "%s: %lldx%lldx%lld threads per block, more than the device has", name,
				       (long long)threads[0], (long long)threads[1], (long long)threads[2]);
		else if ((double)kernels[k].shared_bytes > device->shared_per_block)
			good = bw_fail(error, BW_ERROR_INPUT,
				       "%s: %lld bytes of shared memory per block, limit %.0f", name,
				       (long long)kernels[k].shared_bytes, device->shared_per_block);
		for (int m = 0; m < kernels[k].n_members && good; m++) {
			const struct bw_placed *placed = nest->placed[kernels[k].members[m]];
			if (placed->memory != BW_MEMORY_GLOBAL && placed->proof < BW_PROOF_BLOCKS)
				good = bw_fail(error, BW_ERROR_INPUT,
					       "%s: the size of its allocation is not the same in all blocks",
					       funcs[kernels[k].members[m]].name);
		}
	}
	bw_arena_free(arena);
	return good;
}

struct bw_schedule *greedy_schedule(struct greedy *greedy, struct bw_error *error)
{
	const struct bw_pipeline *pipeline = greedy->pipeline;
	struct bw_schedule *schedule = bw_schedule_new(pipeline);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		if (pipeline->funcs[f].input)
			continue;
		const struct bw_placement *placement = place(greedy, f);
		bw_schedule_set(schedule, placement);
		bw_placement_drop(placement);
	}
	struct bw_nest *nest = bw_schedule_nest(pipeline, schedule, error);
	bool good = nest && is_legal(greedy, nest, error);
	bw_nest_drop(nest);
	if (good)
		return schedule;
	bw_schedule_drop(schedule);
	return NULL;
}
