/* The shape of a placed Func: the names of its dimensions, and of the loops of each stage. The pipeline
 * has the shapes of its Funcs; those of derived Funcs follow from them. */
#ifndef BW_SCHEDULE_SHAPE_H
#define BW_SCHEDULE_SHAPE_H
#include "base/mem.h"
#include "nest/placement.h"

struct bw_stage_shape {
	int n_loops;
	const char *const *loops; /* innermost first; index as in struct bw_loop.loop */
};

struct bw_shape {
	int n_dims;
	const char *const *dims; /* innermost first */
	int n_stages;
	const struct bw_stage_shape *stages;
};

/* Returns the shape for the Func and derivation of a placement, whose sites and loops are ignored. The
 * arena owns it. A wrapper has one stage over the dimensions; a clone has the Func's shape. The
 * intermediate of an rfactor has the Func's dimensions followed by the new Vars, over which its pure stage
 * loops; its update has the loops of the factored stage, with the new Vars instead of the RVars that they
 * replace. */
const struct bw_shape *bw_shape_of(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
				   struct bw_arena *arena);
#endif
