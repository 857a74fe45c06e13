/* The queue of what is compiled: the same job once, few compilers at once, a session that ends at once and leaves no process behind. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../core/test.h"
#include "session_test.h"

enum { MOST_AT_ONCE = 4, STATES = 12 };

/* Processes whose parent is this one. */
static int n_children(void)
{
	int n = 0;
	DIR *dir = opendir("/proc");
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[300];
		int parent = 0;
		snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
		FILE *file = *entry->d_name >= '0' && *entry->d_name <= '9' ? fopen(path, "re") : NULL;
		if (file && fscanf(file, "%*d (%*[^)]) %*c %d", &parent) == 1)
			n += parent == (int)getpid();
		if (file)
			fclose(file);
	}
	closedir(dir);
	return n;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run(struct bw_session *session, const char *line)
{
	struct bw_error error = {0};
	if (!bw_session_run(session, line, NULL, &error))
		fail_msg("%s: %s", line, error.text);
}

static int n_in(const struct bw_session *session, enum bw_job_phase phase)
{
	int n = 0;
	for (int i = 0; i < session->n_timings; i++)
		n += session->timings[i].phase == phase;
	return n;
}

static struct bw_session *open_searched(void)
{
	struct bw_session *session = session_open_built("harris", STATES);
	if (!session->source.compilable) {
		session_close(session);
		skip_because("the generators are not built");
	}
	free(session_do(session, "run"));
	return session;
}

/* What a compiled schedule comes to: without ptxas, Halide compiles it and nothing assembles it. */
static enum bw_job_phase compiled(const struct bw_session *session)
{
	return session->ptxas ? BW_JOB_DONE : BW_JOB_FAILED;
}

static void the_same_is_done_once(void **state)
{
	struct bw_session *session = open_searched();
	run(session, "compile best");
	assert_string_equal(session->message, "state 1: compiling");
	for (int presses = 0; presses < 40; presses++) {
		run(session, "compile best");
		assert_string_equal(session->message, "state 1: is being compiled or measured already");
	}
	assert_int_equal(session->n_timings, 1);
	run(session, "time best");
	assert_int_equal(session->n_timings, 2);
	assert_string_equal(session->message, "state 1: waits for what is compiled and measured before it");
	run(session, "time best");
	assert_int_equal(session->n_timings, 2);
	bw_session_stop(session);
	assert_string_equal(session->message, "stopped: 1 schedule that waited is not compiled");
	session_settle(session);
	if (session->timings[0].phase != compiled(session))
		fail_msg("it ended otherwise: %s", session->timings[0].error.text);
	assert_int_equal(session->timings[1].error.kind, BW_ERROR_STOPPED);
	/* What has ended can be asked for again. */
	run(session, "compile best");
	assert_int_equal(session->n_timings, 3);
	session_close(session);
}

static void few_compilers_at_once(void **state)
{
	struct bw_session *session = open_searched();
	char line[32];
	snprintf(line, sizeof line, "compile top %d", STATES);
	run(session, line);
	run(session, line);
	assert_int_equal(session->n_timings, STATES);
	for (double end = now() + 1; now() < end; bw_session_work(session, 0.01)) {
		int n = n_children();
		if (n > MOST_AT_ONCE)
			fail_msg("%d compilers at once", n);
		assert_true(n_in(session, BW_JOB_COMPILING) <= MOST_AT_ONCE);
		usleep(5000);
	}
	session_settle(session);
	assert_int_equal(n_in(session, BW_JOB_DONE) + n_in(session, BW_JOB_FAILED), STATES);
	session_close(session);
}

static void a_session_ends_at_once(void **state)
{
	struct bw_session *session = open_searched();
	char line[32];
	run(session, "set seed=5");
	free(session_do(session, "run"));
	snprintf(line, sizeof line, "compile top %d", STATES);
	run(session, line);
	for (double end = now() + 0.3; now() < end; bw_session_work(session, 0.01))
		;
	double begin = now();
	session_close(session);
	if (now() - begin > 3)
		fail_msg("it took %.1f s", now() - begin);
	assert_int_equal(n_children(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_done_once),
		cmocka_unit_test(few_compilers_at_once),
		cmocka_unit_test(a_session_ends_at_once),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
