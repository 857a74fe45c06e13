/* What a placed Func's storage takes: the most of any iteration, and whether it is the same in all. */
#include "base/arith.h"
#include "nest/nest_private.h"

/* Whether the last iteration of some split, of a host or further out, is moved inwards, so that regions inside begin anywhere. */
static bool shifts(const struct bw_nest *nest, const struct bw_site *site)
{
	for (struct bw_site at = *site; at.kind == BW_SITE_AT;) {
		const struct bw_placed *host = nest->placed[at.func];
		const struct bw_stage *stage = &nest->pipeline->funcs[at.func].stages[at.stage];
		struct bw_interval loops[BW_MAX_LOOPS];
		if (!bw_stage_loops_of(stage, host->regions[0].computed, loops) || bw_stage_shifts(&host->placement->stages[at.stage], &host->stages[at.stage], loops))
			return true;
		at = host->placement->compute;
	}
	return false;
}

bool bw_nest_cuts_off(const struct bw_nest *nest, const struct bw_site *site, bool updates)
{
	for (struct bw_site at = *site; at.kind == BW_SITE_AT;) {
		const struct bw_placed *host = nest->placed[at.func];
		const struct bw_stage *stage = &nest->pipeline->funcs[at.func].stages[at.stage];
		struct bw_interval loops[BW_MAX_LOOPS];
		const struct bw_own_level *own = bw_placed_own_level(host, bw_level_of_site(&at));
		if (!bw_stage_loops_of(stage, host->regions[0].computed, loops) || bw_stage_cuts(&host->placement->stages[at.stage], &host->stages[at.stage], own, loops, updates))
			return true;
		at = host->placement->compute;
	}
	return false;
}

/* Widens extents to those of the box that is touched in an iteration of the level where the Func is stored, with what it computes
 * itself there. False where that is not known. */
static bool touch(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed, bw_level level, struct bw_move move, int64_t *extents)
{
	struct bw_interval touched[BW_MAX_DIMS], own[BW_MAX_DIMS];
	if (!bw_nest_touched(nest, placed->placement->func, level, move, touched) || !bw_computed_box(func, touched, own))
		return false;
	for (int d = 0; d < func->n_dims; d++)
		extents[d] = bw_interval_extent(&own[d]);
	return true;
}

/* Widens the most extents by those of the iterations that a move comes to; whether all of these are as large as the most were. */
static bool all_alike(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed, bw_level level, struct bw_move move, int64_t *most)
{
	enum { STEPS = 16 };
	bool same = true;
	for (move.steps = 1; move.steps <= STEPS; move.steps++) {
		int64_t extents[BW_MAX_DIMS];
		if (!touch(nest, func, placed, level, move, extents))
			return false;
		for (int d = 0; d < func->n_dims; d++) {
			same &= extents[d] == most[d];
			most[d] = bw_max(most[d], extents[d]);
		}
	}
	return same;
}

/* The extents of the allocation, the most of any iteration of the level where the Func is stored; false where they differ. The
 * host's loops are moved on, all of them and each alone, by some iterations, or by single points where a split shifts: sizes that come back
 * after no more than these are seen. They are moved beyond their extents, because Halide takes those of an output for anything.
 * With a clamp or the like in between they count as different: the interior is the most, but Halide does not see that and asks for threads and
 * memory for far more. */
static bool most_extents(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed, bw_level level, int64_t *most)
{
	const struct bw_placement *placement = placed->placement;
	bool same = nest->facts->affine[placement->func];
	if (!touch(nest, func, placed, level, (struct bw_move){.loop = -1}, most))
		return false;
	if (level == BW_LEVEL_ROOT || nest->facts->rigid[placement->func])
		return true;
	const struct bw_stage *host = &nest->pipeline->funcs[bw_level_func(level)].stages[bw_level_stage(level)];
	struct bw_move move = {.points = shifts(nest, &placement->store)};
	for (move.loop = -1; move.loop < host->n_loops; move.loop++)
		same &= all_alike(nest, func, placed, level, move, most);
	return same;
}

static enum bw_memory memory_of(const struct bw_nest *nest, const struct bw_placement *placement)
{
	if (placement->memory != BW_MEMORY_AUTO)
		return placement->memory;
	if (placement->store.kind == BW_SITE_ROOT)
		return BW_MEMORY_GLOBAL;
	return bw_nest_inside_threads(nest, &placement->store) ? BW_MEMORY_REGISTERS : BW_MEMORY_SHARED;
}

void bw_allocate(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placement *placement, struct bw_placed *placed)
{
	if (placement->compute.kind == BW_SITE_INLINE) {
		placed->allocated = NULL;
		placed->constant = true;
		return;
	}
	int64_t *allocated = (int64_t *)placed->allocated;
	placed->constant = most_extents(nest, func, placed, bw_level_of_site(&placement->store), allocated);
	/* Halide gives a thread's allocation registers only where no tail changes its size. */
	if (bw_nest_inside_threads(nest, &placement->store) && bw_nest_cuts_off(nest, &placement->store, func->n_stages > 1))
		placed->constant = false;
	double points = 1;
	for (int d = 0; d < func->n_dims; d++) {
		allocated[d] += placed->growth[d];
		points *= (double)allocated[d];
	}
	placed->bytes = points * func->bytes;
	placed->memory = memory_of(nest, placement);
}
