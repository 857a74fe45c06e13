/* Into the database of measurements: as if each schedule had been measured by `beamwalk time`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "results/results.h"
#include "results/result.h"
#include "unpack.h"

enum { BUSY_MS = 10000 };

static void set_predicted(const struct pack *pack, const struct label *label, struct bw_result *result,
                          struct bw_text *title)
{
	const struct prediction *roofline = &label->by[ROOFLINE], *learned = &label->by[LEARNED];
	result->predicted_ms = roofline->value;
	result->predicted_cost = learned->value;
	result->predicted_for = !isnan(roofline->value) ? roofline->device : learned->device;
	if (!isnan(roofline->value))
		bw_text_puts(title, bw_roofline.title);
	if (!isnan(learned->value))
		bw_text_printf(title, "%slearned, weights %s", title->length ? "; " : "",
		               pack->weights ? pack->weights : "?");
	result->cost_model = title->length ? bw_text_get(title) : NULL;
}

/* What the campaign says of where and when. */
static void set_circumstances(const struct pack *pack, const struct outcome *outcome,
                              struct bw_result *result)
{
	const struct session *session = outcome->session;
	result->uid = outcome->uid;
	result->measured_utc = outcome->at ? outcome->at : session ? session->at : NULL;
	result->label = outcome->label->name;
	result->target = pack->gpu;
	result->host = session ? session->host : NULL;
	result->ran_by = "tests/gpu/campaign";
	result->source = outcome->label->variant->pipeline;
	result->beamwalk = pack->version;
	result->seed = outcome->label->seed ? outcome->label->seed : pack->seed;
	if (session && session->has_device) {
		result->device = session->device.name;
		result->driver = *session->device.driver ? session->device.driver : NULL;
		result->cpu = session->device.device.cpu;
	}
	if (pack->register_limit > 0 && result->cpu != true)
		result->register_limit = pack->register_limit;
}

/* Whether the failure says something of the schedule, and not of files or of a device that there is not. */
static bool is_of_the_schedule(const struct outcome *outcome)
{
	return outcome->error.kind == BW_ERROR_HALIDE || outcome->error.kind == BW_ERROR_DEVICE;
}

/* Adds one outcome; *fresh says whether it was not there yet. */
static bool add(struct bw_results *results, const struct pack *pack, const struct outcome *outcome,
                struct bw_error *error)
{
	const struct label *label = outcome->label;
	struct bw_result result = bw_result_unknown();
	struct bw_subject subject;
	struct bw_text title = {0}, notice = {0};
	char *kernels = NULL;
	set_circumstances(pack, outcome, &result);
	set_predicted(pack, label, &result, &title);
	bw_result_of(&result, &subject, label->variant->read, label->variant->description, label->schedule,
	             label->identity);
	if (outcome->measurement) {
		bw_result_measured(&result, outcome->measurement, &kernels);
	} else {
		result.verdict = BW_RESULT_FAILED;
		result.error = outcome->error.text;
	}
	result.halide = pack->halide;
	bool good = bw_results_add(results, &result, &notice, error);
	if (notice.length)
		fprintf(stderr, "unpack: %s", bw_text_get(&notice));
	bw_subject_free(&subject);
	bw_text_free(&title);
	bw_text_free(&notice);
	free(kernels);
	return good;
}

bool store_outcomes(const struct pack *pack, const struct campaign *campaign, const char *database,
                    long *stored, struct bw_error *error)
{
	struct bw_text notice = {0};
	struct bw_results *results = bw_results_open(database, true, BUSY_MS, &notice, error);
	if (notice.length)
		fprintf(stderr, "unpack: %s", bw_text_get(&notice));
	bw_text_free(&notice);
	if (!results)
		return false;
	long before = bw_results_count(results, NULL, error);
	bool good = before >= 0;
	for (int i = 0; i < campaign->n_outcomes && good; i++) {
		const struct outcome *outcome = campaign->outcomes[i];
		if (outcome_is_timed(outcome) && (outcome->measurement || is_of_the_schedule(outcome)))
			good = add(results, pack, outcome, error);
	}
	long after = good ? bw_results_count(results, NULL, error) : -1;
	*stored = after - before;
	bw_results_close(results);
	return good && after >= 0;
}
