#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench/complaint.h"

enum {
	MOST_ANSWER = 1 << 20, /* bytes */
	SLACK = 5              /* seconds that the worker itself may take beside its two runs */
};

/* The request as a line; NULL where a path is no UTF-8. free(). */
static char *request_line(const struct bw_measure_request *request)
{
	json_t *line = json_pack("{s:i,s:[s],s:I,s:[f,f],s:f,s:f}", "beamwalk-bench", 1, "objects", request->object, "seed", (json_int_t)(request->seed & INT64_MAX), "bound",
	                         request->bound.absolute, request->bound.relative, "seconds", request->seconds, "limit", request->limit);
	if (!line)
		return NULL;
	if (request->reference)
		json_object_set_new(line, "reference", json_string(request->reference));
	if (request->estimates)
		json_object_set_new(line, "estimates", json_loads(request->estimates, 0, NULL));
	char *text = json_dumps(line, JSON_COMPACT);
	json_decref(line);
	if (!text)
		return NULL;
	text = realloc(text, strlen(text) + 2);
	return text ? strcat(text, "\n") : NULL;
}

static bool read_verdict(const struct bw_json_at *root, enum bw_verdict *verdict, struct bw_error *error)
{
	struct bw_json_at at;
	const char *name;
	if (!bw_json_get(root, "verdict", &at, error) || !bw_json_string(&at, &name, error))
		return false;
#define X(constant, text) \
	if (strcmp(name, text) == 0) { \
		*verdict = BW_##constant; \
		return true; \
	}
	BW_VERDICT_TABLE(X)
#undef X
	return bw_json_fail(&at, error, "expected a verdict");
}

static bool read_text(const struct bw_json_at *root, const char *key, char *text, size_t size, struct bw_error *error)
{
	struct bw_json_at at;
	const char *string;
	if (!bw_json_get(root, key, &at, error) || !bw_json_string(&at, &string, error))
		return false;
	snprintf(text, size, "%s", string);
	return true;
}

static bool read_number(const struct bw_json_at *root, const char *key, double *number, struct bw_error *error)
{
	struct bw_json_at at;
	return bw_json_get(root, key, &at, error) && bw_json_number(&at, number, error);
}

static bool read_count(const struct bw_json_at *root, const char *key, int *count, struct bw_error *error)
{
	struct bw_json_at at;
	int64_t value;
	if (!bw_json_get(root, key, &at, error) || !bw_json_int(&at, 0, INT32_MAX, &value, error))
		return false;
	*count = (int)value;
	return true;
}

/* The worker's own account of why there is no measurement. */
static bool read_error(const struct bw_json_at *at, struct bw_error *error)
{
	struct bw_json_at kind, text;
	const char *name, *said;
	if (!bw_json_get(at, "kind", &kind, error) || !bw_json_string(&kind, &name, error) || !bw_json_get(at, "text", &text, error) || !bw_json_string(&text, &said, error))
		return false;
#define X(constant, status, meaning) \
	if (strcmp(name, #constant) == 0) \
		return bw_fail(error, BW_ERROR_##constant, "%s", said);
	BW_ERROR_TABLE(X)
#undef X
	return bw_fail(error, BW_ERROR_DEVICE, "%s", said);
}

static bool read_result(const struct bw_json_at *root, struct bw_measurement *measurement, struct bw_error *error)
{
	struct bw_json_at at;
	*measurement = (struct bw_measurement){.minimum = (double)NAN, .median = (double)NAN, .spread = (double)NAN};
	if (!read_verdict(root, &measurement->verdict, error) || !read_number(root, "worst", &measurement->worst, error) ||
	    !read_text(root, "where", measurement->where, sizeof measurement->where, error) || !read_text(root, "demand", measurement->demand, sizeof measurement->demand, error) ||
	    !read_text(root, "device", measurement->device, sizeof measurement->device, error))
		return false;
	if (!bw_json_get(root, "cpu", &at, error) || !bw_json_bool(&at, &measurement->cpu, error))
		return false;
	if (!bw_json_get(root, "mismatches", &at, error) || !bw_json_int(&at, 0, INT64_MAX, &measurement->mismatches, error))
		return false;
	if (measurement->verdict == BW_OUTPUT_WRONG)
		return true;
	return read_number(root, "minimum", &measurement->minimum, error) && read_number(root, "median", &measurement->median, error) && read_number(root, "spread", &measurement->spread, error) &&
	       read_count(root, "runs", &measurement->runs, error) && read_count(root, "warm_ups", &measurement->warm_ups, error) &&
	       read_text(root, "method", measurement->method, sizeof measurement->method, error);
}

static bool read_answer(const struct bw_text *answer, const char *bench, struct bw_measurement *measurement, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse("answer", bw_text_get(answer), answer->length, error);
	if (!json)
		return bw_fail_in(error, "%s", bench);
	struct bw_json_at root = bw_json_root(json), at;
	bool refused = bw_json_has(&root, "error", &at);
	bool good = refused ? read_error(&at, error) : read_result(&root, measurement, error);
	bw_json_free(json);
	if (!good && !refused)
		bw_fail_in(error, "%s", bench);
	return good;
}

/* Adds to the error of a run that crashed what was said before: drivers abort after a message. */
static void add_complaint(const struct bw_text *errors, struct bw_error *error)
{
	struct bw_text line = {0};
	bw_complaint(bw_text_get(errors), &line);
	size_t used = strlen(error->text);
	if (line.length && error->kind == BW_ERROR_DEVICE)
		snprintf(error->text + used, sizeof error->text - used, ": %s", line.bytes);
	bw_text_free(&line);
}

bool bw_measure(const struct bw_places *places, const struct bw_measure_request *request, const struct bw_patience *patience, struct bw_measurement *measurement, struct bw_error *error)
{
	char *line = request_line(request);
	if (!line)
		return bw_fail(error, BW_ERROR_INPUT, "%s: a path that is no UTF-8 cannot be given to %s", request->object, places->bench);
	struct bw_text kernels = {0};
	bw_text_printf(&kernels, "POCL_CACHE_DIR=%s/pocl", places->cache);
	const char *const argv[] = {places->bench, NULL}, *const settings[] = {kernels.bytes, NULL};
	struct bw_process_command command = {argv, settings, line, MOST_ANSWER};
	struct bw_patience whole = {fmin(patience->seconds, 2 * request->limit + SLACK), patience->stop};
	struct bw_outcome outcome;
	bw_process_run(&command, &whole, &outcome);
	bool good = bw_outcome_good(&outcome, places->bench, &whole, BW_ERROR_DEVICE, error);
	if (good) {
		good = read_answer(&outcome.output, places->bench, measurement, error);
		if (!good && error)
			add_complaint(&outcome.errors, error);
	}
	bw_outcome_free(&outcome);
	bw_text_free(&kernels);
	free(line);
	return good;
}
