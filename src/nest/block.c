#include "nest/block.h"

#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"

/* Returns the level of the blocks of a kernel, which is a stage of a Func at root; BW_LEVEL_ROOT if
 * the stage has no block loops. */
static bw_level block_level(const struct bw_nest *nest, int func, int stage)
{
	const struct bw_placed_stage *placed = &nest->placed[func]->stages[stage];
	for (int i = 0; i < placed->n_levels; i++)
		if (bw_level_role(placed->levels[i].level) == BW_ROLE_BLOCK)
			return placed->levels[i].level;
	return BW_LEVEL_ROOT;
}

/* Narrows a dimension of the kernel's own region to what a block stores there, if no Var of the stage walks
 * it and blocks divide the RVars that do, in steps that are known. */
static void narrow(const struct bw_stage *stage, const struct bw_interval *all, const struct bw_interval *own,
		   int d, struct bw_block_region *region)
{
	const struct bw_ratio *steps = &stage->store.entries[d * stage->n_loops];
	struct bw_interval *box = &region->box[d];
	int64_t before = 0, inside = 0, beside = 0;
	bool divided = false;
	for (int l = 0; l < stage->n_loops; l++) {
		int64_t step = steps[l].num < 0 ? -steps[l].num : steps[l].num, size = own[l].max - own[l].min;
		if (steps[l].den != 1 || (step && stage->loops[l].pure))
			return;
		divided |= step && size < all[l].max - all[l].min;
		before += step * (steps[l].num < 0 ? all[l].max - own[l].max : own[l].min - all[l].min);
		inside += step * size;
		beside += step * (size + 1);
	}
	if (!divided || before + inside > box->max - box->min)
		return;
	box->min += before;
	box->max = box->min + inside;
	region->step[d] = beside;
}

/* Finds the region of the kernel's own stage. Its loops cover the points of the Func, and blocks do
 * not overlap except where a tail is shifted inwards. */
static bool own_region(const struct bw_nest *nest, const struct bw_stage *stage, bw_level level,
		       struct bw_block_region *region)
{
	const struct bw_own_level *own = bw_placed_own_level(nest->placed[stage->func], level);
	const struct bw_interval *whole = nest->placed[stage->func]->regions[0].computed;
	struct bw_interval all[BW_MAX_LOOPS];
	bool known = own && stage->index > 0 && bw_stage_loops_of(stage, whole, all);
	for (int d = 0; d < region->n_dims; d++) {
		region->box[d] = whole[d];
		if (known)
			narrow(stage, all, own->loops, d, region);
	}
	for (int l = 0; own && l < stage->n_loops; l++) {
		int d = stage->loops[l].dim;
		if (d < 0 || d >= region->n_dims)
			continue;
		int64_t size = own->loops[l].max - own->loops[l].min + 1;
		region->box[d] = own->loops[l];
		region->step[d] = size < whole[d].max - whole[d].min + 1 ? size : 0;
	}
	return true;
}

bool bw_block_region(const struct bw_nest *nest, int kernel, int stage, int func,
		     struct bw_block_region *region)
{
	const struct bw_func *host = &nest->pipeline->funcs[kernel];
	const struct bw_stage_plan *plan = &nest->placed[kernel]->placement->stages[stage];
	bw_level level = block_level(nest, kernel, stage);
	*region = (struct bw_block_region){.n_dims = nest->pipeline->funcs[func].n_dims};
	if (func == kernel)
		return own_region(nest, &host->stages[stage], level, region);
	struct bw_interval required[BW_MAX_DIMS] = {{0, 0}};
	if (!bw_nest_required(nest, func, level, required))
		return false;
	memcpy(region->box, required, sizeof required);
	for (int l = 0; level != BW_LEVEL_ROOT && l < host->stages[stage].n_loops; l++) {
		struct bw_interval beside[BW_MAX_DIMS] = {{0, 0}};
		if (!bw_plan_has(plan, l, BW_LOOP_BLOCK) ||
		    !bw_nest_moved(nest, func, level, (struct bw_move){.loop = l, .steps = 1}, beside))
			continue;
		for (int d = 0; d < region->n_dims; d++)
			region->step[d] = bw_max(region->step[d], llabs(beside[d].min - required[d].min));
	}
	const struct bw_placed *placed = nest->placed[func];
	const struct bw_region *computed = placed ? bw_placed_region(placed, level) : NULL;
	if (computed && level != BW_LEVEL_ROOT)
		memcpy(region->box, computed->computed, (size_t)region->n_dims * sizeof *region->box);
	return true;
}

double bw_block_shared(const struct bw_block_region *region)
{
	double own = 1;
	for (int d = 0; d < region->n_dims; d++) {
		int64_t size = region->box[d].max - region->box[d].min + 1, around = size - region->step[d];
		/* A band at either side is also needed by the next block there. If the bands meet,
		 * no point belongs to this block alone. */
		own *= region->step[d] == 0 ? 1
		       : around <= 0        ? 1
		       : 2 * around >= size ? 0
					    : (double)(size - 2 * around) / (double)size;
	}
	return 1 - own;
}

/* Returns the iterations of a stage's loops each time that it runs, without the idle ones of tails. */
static double busy_iterations(const struct bw_stage *stage, const struct bw_placed *placed)
{
	struct bw_interval loops[BW_MAX_LOOPS];
	return bw_stage_loops_of(stage, placed->regions[0].computed, loops)
		   ? bw_box_points(loops, stage->n_loops)
		   : placed->stages[stage->index].points;
}

/* As bw_busy_points; known: by Func, what was found, else -1, since many paths may lead to one Func. */
static double busy_points(const struct bw_nest *nest, int func, double *known)
{
	const struct bw_func *about = &nest->pipeline->funcs[func];
	const struct bw_placed *placed = nest->placed[func];
	if (!placed || placed->placement->compute.kind != BW_SITE_INLINE)
		return placed ? placed->points : 0;
	if (known[func] >= 0)
		return known[func];
	double points = 0;
	for (int c = 0; c < about->n_consumers; c++) {
		const struct bw_stage *consumer = about->consumers[c];
		const struct bw_placed *by = nest->placed[consumer->func];
		const struct bw_read *read = bw_stage_read_of(consumer, func);
		double loads = 0;
		for (int i = 0; i < read->n_loads; i++)
			loads += read->loads[i].count;
		points += loads * (by->placement->compute.kind == BW_SITE_INLINE
				       ? busy_points(nest, consumer->func, known)
				       : by->realizations * busy_iterations(consumer, by));
	}
	return known[func] = points < BW_MOST_CALLS ? points : BW_MOST_CALLS;
}

double bw_busy_points(const struct bw_nest *nest, int func)
{
	BW_SCOPED_MEMORY double *known = BW_NEW_ARRAY(double, nest->pipeline->n_funcs);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		known[f] = -1;
	return busy_points(nest, func, known);
}
