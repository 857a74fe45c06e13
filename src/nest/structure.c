/* The structural hash of a loop nest down to a depth. Two nests have equal hashes if their kernels
 * look alike, then their blocks, then their threads. The hash is a sum over the Funcs, so a child's
 * hash follows from its parent's and the one Func that it places. */
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

/* Returns a hash of where a Func is computed and stored; 0 if that lies deeper than `depth`. */
static uint64_t hash_sites(const struct bw_placed *placed, int depth)
{
	const struct bw_placement *placement = placed->placement;
	bool computed = placed->depth <= depth, stored = placed->store_depth <= depth;
	if (!computed && !stored)
		return 0;
	uint64_t hash = bw_hash_mix((uint64_t)depth, (uint64_t)placement->func);
	if (computed)
		hash = bw_hash_mix(bw_hash_mix(hash, HASH_SITE), bw_level_of_site(&placement->compute));
	if (stored)
		hash = bw_hash_mix(bw_hash_mix(hash, HASH_STORE), bw_level_of_site(&placement->store));
	return hash;
}

/* Adds the pieces of the loops that do not lie deeper than `depth`: their extents, or at the last depth only
 * whether they iterate more than once. */
static uint64_t hash_loops(const struct bw_placed *placed, int depth, uint64_t hash)
{
	for (int s = 0; s < placed->placement->n_stages; s++) {
		const struct bw_placed_stage *stage = &placed->stages[s];
		for (int l = 0, p = 0; l < stage->n_levels && placed->depth + l + 1 <= depth; l++)
			for (; p <= stage->levels[l].piece; p++) {
				const struct bw_loop *loop = &placed->placement->stages[s].loops[p];
				bool inner = placed->depth + l + 1 < depth;
				int64_t extent = inner ? stage->extents[p] : stage->extents[p] > 1;
				const uint64_t words[] = {HASH_LOOPS, (uint64_t)s,
							  (uint64_t)loop->loop << 3 | (uint64_t)loop->kind,
							  (uint64_t)extent};
				hash = bw_hash_bytes(hash, words, sizeof words);
			}
	}
	return hash;
}

uint64_t bw_placed_structure(const struct bw_placed *placed, int depth)
{
	if (!placed || placed->placement->compute.kind == BW_SITE_INLINE)
		return 0;
	uint64_t hash = hash_sites(placed, depth);
	return placed->placement->tiled ? hash_loops(placed, depth, hash) : hash;
}

uint64_t bw_nest_structure(const struct bw_nest *nest, int depth)
{
	uint64_t hash = bw_hash_mix(0, (uint64_t)depth);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		hash += bw_placed_structure(nest->placed[f], depth);
	return hash;
}
