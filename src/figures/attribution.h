/* The cost of a stage, split over the Funcs inlined into it. */
#ifndef BW_FIGURES_ATTRIBUTION_H
#define BW_FIGURES_ATTRIBUTION_H
#include "cost/cost.h"

struct bw_part {
	int func;     /* inlined, or the stage's own Func */
	double calls; /* for each point of the stage */
	double ms;    /* in the model's unit: what is spent on operations by these, on loads by the loads that
			 it issues (bw_spent_on); the stage itself has all else */
};

/* Returns the parts of a stage of a placed Func under the model that its cost is of, the most expensive
 * first, n of them, owned by the arena. Their costs add up to the stage's. Where the model does not say what
 * any of its terms is spent on there are none. */
struct bw_part *bw_parts_of(const struct bw_nest *nest, int func, int stage,
			    const struct bw_cost_model *model, const struct bw_stage_cost *cost,
			    const struct bw_device *device, struct bw_arena *arena, int *n);

/* The arithmetic of a stage for one kind of operation. */
struct bw_spent {
	enum bw_operation operation;
	double count; /* for each point of the stage, what is inlined included */
	double ms;    /* its part of the stage's arithmetic */
};

/* Returns what the arithmetic of a stage of a placed Func is spent on, the most expensive operation
 * first, n of them, owned by the arena. For the roofline's terms; operations that cost nothing are left
 * out. */
struct bw_spent *bw_spent_of(const struct bw_nest *nest, int func, int stage,
			     const struct bw_stage_cost *cost, const struct bw_device *device,
			     struct bw_arena *arena, int *n);
#endif
