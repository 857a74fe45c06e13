/* The cost of a stage, split over the Funcs inlined into it. */
#pragma once
#include "cost/cost.h"

struct bw_part {
	int func;     /* inlined, or the stage's own Func */
	double calls; /* for each point of the stage */
	double ms;    /* in the model's unit: the cost of its operations and of its loads
			 (bw_spent_on); the stage's own Func also has all other terms */
};

/* Returns the parts of a placed Func's stage by the model that gave its cost, the most expensive first;
 * sets n to their number. The arena owns them. Their costs add up to the stage's. Returns no parts if
 * the model does not say what any of its terms is spent on. */
struct bw_part *bw_parts_of(const struct bw_nest *nest, int func, int stage,
			    const struct bw_cost_model *model, const struct bw_stage_cost *cost,
			    const struct bw_device *device, struct bw_arena *arena, int *n);

/* The arithmetic of a stage for one kind of operation. */
struct bw_spent {
	enum bw_operation operation;
	double count; /* per point of the stage, including inlined Funcs */
	double ms;    /* its part of the stage's arithmetic */
};

/* Returns the operations on which a placed Func's stage spends its arithmetic, the most expensive
 * first; sets n to their number. The arena owns them. For the roofline's terms; operations that cost
 * nothing are left out. */
struct bw_spent *bw_spent_of(const struct bw_nest *nest, int func, int stage,
			     const struct bw_stage_cost *cost, const struct bw_device *device,
			     struct bw_arena *arena, int *n);
