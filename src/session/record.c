/* Measurements are stored as they end. */
#include <config.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/recorder.h"
#include "results/results.h"
#include "results/subject.h"
#include "session/core.h"
#include "session/counters.h"

enum {
	STORE_MS = 2000, /* that the thread that stores waits for another program */
	AGAIN_MS = 5000
};

struct record {
	struct bw_recorder *recorder; /* NULL: nothing was measured yet */
	uint64_t hand; /* of the generator's own schedule; 0: not known yet */
};

static struct record *record_of(const struct bw_session *session)
{
	return bw_part_data(session, BW_PART_RECORD);
}

static json_t *strings(const char *const *list, int n)
{
	json_t *array = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

/* How to run the generator again; free(). */
static char *generator_text(const struct bw_generator *generator)
{
	if (!generator->path)
		return NULL;
	json_t *object = json_pack("{s:s, s:s?, s:o, s:o}", "path", generator->path, "name", generator->name,
				   "parameters", strings(generator->args, generator->n_args), "estimates", strings(generator->estimates, generator->n_estimates));
	char *text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	return text;
}

void bw_record_host(char host[BW_HOST_SIZE])
{
	*host = 0;
	gethostname(host, BW_HOST_SIZE - 1);
	host[BW_HOST_SIZE - 1] = 0;
}

uint64_t bw_session_hand(const struct bw_session *session, bool again)
{
	struct record *record = record_of(session);
	struct bw_error ignored;
	if ((!record->hand || again) &&
	    (!session->source.compilable ||
	     !bw_generator_identity(&session->source.generator, &record->hand, &ignored)))
		record->hand = 0;
	return record->hand;
}

/* What is predicted of the schedule, and by what. */
static void add_prediction(const struct bw_session *session, const struct bw_timing *timing,
			   const char *device, struct bw_result *result)
{
	const struct bw_cost_model *model = session->options.model;
	bool milliseconds = !strcmp(model->unit, "ms");
	result->cost_model = model->title;
	result->predicted_ms = milliseconds ? timing->predicted : (double)NAN;
	result->predicted_cost = milliseconds ? (double)NAN : timing->predicted;
	result->predicted_for = device;
}

struct bw_result *bw_record_begin(const struct bw_session *session, const struct bw_schedule *schedule,
				  const struct bw_timing *timing)
{
	if (!bw_results_built() || !session->results || !session->source.description)
		return NULL;
	struct bw_result result = bw_result_unknown();
	const struct bw_settings *options = &session->options;
	char uid[BW_UID_SIZE], seed[32], host[BW_HOST_SIZE];
	struct bw_subject subject;
	struct bw_text predicted_for = {0};
	bw_result_of(&result, &subject, session->pipeline, session->source.description, schedule, timing->schedule);
	bw_result_uid(uid);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
	bw_record_host(host);
	char *generator = generator_text(&session->source.generator);
	result.uid = uid;
	result.label = timing->label;
	result.register_limit = options->register_limit ? options->register_limit : BW_RESULT_UNKNOWN;
	result.beamwalk = PACKAGE_VERSION;
	result.seed = seed;
	bw_settings_device_name(options, &predicted_for);
	if (schedule)
		add_prediction(session, timing, bw_text_get(&predicted_for), &result);
	result.host = *host ? host : NULL;
	result.ran_by = bw_bench_command(session->bench);
	result.source = session->source.name;
	result.generator = generator;
	struct bw_result *copy = bw_result_copy(&result);
	bw_subject_free(&subject);
	bw_text_free(&predicted_for);
	free(generator);
	return copy;
}

/* Returns true if the failure says something of the schedule, and not of files, of the user, or of
 * a device that there is not. */
static bool is_of_the_schedule(const struct bw_error *error, const struct bw_device *device)
{
	return device && (error->kind == BW_ERROR_HALIDE || error->kind == BW_ERROR_DEVICE ||
			  error->kind == BW_ERROR_WRONG);
}

/* What the device adds: its record's name; the registers that its runtime takes where nothing was said. A CPU
 * has no limit of registers. */
static void add_device(struct bw_result *result, const struct bw_device *device)
{
	result->target = device->name;
	result->cpu = device->cpu;
	if (device->cpu)
		result->register_limit = BW_RESULT_UNKNOWN;
	else if (result->register_limit == BW_RESULT_UNKNOWN)
		result->register_limit = (int64_t)device->register_limit;
}

void bw_record_end(struct bw_session *session, struct bw_timing *timing, struct bw_result *result,
		   const struct bw_device *device)
{
	struct record *record = record_of(session);
	bool has_failed = timing->phase == BW_JOB_FAILED;
	if (!result || (has_failed && !is_of_the_schedule(&timing->error, device))) {
		bw_result_free(result);
		return;
	}
	struct bw_result whole = *result;
	char when[BW_TIME_SIZE], *kernels = NULL;
	bw_result_time(bw_result_now(), when);
	whole.measured_utc = when;
	if (device)
		add_device(&whole, device);
	if (has_failed) {
		whole.verdict = BW_RESULT_FAILED;
		whole.error = timing->error.text;
	} else {
		bw_result_measured(&whole, &timing->measurement, &kernels);
		if (timing->counted)
			whole.estimated_ms = bw_counted_total(session, timing).ms;
	}
	if (!record->recorder)
		record->recorder = bw_recorder_new(session->results, STORE_MS, AGAIN_MS);
	snprintf(timing->uid, sizeof timing->uid, "%s", whole.uid);
	bw_recorder_add(record->recorder, bw_result_copy(&whole));
	session->n_unstored++;
	free(kernels);
	bw_result_free(result);
}

/* Hears what became of those being stored; what there is to say becomes the warning. */
static void poll(struct bw_session *session)
{
	struct record *record = record_of(session);
	struct bw_text said = {0};
	if (!session->n_unstored)
		return;
	session->n_unstored = bw_recorder_poll(record->recorder, &said);
	if (!session->n_unstored)
		*session->unstored = 0;
	if (said.length) {
		size_t length = strlen(session->message), room = sizeof session->message - length;
		said.bytes[said.length - 1] = 0;
		for (char *end; (end = strchr(said.bytes, '\n'));)
			*end = ';';
		snprintf(session->warning, sizeof session->warning, "%.250s", said.bytes);
		if (session->n_unstored)
			snprintf(session->unstored, sizeof session->unstored, "%s", session->warning);
		snprintf(session->message + length, room, "%s%.250s", length ? "; " : "", said.bytes);
		bw_session_touch(session);
	}
	bw_text_free(&said);
}

bool bw_session_store_rest(struct bw_session *session, struct bw_text *said)
{
	struct record *record = record_of(session);
	bool good = bw_recorder_end(record->recorder, said);
	record->recorder = NULL;
	session->n_unstored = 0;
	return good;
}

static int fds(const struct bw_session *session, int *fds, int most)
{
	if (!session->n_unstored || most < 1)
		return 0;
	fds[0] = bw_recorder_fd(record_of(session)->recorder);
	return 1;
}

static void end(struct bw_session *session)
{
	struct bw_text unheard = {0};
	bw_recorder_end(record_of(session)->recorder, &unheard);
	bw_text_free(&unheard);
}

const struct bw_session_part bw_part_record = {
    .size = sizeof(struct record),
    .poll = poll,
    .fds = fds,
    .end = end,
};
