/* Finds the values that the compiler keeps in registers from one point of a thread to the next: the values
 * that an update accumulates. The compiler must store each value at once if it cannot prove that no other
 * load or store uses the same address. */
#include <string.h>

#include "nest/nest_private.h"
#include "nest/staging.h"

/* Returns true if the address that the stage stores to changes with one of its loops, or may. */
static bool moves(const struct bw_stage *stage, int n_dims, int loop)
{
	for (int d = 0; d < n_dims; d++) {
		struct bw_ratio entry = stage->store.entries[d * stage->n_loops + loop];
		if (!entry.den || entry.num)
			return true;
	}
	return false;
}

/* Returns true if Halide knows the extent of a dimension of a Func at root: one of the same name of an output
 * is fixed. */
static bool is_known(const struct bw_pipeline *pipeline, const struct bw_func *func, int dim)
{
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *output = &pipeline->funcs[f];
		for (int d = 0; d < output->n_dims && output->output; d++)
			if ((output->fixed >> d & 1) && strcmp(output->dims[d], func->dims[dim]) == 0)
				return true;
	}
	return false;
}

bool bw_rows_known(const struct bw_pipeline *pipeline, const struct bw_func *func)
{
	bool fixes = func->n_dims > 0 && is_known(pipeline, func, 0);
	for (int f = 0; f < pipeline->n_funcs && func->input; f++)
		fixes |= pipeline->funcs[f].output && (pipeline->funcs[f].fixed & 1);
	return fixes;
}

/* Returns true if the points of an update in global memory have addresses that the compiler cannot tell
 * apart: it does not know their strides. */
static bool confuses(const struct bw_pipeline *pipeline, const struct bw_stage *stage,
		     const struct bw_stage_plan *plan, const struct bw_placed_stage *own)
{
	const struct bw_func *func = &pipeline->funcs[stage->func];
	bool unknown = false;
	for (int i = 0; i < plan->n_loops; i++) {
		int dim = stage->loops[plan->loops[i].loop].dim;
		if (plan->loops[i].kind == BW_LOOP_UNROLLED && own->extents[i] > 1)
			for (int d = 0; d < dim; d++)
				unknown |= !is_known(pipeline, func, d);
	}
	return unknown;
}

double bw_stage_kept(const struct bw_nest *nest, const struct bw_stage *stage, bool shares)
{
	const struct bw_placed *placed = nest->placed[stage->func];
	const struct bw_stage_plan *plan = &placed->placement->stages[stage->index];
	const struct bw_placed_stage *own = &placed->stages[stage->index];
	double kept = 1;
	if (stage->index == 0 || plan->atomic || (placed->memory == BW_MEMORY_SHARED && shares) ||
	    (placed->memory == BW_MEMORY_GLOBAL && confuses(nest->pipeline, stage, plan, own)))
		return 1;
	for (int i = plan->n_loops - 1; i >= 0; i--) {
		enum bw_loop_kind kind = plan->loops[i].kind;
		if (own->extents[i] <= 1)
			continue;
		bool stays = (kind == BW_LOOP_SERIAL || kind == BW_LOOP_UNROLLED) &&
			     !moves(stage, placed->n_dims, plan->loops[i].loop);
		if (!stays && !bw_stage_copies(plan, own, i))
			break;
		kept *= stays ? (double)own->extents[i] : 1;
	}
	return kept;
}
