/* Hashes of everything that a placed Func depends on, so that a result found in one nest can be
 * reused in another. */
#include <string.h>

#include "base/hash.h"
#include "nest/nest_private.h"

static uint64_t hash_box(uint64_t hash, const struct bw_interval *box, int n)
{
	return bw_hash_bytes(hash, box, (size_t)n * sizeof *box);
}

/* Returns the content hash of a Func; 0 if it is not placed. */
static uint64_t content_of(const struct bw_nest *nest, int func)
{
	return nest->placed[func] ? nest->placed[func]->content : 0;
}

uint64_t bw_nest_loops_hash(const struct bw_nest *nest, int func)
{
	struct bw_interval required[BW_MAX_DIMS] = {{0, 0}};
	bool bounded = bw_nest_required(nest, func, BW_LEVEL_ROOT, required);
	return hash_box(bounded, required, nest->pipeline->funcs[func].n_dims);
}

/* At root a Func depends on what its consumers require of it, which determines its loops, and on
 * what they touch, which determines its allocation. */
static uint64_t root_context(const struct bw_nest *nest, int func)
{
	struct bw_interval touched[BW_MAX_DIMS] = {{0, 0}};
	bool allocated = bw_nest_touched(nest, func, BW_LEVEL_ROOT, (struct bw_move){0}, touched);
	return hash_box(bw_nest_loops_hash(nest, func) + allocated, touched, nest->pipeline->funcs[func].n_dims);
}

/* At other sites a Func may depend on all of its consumers, and through their content hashes on
 * everything further out, up to the Funcs at root. */
static uint64_t consumers_context(const struct bw_nest *nest, int func)
{
	const struct bw_func *of = &nest->pipeline->funcs[func];
	uint64_t hash = (uint64_t)of->n_consumers;
	for (int c = 0; c < of->n_consumers; c++)
		hash = bw_hash_mix(hash, content_of(nest, of->consumers[c]->func));
	return hash;
}

uint64_t bw_nest_key(const struct bw_nest *nest, const struct bw_placement *placement)
{
	const struct bw_site *compute = &placement->compute, *store = &placement->store;
	bool root = compute->kind == BW_SITE_ROOT;
	const uint64_t words[] = {
	    (uint64_t)placement->func, placement->hash,
	    root ? root_context(nest, placement->func) : consumers_context(nest, placement->func),
	    compute->kind == BW_SITE_AT ? content_of(nest, compute->func) : 0,
	    store->kind == BW_SITE_AT ? content_of(nest, store->func) : 0};
	return bw_hash_bytes(0, words, sizeof words);
}

/* At root, the content hash covers the results and not the consumers that led to them, so that it is the
 * same below any consumers. */
uint64_t bw_placed_content(const struct bw_nest *nest, const struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	if (placement->compute.kind != BW_SITE_ROOT)
		return bw_nest_key(nest, placement);
	uint64_t hash = bw_hash_mix(placement->hash, (uint64_t)placement->func);
	hash = hash_box(hash_box(hash, placed->regions[0].required, placed->n_dims),
			placed->regions[0].computed, placed->n_dims);
	return bw_hash_bytes(hash, placed->allocated, (size_t)placed->n_dims * sizeof *placed->allocated);
}

static bool same_box(const struct bw_interval *a, const struct bw_interval *b, int n)
{
	return !memcmp(a, b, (size_t)n * sizeof *a);
}

static bool same_numbers(const int64_t *a, const int64_t *b, int n)
{
	return a && b ? !memcmp(a, b, (size_t)n * sizeof *a) : a == b;
}

static bool same_stage(const struct bw_placed_stage *a, const struct bw_placed_stage *b, int n_loops)
{
	bool same = a->n_loops == b->n_loops && a->n_levels == b->n_levels && a->points == b->points &&
		    a->serial == b->serial && a->unrolled == b->unrolled && a->unrolls == b->unrolls;
	if (!same || !same_numbers(a->extents, b->extents, a->n_loops) ||
	    !same_numbers(a->blocks, b->blocks, 3) || !same_numbers(a->threads, b->threads, 3) ||
	    !same_numbers(a->launched, b->launched, 3))
		return false;
	for (int i = 0; i < a->n_loops; i++)
		same &= a->tails[i] == b->tails[i];
	for (int i = 0; i < a->n_levels; i++)
		same &= a->levels[i].level == b->levels[i].level &&
			a->levels[i].piece == b->levels[i].piece &&
			a->levels[i].iterations == b->levels[i].iterations &&
			same_box(a->levels[i].loops, b->levels[i].loops, n_loops);
	return same;
}

static bool same_region(const struct bw_region *a, const struct bw_region *b, int n)
{
	return a->level == b->level && a->whole == b->whole && same_box(a->required, b->required, n) &&
	       same_box(a->computed, b->computed, n);
}

bool bw_placed_equal(const struct bw_pipeline *pipeline, const struct bw_placed *a, const struct bw_placed *b)
{
	bool same = a->hash == b->hash && a->content == b->content &&
		    bw_placement_equal(a->placement, b->placement) && a->kernel_func == b->kernel_func &&
		    a->kernel_stage == b->kernel_stage && a->depth == b->depth &&
		    a->store_depth == b->store_depth && a->n_regions == b->n_regions &&
		    a->n_dims == b->n_dims && a->bytes == b->bytes && a->proof == b->proof &&
		    a->memory == b->memory && a->realizations == b->realizations &&
		    a->minimum_points == b->minimum_points && a->points == b->points && a->calls == b->calls &&
		    a->computed_once == b->computed_once && a->classes == b->classes &&
		    a->realigned == b->realigned && a->needed == b->needed && a->conditional == b->conditional;
	for (int i = 0; i < 3; i++)
		same &= a->along[i].dim == b->along[i].dim && (a->along[i].dim < 0 || a->along[i].far == b->along[i].far);
	if (!same || !same_numbers(a->growth, b->growth, a->n_dims) ||
	    !same_numbers(a->allocated, b->allocated, a->n_dims))
		return false;
	for (int i = 0; i < a->n_regions; i++)
		same &= same_region(&a->regions[i], &b->regions[i], a->n_dims);
	for (int s = 0; s < a->placement->n_stages; s++)
		same &= same_stage(&a->stages[s], &b->stages[s], pipeline->funcs[a->placement->func].stages[s].n_loops);
	return same;
}

/* The structural hash of a loop nest down to a depth. Two nests have equal hashes if their kernels
 * look alike, then their blocks, then their threads. The hash is a sum over the Funcs, so a child's
 * hash follows from its parent's and the one Func that it places. */

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

/* Returns a hash of a Func's compute and store sites; 0 if they are deeper than `depth`. */
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

/* Adds to the hash the pieces of the loops down to `depth`: their extents, or at `depth` itself only
 * whether they have more than one iteration. */
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
