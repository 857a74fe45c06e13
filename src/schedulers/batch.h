/* A search from start to end without anybody looking. */
#ifndef BW_SCHEDULERS_BATCH_H
#define BW_SCHEDULERS_BATCH_H
#include "schedule/directive.h"
#include "schedule/schedule.h"
#include "search/search.h"

/* The best schedule that the search finds, and the directives that make Halide compute it. */
struct bw_batch {
	struct bw_schedule *schedule;
	struct bw_directives *directives;
	double cost;
	struct bw_search_totals totals;
};

/* Searches. Returns false with an error that says which Func has no legal option, and why. Give the
 * outcome back with bw_batch_free. */
bool bw_batch_run(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		  const struct bw_constraints *constraints, struct bw_batch *batch, struct bw_error *error);
void bw_batch_free(struct bw_batch *batch);
#endif
