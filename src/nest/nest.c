/* Nests and placed Funcs as objects: memory, references, and which Funcs a nest has placed. */
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "nest/nest_private.h"

/* A placed Func and its arrays are in one block of memory, which is divided from front to back. */
struct bump {
	unsigned char *at, *end;
};

static size_t rounded(size_t count, size_t size)
{
	return (count * size + 15) / 16 * 16;
}

static void *take(struct bump *bump, size_t count, size_t size)
{
	unsigned char *memory = bump->at;
	bump->at += rounded(count, size);
	return bump->at <= bump->end ? memory : NULL;
}

static void *take_zeroed(struct bump *bump, size_t count, size_t size)
{
	void *memory = take(bump, count, size);
	return memory ? memset(memory, 0, count * size) : NULL;
}

static size_t stage_bytes(const struct bw_stage_plan *plan, int n_loops, bool elsewhere)
{
	size_t n = (size_t)plan->n_loops, n_own = (size_t)bw_stage_levels(plan);
	size_t bytes = rounded(n, sizeof(int64_t)) + rounded(n, sizeof(enum bw_tail)) +
		       rounded(n_own, sizeof(struct bw_own_level));
	return bytes + n_own * rounded((size_t)n_loops, sizeof(struct bw_interval)) +
	       (elsewhere ? rounded((size_t)n_loops, sizeof(int64_t)) : 0);
}

static size_t placed_bytes(const struct bw_func *func, const struct bw_placement *placement, int n_levels,
			   bool elsewhere)
{
	size_t n_dims = (size_t)func->n_dims, levels = (size_t)n_levels;
	size_t bytes = rounded(1, sizeof(struct bw_placed)) + rounded(levels, sizeof(struct bw_region)) +
		       rounded((size_t)placement->n_stages, sizeof(struct bw_placed_stage));
	bytes += 2 * rounded(n_dims, sizeof(int64_t)) + 2 * levels * rounded(n_dims, sizeof(struct bw_interval));
	for (int s = 0; s < placement->n_stages; s++)
		bytes += stage_bytes(&placement->stages[s], func->stages[s].n_loops, elsewhere);
	return bytes;
}

/* Lays out the arrays of a stage; stage_bytes gives their size. */
static void lay_out_stage(struct bump *bump, const struct bw_stage_plan *plan, int n_loops, bool elsewhere,
			  struct bw_placed_stage *stage)
{
	size_t n = (size_t)plan->n_loops, n_own = (size_t)bw_stage_levels(plan);
	stage->extents = take(bump, n, sizeof(int64_t));
	stage->tails = take(bump, n, sizeof(enum bw_tail));
	struct bw_own_level *levels = take(bump, n_own, sizeof *levels);
	for (size_t i = 0; i < n_own; i++)
		levels[i].loops = take(bump, (size_t)n_loops, sizeof(struct bw_interval));
	stage->levels = levels;
	stage->elsewhere = elsewhere ? take_zeroed(bump, (size_t)n_loops, sizeof(int64_t)) : NULL;
}

struct bw_placed *bw_placed_new(const struct bw_func *func, const struct bw_placement *placement,
				int n_levels)
{
	bool elsewhere = bw_launches_elsewhere(placement);
	size_t bytes = placed_bytes(func, placement, n_levels, elsewhere);
	struct bump bump = {bw_resize_array(NULL, bytes, 1), NULL};
	bump.end = bump.at + bytes;
	struct bw_placed *placed = take_zeroed(&bump, 1, sizeof *placed);
	struct bw_region *regions = take_zeroed(&bump, (size_t)n_levels, sizeof *regions);
	struct bw_placed_stage *stages = take_zeroed(&bump, (size_t)placement->n_stages, sizeof *stages);
	placed->growth = take_zeroed(&bump, (size_t)func->n_dims, sizeof(int64_t));
	placed->allocated = take_zeroed(&bump, (size_t)func->n_dims, sizeof(int64_t));
	for (int i = 0; i < n_levels; i++) {
		regions[i].required = take_zeroed(&bump, (size_t)func->n_dims, sizeof(struct bw_interval));
		regions[i].computed = take_zeroed(&bump, (size_t)func->n_dims, sizeof(struct bw_interval));
	}
	for (int s = 0; s < placement->n_stages; s++)
		lay_out_stage(&bump, &placement->stages[s], func->stages[s].n_loops, elsewhere, &stages[s]);
	placed->references = 1;
	placed->size = bytes;
	placed->placement = bw_placement_keep(placement);
	placed->n_dims = func->n_dims;
	placed->n_regions = n_levels;
	placed->regions = regions;
	placed->stages = stages;
	placed->kernel_func = placed->kernel_stage = -1;
	return placed;
}

const struct bw_placed *bw_placed_keep(const struct bw_placed *placed)
{
	if (placed)
		((struct bw_placed *)placed)->references++;
	return placed;
}

void bw_placed_release(const struct bw_placed *placed)
{
	struct bw_placed *mine = (struct bw_placed *)placed;
	if (!mine || --mine->references)
		return;
	bw_placement_drop(mine->placement);
	free(mine);
}

int *bw_nest_order(const struct bw_pipeline *pipeline, int *n_order)
{
	int *order = BW_NEW_ARRAY(int, pipeline->n_funcs);
	*n_order = 0;
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		if (!pipeline->funcs[f].input)
			order[(*n_order)++] = f;
	return order;
}

static struct bw_nest *nest_alloc(const struct bw_pipeline *pipeline)
{
	struct bw_nest *nest = bw_new_array(1, sizeof *nest + (size_t)pipeline->n_funcs * sizeof *nest->placed);
	nest->references = 1;
	nest->pipeline = pipeline;
	nest->placed = (const struct bw_placed **)(nest + 1);
	return nest;
}

struct bw_nest *bw_nest_new(const struct bw_pipeline *pipeline)
{
	struct bw_nest *nest = nest_alloc(pipeline);
	nest->facts = bw_nest_facts_make(pipeline);
	return nest;
}

struct bw_nest *bw_nest_copy(const struct bw_nest *nest)
{
	struct bw_nest *copy = nest_alloc(nest->pipeline);
	copy->facts = bw_nest_facts_keep(nest->facts);
	copy->unstaged = nest->unstaged;
	copy->hash = nest->hash;
	copy->n_placed = nest->n_placed;
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		copy->placed[f] = bw_placed_keep(nest->placed[f]);
	return copy;
}

/* Returns the summand of a placed Func in the hash of its nest. */
static uint64_t share_of(const struct bw_placed *placed)
{
	return placed ? bw_hash_mix(placed->hash, 0) : 0;
}

void bw_nest_set(struct bw_nest *nest, int func, const struct bw_placed *placed)
{
	const struct bw_placed *before = nest->placed[func];
	nest->hash += share_of(placed) - share_of(before);
	nest->n_placed += (placed != NULL) - (before != NULL);
	nest->placed[func] = bw_placed_keep(placed);
	bw_placed_release(before);
}

struct bw_nest *bw_nest_keep(struct bw_nest *nest)
{
	nest->references++;
	return nest;
}

void bw_nest_drop(struct bw_nest *nest)
{
	if (!nest || --nest->references)
		return;
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		bw_placed_release(nest->placed[f]);
	bw_nest_facts_drop(nest->facts);
	free(nest);
}

bool bw_nest_complete(const struct bw_nest *nest)
{
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (!nest->pipeline->funcs[f].input && (!placed || !placed->placement->tiled))
			return false;
	}
	return true;
}
