/* Measurements are stored as they end, and shown again without being made again. */
#include <config.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/results.h"
#include "session/commands.h"
#include "session/session_private.h"

/* In place of a verdict where there is no measurement. */
static const char failed[] = "failed";

enum {
	READ_MS = 200,   /* that a command waits for another program */
	STORE_MS = 2000, /* that the thread that stores does */
	AGAIN_MS = 5000,
	MOST_SHOWN = 20,
	HOST_SIZE = 256
};

static void hash_text(uint64_t hash, char text[BW_UID_SIZE])
{
	snprintf(text, BW_UID_SIZE, "%016llx", (unsigned long long)hash);
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

static void read_host(char host[HOST_SIZE])
{
	*host = 0;
	gethostname(host, HOST_SIZE - 1);
	host[HOST_SIZE - 1] = 0;
}

struct bw_result *bw_record_begin(const struct bw_session *session, const struct bw_schedule *schedule, const struct bw_timing *timing)
{
	if (!bw_results_built() || !session->results || !session->source.description)
		return NULL;
	struct bw_result result = bw_result_unknown();
	const struct bw_search_options *options = &session->options;
	bool milliseconds = !strcmp(options->model->unit, "ms");
	char uid[BW_UID_SIZE], description[BW_UID_SIZE], algorithm[BW_UID_SIZE], hash[BW_UID_SIZE], seed[32], host[HOST_SIZE];
	struct bw_text text = {0};
	bw_schedule_print(session->pipeline, schedule, &text);
	bw_result_uid(uid);
	hash_text(session->pipeline->content, description);
	hash_text(session->pipeline->algorithm, algorithm);
	hash_text(timing->schedule, hash);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
	read_host(host);
	char *generator = generator_text(&session->source.generator);
	result.uid = uid;
	result.pipeline = session->pipeline->name;
	result.description = description;
	result.algorithm = algorithm;
	result.schedule = hash;
	result.label = timing->label;
	result.register_limit = options->register_limit ? options->register_limit : BW_RESULT_UNKNOWN;
	result.beamwalk = PACKAGE_VERSION;
	result.seed = seed;
	result.cost_model = options->model->name;
	result.predicted_ms = milliseconds ? timing->predicted : (double)NAN;
	result.predicted_cost = milliseconds ? (double)NAN : timing->predicted;
	result.predicted_for = options->device->name;
	result.host = *host ? host : NULL;
	result.ran_by = bw_bench_command(session->bench);
	result.source = session->source.name;
	result.generator = generator;
	result.description_text = session->source.description;
	result.schedule_text = bw_text_get(&text);
	struct bw_result *copy = bw_result_copy(&result);
	bw_text_free(&text);
	free(generator);
	return copy;
}

/* Whether the failure says something of the schedule, and not of files, of the user, or of a device that there is not. */
static bool is_of_the_schedule(const struct bw_error *error, const struct bw_device *device)
{
	return device && (error->kind == BW_ERROR_HALIDE || error->kind == BW_ERROR_DEVICE || error->kind == BW_ERROR_WRONG);
}

/* What the device adds: its record's name; the registers that its runtime takes where nothing was said. A CPU has no limit of registers. */
static void add_device(struct bw_result *result, const struct bw_device *device)
{
	result->target = device->name;
	result->cpu = device->cpu;
	if (device->cpu)
		result->register_limit = BW_RESULT_UNKNOWN;
	else if (result->register_limit == BW_RESULT_UNKNOWN)
		result->register_limit = (int64_t)device->register_limit;
}

void bw_record_end(struct bw_session *session, struct bw_timing *timing, struct bw_result *result, const struct bw_device *device)
{
	struct own *own = own_of(session);
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
		whole.verdict = failed;
		whole.error = timing->error.text;
	} else {
		bw_result_measured(&whole, &timing->measurement, &kernels);
	}
	if (!own->recorder)
		own->recorder = bw_recorder_new(session->results, STORE_MS, AGAIN_MS);
	snprintf(timing->uid, sizeof timing->uid, "%s", whole.uid);
	bw_recorder_add(own->recorder, bw_result_copy(&whole));
	session->n_unstored++;
	free(kernels);
	bw_result_free(result);
}

void bw_record_poll(struct bw_session *session)
{
	struct own *own = own_of(session);
	struct bw_text said = {0};
	if (!session->n_unstored)
		return;
	session->n_unstored = bw_recorder_poll(own->recorder, &said);
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

void bw_session_store_rest(struct bw_session *session, struct bw_text *said)
{
	struct own *own = own_of(session);
	bw_recorder_end(own->recorder, said);
	own->recorder = NULL;
	session->n_unstored = 0;
}

/* The result as a timing's outcome; the label stays where there is one. */
static void show(const struct bw_session *session, struct bw_timing *timing, const struct bw_result *result)
{
	bool has_failed = !strcmp(result->verdict, failed);
	if (!timing->label)
		timing->label = bw_strdup(result->label ? result->label : result->schedule);
	timing->phase = has_failed ? BW_JOB_FAILED : BW_JOB_DONE;
	if (has_failed)
		bw_fail(&timing->error, BW_ERROR_DEVICE, "%s", result->error ? result->error : "failed");
	timing->device = result->target ? bw_device_find(session->devices, session->n_devices, result->target) : NULL;
	bw_result_measurement(result, &timing->measurement);
	snprintf(timing->uid, sizeof timing->uid, "%s", result->uid);
	snprintf(timing->stored, sizeof timing->stored, "%.10s %.5s", result->measured_utc, strlen(result->measured_utc) > 11 ? result->measured_utc + 11 : "");
}

struct finding {
	struct bw_session *session;
	struct bw_timing *timing;
	char host[HOST_SIZE];
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Whether it was compiled for as many registers as it would be now. */
static bool same_limit(const struct bw_session *session, const struct bw_result *result)
{
	int said = session->options.register_limit;
	const struct bw_device *device = result->target ? bw_device_find(session->devices, session->n_devices, result->target) : NULL;
	return result->cpu == 1 || (said ? result->register_limit == said : !device || result->register_limit == (int64_t)device->register_limit);
}

/* Whether it ran where a measurement would run now: from this machine by the same command, and on the same device where that is known. */
static bool same_place(const struct finding *finding, const struct bw_result *result)
{
	const struct bw_session *session = finding->session;
	return same_text(result->host, finding->host) && same_text(result->ran_by, bw_bench_command(session->bench)) && (!session->runs_on || same_text(result->target, session->runs_on->name));
}

/* Of those visited, newest first, the first that came to an end. */
static void show_newest(const struct bw_result *result, void *data)
{
	struct finding *finding = data;
	if (!*finding->timing->stored && strcmp(result->verdict, failed) && same_place(finding, result) && same_limit(finding->session, result))
		show(finding->session, finding->timing, result);
}

/* Opens the file to read; NULL, without an error, where there is none yet. */
static struct bw_results *open_stored(const struct bw_session *session, struct bw_error *error)
{
	if (!session->results || access(session->results, F_OK))
		return NULL;
	return bw_results_open(session->results, false, READ_MS, NULL, error);
}

bool bw_record_find(struct bw_session *session, struct bw_timing *timing)
{
	char description[BW_UID_SIZE], schedule[BW_UID_SIZE];
	struct bw_results *results = open_stored(session, NULL);
	if (!results)
		return false;
	hash_text(session->pipeline->content, description);
	hash_text(timing->schedule, schedule);
	struct bw_results_filter filter = {.description = description, .schedule = schedule};
	struct finding finding = {.session = session, .timing = timing};
	read_host(finding.host);
	bw_results_each(results, &filter, show_newest, &finding, NULL);
	bw_results_close(results);
	return *timing->stored;
}

static bool is_shown(const struct bw_session *session, const char *uid)
{
	for (int i = 0; i < session->n_timings; i++)
		if (!strcmp(session->timings[i].uid, uid))
			return true;
	return false;
}

static void append(const struct bw_result *result, void *data)
{
	struct bw_session *session = data;
	struct own *own = own_of(session);
	if (is_shown(session, result->uid))
		return;
	BW_GROW(session->timings, session->n_timings, own->timings_capacity);
	BW_GROW(own->jobs, session->n_timings, own->jobs_capacity);
	struct bw_timing *timing = &session->timings[session->n_timings];
	own->jobs[session->n_timings++] = (struct job){0};
	*timing = (struct bw_timing){.schedule = strtoull(result->schedule, NULL, 16), .predicted = isnan(result->predicted_ms) ? result->predicted_cost : result->predicted_ms};
	show(session, timing, result);
}

/* From the newest first to the newest last. */
static void reverse(struct bw_timing *timings, int n)
{
	for (int i = 0; i < n / 2; i++) {
		struct bw_timing timing = timings[i];
		timings[i] = timings[n - 1 - i];
		timings[n - 1 - i] = timing;
	}
}

/* In a saved session what is not stored on this machine is no error: all else of it is there. */
static bool say_missing(struct call *call)
{
	struct bw_session *session = call->session;
	if (!own_of(session)->depth)
		return bw_fail(call->error, BW_ERROR_INPUT, "no stored measurement of this pipeline begins with \"%s\"; `beamwalk results` lists them", call->rest);
	snprintf(session->warning, sizeof session->warning, "measurement %.32s is not stored here", call->rest);
	bw_session_say(call, "%s", session->warning);
	return true;
}

bool bw_command_measured(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_error error = {0};
	char description[BW_UID_SIZE];
	if (!bw_results_built() && own_of(session)->depth && *call->rest)
		return say_missing(call);
	if (!bw_results_built())
		return bw_fail(call->error, BW_ERROR_FAILED, "stored results are off: this beamwalk was built without SQLite");
	hash_text(session->pipeline->content, description);
	struct bw_results *results = open_stored(session, &error);
	struct bw_results_filter filter = {.description = description, .uid = *call->rest ? call->rest : NULL, .limit = MOST_SHOWN};
	int before = session->n_timings;
	long n = results ? bw_results_each(results, &filter, append, session, &error) : error.kind ? -1 : 0;
	bw_results_close(results);
	reverse(session->timings + before, session->n_timings - before);
	if (n < 0) {
		*call->error = error;
		return false;
	}
	if (!n && *call->rest)
		return say_missing(call);
	bw_session_say(call, n ? "%ld stored measurement%s of this pipeline" : "nothing of this pipeline is stored", n, n == 1 ? "" : "s");
	return true;
}
