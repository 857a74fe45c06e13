/* Running programs: how each ending is told, that limits and the stop flag hold, that nothing is left: no process, no zombie, no open file. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "../core/test.h"
#include "bench/complaint.h"
#include "bench_test.h"

static void run(const char *script, double seconds, const atomic_bool *stop, size_t most, struct bw_outcome *outcome)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = most}, &(struct bw_patience){seconds, stop}, outcome);
}

/* Runs what is ended by its limit: with longer ones where the machine was too slow for it to have said anything by then. */
static void run_until_late(const char *script, struct bw_outcome *outcome)
{
	for (double seconds = 1;; seconds *= 3) {
		run(script, seconds, NULL, 1000, outcome);
		if (outcome->output.length || seconds > 60)
			return;
		bw_outcome_free(outcome);
	}
}

/* What has libraries talk on standard error is not handed on: it would be taken for the complaint of a program that fails. */
static void environment_is_quiet(void **state)
{
	struct bw_outcome got;
	setenv("LD_DEBUG", "libs", 1);
	setenv("POCL_DEBUG", "all", 1);
	run("exec /bin/sh -c 'echo ${POCL_DEBUG-quiet}'", 60, NULL, 1000, &got);
	unsetenv("LD_DEBUG");
	unsetenv("POCL_DEBUG");
	assert_string_equal(bw_text_get(&got.output), "quiet\n");
	assert_string_equal(bw_text_get(&got.errors), "");
	bw_outcome_free(&got);
}

static void endings(void **state)
{
	static const struct {
		const char *script;
		double seconds; /* its limit; 0: one that it does not keep */
		enum bw_ending ending;
		int code;
		const char *output, *errors;
	} cases[] = {
		{"echo a; echo b >&2", 60, BW_EXITED, 0, "a\n", "b\n"},
		{"exit 7", 60, BW_EXITED, 7, "", ""},
		{"kill -SEGV $$", 60, BW_CRASHED, SIGSEGV, "", ""},
		{"echo a; exec sleep 600", 0, BW_TIMED_OUT, 0, "a\n", ""},
		{"exec >&- 2>&-; sleep 0.2; exit 4", 60, BW_EXITED, 4, "", ""},
		{"cat", 60, BW_EXITED, 0, "", ""},
		{"sleep 600 & echo a", 60, BW_EXITED, 0, "a\n", ""},
	};
	int files = open_files();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_outcome got;
		if (cases[k].seconds > 0)
			run(cases[k].script, cases[k].seconds, NULL, 1000, &got);
		else
			run_until_late(cases[k].script, &got);
		if (got.ending != cases[k].ending || got.code != cases[k].code)
			fail_msg("%s: ending %d, code %d", cases[k].script, (int)got.ending, got.code);
		assert_string_equal(bw_text_get(&got.output), cases[k].output);
		assert_string_equal(bw_text_get(&got.errors), cases[k].errors);
		bw_outcome_free(&got);
	}
	assert_int_equal(open_files(), files);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void what_cannot_be_started(void **state)
{
	static const struct {
		const char *program;
		int code;
	} cases[] = {{"/nowhere/at/all", ENOENT}, {"no-such-program-on-the-path", ENOENT}, {"/etc/passwd", EACCES}, {"/", EACCES}};
	int files = open_files();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_outcome got;
		const char *const argv[] = {cases[k].program, NULL};
		bw_process_run(&(struct bw_process_command){.argv = argv}, &(struct bw_patience){300, NULL}, &got);
		assert_int_equal(got.ending, BW_NOT_STARTED);
		assert_int_equal(got.code, cases[k].code);
		bw_outcome_free(&got);
	}
	assert_int_equal(open_files(), files);
}

/* A child of the child that does not die with it by itself is killed with the group. */
static void nothing_is_left(void **state)
{
	static const char *const scripts[] = {"sleep 601 & echo $!; sleep 602", "sleep 601 & echo $!; exit 0", "(trap '' TERM HUP; sleep 601) & echo $!; kill -KILL $$"};
	for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
		struct bw_outcome got;
		run_until_late(scripts[k], &got);
		pid_t pid = (pid_t)atoi(bw_text_get(&got.output));
		assert_true(pid > 1);
		bool gone = false;
		for (int tries = 0; !gone && tries < 6000; tries++) {
			char path[64], line[256] = "";
			snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
			FILE *file = fopen(path, "r");
			gone = !file || !fgets(line, sizeof line, file) || strstr(line, ") Z ");
			if (file)
				fclose(file);
			nanosleep(&(struct timespec){0, 10000000}, NULL);
		}
		assert_true(gone);
		bw_outcome_free(&got);
	}
}

static void limits_of_output(void **state)
{
	struct bw_outcome got;
	run("head -c 3000000 /dev/zero | tr '\\0' a; head -c 3000000 /dev/zero | tr '\\0' b >&2; echo end >&2", 60, NULL, 1000, &got);
	assert_int_equal(got.ending, BW_EXITED);
	assert_int_equal(got.output.length, 1000);
	assert_true(got.errors.length >= 65536 && got.errors.length <= 2 * 65536);
	assert_string_equal(got.errors.bytes + got.errors.length - 5, "bend\n");
	bw_outcome_free(&got);
}

static void input_is_given(void **state)
{
	size_t length = 1 << 20;
	char *input = bw_new_array(length + 1, 1);
	memset(input, 'x', length);
	const char *const count[] = {"wc", "-c", NULL}, *const deaf[] = {"true", NULL}, *const first[] = {"head", "-c", "1", NULL};
	struct bw_outcome got;
	bw_process_run(&(struct bw_process_command){count, NULL, input, 100, false}, &(struct bw_patience){300, NULL}, &got);
	assert_string_equal(bw_text_get(&got.output), "1048576\n");
	bw_outcome_free(&got);
	bw_process_run(&(struct bw_process_command){deaf, NULL, input, 100, false}, &(struct bw_patience){300, NULL}, &got);
	assert_int_equal(got.ending, BW_EXITED);
	bw_outcome_free(&got);
	bw_process_run(&(struct bw_process_command){first, NULL, input, 100, false}, &(struct bw_patience){300, NULL}, &got);
	assert_string_equal(bw_text_get(&got.output), "x");
	bw_outcome_free(&got);
	free(input);
}

static void settings_replace_the_environment(void **state)
{
	const char *const argv[] = {"/bin/sh", "-c", "echo $BW_A $BW_B $BW_C", NULL}, *const settings[] = {"BW_A=1", "BW_B=2", NULL};
	setenv("BW_B", "old", 1);
	setenv("BW_C", "kept", 1);
	struct bw_outcome got;
	bw_process_run(&(struct bw_process_command){argv, settings, NULL, 100, false}, &(struct bw_patience){300, NULL}, &got);
	assert_string_equal(bw_text_get(&got.output), "1 2 kept\n");
	bw_outcome_free(&got);
}

/* The child sees default signals and no file of ours, whatever this thread blocks and holds open. (Signals
 * from 29 on are left out: some are the C library's own.) */
static void child_starts_clean(void **state)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	signal(SIGPIPE, SIG_IGN);
	int leaked = dup(0);
	struct bw_outcome got;
	run("grep -E 'SigBlk|SigIgn' /proc/self/status | sed 's/.*\\(.......\\)$/\\1/'; ls /proc/self/fd | wc -l", 60, NULL, 1000, &got);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
	close(leaked);
	assert_string_equal(bw_text_get(&got.output), "0000000\n0000000\n4\n");
	bw_outcome_free(&got);
}

static void *raise_flag(void *flag)
{
	nanosleep(&(struct timespec){0, 100000000}, NULL);
	atomic_store((atomic_bool *)flag, true);
	return NULL;
}

static void stop_flag(void **state)
{
	atomic_bool stop = false;
	pthread_t thread;
	struct bw_outcome got;
	struct bw_error error = {0};
	struct bw_patience patience = {60, &stop};
	assert_int_equal(pthread_create(&thread, NULL, raise_flag, &stop), 0);
	run("sleep 50", 60, &stop, 100, &got);
	pthread_join(thread, NULL);
	assert_int_equal(got.ending, BW_STOPPED);
	assert_false(bw_outcome_good(&got, "it", &patience, BW_ERROR_HALIDE, &error));
	assert_int_equal(error.kind, BW_ERROR_STOPPED);
	bw_outcome_free(&got);
}

static void endings_as_errors(void **state)
{
	static const struct {
		const char *script;
		enum bw_error_kind kind;
		const char *text;
	} cases[] = {
		{"exit 2", BW_ERROR_HALIDE, "it: ended with status 2 and said nothing"},
		{"echo 'Error: no'; echo 'Error: so' >&2; exit 2", BW_ERROR_HALIDE, "it: so"},
		{"kill -SEGV $$", BW_ERROR_HALIDE, "it: crashed with signal SEGV"},
		{"echo oh >&2; kill -ABRT $$", BW_ERROR_HALIDE, "it: crashed with signal ABRT: oh"},
		{"exec sleep 60", BW_ERROR_HALIDE, "it: killed at the limit of 0.2 s"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_outcome got;
		struct bw_error error = {0};
		struct bw_patience patience = {k == 4 ? 0.2 : 60, NULL};
		run(cases[k].script, patience.seconds, NULL, 100, &got);
		assert_false(bw_outcome_good(&got, "it", &patience, cases[k].kind, &error));
		assert_string_equal(error.text, cases[k].text);
		assert_int_equal(error.kind, cases[k].kind);
		bw_outcome_free(&got);
	}
}

/* The line that says most in what generators and compilers print when they fail. The texts are those of Halide 14's and of gcc's. */

static void complaints(void **state)
{
	static const struct {
		const char *errors, *line;
	} cases[] = {
		{"", ""},
		{"\n \n", ""},
		{"one\ntwo\n", "two"},
		{"one\ntwo\n\n  \n", "two"},
		{"noise\nbeamwalk: error: INPUT: Func f: no estimate\n", "INPUT: Func f: no estimate"},
		{"Unhandled exception: Error: Failed to load: /p.so: /p.so: cannot open shared object file\n\n", "Failed to load: /p.so: /p.so: cannot open shared object file"},
		{"Unhandled exception: Error: \n\n", "Internal Error of which Halide says no more"},
		{"Unhandled exception: Error: Generator not found: zork\nDid you mean:\n    a\n    bb\n", "Generator not found: zork; it has a, bb"},
		{"Either -g <name> or -r must be specified; available Generators are:\n    a\n    bb\n", "available Generators are: a, bb"},
		{"  4711:\tfind library=libm.so.6 [0]; searching\nthe cause\n      4711:\t/x.so: error: symbol lookup error: undefined symbol: f (fatal)\n", "the cause"},
		{"      4711:\tcalling fini: /x.so [0]\n", ""},
		{"/usr/bin/ld: cannot find -lzork\ncollect2: error: ld returned 1 exit status\n", "ld returned 1 exit status"},
		{"Unhandled exception: Error: Cannot compute f at g:\nLoops of g:\n  x\n  y\n\nf is used elsewhere.\n\n", "Cannot compute f at g: Loops of g: x, y f is used elsewhere."},
		{"terminate called after throwing an instance of 'Halide::CompileError'\n  what():  Error: Func f\ncannot be computed\n", "Func f cannot be computed"},
		{"a.c:3:5: error: expected a name\n    3 | int\n      |    ^\n", "expected a name"},
		{"terminate called after throwing an instance of 'Halide::RuntimeError'\n  what():  Error: no\n", "no"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_text line = {0};
		bw_complaint(cases[k].errors, &line);
		assert_string_equal(bw_text_get(&line), cases[k].line);
		bw_text_free(&line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(environment_is_quiet), cmocka_unit_test(endings),
		cmocka_unit_test(what_cannot_be_started), cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(limits_of_output), cmocka_unit_test(input_is_given),
		cmocka_unit_test(settings_replace_the_environment), cmocka_unit_test(child_starts_clean),
		cmocka_unit_test(stop_flag), cmocka_unit_test(endings_as_errors),
		cmocka_unit_test(complaints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
