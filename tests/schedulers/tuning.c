/* The loop of a tuning with a meter that answers as a test tells it: late, twice, in any order, of what nobody asked; stopped anywhere it goes on to the
 * same end as one that nothing disturbs, and always has work for the meter; budgets, failures, and what is compared in the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/mem.h"
#include "schedulers/tuning.h"

/* How the meter answers. */
struct made {
	struct bw_meter meter;
	struct bw_meter_outcome list[64];
	int n, again;
	int most, idle; /* outcomes that were awaited at once; times that something was proposed while none was */
	bool backwards, twice, lies, fails, ends;
};

static bool ask(void *data, const struct bw_meter_asked *asked, struct bw_error *error)
{
	struct made *made = data;
	struct bw_meter_outcome outcome = {.number = asked->number, .ms = 1 + (double)(asked->hash % 101)};
	(void)error;
	made->again += asked->again;
	if (made->fails)
		outcome.ms = INFINITY;
	if (made->fails || made->ends)
		bw_fail(&outcome.error, BW_ERROR_DEVICE, "it broke");
	outcome.ends = made->ends;
	made->list[made->n++] = outcome;
	if (made->twice && !asked->again)
		made->list[made->n++] = outcome;
	if (made->lies && !asked->again)
		made->list[made->n++] = (struct bw_meter_outcome){.number = 100000, .ms = 0.001};
	made->most = made->n > made->most ? made->n : made->most;
	return true;
}

static bool take(void *data, struct bw_meter_outcome *outcome)
{
	struct made *made = data;
	if (!made->n)
		return false;
	int at = made->backwards ? made->n - 1 : 0;
	*outcome = made->list[at];
	made->n--;
	memmove(&made->list[at], &made->list[at + 1], (size_t)(made->n - at) * sizeof *made->list);
	return true;
}

static void tell(const void *data, struct bw_text *out)
{
	(void)data;
	(void)out;
}

static void stop_measuring(void *data)
{
	((struct made *)data)->n = 0;
}

/* What a tuning needs for as long as it is looked at. */
struct fixture {
	struct bw_device *devices;
	struct bw_pipeline *pipeline;
	struct bw_tuning *tuning;
};

static void begin(struct fixture *fixture)
{
	fixture->devices = bundled_devices(NULL);
	fixture->pipeline = bundled_pipeline("blur");
	fixture->tuning = NULL;
}

static void end(struct fixture *fixture)
{
	bw_tuning_free(fixture->tuning);
	bw_pipeline_free(fixture->pipeline);
	free(fixture->devices);
}

/* Tunes blur. steps: after so many calls it is stopped, and goes on; 0: nothing disturbs it. */
static const struct bw_tuning *tune(struct fixture *fixture, struct made *made, const struct bw_tuning_budget *budget,
				    int steps)
{
	struct bw_settings options = bw_settings_default(fixture->devices);
	options.beam = 8;
	made->meter = (struct bw_meter){
	    .data = made, .device = "made", .ask = ask, .take = take, .tell = tell, .stop = stop_measuring};
	bw_tuning_free(fixture->tuning);
	struct bw_tuning *tuning = fixture->tuning =
	    bw_tuning_new(fixture->pipeline, &options, BW_TUNE_BATCH, budget, NULL);
	tuning->meter = &made->meter;
	for (int calls = 1; tuning->phase < BW_TUNING_ENDED; calls++) {
		assert_true(calls < 100000);
		made->idle += tuning->phase == BW_TUNING_PROPOSES && !made->n && tuning->n && tuning->n < budget->samples;
		if (bw_tuning_computes(tuning))
			bw_tuning_compute(tuning, NULL);
		else
			bw_tuning_poll(tuning);
		if (steps && calls % steps == 0 && tuning->phase < BW_TUNING_COMPARES) {
			bw_tuning_stop(tuning);
			assert_true(tuning->stopped);
			bw_tuning_go_on(tuning, budget);
		}
	}
	return tuning;
}

/* Returns the hash of a sample's schedule. */
static uint64_t hash_of(const struct bw_tuning *tuning, int i)
{
	return bw_tuning_candidate(tuning, tuning->samples[i].number)->hash;
}

static void every_meter_comes_to_the_same_end(void **state)
{
	static const struct {
		bool backwards, twice, lies;
		int steps;
	} ways[] = {{0}, {.backwards = true}, {.twice = true}, {.lies = true}, {.steps = 3}, {.steps = 7}, {.backwards = true, .twice = true, .lies = true, .steps = 5}};
	const struct bw_tuning_budget budget = {.samples = 30};
	struct fixture fixture;
	uint64_t hashes[30];
	begin(&fixture);
	for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
		struct made made = {.backwards = ways[way].backwards, .twice = ways[way].twice, .lies = ways[way].lies};
		const struct bw_tuning *tuning = tune(&fixture, &made, &budget, ways[way].steps);
		assert_int_equal(tuning->n, 30);
		for (int i = 0; i < 30; i++) {
			if (!way)
				hashes[i] = hash_of(tuning, i);
			assert_true(hash_of(tuning, i) == hashes[i]);
			assert_int_equal(tuning->samples[i].batch, i / BW_TUNING_BATCH);
		}
		assert_false(tuning->error.kind || tuning->stopped);
		if (!way) {
			assert_int_equal(made.most, 2 * BW_TUNING_BATCH + 1); /* with the control schedule */
			assert_int_equal(made.idle, 0);
		}
	}
	end(&fixture);
}

static void it_compares_in_turns(void **state)
{
	const struct bw_tuning_budget budget = {.samples = 20};
	struct made made = {0};
	struct fixture fixture;
	begin(&fixture);
	const struct bw_tuning *tuning = tune(&fixture, &made, &budget, 0);
	assert_int_equal(tuning->n_rounds, 3);
	assert_int_equal(made.again, 3 * BW_TUNING_ROUNDS + tuning->n_controls);
	assert_string_equal(tuning->rounds[0].name, "fastest");
	assert_string_equal(tuning->rounds[2].name, "by hand");
	for (int k = 0; k < 3; k++)
		assert_int_equal(tuning->rounds[k].n, BW_TUNING_ROUNDS);
	end(&fixture);
}

static void budgets_end_it(void **state)
{
	struct fixture fixture;
	struct made made = {0};
	begin(&fixture);
	const struct bw_tuning *tuning = tune(&fixture, &made, &(struct bw_tuning_budget){.samples = 1000, .patience = 9}, 0);
	assert_true(tuning->n >= 9 && tuning->n - tuning->since >= 9 && tuning->n - tuning->since < 9 + BW_TUNING_BATCH);
	int n = tuning->n;
	bw_tuning_go_on(fixture.tuning, &(struct bw_tuning_budget){.samples = n + 3});
	while (fixture.tuning->phase < BW_TUNING_ENDED)
		if (bw_tuning_computes(fixture.tuning))
			bw_tuning_compute(fixture.tuning, NULL);
		else
			bw_tuning_poll(fixture.tuning);
	assert_int_equal(fixture.tuning->n, n + 3);
	end(&fixture);
}

static void failures_are_said(void **state)
{
	struct fixture fixture;
	struct made fails = {.fails = true}, ends = {.ends = true};
	const struct bw_tuning_budget budget = {.samples = 50};
	begin(&fixture);
	const struct bw_tuning *tuning = tune(&fixture, &fails, &budget, 0);
	assert_int_equal(tuning->n, 8);
	assert_string_equal(tuning->error.text, "none of 8 schedules ran and was right; the first: it broke");
	tuning = tune(&fixture, &ends, &budget, 0);
	assert_int_equal(tuning->n, 0);
	assert_string_equal(tuning->error.text, "it broke");
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_meter_comes_to_the_same_end),
	    cmocka_unit_test(it_compares_in_turns),
	    cmocka_unit_test(budgets_end_it),
	    cmocka_unit_test(failures_are_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
