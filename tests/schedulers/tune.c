/* Tuning: what is proposed, on a device that is a formula. No schedule is proposed twice, the order follows from
 * the seed and the outcomes alone, and the bandit finds what the prediction misjudges. */
#include <math.h>
#include <stdlib.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cost/latency.h"
#include "cost/sioutas.h"
#include "cost/learned.h"
#include "schedulers/learner.h"
#include "schedulers/tune_private.h"

enum { MOST = 400 };

struct fixture {
	struct bw_device *devices;
	struct bw_pipeline *pipeline;
	struct bw_settings options;
	struct bw_tune *tune;
	struct bw_models models;
	struct bw_search *device; /* by whose model it is measured; NULL: by a formula */
	int n;
	uint64_t proposed[MOST]; /* hashes */
};

static void begin(struct fixture *fixture, const char *pipeline, enum bw_tune_strategy strategy)
{
	struct bw_error error = {0};
	*fixture = (struct fixture){.devices = bundled_devices(NULL), .pipeline = bundled_pipeline(pipeline)};
	fixture->options = bw_settings_default(fixture->devices);
	fixture->options.model = &bw_roofline;
	fixture->tune = bw_tune_new(fixture->pipeline, &fixture->options, strategy, NULL, &error);
	if (!fixture->tune)
		fail_msg("%s", error.text);
}

static void end(struct fixture *fixture)
{
	bw_tune_free(fixture->tune);
	bw_search_free(fixture->device);
	bw_models_free(&fixture->models);
	bw_pipeline_free(fixture->pipeline);
	free(fixture->devices);
}

/* Measures by the learned model with weights that are drawn. */
static void begin_device(struct fixture *fixture)
{
	struct bw_weights *weights = BW_NEW(struct bw_weights);
	struct bw_settings options = fixture->options;
	bw_weights_draw(weights, 4);
	options.model = options.weights = bw_models_add(&fixture->models, "drawn", weights);
	fixture->device = bw_search_new(fixture->pipeline, &options, NULL);
	free(weights);
}

static const struct bw_tune_candidate *candidate_of(const struct fixture *fixture, int number)
{
	int n;
	return &bw_tune_candidates(fixture->tune, &n)[number];
}

/* What another model says, if there is one; else the prediction times a factor from 1 to 2 that the hash decides,
 * and every 16th schedule fails. */
static double measured(const struct fixture *fixture, const struct bw_tune_candidate *candidate)
{
	if (fixture->device) {
		struct bw_arena *arena = bw_arena_new();
		double cost = bw_search_cost(fixture->device, candidate->nest, arena).total;
		bw_arena_free(arena);
		return cost;
	}
	const uint64_t keys[] = {candidate->hash};
	uint64_t drawn = bw_random_below(bw_random(keys, 1), 1600);
	return drawn < 100 ? INFINITY : candidate->predicted * (1 + (double)drawn / 1600);
}

/* Measures until n schedules are, or there are no more; batches of `batch`. */
static void run(struct fixture *fixture, int n, int batch)
{
	int numbers[MOST], proposed = 1;
	while (fixture->n < n && proposed) {
		int most = n - fixture->n < batch ? n - fixture->n : batch;
		proposed = bw_tune_propose(fixture->tune, most, numbers, NULL);
		assert_true(proposed <= most);
		for (int i = 0; i < proposed; i++) {
			const struct bw_tune_candidate *candidate = candidate_of(fixture, numbers[i]);
			for (int k = 0; k < fixture->n; k++)
				assert_true(fixture->proposed[k] != candidate->hash);
			fixture->proposed[fixture->n++] = candidate->hash;
		}
		/* Outcomes come in any order. */
		for (int i = proposed - 1; i >= 0; i--)
			bw_tune_tell(fixture->tune, numbers[i], measured(fixture, candidate_of(fixture, numbers[i])));
	}
}

static double best(const struct fixture *fixture)
{
	return candidate_of(fixture, bw_tune_best(fixture->tune))->measured;
}

/* Every strategy: no schedule twice, as many as asked for, the same ones again. */
static void each_once(void **state)
{
	for (int k = 0; k < BW_N_TUNE_STRATEGIES; k++) {
		struct fixture first, again;
		begin(&first, "blur", (enum bw_tune_strategy)k);
		begin(&again, "blur", (enum bw_tune_strategy)k);
		run(&first, 40, 8);
		run(&again, 40, 8);
		assert_true(first.n == 40 || (k == BW_TUNE_TOP && first.n > 8));
		assert_int_equal(first.n, again.n);
		assert_memory_equal(first.proposed, again.proposed, (size_t)first.n * sizeof *first.proposed);
		assert_true(best(&first) == best(&again));
		end(&first);
		end(&again);
	}
}

/* The first proposal is the best prediction; `top` goes by predictions alone. */
static void by_prediction(void **state)
{
	struct fixture fixture;
	int numbers[8], all;
	begin(&fixture, "blur", BW_TUNE_TOP);
	int n = bw_tune_propose(fixture.tune, 8, numbers, NULL);
	const struct bw_tune_candidate *list = bw_tune_candidates(fixture.tune, &all);
	assert_int_equal(n, 8);
	for (int i = 1; i < n; i++)
		assert_true(list[numbers[i]].predicted >= list[numbers[i - 1]].predicted);
	for (int i = 0; i < all; i++)
		assert_true(list[i].predicted >= list[numbers[0]].predicted);
	end(&fixture);
}

/* Nothing that failed is the best, and after failures alone something else is proposed. */
static void failures(void **state)
{
	struct fixture fixture;
	int numbers[8], n, changes = 0;
	begin(&fixture, "blur", BW_TUNE_BANDIT);
	assert_int_equal(bw_tune_best(fixture.tune), -1);
	n = bw_tune_propose(fixture.tune, 8, numbers, NULL);
	assert_true(n > 0);
	for (int i = 0; i < n; i++)
		bw_tune_tell(fixture.tune, numbers[i], INFINITY);
	assert_int_equal(bw_tune_best(fixture.tune), -1);
	n = bw_tune_propose(fixture.tune, 1, numbers, NULL);
	assert_int_equal(n, 1);
	int parent = numbers[0];
	bw_tune_tell(fixture.tune, parent, 3 * candidate_of(&fixture, parent)->predicted);
	assert_int_equal(bw_tune_best(fixture.tune), parent);
	assert_int_equal(bw_tune_propose(fixture.tune, 8, numbers, NULL), 8);
	const struct bw_tune_candidate *list = bw_tune_candidates(fixture.tune, &n);
	for (int i = 0; i < n; i++)
		changes += list[i].parent == parent;
	assert_true(changes > 0);
	end(&fixture);
}

/* On a device that is another cost model, the bandit finds a faster schedule than the beam has, and so does random dropout. Which of the two finds the faster
 * one depends on the device: on weights that are drawn, batch is ahead by up to a half. */
static void more_than_the_beam_is_found(void **state)
{
	double found[BW_N_TUNE_STRATEGIES];
	for (int k = 0; k < BW_N_TUNE_STRATEGIES; k++) {
		struct fixture fixture;
		begin(&fixture, "two_stencils", (enum bw_tune_strategy)k);
		begin_device(&fixture);
		bw_tune_train(fixture.tune, NULL);
		run(&fixture, 80, 8);
		found[k] = best(&fixture);
		print_message("# strategy %d: %g after %d\n", k, found[k], fixture.n);
		end(&fixture);
	}
	assert_true(found[BW_TUNE_BANDIT] < 0.8 * found[BW_TUNE_TOP]);
	assert_true(found[BW_TUNE_BATCH] < 0.8 * found[BW_TUNE_TOP]);
}

/* What is worth measuring is judged by the search's model on the search's device, also where that has another parallelism. */
static void judged_by_the_search(void **state)
{
	static const struct {
		const char *device;
		const struct bw_cost_model *model;
		enum bw_tune_strategy strategy;
	} cases[] = {{"A100", &bw_roofline, BW_TUNE_BANDIT}, {"Emulated", &bw_latency_model, BW_TUNE_BANDIT}, {"PoCL", &bw_roofline, BW_TUNE_BANDIT},
		     {"A100", &bw_latency_model, BW_TUNE_BANDIT}, {"A100", &bw_sioutas_model, BW_TUNE_BATCH}, {"A100", &bw_roofline, BW_TUNE_TOP}};
	struct bw_error error = {0};
	int n_devices, n;
	struct bw_device *devices = bundled_devices(&n_devices);
	struct bw_pipeline *pipeline = bundled_pipeline("unsharp");
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_settings options = bw_settings_default(bw_device_find(devices, n_devices, cases[k].device));
		options.model = cases[k].model;
		options.parallelism = k % 2 ? 40 : 0;
		struct bw_device device = bw_settings_device(&options);
		struct bw_tune *tune = bw_tune_new(pipeline, &options, cases[k].strategy, NULL, &error);
		const struct bw_tune_candidate *list = bw_tune_candidates(tune, &n);
		assert_true(n > 0);
		for (int i = 0; i < n; i++) {
			struct bw_arena *arena = bw_arena_new();
			double wanted = bw_cost_of(cases[k].model, list[i].nest, &device, arena).total;
			assert_true(fabs(list[i].predicted / wanted - 1) < 1e-9);
			assert_true(fabs(tune->own[i].predicted / wanted - 1) < 1e-9);
			bw_arena_free(arena);
		}
		bw_tune_free(tune);
	}
	bw_pipeline_free(pipeline);
	free(devices);
}

/* A surrogate is a Gaussian process. With one value of 2 and a variance that is LEAST_SPREAD squared, 0.01,
 * the schedule itself is expected to take 2 with the noise left, sqrt(0.01 - 0.01^2 / (0.01 + 0.02^2)) =
 * 0.0196; one that differs in all Funcs by nearly nothing known: the whole deviation. */
static void surrogate_by_hand(void **state)
{
	struct fixture fixture;
	int n;
	begin(&fixture, "blur", BW_TUNE_TOP);
	const struct bw_tune_candidate *list = bw_tune_candidates(fixture.tune, &n);
	struct bw_schedule *one = bw_nest_schedule(list[0].nest), *other = bw_nest_schedule(list[1].nest);
	const struct bw_schedule *learned[] = {one};
	const double values[] = {2};
	struct bw_surrogate *surrogate = bw_surrogate_new(learned, values, 1);
	struct bw_expectation itself = {0}, of_other = {0};
	bw_surrogate_expect(surrogate, one, &itself);
	assert_true(fabs(itself.mean - 2) < 1e-12);
	assert_true(fabs(itself.deviation - sqrt(0.01 - 0.01 * 0.01 / (0.01 + 0.0004))) < 1e-12);
	bw_surrogate_expect(surrogate, other, &of_other);
	assert_true(bw_surrogate_distance(one, other) > 0);
	assert_true(of_other.deviation > itself.deviation && of_other.deviation <= 0.1);
	/* What is believed changes no mean, and makes deviations smaller: of what is like it at least. */
	double before = of_other.deviation;
	bw_surrogate_believe(surrogate, other, &of_other);
	bw_surrogate_expect(surrogate, other, &of_other);
	assert_true(fabs(of_other.mean - 2) < 1e-12);
	assert_true(of_other.deviation < before);
	free(itself.row);
	free(of_other.row);
	bw_surrogate_free(surrogate);
	bw_schedule_drop(one);
	bw_schedule_drop(other);
	end(&fixture);
}

/* On a device that is another cost model, training finds weights that order unseen schedules better than the
 * search's own model, and then draws by them. */
static void trains(void **state)
{
	struct fixture fixture;
	begin(&fixture, "two_stencils", BW_TUNE_BATCH);
	begin_device(&fixture);
	assert_null(bw_tune_weights(fixture.tune));
	bw_tune_train(fixture.tune, NULL);
	assert_null(bw_tune_weights(fixture.tune));
	assert_false(fixture.tune->trained);
	run(&fixture, 64, 8);
	const struct bw_weights *weights = bw_tune_weights(fixture.tune);
	assert_non_null(weights);
	assert_int_equal(weights->origin.samples, 64);
	assert_string_equal(weights->origin.device, fixture.options.device->name);
	assert_true(fixture.tune->trained);
	end(&fixture);
}

/* A schedule that is given is proposed right after the best of the search, by each strategy; one that says nothing
 * is that best itself. */
static void given(void **state)
{
	for (int k = 0; k < BW_N_TUNE_STRATEGIES; k++) {
		struct fixture fixture;
		struct bw_error error = {0};
		begin(&fixture, "blur", (enum bw_tune_strategy)k);
		BW_SCOPED_SCHEDULE *nothing = bw_schedule_new(fixture.pipeline);
		BW_SCOPED_SCHEDULE *other = bw_nest_schedule(candidate_of(&fixture, 0)->nest);
		other->unstaged = true;
		int before, after;
		bw_tune_candidates(fixture.tune, &before);
		assert_true(bw_tune_give(fixture.tune, nothing, NULL, &error));
		bw_tune_candidates(fixture.tune, &after);
		assert_int_equal(after, before);
		assert_true(bw_tune_give(fixture.tune, other, NULL, &error));
		assert_int_equal(candidate_of(&fixture, before)->origin, BW_TUNE_GIVEN);
		run(&fixture, 12, 4);
		assert_true(fixture.proposed[0] == candidate_of(&fixture, 0)->hash);
		assert_true(fixture.proposed[1] == bw_schedule_hash(other));
		end(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_once), cmocka_unit_test(by_prediction),
	    cmocka_unit_test(failures),  cmocka_unit_test(more_than_the_beam_is_found),      cmocka_unit_test(surrogate_by_hand),
	    cmocka_unit_test(trains),    cmocka_unit_test(judged_by_the_search), cmocka_unit_test(given),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
