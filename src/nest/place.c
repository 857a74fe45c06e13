/* Places one Func into a nest: its regions at each level of its site, its stages' loops, its
 * allocation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "nest/nest_private.h"
#include "nest/parity.h"

/* Returns true if the whole Func is computed inside this level. A Func that is inlined into two
 * consumers also has the levels of each of them. */
static bool is_whole(const struct bw_nest *nest, const struct bw_func *func,
		     const struct bw_placement *placement, bw_level level)
{
	for (int c = 0; placement->compute.kind == BW_SITE_INLINE && c < func->n_consumers; c++)
		if (!bw_nest_under(nest, func->consumers[c], level))
			return false;
	return true;
}

/* Widens a region outside of the Func's site. The Func is also computed for the iterations that its hosts'
 * splits add by rounding up, so it reads the points that these iterations need, and its storage holds
 * them. */
static void add_rounded(const struct bw_nest *nest, const struct bw_placement *placement,
			const struct bw_region *region)
{
	const int func = placement->func;
	const struct bw_func *of = &nest->pipeline->funcs[func];
	struct bw_interval rounded[BW_MAX_DIMS], computed[BW_MAX_DIMS];
	if (bw_nest_rounded(nest, func, region->level, rounded) &&
	    bw_placement_box(of, placement, rounded, computed))
		bw_box_include((struct bw_interval *)region->computed, computed, of->n_dims, false);
}

/* Finds the unbounded read that makes the region of a Func unbounded: a read of the Func itself, or of an
 * inlined Func that reads it. Returns the stage that makes the read `*read`; NULL if there is none. */
static const struct bw_stage *find_unbounded(const struct bw_nest *nest, int func,
					     const struct bw_read **read)
{
	const struct bw_func *of = &nest->pipeline->funcs[func];
	const struct bw_stage *found = NULL;
	for (int c = 0; c < of->n_consumers && !found; c++) {
		*read = bw_stage_read_of(of->consumers[c], func);
		found = (*read)->bounded ? NULL : of->consumers[c];
	}
	for (int c = 0; c < of->n_consumers && !found; c++) {
		const struct bw_placed *placed = nest->placed[of->consumers[c]->func];
		if (placed && placed->placement->compute.kind == BW_SITE_INLINE)
			found = find_unbounded(nest, of->consumers[c]->func, read);
	}
	return found;
}

/* Fails with a message that says whose index must be clamped so that the Func gets a region. */
static bool fail_unbounded(const struct bw_nest *nest, const struct bw_func *func, struct bw_error *error)
{
	const struct bw_read *read;
	const struct bw_stage *stage = find_unbounded(nest, (int)(func - nest->pipeline->funcs), &read);
	const char *inlined = func->n_stages == 1 && !func->output ? ", or inline this" : "";
	if (!stage)
		return bw_fail(error, BW_ERROR_CONFLICT,
			       "%s: the region that its consumers need has no bound: clamp their indices%s",
			       func->name, inlined);
	const struct bw_func *producer = &nest->pipeline->funcs[read->producer];
	int d = 0;
	while (d < producer->n_dims - 1 && !bw_expr_unbounded(read->box[d].min) &&
	       !bw_expr_unbounded(read->box[d].max))
		d++;
	return bw_fail(error, BW_ERROR_CONFLICT,
		       "%s: %s reads %s without bounds in %s: clamp the index there%s", func->name,
		       nest->pipeline->funcs[stage->func].name, producer->name, producer->dims[d], inlined);
}

/* Fills in the regions at all levels: required by the consumers, and computed with what the updates
 * add. */
static bool fill_regions(const struct bw_nest *nest, const struct bw_func *func,
			 const struct bw_levels *levels, struct bw_placed *placed, struct bw_error *error)
{
	for (int i = 0; i < levels->n; i++) {
		struct bw_region *region = (struct bw_region *)&placed->regions[i];
		region->level = levels->list[i];
		region->whole = is_whole(nest, func, placed->placement, region->level);
		struct bw_interval *required = (struct bw_interval *)region->required,
				   *computed = (struct bw_interval *)region->computed;
		if (placed->placement->compute.kind == BW_SITE_INLINE) {
			bw_nest_inlined_boxes(nest, placed->placement->func, region->level, required, computed);
		} else if (!bw_nest_required(nest, placed->placement->func, region->level, required) ||
			   !bw_placement_box(func, placed->placement, required, computed)) {
			return fail_unbounded(nest, func, error);
		} else if (i > 0) {
			add_rounded(nest, placed->placement, region);
		}
	}
	return true;
}

static void set_host(const struct bw_nest *nest, const struct bw_placement *placement,
		     struct bw_placed *placed)
{
	const struct bw_site *site = &placement->compute;
	placed->realizations = 1;
	if (site->kind != BW_SITE_AT)
		return;
	const struct bw_placed *host = nest->placed[site->func];
	const struct bw_placed_stage *stage = &host->stages[site->stage];
	bool at_root = host->placement->compute.kind == BW_SITE_ROOT;
	placed->kernel_func = at_root ? site->func : host->kernel_func;
	placed->kernel_stage = at_root ? site->stage : host->kernel_stage;
	placed->realizations = host->realizations;
	for (int i = 0; i < stage->n_levels; i++) {
		placed->realizations *= stage->levels[i].iterations;
		if (stage->levels[i].level == placed->regions[0].level)
			break;
	}
}

/* Finds how the threads of the host that runs the Func move it. */
static void set_along(const struct bw_nest *nest, struct bw_placed *placed)
{
	const struct bw_site *site = &placed->placement->compute;
	int t = 0;
	while (site->kind == BW_SITE_AT && site->role != BW_ROLE_BLOCK && !t) {
		const struct bw_placed *host = nest->placed[site->func];
		const struct bw_stage *stage = &nest->pipeline->funcs[site->func].stages[site->stage];
		const struct bw_stage_plan *plan = &host->placement->stages[site->stage];
		for (int i = plan->n_loops - 1; i >= 0 && t < 3; i--) {
			if (!bw_stage_launches(plan, &host->stages[site->stage], i))
				continue;
			const struct bw_moved *moved = bw_moved_in(nest, stage, placed->placement->func);
			int loop = plan->loops[i].loop;
			placed->along[t].dim = moved->loops >> loop & 1 ? moved->first[loop] : -1;
			placed->along[t++].far = bw_max(moved->far[loop], 1) * bw_stage_inside(plan, loop, i + 1);
		}
		site = &host->placement->compute;
	}
	for (; t < 3; t++)
		placed->along[t].dim = -1;
}

/* Returns true if a Func was placed at the same sites before. Its regions and its allocation follow
 * from its consumers and its sites alone, so they are the same except for what its splits add by
 * rounding up. */
static bool is_there_again(const struct bw_placed *before, const struct bw_placement *placement)
{
	return before && bw_site_equal(&before->placement->compute, &placement->compute) &&
	       !memcmp(before->placement->align, placement->align, sizeof placement->align) &&
	       bw_site_equal(&before->placement->store, &placement->store);
}

/* Reuses the earlier regions, without the points that the splits then added by rounding up. */
static void take_regions(const struct bw_placed *before, struct bw_placed *placed)
{
	for (int i = 0; i < placed->n_regions; i++) {
		const struct bw_region *from = &before->regions[i];
		struct bw_region *region = (struct bw_region *)&placed->regions[i];
		struct bw_interval *required = (struct bw_interval *)region->required,
				   *computed = (struct bw_interval *)region->computed;
		region->level = from->level;
		region->whole = from->whole;
		for (int d = 0; d < placed->n_dims; d++) {
			required[d] = from->required[d];
			computed[d] = (struct bw_interval){from->computed[d].min, from->computed[d].max - before->growth[d]};
		}
	}
}

/* Returns true if one of these loops, given as bits, determines the address of a load or store. */
static bool is_decided(const struct bw_jacobian *place, uint64_t loops)
{
	for (int i = 0; i < place->n_dims * place->n_loops; i++)
		if (loops >> i % place->n_loops & 1 && (place->entries[i].num != 0 || place->entries[i].den == 0))
			return true;
	return false;
}

/* Sets whether a predicate reads the Func at coordinates that no loop determines. Halide evaluates such a
 * predicate before the loops of its stage, so nothing that the predicate reads can be computed inside
 * loops around it. */
static bool set_conditional(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed,
			    struct bw_error *error)
{
	const int index = placed->placement->func;
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		const struct bw_placed *consumer = nest->placed[stage->func];
		placed->conditional |= consumer->conditional && consumer->placement->compute.kind == BW_SITE_INLINE;
		for (int r = 0; r < stage->n_reads; r++)
			for (int l = 0; stage->reads[r].producer == index && l < stage->reads[r].n_loads; l++)
				placed->conditional |= stage->reads[r].loads[l].predicate &&
						       !is_decided(&stage->reads[r].loads[l], UINT64_MAX);
	}
	return !placed->conditional || placed->placement->compute.kind != BW_SITE_AT ||
	       bw_fail(error, BW_ERROR_CONFLICT,
		       "%s: a predicate reads it at a place that no loop decides: compute it at root, or inline it",
		       func->name);
}

/* Returns true if a reader of the Func, direct or through inlined Funcs, has a predicate that reads a
 * tuple. */
static bool is_guarded_by_tuple(const struct bw_nest *nest, const struct bw_func *func)
{
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		const struct bw_placed *consumer = nest->placed[stage->func];
		if (consumer->placement->compute.kind == BW_SITE_INLINE &&
		    is_guarded_by_tuple(nest, &nest->pipeline->funcs[stage->func]))
			return true;
		for (int r = 0; r < stage->n_reads; r++)
			for (int l = 0; nest->pipeline->funcs[stage->reads[r].producer].n_values > 1 &&
					l < stage->reads[r].n_loads;
			     l++)
				if (stage->reads[r].loads[l].predicate)
					return true;
	}
	return false;
}

/* Checks that no size of a tuple in a kernel selects by a value of a tuple: Halide, up to 21 at least, leaves
 * such a value as it is where it splits the tuple's memory (Realize in SplitTuples.cpp), and fails later. */
static bool check_tuple(const struct bw_nest *nest, const struct bw_func *func,
			const struct bw_placement *placement, struct bw_error *error)
{
	return func->n_values < 2 || placement->compute.kind != BW_SITE_AT || !is_guarded_by_tuple(nest, func) ||
	       bw_fail(error, BW_ERROR_CONFLICT,
		       "%s: it is a tuple, and a predicate of what reads it takes a value of a tuple, which Halide cannot compile there: "
		       "compute it at root, or inline it",
		       func->name);
}

/* Returns the loops of a stage that Halide keeps as loops, a bit each. It replaces a serial loop of one
 * iteration by that iteration, but no thread loop that it launches. */
static uint64_t kept_loops(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed)
{
	uint64_t kept = 0;
	for (int i = 0; i < plan->n_loops; i++)
		if (placed->extents[i] != 1 || bw_stage_launches(plan, placed, i))
			kept |= UINT64_C(1) << plan->loops[i].loop;
	return kept;
}

/* Returns true if the point of its own Func that a stage stores or reads changes with a reduction loop. */
static bool is_moved_by_reduction(const struct bw_stage *stage)
{
	const struct bw_read *own = bw_stage_read_of(stage, stage->func);
	uint64_t reduction = 0;
	for (int i = 0; i < stage->n_loops; i++)
		reduction |= (uint64_t)!stage->loops[i].pure << i;
	bool moved = is_decided(&stage->store, reduction);
	for (int l = 0; own && l < own->n_loads; l++)
		moved |= is_decided(&own->loads[l], reduction);
	return moved;
}

/* Checks that no predicate of a Func computed in a kernel decides its size. Halide's allocation bounds
 * (BoxesTouched in Bounds.cpp) select by a predicate that no loop around it varies, and what the size of
 * an allocation in a kernel selects by is read on the host (FuseGPUThreadLoops.cpp): there the memory of
 * a block is not in scope, and what lies on the device is not copied, be it an input. */
static bool check_predicates(const struct bw_nest *nest, const struct bw_func *func,
			     const struct bw_placed *placed, struct bw_error *error)
{
	const struct bw_placement *placement = placed->placement;
	for (int s = 0; placement->compute.kind == BW_SITE_AT && s < placement->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		if (!stage->predicated || !is_moved_by_reduction(stage))
			continue;
		const uint64_t kept = kept_loops(&placement->stages[s], &placed->stages[s]);
		for (int r = 0; r < stage->n_reads; r++) {
			const struct bw_func *read = &nest->pipeline->funcs[stage->reads[r].producer];
			for (int l = 0; l < stage->reads[r].n_loads; l++)
				if (stage->reads[r].loads[l].predicate && !is_decided(&stage->reads[r].loads[l], kept))
					return bw_fail(error, BW_ERROR_CONFLICT,
						       "%s: a predicate of update %d reads %s where none of its loops there decides it, and so decides the size of %s: "
						       "compute it at root, or with more than one iteration or a thread of such a loop",
						       func->name, s - 1, read->name, func->name);
		}
	}
	return true;
}

/* Fails if an interior iteration requires nothing of the Func while other iterations do: such a
 * Func has no meaningful cost. */
static bool check_required(const struct bw_nest *nest, const struct bw_func *func,
			   const struct bw_placed *placed, struct bw_error *error)
{
	struct bw_interval touched[BW_MAX_DIMS];
	const struct bw_region *site = &placed->regions[0];
	if (placed->placement->compute.kind != BW_SITE_AT || bw_box_points(site->required, func->n_dims) > 0)
		return true;
	if (!bw_nest_touched(nest, placed->placement->func, site->level, (struct bw_move){0}, touched) ||
	    bw_box_points(touched, func->n_dims) <= 0)
		return true;
	return bw_fail(error, BW_ERROR_CONFLICT,
		       "%s: a predicate leaves nothing of it to compute in the interior of that loop",
		       func->name);
}

/* Places the stages, and finds how far RoundUp widens the computed region. */
static bool place_stages(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed,
			 int64_t *growth, struct bw_error *error)
{
	const struct bw_placement *placement = placed->placement;
	for (int s = 0; s < placement->n_stages; s++) {
		struct bw_interval loops[BW_MAX_LOOPS];
		if (!bw_stage_loops_of(&func->stages[s], placed->regions[0].computed, loops))
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: the bounds of its loops are not known", func->name);
		struct bw_stage_request request = {func,
						   &func->stages[s],
						   &placement->stages[s],
						   loops,
						   nest->pipeline,
						   placed->regions[placed->n_regions - 1].computed,
						   nest->facts->overruns[placement->func],
						   placement->compute.kind == BW_SITE_AT};
		if (!bw_stage_place(&request, growth, (struct bw_placed_stage *)&placed->stages[s], error))
			return false;
	}
	return true;
}

static void widen(struct bw_placed *placed)
{
	for (int i = 0; i < placed->n_regions; i++)
		for (int d = 0; d < placed->n_dims; d++)
			((struct bw_interval *)placed->regions[i].computed)[d].max += placed->growth[d];
}

static bool is_bounded(const struct bw_interval *box, int n)
{
	for (int d = 0; d < n; d++)
		if (box[d].min == -BW_NO_BOUND || box[d].max == BW_NO_BOUND)
			return false;
	return true;
}

/* Counts the points of the Func that are computed in total: in its own loops, or one per call if it is
 * inlined. */
static void count_points(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed)
{
	const struct bw_region *root = bw_placed_region(placed, BW_LEVEL_ROOT);
	placed->minimum_points = root && is_bounded(root->required, func->n_dims)
				     ? bw_box_points(root->required, func->n_dims)
				     : 0;
	if (placed->placement->compute.kind != BW_SITE_INLINE) {
		placed->points = placed->realizations * bw_box_points(placed->regions[0].computed, func->n_dims);
		return;
	}
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *consumer = func->consumers[c];
		const struct bw_placed *by = nest->placed[consumer->func];
		const struct bw_read *read = bw_stage_read_of(consumer, placed->placement->func);
		bool inlined = by->placement->compute.kind == BW_SITE_INLINE;
		double loads = 0;
		for (int i = 0; i < read->n_loads; i++)
			loads += read->loads[i].count;
		placed->points =
		    fmin(BW_MOST_CALLS,
			 placed->points +
			     loads * (inlined ? by->points
					      : by->realizations * by->stages[consumer->index].points));
		placed->calls = fmin(BW_MOST_CALLS, placed->calls + loads * (inlined ? by->calls : 1));
	}
}

/* Finds the stage that reads the Func, if there is only one. */
static void find_sole(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed)
{
	placed->sole_func = placed->sole_stage = -1;
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *consumer = func->consumers[c];
		const struct bw_placed *by = nest->placed[consumer->func];
		bool inlined = by->placement->compute.kind == BW_SITE_INLINE;
		int at = inlined ? by->sole_func : consumer->func, stage = inlined ? by->sole_stage : consumer->index;
		if (c > 0 && (at != placed->sole_func || stage != placed->sole_stage)) {
			placed->sole_func = placed->sole_stage = -1;
			return;
		}
		placed->sole_func = at;
		placed->sole_stage = stage;
	}
}

bool bw_nest_may_align(const struct bw_nest *nest, const struct bw_placement *placement)
{
	const struct bw_func *func = &nest->pipeline->funcs[placement->func];
	struct bw_interval required[BW_MAX_DIMS], computed[BW_MAX_DIMS];
	bool may = true;
	if (!nest->facts->overruns[placement->func])
		return true;
	if (!bw_nest_required(nest, placement->func, BW_LEVEL_ROOT, required) ||
	    !bw_computed_box(func, required, computed))
		return false;
	for (int d = 0; d < func->n_dims && may; d++)
		may =
		    !placement->align[d] || !bw_overruns_along(nest->pipeline, placement->func, computed, d);
	return may;
}

/* Sets whether the size of a Func's region depends on where the region begins, because the Func or a
 * reader of it is aligned inside of a kernel. */
static void set_realigned(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	placed->realigned = placement->compute.kind == BW_SITE_AT && bw_placement_aligns(placement);
	for (int c = 0; c < func->n_consumers && placement->compute.kind != BW_SITE_ROOT; c++) {
		int consumer = func->consumers[c]->func;
		bool host = placement->store.kind == BW_SITE_AT && placement->store.func == consumer;
		placed->realigned |= !host && nest->placed[consumer]->realigned;
	}
}

/* Checks Halide's requirements for a Func with an aligned region, and that the region has a single size,
 * known when a block begins. */
static bool check_align(const struct bw_nest *nest, const struct bw_placement *placement,
			struct bw_error *error)
{
	const struct bw_func *func = &nest->pipeline->funcs[placement->func];
	if (!bw_placement_aligns(placement))
		return true;
	if (func->output)
		return bw_fail(error, BW_ERROR_CONFLICT,
			       "%s: an output begins and ends where its buffer does: it cannot be aligned",
			       func->name);
	if (!bw_nest_may_align(nest, placement))
		return bw_fail(
		    error, BW_ERROR_CONFLICT,
		    "%s: aligned, it would read an input or a Func of a fixed region out of bounds",
		    func->name);
	return placement->compute.kind != BW_SITE_AT || !bw_nest_inside_threads(nest, &placement->compute) ||
	       bw_fail(error, BW_ERROR_CONFLICT,
		       "%s: aligned in a thread, its size is not known when that is compiled", func->name);
}

/* Places a Func. `before` is the Func placed at the same sites with its present consumers, or
 * NULL. */
static struct bw_placed *place(const struct bw_nest *nest, const struct bw_placement *placement,
			       const struct bw_placed *before, struct bw_error *error)
{
	const struct bw_func *func = &nest->pipeline->funcs[placement->func];
	struct bw_levels levels;
	if (!bw_site_check(nest, placement, &levels, error) || !check_align(nest, placement, error))
		return NULL;
	struct bw_placed *placed = bw_placed_new(func, placement, levels.n);
	int64_t *growth = (int64_t *)placed->growth;
	if (before)
		take_regions(before, placed);
	if (!set_conditional(nest, func, placed, error) || !check_tuple(nest, func, placement, error) ||
	    (!before && !fill_regions(nest, func, &levels, placed, error)) ||
	    !check_required(nest, func, placed, error) || !place_stages(nest, func, placed, growth, error) ||
	    !check_predicates(nest, func, placed, error)) {
		bw_placed_release(placed);
		return NULL;
	}
	set_host(nest, placement, placed);
	set_along(nest, placed);
	set_realigned(nest, func, placed);
	bw_allocate(nest, func, before, placed);
	if (!bw_check_bytes(func, placed, error) || !bw_check_warp(nest, func, placed, error)) {
		bw_placed_release(placed);
		return NULL;
	}
	bw_unroll(nest, func, placed);
	bw_launch(nest, before, placed);
	widen(placed);
	count_points(nest, func, placed);
	placed->computed_once = bw_computed_once(nest, placed);
	bw_parity_needed(nest, placed);
	find_sole(nest, func, placed);
	placed->depth = bw_nest_depth(nest, &placement->compute);
	placed->store_depth = bw_nest_depth(nest, &placement->store);
	placed->hash = bw_hash_mix(placement->hash, (uint64_t)placement->func);
	placed->content = bw_placed_content(nest, placed);
	return placed;
}

const struct bw_placed *bw_nest_try(const struct bw_nest *nest, const struct bw_placement *placement,
				    const struct bw_placed *before, struct bw_error *error)
{
	const struct bw_placed *now = placement->compute.kind == BW_SITE_ROOT ? nest->placed[placement->func] : NULL;
	return place(nest, placement,
		     is_there_again(before, placement) ? before
		     : is_there_again(now, placement)  ? now
						       : NULL,
		     error);
}

struct bw_nest *bw_nest_place(const struct bw_nest *nest, const struct bw_placement *placement,
			      struct bw_error *error)
{
	struct bw_placed *placed = place(nest, placement, NULL, error);
	if (!placed)
		return NULL;
	struct bw_nest *child = bw_nest_copy(nest);
	bw_nest_set(child, placement->func, placed);
	bw_placed_release(placed);
	return child;
}

struct bw_nest *bw_nest_build(const struct bw_pipeline *pipeline,
			      const struct bw_placement *const *placements, int n, struct bw_error *error)
{
	struct bw_nest *nest = bw_nest_new(pipeline);
	int n_order, *order = bw_nest_order(pipeline, &n_order);
	for (int i = 0; i < n_order && nest; i++) {
		int f = order[i];
		const struct bw_func *func = &pipeline->funcs[f];
		bool ready = f < n && placements[f];
		for (int c = 0; c < func->n_consumers; c++)
			ready &= nest->placed[func->consumers[c]->func] != NULL;
		if (!ready)
			continue;
		struct bw_nest *next = bw_nest_place(nest, placements[f], error);
		bw_nest_drop(nest);
		nest = next;
	}
	free(order);
	return nest;
}
