/* Waiting for a schedule that is compiled and run. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program/program.h"
#include "session/comparison.h"
#include "session/measure.h"

enum { SILENCE = 5 }; /* seconds of waiting for a turn that are not told where there is no terminal */

struct shown {
	time_t since, last;
	int waits; /* seconds that it has waited for its turn on the device, as far as they were seen */
	char told[320];
};

/* On a terminal: what is done, and for how long it has been. Elsewhere only whose turn it waits for, once. */
static void show_progress(const struct bw_session *session, const char *file, struct shown *shown)
{
	char doing[sizeof shown->told];
	time_t now = time(NULL);
	if (now <= shown->last)
		return;
	bool waits = bw_timing_doing(session, session->asked, doing, sizeof doing);
	shown->waits = waits ? shown->waits + (int)(now - shown->last) : 0;
	shown->last = now;
	if (isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r\033[K%s: %.100s, %.0f s", file, *doing ? doing : "waiting",
			difftime(now, shown->since));
	} else if (shown->waits >= SILENCE && strcmp(doing, shown->told)) {
		fprintf(stderr, "beamwalk: %s: %s\n", file, doing);
		memcpy(shown->told, doing, sizeof doing);
	}
}

const struct bw_timing *bw_program_wait(struct bw_session *session, const char *command, const char *file,
					struct bw_error *error)
{
	struct bw_text line = {0};
	bw_text_printf(&line, "%s %s%s", command, strpbrk(file, "/.") || !strcmp(file, BW_HAND) ? "" : "./", file);
	bool good = bw_program_line(session, bw_text_get(&line), error);
	bw_text_free(&line);
	if (!good)
		return NULL;
	struct bw_timing *timing = &session->timings[session->asked];
	struct shown shown = {.since = time(NULL), .last = time(NULL)};
	while (bw_session_busy(session)) {
		bw_session_work(session, 1);
		show_progress(session, file, &shown);
		usleep(2000);
	}
	if (timing->phase != BW_JOB_FAILED)
		return timing;
	*error = timing->error;
	bw_fail_in(error, "%s", file);
	return NULL;
}
