#include "drawn.h"

#include <stdlib.h>

#include "base/mem.h"
#include "nest/plan.h"
#include "schedule/directive.h"
#include "schedulers/scheduler.h"

struct bw_nest *drawn_nest(const struct bw_pipeline *pipeline, const struct bw_device *device, uint64_t seed, struct bw_directives **directives, struct bw_error *error)
{
	struct bw_settings options = bw_settings_default(device);
	enum { TRIES = 6 };
	struct bw_nest *best = NULL;
	int most = -1;
	options.random = options.beam = 1;
	*directives = NULL;
	for (int i = 0; i < TRIES; i++) {
		struct bw_batch batch;
		options.seed = seed * TRIES + (uint64_t)i;
		struct bw_nest *nest = NULL;
		if (bw_batch_run(pipeline, &options, NULL, &batch, error))
			nest = bw_nest_build(pipeline, batch.schedule->placements, pipeline->n_funcs, error);
		if (!nest) {
			bw_nest_drop(best);
			bw_directives_free(*directives);
			*directives = NULL;
			return NULL;
		}
		int fused = 0;
		for (int f = 0; f < pipeline->n_funcs; f++)
			fused += nest->placed[f] && nest->placed[f]->placement->compute.kind == BW_SITE_AT;
		if (fused > most) {
			bw_nest_drop(best);
			bw_directives_free(*directives);
			best = bw_nest_keep(nest);
			*directives = batch.directives;
			batch.directives = NULL;
			most = fused;
		}
		bw_nest_drop(nest);
		bw_batch_free(&batch);
	}
	return best;
}

/* One more Func placed, or NULL where it cannot be there; the placement is used up. */
static struct bw_nest *with(const struct bw_nest *nest, const struct bw_placement *placement, const struct bw_device *device, struct bw_error *error)
{
	struct bw_nest *next = bw_nest_place(nest, placement, error);
	const struct bw_placed *placed = next ? next->placed[placement->func] : NULL;
	bw_placement_drop(placement);
	if (!placed || placed->placement->compute.kind != BW_SITE_AT)
		return next;
	struct bw_arena *arena = bw_arena_new();
	struct bw_kernel kernel = bw_nest_kernel(next, placed->kernel_func, placed->kernel_stage, arena);
	bw_arena_free(arena);
	if (placed->proof >= BW_PROOF_BOUND && (double)kernel.n_threads <= device->threads_per_block && (double)kernel.shared_bytes <= device->shared_per_block)
		return next;
	bw_nest_drop(next);
	return NULL;
}

struct bw_nest *fused_nest(const struct bw_pipeline *pipeline, const struct bw_device *device, struct bw_directives **directives, struct bw_error *error)
{
	enum { MOST_SITES = 64 };
	static const int64_t ones[BW_MAX_AXES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, threads[BW_MAX_AXES] = {8, 4};
	int n_order, *order = bw_nest_order(pipeline, &n_order);
	struct bw_nest *nest = bw_nest_new(pipeline);
	for (int i = 0; i < n_order && nest; i++) {
		struct bw_site sites[MOST_SITES];
		struct bw_nest *next = NULL;
		int n = pipeline->funcs[order[i]].output ? 0 : bw_nest_sites(nest, order[i], sites, MOST_SITES);
		for (int s = 0; s < n && !next; s++)
			if (sites[s].role == BW_ROLE_BLOCK)
				next = with(nest, bw_plan_at_block(pipeline, order[i], &sites[s], ones), device, error);
		if (!next)
			next = with(nest, bw_plan_root(pipeline, order[i], ones, threads), device, error);
		bw_nest_drop(nest);
		nest = next;
	}
	free(order);
	*directives = nest ? bw_lower(nest, error) : NULL;
	return nest;
}
