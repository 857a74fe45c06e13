/* Waiting for a schedule that is compiled and run. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program/program.h"
#include "session/comparison.h"

/* On a terminal: what is done, and for how long it has been. */
static void show_progress(const char *file, enum bw_job_phase phase, time_t since)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s: %s, %.0f s", file,
			phase == BW_JOB_COMPILING ? "compiling" : "running", difftime(time(NULL), since));
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
	time_t since = time(NULL), shown = since;
	while (bw_session_busy(session)) {
		bw_session_work(session, 1);
		if (time(NULL) > shown) {
			show_progress(file, timing->phase, since);
			shown = time(NULL);
		}
		usleep(2000);
	}
	if (timing->phase != BW_JOB_FAILED)
		return timing;
	*error = timing->error;
	bw_fail_in(error, "%s", file);
	return NULL;
}
