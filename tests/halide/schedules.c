/* Each feature of Halide pipelines that the plugin can describe: a fixture (generators/NAME.cpp) is described, the description
 * compared with numbers worked out by hand, and schedules written by hand are applied, compiled for OpenCL, run, and their output
 * compared with that of a plain CPU schedule. What is expected stands in cases/NAME.json:
 *   "expect"     part of the description; inputs, funcs and parameters by name. What is not mentioned may be anything
 *   "schedules"  lists of directives, Funcs by name
 *   "absolute"   bound of error, for floats */
#include <dirent.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/process.h"
#include "bench/bench.h"
#include "pipeline/pipeline.h"

enum { MOST_CASES = 64 };

static char bench[4096], cache[4096], fixtures[4096], cases_directory[4096];
static struct bw_places places = {NULL, bench, cache, "cc", NULL};
static const struct bw_patience patience = {300, NULL};
static const struct bw_device pocl = {.name = "PoCL", .target = "opencl", .api = BW_API_OPENCL, .cpu = true};

static void path_in(char *path, const char *directory, const char *name)
{
	const char *base = getenv(directory);
	if (!base)
		fail_msg("%s is not set", directory);
	snprintf(path, 4096, "%s/%s", base, name);
}

static int open_all(void **state)
{
	(void)state;
	places.plugins = bw_plugins_find(getenv("BW_BUILD"));
	path_in(bench, "BW_BUILD", "beamwalk-bench");
	path_in(cache, "BW_BUILD", "tests/cache");
	path_in(fixtures, "BW_BUILD", "tests/halide/fixtures");
	path_in(cases_directory, "BW_SRC", "tests/halide/cases");
	return 0;
}

static void remove_directory(const char *path)
{
	const char *const argv[] = {"rm", "-rf", path, NULL};
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){.argv = argv}, &patience, &outcome);
	bw_outcome_free(&outcome);
}

/* The element of an array of objects whose "name" it is. */
static json_t *named(json_t *array, const char *name)
{
	size_t i;
	json_t *element;
	json_array_foreach(array, i, element)
		if (strcmp(json_string_value(json_object_get(element, "name")), name) == 0)
			return element;
	return NULL;
}

/* Fails unless what is expected stands in what was found. Objects may hold more than is expected; arrays may not, but an
 * object may be expected of an array of named things. */
static void compare(const char *way, json_t *expected, json_t *found)
{
	char inner[1024];
	const char *key;
	size_t i;
	json_t *part;
	if (!found)
		fail_msg("%s: is not there", way);
	if (json_is_object(expected)) {
		json_object_foreach(expected, key, part) {
			snprintf(inner, sizeof inner, "%s.%s", way, key);
			json_t *member = json_is_array(found) ? named(found, key) : json_object_get(found, key);
			if (json_is_false(part) && !member)
				continue;
			compare(inner, part, member);
		}
		return;
	}
	if (json_is_array(expected) && json_array_size(expected) == json_array_size(found)) {
		json_array_foreach(expected, i, part) {
			snprintf(inner, sizeof inner, "%s[%zu]", way, i);
			compare(inner, part, json_array_get(found, i));
		}
		return;
	}
	if (!json_equal(expected, found)) {
		char *want = json_dumps(expected, JSON_ENCODE_ANY | JSON_COMPACT), *got = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT);
		fail_msg("%s: expected %s, found %s", way, want, got);
	}
}

/* Puts handles in the place of names. An index stays, for a Func that a directive makes. */
static void resolve(const char *name, json_t *directives, json_t *funcs)
{
	size_t i;
	json_t *directive;
	json_array_foreach(directives, i, directive)
		for (int k = 0; k < 2; k++) {
			const char *key = k ? "at_func" : "func";
			json_t *value = json_object_get(directive, key);
			if (!json_is_string(value))
				continue;
			json_t *func = named(funcs, json_string_value(value));
			if (!func)
				fail_msg("%s: no Func %s", name, json_string_value(value));
			json_object_set(directive, key, json_object_get(func, "handle"));
		}
}

/* A case while it is tested. */
struct tested {
	const char *name;
	json_t *file, *description;
	struct bw_generator generator;
};

/* The directives of a list, read by the core. */
static struct bw_directives *directives_of(const struct tested *tested, json_t *list)
{
	struct bw_error error;
	json_t *copy = json_deep_copy(list);
	resolve(tested->name, copy, json_object_get(tested->description, "funcs"));
	char *text = json_dumps(copy, 0);
	struct bw_json *json = bw_json_parse(tested->name, text, strlen(text), &error);
	struct bw_json_at root = bw_json_root(json);
	struct bw_directives *directives = bw_directives_read(&root, &error);
	if (!directives)
		fail_msg("%s: %s", tested->name, error.text);
	bw_json_free(json);
	free(text);
	json_decref(copy);
	return directives;
}

static void run(const struct tested *tested, json_t *list, size_t number)
{
	struct bw_directives *directives = directives_of(tested, list);
	struct bw_job_request request = {.generator = &tested->generator, .places = &places, .directives = directives, .device = &pocl, .seed = 1, .seconds = 0.01, .limit = 300, .bench = bw_bench_new(&places, NULL, 0)};
	struct bw_measurement measurement;
	struct bw_error error;
	json_t *bound = json_object_get(tested->file, "absolute");
	request.bound.absolute = bound ? json_number_value(bound) : 0;
	struct bw_job *job = bw_job_start(&request);
	enum bw_job_phase phase;
	while ((phase = bw_job_poll(job, &measurement, &error)) < BW_JOB_DONE)
		poll(&(struct pollfd){bw_job_fd(job), POLLIN, 0}, 1, -1);
	if (phase != BW_JOB_DONE)
		fail_msg("%s: schedule %zu: %s", tested->name, number, error.text);
	if (measurement.verdict != BW_RIGHT && measurement.verdict != BW_RIGHT_WITHIN_BOUND)
		fail_msg("%s: schedule %zu is %s: %s", tested->name, number, bw_verdict_name(measurement.verdict), measurement.where);
	bw_job_free(job);
	bw_bench_drop(request.bench);
	bw_directives_free(directives);
}

/* Describes in two fresh processes: both give the same bytes, the core reads them, and they are as expected. */
static void describe(struct tested *tested)
{
	char empty[] = "/tmp/bw-halide-test.XXXXXX";
	assert_non_null(mkdtemp(empty));
	struct bw_places elsewhere = places;
	elsewhere.cache = empty;
	struct bw_text first = {0}, second = {0};
	struct bw_error error;
	if (!bw_generator_describe(&tested->generator, &places, &patience, &first, &error) || !bw_generator_describe(&tested->generator, &elsewhere, &patience, &second, &error))
		fail_msg("%s: %s", tested->name, error.text);
	assert_string_equal(first.bytes, second.bytes);
	remove_directory(empty);
	struct bw_pipeline *pipeline = bw_pipeline_parse(tested->name, first.bytes, first.length, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	bw_pipeline_free(pipeline);
	tested->description = json_loads(first.bytes, 0, NULL);
	compare(tested->name, json_object_get(tested->file, "expect"), tested->description);
	bw_text_free(&first);
	bw_text_free(&second);
}

static void test_case(void **state)
{
	struct tested tested = {.name = *state};
	char path[8192];
	json_error_t problem;
	snprintf(path, sizeof path, "%s/%s.json", cases_directory, tested.name);
	tested.file = json_load_file(path, 0, &problem);
	if (!tested.file)
		fail_msg("%s:%d: %s", path, problem.line, problem.text);
	tested.generator.path = fixtures;
	tested.generator.name = tested.name;
	describe(&tested);
	size_t i;
	json_t *list;
	json_array_foreach(json_object_get(tested.file, "schedules"), i, list)
		run(&tested, list, i);
	json_decref(tested.description);
	json_decref(tested.file);
}

/* What cannot be described is one line that names the Func or input, the dimension and the mend. */
static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *argument, *estimate;
		const char *parts[4];
	} wrong[] = {
		{"kind=no_input", NULL, {NULL}},
		{"kind=no_output", NULL, {"no estimate of output.y;", " --estimate output.y=0,1024 ", "set_estimates in the generator"}},
		{"kind=no_scalar", NULL, {"no estimate of offset;", " --estimate offset=1 "}},
		{"kind=scheduled", NULL, {NULL}},
		{"kind=no_input", "input._1=0,32", {NULL}},
		{"kind=no_input", "input.y=0,32", {NULL}},
		{"kind=no_output", "output.y=0,32", {NULL}},
		{"kind=no_scalar", "offset=4", {NULL}},
		{"kind=fine", NULL, {NULL}},
	};
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct bw_generator generator = {fixtures, "errors", &wrong[k].argument, 1, &wrong[k].estimate, wrong[k].estimate != NULL, NULL, NULL, NULL};
		struct bw_text text = {0};
		struct bw_error error = {0};
		bool good = bw_generator_describe(&generator, &places, &patience, &text, &error);
		if (good != !wrong[k].parts[0])
			fail_msg("%s: %s", wrong[k].argument, good ? "was described" : error.text);
		for (int p = 0; p < 4 && wrong[k].parts[p]; p++)
			if (!strstr(error.text, wrong[k].parts[p]))
				fail_msg("%s: no '%s' in: %s", wrong[k].argument, wrong[k].parts[p], error.text);
		bw_text_free(&text);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

int main(void)
{
	struct CMUnitTest tests[MOST_CASES] = {cmocka_unit_test(errors)};
	int n = 1;
	open_all(NULL);
	DIR *directory = opendir(cases_directory);
	for (struct dirent *entry; directory && n < MOST_CASES && (entry = readdir(directory));) {
		size_t length = strlen(entry->d_name);
		if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0)
			continue;
		char *name = bw_strdup(entry->d_name);
		name[length - 5] = 0;
		tests[n++] = (struct CMUnitTest){name, test_case, NULL, NULL, name};
	}
	if (!directory || n < 2) {
		fprintf(stderr, "%s: no cases\n", cases_directory);
		return 1;
	}
	closedir(directory);
	qsort(tests + 1, (size_t)n - 1, sizeof *tests, by_name);
	return _cmocka_run_group_tests("halide schedules", tests, (size_t)n, NULL, NULL);
}
