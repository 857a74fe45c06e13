#include "nest/nest.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
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
	copy->n_placed = nest->n_placed;
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		if ((copy->placed[f] = nest->placed[f]))
			__atomic_add_fetch(&((struct bw_placed *)copy->placed[f])->references, 1, __ATOMIC_RELAXED);
	return copy;
}

struct bw_nest *bw_nest_keep(struct bw_nest *nest)
{
	__atomic_add_fetch(&nest->references, 1, __ATOMIC_RELAXED);
	return nest;
}

void bw_nest_drop(struct bw_nest *nest)
{
	if (!nest || __atomic_sub_fetch(&nest->references, 1, __ATOMIC_ACQ_REL))
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

struct bw_nest *bw_nest_build(const struct bw_pipeline *pipeline, const struct bw_placement *const *placements, int n, struct bw_error *error)
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

/* Adds the sites of a consumer's levels that enclose all consumers, innermost first. */
static int sites_of(const struct bw_nest *nest, const struct bw_func *func, int consumer, int stage, struct bw_site *sites, int n, int most)
{
	const struct bw_placed *placed = nest->placed[consumer];
	if (placed->placement->compute.kind == BW_SITE_INLINE) {
		const struct bw_stage *outer = nest->pipeline->funcs[consumer].consumers[0];
		return sites_of(nest, func, outer->func, outer->index, sites, n, most);
	}
	for (int i = placed->stages[stage].n_levels - 1; i >= 0 && n < most; i--) {
		bw_level level = placed->stages[stage].levels[i].level;
		bool all = true;
		for (int c = 0; c < func->n_consumers; c++)
			all &= bw_nest_under(nest, func->consumers[c], level);
		if (all)
			sites[n++] = (struct bw_site){BW_SITE_AT, consumer, stage, bw_level_role(level), bw_level_serial(level)};
	}
	const struct bw_site *host = &placed->placement->compute;
	if (host->kind != BW_SITE_AT)
		return n;
	bw_level at = bw_level_make(host->func, host->stage, host->role, host->serial);
	const struct bw_placed *outer = nest->placed[host->func];
	int before = n;
	n = sites_of(nest, func, host->func, host->stage, sites, n, most);
	int kept = before;
	for (int i = before; i < n; i++) {
		bw_level level = bw_level_make(sites[i].func, sites[i].stage, sites[i].role, sites[i].serial);
		bool inner = false;
		if (sites[i].func == host->func && sites[i].stage == host->stage)
			for (int k = 0, past = 0; k < outer->stages[host->stage].n_levels; k++) {
				inner |= past && outer->stages[host->stage].levels[k].level == level;
				past |= outer->stages[host->stage].levels[k].level == at;
			}
		if (!inner)
			sites[kept++] = sites[i];
	}
	return kept;
}

int bw_nest_sites(const struct bw_nest *nest, int func, struct bw_site *sites, int most)
{
	const struct bw_func *f = &nest->pipeline->funcs[func];
	if (f->output || f->n_consumers == 0)
		return 0;
	int n = sites_of(nest, f, f->consumers[0]->func, f->consumers[0]->index, sites, 0, most);
	for (int i = 0; i < n / 2; i++) {
		struct bw_site swap = sites[i];
		sites[i] = sites[n - 1 - i];
		sites[n - 1 - i] = swap;
	}
	return n;
}
