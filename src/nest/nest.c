#include "nest/nest.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "nest/nest_private.h"

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

/* Returns what a placed Func adds to the hash of its nest. */
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

struct bw_nest *bw_nest_build(const struct bw_pipeline *pipeline,
			      const struct bw_placement *const *placements, int n, struct bw_error *error)
{
	struct bw_nest *nest = bw_nest_new(pipeline);
	int n_order, *order = bw_nest_order(pipeline, &n_order);
	for (int i = 0; i < n_order && nest; i++) {
		int f = order[i];
		const struct bw_func *func = &pipeline->funcs[f];
		bool ready = f < n && placements[f];
		for (int c = 0; c < func->n_consumers; c++)
			ready &= nest->placed[func->consumers[c]->func] != NULL;
		if (!ready)
			continue;
		struct bw_nest *next = bw_nest_place(nest, placements[f], error);
		bw_nest_drop(nest);
		nest = next;
	}
	free(order);
	return nest;
}
