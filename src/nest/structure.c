/* The structural hash of a loop nest, to a depth: what two nests have in common when their kernels, then their blocks, then their threads
 * look alike. It is a sum of what each Func adds, so that a child's follows from its parent's by the one Func that it places. */
#include "base/hash.h"
#include "nest/nest_private.h"

enum { HASH_LOOPS = 1, HASH_SITE, HASH_STORE };

int bw_nest_depth(const struct bw_nest *nest, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT)
		return 0;
	const struct bw_placed *host = nest->placed[site->func];
	const struct bw_placed_stage *stage = &host->stages[site->stage];
	bw_level level = bw_level_of_site(site);
	int own = 0;
	while (own < stage->n_levels && stage->levels[own].level != level)
		own++;
	return host->depth + own + 1;
}

/* The loops of a stage that lie no deeper: extents, or at the last depth only whether there is more than one iteration. */
static uint64_t hash_loops(const struct bw_placed *placed, int depth, uint64_t hash)
{
	for (int s = 0; s < placed->placement->n_stages; s++) {
		const struct bw_placed_stage *stage = &placed->stages[s];
		const struct bw_stage_plan *plan = &placed->placement->stages[s];
		for (int l = 0, p = 0; l < stage->n_levels && placed->depth + l + 1 <= depth; l++)
			for (; p <= stage->levels[l].piece; p++) {
				int64_t extent = placed->depth + l + 1 < depth ? stage->extents[p] : stage->extents[p] > 1;
				const uint64_t words[] = {HASH_LOOPS, (uint64_t)s, (uint64_t)plan->loops[p].loop << 3 | (uint64_t)plan->loops[p].kind, (uint64_t)extent};
				hash = bw_hash_bytes(hash, words, sizeof words);
			}
	}
	return hash;
}

uint64_t bw_placed_structure(const struct bw_placed *placed, int depth)
{
	const struct bw_placement *placement = placed ? placed->placement : NULL;
	if (!placed || placement->compute.kind == BW_SITE_INLINE)
		return 0;
	bool sited = placed->depth <= depth, stored = placed->store_depth <= depth;
	if (!sited && !stored)
		return 0;
	uint64_t hash = bw_hash_mix((uint64_t)depth, (uint64_t)placement->func);
	if (sited)
		hash = bw_hash_mix(bw_hash_mix(hash, HASH_SITE), bw_level_of_site(&placement->compute));
	if (stored)
		hash = bw_hash_mix(bw_hash_mix(hash, HASH_STORE), bw_level_of_site(&placement->store));
	return sited && placement->tiled ? hash_loops(placed, depth, hash) : hash;
}

uint64_t bw_nest_structure(const struct bw_nest *nest, int depth)
{
	uint64_t hash = bw_hash_mix(0, (uint64_t)depth);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		hash += bw_placed_structure(nest->placed[f], depth);
	return hash;
}
