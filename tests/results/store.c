/* What is stored comes back: every field, known or not; texts once; lists by every filter, newest first whatever the clock does;
 * hashes by their beginning; exports; older tables brought up to date, newer ones and other programs' left alone. */
#include "made.h"

#include <math.h>

#include <jansson.h>

#include "base/mem.h"
#include "results/database.h"
#include "results/result.h"

/* A value for every field of the table, told apart by its place. */
static struct bw_result full(char (*texts)[48])
{
	struct bw_result result = {0};
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	for (int i = 0; i < n; i++) {
		char *at = (char *)&result + fields[i].offset;
		snprintf(texts[i], sizeof texts[i], fields[i].kind == BW_RESULT_OF_JSON ? "[%d, \"a,\\\"b\\\"\"]" : "%d, \"quoted\"\nµ", i);
		if (fields[i].kind <= BW_RESULT_OF_JSON)
			*(const char **)at = texts[i];
		else if (fields[i].kind == BW_RESULT_OF_REAL)
			*(double *)at = i + 1. / 3;
		else
			*(int64_t *)at = fields[i].kind == BW_RESULT_OF_BOOL ? 1 : i;
	}
	result.id = 1;
	result.description_text = "description";
	result.schedule_text = "schedule";
	return result;
}

static void keep_copy(const struct bw_result *result, void *data)
{
	bw_result_free(*(struct bw_result **)data);
	*(struct bw_result **)data = bw_result_copy(result);
}

static void expect_equal(const struct bw_result *a, const struct bw_result *b)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	for (int i = 0; i < n; i++) {
		const char *one = (const char *)a + fields[i].offset, *other = (const char *)b + fields[i].offset;
		if (fields[i].kind == BW_RESULT_OF_REAL) {
			double x = *(const double *)one, y = *(const double *)other;
			assert_true(x == y || (isnan(x) && isnan(y)));
		} else if (fields[i].kind >= BW_RESULT_OF_INTEGER) {
			assert_true(*(const int64_t *)one == *(const int64_t *)other);
		} else {
			const char *x = *(const char *const *)one, *y = *(const char *const *)other;
			assert_int_equal(x == NULL, y == NULL);
			if (x)
				assert_string_equal(x, y);
		}
	}
}

static void every_field_comes_back(void **state)
{
	struct made *made = *state;
	char texts[64][48];
	struct bw_result *back = NULL, first = full(texts), second = made_result(made);
	struct bw_results *results = made_file(made);
	made_add(results, &first);
	assert_int_equal(bw_results_each(results, NULL, keep_copy, &back, NULL), 1);
	expect_equal(&first, back);
	made_add(results, &second);
	struct bw_results_filter newest = {.limit = 1};
	assert_int_equal(bw_results_each(results, &newest, keep_copy, &back, NULL), 1);
	second.id = 2;
	expect_equal(&second, back);
	assert_null(back->driver);
	assert_true(back->register_limit == BW_RESULT_UNKNOWN && isnan(back->median_ms));
	bw_result_free(back);
	bw_results_close(results);
}

static long number(const struct made *made, const char *sql)
{
	struct bw_results file = {.path = (char *)made->path};
	struct bw_error error = {0};
	assert_int_equal(sqlite3_open(made->path, &file.db), SQLITE_OK);
	long value = bw_database_number(&file, bw_database_prepare(&file, sql, &error), &error);
	sqlite3_close(file.db);
	return value;
}

static void nothing_is_stored_twice(void **state)
{
	struct made *made = *state;
	struct bw_results *results = made_file(made);
	struct bw_result result = made_result(made);
	made_add(results, &result);
	made_add(results, &result);
	result = made_result(made);
	made_add(results, &result);
	result = made_result(made);
	result.schedule = "fedcba9876540000";
	made_add(results, &result);
	result = made_result(made);
	result.description = "0123456789ab0000";
	made_add(results, &result);
	bw_results_close(results);
	assert_int_equal(number(made, "SELECT count(*) FROM measurements"), 4);
	assert_int_equal(number(made, "SELECT count(*) FROM descriptions"), 2);
	assert_int_equal(number(made, "SELECT count(*) FROM schedules"), 3);
}

/* A column that must not be NULL is: nothing of the result stays, not even its description. */
static void all_or_nothing(void **state)
{
	struct made *made = *state;
	struct bw_error error = {0};
	struct bw_results *results = made_file(made);
	struct bw_result result = made_result(made);
	result.verdict = NULL;
	assert_false(bw_results_add(results, &result, NULL, &error));
	assert_non_null(strstr(error.text, "verdict"));
	bw_results_close(results);
	assert_int_equal(number(made, "SELECT count(*) FROM descriptions"), 0);
}

static void append_time(const struct bw_result *result, void *data)
{
	bw_text_printf(data, "%.10s ", result->measured_utc);
}

static void newest_first_whatever_the_clock_does(void **state)
{
	struct made *made = *state;
	static const char *const times[] = {"2026-11-21T12:00:00.000Z", "1970-01-01T00:00:00.000Z", "2026-11-20T12:00:00.000Z"};
	struct bw_text seen = {0};
	for (int i = 0; i < 3; i++) {
		struct bw_results *results = made_file(made);
		struct bw_result result = made_result(made);
		result.measured_utc = times[i];
		made_add(results, &result);
		bw_results_close(results);
	}
	struct bw_results *results = made_file(made);
	assert_int_equal(bw_results_each(results, NULL, append_time, &seen, NULL), 3);
	assert_string_equal(bw_text_get(&seen), "2026-11-20 1970-01-01 2026-11-21 ");
	bw_text_clear(&seen);
	struct bw_results_filter limited = {.limit = 2}, since = {.since = "2026-11-20"};
	bw_results_each(results, &limited, append_time, &seen, NULL);
	assert_string_equal(bw_text_get(&seen), "2026-11-20 1970-01-01 ");
	assert_int_equal(bw_results_count(results, &limited, NULL), 3);
	assert_int_equal(bw_results_count(results, &since, NULL), 2);
	bw_text_free(&seen);
	bw_results_close(results);
}

static void filters(void **state)
{
	struct made *made = *state;
	static const struct {
		struct bw_results_filter filter;
		long n;
	} cases[] = {
		{{.pipeline = "blur"}, 2},
		{{.pipeline = "harris"}, 1},
		{{.pipeline = "./my_harris"}, 1},
		{{.pipeline = "0123"}, 2},
		{{.pipeline = "%"}, 0},
		{{.device = "a100"}, 2},
		{{.device = "sxm4"}, 2},
		{{.device = "%"}, 0},
		{{.device = "PoCL"}, 1},
		{{.verdict = "wrong"}, 1},
		{{.verdict = "rig"}, 0},
		{{.description = "0123"}, 0},
		{{.description = "0123456789abcdef"}, 2},
		{{.schedule = "fe"}, 3},
		{{.schedule = "FE"}, 0},
		{{.target = "A100", .verdict = "right"}, 1},
		{{.since = "2026-11-21T12:00:00.001Z"}, 0},
		{{.since = "2026-11-21"}, 3},
	};
	struct bw_results *results = made_file(made);
	struct bw_result result = made_result(made);
	made_add(results, &result);
	result = made_result(made);
	result.verdict = "wrong";
	made_add(results, &result);
	result = made_result(made);
	result.pipeline = "harris";
	result.source = "./my_harris";
	result.description = "1123456789abcdef";
	result.device = "pthread-haswell";
	result.target = "PoCL";
	made_add(results, &result);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (bw_results_count(results, &cases[i].filter, NULL) != cases[i].n)
			fail_msg("case %zu: %ld, expected %ld", i, bw_results_count(results, &cases[i].filter, NULL), cases[i].n);
	bw_results_close(results);
}

static void texts_by_the_beginning_of_their_hash(void **state)
{
	struct made *made = *state;
	struct bw_error error = {0};
	struct bw_text text = {0};
	struct bw_results *results = made_file(made);
	struct bw_result result = made_result(made);
	made_add(results, &result);
	result = made_result(made);
	result.schedule = "fedc000000000000";
	result.schedule_text = "output root\n    thread x\n";
	made_add(results, &result);
	/* The same schedule of the same algorithm with other estimates is no other text. */
	result = made_result(made);
	result.description = "aa23456789abcdef";
	made_add(results, &result);
	assert_true(bw_results_schedule(results, "fedc0", &text, &error));
	assert_string_equal(bw_text_get(&text), "output root\n    thread x\n");
	bw_text_clear(&text);
	assert_true(bw_results_schedule(results, "fedcb", &text, &error));
	assert_string_equal(bw_text_get(&text), "output root\n");
	bw_text_clear(&text);
	assert_false(bw_results_schedule(results, "fedc", &text, &error));
	assert_string_equal(error.text, "fedc could be 2 schedules: fedc000000000000 (blur), fedcba9876543210 (blur)");
	assert_int_equal(text.length, 0);
	assert_false(bw_results_schedule(results, "0", &text, &error));
	assert_string_equal(error.text, "no stored schedule's hash begins with 0");
	assert_false(bw_results_schedule(results, "", &text, &error));
	assert_false(bw_results_schedule(results, "fe%", &text, &error));
	assert_int_equal(error.kind, BW_ERROR_USAGE);
	assert_true(bw_results_description(results, "0", &text, &error));
	assert_string_equal(bw_text_get(&text), "{\"name\": \"blur\"}");
	bw_text_free(&text);
	bw_results_close(results);
}

/* As many fields as the head has names, what has commas, quotes or lines in quotes, and the same values in JSON. */
static void exports(void **state)
{
	char texts[64][48];
	int n, commas = 0;
	bw_result_fields(&n);
	struct bw_result result = full(texts);
	struct bw_text out = {0};
	bw_result_print_csv_head(&out);
	assert_memory_equal(bw_text_get(&out), "id,uid,measured_utc,pipeline,", 29);
	for (const char *c = bw_text_get(&out); *c; c++)
		commas += *c == ',';
	assert_int_equal(commas, n - 1);
	bw_text_clear(&out);
	bw_result_print_csv(&result, &out);
	assert_memory_equal(bw_text_get(&out), "1,\"1, \"\"quoted\"\"\nµ\",\"2, ", 25);
	assert_non_null(strstr(bw_text_get(&out), ",10.333333333333334,"));
	bw_text_clear(&out);
	bw_result_print_json(&result, &out);
	json_t *object = json_loads(bw_text_get(&out), 0, NULL);
	assert_int_equal(json_object_size(object), n);
	assert_string_equal(json_string_value(json_object_get(object, "uid")), texts[1]);
	assert_true(json_real_value(json_object_get(object, "minimum_ms")) == result.minimum_ms);
	assert_true(json_is_true(json_object_get(object, "cpu")));
	assert_int_equal(json_array_size(json_object_get(object, "kernels")), 2);
	json_decref(object);
	bw_text_clear(&out);
	result = bw_result_unknown();
	bw_result_print_csv(&result, &out);
	assert_int_equal(out.length, n);
	bw_text_free(&out);
}

/* 80 columns at most, whatever the values are. */
static void table_fits(void **state)
{
	struct made *made = *state;
	struct bw_text out = {0};
	struct bw_result result = made_result(made);
	bw_result_print_table_head(&out);
	bw_result_print_table(&result, &out);
	assert_non_null(strstr(bw_text_get(&out), "2026-11-21 12:00  blur      fedcba98   0.2500        -      -  right  A100\n"));
	result.pipeline = "a_pipeline_of_a_long_name";
	result.minimum_ms = 123456.789;
	result.median_ms = 123456.789;
	result.spread = 1.5;
	result.verdict = "right within bound";
	result.target = "an unusually long name of a device";
	bw_result_print_table(&result, &out);
	result.cpu = 1;
	bw_result_print_table(&result, &out);
	for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 80)
			fail_msg("%zu columns: %s", strlen(line), line);
	bw_text_free(&out);
}

static void measurements_come_back(void **state)
{
	struct made *made = *state;
	struct bw_measurement before = {.verdict = BW_RIGHT_WITHIN_BOUND, .worst = 0.5, .where = "output(3, 4)", .minimum = 0.25, .median = 0.5, .spread = 0.125, .runs = 7, .warm_ups = 3,
					.device = "A100", .driver = "CUDA 12.2", .clock = 1.41e9, .halide = "19.0.0", .method = "events",
					.kernels = {2, 64, {{"one", 40, 16, 0, 8, 4096, 1, 1024, 2, 3, 0.25}, {"two", -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}}}};
	struct bw_measurement *after = calloc(1, sizeof *after);
	struct bw_result result = made_result(made), *back = NULL;
	char *kernels;
	bw_result_measured(&result, &before, &kernels);
	struct bw_results *results = made_file(made);
	made_add(results, &result);
	free(kernels);
	bw_results_each(results, NULL, keep_copy, &back, NULL);
	assert_true(back->register_limit == 64);
	bw_result_measurement(back, after);
	assert_memory_equal(&before, after, sizeof before);
	bw_result_free(back);
	bw_results_close(results);
	free(after);
}

static void times(void **state)
{
	char text[BW_TIME_SIZE];
	bw_result_time(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000Z");
	bw_result_time(-1, text);
	assert_string_equal(text, "1969-12-31T23:59:59.999Z");
	bw_result_time(1795262405123, text);
	assert_string_equal(text, "2026-11-21T12:00:05.123Z");
}

/* One more step than the program has keeps what is stored; a step that fails changes nothing. */
static void tables_are_brought_up_to_date(void **state)
{
	struct made *made = *state;
	struct bw_error error = {0};
	struct bw_result result = made_result(made);
	struct bw_results *results = made_file(made);
	made_add(results, &result);
	int n = bw_schema_version;
	const char **steps = BW_NEW_ARRAY(const char *, n + 2);
	memcpy(steps, bw_schema_steps, (size_t)n * sizeof *steps);
	steps[n] = "ALTER TABLE measurements ADD COLUMN power_w REAL; UPDATE measurements SET power_w = 300;";
	steps[n + 1] = "CREATE TABLE more (a); INSERT INTO nowhere VALUES (1);";
	assert_false(bw_schema_migrate(results, steps, n + 2, &error));
	assert_int_equal(number(made, "PRAGMA user_version"), n);
	assert_int_equal(number(made, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%power_w%'"), 0);
	assert_true(bw_schema_migrate(results, steps, n + 1, &error));
	assert_int_equal(number(made, "PRAGMA user_version"), n + 1);
	assert_int_equal(number(made, "SELECT power_w FROM measurements"), 300);
	/* Which makes it a newer file than this program knows. */
	bw_results_close(results);
	assert_null(bw_results_open(made->path, true, 0, NULL, &error));
	assert_non_null(strstr(error.text, "written by a newer beamwalk"));
	assert_int_equal(number(made, "SELECT count(*) FROM measurements"), 1);
	free(steps);
}

static void another_programs_file_is_left_alone(void **state)
{
	struct made *made = *state;
	struct bw_error error = {0};
	sqlite3 *db;
	assert_int_equal(sqlite3_open(made->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_null(bw_results_open(made->path, true, 0, NULL, &error));
	assert_non_null(strstr(error.text, "another program's database"));
	assert_int_equal(number(made, "SELECT count(*) FROM sqlite_schema"), 1);
	assert_int_equal(number(made, "SELECT a FROM theirs"), 1);
}

static void add_timed(struct made *made, struct bw_results *results, const char *pipeline, const char *device, const char *verdict, double ms)
{
	struct bw_result result = made_result(made);
	result.pipeline = pipeline;
	result.description = strcmp(pipeline, "blur") ? "00000000000000bb" : "00000000000000aa";
	result.device = result.target = device;
	result.verdict = verdict;
	result.minimum_ms = ms;
	made_add(results, &result);
}

static void put_id(const struct bw_result *result, void *data)
{
	bw_text_printf(data, "%s%lld", ((struct bw_text *)data)->length ? " " : "", (long long)result->id);
}

/* Of each pipeline and device the fastest that is right, the first that was so fast; what was not checked, wrong or failed is none. */
static void the_best(void **state)
{
	struct made *made = *state;
	static const struct {
		struct bw_results_filter filter;
		const char *ids;
	} cases[] = {
		{{.best = true}, "6 4 7"},
		{{.best = true, .verdict = "right"}, "6 5 7"},
		{{.best = true, .verdict = "wrong"}, ""},
		{{.best = true, .device = "a1"}, "4 7"},
		{{.best = true, .pipeline = "unsharp"}, "7"},
		{{.best = true, .limit = 2}, "6 4"},
		{{.best = true, .since = "2026-11-22"}, ""},
	};
	struct bw_results *results = made_file(made);
	add_timed(made, results, "blur", "a100", "right", 0.25);
	add_timed(made, results, "blur", "a100", "wrong", 0.1);
	add_timed(made, results, "blur", "a100", "unchecked", 0.1);
	add_timed(made, results, "blur", "a100", "right within bound", 0.22);
	add_timed(made, results, "blur", "a100", "right", 0.22);
	add_timed(made, results, "blur", "PoCL", "right", 5);
	add_timed(made, results, "unsharp", "a100", "right", 9);
	add_timed(made, results, "unsharp", "PoCL", "failed", (double)NAN);
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bw_text ids = {0};
		bw_results_each(results, &cases[c].filter, put_id, &ids, NULL);
		if (strcmp(bw_text_get(&ids), cases[c].ids))
			fail_msg("%zu: %s, expected %s", c, bw_text_get(&ids), cases[c].ids);
		bw_text_free(&ids);
	}
	assert_int_equal(bw_results_count(results, &cases[5].filter, NULL), 3);
	bw_results_close(results);
}

/* What is forgotten is visited, and gone with the texts that are of nothing else; its id comes to no other. */
static void forgotten(void **state)
{
	struct made *made = *state;
	struct bw_results *results = made_file(made);
	struct bw_text ids = {0};
	struct bw_results_filter wrong = {.verdict = "wrong", .limit = 1}, unsharp = {.pipeline = "unsharp"};
	add_timed(made, results, "blur", "a100", "right", 0.25);
	add_timed(made, results, "blur", "a100", "wrong", 0.1);
	add_timed(made, results, "blur", "PoCL", "wrong", 0.1);
	add_timed(made, results, "unsharp", "a100", "right", 9);
	assert_int_equal(bw_results_forget(results, &wrong, put_id, &ids, NULL), 2);
	assert_string_equal(bw_text_get(&ids), "3 2");
	bw_text_clear(&ids);
	assert_int_equal(bw_results_each(results, NULL, put_id, &ids, NULL), 2);
	assert_string_equal(bw_text_get(&ids), "4 1");
	bw_text_clear(&ids);
	assert_int_equal(number(made, "SELECT count(*) FROM schedules"), 2);
	assert_int_equal(bw_results_forget(results, &unsharp, put_id, &ids, NULL), 1);
	assert_int_equal(bw_results_forget(results, &unsharp, put_id, &ids, NULL), 0);
	assert_string_equal(bw_text_get(&ids), "4");
	assert_int_equal(number(made, "SELECT count(*) FROM schedules"), 1);
	assert_int_equal(number(made, "SELECT count(*) FROM descriptions WHERE name = 'blur'"), 1);
	assert_int_equal(number(made, "SELECT count(*) FROM descriptions"), 1);
	add_timed(made, results, "unsharp", "a100", "right", 9);
	assert_int_equal(number(made, "SELECT max(id) FROM measurements"), 5);
	bw_text_free(&ids);
	bw_results_close(results);
	made_sound(made->path);
}

/* Where the texts cannot go, nothing is forgotten. */
static void forgotten_wholly_or_not_at_all(void **state)
{
	struct made *made = *state;
	struct bw_results *results = made_file(made);
	struct bw_results_filter blur = {.pipeline = "blur"};
	struct bw_text ids = {0};
	struct bw_error error = {0};
	add_timed(made, results, "blur", "a100", "right", 0.25);
	assert_int_equal(number(made, "CREATE TRIGGER held BEFORE DELETE ON descriptions BEGIN SELECT RAISE(ABORT, 'held'); END"), -1);
	assert_int_equal(bw_results_forget(results, &blur, put_id, &ids, &error), -1);
	assert_non_null(strstr(error.text, "held"));
	assert_int_equal(bw_results_count(results, NULL, NULL), 1);
	assert_int_equal(number(made, "SELECT count(*) FROM schedules"), 1);
	bw_text_free(&ids);
	bw_results_close(results);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, made_open, made_close)
	const struct CMUnitTest tests[] = {
		TEST(every_field_comes_back), TEST(nothing_is_stored_twice), TEST(all_or_nothing), TEST(newest_first_whatever_the_clock_does), TEST(filters), TEST(the_best), TEST(forgotten), TEST(forgotten_wholly_or_not_at_all),
		TEST(texts_by_the_beginning_of_their_hash), TEST(exports), TEST(table_fits), TEST(measurements_come_back), TEST(times),
		TEST(tables_are_brought_up_to_date), TEST(another_programs_file_is_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
