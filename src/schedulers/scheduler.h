/* The core's one entry for who searches in process: a description and options in, a schedule out. Nothing of
 * it is kept between calls, and calls from several threads do not meet. */
#pragma once

#include "schedule/directive.h"
#include "schedule/schedule.h"
#include "search/search.h"

struct bw_scheduler_request {
	const char *name;        /* what errors call the description */
	const char *description; /* JSON as in beamwalk-pipeline(5), length bytes */
	size_t length;
	const char *const
	    *options; /* NAME=VALUE each, as `set` takes them; of one that is given twice the last counts */
	int n_options;
	const struct bw_device *devices; /* that the option gpu knows; at least one */
	int n_devices;
	const char *version; /* of beamwalk, for the source's comment */
};

struct bw_scheduler_outcome {
	char *schedule; /* text as in beamwalk-schedule(5): what `beamwalk schedule` writes, but for its
			   comments */
	char *source; /* statements in C++ on a Halide::Pipeline `pipeline`, that schedule it so */
	struct bw_directives *directives; /* what Halide is told, in order */
	struct bw_text features; /* bytes of a file of features (bw_featurization_append) */
	double cost; /* ms predicted */
	char warning[256]; /* a doubtful step that was taken, for the user to check; usually empty */
};

/* Searches to the end. Returns false with an error that says which option, which place of the
 * description or which Func it is about; then *outcome is empty. What it holds is the caller's:
 * bw_scheduler_outcome_free. */
bool bw_scheduler_run(const struct bw_scheduler_request *request, struct bw_scheduler_outcome *outcome,
		      struct bw_error *error);
void bw_scheduler_outcome_free(struct bw_scheduler_outcome *outcome);

/* Whether the search can place what is placed: a Func of the algorithm itself. Fails where it is derived from
 * one; path is what the error begins with, "" for nothing. */
struct bw_pipeline;
struct bw_placement;
bool bw_placement_searched(const struct bw_pipeline *pipeline, const char *path,
			   const struct bw_placement *placement, struct bw_error *error);

/* Writes the constraints that hold the Funcs of a schedule to `list`, which has room for one per Func; they
 * refer to its placements. Returns how many. */
int bw_schedule_constraints(const struct bw_schedule *schedule, struct bw_constraint *list);
/* Returns the best schedule that keeps to a partial one, found by another search like this one; NULL with an
 * error if there is none, or yield stops it. */
struct bw_nest *bw_schedule_completed(const struct bw_search *like, const struct bw_schedule *schedule,
				      const struct bw_yield *yield, struct bw_error *error);

/* A search from start to end without anybody looking. */

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
