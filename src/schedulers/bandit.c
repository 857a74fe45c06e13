/* The bandit: which of the candidates are worth measuring next, by what was measured so far. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "schedulers/surrogate.h"
#include "schedulers/tune_private.h"

/* Standard deviations by which a schedule may be faster than expected and still be worth measuring. */
#define KAPPA 2

enum {
	EARLY = 64,        /* proposals of which half are draws; later a quarter is */
	POOL = 512,        /* candidates that are chosen from, by what is predicted */
	LEARNED_MOST = 256 /* outcomes that are learned from: the fastest, and those that failed */
};

struct outcome {
	int number;
	double value; /* that is measured */
};

static int by_value(const void *a, const void *b)
{
	const struct outcome *left = a, *right = b;
	return left->value != right->value ? (left->value > right->value) - (left->value < right->value)
					   : left->number - right->number;
}

/* What the bandit has learned: log(measured) is slope * log(predicted) plus the surrogate's value. */
struct belief {
	struct bw_surrogate *surrogate;
	double slope;
};

/* Returns by how much log(measured) rises with log(predicted): by 1 for a prediction that is right, by 0 for
 * one that says nothing. Ridge regression, which returns 1 for no outcomes. */
static double slope_of(const struct bw_tune *tune, const struct outcome *outcomes, int n)
{
	static const double RIDGE = 0.1;
	double x_mean = 0, y_mean = 0, xx = RIDGE, xy = RIDGE;
	int timed = 0;
	for (int i = 0; i < n; i++)
		if (bw_tune_is_timed(&tune->list[outcomes[i].number])) {
			x_mean += log(tune->own[outcomes[i].number].predicted);
			y_mean += log(tune->list[outcomes[i].number].measured);
			timed++;
		}
	x_mean /= timed ? timed : 1;
	y_mean /= timed ? timed : 1;
	for (int i = 0; i < n; i++)
		if (bw_tune_is_timed(&tune->list[outcomes[i].number])) {
			double x = log(tune->own[outcomes[i].number].predicted) - x_mean;
			xx += x * x;
			xy += x * (log(tune->list[outcomes[i].number].measured) - y_mean);
		}
	return fmin(fmax(xy / xx, 0), 1);
}

/* Learns from the outcomes so far: the fastest LEARNED_MOST. What failed counts as FAILED times slower than
 * any other. The caller frees the surrogate. */
static struct belief learn_times(const struct bw_tune *tune)
{
	static const double FAILED = 4;
	struct outcome *outcomes = BW_NEW_ARRAY(struct outcome, tune->n + 1);
	const struct bw_schedule **schedules = BW_NEW_ARRAY(const struct bw_schedule *, tune->n + 1);
	double *values = BW_NEW_ARRAY(double, tune->n + 1), most = -INFINITY;
	int n = 0;
	for (int i = 0; i < tune->n; i++)
		if (tune->list[i].measured > 0 && tune->own[i].predicted > 0)
			outcomes[n++] = (struct outcome){i, tune->list[i].measured};
	qsort(outcomes, (size_t)n, sizeof *outcomes, by_value);
	n = n < LEARNED_MOST ? n : LEARNED_MOST;
	struct belief belief = {.slope = slope_of(tune, outcomes, n)};
	for (int i = 0; i < n; i++) {
		int number = outcomes[i].number;
		if (bw_tune_is_timed(&tune->list[number]))
			most = fmax(most, log(tune->list[number].measured));
	}
	for (int i = 0; i < n; i++) {
		int number = outcomes[i].number;
		double failed = (isfinite(most) ? most : log(tune->own[number].predicted)) + log(FAILED);
		double time =
		    bw_tune_is_timed(&tune->list[number]) ? log(tune->list[number].measured) : failed;
		schedules[i] = tune->own[number].schedule;
		values[i] = time - belief.slope * log(tune->own[number].predicted);
	}
	belief.surrogate = bw_surrogate_new(schedules, values, n);
	free(outcomes);
	free(schedules);
	free(values);
	return belief;
}

/* A candidate that the bandit may propose. */
struct promise {
	int number;
	double predicted;
	struct bw_expectation expected;
};

static int by_prediction(const void *a, const void *b)
{
	const struct promise *left = a, *right = b;
	return left->predicted != right->predicted
		   ? (left->predicted > right->predicted) - (left->predicted < right->predicted)
		   : left->number - right->number;
}

/* Writes the candidates that were not proposed, those that are predicted to cost least, at most POOL. Returns
 * how many there are. The caller frees the list. */
static int pool_of(const struct bw_tune *tune, struct promise **pool)
{
	int n = 0;
	*pool = BW_NEW_ARRAY(struct promise, tune->n + 1);
	for (int i = 0; i < tune->n; i++)
		if (!tune->own[i].proposed && tune->own[i].predicted > 0)
			(*pool)[n++] = (struct promise){.number = i, .predicted = tune->own[i].predicted};
	qsort(*pool, (size_t)n, sizeof **pool, by_prediction);
	return n < POOL ? n : POOL;
}

/* Proposes the best of the newest draws, at most n. Returns how many there are. */
static int propose_draws(struct bw_tune *tune, int n, int *numbers)
{
	int proposed = 0;
	for (int i = tune->n - 1; i >= 0 && proposed < n; i--)
		if (tune->own[i].head && !tune->own[i].proposed)
			bw_tune_take(tune, i, numbers, &proposed);
	return proposed;
}

int bw_tune_bandit(struct bw_tune *tune, int n, int *numbers)
{
	int proposed = propose_draws(tune, tune->proposals < EARLY ? n / 2 : n / 4, numbers),
	    n_draws = proposed;
	struct belief belief = learn_times(tune);
	struct promise *pool;
	int n_pool = pool_of(tune, &pool);
	for (int i = 0; i < n_draws; i++) {
		struct bw_expectation expected = {0};
		bw_surrogate_expect(belief.surrogate, tune->own[numbers[i]].schedule, &expected);
		bw_surrogate_believe(belief.surrogate, tune->own[numbers[i]].schedule, &expected);
		free(expected.row);
	}
	while (proposed < n) {
		struct promise *best = NULL;
		double least = INFINITY;
		for (int i = 0; i < n_pool; i++) {
			struct promise *promise = &pool[i];
			if (tune->own[promise->number].proposed)
				continue;
			bw_surrogate_expect(belief.surrogate, tune->own[promise->number].schedule,
					    &promise->expected);
			double value = belief.slope * log(promise->predicted) + promise->expected.mean -
				       KAPPA * promise->expected.deviation;
			if (value < least) {
				least = value;
				best = promise;
			}
		}
		if (!best)
			break;
		bw_surrogate_believe(belief.surrogate, tune->own[best->number].schedule, &best->expected);
		bw_tune_take(tune, best->number, numbers, &proposed);
	}
	for (int i = 0; i < n_pool; i++)
		free(pool[i].expected.row);
	free(pool);
	bw_surrogate_free(belief.surrogate);
	return proposed;
}
