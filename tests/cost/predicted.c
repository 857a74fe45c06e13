/* The learned cost model against the costs that Halide 19's anderson2021 predicts for the schedules of tests/interop, under the weights that are built into
 * it. These are not part of beamwalk: BW_HALIDE_WEIGHTS names the file (baseline.weights of Halide's sources); where it is not set there is
 * nothing to compare. First from the features that Halide computed, then from the description and the loop nest alone; and what is found here by default against
 * what Halide finds where it leaves nothing out. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"
#include "cost/learned.h"
#include "schedule/schedule.h"
#include "search/search.h"

enum { PARALLELISM = 80, MOST_STAGES = 256 };

/* A stage as Halide's files have it. */
struct recorded {
	char func[128];
	int stage;
	double cost;
	struct bw_features features;
};

static struct bw_models models;
static int wrong; /* costs that are not as Halide's */

static const struct bw_cost_model *model_of(void)
{
	const char *path = getenv("BW_HALIDE_WEIGHTS");
	struct bw_error error = {0};
	if (!path || !*path)
		return NULL;
	const struct bw_cost_model *model = bw_models_read(&models, path, &error);
	if (!model)
		fail_msg("%s", error.text);
	return model;
}

/* The row of a name as the files have it: an operation, or an access as pointwise.func. */
static int row_of(const char *said)
{
	char name[160];
	const char *dot = strchr(said, '.');
	if (dot)
		snprintf(name, sizeof name, "%.*s_%s%s", (int)(dot - said), said, strcmp(dot, ".store") ? "load_" : "", dot + 1);
	else
		snprintf(name, sizeof name, "%s", said);
	for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++)
		if (!strcmp(bw_pipeline_feature_row(row), name))
			return row;
	return -1;
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("%s cannot be opened", path);
	return file;
}

static void read_schedule(char *line, float *features)
{
	for (int f = 0; f < BW_SCHEDULE_FEATURES; f++)
		features[f] = strtof(line, &line);
}

/* The stages of K.features; *total is the cost in all. */
static int read_costs(const char *path, struct recorded *stages, double *total)
{
	static char line[1 << 14];
	FILE *file = open_file(path);
	int n = 0;
	while (fgets(line, sizeof line, file)) {
		struct recorded *stage = &stages[n];
		if (sscanf(line, "stage %127s %d cost %lf", stage->func, &stage->stage, &stage->cost) == 3)
			n++;
		else if (*line == ' ' && n)
			read_schedule(line, stages[n - 1].features.schedule);
		else
			sscanf(line, "cost %lf", total);
		assert_true(n < MOST_STAGES);
	}
	fclose(file);
	return n;
}

static void read_algorithm(const char *folder, struct recorded *stages, int n)
{
	char line[4096], name[128];
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/pipeline.features", folder);
	FILE *file = open_file(bw_text_get(&path));
	struct recorded *here = NULL;
	int stage, at;
	while (fgets(line, sizeof line, file)) {
		if (sscanf(line, "stage %127s %d", name, &stage) == 2) {
			here = NULL;
			for (int i = 0; i < n; i++)
				if (!strcmp(stages[i].func, name) && stages[i].stage == stage)
					here = &stages[i];
		} else if (here && sscanf(line, " %127s%n", name, &at) == 1 && row_of(name) >= 0) {
			char *rest = line + at;
			for (int t = 0; t < BW_N_TYPES; t++)
				here->features.pipeline[row_of(name) * BW_N_TYPES + t] = strtof(rest, &rest);
		}
	}
	fclose(file);
	bw_text_free(&path);
}

/* Calls `check` for every schedule: the folder, the path of its features. */
static void each_schedule(void (*check)(const struct bw_cost_model *model, const char *folder, const char *path))
{
	const struct bw_cost_model *model = model_of();
	wrong = 0;
	struct bw_text pattern = {0};
	glob_t found;
	if (!model) {
		skip_because("BW_HALIDE_WEIGHTS names no weights");
		return;
	}
	bw_text_printf(&pattern, "%s/tests/interop/*/[0-9]*.features", getenv("BW_SRC"));
	assert_int_equal(glob(bw_text_get(&pattern), 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *folder = bw_strdup(found.gl_pathv[i]);
		*strrchr(folder, '/') = 0;
		check(model, folder, found.gl_pathv[i]);
		free(folder);
	}
	assert_int_equal(wrong, 0);
	globfree(&found);
	bw_text_free(&pattern);
	bw_models_free(&models);
}

/* Counts what is not within `most` of the schedule's cost. */
static void compare(const char *path, const char *what, double cost, double right, double total, double most)
{
	if (fabs(cost - right) <= most * total)
		return;
	print_error("%s: %s: %.9g, Halide says %.9g (of %.9g)\n", path, what, cost, right, total);
	wrong++;
}

static void check_features(const struct bw_cost_model *model, const char *folder, const char *path)
{
	struct recorded *stages = BW_NEW_ARRAY(struct recorded, MOST_STAGES);
	double total = 0, sum = 0;
	int n = read_costs(path, stages, &total);
	read_algorithm(folder, stages, n);
	assert_true(n > 0 && total > 0);
	for (int i = 0; i < n; i++) {
		struct bw_learned_cost cost;
		bw_learned_stage(model->learned, &stages[i].features, PARALLELISM, &cost);
		compare(path, stages[i].func, cost.cost, stages[i].cost, total, 1e-5);
		sum += cost.cost;
	}
	compare(path, "in all", sum, total, total, 1e-5);
	free(stages);
}

static void test_features(void **state)
{
	each_schedule(check_features);
}

/* The device of Halide 19's defaults. */
static struct bw_device device_of(void)
{
	struct bw_text path = {0};
	struct bw_error error = {0};
	int n;
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC"));
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n, &error);
	assert_non_null(devices);
	struct bw_device device = *bw_device_find(devices, n, "A100");
	device.sms = PARALLELISM;
	device.shared_per_block = 48 << 10;
	device.shared_per_sm = 96 << 10;
	device.blocks_per_sm = 32;
	device.warps_per_sm = 64;
	bw_text_free(&path);
	free(devices);
	return device;
}

static struct bw_pipeline *read_description(const char *path)
{
	struct bw_error error = {0};
	struct bw_pipeline *pipeline = bw_pipeline_read(path, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	return pipeline;
}

static struct bw_pipeline *read_pipeline(const char *folder)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/description.json", folder);
	struct bw_pipeline *pipeline = read_description(bw_text_get(&path));
	bw_text_free(&path);
	return pipeline;
}

/* Where features differ for a reason (tests/cost/features.c), costs do. */
static bool is_odd(const char *path)
{
	return strstr(path, "unsharp/5.") || strstr(path, "camera_pipe/2.");
}

static void check_nest(const struct bw_cost_model *model, const char *folder, const char *path)
{
	struct recorded *stages = BW_NEW_ARRAY(struct recorded, MOST_STAGES);
	struct bw_device device = device_of();
	struct bw_arena *arena = bw_arena_new();
	struct bw_error error = {0};
	struct bw_text file = {0};
	double total = 0;
	read_costs(path, stages, &total);
	struct bw_pipeline *pipeline = read_pipeline(folder);
	bw_text_append(&file, path, strlen(path) - strlen("features"));
	bw_text_puts(&file, "nest");
	struct bw_schedule *schedule = bw_schedule_read(pipeline, bw_text_get(&file), NULL, &error);
	struct bw_nest *nest = schedule ? bw_schedule_nest(pipeline, schedule, &error) : NULL;
	if (!nest)
		fail_msg("%s", error.text);
	double cost = bw_cost_of(model, nest, &device, arena).total;
	print_message("# %s: %.6g, Halide %.6g, %+.4f%%\n", bw_text_get(&file), cost, total, 100 * (cost / total - 1));
	compare(bw_text_get(&file), "in all", cost, total, total, is_odd(path) ? 0.05 : 1e-5);
	bw_nest_drop(nest);
	bw_schedule_drop(schedule);
	bw_pipeline_free(pipeline);
	bw_text_free(&file);
	bw_arena_free(arena);
	free(stages);
}

static void test_nests(void **state)
{
	each_schedule(check_nest);
}

enum { SEEDS = 5 };

static int by_cost(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The median cost of what searches with the default options and these seeds find. */
static double searched(const struct bw_cost_model *model, const struct bw_pipeline *pipeline, const struct bw_device *device)
{
	struct bw_settings options = bw_settings_default(device);
	double costs[SEEDS];
	options.model = model;
	for (int seed = 0; seed < SEEDS; seed++) {
		const struct bw_state *const *states;
		struct bw_error error = {0};
		options.seed = (uint64_t)seed;
		struct bw_search *search = bw_search_new(pipeline, &options, NULL);
		if (bw_search_advance(search, bw_search_n_decisions(search), NULL, &error) != BW_SEARCH_DONE)
			fail_msg("%s", error.text);
		bw_search_beam(search, bw_search_n_decisions(search), &states);
		costs[seed] = states[0]->cost;
		bw_search_free(search);
	}
	qsort(costs, SEEDS, sizeof *costs, by_cost);
	return costs[SEEDS / 2];
}

/* One pass that samples against five that do not: never more than 5% worse, and no worse over all pipelines (geometric mean). */
static void test_searches(void **state)
{
	const struct bw_cost_model *model = model_of();
	struct bw_device device = device_of();
	struct bw_text path = {0};
	char line[256], name[64], description[128];
	double halide, logs = 0;
	int n = 0;
	if (!model)
		skip_because("BW_HALIDE_WEIGHTS names no weights");
	bw_text_printf(&path, "%s/tests/interop/exhaustive", getenv("BW_SRC"));
	FILE *file = open_file(bw_text_get(&path));
	while (fgets(line, sizeof line, file)) {
		if (*line == '#' || sscanf(line, "%63s %lf %127s", name, &halide, description) != 3)
			continue;
		bw_text_clear(&path);
		bw_text_printf(&path, "%s/%s", getenv("BW_SRC"), description);
		struct bw_pipeline *pipeline = read_description(bw_text_get(&path));
		double cost = searched(model, pipeline, &device);
		print_message("# %s: %.6g, Halide %.6g, %.3f of it\n", name, cost, halide, cost / halide);
		assert_true(cost < 1.05 * halide);
		logs += log(cost / halide);
		n++;
		bw_pipeline_free(pipeline);
	}
	fclose(file);
	assert_int_equal(n, 9);
	print_message("# geometric mean %.4f\n", exp(logs / n));
	assert_true(exp(logs / n) <= 1);
	bw_text_free(&path);
	bw_models_free(&models);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_features), cmocka_unit_test(test_nests), cmocka_unit_test(test_searches)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
