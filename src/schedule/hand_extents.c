/* The extents of a Func's loops at its site, and which of them are constants. */
#include <stdlib.h>

#include "nest/proof.h"
#include "schedule/hand_private.h"

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

/* Returns the loops of a stage that are constant, as bits, given the dimensions of its Func's computed
 * box that are. */
static uint32_t constant_loops(const struct bw_stage *stage, uint32_t computed)
{
	uint32_t constant = 0;
	for (int l = 0; l < stage->n_loops; l++)
		constant |= (uint32_t)is_constant(&stage->loops[l].bound, computed) << l;
	return constant;
}

/* Returns the dimensions of a Func's computed box, as bits, that are the same at all sizes: what its
 * readers require of them follows from constants, and from dimensions that the generator fixes. */
static uint32_t constant_dims(const struct bw_pipeline *pipeline, int f)
{
	uint32_t *computed = BW_NEW_ARRAY(uint32_t, pipeline->n_funcs);
	for (int g = pipeline->n_funcs - 1; g >= f; g--) {
		const struct bw_func *func = &pipeline->funcs[g];
		uint32_t required = func->output ? func->fixed : ~(uint32_t)0;
		for (int c = 0; c < func->n_consumers; c++) {
			const struct bw_stage *stage = func->consumers[c];
			const struct bw_read *read = bw_stage_read_of(stage, g);
			required &= read && read->bounded
					? constant_of(read->box, func->n_dims,
						      constant_loops(stage, computed[stage->func]))
					: 0;
		}
		computed[g] = func->input ? 0 : constant_of(func->computed, func->n_dims, required);
	}
	const uint32_t found = computed[f];
	free(computed);
	return found;
}

/* Returns the extent of a loop if the whole of its Func is computed at root; -1 if it has no bound. */
static int64_t extent_at_root(const struct bw_nest *nest, const struct bw_stage *stage, int loop)
{
	const struct bw_func *func = &nest->pipeline->funcs[stage->func];
	struct bw_interval box[BW_MAX_DIMS], computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	if (!bw_nest_required(nest, stage->func, BW_LEVEL_ROOT, box) ||
	    !bw_computed_box(func, box, computed) || !bw_stage_loops_of(stage, computed, loops))
		return -1;
	return loops[loop].max - loops[loop].min + 1;
}

/* Returns a placement as the draft says, with all loops whole and serial. Drop it. */
static const struct bw_placement *whole(const struct bw_func *func, struct bw_placement draft,
					struct bw_arena *arena)
{
	struct bw_stage_plan *plans = BW_ARENA_ARRAY(arena, struct bw_stage_plan, func->n_stages);
	for (int s = 0; s < func->n_stages; s++) {
		int n = func->stages[s].n_loops;
		struct bw_loop *loops = BW_ARENA_ARRAY(arena, struct bw_loop, n + 1);
		for (int l = 0; l < n; l++)
			loops[l] = (struct bw_loop){.loop = n - 1 - l, .kind = BW_LOOP_SERIAL};
		plans[s] = (struct bw_stage_plan){n, loops};
	}
	draft.stages = plans;
	return bw_placement_make(&draft);
}

struct bw_hand_extent **bw_hand_extents(const struct bw_nest *nest, const struct bw_placement *draft,
					const struct bw_hand_unsaid *unsaid, struct bw_arena *arena)
{
	const struct bw_func *func = &nest->pipeline->funcs[draft->func];
	const struct bw_placement *placement = whole(func, *draft, arena);
	struct bw_error error;
	const struct bw_placed *placed = bw_nest_try(nest, placement, NULL, &error);
	struct bw_hand_extent **extents = BW_ARENA_ARRAY(arena, struct bw_hand_extent *, func->n_stages);
	const uint32_t dims = constant_dims(nest->pipeline, draft->func);
	if (!placed)
		bw_hand_say(unsaid, "not placed: %s", bw_hand_reason(unsaid, &error));
	for (int s = 0; s < func->n_stages && placed; s++) {
		const struct bw_stage *stage = &func->stages[s];
		const uint32_t constant = constant_loops(stage, dims);
		extents[s] = BW_ARENA_ARRAY(arena, struct bw_hand_extent, stage->n_loops + 1);
		for (int l = 0; l < stage->n_loops; l++) {
			const int64_t extent = placed->stages[s].extents[stage->n_loops - 1 - l];
			const enum bw_proof proof = draft->compute.kind == BW_SITE_AT
							? bw_prove_loop(&stage->loops[l], placed)
							: BW_PROOF_NONE;
			const bool fixed = (constant >> l & 1) && extent == extent_at_root(nest, stage, l);
			extents[s][l] = (struct bw_hand_extent){extent, fixed || proof == BW_PROOF_CONSTANT};
		}
	}
	if (placed)
		bw_placed_release(placed);
	bw_placement_drop(placement);
	return placed ? extents : NULL;
}
