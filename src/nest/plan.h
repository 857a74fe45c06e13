/* Plans: the loops that the search gives to a Func, made from its site and a few sizes. The order of the
 * loops is canonical, so that a choice can be written in few words (the short form of
 * beamwalk-schedule(5)), and equal choices are equal plans.
 *
 * Sizes are arrays with one entry per axis of the Func (struct bw_func.n_axes): first the dimensions,
 * innermost first, then the parallel RVars of its updates. NULL means that all sizes are 1. In every stage
 * of the Func, the size of a dimension applies to the loop over that dimension. A piece of extent 1 is
 * left out. The lists of loops below are outermost first. "In order" means from the outermost loop of the
 * stage to the innermost: parallel loops in the order of bw_stage.across, the others in Halide's. */
#pragma once
#include "nest/placement.h"

enum {
	/* most iterations of serial pieces that are unrolled, as in Halide's anderson2021 (Anderson
	 * et al. 2021, section 4.6: below 16) */
	BW_PLAN_UNROLLED = 16,
	/* a whole loop is unrolled only if the number of copies of its body, including those by the
	 * unrolled loops around it, is below this: code stays small */
	BW_PLAN_COPIES_BELOW = 256,
	/* most unrolled points per thread in plan variants that unroll more: their values take half of the
	 * registers that Halide's runtime compiles for */
	BW_PLAN_POINTS = 32,
	BW_PLAN_COPIES = 96, /* most copies of the body if an RVar of few iterations is unrolled, too */
	BW_PLAN_WINDOW = 8,  /* most iterations of such an RVar */
	BW_PLAN_THREAD_LOOPS = 3 /* thread loops per stage: a GPU's block has three dimensions */
};

/* The functions below return a new placement with memory AUTO and the default storage order,
 * computed and stored at the same site. The caller drops it with bw_placement_drop.
 *
 * At root: block loops of every parallel loop in order; thread pieces in order, of the three first axes
 * of the stage that have one (those beyond make the serial extents larger); RVars that are not parallel,
 * serial; serial (or unrolled) pieces in order. */
const struct bw_placement *bw_plan_root(const struct bw_pipeline *pipeline, int func, const int64_t *serial,
					const int64_t *threads);
/* At root with the tiling not decided yet; the plan is that of bw_plan_root with the same sizes. */
const struct bw_placement *bw_plan_untiled(const struct bw_pipeline *pipeline, int func,
					   const int64_t *serial, const int64_t *threads);
/* At a block: thread loops in order, the innermost three of the Vars and of the parallel RVars whose size is
 * not 0 (the others become serial); other RVars, serial; serial (or unrolled) pieces in order. */
const struct bw_placement *bw_plan_at_block(const struct bw_pipeline *pipeline, int func,
					    const struct bw_site *site, const int64_t *serial);
/* In a thread, or at a serial loop of a thread: every loop serial, in order (bw_nest_place unrolls small
 * ones). */
const struct bw_placement *bw_plan_in_thread(const struct bw_pipeline *pipeline, int func,
					     const struct bw_site *site);
const struct bw_placement *bw_plan_inline(const struct bw_pipeline *pipeline, int func);

/* When polishing tries a variant of a plan: of what a Func is; late, when nothing else is better any more;
 * after that, together with changes of what the Func reads; of all its sizes, as the search does, if its
 * reductions are to be shared. */
enum bw_plan_tried { BW_TRIED_THERE, BW_TRIED_LATE, BW_TRIED_TOGETHER, BW_TRIED_EVERYWHERE };

/* Variants of a plan: name in C, name, function that changes the loops of a stage (nest/plan_variants.c),
 * when it is tried, meaning. */
#define BW_PLAN_VARIANT_TABLE(X) \
	X(UNROLLED, "unrolled", unroll, THERE, "the serial pieces in its threads are unrolled, up to 32 points") \
	X(SERIAL, "serial", roll, THERE, "none of them is") \
	X(OUTSIDE, "outside", put_outside, THERE, "in a thread its reductions are outside of its points: a value serves all points that use it") \
	X(WINDOW, "window", unroll_window, THERE, "the same, and a reduction of few iterations is unrolled with the points") \
	X(PARITY, "parity", align, THERE, "its region and its unrolled points are aligned, so that the compiler knows which branch of a select each of them takes") \
	X(VECTORS, "vectors", make_vectors, LATE, "its 2 or 4 points along rows, or all in a thread, are a vector") \
	X(PIECES, "pieces", cut_reduction, TOGETHER, "2 iterations of a reduction in a thread are unrolled, and what they read is loaded at once") \
	X(ATOMIC, "atomic", share_threads, EVERYWHERE, "the threads of a block share a reduction of integers, by atomic operations") \
	X(BLOCKS, "blocks", share_blocks, EVERYWHERE, "the blocks of a kernel do")

enum bw_plan_variant {
#define X(symbol, name, change, tried, meaning) BW_PLAN_##symbol##_VARIANT,
	BW_PLAN_VARIANT_TABLE(X)
#undef X
	BW_N_PLAN_VARIANTS,
	BW_PLAN_VARIANTS_ALL = (1 << BW_N_PLAN_VARIANTS) - 1
};

/* Returns the placement with its loops changed by the variant. Returns NULL if the variant changes none of
 * its loops. Drop the result with bw_placement_drop. */
const struct bw_placement *bw_plan_variant(const struct bw_pipeline *pipeline,
					   const struct bw_placement *placement, enum bw_plan_variant variant);
enum bw_plan_tried bw_plan_variant_tried(enum bw_plan_variant variant);
const char *bw_plan_variant_name(enum bw_plan_variant variant);
/* Returns a placement at the same site and in the same memory, with the plan of other sizes. The variants
 * that made the given placement are applied again, where they change the new plan. */
const struct bw_placement *bw_plan_resized(const struct bw_pipeline *pipeline, const struct bw_placement *of,
					   const int64_t *serial, const int64_t *threads);
/* Returns the part of a placement that no plan and no variant of a plan can have, whatever the sizes, as
 * text: "loops that no change makes". Returns NULL if there is no such part. */
const char *bw_plan_lacks(const struct bw_pipeline *pipeline, const struct bw_placement *placement);
/* Returns true if a loop is a serial piece in a thread, which may be unrolled. */
bool bw_plan_may_unroll(const struct bw_loop *loop);

/* Finds the sizes by axis; those of dimensions come from the pure stage. serial: extents of the serial
 * (also unrolled and vector) pieces. threads: extents of the thread pieces. A size is 1 if there is no
 * such piece. serial is 0 for a parallel RVar of a Func at a block that no threads run. With these sizes,
 * bw_plan_root and bw_plan_at_block make the same plan again. */
void bw_plan_sizes(const struct bw_pipeline *pipeline, const struct bw_placement *placement, int64_t *serial,
		   int64_t *threads);
/* Sets the sizes of the parallel RVars, which are the axes after the dimensions. They get no serial
 * pieces. The innermost ones of each update get threads until the update's blocks have `most` threads,
 * including the threads of the dimensions. */
void bw_plan_spread(const struct bw_pipeline *pipeline, int func, int64_t most, int64_t *serial,
		    int64_t *threads);
/* Returns the iterations per thread of the serial pieces, in the stage that has the most. */
int64_t bw_plan_iterations(const struct bw_func *func, const int64_t *serial);
