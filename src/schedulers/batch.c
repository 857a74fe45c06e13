#include "schedulers/batch.h"

#include <limits.h>
#include <math.h>

#include "schedule/lower.h"

bool bw_batch_run(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		  const struct bw_constraints *constraints, struct bw_batch *batch, struct bw_error *error)
{
	struct bw_search *search = bw_search_new(pipeline, options, constraints);
	*batch = (struct bw_batch){0};
	bool good = bw_search_advance(search, INT_MAX, NULL, error) == BW_SEARCH_DONE;
	if (good) {
		const struct bw_state *const *states;
		bw_search_beam(search, bw_search_reached(search), &states);
		batch->cost = states[0]->cost;
		batch->totals = bw_search_totals(search);
		batch->directives = bw_lower(states[0]->nest, error);
		batch->schedule = bw_nest_schedule(states[0]->nest);
		good = batch->directives != NULL;
	}
	bw_search_free(search);
	if (!good)
		bw_batch_free(batch);
	return good;
}

void bw_batch_free(struct bw_batch *batch)
{
	bw_directives_free(batch->directives);
	bw_schedule_drop(batch->schedule);
	*batch = (struct bw_batch){0};
}
