/* The cost model dp on schedules of section 3's blur, worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "cost/jangda.h"
#include "cost/cost.h"

/* blurx in x, then blury in x, in floats of 4096x4096. */
static const char blur[] = DESCRIPTION(
    INPUT("img", "float32", XY, "[0,4098],[0,4096]"),
    FUNC_XY("blurx", "0", "float32", "'add':{'float32':2}", READ("img", SPAN("x", "0", "2") "," SAME("y"), "3", EYE2), "") ","
    FUNC_XY("blury", "1", "float32", "'add':{'float32':2}", READ("blurx", SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2),
	    OUTPUT("[0,4096],[0,4096]")));

static void assert_terms(const struct bw_stage_cost *stage, const double *terms)
{
	double sum = 0;
	for (int t = 0; t < BW_JANGDA_TERMS; t++) {
		if (fabs(stage->terms[t] - terms[t]) > 1e-9 * fabs(terms[t]) + 1e-12)
			fail_msg("term %d: %.15g is not %.15g", t, stage->terms[t], terms[t]);
		sum += terms[t];
	}
	assert_true(fabs(stage->ms - sum) < 1e-9 * sum);
}

/* Returns the cost of a schedule of the blur on the V100. */
static struct bw_cost cost_of(const char *const *entries, struct bw_arena *arena, struct bw_device *device)
{
	int n;
	struct bw_device *devices = bundled_devices(&n);
	struct bw_pipeline *pipeline = description_read(blur);
	*device = *bw_device_find(devices, n, "V100");
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_cost cost = bw_cost_of(&bw_jangda_model, nest, device, arena);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
	free(devices);
	return cost;
}

/* w3 for transactions of 128 bytes by a warp, and points of 2 operations and 3 loads computed meanwhile by a thread. */
static double waiting(const struct bw_device *device, double transactions, double points)
{
	double bandwidth = device->global_bandwidth * 32 / (device->float_rate / device->clock);
	return 60 * (128 * transactions / bandwidth) / (points * (4 * 5 + 24) / device->clock);
}

/* Two kernels of 128 threads. A warp's 34 floats of img are 2 transactions, those of blurx, too. 12 registers, no shared memory: 16 blocks of
 * 4 warps fill an SM. 131072 blocks are 1638 for each SM, 6 more than rounds of the 32 that fit without shared memory. */
static void alone(void **state)
{
	struct bw_device device;
	struct bw_arena *arena = bw_arena_new();
	static const char *const entries[] = {"blury root 1x1/32x4", "blurx root 1x1/32x4", NULL};
	struct bw_cost cost = cost_of(entries, arena, &device);
	double unused = 2 * (1 - 12.0 * 2048 / 65536);
	const double second[] = {100, 0, waiting(&device, 2, 1), 10, unused, 0, 6};
	assert_terms(&cost.stages[1], second);
	/* blurx is 4098 wide: 129 blocks of 32 in a row, 132096 in all, 1651 for each SM. */
	const double first[] = {100, 0, waiting(&device, 2, 1), 10, unused, 0, 1651 % 32};
	assert_terms(&cost.stages[0], first);
	bw_arena_free(arena);
}

/* One kernel: a block computes 34x4 points of blurx, 544 bytes, for its 32x4. So a warp's point takes 34/32 of blurx's transactions; 128 * 34
 * points a row are 254 more than the 4098 needed. Halide's block has 34x4 threads, 5 warps, and 24 registers; 32 blocks of it fit, 12 by warps. */
static void fused(void **state)
{
	struct bw_device device;
	struct bw_arena *arena = bw_arena_new();
	static const char *const entries[] = {"blury root 1x1/32x4", "blurx at blury.block", NULL};
	struct bw_cost cost = cost_of(entries, arena, &device);
	assert_true(cost.stages[0].ms == 0 && cost.stages[0].placed);
	const double terms[] = {100.0 * 34 / 32,
				0,
				waiting(&device, 2 * 34.0 / 32, 1 + 34.0 / 32),
				10 * (1 - 544.0 * 32 / 98304),
				2 * (1 - 24.0 * 2048 / 65536),
				100 * 254.0 / 4096,
				6};
	assert_terms(&cost.stages[1], terms);
	bw_arena_free(arena);
}

/* 16 rows of 1026 floats are more than the 48 KiB of a block: a term of its own, far above. */
static void refused(void **state)
{
	struct bw_device device;
	struct bw_arena *arena = bw_arena_new();
	static const char *const entries[] = {"blury root 32x4/32x4", "blurx at blury.block 32x4", NULL};
	struct bw_cost cost = cost_of(entries, arena, &device);
	assert_true(cost.total == 1e6 && cost.stages[1].terms[BW_JANGDA_TERMS] == 1e6 && cost.stages[1].terms[0] == 0);
	assert_int_equal(cost.stages[1].bound, BW_JANGDA_TERMS);
	assert_ptr_equal(bw_cost_models_find("dp"), &bw_jangda_model);
	bw_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(fused),
		cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
