/* What was measured before is shown without being measured again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "results/results.h"
#include "results/subject.h"
#include "session/call.h"

enum {
	MOST_SHOWN = 20
};

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
	if (is_shown(session, result->uid))
		return;
	struct bw_timing timing = {.schedule = strtoull(result->schedule, NULL, 16),
				     .predicted = isnan(result->predicted_ms) ? result->predicted_cost
									      : result->predicted_ms};
	if (result->predicted_for)
		timing.predicted_for = bw_device_find(session->devices, session->n_devices, result->predicted_for);
	bw_record_show(session, bw_jobs_append(session, &timing), result);
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
	if (!bw_session_scripted(session))
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
	if (!bw_results_built() && bw_session_scripted(session) && *call->rest)
		return say_missing(call);
	if (!bw_results_built())
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "stored results are off: this beamwalk was built without SQLite");
	bw_result_hash(session->pipeline->content, description);
	struct bw_results *results = bw_record_open(session, &error);
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
