#include "schedulers/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/clock.h"

enum {
	ABSENT_MOST = 300,  /* a replay ends after this many proposals in a row that the file does not have */
	FAILED_MOST = 8,    /* a tuning ends after this many schedules if all failed */
	CONTROL_EVERY = 16, /* samples without stored ones between two measurements of the control schedule */
	CONTROL = -1        /* number of the control schedule, instead of a candidate's */
};

struct bw_tuning *bw_tuning_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
				enum bw_tune_strategy strategy, const struct bw_tuning_budget *budget,
				const struct bw_weights *start)
{
	struct bw_tuning *tuning = BW_NEW(struct bw_tuning);
	*tuning = (struct bw_tuning){.pipeline = pipeline,
				     .options = *options,
				     .strategy = strategy,
				     .budget = *budget,
				     .began = bw_clock()};
	if (start) {
		tuning->start = BW_NEW(struct bw_weights);
		*tuning->start = *start;
	}
	return tuning;
}

void bw_tuning_free(struct bw_tuning *tuning)
{
	if (!tuning)
		return;
	bw_tune_free(tuning->tune);
	bw_schedule_drop(tuning->given);
	free(tuning->samples);
	free(tuning->controls);
	free(tuning->early);
	free(tuning->start);
	free(tuning);
}

void bw_tuning_given_words(const struct bw_tuning *tuning, struct bw_text *out)
{
	if (tuning->given_error.kind)
		bw_text_printf(out, "the schedule by hand was not tried: %s", tuning->given_error.text);
}

void bw_tuning_give(struct bw_tuning *tuning, struct bw_schedule *schedule, bool near)
{
	tuning->given_near = near;
	tuning->given = bw_schedule_keep(schedule);
}

double bw_tuning_seconds(const struct bw_tuning *tuning)
{
	return tuning->spent + (tuning->phase < BW_TUNING_ENDED ? bw_clock() - tuning->began : 0);
}

double bw_tuning_left(const struct bw_tuning *tuning)
{
	double spent = bw_tuning_seconds(tuning), left = INFINITY;
	int fresh = tuning->n - tuning->stored;
	if (tuning->budget.seconds > 0)
		left = fmax(tuning->budget.seconds - spent, 0);
	if (fresh > 0 && tuning->budget.samples < BW_TUNING_SAMPLES_MOST)
		left = fmin(left, spent / fresh * (double)(tuning->budget.samples - tuning->n));
	return left;
}

void bw_tuning_done(const struct bw_tuning *tuning, struct bw_text *out)
{
	if (tuning->phase == BW_TUNING_COMPARES) {
		bool same = tuning->meter->estimates || tuning->meter->file;
		bw_text_printf(out, "measuring in turns, %d of %d: %s", tuning->turn + 1, same ? 1 : BW_TUNING_ROUNDS,
			       tuning->rounds[tuning->place % tuning->n_rounds].name);
	} else if (tuning->budget.samples < BW_TUNING_SAMPLES_MOST) {
		bw_text_printf(out, "%d of %ld", tuning->n, tuning->budget.samples);
	} else {
		bw_text_printf(out, "%d measured", tuning->n);
	}
}

void bw_tuning_time_left(const struct bw_tuning *tuning, struct bw_text *out)
{
	double left = tuning->phase == BW_TUNING_COMPARES ? INFINITY : bw_tuning_left(tuning);
	if (isfinite(left) && left < 100)
		bw_text_printf(out, ", %.0f s left", fmax(left, 0));
	else if (isfinite(left))
		bw_text_printf(out, ", %.0f min left", ceil(left / 60));
}

void bw_tuning_progress(const struct bw_tuning *tuning, struct bw_text *out)
{
	int best = bw_tuning_best(tuning);
	bw_tuning_done(tuning, out);
	if (tuning->phase == BW_TUNING_COMPARES || best < 0)
		return;
	double first = bw_tuning_candidate(tuning, tuning->samples[0].number)->measured,
	       fastest = bw_tuning_candidate(tuning, best)->measured;
	bw_text_printf(out, ", fastest %.4g ms", fastest);
	if (isfinite(first))
		bw_text_printf(out, " (%.2fx the first shot's speed)", first / fastest);
	bw_tuning_time_left(tuning, out);
}

const struct bw_tune_candidate *bw_tuning_candidate(const struct bw_tuning *tuning, int number)
{
	int n;
	return &bw_tune_candidates(tuning->tune, &n)[number];
}

int bw_tuning_best(const struct bw_tuning *tuning)
{
	return tuning->tune ? bw_tune_best(tuning->tune) : -1;
}

void bw_tuning_origin(const struct bw_tuning *tuning, int number, struct bw_text *out)
{
	const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, number);
	switch (candidate->origin) {
	case BW_TUNE_BEAM:
		bw_text_puts(out, "state of the beam");
		break;
	case BW_TUNE_DRAW:
		bw_text_printf(out, "drawn with seed %llu", (unsigned long long)candidate->seed);
		break;
	case BW_TUNE_GIVEN:
		bw_text_puts(out, tuning->given_near ? "the nearest to that by hand" : "by hand");
		break;
	case BW_TUNE_CHANGE:
		bw_text_printf(out, "%s placed otherwise", tuning->pipeline->funcs[candidate->func].name);
		break;
	}
}

static const char *const strategies[] = {BW_TUNE_STRATEGY_TABLE(BW_SECOND)};

enum bw_tune_strategy bw_tune_strategy_of(const char *name)
{
	int k = 0;
	while (k < BW_N_TUNE_STRATEGIES && strcmp(name, strategies[k]) != 0)
		k++;
	return (enum bw_tune_strategy)k;
}

const char *bw_tune_strategy_name(enum bw_tune_strategy strategy)
{
	return strategies[strategy];
}

static bool is_late(const struct bw_tuning *tuning)
{
	return tuning->budget.seconds > 0 && bw_tuning_seconds(tuning) >= tuning->budget.seconds;
}

/* Returns true if no further schedule is to be proposed, counting the batch that is measured now as
 * samples without a faster schedule. */
static bool is_over(const struct bw_tuning *tuning)
{
	const struct bw_tuning_budget *budget = &tuning->budget;
	int n = tuning->n + tuning->batches[0].n;
	return n >= budget->samples || is_late(tuning) ||
	       (budget->patience && n - tuning->since >= budget->patience) ||
	       (tuning->n && tuning->failed == tuning->n && n >= FAILED_MOST) || tuning->absent >= ABSENT_MOST;
}

static void end(struct bw_tuning *tuning)
{
	tuning->spent = bw_tuning_seconds(tuning);
	tuning->phase = BW_TUNING_ENDED;
}

static void add_rounds(struct bw_tuning *tuning, const char *name, const struct bw_nest *nest)
{
	tuning->rounds[tuning->n_rounds++] = (struct bw_tuning_rounds){.name = name, .nest = nest};
}

/* Sets the error that says why there is no fastest schedule. */
static void explain(struct bw_tuning *tuning)
{
	struct bw_error *error = &tuning->error;
	if (tuning->failed)
		bw_fail(error, tuning->failure.kind, "none of %d schedules ran and was right; the first: %s", tuning->n,
			tuning->failure.text);
	else if (tuning->stopped)
		bw_fail(error, BW_ERROR_STOPPED, "stopped before anything was measured");
	else if (tuning->meter && tuning->meter->file)
		bw_fail(error, BW_ERROR_INPUT, "%s: it knows none of the schedules that are proposed for %s",
			tuning->meter->file, tuning->pipeline->name);
	else
		bw_fail(error, BW_ERROR_USAGE, "nothing was measured within %.3g minutes: give it more",
			tuning->budget.seconds / 60);
}

/* Begins to compare the fastest with the first shot and the schedule by hand. */
static void compare(struct bw_tuning *tuning)
{
	int best = bw_tuning_best(tuning);
	tuning->n_rounds = tuning->turn = tuning->place = 0;
	tuning->asked = false;
	if (best < 0) {
		explain(tuning);
		end(tuning);
		return;
	}
	int first = tuning->samples[0].number;
	add_rounds(tuning, "fastest", bw_tuning_candidate(tuning, best)->nest);
	if (best != first && isfinite(bw_tuning_candidate(tuning, first)->measured))
		add_rounds(tuning, "first shot", bw_tuning_candidate(tuning, first)->nest);
	add_rounds(tuning, "by hand", NULL);
	tuning->phase = BW_TUNING_COMPARES;
}

static void search(struct bw_tuning *tuning, const struct bw_yield *yield)
{
	struct bw_error error = {0};
	tuning->tune = bw_tune_new(tuning->pipeline, &tuning->options, tuning->strategy, yield, &error);
	if (tuning->tune) {
		bw_tune_train(tuning->tune, tuning->start);
		tuning->phase = BW_TUNING_PROPOSES;
	} else if (bw_yield(yield)) {
		tuning->error = error;
		end(tuning);
	}
}

/* Adds the schedule by hand to the candidates, once. Returns false if it was stopped. */
static bool give(struct bw_tuning *tuning, const struct bw_yield *yield)
{
	struct bw_error error = {0};
	if (!tuning->given)
		return true;
	if (!bw_tune_give(tuning->tune, tuning->given, yield, &error)) {
		if (!bw_yield(yield))
			return false;
		tuning->given_error = error;
	}
	bw_schedule_drop(tuning->given);
	tuning->given = NULL;
	return true;
}

/* Returns the size of a batch: half of the number of schedules that keep the meter busy. */
static int batch_size(const struct bw_tuning *tuning)
{
	int half = tuning->meter ? tuning->meter->width / 2 : 0;
	half = half < BW_TUNING_BATCH ? BW_TUNING_BATCH : half;
	return half > BW_TUNING_BATCH_MOST ? BW_TUNING_BATCH_MOST : half;
}

/* Proposes the batch after the one that is measured now, so that processors and devices do not wait. The
 * proposal depends on the outcomes of all earlier batches, and not on the outcomes of the current batch. */
static void propose(struct bw_tuning *tuning, const struct bw_yield *yield)
{
	struct bw_tuning_batch *batch = &tuning->batches[tuning->ready];
	if (!give(tuning, yield))
		return;
	if (!is_over(tuning)) {
		long left = tuning->budget.samples - tuning->n - (tuning->ready ? tuning->batches[0].n : 0);
		int size = batch_size(tuning), most = left < size ? (int)left : size;
		if (batch->n < most)
			batch->n += bw_tune_propose(tuning->tune, most - batch->n, batch->numbers + batch->n,
						    yield);
		if (batch->n < most && !bw_yield(yield))
			return;
	}
	tuning->ready += batch->n > 0;
	tuning->exhausted = !batch->n;
	tuning->phase = BW_TUNING_MEASURES;
}

bool bw_tuning_computes(const struct bw_tuning *tuning)
{
	return tuning->phase == BW_TUNING_SEARCHES || tuning->phase == BW_TUNING_PROPOSES;
}

void bw_tuning_compute(struct bw_tuning *tuning, const struct bw_yield *yield)
{
	if (tuning->phase == BW_TUNING_SEARCHES)
		search(tuning, yield);
	else if (tuning->phase == BW_TUNING_PROPOSES)
		propose(tuning, yield);
}

/* Returns true if the control schedule is to be measured with this batch: with the second batch, and then
 * after every CONTROL_EVERY samples. Estimates and times from a file do not drift. */
static bool is_control_due(const struct bw_tuning *tuning)
{
	int fresh = tuning->n - tuning->stored;
	return !tuning->meter->estimates && !tuning->meter->file && tuning->n && !tuning->controls_now &&
	       isfinite(bw_tuning_candidate(tuning, tuning->samples[0].number)->measured) &&
	       (!tuning->n_controls || fresh - tuning->controlled >= CONTROL_EVERY);
}

/* Requests a measurement of the control schedule. If the meter refuses, there is no measurement. */
static void ask_control(struct bw_tuning *tuning)
{
	struct bw_error ignored = {0};
	struct bw_meter_asked asked = {.number = CONTROL,
				       .nest = bw_tuning_candidate(tuning, tuning->samples[0].number)->nest,
				       .label = "control",
				       .again = true};
	tuning->controls_now = tuning->meter->ask(tuning->meter->data, &asked, &ignored);
	tuning->controlled = tuning->n - tuning->stored;
	tuning->control_sample = tuning->n;
}

static void take_control(struct bw_tuning *tuning, const struct bw_meter_outcome *outcome)
{
	bool before = bw_tuning_drifts(tuning);
	tuning->controls_now = false;
	if (outcome->absent || !isfinite(outcome->ms))
		return;
	BW_PUSH(tuning->controls, tuning->n_controls, tuning->control_capacity,
		(struct bw_tuning_control){tuning->control_sample, bw_tuning_seconds(tuning), outcome->ms});
	if (bw_tuning_drifts(tuning) != before && tuning->drifts)
		tuning->drifts(tuning, tuning->data);
}

double bw_tuning_drift(const struct bw_tuning *tuning)
{
	int n = tuning->n_controls - 1;
	if (n < 1)
		return 1;
	BW_SCOPED_MEMORY double *before = BW_NEW_ARRAY(double, n);
	for (int i = 0; i < n; i++)
		before[i] = tuning->controls[i].ms;
	bw_sort_doubles(before, n);
	double median = (before[(n - 1) / 2] + before[n / 2]) / 2;
	return tuning->controls[n].ms / median;
}

bool bw_tuning_drifts(const struct bw_tuning *tuning)
{
	return fabs(bw_tuning_drift(tuning) - 1) > BW_TUNING_DRIFT;
}

static void stop_meter(struct bw_tuning *tuning)
{
	if (tuning->meter)
		tuning->meter->stop(tuning->meter->data);
	tuning->asked = tuning->controls_now = tuning->batches[0].asked = tuning->batches[1].asked = false;
}

void bw_tuning_fail(struct bw_tuning *tuning, const struct bw_error *error)
{
	tuning->error = *error;
	stop_meter(tuning);
	end(tuning);
}

static bool is_early(const struct bw_tuning *tuning, int number)
{
	int i = 0;
	while (i < tuning->n_early && tuning->early[i].number != number)
		i++;
	return i < tuning->n_early;
}

/* Requests the schedules of a batch that have no outcome. first: number of samples before the batch. */
static void ask(struct bw_tuning *tuning, struct bw_tuning_batch *batch, int first)
{
	batch->asked = true;
	for (int i = 0; i < batch->n; i++) {
		const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, batch->numbers[i]);
		char label[48];
		struct bw_error error = {0};
		snprintf(label, sizeof label, BW_TUNING_LABEL "%d", first + i + 1);
		struct bw_meter_asked asked = {batch->numbers[i], candidate->nest, candidate->hash, label, false};
		bool known = batch->came[i] || is_early(tuning, batch->numbers[i]);
		if (!known && !tuning->meter->ask(tuning->meter->data, &asked, &error)) {
			bw_tuning_fail(tuning, &error);
			return;
		}
	}
	if (is_control_due(tuning))
		ask_control(tuning);
}

static int place_in(const struct bw_tuning_batch *batch, int number)
{
	int i = 0;
	while (i < batch->n && batch->numbers[i] != number)
		i++;
	return i;
}

/* Adds a sample after the samples of its batch that were proposed earlier. */
static void add_sample(struct bw_tuning *tuning, int number)
{
	const struct bw_tuning_batch *batch = tuning->batches;
	int place = place_in(batch, number), at = tuning->n;
	BW_GROW(tuning->samples, tuning->n, tuning->capacity);
	for (; at > tuning->first && place_in(batch, tuning->samples[at - 1].number) > place; at--)
		tuning->samples[at] = tuning->samples[at - 1];
	tuning->samples[at] = (struct bw_tuning_sample){number, tuning->n_batches, bw_tuning_seconds(tuning)};
	tuning->n++;
}

/* Processes an outcome of the first batch or of the control schedule. Ignores other outcomes. */
static void take_in(struct bw_tuning *tuning, const struct bw_meter_outcome *outcome)
{
	struct bw_tuning_batch *batch = tuning->batches;
	int before = bw_tuning_best(tuning), place = place_in(batch, outcome->number);
	if (outcome->ends) {
		bw_tuning_fail(tuning, &outcome->error);
		return;
	}
	if (outcome->number == CONTROL)
		take_control(tuning, outcome);
	if (place == batch->n || batch->came[place])
		return;
	batch->came[place] = true;
	batch->n_came++;
	if (outcome->absent) {
		tuning->absent++;
		return;
	}
	tuning->absent = 0;
	tuning->stored += outcome->stored;
	if (!isfinite(outcome->ms) && !tuning->failed++)
		tuning->failure = outcome->error;
	bw_tune_tell(tuning->tune, outcome->number, outcome->ms);
	add_sample(tuning, outcome->number);
	if (bw_tuning_best(tuning) != before) {
		tuning->since = tuning->n;
		if (tuning->faster)
			tuning->faster(tuning, outcome->number, tuning->data);
	}
}

static bool is_in(const struct bw_tuning_batch *batch, int number)
{
	return place_in(batch, number) < batch->n;
}

/* Processes the outcomes that arrived for a batch before it became the first. */
static void take_early(struct bw_tuning *tuning)
{
	if (!tuning->n_early || !is_in(tuning->batches, tuning->early[0].number))
		return;
	for (int i = 0; i < tuning->n_early; i++)
		take_in(tuning, &tuning->early[i]);
	tuning->n_early = 0;
}

/* Takes an outcome from the meter. Keeps an outcome of the second batch until the first batch has ended.
 * Returns false if the meter has no outcome. */
static bool take(struct bw_tuning *tuning)
{
	struct bw_meter_outcome outcome;
	if (!tuning->meter->take(tuning->meter->data, &outcome))
		return false;
	if (!outcome.ends && is_in(&tuning->batches[1], outcome.number))
		BW_PUSH(tuning->early, tuning->n_early, tuning->early_capacity, outcome);
	else
		take_in(tuning, &outcome);
	return true;
}

/* Ends the first batch. The second batch becomes the first. */
static void end_batch(struct bw_tuning *tuning)
{
	tuning->batches[0] = tuning->batches[1];
	tuning->batches[1] = (struct bw_tuning_batch){0};
	tuning->ready--;
	tuning->n_batches++;
	tuning->first = tuning->n;
	tuning->exhausted = false;
	tuning->phase = BW_TUNING_PROPOSES;
}

/* Makes one step of measuring the batches: requests, takes an outcome, or ends a batch. Returns false if
 * it has to wait. */
static bool measure(struct bw_tuning *tuning)
{
	struct bw_tuning_batch *batch = tuning->batches;
	for (int k = 0, first = tuning->first; k < tuning->ready; first += batch[k++].n)
		if (!batch[k].asked)
			ask(tuning, &batch[k], first);
	if (tuning->phase == BW_TUNING_ENDED)
		return true;
	if (tuning->ready == 1 && !tuning->exhausted) {
		tuning->phase = BW_TUNING_PROPOSES;
		return true;
	}
	if (tuning->ready)
		take_early(tuning);
	bool waits = tuning->ready ? batch->n_came < batch->n : tuning->controls_now;
	if (!waits && tuning->ready) {
		end_batch(tuning);
	} else if (!waits) {
		compare(tuning);
	} else if (!take(tuning)) {
		if (!is_late(tuning))
			return false;
		stop_meter(tuning);
		while (tuning->ready) {
			take_early(tuning);
			end_batch(tuning);
		}
	}
	return true;
}

/* Moves to the next schedule to compare. Each turn goes through all schedules, so that a drifting clock
 * affects all of them equally. A schedule that failed once has no more turns. Returns false after the
 * last one. */
static bool move_on(struct bw_tuning *tuning)
{
	bool same = tuning->meter->estimates || tuning->meter->file;
	int n_turns = same ? 1 : BW_TUNING_ROUNDS;
	for (; tuning->turn < n_turns; tuning->turn++, tuning->place = 0)
		for (; tuning->place < tuning->n_rounds; tuning->place++)
			if (tuning->rounds[tuning->place].n >= tuning->turn)
				return true;
	return false;
}

static void end_rounds(struct bw_tuning *tuning)
{
	for (int k = 0; k < tuning->n_rounds; k++)
		bw_sort_doubles(tuning->rounds[k].ms, tuning->rounds[k].n);
}

/* Makes one step of measuring the compared schedules in turns. Returns false if it has to wait. */
static bool measure_again(struct bw_tuning *tuning)
{
	struct bw_meter *meter = tuning->meter;
	struct bw_meter_outcome outcome;
	if (!tuning->asked) {
		if (!move_on(tuning)) {
			end_rounds(tuning);
			end(tuning);
			return true;
		}
		struct bw_tuning_rounds *of = &tuning->rounds[tuning->place];
		struct bw_meter_asked asked = {
		    .number = tuning->place, .nest = of->nest, .label = of->name, .again = true};
		tuning->asked = meter->ask(meter->data, &asked, &of->error);
		tuning->place += !tuning->asked;
		return true;
	}
	if (!meter->take(meter->data, &outcome))
		return false;
	struct bw_tuning_rounds *of = &tuning->rounds[tuning->place++];
	if (isfinite(outcome.ms))
		of->ms[of->n++] = outcome.ms;
	else
		of->error = outcome.error;
	tuning->asked = false;
	return true;
}

bool bw_tuning_poll(struct bw_tuning *tuning)
{
	if (!tuning->meter)
		return false;
	switch (tuning->phase) {
	case BW_TUNING_MEASURES:
		return measure(tuning);
	case BW_TUNING_COMPARES:
		return measure_again(tuning);
	default:
		return false;
	}
}

void bw_tuning_stop(struct bw_tuning *tuning)
{
	if (tuning->phase == BW_TUNING_ENDED)
		return;
	stop_meter(tuning);
	tuning->stopped = true;
	if (bw_tuning_best(tuning) < 0)
		explain(tuning);
	else if (tuning->phase != BW_TUNING_COMPARES)
		compare(tuning);
	end_rounds(tuning);
	end(tuning);
}

void bw_tuning_go_on(struct bw_tuning *tuning, const struct bw_tuning_budget *budget)
{
	tuning->budget = *budget;
	tuning->budget.seconds += budget->seconds > 0 ? tuning->spent : 0;
	tuning->phase = !tuning->tune ? BW_TUNING_SEARCHES
			: tuning->ready == 2 ? BW_TUNING_MEASURES : BW_TUNING_PROPOSES;
	tuning->exhausted = false;
	tuning->error = (struct bw_error){0};
	tuning->stopped = tuning->asked = false;
	tuning->absent = 0;
	tuning->since = tuning->n;
	tuning->began = bw_clock();
}
