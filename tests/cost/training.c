/* Training: the loss by hand, its gradient against finite differences, a step of Adam by hand, training that is interrupted and goes on to the same bits,
 * that the best epoch is kept, and that it recovers a known cost function, of a pipeline that it was not shown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cost/training.h"

enum { SMS = 80 };

/* Random numbers in [0, 1), in a row. */
struct dice {
	uint64_t seed, thrown;
};
static double throw(struct dice *dice)
{
	return (double)(bw_random((const uint64_t[]){dice->seed, dice->thrown++}, 2) >> 11) * 0x1p-53;
}

#define SET(name, value) features[BW_FEATURE_##name] = (float)(value)
#define GET(name) ((double)features[BW_FEATURE_##name])

/* A stage of so many points in some schedule; what nothing follows from is drawn. */
static void draw_stage(struct dice *dice, double points, float features[BW_SCHEDULE_FEATURES])
{
	for (int f = 0; f < BW_SCHEDULE_FEATURES; f++)
		features[f] = (float)(1 + 9 * throw(dice));
	double threads = 32 << (int)(throw(dice) * 5), serial = 1 << (int)(throw(dice) * 5), recompute = 1 + floor(throw(dice) * 3) / 2;
	SET(num_scalars, points * recompute);
	SET(num_blocks, ceil(points * recompute / threads / serial));
	SET(num_threads_per_block, threads);
	SET(points_computed_per_thread, serial);
	SET(inlined_calls, 0);
	SET(inner_parallelism, GET(num_blocks));
	SET(outer_parallelism, 1);
	SET(idle_lane_wastage, throw(dice) < 0.5 ? 0 : throw(dice) / 2);
	SET(global_mem_load_efficiency, 0.1 + 0.9 * throw(dice));
	SET(global_mem_store_efficiency, 0.25 + 0.75 * throw(dice));
	SET(num_global_mem_loads_per_block, threads * serial / 8 * (1 + 3 * throw(dice)));
	SET(num_global_mem_stores_per_block, threads * serial / 8);
	SET(num_realizations, 1);
	SET(num_productions, 1);
	SET(block_occupancy, threads / 1024);
}

/* The known cost function, ms: the slower of arithmetic and memory, an eighth of the other, all over the occupancy where that is low; and a launch. It is no
 * sum of the model's components. */
static double known_cost(const float features[BW_SCHEDULE_FEATURES], int operations)
{
	double arithmetic = GET(num_scalars) * operations * 2e-7, memory = GET(num_blocks) * GET(num_global_mem_loads_per_block) / GET(global_mem_load_efficiency) * 2e-6;
	double busy = GET(block_occupancy) < 0.25 ? GET(block_occupancy) * 4 : 1;
	return (fmax(arithmetic, memory) + fmin(arithmetic, memory) / 8) / busy + 0.005;
}

enum { MOST_STAGES = 2 };

static void add_pipeline(struct dice *dice, struct bw_samples *samples, int number, int n)
{
	char name[16];
	float algorithm[MOST_STAGES][BW_PIPELINE_FEATURES] = {{0}}, schedule[MOST_STAGES][BW_SCHEDULE_FEATURES];
	double points[MOST_STAGES];
	int operations[MOST_STAGES], stages = 1 + number % MOST_STAGES;
	snprintf(name, sizeof name, "p%d", number);
	for (int s = 0; s < stages; s++) {
		operations[s] = 2 + (int)(throw(dice) * 6);
		points[s] = 1e5 * exp(throw(dice) * log(100));
		algorithm[s][BW_OPERATION_ADD * BW_N_TYPES + BW_TYPE_FLOAT32] = (float)operations[s];
		algorithm[s][BW_OPERATION_CONST * BW_N_TYPES + BW_TYPE_INT32] = (float)(int)(throw(dice) * 4);
	}
	struct bw_sample_pipeline *pipeline = bw_samples_pipeline(samples, name, stages, (const float(*)[BW_PIPELINE_FEATURES])algorithm);
	for (int i = 0; i < n; i++) {
		double ms = 0;
		for (int s = 0; s < stages; s++) {
			draw_stage(dice, points[s], schedule[s]);
			ms += known_cost(schedule[s], operations[s]);
		}
		assert_true(bw_sample_add(pipeline, name, (const float(*)[BW_SCHEDULE_FEATURES])schedule, ms, NULL));
	}
}

static struct bw_samples made(int pipelines, int each)
{
	struct bw_samples samples = {0};
	struct dice dice = {.seed = 3};
	for (int p = 0; p < pipelines; p++)
		add_pipeline(&dice, &samples, p, each);
	return samples;
}

static struct bw_training *begin(uint64_t seed, const struct bw_samples *samples, const struct bw_training_options *options)
{
	struct bw_training *training = BW_NEW(struct bw_training);
	struct bw_weights weights;
	bw_weights_draw(&weights, seed);
	bw_training_begin(training, &weights, samples, options);
	return training;
}

static struct bw_training_options options_of(double rate, int group)
{
	struct bw_training_options options = bw_training_options_default();
	options.sms = SMS;
	options.rate = rate;
	options.group = group;
	return options;
}

static double loss_with(const struct bw_parameters *parameters, const struct bw_group *group)
{
	static struct bw_network network;
	bw_network_prepare(&network, parameters);
	return bw_loss(&network, SMS, group, NULL, NULL);
}

/* Every weight of the smaller buffers, and of the larger ones some. Where the activation's bend lies between, finite differences say nothing: few may be off. */
static void test_gradient(void **state)
{
	static struct bw_network network;
	static struct bw_parameters gradient, moved;
	struct bw_samples samples = made(3, 5);
	struct bw_group group = {&samples.pipelines[2], (const int[]){0, 1, 2, 3, 4}, 5};
	struct bw_training_options options = options_of(0.001, 8);
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct bw_training *training = begin(seed, &samples, &options);
		int checked = 0, off = 0;
		double length = 0;
		bw_network_prepare(&network, &training->now.parameters);
		memset(&gradient, 0, sizeof gradient);
		bw_loss(&network, SMS, &group, &gradient, NULL);
		for (int i = 0; i < BW_N_WEIGHTS; i++)
			length += gradient.all[i] * gradient.all[i];
		for (int i = 0; i < BW_N_WEIGHTS; i += i < 2240 ? 13 : 3) {
			const double little = 1e-6;
			moved = training->now.parameters;
			moved.all[i] += little;
			double above = loss_with(&moved, &group);
			moved.all[i] -= 2 * little;
			double slope = (above - loss_with(&moved, &group)) / (2 * little);
			checked++;
			off += fabs(slope - gradient.all[i]) > 1e-4 * fabs(slope) + 1e-7 * sqrt(length) + 1e-9;
		}
		if (length == 0 || off * 200 > checked)
			fail_msg("seed %d: of %d derivatives %d are off; the gradient is %g long", (int)seed, checked, off, sqrt(length));
		free(training);
	}
	bw_samples_free(&samples);
}

/* Weights of 0 but for a bias: the cost of a stage is 1e-9 times coefficient 24 times num_realizations, and coefficients 0 and 3 are 2 and 1 below 0. Times of 4 and
 * 8 ms: predicted 4e-9 / 4 and 8e-9 / 4 of the fastest. */
static void test_loss(void **state)
{
	static struct bw_weights weights;
	static struct bw_parameters parameters, gradient;
	static struct bw_network network;
	static const float algorithm[1][BW_PIPELINE_FEATURES];
	float schedule[1][BW_SCHEDULE_FEATURES] = {{0}};
	struct bw_samples samples = {0};
	struct bw_sample_pipeline *pipeline = bw_samples_pipeline(&samples, "one", 1, algorithm);
	struct bw_group group = {pipeline, (const int[]){0, 1}, 2};
	double costs[2];
	schedule[0][BW_FEATURE_num_realizations] = 4;
	assert_true(bw_sample_add(pipeline, "a", (const float(*)[BW_SCHEDULE_FEATURES])schedule, 4, NULL));
	schedule[0][BW_FEATURE_num_realizations] = 8;
	assert_true(bw_sample_add(pipeline, "b", (const float(*)[BW_SCHEDULE_FEATURES])schedule, 8, NULL));
	memset(&weights, 0, sizeof weights);
	weights.by.conv1_bias[24] = 2e9f;
	weights.by.conv1_bias[0] = -2;
	weights.by.conv1_bias[3] = -1;
	bw_parameters_of(&weights, &parameters);
	bw_network_prepare(&network, &parameters);
	memset(&gradient, 0, sizeof gradient);
	double loss = bw_loss(&network, SMS, &group, &gradient, costs);
	/* Predicted 8 and 16 ms, measured 4 and 8: throughputs of 1/2 and 1/4 against 1 and 1/2. */
	assert_true(fabs(costs[0] - 8) < 1e-9 && fabs(costs[1] - 16) < 1e-9);
	assert_true(fabs(loss - (0.25 + 0.0625 + 2 * 3e-5)) < 1e-9);
	/* By coefficient 24: 2 (1/2 - 1) (-1/4) (4e-9 / 4) + 2 (1/4 - 1/2) (-1/16) (8e-9 / 4); by the others -1e-5 of each schedule. */
	assert_true(fabs(gradient.by.conv1_bias[24] - (0.25e-9 + 0.0625e-9)) < 1e-15);
	assert_true(fabs(gradient.by.conv1_bias[0] + 2e-5) < 1e-12 && fabs(gradient.by.conv1_bias[3] + 2e-5) < 1e-12 && gradient.by.conv1_bias[23] == 0);
	bw_samples_free(&samples);
}

static void test_refused(void **state)
{
	static const float algorithm[1][BW_PIPELINE_FEATURES];
	float schedule[1][BW_SCHEDULE_FEATURES] = {{0}};
	struct bw_samples samples = {0};
	struct bw_sample_pipeline *pipeline = bw_samples_pipeline(&samples, "one", 1, algorithm);
	struct bw_error error = {0};
	assert_false(bw_sample_add(pipeline, "a", (const float(*)[BW_SCHEDULE_FEATURES])schedule, 0, &error));
	assert_string_equal(error.text, "a of one: a time of 0 ms");
	schedule[0][BW_FEATURE_num_blocks] = -1;
	assert_false(bw_sample_add(pipeline, "a", (const float(*)[BW_SCHEDULE_FEATURES])schedule, 1, &error));
	assert_string_equal(error.text, "a of one: stage 0: num_blocks is -1");
	schedule[0][BW_FEATURE_num_blocks] = NAN;
	assert_false(bw_sample_add(pipeline, "a", (const float(*)[BW_SCHEDULE_FEATURES])schedule, 1, &error));
	assert_int_equal(pipeline->n, 0);
	bw_samples_free(&samples);
}

/* The first step of Adam moves every weight by the rate, against the sign of its derivative, where that is large against 1e-5. */
static void test_step(void **state)
{
	struct bw_samples samples = made(1, 6);
	struct bw_training_options options = options_of(0.25, 16);
	struct bw_training *training = begin(2, &samples, &options), *before = begin(2, &samples, &options);
	int moved = 0;
	bw_training_epoch(training, &samples, &options);
	assert_int_equal(training->now.steps, 1);
	for (int i = 0; i < BW_N_WEIGHTS; i++) {
		double slope = training->mean.all[i] / 0.1, step = training->now.parameters.all[i] - before->now.parameters.all[i];
		if (fabs(training->square.all[i] - 0.001 * slope * slope) > 1e-12 * slope * slope || fabs(step + 0.25 * slope / (fabs(slope) + 1e-5)) > 1e-9)
			fail_msg("weight %d: derivative %g, step %g", i, slope, step);
		moved += fabs(step) > 0.2;
	}
	assert_true(moved > 0);
	free(training);
	free(before);
	bw_samples_free(&samples);
}

/* At this rate the best of ten epochs lies before the fifth: what goes on from there knows it. */
static void test_resume_knows_best(void **state)
{
	struct bw_samples samples = made(2, 9);
	struct bw_training_options options = options_of(0.3, 4);
	struct bw_training *whole = begin(1, &samples, &options), *resumed = begin(7, &samples, &options);
	struct bw_text text = {0};
	struct bw_error error = {0};
	for (int e = 0; e < 10; e++) {
		if (e == 5)
			bw_training_print(whole, &samples, &options, &text);
		bw_training_epoch(whole, &samples, &options);
	}
	assert_true(bw_training_parse("t", text.bytes, text.length, &samples, &options, resumed, &error));
	for (int e = 5; e < 10; e++)
		bw_training_epoch(resumed, &samples, &options);
	assert_in_range(whole->best.epochs, 1, 4);
	assert_memory_equal(resumed, whole, sizeof *whole);
	bw_text_free(&text);
	free(whole);
	free(resumed);
	bw_samples_free(&samples);
}

/* Five epochs, against three, a checkpoint, and two more; and checkpoints that are none of this training. */
static void test_resume(void **state)
{
	struct bw_samples samples = made(2, 9);
	struct bw_training_options options = options_of(0.02, 4);
	struct bw_training *whole = begin(1, &samples, &options), *part = begin(1, &samples, &options), *resumed = begin(7, &samples, &options);
	struct bw_text text = {0};
	struct bw_error error = {0};
	for (int e = 0; e < 5; e++)
		bw_training_epoch(whole, &samples, &options);
	for (int e = 0; e < 3; e++)
		bw_training_epoch(part, &samples, &options);
	bw_training_print(part, &samples, &options, &text);
	assert_true(bw_training_parse("t", text.bytes, text.length, &samples, &options, resumed, &error));
	assert_int_equal(resumed->now.epochs, 3);
	for (int e = 0; e < 2; e++)
		bw_training_epoch(resumed, &samples, &options);
	assert_memory_equal(resumed, whole, sizeof *whole);
	assert_false(bw_training_parse("t", text.bytes, text.length - 1, &samples, &options, resumed, &error));
	assert_false(bw_training_parse("t", text.bytes, 5, &samples, &options, resumed, &error));
	assert_string_equal(error.text, "t: no checkpoint of training: it does not begin with \"beamwalk-training 2\"");
	text.bytes[18] = '1';
	assert_false(bw_training_parse("t", text.bytes, text.length, &samples, &options, resumed, &error));
	assert_string_equal(error.text, "t: a checkpoint of a beamwalk that did not keep the best epoch; training begins anew without --resume");
	text.bytes[18] = '2';
	options.hold_out = 1;
	assert_false(bw_training_parse("t", text.bytes, text.length, &samples, &options, resumed, &error));
	assert_string_equal(error.text, "t: a checkpoint of other samples, or with another seed, rate, batch, device or pipeline held out");
	text.bytes[1000] ^= 1;
	assert_false(bw_training_parse("t", text.bytes, text.length, &samples, &options, resumed, &error));
	assert_string_equal(error.text, "t: a damaged checkpoint: its sum does not fit");
	bw_text_free(&text);
	free(whole);
	free(part);
	free(resumed);
	bw_samples_free(&samples);
}

static struct bw_goodness goodness_of(const struct bw_trained *trained, const struct bw_sample_pipeline *pipeline)
{
	static struct bw_network network;
	bw_network_prepare(&network, &trained->parameters);
	return bw_network_judge(&network, SMS, pipeline);
}

/* Of every epoch the loss is the mean of what the report has of those that are trained on, weighted by their schedules; the epoch with the lowest is the best,
 * among them what it began with, and its weights are kept. At this rate the loss goes up as often as down. */
static void check_best(int hold_out, int batch)
{
	enum { PIPELINES = 3, EPOCHS = 40 };
	struct bw_samples samples = made(PIPELINES, 12);
	struct bw_training_options options = options_of(0.05, 6);
	options.hold_out = hold_out;
	options.batch = batch;
	struct bw_training *training = begin(1, &samples, &options);
	struct bw_trained lowest = {.loss = INFINITY};
	int worse = 0;
	for (int e = 0; e <= EPOCHS; e++) {
		double loss = 0;
		if (e)
			bw_training_epoch(training, &samples, &options);
		assert_int_equal(training->now.epochs, e);
		for (int p = 0; p < PIPELINES; p++)
			loss += p == hold_out ? 0 : goodness_of(&training->now, &samples.pipelines[p]).loss / (PIPELINES - (hold_out >= 0));
		assert_true(fabs(loss - training->now.loss) <= 1e-12 * loss);
		if (training->now.loss < lowest.loss)
			lowest = training->now;
		else
			worse++;
		assert_memory_equal(&training->best, &lowest, sizeof lowest);
	}
	assert_true(worse > EPOCHS / 4 && lowest.epochs > 0);
	free(training);
	bw_samples_free(&samples);
}

static void test_best(void **state)
{
	check_best(-1, 2);
	check_best(1, 1);
}

/* A step so long that nothing is learned: what training began with is the best there is. */
static void test_none_better(void **state)
{
	struct bw_samples samples = made(2, 12);
	struct bw_training_options fine = options_of(0.005, 6), coarse = options_of(10, 6);
	struct bw_training *training = begin(1, &samples, &fine), *again = BW_NEW(struct bw_training);
	struct bw_weights weights = {0};
	for (int e = 0; e < 60; e++)
		bw_training_epoch(training, &samples, &fine);
	bw_parameters_round(&training->best.parameters, &weights);
	bw_training_begin(again, &weights, &samples, &coarse);
	struct bw_trained first = again->now;
	for (int e = 0; e < 5; e++)
		bw_training_epoch(again, &samples, &coarse);
	assert_true(again->now.loss > first.loss);
	assert_memory_equal(&again->best, &first, sizeof first);
	free(training);
	free(again);
	bw_samples_free(&samples);
}

/* Nine pipelines are trained on, of the tenth no schedule: it is asked for. */
static void test_recovery(void **state)
{
	enum { PIPELINES = 10, EACH = 60, EPOCHS = 300 };
	struct bw_samples samples = made(PIPELINES, EACH);
	struct bw_training_options options = options_of(0.02, 8);
	options.hold_out = PIPELINES - 1;
	struct bw_training *training = begin(1, &samples, &options);
	double before = goodness_of(&training->best, &samples.pipelines[PIPELINES - 1]).rank;
	for (int e = 0; e < EPOCHS; e++)
		bw_training_epoch(training, &samples, &options);
	struct bw_goodness held = goodness_of(&training->best, &samples.pipelines[PIPELINES - 1]);
	print_message("# held out: rank correlation %.3f (%.3f before), R2 %.3f, wrong pairs %.3f, regret %.3f; loss %.5f\n", held.rank, before, held.r2, held.wrong, held.regret, training->best.loss);
	assert_true(before < 0.8);
	assert_true(held.rank > 0.95);
	assert_true(held.regret < 0.25);
	free(training);
	bw_samples_free(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gradient), cmocka_unit_test(test_loss), cmocka_unit_test(test_refused), cmocka_unit_test(test_step), cmocka_unit_test(test_resume), cmocka_unit_test(test_resume_knows_best), cmocka_unit_test(test_best), cmocka_unit_test(test_none_better),
		cmocka_unit_test(test_recovery),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
