/* What a placed Func's storage takes: the most of any iteration, and whether it is the same in all. */
#include <string.h>

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

bool bw_nest_cuts_off(const struct bw_nest *nest, const struct bw_site *site, int func, bool updates)
{
	for (struct bw_site at = *site; at.kind == BW_SITE_AT;) {
		const struct bw_placed *host = nest->placed[at.func];
		const struct bw_stage *stage = &nest->pipeline->funcs[at.func].stages[at.stage];
		struct bw_interval loops[BW_MAX_LOOPS];
		bool rounded[BW_MAX_LOOPS];
		for (int l = 0; l < stage->n_loops; l++)
			rounded[l] = stage->loops[l].pure && (!nest->facts->affine[at.func] || nest->facts->floors[at.func * BW_MAX_DIMS + stage->loops[l].dim] > 0 || (func >= 0 && bw_nest_rounds(nest, func, at.func, 0)));
		const struct bw_own_level *own = bw_placed_own_level(host, bw_level_of_site(&at));
		if (!bw_stage_loops_of(stage, host->regions[0].computed, loops) || bw_stage_cuts(&host->placement->stages[at.stage], &host->stages[at.stage], own, loops, rounded, updates))
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

/* Iterations of the host of a level as they are looked at. */
struct moving {
	const struct bw_nest *nest;
	const struct bw_func *func;
	const struct bw_placed *placed;
	bw_level level;
	int64_t *most; /* extents */
	bool same;     /* all were as large as the most were */
};

/* Looks at some iterations further on. False where it is not known what is touched there. */
static bool move_on(struct moving *moving, struct bw_move move, int steps)
{
	for (move.steps = 1; move.steps <= steps; move.steps++) {
		int64_t extents[BW_MAX_DIMS];
		if (!touch(moving->nest, moving->func, moving->placed, moving->level, move, extents))
			return false;
		for (int d = 0; d < moving->func->n_dims; d++) {
			moving->same &= extents[d] == moving->most[d];
			moving->most[d] = bw_max(moving->most[d], extents[d]);
		}
	}
	return true;
}

/* Moves the loops of the host of a level on, all of them and each alone, by some of its iterations or by single points: sizes that come back
 * after no more than these are seen. Widens the most extents by those found; whether all of these are as large as the most were. They are moved
 * beyond their extents, because Halide takes those of an output for anything. One step is enough of all loops that move nothing, or all of it as one. One that alone moves
 * anything is seen with all of them, and so are those of which each moves dimensions of its own: what is left to see is where none has moved. */
static bool all_alike(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed, bw_level level, bool points, int64_t *most)
{
	enum { STEPS = 16 };
	const struct bw_func *of = &nest->pipeline->funcs[bw_level_func(level)];
	const struct bw_stage *host = &of->stages[bw_level_stage(level)];
	const struct bw_moved *moved = &nest->facts->moved[(of->first_stage + host->index) * nest->pipeline->n_funcs + placed->placement->func];
	struct bw_move move = {.points = points};
	struct moving moving = {nest, func, placed, level, most, true};
	bool still = false;
	if (moved->as_one)
		return move_on(&moving, (struct bw_move){.points = points, .loop = -1}, 1) && moving.same;
	for (move.loop = -1; move.loop < host->n_loops; move.loop++) {
		uint32_t by = move.loop < 0 ? moved->loops : moved->loops & (uint32_t)1 << move.loop;
		if ((!by && still) || (by && move.loop >= 0 && (moved->apart || by == moved->loops)))
			continue;
		still |= !by;
		if (!move_on(&moving, move, by ? STEPS : 1))
			return false;
	}
	if (moved->apart && !still && host->n_loops > 1 && !move_on(&moving, move, 1))
		return false;
	return moving.same;
}

bool bw_nest_host_varies(const struct bw_nest *nest, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT || nest->placed[site->func]->steady)
		return false;
	const struct bw_stage_plan *plan = &nest->placed[site->func]->placement->stages[site->stage];
	for (int i = bw_placed_own_level(nest->placed[site->func], bw_level_of_site(site))->piece + 1; i < plan->n_loops; i++)
		if (!plan->loops[i].extent)
			return true;
	return false;
}

/* Whether all that reads a Func is steady, but for the one whose loops it is in. */
static bool read_steadily(const struct bw_nest *nest, const struct bw_func *func, const struct bw_site *site)
{
	for (int c = 0; c < func->n_consumers; c++)
		if (!(site->kind == BW_SITE_AT && func->consumers[c]->func == site->func) && !nest->placed[func->consumers[c]->func]->steady)
			return false;
	return true;
}

/* Whether a tail of a stage is guarded, so that its last iterations end where it does. */
static bool guarded(const struct bw_placed *host, int stage)
{
	for (int i = 0; i < host->placement->stages[stage].n_loops; i++)
		if (host->stages[stage].tails[i] == BW_TAIL_GUARD_WITH_IF)
			return true;
	return false;
}

/* Whether Halide finds a bound on the extents of what is stored somewhere inside a kernel. What a block needs depends on where the kernel begins alone,
 * one number for Halide, unless a guard cuts it off where the kernel ends. */
static bool is_affine(const struct bw_nest *nest, const struct bw_placed *placed)
{
	const struct bw_site *store = &placed->placement->store;
	if (nest->facts->affine[placed->placement->func])
		return true;
	return !bw_nest_inside_threads(nest, store) && store->func == placed->kernel_func && !guarded(nest->placed[store->func], store->stage) &&
	       nest->facts->affine_in[store->func * nest->pipeline->n_funcs + placed->placement->func];
}

/* Sets the extents of the allocation, the most of any iteration of the level where the Func is stored; whether they are the same in all that there are,
 * and whether they would be wherever the output began.
 * With a clamp or the like in between they count as different: the interior is the most, but Halide does not see that and asks for threads and
 * memory for far more. What a thread keeps may vary with where the output begins, since Halide then finds how much it can get; but not if what
 * reads it does so, too: Halide 14 to 21 find no bound on the difference of two ends then, and refuse. */
static void find_extents(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed, bw_level level, int64_t *most)
{
	const struct bw_site *store = &placed->placement->store;
	placed->constant = placed->steady = touch(nest, func, placed, level, (struct bw_move){.loop = -1}, most);
	if (!placed->constant || level == BW_LEVEL_ROOT || nest->facts->rigid[placed->placement->func])
		return;
	int64_t anywhere[BW_MAX_DIMS];
	bool varies = bw_nest_host_varies(nest, store);
	memcpy(anywhere, most, (size_t)func->n_dims * sizeof *most);
	placed->constant = all_alike(nest, func, placed, level, shifts(nest, store), most) && is_affine(nest, placed);
	placed->steady = placed->constant && !varies && all_alike(nest, func, placed, level, true, anywhere);
	if (bw_nest_inside_threads(nest, store) && (bw_nest_rounds(nest, placed->placement->func, store->func, 1) || (!placed->steady && (varies || !read_steadily(nest, func, store)))))
		placed->constant = false;
}

static enum bw_memory memory_of(const struct bw_nest *nest, const struct bw_placement *placement)
{
	if (placement->memory != BW_MEMORY_AUTO)
		return placement->memory;
	if (placement->store.kind == BW_SITE_ROOT)
		return BW_MEMORY_GLOBAL;
	return bw_nest_inside_threads(nest, &placement->store) ? BW_MEMORY_REGISTERS : BW_MEMORY_SHARED;
}

/* The extents that a Func had at the same sites, without what its splits then rounded up. */
static void take_extents(const struct bw_placed *before, struct bw_placed *placed, int64_t *extents)
{
	placed->constant = before->constant;
	placed->steady = before->steady;
	for (int d = 0; d < placed->n_dims; d++)
		extents[d] = before->allocated[d] - before->growth[d];
}

void bw_allocate(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *before, struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	if (placement->compute.kind == BW_SITE_INLINE) {
		placed->allocated = NULL;
		placed->constant = true;
		placed->steady = read_steadily(nest, func, &placement->compute);
		return;
	}
	int64_t *allocated = (int64_t *)placed->allocated;
	if (before)
		take_extents(before, placed, allocated);
	else
		find_extents(nest, func, placed, bw_level_of_site(&placement->store), allocated);
	/* Halide gives a thread's allocation registers only where no tail changes its size. */
	if (bw_nest_inside_threads(nest, &placement->store) && bw_nest_cuts_off(nest, &placement->store, placement->func, func->n_stages > 1))
		placed->constant = false;
	double points = 1;
	for (int d = 0; d < func->n_dims; d++) {
		allocated[d] += placed->growth[d];
		points *= (double)allocated[d];
	}
	placed->bytes = points * func->bytes;
	placed->memory = memory_of(nest, placement);
}
