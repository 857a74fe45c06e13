/* Stores each measurement when it ends. */
#include <config.h>
#include <math.h>
#include <unistd.h>

#include "results/results.h"
#include "session/core.h"
#include "session/counters.h"

enum {
	STORE_MS = 2000, /* how long the storing thread waits for another program that has locked the file */
	AGAIN_MS = 5000
};

struct record {
	struct bw_recorder *recorder; /* NULL: nothing was measured yet */
	uint64_t hand; /* hash of the generator's own schedule; 0: not known yet */
};

static BW_PART_DATA(record_of, struct record, RECORD)

/* Returns a text that says how to run the generator again; free(). */
static char *generator_text(const struct bw_generator *generator)
{
	if (!generator->path)
		return NULL;
	json_auto_t *object = json_pack("{s:s, s:s?, s:o, s:o}", "path", generator->path, "name", generator->name,
				   "parameters", bw_json_strings(generator->args, generator->n_args), "estimates", bw_json_strings(generator->estimates, generator->n_estimates));
	return json_dumps(object, JSON_COMPACT);
}

static void record_host(char host[BW_HOST_SIZE])
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

/* Adds the predicted cost of the schedule, and the model and device of the prediction. */
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
	if (!session->results || !session->source.description)
		return NULL;
	struct bw_result result = bw_result_unknown();
	const struct bw_settings *options = &session->options;
	char uid[BW_UID_SIZE], seed[32], host[BW_HOST_SIZE];
	struct bw_subject subject;
	BW_SCOPED_TEXT predicted_for = {0};
	bw_result_of(&result, &subject, session->pipeline, session->source.description, schedule, timing->schedule);
	bw_result_uid(uid);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
	record_host(host);
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
	free(generator);
	return copy;
}

/* Returns true if a failure is due to the schedule. Failures due to files, the user, or a missing device are
 * not. */
static bool is_of_the_schedule(const struct bw_error *error, const struct bw_device *device)
{
	return device && (error->kind == BW_ERROR_HALIDE || error->kind == BW_ERROR_DEVICE ||
			  error->kind == BW_ERROR_WRONG);
}

/* Adds the device to a result: the name of its record, and the register limit of its runtime if none was set.
 * A CPU has no limit of registers. */
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

/* Checks the stores in progress; what they report becomes the session's warning. */
static void poll(struct bw_session *session)
{
	struct record *record = record_of(session);
	BW_SCOPED_TEXT said = {0};
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
}

bool bw_session_store_rest(struct bw_session *session, struct bw_text *said)
{
	struct record *record = record_of(session);
	if (*session->unstored)
		bw_text_printf(said, "%s\n", session->unstored);
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
	BW_SCOPED_TEXT unheard = {0};
	bw_recorder_end(record_of(session)->recorder, &unheard);
}

const struct bw_session_part bw_part_record = {
    .size = sizeof(struct record),
    .poll = poll,
    .fds = fds,
    .end = end,
};

/* Finding stored measurements. */

enum { READ_MS = 200 /* how long a command waits for another program that has locked the file */ };

void bw_record_show(const struct bw_session *session, struct bw_timing *timing,
		    const struct bw_result *result)
{
	bool has_failed = !strcmp(result->verdict, BW_RESULT_FAILED);
	if (!timing->label)
		timing->label = bw_strdup(result->label ? result->label : result->schedule);
	timing->phase = has_failed ? BW_JOB_FAILED : BW_JOB_DONE;
	if (has_failed)
		bw_fail(&timing->error, BW_ERROR_DEVICE, "%s", result->error ? result->error : "failed");
	timing->device =
	    result->target ? bw_device_find(session->devices, session->n_devices, result->target) : NULL;
	bw_result_measurement(result, &timing->measurement);
	timing->estimated = result->estimated_ms > 0 ? result->estimated_ms : 0;
	snprintf(timing->uid, sizeof timing->uid, "%s", result->uid);
	snprintf(timing->stored, sizeof timing->stored, "%.10s %.5s", result->measured_utc,
		 strlen(result->measured_utc) > 11 ? result->measured_utc + 11 : "");
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if the result was compiled with the present limit of registers. */
static bool same_limit(const struct bw_session *session, const struct bw_result *result)
{
	int said = session->options.register_limit;
	const struct bw_device *device =
	    result->target ? bw_device_find(session->devices, session->n_devices, result->target) : NULL;
	return result->cpu == 1 ||
	       (said ? result->register_limit == said
		     : !device || result->register_limit == (int64_t)device->register_limit);
}

struct finding {
	struct bw_session *session;
	struct bw_timing *timing;
	bool first; /* find the oldest measurement, including those that failed while tuning; false: find the
		       newest */
	const char *const *commands; /* commands of the workers that may have made the measurement; NULL: only
					the session's worker */
	int n_commands;
	const char *device; /* device on which it was made; NULL: any */
	char host[BW_HOST_SIZE];
};

/* Returns true if a result was measured where a measurement would run now: from this machine, by the same
 * worker command, and on the same device if the device is known. */
static bool same_place(const struct finding *finding, const struct bw_result *result)
{
	bool same = false;
	for (int i = 0; i < finding->n_commands; i++)
		same |= same_text(result->ran_by, finding->commands[i]);
	return same && same_text(result->host, finding->host) &&
	       (!finding->device || same_text(result->target, finding->device));
}

static bool counts(const struct finding *finding, const struct bw_result *result)
{
	size_t length = strlen(BW_TUNING_LABEL);
	return strcmp(result->verdict, BW_RESULT_FAILED) != 0 ||
	       (finding->first && result->label && !strncmp(result->label, BW_TUNING_LABEL, length));
}

/* Called for each result, the newest first: copies the wanted one into the timing. */
static void show(const struct bw_result *result, void *data)
{
	struct finding *finding = data;
	struct bw_timing *timing = finding->timing;
	if ((*timing->stored && !finding->first) || !counts(finding, result) || !same_place(finding, result) ||
	    !same_limit(finding->session, result))
		return;
	if (finding->first) {
		free(timing->label);
		timing->label = NULL;
	}
	bw_record_show(finding->session, timing, result);
}

struct bw_results *bw_record_open(const struct bw_session *session, struct bw_error *error)
{
	if (!session->results || access(session->results, F_OK))
		return NULL;
	return bw_results_open(session->results, false, READ_MS, NULL, error);
}

/* Finds a measurement that meets the conditions of `finding`. */
static bool find_as(struct finding *finding)
{
	struct bw_session *session = finding->session;
	struct bw_timing *timing = finding->timing;
	char description[BW_UID_SIZE], schedule[BW_UID_SIZE];
	struct bw_results *results = bw_record_open(session, NULL);
	if (!results)
		return false;
	bw_result_hash(session->pipeline->content, description);
	bw_result_hash(timing->schedule, schedule);
	struct bw_results_filter filter = {.description = description, .schedule = schedule};
	record_host(finding->host);
	bw_results_each(results, &filter, show, finding, NULL);
	bw_results_close(results);
	return *timing->stored;
}

bool bw_record_find(struct bw_session *session, struct bw_timing *timing)
{
	const char *command = bw_bench_command(session->bench);
	struct finding finding = {.session = session,
				  .timing = timing,
				  .commands = &command,
				  .n_commands = 1,
				  .device = session->runs_on ? session->runs_on->name : NULL};
	return find_as(&finding);
}

bool bw_record_first_by(struct bw_session *session, struct bw_timing *timing, const char *const *commands,
			int n, const char *device)
{
	struct finding finding = {.session = session,
				  .timing = timing,
				  .first = true,
				  .commands = commands,
				  .n_commands = n,
				  .device = device};
	return find_as(&finding);
}
