/* The threads that the features count against those that are launched: in schedules drawn at random for each bundled pipeline, the warps of a block that the
 * learned model reads of each stage are those of the block that Halide launches (tests/halide/launches sees that the nest predicts these). */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/arith.h"
#include "base/mem.h"
#include "cost/features.h"
#include "schedule/schedule.h"
#include "schedulers/scheduler.h"

static struct bw_device *devices;
static int n_kernels, n_wrong;

static void check_stage(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel, int func, int stage, const struct bw_features *features, uint64_t seed)
{
	int64_t warps = bw_div_up(kernel->n_threads, (int64_t)devices->warp_size);
	double counted = features[pipeline->funcs[func].first_stage + stage].schedule[BW_FEATURE_num_warps_per_block];
	if ((double)warps == counted)
		return;
	printf("# %s, seed %" PRIu64 ", kernel of %s: %" PRId64 " x %" PRId64 " x %" PRId64 " threads are %" PRId64 " warps; features of %s: %g\n", pipeline->name, seed,
	       pipeline->funcs[kernel->func].name, kernel->threads[0], kernel->threads[1], kernel->threads[2], warps, pipeline->funcs[func].name, counted);
	n_wrong++;
}

static void check_kernels(const struct bw_pipeline *pipeline, const struct bw_nest *nest, uint64_t seed)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_feature_limits limits = bw_feature_limits_of(devices);
	const struct bw_features *features = bw_nest_features(nest, &limits, arena);
	int n;
	const struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n);
	for (int k = 0; k < n; k++) {
		check_stage(pipeline, &kernels[k], kernels[k].func, kernels[k].stage, features, seed);
		for (int m = 0; m < kernels[k].n_members; m++)
			for (int s = 0; s < pipeline->funcs[kernels[k].members[m]].n_stages; s++)
				check_stage(pipeline, &kernels[k], kernels[k].members[m], s, features, seed);
	}
	n_kernels += n;
	bw_arena_free(arena);
}

static void check_pipeline(const char *path, int seeds)
{
	struct bw_error error = {0};
	struct bw_pipeline *pipeline = bw_pipeline_read(path, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	struct bw_settings options = bw_settings_default(devices);
	options.random = options.beam = 1;
	for (options.seed = 0; options.seed < (uint64_t)seeds; options.seed++) {
		struct bw_batch batch;
		if (!bw_batch_run(pipeline, &options, NULL, &batch, &error))
			fail_msg("%s", error.text);
		struct bw_nest *nest = bw_nest_build(pipeline, batch.schedule->placements, pipeline->n_funcs, &error);
		if (!nest)
			fail_msg("%s", error.text);
		check_kernels(pipeline, nest, options.seed);
		bw_nest_drop(nest);
		bw_batch_free(&batch);
	}
	bw_pipeline_free(pipeline);
}

static void warps_are_those_launched(void **state)
{
	char pattern[4096];
	glob_t paths;
	const char *seeds = getenv("BW_SEEDS");
	snprintf(pattern, sizeof pattern, "%s/data/descriptions/*.json", getenv("BW_SRC"));
	assert_int_equal(glob(pattern, 0, NULL, &paths), 0);
	for (size_t i = 0; i < paths.gl_pathc; i++)
		check_pipeline(paths.gl_pathv[i], seeds ? atoi(seeds) : 8);
	globfree(&paths);
	printf("# %d kernels, %d stages with other warps than their kernel\n", n_kernels, n_wrong);
	assert_true(n_kernels > 500);
	assert_int_equal(n_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(warps_are_those_launched)};
	devices = bundled_devices(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(devices);
	return failed;
}
