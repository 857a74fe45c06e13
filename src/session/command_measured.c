/* What was measured before is shown without being measured again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/results.h"
#include "results/subject.h"
#include "session/commands.h"
#include "session/session_private.h"

enum {
	READ_MS = 200, /* that a command waits for another program */
	MOST_SHOWN = 20
};

/* The result as a timing's outcome; the label stays where there is one. */
static void show(const struct bw_session *session, struct bw_timing *timing, const struct bw_result *result)
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
	snprintf(timing->uid, sizeof timing->uid, "%s", result->uid);
	snprintf(timing->stored, sizeof timing->stored, "%.10s %.5s", result->measured_utc,
		 strlen(result->measured_utc) > 11 ? result->measured_utc + 11 : "");
}

struct finding {
	struct bw_session *session;
	struct bw_timing *timing;
	char host[BW_HOST_SIZE];
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if it was compiled for as many registers as it would be now. */
static bool same_limit(const struct bw_session *session, const struct bw_result *result)
{
	int said = session->options.register_limit;
	const struct bw_device *device =
	    result->target ? bw_device_find(session->devices, session->n_devices, result->target) : NULL;
	return result->cpu == 1 ||
	       (said ? result->register_limit == said
		     : !device || result->register_limit == (int64_t)device->register_limit);
}

/* Returns true if it ran where a measurement would run now: from this machine by the same command,
 * and on the same device where that is known. */
static bool same_place(const struct finding *finding, const struct bw_result *result)
{
	const struct bw_session *session = finding->session;
	return same_text(result->host, finding->host) &&
	       same_text(result->ran_by, bw_bench_command(session->bench)) &&
	       (!session->runs_on || same_text(result->target, session->runs_on->name));
}

/* Of those visited, newest first, the first that came to an end. */
static void show_newest(const struct bw_result *result, void *data)
{
	struct finding *finding = data;
	if (!*finding->timing->stored && strcmp(result->verdict, BW_RESULT_FAILED) &&
	    same_place(finding, result) && same_limit(finding->session, result))
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
	bw_result_hash(session->pipeline->content, description);
	bw_result_hash(timing->schedule, schedule);
	struct bw_results_filter filter = {.description = description, .schedule = schedule};
	struct finding finding = {.session = session, .timing = timing};
	bw_record_host(finding.host);
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
	*timing = (struct bw_timing){.schedule = strtoull(result->schedule, NULL, 16),
				     .predicted = isnan(result->predicted_ms) ? result->predicted_cost
									      : result->predicted_ms};
	if (result->predicted_for)
		timing->predicted_for = bw_device_find(session->devices, session->n_devices, result->predicted_for);
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
		return bw_fail(
		    call->error, BW_ERROR_INPUT,
		    "no stored measurement of this pipeline begins with \"%s\"; `beamwalk results` lists them",
		    call->rest);
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
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "stored results are off: this beamwalk was built without SQLite");
	bw_result_hash(session->pipeline->content, description);
	struct bw_results *results = open_stored(session, &error);
	struct bw_results_filter filter = {
	    .description = description, .uid = *call->rest ? call->rest : NULL, .limit = MOST_SHOWN};
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
	bw_session_say(call,
		       n ? "%ld stored measurement%s of this pipeline" : "nothing of this pipeline is stored",
		       n, n == 1 ? "" : "s");
	return true;
}
