/* By which loops of a stage what is computed inside of them may be moved: a loop that no bound on the way names moves nothing. */
#include <stdlib.h>

#include "nest/nest_private.h"

/* Loops are bits of a mask. */
static uint32_t of_bound(const struct bw_bound *bound, const uint32_t *over)
{
	uint32_t mask = 0;
	for (uint32_t rest = bw_expr_variables(bound->min) | bw_expr_variables(bound->max); rest; rest &= rest - 1)
		mask |= over[__builtin_ctz(rest)];
	return mask;
}

/* The masks of a stage's loops, from those of what is required of its Func; an inlined one computes what is required. */
static void loops_of(const struct bw_func *func, const struct bw_stage *stage, const uint32_t *required, uint32_t *loops)
{
	uint32_t computed[BW_MAX_DIMS];
	for (int d = 0; d < func->n_dims; d++)
		computed[d] = required[d] | of_bound(&func->computed[d], required);
	for (int l = 0; l < stage->n_loops; l++)
		loops[l] = of_bound(&stage->loops[l].bound, computed);
}

/* Adds the loops by which a stage moves what it reads of a Func, its predicates or not. */
static void add_read(const struct bw_stage *stage, int func, int n_dims, const uint32_t *loops, uint32_t *required)
{
	const struct bw_read *read = bw_stage_read_of(stage, func);
	for (int d = 0; d < n_dims; d++)
		required[d] |= of_bound(&read->box[d], loops) | of_bound(&read->touched[d], loops);
}

/* The loops that move what is computed of a Func where what is required of it is moved by these. */
static struct bw_moved moved_of(const struct bw_func *func, const uint32_t *required)
{
	struct bw_moved moved = {0, true};
	for (int d = 0; d < func->n_dims; d++) {
		uint32_t mask = of_bound(&func->computed[d], required);
		moved.loops |= mask | required[d];
		moved.apart &= !(mask & (mask - 1)) && !(required[d] & (required[d] - 1));
	}
	return moved;
}

void bw_moved_by(const struct bw_pipeline *pipeline, const struct bw_stage *host, struct bw_moved *moved)
{
	uint32_t *required = BW_NEW_ARRAY(uint32_t, pipeline->n_funcs * BW_MAX_DIMS), loops[BW_MAX_LOOPS];
	for (int f = host->func - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		uint32_t *mine = &required[f * BW_MAX_DIMS];
		for (int c = 0; c < func->n_consumers; c++) {
			const struct bw_stage *stage = func->consumers[c];
			if (stage->func > host->func || (stage->func == host->func && stage->index != host->index))
				continue;
			for (int l = 0; l < stage->n_loops && stage->func == host->func; l++)
				loops[l] = (uint32_t)1 << l;
			if (stage->func < host->func)
				loops_of(&pipeline->funcs[stage->func], stage, &required[stage->func * BW_MAX_DIMS], loops);
			add_read(stage, f, func->n_dims, loops, mine);
		}
		moved[f] = func->input ? (struct bw_moved){0, false} : moved_of(func, mine);
	}
	free(required);
}
