/* beamwalk-bench as a process: what right, wrong, crashing, hanging and meddling filters are reported as, by the worker itself. Values by
 * hand: out(4, 0) of filters.c is 10 * 4 + 0 + 7 + two bytes of input, and the wrong one is 1 more. */
#include "bench_test.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "bench/protocol.h"

static struct fixture fixture;
static char *right, *right_floats;

static bool measure(const char *object, const char *reference, double absolute, double relative, double limit, struct bw_measurement *measurement, struct bw_error *error)
{
	struct bw_measure_request request = {.object = object, .reference = reference, .seed = 42, .bound = {.absolute = absolute, .relative = relative}, .seconds = 0.02, .limit = limit};
	*error = (struct bw_error){0};
	return measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, measurement, error);
}

static int open_all(void **state)
{
	fixture_open(&fixture);
	right = make_filter(&fixture, "RIGHT", false);
	right_floats = make_filter(&fixture, "RIGHT", true);
	return 0;
}

static int close_all(void **state)
{
	free(right);
	free(right_floats);
	fixture_close(&fixture);
	return 0;
}

/* What is slower than the request says runs five times, and its times and verdict are given all the same. */
static void slow_runs_few_times(void **state)
{
	struct bw_measure_request request = {.object = right, .reference = right, .seed = 42, .seconds = 0.5, .limit = 60, .slow = 1e-9};
	struct bw_measurement slow, fast;
	struct bw_error error = {0};
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &slow, &error));
	assert_int_equal(slow.runs, 5);
	assert_int_equal(slow.verdict, BW_RIGHT);
	assert_true(slow.median >= slow.minimum && slow.minimum > 0);
	request.slow = 1e9;
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &fast, &error));
	assert_true(fast.runs > 5);
}

static void verdicts(void **state)
{
	static const struct {
		const char *variant;
		bool floats;
		double relative;
		enum bw_verdict verdict;
		int64_t mismatches;
		const char *where; /* part of it */
	} cases[] = {
		{"RIGHT", false, 0, BW_RIGHT, 0, ""},
		{"RIGHT", true, 0, BW_RIGHT, 0, ""},
		{"NOISY", false, 0, BW_RIGHT, 0, ""},
		{"INTERLEAVED", false, 0, BW_RIGHT, 0, ""},
		{"WRONG_POINT", false, 0, BW_OUTPUT_WRONG, 1, "out(4,0) is "},
		{"WRONG_POINT", false, 100, BW_OUTPUT_WRONG, 1, "out(4,0) is "},
		{"WRONG_POINT", true, 1e-6, BW_OUTPUT_WRONG, 1, "out(4,0) is "},
		{"UNWRITTEN", false, 0, BW_OUTPUT_WRONG, 5, "out(6,1) is 27911, not 337"},
		{"OUTSIDE_ROW", false, 0, BW_OUTPUT_WRONG, 1, "out was written outside of its box, near (7,1)"},
		{"OUTSIDE_NEXT", false, 0, BW_OUTPUT_WRONG, 1, "out was written outside of its box, near (3,2)"},
		{"LATER_WRONG", false, 0, BW_OUTPUT_WRONG, 1, "out(4,0) is "},
		{"SLIGHTLY_OFF", true, 1e-4, BW_RIGHT_WITHIN_BOUND, 0, "out("},
		{"SLIGHTLY_OFF", true, 1e-6, BW_OUTPUT_WRONG, 15, "out("},
		{"SLIGHTLY_OFF", true, 0, BW_OUTPUT_WRONG, 15, "out("},
		{"NOT_A_NUMBER", true, 100, BW_OUTPUT_WRONG, 3, "out(3,-1) is nan, not "},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_measurement got;
		struct bw_error error;
		char *object = make_filter(&fixture, cases[k].variant, cases[k].floats);
		if (!measure(object, cases[k].floats ? right_floats : right, 0, cases[k].relative, 60, &got, &error))
			fail_msg("%s: %s", cases[k].variant, error.text);
		if (got.verdict != cases[k].verdict || got.mismatches != cases[k].mismatches || !strstr(got.where, cases[k].where) || (!*cases[k].where && *got.where))
			fail_msg("%s: %s, %lld mismatches, '%s'", cases[k].variant, bw_verdict_name(got.verdict), (long long)got.mismatches, got.where);
		assert_true(got.cpu);
		assert_string_equal(got.demand, "");
		bool timed = got.verdict != BW_OUTPUT_WRONG;
		assert_int_equal(timed, got.runs >= 5 && got.minimum > 0 && got.median >= got.minimum && got.spread >= 0);
		assert_int_equal(timed, !isnan(got.minimum) && !isnan(got.median) && !isnan(got.spread));
		assert_int_equal(timed, strstr(got.method, "device sync") != NULL);
		free(object);
	}
}

static void not_a_number_equals_itself(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *object = make_filter(&fixture, "NOT_A_NUMBER", true);
	assert_true(measure(object, object, 0, 0, 60, &got, &error));
	assert_int_equal(got.verdict, BW_RIGHT);
	free(object);
}

static void worst_is_in_units_of_the_bound(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *object = make_filter(&fixture, "SLIGHTLY_OFF", true);
	assert_true(measure(object, right_floats, 0, 1e-4, 60, &got, &error));
	assert_true(got.worst > 0.09 && got.worst < 0.11);
	assert_true(measure(object, right_floats, 0, 0, 60, &got, &error));
	assert_true(got.worst >= DBL_MAX);
	free(object);
}

/* What is written outside of an output no bound allows; how much differs, and where, is told. */
static void points_may_differ(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *object = make_filter(&fixture, "WRONG_POINT", false), *outside = make_filter(&fixture, "OUTSIDE_NEXT", false);
	struct bw_measure_request request = {.object = object, .reference = right, .seconds = 0.01, .limit = 60, .bound = {.points = 1}};
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_int_equal(got.verdict, BW_RIGHT_WITHIN_BOUND);
	assert_int_equal(got.mismatches, 1);
	assert_int_equal(got.differing, 1);
	assert_int_equal(got.points, 15);
	assert_non_null(strstr(got.region, "out["));
	request.bound.points = 0;
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_int_equal(got.verdict, BW_OUTPUT_WRONG);
	request.object = outside;
	request.bound = (struct bw_bound_of_error){.absolute = 1000, .points = 1000};
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_int_equal(got.verdict, BW_OUTPUT_WRONG);
	free(object);
	free(outside);
}

/* The bound that allows what another schedule shows as well: none where a schedule does worse, and none of more than a few last bits or, of integers,
 * where most of them differ. */
static void bounds_are_proposed(void **state)
{
	static const struct {
		double largest;
		int64_t mismatches;
		double other;
		int64_t of_other;
		double steps, integers;
		const char *bound; /* NULL: no advice */
	} cases[] = {
		{1, 595, 1, 600, 1, 0.05, "--bound 1,0.5"},
		{4, 595, 4, 600, 4, 0.05, "--bound 4,0.5"},
		{0.0123, 5000, 0.0119, 5000, 3.7, 0, "--bound 0.013,0.5"},
		{1, 12000, 1, 12000, 1, 0.98, NULL},
		{5, 595, 5, 600, 5, 0.05, NULL},
		{2147483648.0, 6000, 2147483648.0, 6000, 2147483648.0, 0.5, NULL},
		{DBL_MAX, 121, DBL_MAX, 118, DBL_MAX, 0, NULL},
		{3, 595, 1, 600, 3, 0.05, NULL},
		{1, 1300, 1, 600, 1, 0.1, NULL},
		{1, 1, 0, 0, 1, 0, NULL},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_measurement m = {.verdict = BW_OUTPUT_WRONG, .largest = cases[k].largest, .mismatches = cases[k].mismatches, .points = 12288, .steps = cases[k].steps, .integers = cases[k].integers, .region = "output[0..1]"};
		struct bw_measurement other = {.verdict = cases[k].of_other ? BW_OUTPUT_WRONG : BW_RIGHT, .largest = cases[k].other, .mismatches = cases[k].of_other};
		const struct bw_bound_of_error bound = {.relative = 0.5};
		char text[160] = "";
		if (bw_differs_as_much(&m, &other) && !bw_bound_propose(&m, &other, &bound, text, sizeof text))
			assert_string_equal(text, "");
		if (strcmp(text, cases[k].bound ? cases[k].bound : ""))
			fail_msg("%zu: \"%s\"", k, text);
	}
}

static void unchecked_without_reference(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *outside = make_filter(&fixture, "OUTSIDE_NEXT", false);
	assert_true(measure(right, NULL, 0, 0, 60, &got, &error));
	assert_int_equal(got.verdict, BW_UNCHECKED);
	assert_true(measure(outside, NULL, 0, 0, 60, &got, &error));
	assert_int_equal(got.verdict, BW_OUTPUT_WRONG);
	free(outside);
}

/* A filter that reads none of its inputs never takes a call for a bounds query that gives it outputs. */
static void inputs_may_be_unread(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *object = make_filter(&fixture, "UNREAD", false);
	if (!measure(object, object, 0, 0, 60, &got, &error))
		fail_msg("%s", error.text);
	assert_int_equal(got.verdict, BW_RIGHT);
	free(object);
}

static void demand_beyond_the_reference_is_told(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *object = make_filter(&fixture, "GREEDY", false);
	assert_true(measure(object, right, 0, 0, 60, &got, &error));
	assert_int_equal(got.verdict, BW_RIGHT);
	assert_string_equal(got.demand, "in: dimension 0 from 2 to 10, the reference from 2 to 7");
	free(object);
}

static void failures(void **state)
{
	static const struct {
		const char *variant;
		double limit;
		enum bw_error_kind kind;
		const char *text;
	} cases[] = {
		{"CRASH", 60, BW_ERROR_DEVICE, "crashed with signal SEGV while compiling kernels and running once"},
		{"CRASH_QUERY", 60, BW_ERROR_DEVICE, "crashed with signal BUS while asking for bounds"},
		{"ILLEGAL", 60, BW_ERROR_DEVICE, "an instruction that this processor does not know: compile without the features that it lacks (--target)"},
		{"ABORTS", 60, BW_ERROR_DEVICE, "crashed with signal ABRT while"},
		{"QUITS", 60, BW_ERROR_DEVICE, "ended its process with status 3 while"},
		{"HANG", 4, BW_ERROR_DEVICE, "killed at the limit of 4 s while"},
		{"REFUSES", 60, BW_ERROR_HALIDE, "the filter returned -17"},
		{"BIG_OUTPUT", 60, BW_ERROR_INPUT, "output out has not the box of the reference's"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_measurement got;
		struct bw_error error;
		char *object = make_filter(&fixture, cases[k].variant, false);
		assert_false(measure(object, right, 0, 0, cases[k].limit, &got, &error));
		if (error.kind != cases[k].kind || !strstr(error.text, cases[k].text))
			fail_msg("%s: %s: %s", cases[k].variant, bw_error_name(error.kind), error.text);
		free(object);
	}
}

/* Ten times as long as the reference, where that is more: five runs of 0.3 s each are more than the limit, and the reference is one of them. */
static void slow_as_its_reference(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *slow = make_filter(&fixture, "SLOW", false);
	bool good = false;
	for (int tries = 0; !good && tries < 10; tries++) /* on a busy machine the reference itself can take longer than the limit */
		good = measure(slow, slow, 0, 0, 1.4, &got, &error);
	if (!good)
		fail_msg("%s", error.text);
	free(slow);
	assert_true(bw_object_limit(60, 5.5) == 60 && bw_object_limit(60, 6.5) == 65 && bw_object_limit(0.25, 0) == 0.25);
}

static void failures_of_the_reference(void **state)
{
	struct bw_measurement got;
	struct bw_error error;
	char *crash = make_filter(&fixture, "CRASH", false), *hang = make_filter(&fixture, "HANG", false);
	assert_false(measure(right, crash, 0, 0, 60, &got, &error));
	assert_string_equal(error.text, "reference: crashed with signal SEGV while compiling kernels and running once");
	char text[128];
	for (double limit = 0.3;; limit *= 4) { /* on a busy machine it does not come so far as to run at once */
		assert_false(measure(right, hang, 0, 0, limit, &got, &error));
		snprintf(text, sizeof text, "reference: killed at the limit of %g s while compiling kernels and running once", limit);
		if (strcmp(error.text, text) == 0 || limit > 60)
			break;
	}
	assert_string_equal(error.text, text);
	assert_false(measure(right, right_floats, 0, 0, 60, &got, &error));
	assert_string_equal(error.text, "its arguments are not those of the reference");
	assert_false(measure(right, "/nowhere.so", 0, 0, 60, &got, &error));
	assert_non_null(strstr(error.text, "reference: /nowhere.so: "));
	free(crash);
	free(hang);
}

/* Runs the worker over lines and expects one line of answer for each text, which is part of it. */
static void expect_answers(const char *lines, const char *const *answers, size_t n)
{
	const char *const argv[] = {fixture.bench, NULL};
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){argv, NULL, lines, 1 << 20, false}, &(struct bw_patience){300, NULL}, &outcome);
	assert_int_equal(outcome.ending, BW_EXITED);
	assert_int_equal(outcome.code, 0);
	char *rest = outcome.output.bytes;
	for (size_t k = 0; k < n; k++) {
		char *line = strsep(&rest, "\n");
		if (!line || !strstr(line, answers[k]))
			fail_msg("line %zu: '%s' lacks '%s'", k, line ? line : "", answers[k]);
	}
	assert_string_equal(rest, "");
	bw_outcome_free(&outcome);
}

/* One request, four objects: the ones after a crash are served. */
static void batches(void **state)
{
	static const char *const answers[] = {
		"{\"beamwalk-bench\":2,\"id\":9,\"begin\":[-1,4]}", "\"begin\":[0,4]", "\"object\":0,\"error\":{\"kind\":\"DEVICE\"", "\"begin\":[1,4]",
		"\"object\":1,\"result\":{\"verdict\":\"wrong\"", "\"begin\":[2,4]", "\"object\":2,\"result\":{\"verdict\":\"right\"", "\"begin\":[3,4]",
		"\"object\":3,\"error\":{\"kind\":\"IO\"", "{\"beamwalk-bench\":2,\"id\":9,\"done\":4}",
	};
	char *crash = make_filter(&fixture, "CRASH", false), *wrong = make_filter(&fixture, "WRONG_POINT", false);
	struct bw_text input = {0};
	bw_text_printf(&input, "{\"beamwalk-bench\":2,\"id\":9,\"do\":\"measure\",\"seconds\":0.01,\"reference\":\"%s\",\"objects\":[\"%s\",\"%s\",\"%s\",\"/nowhere.so\"]}\n", right, crash, wrong, right);
	expect_answers(input.bytes, answers, sizeof answers / sizeof *answers);
	bw_text_free(&input);
	free(crash);
	free(wrong);
}

/* Has a new worker do so many requests with a reference that counts its runs, each with one object that is right. Returns how often the reference has
 * run in all. */
static int reference_runs(const char *reference, int requests, int seed)
{
	static const char *const answers[] = {"\"begin\":[-1,1]", "\"begin\":[0,1]", "\"object\":0,\"result\":{\"verdict\":\"right\"", "\"done\":1"};
	const char *all[4 * 3];
	struct bw_text input = {0};
	char line[16];
	int runs = 0;
	for (int k = 0; k < requests; k++) {
		bw_text_printf(&input, "{\"beamwalk-bench\":2,\"id\":%d,\"do\":\"measure\",\"seed\":%d,\"seconds\":0.01,\"reference\":\"%s\",\"objects\":[\"%s\"]}\n", k + 1, seed, reference, right);
		memcpy(&all[4 * k], answers, sizeof answers);
	}
	expect_answers(input.bytes, all, (size_t)(4 * requests));
	bw_text_free(&input);
	FILE *counted = fopen(getenv("COUNTED_RUNS"), "r");
	assert_non_null(counted);
	while (fgets(line, sizeof line, counted))
		runs++;
	fclose(counted);
	return runs;
}

/* A worker keeps what a reference computed, in the folder that it is given also for other workers; where there is no such folder, in memory. */
static void references_run_once(void **state)
{
	char *counted = make_filter(&fixture, "COUNTED", false);
	char path[300];
	snprintf(path, sizeof path, "%s/runs", fixture.directory);
	setenv("COUNTED_RUNS", path, 1);
	assert_int_equal(reference_runs(counted, 3, 1), 1);
	assert_int_equal(reference_runs(counted, 1, 1), 2);
	snprintf(path, sizeof path, "%s/references", fixture.directory);
	assert_int_equal(mkdir(path, 0700), 0);
	setenv("BEAMWALK_BENCH_REFERENCES", path, 1);
	assert_int_equal(reference_runs(counted, 1, 1), 3);
	assert_int_equal(reference_runs(counted, 2, 1), 3);
	assert_int_equal(reference_runs(counted, 2, 2), 4);
	setenv("BEAMWALK_BENCH_REFERENCES", "/nowhere", 1);
	assert_int_equal(reference_runs(counted, 2, 2), 5);
	unsetenv("BEAMWALK_BENCH_REFERENCES");
	unsetenv("COUNTED_RUNS");
	free(counted);
}

/* Whether the worker's answers in the file have the text. */
static bool answered(const char *path, const char *text)
{
	struct bw_text answers = {0};
	assert_true(bw_file_read(path, 1 << 20, &answers, NULL));
	bool found = strstr(bw_text_get(&answers), text);
	bw_text_free(&answers);
	return found;
}

/* While another process has the turn, a worker starts but times nothing.
   The time that it waits does not count towards its limit. */
static void a_worker_waits_for_its_turn(void **state)
{
	char turn[300], requests[300], answers[300], command[1500];
	snprintf(turn, sizeof turn, "%s/turn", fixture.directory);
	snprintf(requests, sizeof requests, "%s/requests", fixture.directory);
	snprintf(answers, sizeof answers, "%s/answers", fixture.directory);
	FILE *file = fopen(requests, "w");
	fprintf(file,
		"{\"beamwalk-bench\":2,\"id\":1,\"do\":\"measure\",\"seconds\":0.01,\"limit\":1,"
		"\"objects\":[\"%s\"]}\n",
		right);
	fclose(file);
	int held = open(turn, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(flock(held, LOCK_SH), 0);
	snprintf(command, sizeof command, "BEAMWALK_BENCH_TURN=%s %s <%s >%s 2>/dev/null", turn, fixture.bench,
		 requests, answers);
	pid_t shell = fork();
	if (!shell) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	while (access(answers, R_OK) || !answered(answers, "\"begin\""))
		usleep(10000);
	/* It may run beside this, but time only alone: longer than its limit. */
	usleep(1500000);
	assert_false(answered(answers, "\"result\""));
	close(held);
	assert_int_equal(waitpid(shell, NULL, 0), shell);
	assert_true(answered(answers, "\"verdict\":\"unchecked\""));
}

/* Starts a worker on so many objects that note when they are timed. */
static pid_t start_timing(const char *object, int n)
{
	char path[300];
	struct bw_text requests = {0};
	snprintf(path, sizeof path, "%s/timing", fixture.directory);
	bw_text_puts(&requests, "{\"beamwalk-bench\":2,\"id\":1,\"do\":\"measure\",\"seconds\":0.1,\"objects\":[");
	for (int k = 0; k < n; k++)
		bw_text_printf(&requests, "%s\"%s\"", k ? "," : "", object);
	bw_text_puts(&requests, "]}\n");
	FILE *file = fopen(path, "w");
	fputs(requests.bytes, file);
	fclose(file);
	bw_text_free(&requests);
	int input = open(path, O_RDONLY | O_CLOEXEC);
	pid_t worker = fork();
	if (!worker) {
		dup2(input, STDIN_FILENO);
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
		execl(fixture.bench, fixture.bench, NULL);
		_exit(127);
	}
	close(input);
	return worker;
}

/* Two workers to whom a folder of turns is named, as it is by default, never time at once: no run that one times meets one of the other's. */
static void workers_time_by_turns(void **state)
{
	char *object = make_filter(&fixture, "TIMED", false), folder[300], turn[310], runs[300];
	struct bw_text said = {0};
	snprintf(folder, sizeof folder, "%s/turns", fixture.directory);
	snprintf(turn, sizeof turn, "%s/any", folder);
	snprintf(runs, sizeof runs, "%s/timed-runs", fixture.directory);
	assert_int_equal(mkdir(folder, 0700), 0);
	setenv("BEAMWALK_BENCH_TURN", folder, 1);
	setenv("TURN_FILE", turn, 1);
	setenv("TIMED_RUNS", runs, 1);
	pid_t workers[] = {start_timing(object, 4), start_timing(object, 4)};
	for (int k = 0; k < 2; k++) {
		int status;
		assert_int_equal(waitpid(workers[k], &status, 0), workers[k]);
		assert_int_equal(status, 0);
	}
	setenv("BEAMWALK_BENCH_TURN", "", 1);
	assert_true(bw_file_read(runs, 1 << 24, &said, NULL));
	for (int k = 0; k < 2; k++) {
		char line[64];
		snprintf(line, sizeof line, "%d times\n", (int)workers[k]);
		assert_non_null(strstr(said.bytes, line));
	}
	assert_null(strstr(said.bytes, "meets"));
	bw_text_free(&said);
	free(object);
}

/* A client does not take a worker for silent that waits for its turn: for longer than the limit and the silence that is allowed, together. */
static void a_client_waits_with_its_worker(void **state)
{
	static const double silence = 2, limit = 1;
	char turn[300];
	struct bw_measured measured;
	struct bw_measure_request request = {.object = right, .reference = right, .seconds = 0.01, .limit = limit};
	snprintf(turn, sizeof turn, "%s/long-turn", fixture.directory);
	setenv("BEAMWALK_BENCH_TURN", turn, 1);
	pid_t holder = fork();
	if (!holder) {
		flock(open(turn, O_RDWR | O_CREAT | O_CLOEXEC, 0600), LOCK_EX);
		usleep(6000000);
		_exit(0);
	}
	while (access(turn, F_OK))
		usleep(1000);
	usleep(50000);
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, silence);
	bw_bench_measure(bench, &request, (const char *const[]){right}, 1, &(struct bw_patience){3, NULL}, &measured, NULL, NULL);
	if (!measured.good)
		fail_msg("%s", measured.error.text);
	assert_int_equal(measured.measurement.attempts, 1);
	bw_bench_drop(bench);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
	setenv("BEAMWALK_BENCH_TURN", "", 1);
}

static void bad_lines(void **state)
{
	static const struct {
		const char *line, *answer;
	} bad[] = {
		{"nonsense", "\"id\":0,\"error\":{\"kind\":\"INPUT\""},
		{"{}", "beamwalk-bench"},
		{"{\"beamwalk-bench\":1,\"objects\":[]}", "speaks version 2, not 1"},
		{"{\"beamwalk-bench\":2,\"do\":\"hello\"}", "expected the key"},
		{"{\"beamwalk-bench\":2,\"id\":0,\"do\":\"hello\"}", "id"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"zork\"}", "\"id\":5,\"error\":{\"kind\":\"INPUT\""},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[7]}", "objects[0]"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[{\"content\":\"../../x\"}]}", "hexadecimal"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"bound\":[1]}", "bound"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"limit\":-1}", "limit"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"registers\":0}", "registers"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"estimates\":{\"in\":[[0]]}}", "[MIN, EXTENT]"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"launches\":[null,null]}", "expected one element per object, 1 in all"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"launches\":[7]}", "launches[0]"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"launches\":[{\"k\":[0,0]}]}", "launches[0].k[0]"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"launches\":[{\"k\":[1]}]}", "[THREADS, SHARED_BYTES]"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"measure\",\"objects\":[\"x\"],\"zork\":1}", "zork"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"rates\",\"seconds\":-1}", "seconds"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"rates\",\"limit\":0}", "limit"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"rates\",\"device\":-1}", "device"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"rates\",\"objects\":[]}", "objects"},
		{"{\"beamwalk-bench\":2,\"id\":5,\"do\":\"have\",\"contents\":[\"0123\"]}", "hexadecimal"},
	};
	struct bw_text input = {0};
	const char *answers[sizeof bad / sizeof *bad];
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		bw_text_printf(&input, "%s\n", bad[k].line);
		answers[k] = bad[k].answer;
	}
	expect_answers(input.bytes, answers, sizeof bad / sizeof *bad);
	bw_text_free(&input);
}

/* A client that uses an id twice could not tell the answers apart. */
static void ids_are_used_once(void **state)
{
	static const char *const answers[] = {
		"\"id\":0,\"error\":{\"kind\":\"INPUT\",\"text\":\"request:1: id: 7 was used before: expected more than 7\"", "\"id\":0,\"error\":{\"kind\":\"INPUT\",\"text\":\"request:1: id: 6 was", "\"id\":7,\"hello\"", "\"id\":8,\"hello\"",
	};
	static const char input[] = "{\"beamwalk-bench\":2,\"id\":7,\"do\":\"hello\"}\n{\"beamwalk-bench\":2,\"id\":7,\"do\":\"hello\"}\n"
				    "{\"beamwalk-bench\":2,\"id\":6,\"do\":\"hello\"}\n{\"beamwalk-bench\":2,\"id\":8,\"do\":\"hello\"}\n";
	expect_answers(input, answers, sizeof answers / sizeof *answers);
}

/* Contents: in pieces, in order, whole or thrown away; "YmVh" is "bea", "bXdhbGs=" "mwalk". What is no shared object is an error of its own.
 * The request that cannot be read, id 10, is answered first. */
static void contents(void **state)
{
	char name[BW_CONTENT_NAME];
	bw_content_name("beamwalk", 8, name);
	static const char *const answers[] = {
		"\"id\":10,\"error\"", "\"id\":1,\"have\":[false,false]", "\"id\":2,\"put\":3", "\"id\":3,\"have\":[false,false]", "\"id\":4,\"put\":8", "\"id\":5,\"have\":[true,false]", "\"id\":6,\"put\":8",
		"\"id\":7,\"error\":{\"kind\":\"INPUT\"", "\"id\":8,\"error\":{\"kind\":\"IO\",\"text\":\"content 00000000000000000000000000000000 arrived damaged",
		"\"id\":9,\"error\":{\"kind\":\"INPUT\",\"text\":\"request:1: bytes: expected base64\"", "begin", "\"object\":0,\"error\":{\"kind\":\"IO\"",
		"begin", "\"object\":1,\"error\":{\"kind\":\"INPUT\",\"text\":\"content 00000000000000000000000000000000 is not here", "done",
	};
	static const char zeros[] = "00000000000000000000000000000000";
	struct bw_text input = {0};
	for (int id = 1; id <= 11; id++) {
		bw_text_printf(&input, "{\"beamwalk-bench\":2,\"id\":%d,", id);
		if (id == 1 || id == 3 || id == 5)
			bw_text_printf(&input, "\"do\":\"have\",\"contents\":[\"%s\",\"%s\"]}\n", name, zeros);
		else if (id == 11)
			bw_text_printf(&input, "\"do\":\"measure\",\"objects\":[{\"content\":\"%s\"},{\"content\":\"%s\"}]}\n", name, zeros);
		else
			bw_text_printf(&input, "\"do\":\"put\",\"content\":\"%s\",\"size\":%d,\"at\":%d,\"bytes\":\"%s\"}\n", id < 7 ? name : zeros, id == 10 ? 7 : id == 8 ? 3 : 8,
			               id == 4 || id == 7 ? 3 : id == 10 ? 8 : 0, id == 4 ? "bXdhbGs=" : id == 9 ? "YmV" : "YmVh");
	}
	expect_answers(input.bytes, answers, sizeof answers / sizeof *answers);
	bw_text_free(&input);
}

/* An input's contents depend on the seed, and an estimate from the request replaces the one in the metadata. */
static void seeds_and_estimates(void **state)
{
	struct bw_measurement got;
	struct bw_error error = {0};
	struct bw_measure_request request = {.object = right, .reference = right, .seed = 1, .seconds = 0.01, .limit = 60, .estimates = "{\"out\": [[0, 40], [0, 2]], \"in\": [[0, 50], [0, 2]], \"step\": 3}"};
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_int_equal(got.verdict, BW_RIGHT);
	request.object = make_filter(&fixture, "UNWRITTEN", false);
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_int_equal(got.mismatches, 40);
	char first[sizeof got.where];
	memcpy(first, got.where, sizeof first);
	request.seed = 2;
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_string_not_equal(got.where, first);
	free((char *)request.object);
}

/* Whether all that was started below this process is gone within a minute; what lost its parent is ours, as a subreaper's. */
static bool all_gone(void)
{
	for (int tries = 0; tries < 6000; tries++) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);
		if (pid < 0)
			return errno == ECHILD;
		if (pid == 0)
			usleep(10000);
	}
	return false;
}

/* A worker whose object hangs dies with all its processes when the client gives up, and when the client itself is killed. */
static void nothing_is_left(void **state)
{
	char *hang = make_filter(&fixture, "HANG", false);
	struct bw_measure_request request = {.object = hang, .seed = 1, .seconds = 0.01, .limit = 100};
	struct bw_measurement got;
	struct bw_error error = {0};
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_false(measure_afresh(&fixture.places, &request, &(struct bw_patience){0.5, NULL}, &got, &error));
	assert_non_null(strstr(error.text, "beamwalk-bench: killed at the limit of 0.5 s"));
	assert_true(all_gone());
	pid_t client = fork();
	if (client == 0) {
		measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error);
		_exit(0);
	}
	usleep(500000);
	assert_int_equal(waitpid(client, NULL, WNOHANG), 0);
	kill(client, SIGKILL);
	assert_true(all_gone());
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	free(hang);
}

/* Returns the number of the one process that a thread of this one has started. */
static pid_t only_child(void)
{
	pid_t child = 0;
	DIR *threads = opendir("/proc/self/task");
	for (struct dirent *entry; (entry = readdir(threads));) {
		char path[64], line[64] = "";
		snprintf(path, sizeof path, "/proc/self/task/%.20s/children", entry->d_name);
		FILE *file = fopen(path, "r");
		if (file && fgets(line, sizeof line, file) && atoi(line))
			child = atoi(line);
		if (file)
			fclose(file);
	}
	closedir(threads);
	return child;
}

/* Returns the memory of a process that is its own alone, in KB. */
static long own_memory(pid_t process)
{
	char path[64], line[256];
	long kb = -1;
	snprintf(path, sizeof path, "/proc/%d/status", (int)process);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		sscanf(line, "RssAnon: %ld", &kb);
	if (file)
		fclose(file);
	return kb;
}

/* A worker and its client need no more memory and no more descriptors after 60 objects, each of which is new to them, than after 20. */
static void a_long_life(void **state)
{
	enum { SETTLED = 20, OBJECTS = 60, MOST_GROWTH = 64 /* KB: 40 objects that leave 2 KB each */ };
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 0);
	struct bw_text content = {0};
	struct bw_error error = {0};
	long before = 0;
	int files = 0;
	size_t heap = 0;
	assert_true(bw_file_read(right, 1 << 20, &content, &error));
	for (int k = 0; k < OBJECTS; k++) {
		struct bw_measurement got;
		char *object = bw_format("%s/new-%d.so", fixture.directory, k);
		bw_text_printf(&content, "%d", k % 10);
		assert_true(bw_file_write(object, content.bytes, content.length, &error));
		struct bw_measure_request request = {.object = object, .reference = right, .seed = 42, .limit = 60};
		if (!bw_measure(bench, &request, &(struct bw_patience){300, NULL}, &got, NULL, &error))
			fail_msg("%s", error.text);
		assert_int_equal(got.verdict, BW_RIGHT);
		unlink(object);
		free(object);
		if (k + 1 != SETTLED)
			continue;
		before = own_memory(only_child());
		files = open_files();
		heap = mallinfo2().uordblks - content.length;
	}
	assert_true(before > 0);
	long grown = own_memory(only_child()) - before;
	if (grown > MOST_GROWTH && !*variable("BW_SANITIZE"))
		fail_msg("the worker has grown by %ld KB", grown);
	assert_int_equal(open_files(), files);
	if (mallinfo2().uordblks > heap + content.length + 1024)
		fail_msg("the client keeps %zu bytes more", mallinfo2().uordblks - heap - content.length);
	bw_text_free(&content);
	bw_bench_drop(bench);
}

static void worker_is_missing(void **state)
{
	struct bw_places places = fixture.places;
	struct bw_measurement got;
	struct bw_error error = {0};
	struct bw_measure_request request = {.object = right, .reference = right, .seed = 1, .seconds = 0.01, .limit = 60};
	places.bench = "/nowhere/beamwalk-bench";
	assert_false(measure_afresh(&places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_string_equal(error.text, "/nowhere/beamwalk-bench: cannot be run: No such file or directory");
	places.bench = "/bin/echo";
	assert_false(measure_afresh(&places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_string_equal(error.text, "/bin/echo: ended before it had answered");
	places.bench = "/bin/false";
	assert_false(measure_afresh(&places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_string_equal(error.text, "/bin/false: ended with status 1 and said nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_runs_few_times), cmocka_unit_test(a_long_life),
		cmocka_unit_test(verdicts), cmocka_unit_test(not_a_number_equals_itself), cmocka_unit_test(worst_is_in_units_of_the_bound), cmocka_unit_test(points_may_differ), cmocka_unit_test(bounds_are_proposed),
		cmocka_unit_test(unchecked_without_reference), cmocka_unit_test(inputs_may_be_unread), cmocka_unit_test(demand_beyond_the_reference_is_told), cmocka_unit_test(failures),
		cmocka_unit_test(slow_as_its_reference), cmocka_unit_test(failures_of_the_reference), cmocka_unit_test(batches), cmocka_unit_test(references_run_once), cmocka_unit_test(a_worker_waits_for_its_turn), cmocka_unit_test(workers_time_by_turns), cmocka_unit_test(a_client_waits_with_its_worker),
		cmocka_unit_test(bad_lines), cmocka_unit_test(ids_are_used_once), cmocka_unit_test(contents),
		cmocka_unit_test(seeds_and_estimates),
		cmocka_unit_test(nothing_is_left), cmocka_unit_test(worker_is_missing),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
