/* Makes training samples from stored measurements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/train.h"
#include "results/results.h"
#include "schedule/schedule.h"

enum { BUSY_MS = 5000 };

/* A measurement that may become a sample. */
struct measured {
	char *description, *schedule, *name, *target; /* hashes; the pipeline's name; the device's record */
	double ms;
};

struct gathering {
	struct bw_program *program;
	struct bw_results *results;
	struct bw_train_set *set;
	struct measured *list;
	int n, capacity;
};

/* Takes measurements that ran, whose output is not wrong, and whose features can be computed (a
 * generator's own schedule has none). */
static void take(const struct bw_result *result, void *data)
{
	struct gathering *gathering = data;
	bool right = result->verdict && strcmp(result->verdict, bw_verdict_name(BW_OUTPUT_WRONG)) != 0 &&
		     strcmp(result->verdict, bw_verdict_name(BW_UNSTABLE)) != 0 &&
		     strcmp(result->verdict, BW_RESULT_FAILED) != 0;
	if (result->label && !strcmp(result->label, BW_RESULT_HAND))
		return;
	if (!right || !(result->minimum_ms > 0) || !result->description || !result->schedule || !result->target)
		return;
	BW_GROW(gathering->list, gathering->n, gathering->capacity);
	gathering->list[gathering->n++] =
	    (struct measured){bw_strdup(result->description), bw_strdup(result->schedule),
			      bw_strdup(result->pipeline ? result->pipeline : ""), bw_strdup(result->target),
			      result->minimum_ms};
}

/* Orders by description, schedule and time, independent of the order of measuring. */
static int compare(const void *a, const void *b)
{
	const struct measured *left = a, *right = b;
	int order = strcmp(left->description, right->description);
	order = order ? order : strcmp(left->schedule, right->schedule);
	return order ? order : (left->ms > right->ms) - (left->ms < right->ms);
}

static bool find_device(struct gathering *gathering, struct bw_error *error)
{
	for (int i = 1; i < gathering->n; i++)
		if (strcmp(gathering->list[i].target, gathering->list[0].target) != 0)
			return bw_fail(
			    error, BW_ERROR_USAGE,
			    "there are measurements of several devices (%s, %s); select one with --device",
			    gathering->list[0].target, gathering->list[i].target);
	if (!gathering->n)
		return bw_fail(error, BW_ERROR_INPUT,
			       "%s: no measurement to train on matches; `beamwalk time` makes some",
			       gathering->program->layout.results);
	gathering->set->device = bw_device_find(gathering->program->devices, gathering->program->n_devices,
						gathering->list[0].target);
	return gathering->set->device ||
	       bw_fail(error, BW_ERROR_INPUT,
		       "no record of the device \"%s\"; give a file with one by --devices",
		       gathering->list[0].target);
}

static void skip(struct bw_train_set *set, const struct bw_error *why)
{
	if (!set->skipped++)
		snprintf(set->why, sizeof set->why, "%.500s", why->text);
}

/* Adds the features of a nest's schedule. */
static void add_nest(struct gathering *gathering, const struct bw_nest *nest, const struct measured *measured)
{
	struct bw_text name = {0};
	struct bw_error why = {0};
	bw_text_printf(&name, "%s %.8s", measured->name, measured->description);
	if (!bw_samples_add_nest(&gathering->set->samples, bw_text_get(&name), nest, gathering->set->device,
				 measured->schedule, measured->ms, &why))
		skip(gathering->set, &why);
	bw_text_free(&name);
}

/* Adds one measurement, whose schedule is read for the pipeline, or skips it if that fails. */
static void add(struct gathering *gathering, const struct bw_pipeline *pipeline,
		const struct measured *measured)
{
	struct bw_text text = {0};
	struct bw_error why = {0};
	struct bw_schedule *schedule = NULL;
	struct bw_nest *nest = NULL;
	if (bw_results_schedule(gathering->results, measured->schedule, &text, &why))
		schedule = bw_schedule_parse(pipeline, measured->schedule, bw_text_get(&text), text.length, NULL, &why);
	if (schedule && schedule->n > schedule->n_funcs)
		bw_fail(&why, BW_ERROR_INPUT, "%s: a derived Func has no features", measured->schedule);
	else if (schedule && (nest = bw_schedule_nest(pipeline, schedule, &why)) && !bw_nest_complete(nest))
		bw_fail(&why, BW_ERROR_INPUT, "%s: not every Func is placed", measured->schedule);
	if (nest && !why.kind)
		add_nest(gathering, nest, measured);
	else
		skip(gathering->set, &why);
	bw_nest_drop(nest);
	bw_schedule_drop(schedule);
	bw_text_free(&text);
}

/* Adds all measurements of one description from the first on. Returns the index of the next description's. */
static int add_pipeline(struct gathering *gathering, int first)
{
	const struct measured *list = gathering->list;
	struct bw_text text = {0};
	struct bw_error why = {0};
	struct bw_pipeline *pipeline = NULL;
	if (bw_results_description(gathering->results, list[first].description, &text, &why))
		pipeline = bw_pipeline_parse(list[first].description, bw_text_get(&text), text.length, &why);
	int i = first;
	for (; i < gathering->n && !strcmp(list[i].description, list[first].description); i++) {
		bool again = i > first && !strcmp(list[i].schedule, list[i - 1].schedule);
		if (pipeline && !again)
			add(gathering, pipeline, &list[i]);
		else if (!again)
			skip(gathering->set, &why);
	}
	bw_pipeline_free(pipeline);
	bw_text_free(&text);
	return i;
}

static bool gather(struct gathering *gathering, struct bw_error *error)
{
	const struct bw_arguments *arguments = &gathering->program->arguments;
	char since[BW_TIME_SIZE] = "";
	if (arguments->since && !bw_program_since(arguments->since, since, error))
		return false;
	struct bw_results_filter filter = {.pipeline = arguments->pipeline,
					   .device = arguments->device,
					   .since = arguments->since ? since : NULL};
	if (bw_results_each(gathering->results, &filter, take, gathering, error) < 0 ||
	    !find_device(gathering, error))
		return false;
	qsort(gathering->list, (size_t)gathering->n, sizeof *gathering->list, compare);
	for (int i = 0; i < gathering->n;)
		i = add_pipeline(gathering, i);
	bw_samples_drop_empty(&gathering->set->samples);
	return bw_samples_count(&gathering->set->samples) ||
	       bw_fail(error, BW_ERROR_INPUT, "none of %d measurements can be trained on: %s", gathering->n,
		       gathering->set->why);
}

bool bw_train_gather(struct bw_program *program, struct bw_train_set *set, struct bw_error *error)
{
	struct gathering gathering = {.program = program, .set = set};
	struct bw_text notice = {0};
	const char *path = program->layout.results;
	if (bw_results_built() && access(path, F_OK) != 0)
		return bw_fail(error, BW_ERROR_INPUT, "%s: no measurement is stored yet", path);
	gathering.results = bw_results_open(path, false, BUSY_MS, &notice, error);
	bool good = gathering.results && gather(&gathering, error);
	if (notice.length)
		fprintf(stderr, "beamwalk: %s", bw_text_get(&notice));
	for (int i = 0; i < gathering.n; i++) {
		free(gathering.list[i].description);
		free(gathering.list[i].schedule);
		free(gathering.list[i].name);
		free(gathering.list[i].target);
	}
	free(gathering.list);
	bw_results_close(gathering.results);
	bw_text_free(&notice);
	return good;
}
