/* The storage of a placed Func: the largest extents of any iteration. */
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"
#include "nest/proof.h"

static enum bw_memory memory_of(const struct bw_nest *nest, const struct bw_placement *placement)
{
	if (placement->memory != BW_MEMORY_AUTO)
		return placement->memory;
	if (placement->store.kind == BW_SITE_ROOT)
		return BW_MEMORY_GLOBAL;
	return bw_nest_inside_threads(nest, &placement->store) ? BW_MEMORY_REGISTERS : BW_MEMORY_SHARED;
}

/* Takes the extents that a Func had before at the same sites, without the points that its splits added by
 * rounding up. */
static void take_extents(const struct bw_placed *before, struct bw_placed *placed, int64_t *extents)
{
	placed->proof = before->proof;
	for (int d = 0; d < placed->n_dims; d++)
		extents[d] = before->allocated[d] - before->growth[d];
}

static int64_t lanes_of(const struct bw_placed *placed)
{
	const struct bw_site *store = &placed->placement->store;
	return store->kind == BW_SITE_AT && store->role == BW_ROLE_WARP ? placed->stages[0].threads[0] : 0;
}

int64_t bw_placed_aligned(const struct bw_func *func, const struct bw_placed *placed)
{
	int64_t rows = 1, lanes = lanes_of(placed);
	for (int d = 1; d < func->n_dims; d++)
		rows *= placed->allocated[d];
	return lanes > 1 && rows > 1 ? lanes : 1;
}

/* Returns true if a stage's lanes walk its first dimension one element apart, and no last iteration is
 * shifted, so that each element has a lane of its own. */
static bool each_its_own(const struct bw_func *func, const struct bw_placed *placed)
{
	const struct bw_stage_plan *plan = &placed->placement->stages[0];
	for (int i = 0, lane = -1; i < plan->n_loops; i++) {
		bool first = func->stages[0].loops[plan->loops[i].loop].dim == 0;
		if (first && (lane >= 0 || placed->stages[0].tails[i] == BW_TAIL_SHIFT_INWARDS))
			return false;
		if (plan->loops[i].kind == BW_LOOP_LANE && !first)
			return false;
		lane = plan->loops[i].kind == BW_LOOP_LANE ? i : lane;
	}
	return true;
}

bool bw_check_warp(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed,
		   struct bw_error *error)
{
	int64_t lanes = lanes_of(placed);
	if (!lanes)
		return true;
	const struct bw_site *store = &placed->placement->store;
	const struct bw_placed *host = nest->placed[store->func];
	int64_t its = host->stages[store->stage].threads[0];
	if (func->n_stages > 1)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: a Func with updates cannot be kept by the lanes of a warp",
			       func->name);
	if (lanes != its || (lanes & (lanes - 1)))
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: it has %lld lanes, and the warp of %s %lld: both need the same power of two",
			       func->name, (long long)lanes, nest->pipeline->funcs[store->func].name, (long long)its);
	if (placed->placement->n_storage || !func->n_dims || !each_its_own(func, placed))
		return bw_fail(error, BW_ERROR_CONFLICT,
			       "%s: Halide keeps it in the lanes of a warp only if these walk its first dimension, each from its own element, without shift_inwards",
			       func->name);
	if (placed->proof < BW_PROOF_CONSTANT)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: its size is not the same in all warps", func->name);
	return true;
}

void bw_allocate(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *before,
		 struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	if (placement->compute.kind == BW_SITE_INLINE) {
		placed->allocated = NULL;
		placed->proof = bw_prove_inlined(nest, func);
		return;
	}
	int64_t *allocated = (int64_t *)placed->allocated;
	if (before && !lanes_of(placed))
		take_extents(before, placed, allocated);
	else
		placed->proof = bw_prove_storage(nest, func, placed, allocated);
	double points = 1;
	placed->memory = memory_of(nest, placement);
	for (int d = 0; d < func->n_dims; d++) {
		allocated[d] += placed->growth[d];
		points *= (double)allocated[d];
	}
	int64_t aligned = bw_placed_aligned(func, placed);
	if (aligned > 1) {
		points = points / (double)allocated[0] * (double)bw_round_up(allocated[0], aligned);
		allocated[0] = bw_round_up(allocated[0], aligned);
	}
	placed->bytes = points * func->bytes;
}

bool bw_check_bytes(const struct bw_func *func, const struct bw_placed *placed, struct bw_error *error)
{
	int largest = 0; /* each component has an allocation of its own */
	for (int k = 0; k < func->n_values; k++)
		largest = (int)bw_max(largest, bw_type_bytes(func->types[k]));
	const double bytes = placed->bytes / func->bytes * largest;
	if (func->output || placed->placement->compute.kind == BW_SITE_INLINE ||
	    placed->memory != BW_MEMORY_GLOBAL || (bytes > 0 && bytes <= INT32_MAX))
		return true;
	if (bytes <= 0)
		return bw_fail(error, BW_ERROR_CONFLICT,
			       "%s: nothing of it is computed at these sizes; a GPU takes no empty grid",
			       func->name);
	return bw_fail(error, BW_ERROR_CONFLICT,
		       "%s: %.3g GB to store, limit 2.1 GB: clamp the indices that read it",
		       func->name, bytes * 1e-9);
}
