/* Decides which serial loops are unrolled (Anderson et al. 2021, section 4.7). An array that a thread
 * keeps stays in registers only if every index is a constant. For pieces of loops, the plan says whether
 * they are unrolled. For whole loops, this file decides, because their extents are known only here. */
#include <math.h>

#include "base/arith.h"
#include "nest/nest_private.h"
#include "nest/plan.h"
#include "nest/proof.h"

bool bw_stage_unrolls(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece)
{
	return plan->loops[piece].kind == BW_LOOP_UNROLLED || (piece < 64 && (placed->unrolls >> piece & 1));
}

enum bw_loop_kind bw_stage_loop_kind(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed,
				     int piece)
{
	const enum bw_loop_kind kind = plan->loops[piece].kind;
	bool unrolls = placed->extents[piece] > 1 && bw_stage_unrolls(plan, placed, piece);
	return kind == BW_LOOP_SERIAL && unrolls ? BW_LOOP_UNROLLED : kind;
}

bool bw_stage_copies(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece)
{
	return plan->loops[piece].kind == BW_LOOP_VECTOR || bw_stage_unrolls(plan, placed, piece);
}

/* Returns how many copies of a site's code its kernel has because hosts unroll loops around it. */
static double copies_at(const struct bw_nest *nest, const struct bw_site *site)
{
	double copies = 1;
	for (struct bw_site at = *site; at.kind == BW_SITE_AT;) {
		const struct bw_placed *host = nest->placed[at.func];
		const struct bw_placed_stage *stage = &host->stages[at.stage];
		const struct bw_own_level *own = bw_placed_own_level(host, bw_level_of_site(&at));
		for (int i = 0; i <= own->piece; i++)
			if (bw_stage_copies(&host->placement->stages[at.stage], stage, i))
				copies *= fmax(1, (double)stage->extents[i]);
		at = host->placement->compute;
	}
	return copies;
}

/* Returns true if all loops of a placed stage from its threads down to a piece are unrolled, where they have
 * iterations. */
static bool unrolls_to(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece)
{
	bool all = true;
	for (int i = 0; i <= piece && all; i++)
		all = placed->extents[i] == 1 || plan->loops[i].kind == BW_LOOP_BLOCK ||
		      plan->loops[i].kind == BW_LOOP_THREAD || bw_stage_copies(plan, placed, i);
	return all;
}

double bw_computed_once(const struct bw_nest *nest, const struct bw_placed *placed)
{
	const struct bw_stage_plan *plan = placed->placement->stages;
	double iterations = 1;
	int at = 0;
	if (placed->memory != BW_MEMORY_REGISTERS || placed->placement->n_stages > 1 ||
	    !unrolls_to(plan, placed->stages, plan->n_loops - 1))
		return 1;
	for (; at + 1 < placed->n_regions && bw_level_role(placed->regions[at].level) == BW_ROLE_SERIAL; at++) {
		bw_level level = placed->regions[at].level;
		int stage = bw_level_stage(level);
		const struct bw_placed *host = nest->placed[bw_level_func(level)];
		const struct bw_own_level *own = bw_placed_own_level(host, level);
		if (!unrolls_to(&host->placement->stages[stage], &host->stages[stage], own->piece))
			break;
		iterations *= own->iterations;
	}
	return fmin(1, bw_box_points(placed->regions[at].computed, placed->n_dims) /
			   (bw_box_points(placed->regions[0].computed, placed->n_dims) * iterations));
}

/* The state of the walk over the loops of a stage. */
struct unrolling {
	const struct bw_stage *stage;
	const struct bw_stage_plan *plan;
	const struct bw_placed *of;
	bool threaded;
	double around; /* copies of the stage's code because of its hosts */
	double copies; /* copies of the body that the unrolled loops of the stage make so far */
};

/* Returns true if a piece is a whole serial loop; only these are unrolled here. */
static inline bool is_whole_serial(const struct bw_stage_plan *plan, int piece)
{
	return plan->loops[piece].kind == BW_LOOP_SERIAL && !plan->loops[piece].extent;
}

/* Returns true if a piece is run by a single thread. Elsewhere the copies would need barriers
 * between them. */
static bool is_inside(const struct unrolling *unrolling, int piece)
{
	bool threaded = unrolling->threaded;
	for (int i = 0; i < piece; i++)
		threaded |= bw_stage_launches(unrolling->plan, &unrolling->of->stages[unrolling->stage->index], i);
	return threaded;
}

static bool can_unroll(const struct unrolling *unrolling, int piece, bool pure)
{
	const struct bw_stage_loop *loop = &unrolling->stage->loops[unrolling->plan->loops[piece].loop];
	return piece < 64 && loop->pure == pure && is_inside(unrolling, piece) &&
	       bw_prove_loop(loop, unrolling->of) != BW_PROOF_NONE;
}

/* A Func in a thread has to have all of its points in registers, or none. */
static bool fits(const struct unrolling *unrolling, double more, double most)
{
	double copies = unrolling->copies * more;
	return copies <= most && copies * unrolling->around < BW_PLAN_COPIES_BELOW;
}

/* Unrolls all Vars or none, because a Var that is not unrolled makes an index variable. Then unrolls
 * RVars, from the innermost outwards. */
static void unroll(struct unrolling *unrolling, struct bw_placed_stage *placed)
{
	const struct bw_stage_plan *plan = unrolling->plan;
	double vars = 1, reduced = 1;
	uint64_t pieces = 0;
	for (int i = 0; i < plan->n_loops; i++) {
		if (plan->loops[i].kind == BW_LOOP_UNROLLED || plan->loops[i].kind == BW_LOOP_VECTOR)
			unrolling->copies *= fmax(1, (double)placed->extents[i]);
		if (plan->loops[i].kind == BW_LOOP_UNROLLED && !unrolling->stage->loops[plan->loops[i].loop].pure)
			reduced *= fmax(1, (double)placed->extents[i]);
		if (is_whole_serial(plan, i) && can_unroll(unrolling, i, true)) {
			vars *= fmax(1, (double)placed->extents[i]);
			pieces |= (uint64_t)1 << i;
		}
	}
	double most = !unrolling->threaded ? BW_PLAN_UNROLLED : reduced > 1 ? BW_PLAN_COPIES : BW_PLAN_POINTS;
	if (fits(unrolling, vars, most)) {
		placed->unrolls = pieces;
		unrolling->copies *= vars;
	}
	for (int i = plan->n_loops - 1; i >= 0; i--)
		if (is_whole_serial(plan, i) && can_unroll(unrolling, i, false) &&
		    fits(unrolling, fmax(1, (double)placed->extents[i]), BW_PLAN_UNROLLED)) {
			placed->unrolls |= (uint64_t)1 << i;
			unrolling->copies *= fmax(1, (double)placed->extents[i]);
		}
}

/* Returns the points of one pass through the innermost loops that are unrolled, or vectors. */
static int64_t unrolled(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed)
{
	double points = 1;
	for (int i = plan->n_loops - 1; i >= 0 && bw_stage_copies(plan, placed, i); i--)
		points *= fmax(1, (double)placed->extents[i]);
	return bw_capped(points);
}

void bw_unroll(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	double copies = copies_at(nest, &placement->compute);
	bool threaded = bw_nest_inside_threads(nest, &placement->compute);
	for (int s = 0; s < placement->n_stages; s++) {
		struct bw_placed_stage *stage = (struct bw_placed_stage *)&placed->stages[s];
		unroll(&(struct unrolling){&func->stages[s], &placement->stages[s], placed, threaded, copies, 1}, stage);
		stage->unrolled = unrolled(&placement->stages[s], stage);
	}
}
