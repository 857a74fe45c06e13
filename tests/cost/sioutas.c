/* The cost model of Sioutas et al. 2020: occupancies of section 3, and kernels worked out by hand with listing 1. */
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "cost/cost.h"
#include "cost/sioutas.h"

/* "On a GPU of 7.5 CC, if our kernel requires 64 registers, 2,048 bytes of shared memory usage, and 512 threads per block, we would get a
 * 100% occupancy of each SM": two blocks of 16 warps fill its 32. With 384 threads two blocks are 24 warps, since a third has no room. */
static void occupancy(void **state)
{
	static const struct {
		double threads, bytes, tiles, occupancy, active, sms;
		int registers;
	} table[] = {
		{512, 2048, 10272, 1, 1024, 68, 64}, {384, 2048, 10272, 0.75, 768, 68, 64}, {512, 2048, 12, 1, 1024, 12, 64},
		/* Three blocks of 20 KiB fit into the 64 KiB of an SM. */
		{128, 20480, 1000, 12 / 32.0, 384, 68, 64},
		/* Half a warp is active. */
		{16, 0, 1000, 0.5, 256, 68, 64},
	};
	int n;
	struct bw_device *devices = bundled_devices(&n);
	const struct bw_device *turing = bw_device_find(devices, n, "RTX2080Ti");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_sioutas_use use = bw_sioutas_use(turing, table[i].threads, table[i].bytes, table[i].tiles);
		assert_int_equal(use.registers, table[i].registers);
		assert_true(use.occupancy == table[i].occupancy);
		assert_true(use.active_threads == table[i].active);
		assert_true(use.active_sms == table[i].sms);
	}
	free(devices);
}

/* At most 64 bytes are consecutive. */
static void consecutive(void **state)
{
	struct bw_func words = {.bytes = 4, .n_values = 1}, pairs = {.bytes = 2, .n_values = 2};
	assert_true(bw_sioutas_consecutive(&words, 34) == 16);
	assert_true(bw_sioutas_consecutive(&words, 6) == 6);
	assert_true(bw_sioutas_consecutive(&words, 0) == 1);
	assert_true(bw_sioutas_consecutive(&pairs, 100) == 64);
}

static struct bw_cost cost_of(const struct bw_pipeline *pipeline, const struct bw_device *device, const char *const *entries,
			      struct bw_arena *arena)
{
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_cost cost = bw_cost_of(&bw_sioutas_model, nest, device, arena);
	bw_nest_drop(nest);
	return cost;
}

/* The group of figure 4: Z in 48 x 214 tiles of 32x12, W of 32x16 points in shared memory, K in its threads. A point of W has 5
 * operations, its own 4 and the 1 of H, one of K has 6. W loads one value of the input for H and each of K three, at 200 operations over 16
 * consecutive ones; a point of Z five of W, at 1 each. */
static void figure_4(void **state)
{
	int n;
	struct bw_device *devices = bundled_devices(&n);
	const struct bw_device *turing = bw_device_find(devices, n, "RTX2080Ti");
	struct bw_pipeline *pipeline = bundled_pipeline("kwz");
	struct bw_arena *arena = bw_arena_new();
	static const char *const entries[] = {"output root 1x1/32x12", "W at output.block 1x1", "K at W.thread", "H inline", "input_im inline", NULL};
	struct bw_cost cost = cost_of(pipeline, turing, entries, arena);
	const struct bw_stage_cost *z = &cost.stages[pipeline->funcs[bw_pipeline_find(pipeline, "output")].first_stage],
				   *w = &cost.stages[pipeline->funcs[bw_pipeline_find(pipeline, "W")].first_stage],
				   *k = &cost.stages[pipeline->funcs[bw_pipeline_find(pipeline, "K")].first_stage];
	double tiles = 48 * 214;
	assert_true(w->points == tiles * 512 && z->points == tiles * 384 && k->points == tiles * 1536);
	/* The least occupancy and active threads are those of Z, whose 384 threads leave a quarter of the SM's warps free. */
	double part = 0.75 * 768;
	assert_true(w->operations == 4 + 1 && k->operations == 6 && z->operations == 8);
	assert_float_equal(w->terms[0], tiles * 512 * 5 / 1024, 1);
	assert_float_equal(k->terms[0], tiles * 1536 * 6 / 1024, 1);
	assert_float_equal(z->terms[0], tiles * 384 * 8 / part, 1);
	assert_float_equal(w->terms[1], tiles * 512 * 200 / 16 / part, 1);
	assert_float_equal(k->terms[1], tiles * 1536 * 3 * 200 / 16 / part, 1);
	assert_float_equal(z->terms[1], tiles * 384 * 5 / part, 1);
	assert_float_equal(cost.total, z->ms + w->ms + k->ms, 1);
	bw_arena_free(arena);
	bw_pipeline_free(pipeline);
	free(devices);
}

/* What the rules refuse has no cost in the paper: it stands in a term of its own, far above. */
static void refused(void **state)
{
	int n;
	struct bw_device *devices = bundled_devices(&n);
	const struct bw_device *turing = bw_device_find(devices, n, "RTX2080Ti");
	struct bw_pipeline *pipeline = bundled_pipeline("kwz");
	static const struct {
		const char *output;
		bool valid;
	} table[] = {
		{"output root 1x1/32x8", true},
		{"output root 1x1/30x9", false},    /* 270 threads are no whole warps */
		{"output root 48x1/32x160", false}, /* too many threads; and 16 blocks for 68 SMs */
		{"output root 48x10/32x8", false},  /* 32 blocks */
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const char *entries[] = {table[i].output, "W inline", "K inline", "H inline", "input_im inline", NULL};
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(pipeline, turing, entries, arena);
		const struct bw_stage_cost *z = &cost.stages[pipeline->n_stages - 1];
		assert_int_equal(z->terms[2] == 0, table[i].valid);
		assert_int_equal(z->terms[0] > 0 && z->terms[1] > 0, table[i].valid);
		bw_arena_free(arena);
	}
	assert_ptr_equal(bw_cost_models_find("sioutas"), &bw_sioutas_model);
	bw_pipeline_free(pipeline);
	free(devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(occupancy),
		cmocka_unit_test(consecutive),
		cmocka_unit_test(figure_4),
		cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
