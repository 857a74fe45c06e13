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
static uint64_t hash_sites(const struct bw_sited *sited, int depth)
{
	bool computed = sited->depth <= depth, stored = sited->store_depth <= depth;
	if (!computed && !stored)
		return 0;
	uint64_t hash = bw_hash_mix((uint64_t)depth, (uint64_t)sited->func);
	if (computed)
		hash = bw_hash_mix(bw_hash_mix(hash, HASH_SITE), sited->level);
	if (stored)
		hash = bw_hash_mix(bw_hash_mix(hash, HASH_STORE), sited->store_level);
	return hash;
}

static struct bw_sited sited_of(const struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	return (struct bw_sited){placement->func, placed->depth, placed->store_depth,
				 bw_level_of_site(&placement->compute), bw_level_of_site(&placement->store)};
}

/* Adds a piece of a loop that does not lie deeper than `depth`: its extent, or at the last depth
 * only whether it iterates more than once. */
static uint64_t hash_piece(uint64_t hash, const struct bw_outlined *piece, int depth)
{
	const uint64_t words[] = {HASH_LOOPS, piece->stage, (uint64_t)piece->loop << 3 | piece->kind,
				  (uint64_t)(piece->depth < depth ? piece->extent : piece->extent > 1)};
	return bw_hash_bytes(hash, words, sizeof words);
}

static struct bw_outlined outlined(const struct bw_placed *placed, int stage, int level, int piece)
{
	const struct bw_loop *loop = &placed->placement->stages[stage].loops[piece];
	return (struct bw_outlined){placed->stages[stage].extents[piece],
				    (uint16_t)(placed->depth + level + 1), (uint16_t)stage,
				    (uint16_t)loop->loop, (uint16_t)loop->kind};
}

static uint64_t hash_loops(const struct bw_placed *placed, int depth, uint64_t hash)
{
	for (int s = 0; s < placed->placement->n_stages; s++) {
		const struct bw_placed_stage *stage = &placed->stages[s];
		for (int l = 0, p = 0; l < stage->n_levels && placed->depth + l + 1 <= depth; l++)
			for (; p <= stage->levels[l].piece; p++) {
				struct bw_outlined piece = outlined(placed, s, l, p);
				hash = hash_piece(hash, &piece, depth);
			}
	}
	return hash;
}

uint64_t bw_placed_structure(const struct bw_placed *placed, int depth)
{
	if (!placed || placed->placement->compute.kind == BW_SITE_INLINE)
		return 0;
	struct bw_sited sited = sited_of(placed);
	uint64_t hash = hash_sites(&sited, depth);
	return placed->placement->tiled ? hash_loops(placed, depth, hash) : hash;
}

size_t bw_outline_bytes(const struct bw_placed *placed)
{
	size_t n = 0;
	for (int s = 0; placed && placed->placement->tiled && s < placed->placement->n_stages; s++)
		n += (size_t)placed->placement->stages[s].n_loops;
	return sizeof(struct bw_outline) + n * sizeof(struct bw_outlined);
}

void bw_outline_fill(const struct bw_placed *placed, struct bw_outline *outline)
{
	outline->n = 0;
	outline->sited = placed && placed->placement->compute.kind != BW_SITE_INLINE;
	if (!outline->sited)
		return;
	outline->at = sited_of(placed);
	for (int s = 0; placed->placement->tiled && s < placed->placement->n_stages; s++)
		for (int l = 0, p = 0; l < placed->stages[s].n_levels; l++)
			for (; p <= placed->stages[s].levels[l].piece; p++)
				outline->pieces[outline->n++] = outlined(placed, s, l, p);
}

uint64_t bw_outline_structure(const struct bw_outline *outline, int depth)
{
	uint64_t hash = outline->sited ? hash_sites(&outline->at, depth) : 0;
	for (int i = 0; i < outline->n; i++)
		if (outline->pieces[i].depth <= depth)
			hash = hash_piece(hash, &outline->pieces[i], depth);
	return hash;
}

uint64_t bw_nest_structure(const struct bw_nest *nest, int depth)
{
	uint64_t hash = bw_hash_mix(0, (uint64_t)depth);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		hash += bw_placed_structure(nest->placed[f], depth);
	return hash;
}
