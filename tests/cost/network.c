/* The learned cost model: its curves against the C library's, its components and layers against numbers worked out by hand. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../core/test.h"
#include "base/hash.h"
#include "cost/network.h"

static void test_curves(void **state)
{
	enum { N = 4000 };
	static float x[N];
	static double log[N];
	uint64_t bits = 0;
	for (int i = 0; i < N; i++)
		x[i] = i < 2000 ? (float)i / 16 : (float)i * (float)i * (float)i * 1e4f;
	bw_curve_log1p(x, N, log);
	for (int i = 0; i < N; i++) {
		double right = (double)logf(1 + x[i]);
		if (fabs(log[i] - right) > 3e-7 * (1 + right))
			fail_msg("log1p(%g) is %.9g, not %.9g", (double)x[i], log[i], right);
	}
	for (int i = 0; i < N; i++) {
		double at = (i - N / 2) / 32.0, value = bw_curve_exp(at), right = exp(at);
		if (fabs(value - right) > 4e-15 * right * (1 + fabs(at) / 8))
			fail_msg("exp(%g) is %.17g, not %.17g", at, value, right);
		bits = bw_hash_bytes(bits, &value, sizeof value);
	}
	assert_true(bw_curve_exp(-1e9) == 0);
	assert_true(isfinite(bw_curve_exp(1e9)));
	assert_true(bw_curve_sigmoid(0) == 0.5);
	bits = bw_hash_bytes(bits, log, sizeof log);
	/* The same on every CPU, and with every compiler. */
	if (bits != UINT64_C(0xe97467b9d0782a5a))
		fail_msg("the curves' bits are %016" PRIx64, bits);
}

/* Features that are all 0 but for some. */
struct given {
	enum bw_schedule_feature feature;
	float value;
};
static void fill(float features[BW_SCHEDULE_FEATURES], const struct given *given, size_t n)
{
	memset(features, 0, BW_SCHEDULE_FEATURES * sizeof *features);
	for (size_t i = 0; i < n; i++)
		features[given[i].feature] = given[i].value;
}

/* 12 x 5 tasks on 40 SMs: 1.5 a SM, so that idle SMs cost 2 / 1.5; a fifth of the lanes idle. 20 blocks of 64 threads: 1280. */
static const struct given given[] = {
	{BW_FEATURE_num_realizations, 3}, {BW_FEATURE_num_productions, 7}, {BW_FEATURE_points_computed_per_thread, 2}, {BW_FEATURE_inner_parallelism, 12}, {BW_FEATURE_outer_parallelism, 5},
	{BW_FEATURE_unique_global_bytes_read_per_realization, 11}, {BW_FEATURE_unique_shared_bytes_read_per_realization, 13}, {BW_FEATURE_unique_register_bytes_read_per_realization, 17},
	{BW_FEATURE_unique_global_lines_read_per_realization, 19}, {BW_FEATURE_unique_shared_lines_read_per_realization, 23}, {BW_FEATURE_unique_register_lines_read_per_realization, 29},
	{BW_FEATURE_unique_global_bytes_read_per_thread, 31}, {BW_FEATURE_unique_shared_bytes_read_per_thread, 37}, {BW_FEATURE_unique_register_bytes_read_per_thread, 41},
	{BW_FEATURE_unique_global_lines_read_per_thread, 43}, {BW_FEATURE_unique_shared_lines_read_per_thread, 47}, {BW_FEATURE_unique_register_lines_read_per_thread, 53},
	{BW_FEATURE_working_set, 59}, {BW_FEATURE_num_scalars, 600}, {BW_FEATURE_global_innermost_bytes_at_task, 40}, {BW_FEATURE_unique_bytes_read_per_point, 61},
	{BW_FEATURE_unique_lines_read_per_point, 67}, {BW_FEATURE_unique_bytes_read_per_task, 71}, {BW_FEATURE_unique_lines_read_per_task, 73}, {BW_FEATURE_num_blocks, 20},
	{BW_FEATURE_idle_lane_wastage, 0.25f}, {BW_FEATURE_num_shared_mem_loads_per_block, 79}, {BW_FEATURE_num_global_mem_loads_per_block, 83}, {BW_FEATURE_num_shared_mem_stores_per_block, 89},
	{BW_FEATURE_num_global_mem_stores_per_block, 97}, {BW_FEATURE_global_mem_store_efficiency, 0.25f}, {BW_FEATURE_global_mem_load_efficiency, 0.5f},
	{BW_FEATURE_shared_mem_load_efficiency, 0.125f}, {BW_FEATURE_num_threads_per_block, 64}, {BW_FEATURE_expr_branching, 5},
};
/* The factors of these, by hand, with the coefficient of each: of a stage that is computed, and of one that is inlined where that is another. */
static const struct {
	enum bw_component component;
	int coefficient;
	double direct, inlined;
} factors[] = {
	{BW_COMPONENT_SCALARS, 1, 600 * (4.0 / 3) / 0.75, 0}, {BW_COMPONENT_INLINED_SCALARS, 3, 0, 800}, {BW_COMPONENT_POINTS, 19, 2560 * (4.0 / 3) / 0.75, 0},
	{BW_COMPONENT_INLINED_POINTS, 4, 0, 2560 * (4.0 / 3)}, {BW_COMPONENT_GLOBAL_LINES, 5, 57, 57}, {BW_COMPONENT_SHARED_LINES, 16, 69, 69}, {BW_COMPONENT_REGISTER_LINES, 8, 87, 87},
	{BW_COMPONENT_GLOBAL_BYTES, 6, 33, 33}, {BW_COMPONENT_SHARED_BYTES, 20, 39, 39}, {BW_COMPONENT_REGISTER_BYTES, 7, 51, 51}, {BW_COMPONENT_THREAD_GLOBAL_LINES, 18, 55040, 55040},
	{BW_COMPONENT_THREAD_SHARED_LINES, 17, 60160, 60160}, {BW_COMPONENT_THREAD_REGISTER_LINES, 2, 67840, 67840}, {BW_COMPONENT_THREAD_GLOBAL_BYTES, 13, 39680, 39680},
	{BW_COMPONENT_THREAD_SHARED_BYTES, 11, 47360, 47360}, {BW_COMPONENT_THREAD_REGISTER_BYTES, 0, 52480, 52480}, {BW_COMPONENT_POINT_BYTES, 10, 36600, 36600},
	{BW_COMPONENT_POINT_LINES, 12, 40200, 40200}, {BW_COMPONENT_TASK_BYTES, 14, 4260, 4260}, {BW_COMPONENT_TASK_LINES, 15, 4380, 4380}, {BW_COMPONENT_GLOBAL_LOADS, 28, 3320, 1660},
	{BW_COMPONENT_SHARED_LOADS, 27, 1580, 1580}, {BW_COMPONENT_SHARED_STORES, 29, 1780, 1780}, {BW_COMPONENT_GLOBAL_STORES, 21, 7760, 1940}, {BW_COMPONENT_FALSE_SHARING, 22, 15, 15},
	{BW_COMPONENT_ALLOCATIONS, 24, 3, 3}, {BW_COMPONENT_LAUNCHES, 25, 7, 7}, {BW_COMPONENT_TASKS, 26, 77, 77}, {BW_COMPONENT_WORKING_SET, 9, 59, 59},
};
enum { N_FACTORS = sizeof factors / sizeof *factors };

static void assert_near(const char *what, double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
		fail_msg("%s is %.17g, expected %.17g", what, value, expected);
}

static void test_components(void **state)
{
	float features[BW_SCHEDULE_FEATURES];
	double found[BW_N_COMPONENTS];
	assert_int_equal(N_FACTORS, BW_N_COMPONENTS);
	for (int inlined = 0; inlined < 2; inlined++) {
		fill(features, given, sizeof given / sizeof *given);
		features[BW_FEATURE_inlined_calls] = inlined ? 9 : 0;
		bw_component_factors(features, 40, found);
		for (int i = 0; i < N_FACTORS; i++) {
			const struct bw_component_info *info = bw_component_info(factors[i].component);
			assert_near(info->key, found[factors[i].component], inlined ? factors[i].inlined : factors[i].direct);
			assert_int_equal(info->coefficient, factors[i].coefficient);
		}
	}
}

/* Nothing that a schedule can be makes a cost that is no number. */
static void test_extremes(void **state)
{
	static const struct given nothing[] = {{BW_FEATURE_num_scalars, 1}};
	static const struct given worst[] = {{BW_FEATURE_idle_lane_wastage, 1}, {BW_FEATURE_num_global_mem_loads_per_block, 3}, {BW_FEATURE_num_scalars, 1e14f}, {BW_FEATURE_num_blocks, 1e9f}};
	float features[BW_SCHEDULE_FEATURES];
	double found[BW_N_COMPONENTS];
	for (int i = 0; i < 2; i++) {
		fill(features, i ? worst : nothing, i ? 4 : 1);
		bw_component_factors(features, 40, found);
		for (int t = 0; t < BW_N_COMPONENTS; t++)
			assert_true(isfinite(found[t]));
	}
	/* The last case: no block counts as one. */
	fill(features, (const struct given[]){{BW_FEATURE_num_shared_mem_loads_per_block, 3}, {BW_FEATURE_inner_parallelism, 1}, {BW_FEATURE_num_productions, 5}}, 3);
	bw_component_factors(features, 40, found);
	assert_near("loads", found[BW_COMPONENT_SHARED_LOADS], 3);
	assert_near("launches", found[BW_COMPONENT_LAUNCHES], 0);
	assert_near("tasks", found[BW_COMPONENT_TASKS], 0);
}

/* Weights of which all but some are 0: then half of every feature of the algorithm goes to each channel of the first head. */
static void test_layers(void **state)
{
	static struct bw_weights weights;
	static struct bw_parameters parameters;
	static struct bw_network network;
	static float algorithm[BW_PIPELINE_FEATURES];
	float schedule[BW_SCHEDULE_FEATURES] = {0};
	struct bw_embedding embedding;
	struct bw_activations activations;
	memset(&weights, 0, sizeof weights);
	/* Channel 2 takes all of feature (row 3, type 1), and little of (row 1, type 3). */
	weights.by.head1_filter[2 + 8 * (3 + 40 * 1)] = 100;
	weights.by.head1_filter[2 + 8 * (1 + 40 * 3)] = -100;
	weights.by.head1_bias[2] = 0.5f;
	weights.by.head2_filter[4 + 24 * BW_FEATURE_num_blocks] = 2;
	weights.by.head2_filter[5 + 24 * BW_FEATURE_num_blocks] = -2;
	weights.by.head2_bias[4] = 1;
	weights.by.conv1_filter[7 + 32 * 2] = 3;         /* coefficient 7 from the algorithm's channel 2 */
	weights.by.conv1_filter[7 + 32 * (8 + 4)] = 5;   /* and from the schedule's channel 4 */
	weights.by.conv1_filter[9 + 32 * (8 + 4)] = -5;
	weights.by.conv1_filter[10 + 32 * (8 + 5)] = 1;
	weights.by.conv1_bias[7] = 0.25f;
	algorithm[3 * BW_N_TYPES + 1] = 10;
	algorithm[1 * BW_N_TYPES + 3] = 20;
	algorithm[5] = 4;
	schedule[BW_FEATURE_num_blocks] = 7;
	bw_parameters_of(&weights, &parameters);
	bw_network_prepare(&network, &parameters);
	bw_network_embed(&network, algorithm, &embedding);
	bw_network_run(&network, &embedding, schedule, &activations);
	assert_near("head 1", embedding.head1[2], 0.5 + 10 + 2);
	assert_near("head 1, another channel", embedding.head1[3], 5 + 10 + 2);
	double log8 = 3 * log(2);
	assert_true(fabs(activations.head2[4] - (1 + 2 * log8)) < 1e-6);
	assert_true(fabs(activations.head2[5] + 2e-10 * log8) < 1e-15);
	assert_true(fabs(activations.coefficients[7] - (0.25 + 3 * 12.5 + 5 * (1 + 2 * log8))) < 1e-5);
	assert_true(fabs(activations.coefficients[9] + 5e-10 * (1 + 2 * log8)) < 1e-14);
	assert_true(activations.coefficients[10] < 0 && activations.coefficients[10] > -1e-18);
}

static void test_costs(void **state)
{
	enum { N = 3 };
	static struct bw_weights weights;
	static struct bw_parameters parameters;
	static struct bw_network network;
	static float algorithm[BW_PIPELINE_FEATURES];
	float schedule[N][BW_SCHEDULE_FEATURES];
	struct bw_embedding embedding;
	double costs[N];
	bw_weights_draw(&weights, 1);
	bw_parameters_of(&weights, &parameters);
	bw_network_prepare(&network, &parameters);
	algorithm[9] = 3;
	bw_network_embed(&network, algorithm, &embedding);
	for (int i = 0; i < N; i++) {
		fill(schedule[i], given, sizeof given / sizeof *given);
		schedule[i][BW_FEATURE_inlined_calls] = (float)i;
	}
	for (int i = 0; i < N; i++) {
		struct bw_learned_cost cost;
		double sum = 0;
		bw_network_cost(&network, &embedding, schedule[i], 40, &cost);
		for (int t = 0; t < BW_N_COMPONENTS; t++) {
			assert_near(bw_component_info((enum bw_component)t)->key, cost.terms[t], 1e-9 * cost.factors[t] * cost.coefficients[bw_component_info((enum bw_component)t)->coefficient]);
			sum += cost.terms[t];
		}
		costs[i] = cost.cost;
		assert_near("the sum of the terms", sum, cost.cost);
		assert_true(cost.cost > 0 && (i == 0 || costs[i] != costs[i - 1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_curves), cmocka_unit_test(test_components), cmocka_unit_test(test_extremes), cmocka_unit_test(test_layers), cmocka_unit_test(test_costs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
