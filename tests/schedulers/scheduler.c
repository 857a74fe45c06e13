/* The core's one entry: its schedule is that of a search that is made by hand, from several threads at once, too; its text is read back and held; every
 * error says what it is about, and leaves nothing behind. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/mem.h"
#include "base/file.h"
#include "schedule/export.h"
#include "schedulers/scheduler.h"

static struct bw_device *devices;
static int n_devices;
static struct bw_text harris;

static int open_all(void **state)
{
	char path[4096];
	struct bw_error error;
	snprintf(path, sizeof path, "%s/data/devices.json", getenv("BW_SRC"));
	devices = bw_devices_read(path, &n_devices, &error);
	snprintf(path, sizeof path, "%s/data/descriptions/harris.json", getenv("BW_SRC"));
	assert_true(bw_file_read(path, 1 << 24, &harris, &error));
	assert_non_null(devices);
	return 0;
}

static int close_all(void **state)
{
	free(devices);
	bw_text_free(&harris);
	return 0;
}

/* The entry on harris. */
static bool run(const char *const *options, int n, struct bw_scheduler_outcome *outcome, struct bw_error *error)
{
	struct bw_scheduler_request request = {"harris", bw_text_get(&harris), harris.length, options, n, devices, n_devices, "0"};
	return bw_scheduler_run(&request, outcome, error);
}

/* The text of the schedule of a search with these options. */
static char *searched(const struct bw_settings *options, double *cost)
{
	struct bw_error error;
	struct bw_batch batch;
	struct bw_text text = {0};
	struct bw_pipeline *pipeline = bw_pipeline_parse("harris", bw_text_get(&harris), harris.length, &error);
	assert_true(bw_batch_run(pipeline, options, NULL, &batch, &error));
	bw_schedule_print(pipeline, batch.schedule, &text);
	*cost = batch.cost;
	bw_batch_free(&batch);
	bw_pipeline_free(pipeline);
	return bw_text_take(&text);
}

static void it_is_the_search(void **state)
{
	static const char *const said[] = {"beam=1", "beam_size=4", "gpu=v100", "seed=9", "search-space=root,inline"};
	struct bw_settings options = bw_settings_default(bw_device_find(devices, n_devices, "V100"));
	struct bw_scheduler_outcome outcome;
	struct bw_error error;
	double cost;
	options.beam = 4;
	options.seed = 9;
	options.search_space = BW_SITES_ROOT | BW_SITES_INLINE;
	char *expected = searched(&options, &cost);
	assert_true(run(said, 5, &outcome, &error));
	assert_string_equal(outcome.schedule, expected);
	assert_true(outcome.cost == cost);
	/* What they name is theirs: the description is no longer there. */
	struct bw_text text = {0};
	bw_directives_print(outcome.directives, &text);
	assert_non_null(strstr(bw_text_get(&text), "\"vars\":[\"x\""));
	bw_text_free(&text);
	/* Twelve stages of 73 features, 7 flags and 280 features. */
	assert_int_equal(outcome.features.length, 12 * 360 * sizeof(float));
	assert_string_equal(outcome.warning, "");
	assert_null(strstr(outcome.schedule, " at "));
	struct bw_export_mark mark;
	const char *at = outcome.source;
	int line = 1;
	assert_true(bw_export_next_mark(&at, &line, &mark));
	assert_string_equal(mark.pipeline, "harris");
	assert_null(strstr(outcome.source, "inline void"));
	bw_scheduler_outcome_free(&outcome);
	free(expected);
}

static void *run_in_thread(void *data)
{
	static const char *const said[] = {"beam=4", "seed=0"};
	struct bw_scheduler_outcome outcome;
	struct bw_error error;
	*(char **)data = run(said, 2, &outcome, &error) ? bw_strdup(outcome.schedule) : NULL;
	bw_scheduler_outcome_free(&outcome);
	return NULL;
}

static void calls_do_not_meet(void **state)
{
	struct bw_settings options = bw_settings_default(bw_device_find(devices, n_devices, "A100"));
	pthread_t threads[4];
	char *texts[4];
	double cost;
	options.beam = 4;
	char *expected = searched(&options, &cost);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &texts[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_non_null(texts[i]);
		assert_string_equal(texts[i], expected);
		free(texts[i]);
	}
	free(expected);
}

/* A schedule that another search found is held; one of another algorithm is held with a warning. */
static void partial_schedules_are_held(void **state)
{
	static const char *const first[] = {"beam=4", "search_space=root,inline"};
	char path[] = "/tmp/bw-scheduler-XXXXXX", option[64], *algorithm;
	int file = mkstemp(path);
	const char *held[] = {"beam=4", option};
	struct bw_scheduler_outcome before, after;
	struct bw_error error;
	assert_true(file >= 0);
	close(file);
	assert_true(run(first, 2, &before, &error));
	assert_true(bw_file_write(path, before.schedule, strlen(before.schedule), &error));
	snprintf(option, sizeof option, "partial_schedule_path=%s", path);
	assert_true(run(held, 2, &after, &error));
	assert_string_equal(after.schedule, before.schedule);
	assert_string_equal(after.warning, "");
	bw_scheduler_outcome_free(&after);
	algorithm = strstr(before.schedule, "algorithm ") + strlen("algorithm ");
	*algorithm = *algorithm == '0' ? '1' : '0';
	assert_true(bw_file_write(path, before.schedule, strlen(before.schedule), &error));
	assert_true(run(held, 2, &after, &error));
	assert_non_null(strstr(after.warning, "was written for another algorithm"));
	bw_scheduler_outcome_free(&after);
	bw_scheduler_outcome_free(&before);
	unlink(path);
}

/* No device launches 2048 threads: a schedule file that holds them leaves nothing alive. */
static void a_schedule_that_cannot_be_is_a_conflict(void **state)
{
	static const char schedule[] = "beamwalk-schedule 1\noutput root 2x1/2048x1\n";
	char path[] = "/tmp/bw-scheduler-XXXXXX", option[64];
	const char *held[] = {option};
	struct bw_scheduler_outcome outcome;
	struct bw_error error = {0};
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	assert_true(bw_file_write(path, schedule, strlen(schedule), &error));
	snprintf(option, sizeof option, "partial_schedule=%s", path);
	assert_false(run(held, 1, &outcome, &error));
	if (error.kind != BW_ERROR_CONFLICT || !strstr(error.text, "no legal option"))
		fail_msg("%s", error.text);
	assert_null(outcome.schedule);
	unlink(path);
}

static void errors_say_what_they_are_about(void **state)
{
	static const struct {
		const char *option, *message;
		enum bw_error_kind kind;
	} table[] = {
		{"beam=none", "beam takes a whole number from 1 to 10000 (states), not \"none\"", BW_ERROR_USAGE},
		{"beam_sise=4", "no option \"beam_sise\"; did you mean \"beam_size\"?", BW_ERROR_USAGE},
		{"gpu=abacus", "no device \"abacus\"", BW_ERROR_USAGE},
		{"stack_factor=1.5", "stack_factor takes a number from 0 to 1", BW_ERROR_USAGE},
		{"partial_schedule=/no/such/file", "/no/such/file: ", BW_ERROR_INPUT},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_scheduler_outcome outcome;
		struct bw_error error = {0};
		assert_false(run(&table[i].option, 1, &outcome, &error));
		if (!strstr(error.text, table[i].message))
			fail_msg("%s: %s", table[i].option, error.text);
		assert_int_equal(error.kind, table[i].kind);
		assert_null(outcome.schedule);
		assert_null(outcome.directives);
	}
	struct bw_scheduler_request request = {"broken", "{", 1, NULL, 0, devices, n_devices, "0"};
	struct bw_scheduler_outcome outcome;
	struct bw_error error;
	assert_false(bw_scheduler_run(&request, &outcome, &error));
	assert_non_null(strstr(error.text, "broken:1:"));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_search),
		cmocka_unit_test(calls_do_not_meet),
		cmocka_unit_test(partial_schedules_are_held),
		cmocka_unit_test(a_schedule_that_cannot_be_is_a_conflict),
		cmocka_unit_test(errors_say_what_they_are_about),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
