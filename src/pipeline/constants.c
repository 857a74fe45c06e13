/* Which regions are the same at all sizes, so that Halide knows them when it compiles. */
#include "pipeline/pipeline_private.h"

/* Returns true if both ends of a bound are over intervals that are constant, `known` as bits, and no
 * parameter. */
static bool is_constant(const struct bw_bound *bound, uint32_t known)
{
	const uint32_t over = bw_expr_variables(bound->min) | bw_expr_variables(bound->max);
	return !(over & ~known) && !bw_expr_parametric(bound->min) && !bw_expr_parametric(bound->max);
}

/* Returns those of n bounds that are constant, as bits. */
static uint32_t constant_of(const struct bw_bound *bounds, int n, uint32_t known)
{
	uint32_t constant = 0;
	for (int i = 0; i < n; i++)
		constant |= (uint32_t)is_constant(&bounds[i], known) << i;
	return constant;
}

uint32_t bw_stage_constant(const struct bw_stage *stage, uint32_t computed)
{
	uint32_t constant = 0;
	for (int l = 0; l < stage->n_loops; l++)
		constant |= (uint32_t)is_constant(&stage->loops[l].bound, computed) << l;
	return constant;
}

void bw_find_constants(struct bw_reading *reading)
{
	for (int f = reading->n_funcs - 1; f >= 0; f--) {
		struct bw_func *func = &reading->funcs[f];
		uint32_t required = func->output ? func->fixed : ~(uint32_t)0;
		for (int c = 0; c < func->n_consumers; c++) {
			const struct bw_stage *stage = func->consumers[c];
			const struct bw_read *read = bw_stage_read_of(stage, f);
			required &=
			    read && read->bounded
				? constant_of(read->box, func->n_dims,
					      bw_stage_constant(stage, reading->funcs[stage->func].constant))
				: 0;
		}
		func->constant = func->input ? 0 : constant_of(func->computed, func->n_dims, required);
	}
}
