/* The cost of a stage, split over the Funcs inlined into it. */
#ifndef BW_SESSION_ATTRIBUTION_H
#define BW_SESSION_ATTRIBUTION_H
#include "cost/cost.h"

struct bw_part {
	int func;     /* inlined, or the stage's own Func */
	double calls; /* for each point of the stage */
	double ms;    /* in the model's unit: arithmetic by operations, loads by the loads that it issues; the
			 stage itself has all else */
};

/* Returns the parts of a stage of a placed Func, the most expensive first, n of them, owned by the arena.
 * Their costs add up to the stage's. For the roofline's terms: under another model the stage itself has all.
 */
struct bw_part *bw_parts_of(const struct bw_nest *nest, int func, int stage, const struct bw_stage_cost *cost,
			    const struct bw_device *device, struct bw_arena *arena, int *n);
#endif
