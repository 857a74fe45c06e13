/* Stored measurements, found again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/results.h"
#include "results/subject.h"
#include "session/core.h"

enum { READ_MS = 200 /* that a command waits for another program */ };

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

struct finding {
	struct bw_session *session;
	struct bw_timing *timing;
	bool first; /* the oldest is wanted, and one that failed while tuning counts, too */
	const char *const *commands; /* that any of these made; NULL: the session's worker */
	int n_commands;
	const char *device; /* on this one; NULL: whichever one */
	char host[BW_HOST_SIZE];
};

/* Returns true if it ran where a measurement would run now: from this machine by the same command,
 * and on the same device where that is known. */
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

/* Of those visited, newest first, the one that is wanted. */
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

/* Finds one as `finding` says. */
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
	bw_record_host(finding->host);
	bw_results_each(results, &filter, show, finding, NULL);
	bw_results_close(results);
	return *timing->stored;
}

static bool find(struct bw_session *session, struct bw_timing *timing, bool first)
{
	const char *command = bw_bench_command(session->bench);
	struct finding finding = {.session = session,
				  .timing = timing,
				  .first = first,
				  .commands = &command,
				  .n_commands = 1,
				  .device = session->runs_on ? session->runs_on->name : NULL};
	return find_as(&finding);
}

bool bw_record_find(struct bw_session *session, struct bw_timing *timing)
{
	return find(session, timing, false);
}

bool bw_record_first(struct bw_session *session, struct bw_timing *timing)
{
	return find(session, timing, true);
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
