/* Decides which extents Halide can prove, from the facts of a pipeline and the loops around a Func. */
#include "nest/proof.h"

#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"

/* Returns true if the last iteration of some split, of a host or further out, is shifted inwards,
 * so that regions inside of it can begin anywhere. */
static bool shifts(const struct bw_nest *nest, const struct bw_site *site)
{
	for (struct bw_site at = *site; at.kind == BW_SITE_AT; at = nest->placed[at.func]->placement->compute) {
		const struct bw_placed *host = nest->placed[at.func];
		const struct bw_stage_plan *plan = &host->placement->stages[at.stage];
		struct bw_interval loops[BW_MAX_LOOPS];
		if (!bw_stage_loops_of(&nest->pipeline->funcs[at.func].stages[at.stage], host->regions[0].computed, loops))
			return true;
		for (int i = 0; i < plan->n_loops; i++)
			if (host->stages[at.stage].tails[i] == BW_TAIL_SHIFT_INWARDS &&
			    bw_interval_extent(&loops[plan->loops[i].loop]) %
				bw_stage_inside(plan, plan->loops[i].loop, i))
				return true;
	}
	return false;
}

/* Returns true if what a Func covers in an iteration of its host is rounded by more divisions than
 * the host's own position, and the latter by at least `before`. Even if the extent is always 1,
 * Halide does not see that it is constant: it turns ((x - 1) / 2 + i + 1) / 2 - ((x - 1) / 2 + i -
 * 1) / 2, which is 1, into ((x + 1) / 2 + i) / 2 - ((x - 3) / 2 + i) / 2. */
static bool rounds(const struct bw_nest *nest, int func, int host, int before)
{
	const int *mine = &nest->facts->floors[func * BW_MAX_DIMS], *its = &nest->facts->floors[host * BW_MAX_DIMS];
	for (int d = 0; d < nest->pipeline->funcs[func].n_dims; d++)
		for (int e = 0; e < nest->pipeline->funcs[host].n_dims; e++)
			if (its[e] >= before && mine[d] > its[e])
				return true;
	return false;
}

/* Returns true if a loop of a host is split at least twice around a site, rounding up, and the part
 * of the outermost piece is no multiple of `period`. Halide 14 finds no bound on (44 * b + 2 * t + m
 * + 9) / 8 - (44 * b + 2 * t + m) / 8, since it writes the two sums in different orders. It finds one
 * if 44 * b is alone, or if it is 48 * b, which it takes out of both quotients. */
static bool is_hidden(const struct bw_placed *host, const struct bw_site *site, int loop, int period)
{
	const struct bw_stage_plan *plan = &host->placement->stages[site->stage];
	int last = bw_placed_own_level(host, bw_level_of_site(site))->piece, first = -1;
	for (int i = 0; i <= last; i++) {
		if (plan->loops[i].loop != loop)
			continue;
		if (first >= 0)
			return host->stages[site->stage].tails[i] == BW_TAIL_ROUND_UP &&
			       bw_stage_inside(plan, loop, first + 1) % period;
		first = i;
	}
	return false;
}

/* Returns true if a loop of a thread's host that moves a Func by a quotient hides the bound on the
 * Func's extents. */
static bool splits_quotient(const struct bw_nest *nest, const struct bw_site *site, int func)
{
	const struct bw_placed *host = nest->placed[site->func];
	const struct bw_stage *stage = &nest->pipeline->funcs[site->func].stages[site->stage];
	const struct bw_moved *moved = bw_moved_in(nest, stage, func);
	int period = bw_period_in(nest, site->func, func);
	for (int l = 0; l < stage->n_loops; l++)
		if ((moved->divided & moved->uneven_loops) >> l & 1 && is_hidden(host, site, l, period))
			return true;
	return false;
}

/* A question about guards around a Func. */
struct inside {
	int func;               /* the Func that is read or stored inside of them */
	bool rounded;           /* its computed region may be rounded there */
	bool single;            /* a guard that leaves out single points counts, too */
	const int64_t *extents; /* by dimension, of the region that is read or stored */
};

/* Returns true if Halide finds no bound on a loop that a guard may end. There are three cases. The
 * host is not affine: its extent follows from a clamp. The loop ends at a rounded position: Halide
 * 14 finds no bound on min((n + 2) / 4, 4 * i + 3) - 4 * i. The Func's region is rounded inside of
 * the loop: min(n, i + 2) / 2 - i / 2 is not a constant to Halide. */
static bool ends_anywhere(const struct bw_nest *nest, const struct bw_stage *stage, int loop,
			  const struct inside *inside)
{
	const struct bw_stage_loop *of = &stage->loops[loop];
	return of->pure && (!nest->facts->affine[stage->func] ||
			    nest->facts->floors[stage->func * BW_MAX_DIMS + of->dim] > 0 ||
			    (inside->rounded && rounds(nest, inside->func, stage->func, 0)));
}

/* Returns true if Halide knows the extents of a Func at its site. At root, Halide knows no extents. */
static bool is_known(const struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	return placement->compute.kind == BW_SITE_AT &&
	       bw_site_equal(&placement->store, &placement->compute) && placed->proof == BW_PROOF_CONSTANT;
}

/* Returns true if Halide finds no bound on what is inside of a level because of how a guarded loop
 * is split. Such an extent is max(min(min(n - 3 * i, 3) + (3 * i + m), n + m), m + min(3 * i + 3,
 * n)) - (3 * i + m). Halide 14 sees that this is at most 3 after an even number of splits, since
 * every second split names the position where the iteration begins; or if min(3 * i + 3, n) is used
 * once. A loop over a later dimension of more than one point uses it again. If two splits inside of
 * the level have a guard each, Halide finds no constant. */
static bool splits_hide(const struct bw_nest *nest, const struct bw_stage *stage, int loop, int level,
                        const struct inside *inside)
{
	const struct bw_stage_plan *plan = &nest->placed[stage->func]->placement->stages[stage->index];
	const struct bw_moved *moved = bw_moved_in(nest, stage, inside->func);
	int splits = -1, within = 0;
	for (int i = 0; i < plan->n_loops; i++) {
		splits += plan->loops[i].loop == loop;
		within += plan->loops[i].loop == loop && i > level;
	}
	if (bw_stage_splits_outwards(plan, loop)) {
		if (within > 1)
			return true;
		splits = 1;
	}
	if (splits % 2 == 0 || !(moved->loops >> loop & 1))
		return false;
	for (int d = moved->first[loop] + 1; d < nest->pipeline->funcs[inside->func].n_dims; d++)
		if (inside->extents[d] > 1)
			return true;
	return false;
}

/* Returns true if Halide knows the whole computed extent of a loop's dimension of a host at root:
 * the generator fixes the bounds of an output, and nothing makes the host compute more. */
static bool is_fixed(const struct bw_nest *nest, const struct bw_stage *stage, int loop)
{
	const struct bw_func *func = &nest->pipeline->funcs[stage->func];
	const struct bw_stage_loop *of = &stage->loops[loop];
	if (!of->pure || !(func->fixed >> of->dim & 1))
		return false;
	const struct bw_interval *computed = &nest->placed[stage->func]->regions[0].computed[of->dim];
	return computed->min == func->estimate[of->dim].min && computed->max == func->estimate[of->dim].max;
}

/* Returns true if the guard of a host's loop makes the extents inside of it unprovable. It does if
 * it cuts off a part at the estimated sizes, if it can end anywhere, or if the loop's blocks are
 * fused with others (Halide 14 knows no bounds of a remainder). If the loop's extent is not known,
 * it also does if the Func is read at several places, one of which ends where the iteration begins:
 * Halide 14 finds no bound on max(min(i + 2, n), min(i, n - 2)) - i, but finds one on max(min(i +
 * 3, n), min(i + 1, n - 2)) - i. */
static bool guard_cuts(const struct bw_nest *nest, const struct bw_stage *stage, int loop, int level,
                       int64_t extent, const struct inside *inside)
{
	const struct bw_placed *host = nest->placed[stage->func];
	const struct bw_stage_plan *plan = &host->placement->stages[stage->index];
	int64_t size = bw_stage_inside(plan, loop, level + 1);
	if (size <= 1)
		return inside->single;
	if (extent % size != 0 || bw_stage_fuses(plan, loop) || ends_anywhere(nest, stage, loop, inside))
		return true;
	bool back = size < BW_MOST_BACK && (bw_moved_in(nest, stage, inside->func)->back >> size & 1);
	bool known = is_known(host) || is_fixed(nest, stage, loop);
	return !known && (back || splits_hide(nest, stage, loop, level, inside));
}

/* Returns true if a guard of one of the stage's loops makes the extents inside of level `own` unprovable. */
static bool stage_cuts(const struct bw_nest *nest, const struct bw_stage *stage,
		       const struct bw_own_level *own, const struct inside *inside)
{
	const struct bw_placed *host = nest->placed[stage->func];
	const struct bw_stage_plan *plan = &host->placement->stages[stage->index];
	struct bw_interval loops[BW_MAX_LOOPS];
	uint32_t divided = 0; /* loops with a piece at the level or outside of it */
	if (!bw_stage_loops_of(stage, host->regions[0].computed, loops))
		return true;
	for (int k = 0; k <= own->piece; k++)
		divided |= (uint32_t)1 << plan->loops[k].loop;
	for (int i = 0; i < plan->n_loops; i++) {
		int loop = plan->loops[i].loop;
		if (host->stages[stage->index].tails[i] != BW_TAIL_GUARD_WITH_IF || !(divided >> loop & 1))
			continue;
		if (guard_cuts(nest, stage, loop, own->piece, bw_interval_extent(&loops[loop]), inside))
			return true;
	}
	return false;
}

/* Returns true if a guard of a host, or of a loop further out, changes the size that Halide sees
 * inside of it. */
static bool cuts_off(const struct bw_nest *nest, const struct bw_site *site, struct inside inside)
{
	for (struct bw_site at = *site; at.kind == BW_SITE_AT; at = nest->placed[at.func]->placement->compute)
		if (stage_cuts(nest, &nest->pipeline->funcs[at.func].stages[at.stage],
			       bw_placed_own_level(nest->placed[at.func], bw_level_of_site(&at)), &inside))
			return true;
	return false;
}

/* Widens extents to those of the box that is touched in an iteration of the level where the Func is
 * stored, including what the Func computes there itself. Returns false if the box is unbounded. */
static bool touch(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed,
		  bw_level level, struct bw_move move, int64_t *extents)
{
	struct bw_interval touched[BW_MAX_DIMS], own[BW_MAX_DIMS];
	if (!bw_nest_touched(nest, placed->placement->func, level, move, touched) ||
	    !bw_placement_box(func, placed->placement, touched, own))
		return false;
	for (int d = 0; d < func->n_dims; d++)
		extents[d] = bw_interval_extent(&own[d]);
	return true;
}

/* A walk over iterations of the host of a level. */
struct moving {
	const struct bw_nest *nest;
	const struct bw_func *func;
	const struct bw_placed *placed;
	bw_level level;
	int64_t *most; /* the largest extents so far, by dimension */
	bool same;     /* all iterations so far had the same extents */
};

/* Visits one iteration. Returns false if the box that is touched there is unbounded. */
static bool look(struct moving *moving, struct bw_move move)
{
	int64_t extents[BW_MAX_DIMS];
	if (!touch(moving->nest, moving->func, moving->placed, moving->level, move, extents))
		return false;
	for (int d = 0; d < moving->func->n_dims; d++) {
		moving->same &= extents[d] == moving->most[d];
		moving->most[d] = bw_max(moving->most[d], extents[d]);
	}
	return true;
}

/* Number of further iterations that are always visited, and of those that are visited at most. */
enum { STEPS = 16, FURTHEST = 4 * BW_MOST_PERIOD };

/* Returns the number of further iterations of a host's loop after which the extents of a Func repeat: at most
 * FURTHEST, because a period of BW_MOST_PERIOD may be longer. */
static int further(const struct bw_nest *nest, int host, int func)
{
	int period = bw_period_in(nest, host, func);
	return period < BW_MOST_PERIOD ? period : FURTHEST;
}

/* Visits `steps` further iterations. Those beyond STEPS outside of the loop's ends, where only sameness is
 * asked for, are visited only as long as all had the same extents. */
static bool move_on(struct moving *moving, struct bw_move move, int steps)
{
	for (move.steps = 1; move.steps <= steps; move.steps++) {
		if (move.steps > STEPS && !moving->same && !move.within)
			break;
		if (!look(moving, move))
			return false;
	}
	return true;
}

/* Moves the loops of a level's host on, all together and each alone, by some of its iterations or
 * by single points, and widens the largest extents by those found. Returns true if all extents were
 * the same: as many as a period has, if that is at most FURTHEST. The loops are moved beyond their ends,
 * because Halide assumes nothing about the extents of an output.
 *
 * One step is enough for loops that move nothing, or that move everything as one. A loop that is
 * the only one to move anything is covered by moving all loops, and so are loops that each move
 * dimensions of their own; then only the case in which nothing moves is left. */
static bool all_alike(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed,
		      bw_level level, bool points, int64_t *most)
{
	const struct bw_func *of = &nest->pipeline->funcs[bw_level_func(level)];
	const struct bw_stage *host = &of->stages[bw_level_stage(level)];
	const struct bw_moved *moved = bw_moved_in(nest, host, placed->placement->func);
	struct bw_move move = {.points = points};
	struct moving moving = {nest, func, placed, level, most, true};
	int steps = bw_max(further(nest, bw_level_func(level), placed->placement->func), STEPS);
	bool still = false;
	if (moved->as_one)
		return move_on(&moving, (struct bw_move){.points = points, .loop = -1}, 1) && moving.same;
	for (move.loop = -1; move.loop < host->n_loops; move.loop++) {
		uint32_t by = move.loop < 0 ? moved->loops : moved->loops & (uint32_t)1 << move.loop;
		if ((!by && still) || (by && move.loop >= 0 && (moved->apart || by == moved->loops)))
			continue;
		still |= !by;
		if (!move_on(&moving, move, by ? steps : 1))
			return false;
	}
	if (moved->apart && !still && host->n_loops > 1 && !move_on(&moving, move, 1))
		return false;
	return moving.same;
}

/* Returns true if an iteration of a level covers whole loops of its host whose extents vary. */
static bool host_varies(const struct bw_nest *nest, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT || nest->placed[site->func]->proof == BW_PROOF_CONSTANT)
		return false;
	const struct bw_stage_plan *plan = &nest->placed[site->func]->placement->stages[site->stage];
	for (int i = bw_placed_own_level(nest->placed[site->func], bw_level_of_site(site))->piece + 1;
	     i < plan->n_loops; i++)
		if (!plan->loops[i].extent)
			return true;
	return false;
}

/* Returns true if every consumer of a Func has constant extents, apart from the one whose loops the
 * Func is in. */
static bool read_steadily(const struct bw_nest *nest, const struct bw_func *func, const struct bw_site *site)
{
	for (int c = 0; c < func->n_consumers; c++)
		if (!(site->kind == BW_SITE_AT && func->consumers[c]->func == site->func) &&
		    nest->placed[func->consumers[c]->func]->proof != BW_PROOF_CONSTANT)
			return false;
	return true;
}

/* Returns true if a tail of a stage is guarded, so that its last iterations end where the stage
 * does, unless Halide knows at root that the guard cuts off nothing. */
static bool guarded(const struct bw_nest *nest, int func, int stage)
{
	const struct bw_placed *host = nest->placed[func];
	const struct bw_stage *of = &nest->pipeline->funcs[func].stages[stage];
	const struct bw_stage_plan *plan = &host->placement->stages[stage];
	for (int i = 0; i < plan->n_loops; i++) {
		int dim = of->loops[plan->loops[i].loop].dim;
		bool constant = dim >= 0 && host->placement->compute.kind == BW_SITE_ROOT &&
				(nest->facts->constant[func] >> dim & 1) &&
				bw_interval_extent(&host->regions[0].computed[dim]) %
					bw_stage_inside(plan, plan->loops[i].loop, 0) == 0;
		if (host->stages[stage].tails[i] == BW_TAIL_GUARD_WITH_IF && !constant)
			return true;
	}
	return false;
}

/* Returns true if Halide finds a bound on the extents of a Func that is stored inside a kernel. What a
 * block or a thread of a host at root needs depends only on where the kernel begins, which is one
 * number to Halide, unless a guard cuts it off where the kernel ends. */
static bool is_affine(const struct bw_nest *nest, const struct bw_placed *placed)
{
	const struct bw_site *store = &placed->placement->store;
	if (nest->facts->affine[placed->placement->func])
		return true;
	return store->func == placed->kernel_func && !guarded(nest, store->func, store->stage) &&
	       bw_affine_in(nest, store->func, placed->placement->func);
}

/* Widens the largest extents by those of iterations that the host of a level really has: the next
 * ones, and those at the edges. */
static void widen_within(const struct bw_nest *nest, const struct bw_func *func,
			 const struct bw_placed *placed, bw_level level, int64_t *most)
{
	enum { FAR = 1 << 20 };
	const struct bw_stage *host = &nest->pipeline->funcs[bw_level_func(level)].stages[bw_level_stage(level)];
	struct moving moving = {nest, func, placed, level, most, true};
	for (struct bw_move move = {.within = true, .loop = -1}; move.loop < host->n_loops; move.loop++) {
		if (!move_on(&moving, move, further(nest, host->func, placed->placement->func)))
			return;
		for (move.steps = -FAR; move.steps <= FAR; move.steps += 2 * FAR)
			look(&moving, move);
	}
}

/* Returns true if a Func at a block has the same extents in all blocks, and Halide launches no more threads
 * than these extents need: each dimension either moves with the blocks as one, or all blocks together need
 * no more of it than one block does, which bounds whatever Halide finds. If other than plain expressions
 * are involved, Halide may find no bound and end with an internal error. With a guard it may launch for all
 * blocks together, although the terms cancel. */
static bool same_in_all_blocks(const struct bw_nest *nest, const struct bw_func *func,
			       const struct bw_placed *placed, bw_level level)
{
	const struct bw_func *of = &nest->pipeline->funcs[bw_level_func(level)];
	const struct bw_moved *moved =
	    bw_moved_in(nest, &of->stages[bw_level_stage(level)], placed->placement->func);
	int64_t here[BW_MAX_DIMS], all[BW_MAX_DIMS];
	const struct bw_site *store = &placed->placement->store;
	if (!moved->plain || store->role != BW_ROLE_BLOCK ||
	    !bw_site_equal(store, &placed->placement->compute) ||
	    guarded(nest, store->func, store->stage))
		return false;
	if (!touch(nest, func, placed, level, (struct bw_move){.loop = -1}, here) ||
	    !touch(nest, func, placed, level, (struct bw_move){.steps = 1, .whole = true, .loop = -1}, all))
		return false;
	for (int d = 0; d < func->n_dims; d++)
		if ((moved->uneven >> d & 1) && all[d] != here[d])
			return false;
	return true;
}

/* Returns what follows from the regions alone, without guards. If a clamp or the like is involved,
 * extents count as different. Then a thread's extents have no bound that Halide sees. What a block
 * keeps in shared memory is as large as the largest in any block, and so are its threads
 * (launch.c). What a thread keeps may vary with where the output begins, because Halide then finds
 * the largest extent; but not if its consumer varies, too: Halide 14 to 21 find no bound on the
 * difference of two such ends, and refuse. */
static enum bw_proof prove_regions(const struct bw_nest *nest, const struct bw_func *func,
				   const struct bw_placed *placed, bw_level level, int64_t *most)
{
	const struct bw_site *store = &placed->placement->store;
	if (!touch(nest, func, placed, level, (struct bw_move){.loop = -1}, most))
		return BW_PROOF_NONE;
	if (level == BW_LEVEL_ROOT || (nest->facts->rigid[placed->placement->func] && !placed->realigned))
		return BW_PROOF_CONSTANT;
	int64_t anywhere[BW_MAX_DIMS], elsewhere[BW_MAX_DIMS];
	memcpy(anywhere, most, (size_t)func->n_dims * sizeof *most);
	memcpy(elsewhere, most, (size_t)func->n_dims * sizeof *most);
	bool thread = bw_nest_inside_threads(nest, store), realigned = placed->realigned;
	if (!all_alike(nest, func, placed, level, realigned || shifts(nest, store), elsewhere) || realigned ||
	    !is_affine(nest, placed)) {
		if (realigned && !thread)
			memcpy(most, elsewhere, (size_t)func->n_dims * sizeof *most);
		if (!thread && !realigned && same_in_all_blocks(nest, func, placed, level))
			return BW_PROOF_BLOCKS;
		if (!thread)
			widen_within(nest, func, placed, level, most);
		else
			memcpy(most, elsewhere, (size_t)func->n_dims * sizeof *most);
		return thread ? BW_PROOF_NONE : BW_PROOF_RUN;
	}
	bool varies = host_varies(nest, store),
	     steady = !varies && all_alike(nest, func, placed, level, true, anywhere);
	if (thread && (rounds(nest, placed->placement->func, store->func, 1) ||
		       (!steady && (varies || !read_steadily(nest, func, store) ||
				    splits_quotient(nest, store, placed->placement->func)))))
		return BW_PROOF_NONE;
	return steady ? BW_PROOF_CONSTANT : BW_PROOF_BOUND;
}

enum bw_proof bw_prove_storage(const struct bw_nest *nest, const struct bw_func *func,
			       const struct bw_placed *placed, int64_t *most)
{
	const struct bw_site *store = &placed->placement->store;
	enum bw_proof proof = prove_regions(nest, func, placed, bw_level_of_site(store), most);
	bool thread = bw_nest_inside_threads(nest, store);
	const struct inside inside = {placed->placement->func, true, func->n_stages > 1, most};
	return thread && cuts_off(nest, store, inside) ? BW_PROOF_NONE : proof;
}

enum bw_proof bw_prove_inlined(const struct bw_nest *nest, const struct bw_func *func)
{
	return read_steadily(nest, func, &(struct bw_site){BW_SITE_INLINE}) ? BW_PROOF_CONSTANT : BW_PROOF_BOUND;
}

enum bw_proof bw_prove_loop(const struct bw_stage_loop *loop, const struct bw_placed *placed)
{
	if (loop->pure)
		return placed->proof < BW_PROOF_BOUND ? BW_PROOF_NONE : placed->proof;
	return bw_expr_constant(loop->bound.min) && bw_expr_constant(loop->bound.max) ? BW_PROOF_CONSTANT
										      : BW_PROOF_NONE;
}

enum bw_proof bw_prove_pass(const struct bw_nest *nest, const struct bw_stage *stage,
			    const struct bw_site *site, int func, const int64_t *extents)
{
	const struct inside inside = {func, false, false, extents};
	const struct bw_placed *placed = nest->placed[stage->func];
	if (site->func == stage->func)
		return cuts_off(nest, site, inside) || host_varies(nest, site) ? BW_PROOF_NONE : BW_PROOF_CONSTANT;
	return placed->proof == BW_PROOF_CONSTANT &&
		       bw_site_equal(&placed->placement->store, &placed->placement->compute)
		   ? BW_PROOF_CONSTANT
		   : BW_PROOF_NONE;
}
