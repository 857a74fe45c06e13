/* The structural hash of a loop nest, to a depth: what two nests have in common when their kernels, then their blocks, then their threads
 * look alike. */
#include "base/hash.h"
#include "nest/nest_private.h"

enum { HASH_LOOPS = 1, HASH_SITE, HASH_STORE };

/* The depth of the loops of a level in the tree: 1 for those of a Func at root, one more for each level on the way in. */
static int depth_of(const struct bw_nest *nest, bw_level level)
{
	if (level == BW_LEVEL_ROOT)
		return 0;
	const struct bw_placed *host = nest->placed[bw_level_func(level)];
	const struct bw_placed_stage *stage = &host->stages[bw_level_stage(level)];
	int own = 0;
	while (own < stage->n_levels && stage->levels[own].level != level)
		own++;
	return depth_of(nest, bw_level_of_site(&host->placement->compute)) + own + 1;
}

/* The loops of a stage that lie no deeper: extents, or at the last depth only whether there is more than one iteration. */
static uint64_t hash_loops(const struct bw_placed *placed, int outside, int depth, uint64_t hash)
{
	for (int s = 0; s < placed->placement->n_stages; s++) {
		const struct bw_placed_stage *stage = &placed->stages[s];
		const struct bw_stage_plan *plan = &placed->placement->stages[s];
		for (int l = 0, p = 0; l < stage->n_levels && outside + l + 1 <= depth; l++)
			for (; p <= stage->levels[l].piece; p++) {
				int64_t extent = outside + l + 1 < depth ? stage->extents[p] : stage->extents[p] > 1;
				hash = bw_hash_mix(bw_hash_mix(hash, HASH_LOOPS), (uint64_t)plan->loops[p].loop << 3 | (uint64_t)plan->loops[p].kind);
				hash = bw_hash_mix(hash, (uint64_t)extent);
			}
	}
	return hash;
}

uint64_t bw_nest_structure(const struct bw_nest *nest, int depth)
{
	uint64_t hash = bw_hash_mix(0, (uint64_t)depth);
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (!placed || placed->placement->compute.kind == BW_SITE_INLINE)
			continue;
		bw_level site = bw_level_of_site(&placed->placement->compute), store = bw_level_of_site(&placed->placement->store);
		int outside = depth_of(nest, site);
		if (outside <= depth)
			hash = bw_hash_mix(bw_hash_mix(bw_hash_mix(hash, HASH_SITE), (uint64_t)f), site);
		if (depth_of(nest, store) <= depth)
			hash = bw_hash_mix(bw_hash_mix(bw_hash_mix(hash, HASH_STORE), (uint64_t)f), store);
		if (placed->placement->tiled)
			hash = hash_loops(placed, outside, depth, hash);
	}
	return hash;
}
