/* The storage of a placed Func: the largest extents of any iteration. */
#include <string.h>

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

/* Takes the extents that a Func had at the same sites, without what its splits then added by
 * rounding up. */
static void take_extents(const struct bw_placed *before, struct bw_placed *placed, int64_t *extents)
{
	placed->proof = before->proof;
	for (int d = 0; d < placed->n_dims; d++)
		extents[d] = before->allocated[d] - before->growth[d];
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
	if (before)
		take_extents(before, placed, allocated);
	else
		placed->proof = bw_prove_storage(nest, func, placed, allocated);
	double points = 1;
	for (int d = 0; d < func->n_dims; d++) {
		allocated[d] += placed->growth[d];
		points *= (double)allocated[d];
	}
	placed->bytes = points * func->bytes;
	placed->memory = memory_of(nest, placement);
}
