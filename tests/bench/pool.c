/* Many workers behind one queue, against workers that die, hang, close their pipe, answer twice or not at all, are slow, and lie (standin.c): 1,000 schedules
 * have 1,000 outcomes, each its own. Kinds of device; workers that are not to be trusted; no worker left; what is given up. */
#include "bench_test.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "bench/pool.h"
#include "bench/protocol.h"

enum { MOST = 12, SCHEDULES = 1000 };

static char folder[] = "/tmp/bw-pool-XXXXXX";
static char *standin;
static struct bw_device *records;
static int n_records;
static struct bw_places places;

static int open_all(void **state)
{
	struct bw_text path = {0};
	struct bw_error error = {0};
	assert_non_null(mkdtemp(folder));
	bw_text_printf(&path, "%s/data/devices.json", variable("BW_SRC"));
	records = bw_devices_read(bw_text_get(&path), &n_records, &error);
	assert_non_null(records);
	bw_text_clear(&path);
	bw_text_printf(&path, "%s/tests/bench/standin", variable("BW_BUILD"));
	standin = bw_text_take(&path);
	bw_text_printf(&path, "%s/owners", folder);
	assert_int_equal(mkdir(bw_text_get(&path), 0700), 0);
	assert_int_equal(setenv("STANDIN_OWNERS", bw_text_get(&path), 1), 0);
	bw_text_free(&path);
	return 0;
}

static int close_all(void **state)
{
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	free(standin);
	free(records);
	return system(command);
}

/* Which schedule a list of directives stands for: its address alone is looked at. */
static char marks[SCHEDULES];
static const struct bw_directives *schedule(int k)
{
	return (const struct bw_directives *)&marks[k];
}

/* Compiles a schedule to a file that says its number; the seventh cannot be compiled if *data is set. */
static char *compile(void *data, enum bw_build build, const struct bw_directives *directives, const struct bw_device *device, const struct bw_patience *patience,
		     struct bw_error *error)
{
	struct bw_text path = {0}, content = {0};
	int number = directives ? (int)((const char *)directives - marks) : -1;
	(void)build;
	(void)patience;
	if (data && number == 7) {
		bw_fail(error, BW_ERROR_HALIDE, "schedule 7 cannot be compiled");
		return NULL;
	}
	bw_text_printf(&path, "%s/%s-%d", folder, device->name, number);
	bw_text_printf(&content, "schedule %d for %s\n", number, device->name);
	bool good = bw_file_write(bw_text_get(&path), bw_text_get(&content), content.length, error);
	bw_text_free(&content);
	if (good)
		return bw_text_take(&path);
	bw_text_free(&path);
	return NULL;
}

/* What the stand-in says of it, in ms. */
static double time_of(int number, const char *device)
{
	char name[BW_CONTENT_NAME], content[128];
	int length = snprintf(content, sizeof content, "schedule %d for %s\n", number, device);
	bw_content_name(content, (size_t)length, name);
	name[8] = 0;
	return 0.1 + 0.1 * (double)strtoul(name, NULL, 16) / 4294967296.;
}

struct pool {
	struct bw_pool *pool;
	char *commands[MOST];
	int n;
};

/* Opens a pool of workers in these modes: "die 3" or "none 1 'NVIDIA A100'". */
static struct pool open_pool(const char *const *modes, bool fails)
{
	struct pool pool = {0};
	static int data;
	for (; modes[pool.n]; pool.n++) {
		struct bw_text command = {0};
		bw_text_printf(&command, "exec %s %s", standin, modes[pool.n]);
		pool.commands[pool.n] = bw_text_take(&command);
	}
	pool.pool = bw_pool_new(&(struct bw_pool_setup){
	    .request = {.places = &places, .records = records, .n_records = n_records, .seconds = 0.001, .limit = 1},
	    .commands = (const char *const *)pool.commands,
	    .n_commands = pool.n,
	    .silence = 5,
	    .pause = 0.02,
	    .compile = compile,
	    .compile_data = fails ? &data : NULL});
	for (int k = 0; !bw_pool_ready(pool.pool); k++) {
		assert_true(k < 30000);
		usleep(1000);
	}
	return pool;
}

/* Closes it; the news are compared with a part of what they are to say, unless that is NULL. */
static void close_pool(struct pool *pool, const char *news)
{
	struct bw_text said = {0};
	bw_pool_news(pool->pool, &said);
	if (news && !strstr(bw_text_get(&said), news))
		fail_msg("not said: %s\nbut: %s", news, bw_text_get(&said));
	bw_text_free(&said);
	bw_pool_free(pool->pool);
	for (int k = 0; k < pool->n; k++)
		free(pool->commands[k]);
}

/* Asks for n schedules of a kind. Ticket t is that of schedule t - 1 if they are the first. */
static void ask(struct pool *pool, int kind, int first, int n)
{
	for (int k = 0; k < n; k++)
		bw_pool_ask(pool->pool, kind, schedule(first + k));
}

/* Waits for n outcomes, each once, and notes them by their tickets, from 1. */
static void take(struct pool *pool, struct bw_pooled *outcomes, int n)
{
	int taken = 0;
	bool *there = calloc((size_t)n + 1, sizeof *there);
	double end = 120;
	while (taken < n && end > 0) {
		struct bw_pooled some[16];
		int got = bw_pool_take(pool->pool, some, 16, 0.1);
		end -= got ? 0 : 0.1;
		for (int k = 0; k < got; k++, taken++) {
			assert_in_range(some[k].ticket, 1, n);
			assert_false(there[some[k].ticket]);
			there[some[k].ticket] = true;
			outcomes[some[k].ticket - 1] = some[k];
		}
	}
	assert_int_equal(taken, n);
	assert_int_equal(bw_pool_take(pool->pool, outcomes, 1, 0.05), 0);
	free(there);
}

static bool is_right(const struct bw_pooled *outcome, int number)
{
	return outcome->measured.good && fabs(outcome->measured.measurement.minimum - time_of(number, outcome->device->name)) < 1e-6;
}

static void expect_right(const struct bw_pooled *outcomes, int n)
{
	for (int k = 0; k < n; k++)
		if (!is_right(&outcomes[k], k))
			fail_msg("schedule %d: %g ms by %s, expected %g: %s", k, outcomes[k].measured.measurement.minimum, outcomes[k].command ? outcomes[k].command : "none",
				 time_of(k, outcomes[k].device->name), outcomes[k].measured.error.text);
}

static void every_schedule_has_one_outcome(void **state)
{
	static const char *const modes[] = {"none 1", "die 2", "hang 3", "close 4", "garbage 5", "twice 6", "lose 7", "slow 8", "mixed 9", "mixed 10", "absent 11", NULL};
	static struct bw_pooled outcomes[SCHEDULES];
	int files = open_files();
	struct pool pool = open_pool(modes, false);
	assert_int_equal(bw_pool_kinds(pool.pool), 1);
	assert_string_equal(bw_pool_device(pool.pool, 0)->name, "NVIDIA T4");
	ask(&pool, 0, 0, SCHEDULES);
	take(&pool, outcomes, SCHEDULES);
	expect_right(outcomes, SCHEDULES);
	close_pool(&pool, "absent 11: is not asked any more");
	assert_int_equal(open_files(), files);
}

/* Whoever says what cannot be is asked no more, and others do the work. */
static void liars_are_dropped(void **state)
{
	static const struct {
		const char *mode, *why;
	} cases[] = {
	    {"zero 1", "zero 1: is not asked any more: it says that a schedule takes 0 ms"},
	    {"negative 1", NULL},
	    {"long 1", "long 1: is not asked any more: it says 1 runs of 1e+09 ms"},
	    {"fail 1", "fail 1: is not asked any more: it failed with "},
	};
	enum { N = 60 };
	struct bw_pooled outcomes[N];
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		const char *const modes[] = {"none 2", cases[c].mode, NULL};
		struct pool pool = open_pool(modes, false);
		ask(&pool, 0, 0, N);
		take(&pool, outcomes, N);
		expect_right(outcomes, N);
		close_pool(&pool, cases[c].why);
	}
}

/* A control schedule shows who is far from the others; of two it is not known which one is. */
static void control_schedules_are_compared(void **state)
{
	enum { N = 80 };
	struct bw_pooled outcomes[N];
	const char *const three[] = {"none 1", "none 2", "fast 3", NULL}, *const two[] = {"none 1", "fast 3", NULL};
	struct pool pool = open_pool(three, false);
	ask(&pool, 0, 0, N);
	take(&pool, outcomes, N);
	int wrong = 0;
	for (int k = 0; k < N; k++)
		wrong += !is_right(&outcomes[k], k);
	assert_in_range(wrong, 0, N / 2);
	for (int k = 0; k < N; k++)
		assert_true(is_right(&outcomes[k], k) || strstr(outcomes[k].command, "fast"));
	close_pool(&pool, "fast 3: is not asked any more: one schedule takes");
	pool = open_pool(two, false);
	ask(&pool, 0, 0, N);
	take(&pool, outcomes, N);
	close_pool(&pool, "do not compare their times");
}

static void kinds_have_their_own(void **state)
{
	enum { N = 20 };
	struct bw_pooled outcomes[2 * N];
	const char *const modes[] = {"none 1 'NVIDIA A100-SXM4-40GB'", "none 2", "none 3", NULL};
	struct pool pool = open_pool(modes, false);
	assert_int_equal(bw_pool_kinds(pool.pool), 2);
	assert_string_equal(bw_pool_device(pool.pool, 0)->name, "NVIDIA T4");
	assert_string_equal(bw_pool_device(pool.pool, 1)->name, "A100");
	ask(&pool, 0, 0, N);
	ask(&pool, 1, 0, N);
	take(&pool, outcomes, 2 * N);
	for (int k = 0; k < 2 * N; k++) {
		assert_true(is_right(&outcomes[k], k % N));
		assert_string_equal(outcomes[k].device->name, k < N ? "NVIDIA T4" : "A100");
	}
	close_pool(&pool, NULL);
}

/* A schedule that cannot be compiled fails alone; one that fails everywhere has failed. */
static void what_fails_has_an_outcome(void **state)
{
	enum { N = 16 };
	struct bw_pooled outcomes[N];
	const char *const good[] = {"none 1", "none 2", NULL}, *const bad[] = {"fail 1", NULL}, *const gone[] = {"absent 1", "absent 2", NULL};
	const char *const dies[] = {"absent 1", "die 2", NULL};
	struct pool pool = open_pool(good, true);
	ask(&pool, 0, 0, N);
	take(&pool, outcomes, N);
	for (int k = 0; k < N; k++)
		assert_int_equal(is_right(&outcomes[k], k), k != 7);
	assert_string_equal(outcomes[7].measured.error.text, "schedule 7 cannot be compiled");
	assert_false(outcomes[7].ends);
	close_pool(&pool, NULL);
	pool = open_pool(bad, false);
	ask(&pool, 0, 0, N);
	take(&pool, outcomes, N);
	for (int k = 0; k < N; k++)
		assert_string_equal(outcomes[k].measured.error.text, "CUDA: the device is lost");
	close_pool(&pool, NULL);
	pool = open_pool(gone, false);
	assert_int_equal(bw_pool_kinds(pool.pool), 0);
	close_pool(&pool, "absent 2: is not asked any more: ");
	pool = open_pool(dies, false);
	ask(&pool, 0, 0, N);
	take(&pool, outcomes, N);
	expect_right(outcomes, N);
	close_pool(&pool, NULL);
}

static void stopping_gives_up(void **state)
{
	enum { N = 40 };
	static struct bw_pooled outcomes[N];
	const char *const modes[] = {"slow 1", "hang 2", NULL};
	struct pool pool = open_pool(modes, false);
	struct bw_text told = {0};
	ask(&pool, 0, 0, N);
	usleep(100000);
	bw_pool_tell(pool.pool, &told);
	assert_non_null(strstr(bw_text_get(&told), "of 2 workers measure"));
	bw_text_free(&told);
	bw_pool_stop(pool.pool);
	assert_int_equal(bw_pool_take(pool.pool, outcomes, N, 0.1), 0);
	int first = bw_pool_ask(pool.pool, 0, schedule(3));
	int got = 0;
	for (int k = 0; k < 300 && !got; k++)
		got = bw_pool_take(pool.pool, outcomes, N, 0.1);
	assert_int_equal(got, 1);
	assert_int_equal(outcomes[0].ticket, first);
	assert_true(is_right(&outcomes[0], 3));
	close_pool(&pool, NULL);
}

/* On this machine's processor nothing compiles while a schedule is measured. */
static char *compile_slowly(void *data, enum bw_build build, const struct bw_directives *directives, const struct bw_device *device,
			    const struct bw_patience *patience, struct bw_error *error)
{
	usleep(20000);
	return compile(data, build, directives, device, patience, error);
}

static void a_processor_is_measured_alone(void **state)
{
	enum { N = 20 };
	static struct bw_pooled outcomes[N];
	static const char *const here[] = {NULL};
	struct bw_text worker = {0}, text = {0};
	struct bw_error error = {0};
	int n = 0, both = 0;
	bw_text_printf(&worker, "%s/here", folder);
	bw_text_printf(&text, "#!/bin/sh\nexec %s slow 1 'Intel CPU' cpu\n", standin);
	assert_true(bw_file_write(bw_text_get(&worker), bw_text_get(&text), text.length, &error));
	assert_int_equal(chmod(bw_text_get(&worker), 0700), 0);
	struct bw_places own = {.bench = (char *)bw_text_get(&worker)};
	struct pool pool = {.pool = bw_pool_new(&(struct bw_pool_setup){
				.request = {.places = &own, .records = records, .n_records = n_records, .seconds = 0.001, .limit = 1},
				.commands = here,
				.n_commands = 1,
				.compile = compile_slowly})};
	for (int k = 0; !bw_pool_ready(pool.pool); k++, usleep(1000))
		assert_true(k < 30000);
	assert_true(bw_pool_device(pool.pool, 0)->cpu);
	ask(&pool, 0, 0, N / 2);
	for (int k = 0; n < N && k < 30000; k++, usleep(1000)) {
		bw_text_clear(&text);
		bw_pool_tell(pool.pool, &text);
		both += strstr(bw_text_get(&text), "1 of 1 worker measure") && !strstr(bw_text_get(&text), " 0 compile");
		int got = bw_pool_take(pool.pool, outcomes, N, 0);
		if (!n && got)
			ask(&pool, 0, N / 2, N / 2);
		n += got;
	}
	assert_int_equal(n, N);
	assert_int_equal(both, 0);
	close_pool(&pool, NULL);
	bw_text_free(&worker);
	bw_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_schedule_has_one_outcome), cmocka_unit_test(liars_are_dropped), cmocka_unit_test(control_schedules_are_compared),
	    cmocka_unit_test(kinds_have_their_own), cmocka_unit_test(what_fails_has_an_outcome), cmocka_unit_test(stopping_gives_up),
	    cmocka_unit_test(a_processor_is_measured_alone),
	};
	return cmocka_run_group_tests_name("many workers", tests, open_all, close_all);
}
