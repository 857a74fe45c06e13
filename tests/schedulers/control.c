/* The loop of a tuning on a meter that is a formula: the control schedule is measured after the first batch
 * and then every 16 schedules, a clock that becomes slower is told once, and once more when it is over;
 * estimates and files have no control. */
#include <stdlib.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/mem.h"
#include "schedulers/tuning.h"

enum { MOST = 64 };

/* A device whose times are `slower` times the predicted ones while it has measured from to until schedules.
 */
struct formula {
	struct bw_meter meter;
	struct bw_tuning *tuning;
	int pending[MOST], n, measured, controls, told;
	int from, until;
	double slower;
};

static bool ask(void *data, const struct bw_meter_asked *asked, struct bw_error *error)
{
	struct formula *formula = data;
	(void)error;
	assert_true(formula->n < MOST);
	formula->pending[formula->n++] = asked->number;
	return true;
}

static bool take(void *data, struct bw_meter_outcome *outcome)
{
	struct formula *formula = data;
	if (!formula->n)
		return false;
	int number = formula->pending[--formula->n];
	bool control = number < 0,
	     slow = formula->measured >= formula->from && formula->measured < formula->until;
	bool compares = formula->tuning->phase == BW_TUNING_COMPARES;
	formula->controls += control;
	formula->measured += !control && !compares;
	double ms = control || compares ? 1 : bw_tuning_candidate(formula->tuning, number)->predicted;
	*outcome = (struct bw_meter_outcome){.number = number, .ms = slow ? ms * formula->slower : ms};
	return true;
}

static void tell(const void *data, struct bw_text *out)
{
	(void)data;
	(void)out;
}

static void stop_measuring(void *data)
{
	((struct formula *)data)->n = 0;
}

static void drifts(const struct bw_tuning *tuning, void *data)
{
	(void)tuning;
	((struct formula *)data)->told++;
}

/* Tunes blur to its end with so many samples. */
static void run(struct formula *formula, long samples)
{
	struct bw_device *devices = bundled_devices(NULL);
	struct bw_pipeline *pipeline = bundled_pipeline("blur");
	struct bw_settings options = bw_settings_default(devices);
	struct bw_tuning_budget budget = {.samples = samples};
	struct bw_tuning *tuning = bw_tuning_new(pipeline, &options, BW_TUNE_BATCH, &budget, NULL);
	formula->meter.data = formula;
	formula->meter.device = "formula";
	formula->meter.ask = ask;
	formula->meter.take = take;
	formula->meter.tell = tell;
	formula->meter.stop = stop_measuring;
	formula->tuning = tuning;
	tuning->meter = &formula->meter;
	tuning->drifts = drifts;
	tuning->data = formula;
	while (tuning->phase != BW_TUNING_ENDED)
		if (bw_tuning_computes(tuning))
			bw_tuning_compute(tuning, NULL);
		else
			assert_true(bw_tuning_poll(tuning));
	assert_int_equal(tuning->error.kind, 0);
	assert_int_equal(tuning->n, samples);
	assert_int_equal(tuning->n_controls, formula->controls);
	for (int i = 0; i < tuning->n_controls; i++)
		assert_int_equal(tuning->controls[i].sample, 4 + 16 * i);
	bw_tuning_free(tuning);
	bw_pipeline_free(pipeline);
	free(devices);
}

/* 56 schedules in batches of 4: controls once 4, 20 and 36 have an outcome. */
static void steady(void **state)
{
	struct formula formula = {.slower = 1};
	run(&formula, 56);
	assert_int_equal(formula.controls, 3);
	assert_int_equal(formula.told, 0);
}

/* The third control of five, at 36, takes 1.2 times as long; the fourth does not. */
static void drifting(void **state)
{
	struct formula formula = {.slower = 1.2, .from = 33, .until = 49};
	run(&formula, 80);
	assert_int_equal(formula.controls, 5);
	assert_int_equal(formula.told, 2);
}

/* A change of a twentieth is no drift. */
static void little(void **state)
{
	struct formula formula = {.slower = 1.05, .from = 33, .until = 49};
	run(&formula, 80);
	assert_int_equal(formula.told, 0);
}

static void of_estimates(void **state)
{
	struct formula formula = {.meter = {.estimates = true}, .slower = 1},
		       file = {.meter = {.file = "times.csv"}, .slower = 1};
	run(&formula, 40);
	run(&file, 40);
	assert_int_equal(formula.controls + file.controls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(steady), cmocka_unit_test(drifting),
					   cmocka_unit_test(little), cmocka_unit_test(of_estimates)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
