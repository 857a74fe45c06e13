#include "drawn.h"

#include "schedulers/batch.h"

struct bw_nest *drawn_nest(const struct bw_pipeline *pipeline, const struct bw_device *device, uint64_t seed, struct bw_directives **directives, struct bw_error *error)
{
	struct bw_search_options options = bw_search_options_default(device);
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
