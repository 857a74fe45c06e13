#include "schedulers/scheduler.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nest/words.h"
#include "schedule/export.h"
#include "schedule/directive.h"
#include "schedulers/walk.h"

static const struct bw_scheduler schedulers[] = {
#define X(name, paper, meaning, walk) {name, paper, meaning, walk},
	BW_SCHEDULER_TABLE(X)
#undef X
};

const struct bw_scheduler *bw_schedulers(int *n)
{
	*n = sizeof schedulers / sizeof *schedulers;
	return schedulers;
}

const struct bw_scheduler *bw_scheduler_find(const char *name, struct bw_error *error)
{
	int n;
	BW_SCOPED_SUGGESTION known = {.unknown = name};
	const struct bw_scheduler *all = bw_schedulers(&n);
	for (int i = 0; i < n; i++)
		if (!strcmp(name, all[i].name))
			return &all[i];
	for (int i = 0; i < n; i++)
		bw_suggestion_add(&known, all[i].name);
	bw_fail(error, BW_ERROR_USAGE, "there is no scheduler \"%s\"; %s", name, bw_suggestion_say(&known, NULL));
	return NULL;
}

bool bw_batch_run(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		  const struct bw_constraints *constraints, struct bw_batch *batch, struct bw_error *error)
{
	struct bw_search *search = bw_search_new(pipeline, options, constraints);
	*batch = (struct bw_batch){0};
	bool good = bw_search_advance(search, INT_MAX, NULL, error) == BW_SEARCH_DONE;
	if (good) {
		const struct bw_state *best = bw_search_state(search, bw_search_reached(search), 0);
		batch->cost = best->cost;
		batch->totals = bw_search_totals(search);
		batch->directives = bw_lower(best->nest, error);
		batch->schedule = bw_nest_schedule(best->nest);
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

bool bw_placement_searched(const struct bw_pipeline *pipeline, const char *path,
			   const struct bw_placement *placement, struct bw_error *error)
{
	BW_SCOPED_TEXT head = {0};
	if (placement->derivation == BW_DERIVED_NOT)
		return true;
	bw_placement_print_head(pipeline, placement, &head);
	bw_fail(error, BW_ERROR_INPUT, "%s%s%s: derived Funcs can be written and read, but not placed yet",
		path, *path ? ": " : "", bw_text_get(&head));
	return false;
}

int bw_schedule_constraints(const struct bw_schedule *schedule, struct bw_constraint *list)
{
	int n = 0;
	for (int f = 0; f < schedule->n_funcs; f++)
		if (schedule->placements[f])
			list[n++] = (struct bw_constraint){.placement = schedule->placements[f],
							   .sizes = schedule->placements[f]->tiled,
							   .source = BW_CONSTRAINT_FILE};
	return n;
}

struct bw_nest *bw_schedule_completed(const struct bw_search *like, const struct bw_schedule *schedule,
				      const struct bw_yield *yield, struct bw_error *error)
{
	BW_SCOPED_MEMORY struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, schedule->n_funcs);
	struct bw_constraints with = {.n = bw_schedule_constraints(schedule, list), .list = list};
	struct bw_settings options = *bw_search_settings(like);
	struct bw_nest *nest = NULL;
	options.staging = options.staging && !schedule->unstaged;
	struct bw_search *search = bw_search_fork(like, &options, &with);
	bool good = bw_search_advance(search, INT_MAX, yield, error) == BW_SEARCH_DONE;
	const struct bw_state *best = good ? bw_search_state(search, bw_search_reached(search), 0) : NULL;
	if (best)
		nest = bw_nest_keep(best->nest);
	bw_search_free(search);
	return nest;
}

/* The inputs of a search while they are being read. */
struct scheduling {
	const struct bw_scheduler_request *request;
	struct bw_scheduler_outcome *outcome;
	struct bw_pipeline *pipeline;
	struct bw_settings options;
	struct bw_models models;      /* the weights that the options name */
	const char *partial;          /* file of a partial schedule; NULL: none */
	struct bw_schedule *schedule; /* the partial schedule */
	struct bw_constraint *list;   /* constraints that hold the partial schedule's Funcs */
	int n;
};

static bool read_options(struct scheduling *scheduling, struct bw_error *error)
{
	const struct bw_scheduler_request *request = scheduling->request;
	const struct bw_device *device = bw_device_find(request->devices, request->n_devices, BW_DEFAULT_DEVICE);
	scheduling->options = bw_settings_default(device ? device : request->devices);
	scheduling->options.models = &scheduling->models;
	for (int i = 0; i < request->n_options; i++) {
		struct bw_assignment assignment;
		if (!bw_assignment_read(request->options[i], &assignment, error))
			return false;
		if (assignment.option->kind == BW_SETTING_SCHEDULE)
			scheduling->partial = *assignment.value ? assignment.value : NULL;
		else if (!bw_settings_assign(&assignment, request->devices, request->n_devices,
						   &scheduling->options, error))
			return false;
	}
	return true;
}

/* Reads the partial schedule, and makes the constraints that hold its Funcs. */
static bool read_partial(struct scheduling *scheduling, struct bw_error *error)
{
	bool stale;
	if (!scheduling->partial)
		return true;
	struct bw_schedule *schedule = scheduling->schedule =
	    bw_schedule_read(scheduling->pipeline, scheduling->partial, &stale, error);
	if (!schedule || (schedule->n > schedule->n_funcs &&
			  !bw_placement_searched(scheduling->pipeline, scheduling->partial,
						 schedule->placements[schedule->n_funcs], error)))
		return false;
	if (stale)
		snprintf(scheduling->outcome->warning, sizeof scheduling->outcome->warning,
			 "%.180s was written for another algorithm", scheduling->partial);
	scheduling->options.staging = scheduling->options.staging && !schedule->unstaged;
	scheduling->list = BW_NEW_ARRAY(struct bw_constraint, schedule->n_funcs);
	scheduling->n = bw_schedule_constraints(schedule, scheduling->list);
	return true;
}

/* Writes the features of the found schedule to the outcome. */
static bool write_features(const struct scheduling *scheduling, const struct bw_schedule *schedule,
			   struct bw_error *error)
{
	BW_SCOPED_NEST *nest = bw_schedule_nest(scheduling->pipeline, schedule, error);
	if (!nest)
		return false;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	const struct bw_device device = bw_settings_device(&scheduling->options);
	const struct bw_feature_limits limits = bw_feature_limits_of(&device);
	bw_featurization_append(scheduling->pipeline, bw_nest_features(nest, &limits, arena),
				&scheduling->outcome->features);
	return true;
}

static bool write_outcome(struct scheduling *scheduling, struct bw_batch *batch, struct bw_error *error)
{
	struct bw_scheduler_outcome *outcome = scheduling->outcome;
	struct bw_text schedule = {0}, source = {0};
	struct bw_export export = {.pipeline = scheduling->pipeline,
				   .schedule = batch->schedule,
				   .directives = batch->directives,
				   .version = scheduling->request->version};
	bool good = bw_export_body(&export, &source, error) && write_features(scheduling, batch->schedule, error);
	if (good) {
		bw_schedule_print(scheduling->pipeline, batch->schedule, &schedule);
		outcome->schedule = bw_text_take(&schedule);
		outcome->source = bw_text_take(&source);
		outcome->directives = batch->directives;
		outcome->cost = batch->cost;
		batch->directives = NULL;
	}
	bw_text_free(&source);
	return good;
}

static bool search(struct scheduling *scheduling, struct bw_error *error)
{
	struct bw_constraints constraints = {.n = scheduling->n, .list = scheduling->list};
	struct bw_batch batch;
	if (!bw_batch_run(scheduling->pipeline, &scheduling->options, &constraints, &batch, error))
		return false;
	bool good = write_outcome(scheduling, &batch, error);
	bw_batch_free(&batch);
	return good;
}

bool bw_scheduler_run(const struct bw_scheduler_request *request, struct bw_scheduler_outcome *outcome,
		      struct bw_error *error)
{
	struct scheduling scheduling = {.request = request, .outcome = outcome};
	*outcome = (struct bw_scheduler_outcome){0};
	bool good = read_options(&scheduling, error);
	if (good) {
		scheduling.pipeline = bw_pipeline_parse(request->name, request->description, request->length, error);
		good = scheduling.pipeline && read_partial(&scheduling, error) && search(&scheduling, error);
	}
	free(scheduling.list);
	bw_schedule_drop(scheduling.schedule);
	bw_pipeline_free(scheduling.pipeline);
	bw_models_free(&scheduling.models);
	if (!good)
		bw_scheduler_outcome_free(outcome);
	return good;
}

void bw_scheduler_outcome_free(struct bw_scheduler_outcome *outcome)
{
	free(outcome->schedule);
	free(outcome->source);
	bw_text_free(&outcome->features);
	bw_directives_free(outcome->directives);
	*outcome = (struct bw_scheduler_outcome){0};
}
