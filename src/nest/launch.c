/* The block that Halide launches. It can be larger than any block that has work, because Halide
 * bounds the thread loops of what is computed in a block over all blocks, by expressions that it
 * simplifies only so far (FuseGPUThreadLoops.cpp of Halide 14 and 21). Seen in what the runtime of
 * Halide 14 launches:
 * - Halide does not use that blocks begin at multiples of their size. Four rows that read a
 * producer of an eighth of the rows need one of its rows, or two if they begin at row six, and get
 * two. If the rows are aligned (Func::align_bounds), they begin at multiples of that.
 * - A guard makes the end of a block a min(), which is a multiple of nothing. If that is divided,
 * because a producer has an eighth of the rows, and a block is not a multiple of eight rows, Halide
 * bounds over all blocks at once.
 * - It also does so if there is a clamp or the like in between; or a quotient that is multiplied
 * again: nothing cancels in 2 * ((16 * b + n) / 2) - 2 * ((16 * b - 1) / 2).
 * - It also does so if a guarded loop is split outwards and its extent n is a difference of a max()
 * and a min(), or a quotient: nothing cancels in min(8 * min(4 * b + 3, (n + 7) / 8 - 1) + 7, n - 1).
 * With three splits, n may be nothing but the extent of an output.
 * - It also does so if the loop of the blocks is fused with others, so that its variable is a
 * remainder, and the producer is split by the distance between blocks: then the begin of a block is
 * that variable, and nothing is left to cancel. */
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"

bool bw_launches_elsewhere(const struct bw_placement *placement)
{
	for (int s = 0; s < placement->n_stages && placement->compute.kind == BW_SITE_AT; s++)
		for (int i = 0; i < placement->stages[s].n_loops; i++)
			if (bw_loop_role(placement->stages[s].loops[i].kind) == BW_ROLE_THREAD)
				return true;
	return false;
}

/* Finds the region that a Func computes in another iteration of its host. Returns false if it is not
 * known. */
static bool computed_at(const struct bw_nest *nest, const struct bw_placed *placed, struct bw_move move,
			struct bw_interval *computed)
{
	struct bw_interval required[BW_MAX_DIMS];
	int func = placed->placement->func;
	return bw_nest_moved(nest, func, placed->regions[0].level, move, required) &&
	       bw_placement_box(&nest->pipeline->funcs[func], placed->placement, required, computed);
}

/* Raises the threads of a stage to those that its loops take with the given iterations. `steps`: by loop,
 * the distance from its beginning in one block to its beginning in the next; only loops that a split
 * divides by this distance count. NULL: all loops count. */
static void raise_stage(const struct bw_stage_plan *plan, const int64_t *iterations, const int64_t *steps,
			struct bw_placed_stage *placed)
{
	int n = 0;
	for (int i = plan->n_loops - 1; i >= 0; i--) {
		const struct bw_loop *piece = &plan->loops[i];
		if (!bw_stage_launches(plan, placed, i))
			continue;
		int64_t factor = bw_stage_inside(plan, piece->loop, 0), extent = bw_div_up(iterations[piece->loop], factor);
		if (!piece->extent && (!steps || (factor > 1 && steps[piece->loop] == factor)))
			placed->launched[n] = bw_max(placed->launched[n], extent);
		n++;
	}
}

/* Raises the `elsewhere` iterations of a stage's loops to the iterations that computing the box `computed`
 * takes. */
static void raise_elsewhere(const struct bw_stage *stage, const struct bw_interval *computed,
			    int64_t *elsewhere)
{
	struct bw_interval loops[BW_MAX_LOOPS];
	if (!bw_stage_loops_of(stage, computed, loops))
		return;
	for (int l = 0; l < stage->n_loops; l++)
		elsewhere[l] = bw_max(elsewhere[l], bw_interval_extent(&loops[l]));
}

/* Raises the `elsewhere` iterations to the iterations of the loops in another iteration of the host. */
static void look_at(const struct bw_nest *nest, struct bw_placed *placed, struct bw_move move)
{
	const struct bw_func *func = &nest->pipeline->funcs[placed->placement->func];
	struct bw_interval computed[BW_MAX_DIMS];
	if (!computed_at(nest, placed, move, computed))
		return;
	for (int s = 0; s < placed->placement->n_stages; s++)
		raise_elsewhere(&func->stages[s], computed, placed->stages[s].elsewhere);
}

/* Raises the `elsewhere` iterations to those for all that the Func computes in all blocks along a loop of
 * its host, if a split divides that by the distance between blocks. */
static void raise_to_all(const struct bw_nest *nest, struct bw_placed *placed, int loop)
{
	const struct bw_func *func = &nest->pipeline->funcs[placed->placement->func];
	struct bw_interval all[BW_MAX_DIMS], next[BW_MAX_DIMS], loops[BW_MAX_LOOPS], here[BW_MAX_LOOPS],
	    there[BW_MAX_LOOPS];
	if (!computed_at(nest, placed, (struct bw_move){.steps = 1, .whole = true, .loop = loop}, all) ||
	    !computed_at(nest, placed, (struct bw_move){.steps = 1, .loop = loop}, next))
		return;
	for (int s = 0; s < placed->placement->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		int64_t steps[BW_MAX_LOOPS], iterations[BW_MAX_LOOPS];
		if (!bw_stage_loops_of(stage, all, loops) || !bw_stage_loops_of(stage, next, there) ||
		    !bw_stage_loops_of(stage, placed->regions[0].computed, here))
			continue;
		for (int l = 0; l < stage->n_loops; l++) {
			steps[l] = there[l].min - here[l].min;
			iterations[l] = bw_interval_extent(&loops[l]);
		}
		raise_stage(&placed->placement->stages[s], iterations, steps, (struct bw_placed_stage *)&placed->stages[s]);
	}
}

/* Returns true if a guard may cut off a loop of a stage. */
static bool is_guarded(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int loop)
{
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].loop == loop && plan->loops[i].extent && placed->tails[i] == BW_TAIL_GUARD_WITH_IF)
			return true;
	return false;
}

/* Returns true if, because of a guard and divisions, Halide bounds over all blocks along a loop of
 * the host, with nothing that cancels. */
static bool takes_all(const struct bw_placed *host, int stage, int loop, int period)
{
	const struct bw_stage_plan *plan = &host->placement->stages[stage];
	return period > 1 && is_guarded(plan, &host->stages[stage], loop) &&
	       (bw_stage_fuses(plan, loop) || bw_stage_inside(plan, loop, 0) % period != 0);
}

/* Returns true if some output has a dimension with this estimated number of points. */
static bool is_as_large_as_output(const struct bw_pipeline *pipeline, int64_t extent)
{
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int d = 0; pipeline->funcs[f].output && d < pipeline->funcs[f].n_dims; d++)
			if (bw_interval_extent(&pipeline->funcs[f].estimate[d]) == extent)
				return true;
	return false;
}

/* Returns true if Halide bounds over all blocks along a loop of the host because each of its nested splits
 * has a guard. */
static bool hides_end(const struct bw_nest *nest, const struct bw_placed *host,
		      const struct bw_stage *stage, int loop)
{
	const struct bw_stage_plan *plan = &host->placement->stages[stage->index];
	int dim = stage->loops[loop].dim, splits = -1;
	if (dim < 0 || !is_guarded(plan, &host->stages[stage->index], loop) ||
	    !bw_stage_splits_outwards(plan, loop) || (nest->facts->constant[stage->func] >> dim & 1))
		return false;
	if (!nest->facts->affine[stage->func] || nest->facts->floors[stage->func * BW_MAX_DIMS + dim])
		return true;
	for (int i = 0; i < plan->n_loops; i++)
		splits += plan->loops[i].loop == loop;
	int64_t extent = bw_interval_extent(&host->regions[0].computed[dim]);
	return splits > 2 && !is_as_large_as_output(nest->pipeline, extent);
}

/* Returns a number of points such that all blocks along a loop of the host begin at multiples of it: what
 * its region is aligned to, as far as the points of a block are multiples of that. */
static int step_of(const struct bw_placed *host, const struct bw_stage *stage, int loop)
{
	int64_t align = stage->loops[loop].pure ? bw_max(host->placement->align[stage->loops[loop].dim], 1) : 1;
	return (int)bw_gcd(align, bw_stage_inside(&host->placement->stages[stage->index], loop, 0));
}

/* Sets the `elsewhere` iterations. They follow from the Func's site, not from how it is tiled
 * there. */
static void look_elsewhere(const struct bw_nest *nest, struct bw_placed *placed)
{
	const struct bw_site *site = &placed->placement->compute;
	int period = nest->facts->periods[placed->placement->func],
	    period_in = bw_period_in(nest, site->func, placed->placement->func);
	const struct bw_stage *stage = &nest->pipeline->funcs[site->func].stages[site->stage];
	const struct bw_moved *moved = bw_moved_in(nest, stage, placed->placement->func);
	for (int l = 0; l < stage->n_loops; l++) {
		if (!bw_plan_has(&nest->placed[site->func]->placement->stages[site->stage], l, BW_LOOP_BLOCK))
			continue;
		bool looks = (moved->uneven_loops & moved->divided) >> l & 1;
		int step = step_of(nest->placed[site->func], stage, l);
		for (int steps = step; steps < period_in && looks && placed->proof != BW_PROOF_BLOCKS; steps += step)
			look_at(nest, placed, (struct bw_move){.steps = steps, .points = true, .loop = l});
		if (takes_all(nest->placed[site->func], site->stage, l, period) || (moved->rescaled >> l & 1) ||
		    (placed->proof == BW_PROOF_RUN && (moved->bent >> l & 1)) ||
		    hides_end(nest, nest->placed[site->func], stage, l))
			look_at(nest, placed, (struct bw_move){.steps = 1, .whole = true, .loop = l});
	}
}

static void take_elsewhere(const struct bw_nest *nest, const struct bw_placed *before,
			   struct bw_placed *placed)
{
	const struct bw_func *func = &nest->pipeline->funcs[placed->placement->func];
	for (int s = 0; s < placed->placement->n_stages; s++)
		memcpy(placed->stages[s].elsewhere, before->stages[s].elsewhere,
		       (size_t)func->stages[s].n_loops * sizeof(int64_t));
}

void bw_launch(const struct bw_nest *nest, const struct bw_placed *before, struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	const struct bw_site *site = &placement->compute;
	for (int s = 0; s < placement->n_stages; s++)
		memcpy(((struct bw_placed_stage *)&placed->stages[s])->launched, placed->stages[s].threads,
		       sizeof placed->stages[s].launched);
	if (!placement->n_stages || !placed->stages[0].elsewhere)
		return;
	if (before && before->stages[0].elsewhere)
		take_elsewhere(nest, before, placed);
	else
		look_elsewhere(nest, placed);
	for (int s = 0; s < placement->n_stages; s++)
		raise_stage(&placement->stages[s], placed->stages[s].elsewhere, NULL,
			    (struct bw_placed_stage *)&placed->stages[s]);
	const struct bw_placed *host = nest->placed[site->func];
	const struct bw_stage_plan *plan = &host->placement->stages[site->stage];
	int period = nest->facts->periods[placement->func];
	for (int l = 0; l < nest->pipeline->funcs[site->func].stages[site->stage].n_loops; l++)
		if (is_guarded(plan, &host->stages[site->stage], l) && bw_stage_fuses(plan, l) &&
		    !takes_all(host, site->stage, l, period))
			raise_to_all(nest, placed, l);
}
