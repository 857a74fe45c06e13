/* Makes the schedule of priced groups. Consecutive threads compute consecutive points, in an outer loop
 * over the tile (section 4). Halide cannot have an overlapped tile per warp in shared memory: the warps
 * of a block share one tile. A tile that is wholly in registers belongs to one warp: the lanes keep it in
 * registers and read each other's values by shuffles, without a barrier. */
#include <string.h>

#include "base/arith.h"
#include "schedulers/dp_private.h"

/* The plan of a pure definition while it is being made. */
struct drawing {
	const struct bw_func *func;
	struct bw_loop loops[3 * BW_MAX_DIMS];
	int n;
};

static void add(struct drawing *drawing, int dim, int64_t extent, enum bw_loop_kind kind)
{
	const struct bw_stage *stage = &drawing->func->stages[0];
	for (int l = 0; l < stage->n_loops; l++)
		if (stage->loops[l].dim == dim)
			drawing->loops[drawing->n++] =
			    (struct bw_loop){.loop = l, .extent = extent, .kind = kind, .tail = BW_TAIL_AUTO};
}

static const struct bw_placement *made(const struct drawing *drawing, int func, const struct bw_site *site)
{
	struct bw_stage_plan plan = {drawing->n, drawing->loops, false};
	return bw_placement_make(&(struct bw_placement){
	    .func = func, .compute = *site, .store = *site, .tiled = true, .n_stages = 1, .stages = &plan});
}

/* Returns the threads of an output in a dimension: the block's size, at most the number of points. */
static int64_t threads_of(const struct dp *dp, int output, int d)
{
	const struct dp_sizes *sizes = &dp->sizes[dp->stages[output]];
	return d < BW_JANGDA_DIMS ? bw_min(sizes->block[d], bw_groups_extent(&dp->own.of, output, d)) : 1;
}

static int64_t tile_of(const struct dp *dp, int output, int d)
{
	return d < BW_JANGDA_DIMS ? dp->sizes[dp->stages[output]].tile[d] : 1;
}

bool dp_in_lanes(const struct dp *dp, const struct dp_sizes *sizes)
{
	return dp->memory == DP_REGISTERS && sizes->fraction == 1;
}

static bool in_lanes(const struct dp *dp, int output)
{
	return dp_in_lanes(dp, &dp->sizes[dp->stages[output]]);
}

/* Places an output with lanes. The warps of a block are thread loops, at least one, around the tile of
 * each warp. The lanes are innermost. */
static const struct bw_placement *place_warps(const struct dp *dp, int func)
{
	const struct dp_sizes *sizes = &dp->sizes[dp->stages[func]];
	struct drawing drawing = {.func = &dp->pipeline->funcs[func]};
	int n = drawing.func->n_dims, warps = 0;
	int64_t lanes = (int64_t)dp->own.device.warp_size;
	for (int d = n - 1; d >= 0; d--)
		add(&drawing, d, 0, BW_LOOP_BLOCK);
	for (int d = n < BW_JANGDA_DIMS ? n - 1 : BW_JANGDA_DIMS - 1; d >= 0; d--) {
		int64_t extent = d ? sizes->block[d] : sizes->block[d] / lanes;
		if (extent > 1 || (!d && !warps))
			add(&drawing, d, extent, BW_LOOP_THREAD);
		warps += extent > 1;
	}
	for (int d = n - 1; d >= 0; d--)
		if (tile_of(dp, func, d) > 1)
			add(&drawing, d, tile_of(dp, func, d), BW_LOOP_UNROLLED);
	add(&drawing, 0, lanes, BW_LOOP_LANE);
	return made(&drawing, func, &(struct bw_site){.kind = BW_SITE_ROOT});
}

/* Places a member of a tile in registers: its loops around the lanes are whole, and unrolled so that each
 * register has a name. */
static const struct bw_placement *place_in_warp(const struct dp *dp, int func)
{
	struct drawing drawing = {.func = &dp->pipeline->funcs[func]};
	for (int d = drawing.func->n_dims - 1; d >= 0; d--)
		add(&drawing, d, 0, BW_LOOP_UNROLLED);
	add(&drawing, 0, (int64_t)dp->own.device.warp_size, BW_LOOP_LANE);
	drawing.loops[drawing.n - 1].tail = BW_TAIL_GUARD_WITH_IF;
	return made(&drawing, func,
		    &(struct bw_site){
			.kind = BW_SITE_AT, .func = dp->own.of.group[func], .role = BW_ROLE_WARP});
}

static const struct bw_placement *place_output(const struct dp *dp, int func)
{
	const struct bw_pipeline *pipeline = dp->pipeline;
	struct drawing drawing = {.func = &pipeline->funcs[func]};
	int n = drawing.func->n_dims;
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES], block = 1;
	for (int d = 0; d < n; d++) {
		serial[d] = tile_of(dp, func, d);
		threads[d] = threads_of(dp, func, d);
		block *= threads[d];
	}
	bw_plan_spread(pipeline, func, block, serial, threads);
	if (drawing.func->n_stages > 1)
		return bw_plan_root(pipeline, func, serial, threads);
	for (int d = n - 1; d >= 0; d--)
		add(&drawing, d, 0, BW_LOOP_BLOCK);
	for (int d = n - 1; d >= 0; d--)
		if (serial[d] > 1)
			add(&drawing, d, serial[d], BW_LOOP_SERIAL);
	for (int d = n - 1; d >= 0; d--)
		if (threads[d] > 1)
			add(&drawing, d, threads[d], BW_LOOP_THREAD);
	return made(&drawing, func, &(struct bw_site){.kind = BW_SITE_ROOT});
}

/* Computes the region of each member that one block of the output needs. */
static void find_regions(struct dp *dp, int output)
{
	struct bw_groups *groups = &dp->own.of;
	int64_t tile[BW_MAX_DIMS];
	for (int d = 0; d < dp->pipeline->funcs[output].n_dims; d++)
		tile[d] = tile_of(dp, output, d) * threads_of(dp, output, d);
	bw_groups_place(groups, output, tile);
	for (int f = output; f >= 0; f--)
		if (groups->known[f] && (groups->group[f] == output || groups->inlined[f]))
			bw_groups_reads(groups, f, NULL, NULL);
}

/* Places a member: its threads are the block's, in its innermost dimensions of more than one point. */
static const struct bw_placement *place_member(struct dp *dp, int func)
{
	const struct bw_pipeline *pipeline = dp->pipeline;
	struct bw_groups *groups = &dp->own.of;
	int output = groups->group[func], used = 0, n = pipeline->funcs[func].n_dims;
	int64_t block[BW_JANGDA_DIMS] = {1, 1, 1}, threads[BW_MAX_AXES];
	struct drawing drawing = {.func = &pipeline->funcs[func]};
	for (int d = 0; d < pipeline->funcs[output].n_dims && used < BW_JANGDA_DIMS; d++)
		if (threads_of(dp, output, d) > 1)
			block[used++] = threads_of(dp, output, d);
	find_regions(dp, output);
	used = 0;
	for (int d = 0; d < n; d++) {
		const struct bw_interval *box = &groups->boxes[func * BW_MAX_DIMS + d];
		bool takes = used < BW_JANGDA_DIMS && block[used] > 1 && box->max > box->min;
		threads[d] = takes ? block[used++] : 1;
	}
	for (int d = n - 1; d >= 0; d--)
		add(&drawing, d, 0, BW_LOOP_SERIAL);
	for (int d = n - 1; d >= 0; d--)
		if (threads[d] > 1)
			add(&drawing, d, threads[d], BW_LOOP_THREAD);
	for (int l = 0; l < drawing.n; l++)
		drawing.loops[l].tail = BW_TAIL_GUARD_WITH_IF;
	return made(&drawing, func,
		    &(struct bw_site){.kind = BW_SITE_AT, .func = output, .role = BW_ROLE_BLOCK});
}

const struct bw_placement *dp_place(void *data, int func)
{
	struct dp *dp = data;
	const struct bw_groups *groups = &dp->own.of;
	if (groups->inlined[func])
		return bw_plan_inline(dp->pipeline, func);
	if (in_lanes(dp, groups->group[func]))
		return groups->group[func] == func ? place_warps(dp, func) : place_in_warp(dp, func);
	return groups->group[func] == func ? place_output(dp, func) : place_member(dp, func);
}
