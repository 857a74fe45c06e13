/* Plans: the loops that the search gives to a Func, made from its site and a few sizes. There is
 * one canonical order of loops, so that a choice can be written in few words (the short form of
 * beamwalk-schedule(5)), and equal choices are equal plans.
 *
 * Sizes are arrays with one entry per dimension of the Func, innermost dimension first; NULL stands
 * for all 1. Every stage of the Func gets the sizes on those of its loops that walk the dimension.
 * A piece of extent 1 is left out. The loops listed below stand outermost first; "in order" means
 * in Halide's order, from the outermost loop of the stage to the innermost. */
#ifndef BW_NEST_PLAN_H
#define BW_NEST_PLAN_H
#include "nest/placement.h"

enum {
	/* most iterations of serial pieces that are unrolled, as in Halide's anderson2021 (Anderson
	 * et al. 2021, section 4.6: below 16) */
	BW_PLAN_UNROLLED = 16,
	/* a whole loop is unrolled if the copies of its body, together with the loops unrolled
	 * around it, are fewer than this: code stays small */
	BW_PLAN_COPIES_BELOW = 256,
	BW_PLAN_THREAD_LOOPS = 3 /* thread loops per stage: a GPU's block has three dimensions */
};

/* The functions below return a new placement with memory AUTO and the default storage order,
 * computed and stored at the same site. The caller drops it with bw_placement_drop.
 *
 * At root: block loops of every parallel loop in order (of parallel RVars, too); thread pieces in
 * order, on the three innermost dimensions that have one (those beyond make the serial extents
 * larger); RVars that are not parallel, serial; serial (or unrolled) pieces in order. */
const struct bw_placement *bw_plan_root(const struct bw_pipeline *pipeline, int func, const int64_t *serial,
					const int64_t *threads);
/* At root with the tiling still to be decided; the plan is that of bw_plan_root with the same
 * sizes. */
const struct bw_placement *bw_plan_untiled(const struct bw_pipeline *pipeline, int func,
					   const int64_t *serial, const int64_t *threads);
/* At a block: thread loops in order, the innermost three Vars (the others become serial); RVars, serial;
 * serial (or unrolled) pieces in order. */
const struct bw_placement *bw_plan_at_block(const struct bw_pipeline *pipeline, int func,
					    const struct bw_site *site, const int64_t *serial);
/* In a thread, or at a serial loop of one: every loop serial, in order (bw_nest_place unrolls small ones). */
const struct bw_placement *bw_plan_in_thread(const struct bw_pipeline *pipeline, int func,
					     const struct bw_site *site);
const struct bw_placement *bw_plan_inline(const struct bw_pipeline *pipeline, int func);

/* Returns a placement with all serial pieces in its threads unrolled, or with none; NULL if there is none.
 * Drop it with bw_placement_drop. */
const struct bw_placement *bw_plan_unrolled(const struct bw_placement *placement, bool on);
/* Returns true if a loop is a serial piece in a thread, which may be unrolled. */
bool bw_plan_may_unroll(const struct bw_loop *loop);

/* Finds the sizes of the pure stage by dimension: the extents of its serial (also unrolled and
 * vector) pieces and of its thread pieces, 1 if there is no such piece. Called with these sizes,
 * bw_plan_root and bw_plan_at_block make the same plan again. */
void bw_plan_sizes(const struct bw_pipeline *pipeline, const struct bw_placement *placement, int64_t *serial,
		   int64_t *threads);
#endif
