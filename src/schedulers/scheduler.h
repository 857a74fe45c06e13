/* The core's single entry for programs that search in process, such as the plugin: takes a description
 * and options, and returns a schedule. Keeps no state between calls. Several threads may call it at once. */
#pragma once

#include "schedule/directive.h"
#include "schedule/schedule.h"
#include "search/search.h"

struct bw_scheduler_request {
	const char *name;        /* name of the description in error messages */
	const char *description; /* JSON as in beamwalk-pipeline(5), length bytes */
	size_t length;
	/* NAME=VALUE each, as the command `set` takes them; if an option is given twice, the last one counts */
	const char *const
	    *options;
	int n_options;
	const struct bw_device *devices; /* devices that the option gpu can name; at least one */
	int n_devices;
	const char *version; /* version of beamwalk, for the comment in `source` */
};

struct bw_scheduler_outcome {
	char *schedule; /* text as in beamwalk-schedule(5): what `beamwalk schedule` writes, without the comments */
	char *source; /* C++ statements that apply the schedule to a Halide::Pipeline `pipeline` */
	struct bw_directives *directives; /* the directives for Halide, in order */
	struct bw_text features; /* contents of a featurization file (bw_featurization_append) */
	double cost; /* predicted ms */
	char warning[256]; /* a doubtful step that the user should check; usually empty */
};

/* Runs a search from start to end, and fills *outcome. Returns false with an error that names the option,
 * the place in the description or the Func; then *outcome is empty. The caller frees *outcome with
 * bw_scheduler_outcome_free. */
bool bw_scheduler_run(const struct bw_scheduler_request *request, struct bw_scheduler_outcome *outcome,
		      struct bw_error *error);
void bw_scheduler_outcome_free(struct bw_scheduler_outcome *outcome);

/* Returns true if the search can place the placement's Func: it is a Func of the algorithm. Returns false
 * with an error if the Func is derived, such as a wrapper. path: prefix of the error; "": none. */
struct bw_pipeline;
struct bw_placement;
bool bw_placement_searched(const struct bw_pipeline *pipeline, const char *path,
			   const struct bw_placement *placement, struct bw_error *error);

/* Writes the constraints that hold the Funcs of a schedule to `list`, which has room for one per Func.
 * Returns their number. The constraints refer to the schedule's placements. */
int bw_schedule_constraints(const struct bw_schedule *schedule, struct bw_constraint *list);
/* Returns the best schedule that keeps a partial schedule. Runs a new search with the options of `like`.
 * Returns NULL with an error if there is none, or if yield stopped the search. */
struct bw_nest *bw_schedule_completed(const struct bw_search *like, const struct bw_schedule *schedule,
				      const struct bw_yield *yield, struct bw_error *error);

/* A search from start to end without interaction. */

/* The best schedule that the search finds, and the directives that make Halide compute it. */
struct bw_batch {
	struct bw_schedule *schedule;
	struct bw_directives *directives;
	double cost;
	struct bw_search_totals totals;
};

/* Runs the search. Returns false with an error that says which Func has no legal option, and why. Free
 * the outcome with bw_batch_free. */
bool bw_batch_run(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		  const struct bw_constraints *constraints, struct bw_batch *batch, struct bw_error *error);
void bw_batch_free(struct bw_batch *batch);
