/* The client against workers that misbehave (rogue.c): each object of a list has its outcome, once, whatever becomes of the worker; what was
 * tried again says so; a silent worker is given up in time; and the same bench goes on afterwards. */
#include "bench_test.h"

#include <pthread.h>


static struct fixture fixture;
static char *objects[4], *rogue;
enum { N = 4 };

static int open_all(void **state)
{
	fixture_open(&fixture);
	objects[0] = make_filter(&fixture, "RIGHT", false);
	objects[1] = make_filter(&fixture, "WRONG_POINT", false);
	objects[2] = bw_strdup(objects[0]);
	objects[3] = make_filter(&fixture, "CRASH", false);
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/tests/bench/rogue", variable("BW_BUILD"));
	rogue = bw_text_take(&path);
	return 0;
}

static int close_all(void **state)
{
	for (int k = 0; k < N; k++)
		free(objects[k]);
	free(rogue);
	fixture_close(&fixture);
	return 0;
}

/* A bench whose worker misbehaves: once, or each time. */
static struct bw_bench *open_rogue(const char *mode, bool always, double silence)
{
	struct bw_text command = {0};
	bw_text_printf(&command, "exec %s %s ", rogue, mode);
	if (always)
		bw_text_puts(&command, "-");
	else
		bw_text_printf(&command, "%s/%s-marker", fixture.directory, mode);
	bw_text_printf(&command, " %s", fixture.bench);
	struct bw_bench *bench = bw_bench_new(&fixture.places, command.bytes, silence);
	bw_text_free(&command);
	return bench;
}

/* Lets a worker that misbehaves once do so again. */
static void forget_rogue(const char *mode)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s-marker", fixture.directory, mode);
	unlink(path);
}

static struct bw_measure_request request_with(double limit)
{
	return (struct bw_measure_request){.reference = objects[0], .seed = 1, .seconds = 0.001, .limit = limit};
}

/* Whether it is what a well-behaved worker makes of the object. */
static bool is_good(const struct bw_measured *measured, int object)
{
	static const struct {
		bool good;
		enum bw_verdict verdict;
	} expected[N] = {{true, BW_RIGHT}, {true, BW_OUTPUT_WRONG}, {true, BW_RIGHT}, {false, 0}};
	if (measured->good)
		return expected[object].good && measured->measurement.verdict == expected[object].verdict;
	return !expected[object].good && strstr(measured->error.text, "crashed with signal SEGV while compiling kernels and running once");
}

/* All of the list but the object `but` are good. */
static void expect_good(const char *mode, const struct bw_measured *measured, int but)
{
	for (int k = 0; k < N; k++)
		if (k != but && !is_good(&measured[k], k))
			fail_msg("%s: object %d: %s", mode, k, measured[k].good ? bw_verdict_name(measured[k].measurement.verdict) : measured[k].error.text);
}

static void misbehaviour_once_costs_nothing(void **state)
{
	static const struct {
		const char *mode;
		int attempts; /* of the object that was under way */
	} cases[] = {{"none", 1}, {"die", 2}, {"complain", 2}, {"quit", 2}, {"close", 2}, {"garbage", 2}, {"half", 2}, {"cut", 2}, {"twice", 1}, {"slow", 1}, {"talk", 1}};
	int files = open_files();
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bw_measured measured[N];
		struct bw_measure_request request = request_with(60);
		struct bw_bench *bench = open_rogue(cases[c].mode, false, 100);
		bw_bench_measure(bench, &request, (const char *const *)objects, N, &(struct bw_patience){300, NULL}, measured, NULL, NULL);
		expect_good(cases[c].mode, measured, -1);
		for (int k = 0; k < 3; k++)
			if (measured[k].measurement.attempts != (k == 1 ? cases[c].attempts : 1))
				fail_msg("%s: object %d took %d attempts", cases[c].mode, k, measured[k].measurement.attempts);
		bw_bench_drop(bench);
	}
	assert_int_equal(open_files(), files);
}

static void misbehaviour_always_costs_one_object(void **state)
{
	static const struct {
		const char *mode, *text; /* text: in the error of the object that was under way */
	} cases[] = {
		{"die", "crashed with signal KILL"}, {"complain", "the driver has fallen off the bus"}, {"quit", "ended before it had answered"}, {"close", "closed its pipe before it had answered"},
		{"garbage", "answer:1: not JSON"}, {"half", "answer:1: not JSON"}, {"cut", "ended before it had answered"}, {"lose", "ended the request without a result"},
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bw_measured measured[N];
		struct bw_measure_request request = request_with(60);
		struct bw_bench *bench = open_rogue(cases[c].mode, true, 100);
		bw_bench_measure(bench, &request, (const char *const *)objects, N, &(struct bw_patience){300, NULL}, measured, NULL, NULL);
		expect_good(cases[c].mode, measured, 1);
		if (measured[1].good || measured[1].error.kind != BW_ERROR_DEVICE || !strstr(measured[1].error.text, cases[c].text))
			fail_msg("%s: '%s' lacks '%s'", cases[c].mode, measured[1].good ? "good" : measured[1].error.text, cases[c].text);
		bw_bench_drop(bench);
	}
}

/* Silent, or talking without end: the object under way is given up after the seconds that patience has, and not tried again. These are more
 * where the machine was so slow that the others took as long. */
static void silence_ends_in_time(void **state)
{
	static const char *const modes[] = {"hang", "flood", "endless"};
	for (size_t c = 0; c < sizeof modes / sizeof *modes; c++) {
		struct bw_measured measured[N];
		struct bw_measure_request request = request_with(100);
		char text[64];
		int seconds = 1;
		do {
			seconds *= 4;
			forget_rogue(modes[c]);
			struct bw_bench *bench = open_rogue(modes[c], false, 100);
			bw_bench_measure(bench, &request, (const char *const *)objects, N, &(struct bw_patience){seconds, NULL}, measured, NULL, NULL);
			bw_bench_drop(bench);
		} while (seconds < 64 && !(is_good(&measured[0], 0) && is_good(&measured[2], 2) && is_good(&measured[3], 3)));
		expect_good(modes[c], measured, 1);
		snprintf(text, sizeof text, "killed at the limit of %d s", seconds);
		if (measured[1].good || !strstr(measured[1].error.text, text))
			fail_msg("%s: %s", modes[c], measured[1].error.text);
	}
}

static void what_is_no_worker(void **state)
{
	static const struct {
		const char *mode;
		double silence;
		const char *text;
	} cases[] = {
		{"old", 100, "it speaks version 1 of the bench protocol, this beamwalk speaks version 2: both are to be of one release"},
		{"mute", 0.3, "killed at the limit of 0.3 s"},
		{"refuse", 100, "ended with status 127 and said nothing; it printed \"command not found, says the shell\""},
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bw_measured measured[N];
		struct bw_measure_request request = request_with(60);
		struct bw_bench *bench = open_rogue(cases[c].mode, true, cases[c].silence);
		bw_bench_measure(bench, &request, (const char *const *)objects, N, &(struct bw_patience){300, NULL}, measured, NULL, NULL);
		for (int k = 0; k < N; k++)
			if (measured[k].good || !strstr(measured[k].error.text, cases[c].text))
				fail_msg("%s: object %d: '%s' lacks '%s'", cases[c].mode, k, measured[k].error.text, cases[c].text);
		struct bw_presents devices;
		struct bw_error error = {0};
		assert_false(bw_bench_devices_wait(bench, &(struct bw_patience){300, NULL}, &devices, &error));
		assert_non_null(strstr(error.text, cases[c].text));
		bw_bench_drop(bench);
	}
}

struct watched {
	int done, calls;
	atomic_bool stop;
};

/* Notes how far a list is; asks to stop after the first object. */
static void watch(void *context, int object, int done, int n)
{
	struct watched *watched = context;
	assert_true(done > watched->done && done <= n && object >= 0 && object < n);
	watched->done = done;
	watched->calls++;
	atomic_store(&watched->stop, true);
}

/* Stopping leaves the outcomes that there are, cancels what runs, and the worker goes on with the next list. */
static void stopping(void **state)
{
	char *hang = make_filter(&fixture, "HANG", false);
	const char *const list[] = {objects[0], hang, objects[0]};
	struct bw_measured measured[N];
	struct bw_measure_request request = request_with(30);
	struct watched watched = {0};
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 100);
	bw_bench_measure(bench, &request, list, 3, &(struct bw_patience){60, &watched.stop}, measured, watch, &watched);
	assert_true(measured[0].good && !measured[1].good && !measured[2].good);
	assert_int_equal(measured[1].error.kind, BW_ERROR_STOPPED);
	assert_int_equal(measured[2].error.kind, BW_ERROR_STOPPED);
	bw_bench_measure(bench, &request, (const char *const *)objects, N, &(struct bw_patience){300, NULL}, measured, NULL, NULL);
	expect_good("after a stop", measured, -1);
	bw_bench_drop(bench);
	free(hang);
}

/* A command is told to end before it is killed: what it has started elsewhere would go on. */
static void commands_end_themselves(void **state)
{
	static const char *const cases[] = {"%1$s; touch %2$s", "trap 'touch %2$s; exit' TERM; %1$s; while :; do sleep 0.05; done"};
	for (int c = 0; c < 2; c++) {
		char marker[512], command[2048];
		struct bw_presents devices;
		snprintf(marker, sizeof marker, "%s/ended-%d", fixture.directory, c);
		snprintf(command, sizeof command, cases[c], fixture.bench, marker);
		struct bw_bench *bench = bw_bench_new(&fixture.places, command, 100);
		assert_true(bw_bench_devices_wait(bench, &(struct bw_patience){60, NULL}, &devices, NULL));
		bw_bench_drop(bench);
		assert_int_equal(access(marker, F_OK), 0);
	}
}

static void *measure_one(void *of)
{
	struct bw_measured measured;
	struct bw_measure_request request = request_with(60);
	bw_bench_measure(of, &request, (const char *const *)objects, 1, &(struct bw_patience){300, NULL}, &measured, NULL, NULL);
	return measured.good ? of : NULL;
}

/* Threads share a bench; one that is dropped while nothing runs ends at once, one that was never used as well. */
static void shared_by_threads(void **state)
{
	pthread_t threads[4];
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 100);
	for (int k = 0; k < 4; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, measure_one, bench), 0);
	for (int k = 0; k < 4; k++) {
		void *good;
		pthread_join(threads[k], &good);
		assert_non_null(good);
	}
	bw_bench_drop(bw_bench_keep(bench));
	bw_bench_drop(bench);
	bw_bench_drop(bw_bench_new(&fixture.places, "true", 20));
	bw_bench_drop(NULL);
}

static void devices(void **state)
{
	struct bw_bench *bench = bw_bench_new(&fixture.places, fixture.bench, 100);
	struct bw_presents told, again;
	struct bw_error error = {0};
	while (bw_bench_devices(bench, &told, &error) == BW_ASKING)
		usleep(1000);
	assert_int_equal(bw_bench_devices(bench, &told, &error), BW_TOLD);
	assert_true(bw_bench_devices_wait(bench, &(struct bw_patience){1, NULL}, &again, &error));
	assert_int_equal(told.n, again.n);
	assert_true(told.n > 0 || !have_opencl());
	for (int k = 0; k < told.n; k++) {
		assert_true(*told.list[k].name && *told.list[k].driver);
		assert_true(told.list[k].device.sms > 0 && told.list[k].device.threads_per_block > 0);
	}
	struct bw_measured measured;
	struct bw_measure_request request = request_with(60);
	request.device = told.n + 1;
	bw_bench_measure(bench, &request, (const char *const *)objects, 1, &(struct bw_patience){300, NULL}, &measured, NULL, NULL);
	assert_false(measured.good);
	assert_non_null(strstr(measured.error.text, "there is no device"));
	bw_bench_drop(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misbehaviour_once_costs_nothing), cmocka_unit_test(misbehaviour_always_costs_one_object), cmocka_unit_test(silence_ends_in_time),
		cmocka_unit_test(what_is_no_worker), cmocka_unit_test(stopping), cmocka_unit_test(commands_end_themselves), cmocka_unit_test(shared_by_threads), cmocka_unit_test(devices),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
