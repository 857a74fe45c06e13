/* Plans: the loops that the search gives to a Func, from the site and a few sizes. One canonical order of
 * loops, so that a choice can be said in few words (the short form of beamwalk-schedule(5)) and two choices
 * that are alike are equal.
 *
 * Sizes are arrays of one entry a dimension of the Func, innermost dimension first; NULL: all 1. Every stage
 * of the Func gets the sizes on those of its loops that walk the dimension. A piece of extent 1 is left out.
 * Loops below stand outermost first; "in order" means from the outermost loop of the stage, as Halide orders
 * them, to the innermost. */
#ifndef BW_NEST_PLAN_H
#define BW_NEST_PLAN_H
#include "nest/placement.h"

enum {
	BW_PLAN_UNROLLED = 16,      /* most iterations of serial pieces that are unrolled, as in Halide's
				       anderson2021 (Anderson et al. 2021, section 4.6: below 16) */
	BW_PLAN_COPIES_BELOW = 256, /* a whole loop is unrolled where the copies of its body, with what is
				       unrolled around it, are fewer: code stays small */
	BW_PLAN_THREAD_LOOPS = 3    /* thread loops of a stage: a GPU's block has three dimensions */
};

/* All give a new placement with memory AUTO and the default storage order, computed and stored at the same
 * site. Give it back with bw_placement_drop.
 *
 * At root: block loops of every parallel loop in order (RVars too, where they are parallel); thread pieces in
 * order, on the three innermost dimensions that have one (those beyond make the serial extents larger); RVars
 * that are not parallel, serial; serial (or unrolled) pieces in order. */
const struct bw_placement *bw_plan_root(const struct bw_pipeline *pipeline, int func, const int64_t *serial,
					const int64_t *threads);
/* At root with its tiling still to be decided; as a plan, bw_plan_root with the same sizes. */
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
/* Whether a loop is a serial piece in a thread, which may be unrolled. */
bool bw_plan_may_unroll(const struct bw_loop *loop);

/* The sizes of the pure stage by dimension, 1 where there is none: extents of its serial pieces (and unrolled
 * and vector ones), and of its thread pieces. A plan that bw_plan_root or bw_plan_at_block made is made again
 * by them. */
void bw_plan_sizes(const struct bw_pipeline *pipeline, const struct bw_placement *placement, int64_t *serial,
		   int64_t *threads);
#endif
