/* The shape of what a placement places: names of dimensions, and of the loops of each stage. A Func's own is in the pipeline; that
 * of a derived Func follows from it. */
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

/* Of the Func and derivation of a placement; sites and loops of it are not looked at. In the arena.
 * A wrapper has one stage that walks the dimensions, a clone is as the Func. The intermediate of an rfactor has the dimensions of
 * the Func and then the new Vars; its pure stage walks these; its update has the loops of the factored stage, where the new
 * Vars stand in the places of the RVars that they replace. */
const struct bw_shape *bw_shape_of(const struct bw_pipeline *pipeline, const struct bw_placement *placement, struct bw_arena *arena);
#endif
