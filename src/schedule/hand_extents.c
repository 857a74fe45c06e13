/* The extents of a Func's loops at its site, and which of them are constants. */
#include "nest/proof.h"
#include "schedule/hand_private.h"

/* Returns the extent of a loop if the whole of its Func is computed at root; -1 if it has no bound. */
static int64_t extent_at_root(const struct bw_nest *nest, const struct bw_placement *placement,
			      const struct bw_stage *stage, int loop)
{
	const struct bw_func *func = &nest->pipeline->funcs[stage->func];
	struct bw_interval box[BW_MAX_DIMS], computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	if (!bw_nest_required(nest, stage->func, BW_LEVEL_ROOT, box) ||
	    !bw_placement_box(func, placement, box, computed) || !bw_stage_loops_of(stage, computed, loops))
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
		plans[s] = (struct bw_stage_plan){n, loops, false};
	}
	draft.stages = plans;
	return bw_placement_make(&draft);
}

struct bw_hand_extent **bw_hand_extents(const struct bw_nest *nest, const struct bw_placement *draft,
					struct bw_arena *arena, struct bw_error *error)
{
	const struct bw_func *func = &nest->pipeline->funcs[draft->func];
	BW_SCOPED_PLACEMENT *placement = whole(func, *draft, arena);
	const struct bw_placed *placed = bw_nest_try(nest, placement, NULL, error);
	struct bw_hand_extent **extents = BW_ARENA_ARRAY(arena, struct bw_hand_extent *, func->n_stages);
	for (int s = 0; s < func->n_stages && placed; s++) {
		const struct bw_stage *stage = &func->stages[s];
		const uint32_t constant = bw_stage_constant(stage, func->constant);
		extents[s] = BW_ARENA_ARRAY(arena, struct bw_hand_extent, stage->n_loops + 1);
		for (int l = 0; l < stage->n_loops; l++) {
			const int64_t extent = placed->stages[s].extents[stage->n_loops - 1 - l];
			const enum bw_proof proof = draft->compute.kind == BW_SITE_AT
							? bw_prove_loop(&stage->loops[l], placed)
							: BW_PROOF_NONE;
			const bool fixed =
			    (constant >> l & 1) && extent == extent_at_root(nest, draft, stage, l);
			extents[s][l] = (struct bw_hand_extent){extent, fixed || proof == BW_PROOF_CONSTANT};
		}
	}
	if (placed)
		bw_placed_release(placed);
	return placed ? extents : NULL;
}
