/* Splits the cost of a stage over the Funcs that are inlined into it. */
#pragma once
#include "cost/cost.h"

struct bw_part {
	int func;     /* an inlined Func, or the stage's own Func */
	double calls; /* calls per point of the stage */
	/* cost of the Func's operations and loads in the model's unit (bw_spent_on); for the stage's own Func,
	 * including all other terms */
	double ms;
};

/* Returns the parts of a placed Func's stage, the most expensive first. Sets *n to their number. model:
 * the model that computed `cost`. The costs of the parts add up to the stage's cost. Returns no parts if
 * the model does not say what its terms are spent on. The arena owns the result. */
struct bw_part *bw_parts_of(const struct bw_nest *nest, int func, int stage,
			    const struct bw_cost_model *model, const struct bw_stage_cost *cost,
			    const struct bw_device *device, struct bw_arena *arena, int *n);

/* The arithmetic of a stage that is spent on one kind of operation. */
struct bw_spent {
	enum bw_operation operation;
	double count; /* per point of the stage, including inlined Funcs */
	double ms;    /* its part of the stage's arithmetic, in ms */
};

/* Returns the operations of a placed Func's stage, the most expensive first. Sets *n to their number.
 * cost: by the roofline model. Leaves out operations that cost nothing. The arena owns the result. */
struct bw_spent *bw_spent_of(const struct bw_nest *nest, int func, int stage,
			     const struct bw_stage_cost *cost, const struct bw_device *device,
			     struct bw_arena *arena, int *n);
