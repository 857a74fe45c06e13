/* Proposes the schedules to measure next. Candidates come from searches and from changes of the fastest
 * schedules. A bandit proposes the most promising candidates, given the measurements so far. */
#include "schedulers/tune.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/hash.h"
#include "schedulers/scheduler.h"
#include "schedulers/tune_private.h"
#include "search/variants.h"

enum {
	DROPOUT = 1,      /* % chance that a pass drops no state; most passes drop many, as for training data */
	DRAWS_MOST = 24,  /* after this many searches in a row without a new state, there are no more draws */
	DRAWS = 4,        /* most searches per batch of the bandit */
	STATES = 4,       /* most new states per such search */
	PARENTS = 8,      /* number of fastest candidates whose changes become candidates */
	CHANGES_MOST = 48 /* most changes of one candidate: those with the least predicted cost */
};

static int find(const struct bw_tune *tune, uint64_t hash)
{
	for (int i = 0; i < tune->n; i++)
		if (tune->list[i].hash == hash)
			return i;
	return -1;
}

/* Returns the cost of a complete schedule by the model of a search. */
static double price(const struct bw_search *search, const struct bw_nest *nest)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	return bw_search_cost(search, nest, arena).total;
}

/* Adds a complete schedule. Takes over the nest. Returns its number, or -1 if the schedule is a candidate
 * already. */
static int add(struct bw_tune *tune, struct bw_nest *nest, const struct bw_tune_candidate *as)
{
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	uint64_t hash = bw_schedule_hash(schedule);
	if (find(tune, hash) >= 0) {
		bw_schedule_drop(schedule);
		bw_nest_drop(nest);
		return -1;
	}
	BW_GROW(tune->list, tune->n, tune->capacity);
	BW_GROW(tune->own, tune->n, tune->own_capacity);
	tune->list[tune->n] = *as;
	tune->list[tune->n].nest = nest;
	tune->list[tune->n].hash = hash;
	tune->own[tune->n] = (struct bw_tune_own){
	    .schedule = schedule, .predicted = tune->trained ? price(tune->trained, nest) : as->predicted};
	return tune->n++;
}

/* Adds the first `most` new states of a search's last beam. Returns the number of states added. */
static int add_states(struct bw_tune *tune, const struct bw_search *search, int most,
		      enum bw_tune_origin origin)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(search, bw_search_reached(search), &states), added = 0;
	for (int i = 0; i < n && added < most; i++) {
		bool own = bw_search_settings(search)->model == tune->options.model;
		const struct bw_tune_candidate as = {
		    .predicted = own ? states[i]->cost : price(tune->search, states[i]->nest),
		    .origin = origin,
		    .parent = -1,
		    .func = -1,
		    .seed = bw_search_settings(search)->seed,
		};
		if (bw_nest_complete(states[i]->nest))
			added += add(tune, bw_nest_keep(states[i]->nest), &as) >= 0;
	}
	return added;
}

struct bw_tune *bw_tune_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
			    enum bw_tune_strategy strategy, const struct bw_yield *yield,
			    struct bw_error *error)
{
	struct bw_tune *tune = BW_NEW(struct bw_tune);
	*tune = (struct bw_tune){
	    .pipeline = pipeline, .options = *options, .strategy = strategy, .given = -1};
	tune->search = bw_search_new(pipeline, options, NULL);
	enum bw_search_status status = bw_search_advance(tune->search, INT_MAX, yield, error);
	if (status == BW_SEARCH_DONE) {
		add_states(tune, tune->search, strategy == BW_TUNE_BATCH ? 1 : INT_MAX, BW_TUNE_BEAM);
		return tune;
	}
	if (status == BW_SEARCH_GOING)
		bw_fail(error, BW_ERROR_FAILED, "stopped before the search came to its end");
	bw_tune_free(tune);
	return NULL;
}

bool bw_tune_give(struct bw_tune *tune, const struct bw_schedule *schedule, const struct bw_yield *yield,
		  struct bw_error *error)
{
	struct bw_nest *nest = bw_schedule_completed(tune->search, schedule, yield, error);
	if (!nest)
		return false;
	const struct bw_tune_candidate as = {.predicted = price(tune->search, nest),
					     .origin = BW_TUNE_GIVEN,
					     .parent = -1,
					     .func = -1,
					     .seed = tune->options.seed};
	BW_SCOPED_SCHEDULE *whole = bw_nest_schedule(nest);
	add(tune, nest, &as);
	tune->given = find(tune, bw_schedule_hash(whole));
	return true;
}

void bw_tune_free(struct bw_tune *tune)
{
	if (!tune)
		return;
	for (int i = 0; i < tune->n; i++) {
		bw_nest_drop(tune->list[i].nest);
		bw_schedule_drop(tune->own[i].schedule);
	}
	bw_search_free(tune->trained);
	bw_learner_free(tune->learner);
	bw_search_free(tune->search);
	free(tune->list);
	free(tune->own);
	free(tune->told);
	free(tune);
}

const struct bw_tune_candidate *bw_tune_candidates(const struct bw_tune *tune, int *n)
{
	*n = tune->n;
	return tune->list;
}

void bw_tune_tell(struct bw_tune *tune, int number, double measured)
{
	if (!tune->list[number].measured) {
		BW_PUSH(tune->told, tune->n_told, tune->told_capacity, number);
	}
	tune->list[number].measured = measured;
	tune->own[number].proposed = true;
}

/* Returns true if a candidate has a measured time. */
static bool is_timed(const struct bw_tune_candidate *candidate)
{
	return candidate->measured > 0 && isfinite(candidate->measured);
}

int bw_tune_best(const struct bw_tune *tune)
{
	int best = -1;
	for (int i = 0; i < tune->n; i++)
		if (is_timed(&tune->list[i]) &&
		    (best < 0 || tune->list[i].measured < tune->list[best].measured))
			best = i;
	return best;
}

/* Runs one more search with random dropout, with the trained weights or the search's own model. Returns
 * the number of new states; -1: it was stopped. */
static int draw(struct bw_tune *tune, bool trained, int most, const struct bw_yield *yield)
{
	const struct bw_search *from = trained ? tune->trained : tune->search;
	struct bw_settings options = *bw_search_settings(from);
	struct bw_error ignored = {0};
	options.device = tune->options.device;
	options.random_dropout = DROPOUT;
	options.seed = tune->options.seed + (uint64_t)++tune->draws;
	struct bw_search *search = bw_search_fork(from, &options, NULL);
	enum bw_search_status status = bw_search_advance(search, INT_MAX, yield, &ignored);
	int before = tune->n,
	    added = status == BW_SEARCH_DONE ? add_states(tune, search, most, BW_TUNE_DRAW) : 0;
	if (added)
		tune->own[before].head = true;
	if (status == BW_SEARCH_GOING) {
		tune->draws--;
		added = -1;
	}
	bw_search_free(search);
	return added;
}

/* The cheapest changes found so far. A cheaper change replaces the most expensive one. */
struct found {
	int n;
	double cost[CHANGES_MOST];
	int func[CHANGES_MOST];
	struct bw_nest *nest[CHANGES_MOST];
};

static void keep_change(struct found *found, double cost, int func, struct bw_nest *nest)
{
	int at = found->n;
	if (found->n == CHANGES_MOST) {
		at = 0;
		for (int i = 1; i < found->n; i++)
			if (found->cost[i] > found->cost[at])
				at = i;
		if (cost >= found->cost[at]) {
			bw_nest_drop(nest);
			return;
		}
		bw_nest_drop(found->nest[at]);
	} else {
		found->n++;
	}
	found->cost[at] = cost;
	found->func[at] = func;
	found->nest[at] = nest;
}

/* Adds the variants of a candidate with the least predicted costs. Returns false if it was stopped. */
static bool add_changes(struct bw_tune *tune, int number, const struct bw_yield *yield)
{
	const struct bw_search *search = tune->trained ? tune->trained : tune->search;
	int pass = bw_search_pass(search, bw_search_n_decisions(search));
	struct bw_variants *variants = bw_variants_begin(search, tune->list[number].nest, pass, false);
	struct found found = {0};
	bool going = true;
	for (int place = 0; going && place < bw_variants_funcs(variants); place++) {
		int n;
		going = bw_variants_turn(variants, place, yield);
		bw_variants_list(variants, &n);
		for (int v = 0; going && v < n; v++) {
			bw_variants_price(variants, v, INFINITY);
			const struct bw_variant *variant = &bw_variants_list(variants, &n)[v];
			struct bw_nest *nest = variant->allowed && variant->cost > 0
						   ? bw_variants_changed(variants, variant->placement)
						   : NULL;
			if (nest)
				keep_change(&found, variant->cost, bw_variants_func(variants, place), nest);
		}
	}
	bw_variants_end(variants);
	for (int i = 0; i < found.n; i++) {
		const struct bw_tune_candidate as = {
		    .predicted = tune->trained ? price(tune->search, found.nest[i]) : found.cost[i],
		    .origin = BW_TUNE_CHANGE,
		    .parent = number,
		    .func = found.func[i],
		    .seed = tune->options.seed};
		if (going)
			add(tune, found.nest[i], &as);
		else
			bw_nest_drop(found.nest[i]);
	}
	tune->own[number].changed = going;
	return going;
}

/* Adds the changes of the fastest candidates, and the states of some more draws, about half as many draws
 * as candidates are wanted. If the trained weights lead, draws use the trained weights and the search's
 * own model in turn. Returns false if it was stopped. */
static bool refill(struct bw_tune *tune, int wanted, const struct bw_yield *yield)
{
	for (int k = 0; k < PARENTS; k++) {
		int best = -1;
		for (int i = 0; i < tune->n; i++)
			if (is_timed(&tune->list[i]) && !tune->own[i].changed &&
			    (best < 0 || tune->list[i].measured < tune->list[best].measured))
				best = i;
		if (best < 0)
			break;
		int faster = 0; /* number of candidates that are faster; only the PARENTS fastest are changed */
		for (int i = 0; i < tune->n; i++)
			faster += is_timed(&tune->list[i]) &&
				  tune->list[i].measured < tune->list[best].measured;
		if (faster >= PARENTS)
			break;
		if (!add_changes(tune, best, yield))
			return false;
	}
	for (int k = 0; k < DRAWS && k < (wanted + 1) / 2; k++)
		if (draw(tune, tune->trained && k % 2 == 0, STATES, yield) < 0)
			return false;
	return true;
}

/* Returns the candidate with the least predicted cost that was not proposed yet and does not come from
 * the caller; -1: none. */
static int best_predicted(const struct bw_tune *tune)
{
	int best = -1;
	for (int i = 0; i < tune->n; i++)
		if (!tune->own[i].proposed && tune->list[i].origin != BW_TUNE_GIVEN &&
		    (best < 0 || tune->list[i].predicted < tune->list[best].predicted))
			best = i;
	return best;
}

/* Returns true if the caller's schedule is to be proposed next. */
static bool is_given_due(const struct bw_tune *tune)
{
	return tune->proposals && tune->given >= 0 && !tune->own[tune->given].proposed;
}

/* Returns the next candidate of top or batch; -1: none, or it was stopped. */
static int next(struct bw_tune *tune, const struct bw_yield *yield)
{
	int best = is_given_due(tune) ? tune->given : best_predicted(tune);
	for (int drawn = 0; tune->strategy == BW_TUNE_BATCH && best < 0; drawn++) {
		if (drawn == DRAWS_MOST || draw(tune, tune->trained, 1, yield) < 0)
			return -1;
		best = best_predicted(tune);
	}
	return best;
}

/* Marks a candidate as proposed and appends it to the n numbers of a proposal. */
static void take(struct bw_tune *tune, int number, int *numbers, int *n)
{
	tune->own[number].proposed = true;
	numbers[(*n)++] = number;
	tune->proposals++;
}

BW_ORDER(by_number, int, BW_COMPARE(*a, *b))

/* Trains on the outcomes that the learner does not have yet. Then the model that orders schedules better
 * leads. */
static void learn(struct bw_tune *tune)
{
	int before = tune->learned;
	if (before == tune->n_told)
		return;
	/* The order must not depend on the order of arrival. */
	qsort(tune->told + before, (size_t)(tune->n_told - before), sizeof *tune->told, by_number);
	for (; tune->learned < tune->n_told; tune->learned++) {
		const struct bw_tune_candidate *candidate = &tune->list[tune->told[tune->learned]];
		if (is_timed(candidate))
			bw_learner_add(tune->learner, candidate->nest, candidate->hash,
				       candidate->predicted, candidate->measured);
	}
	bw_learner_train(tune->learner);
	bw_search_free(tune->trained);
	tune->trained = NULL;
	if (bw_learner_leads(tune->learner)) {
		struct bw_settings options = tune->options;
		options.model = options.weights = bw_learner_model(tune->learner);
		tune->trained = bw_search_fork(tune->search, &options, NULL);
	}
	for (int i = 0; i < tune->n; i++)
		tune->own[i].predicted =
		    tune->trained ? price(tune->trained, tune->list[i].nest) : tune->list[i].predicted;
}

void bw_tune_train(struct bw_tune *tune, const struct bw_weights *start)
{
	if (!tune->learner)
		tune->learner = bw_learner_new(bw_search_device(tune->search), start, tune->options.seed);
}

const struct bw_weights *bw_tune_weights(struct bw_tune *tune)
{
	if (!tune->learner)
		return NULL;
	learn(tune);
	return bw_learner_model(tune->learner) ? bw_learner_weights(tune->learner) : NULL;
}

/* The bandit: finds the candidates that are worth measuring next, given the measurements so far. */

/* Number of standard deviations that are subtracted from the expected time of a candidate. */
#define KAPPA 2

enum {
	EARLY = 64,        /* of this many first proposals, half are draws; of later ones, a quarter */
	POOL = 512,        /* number of candidates to choose from: those with the least predicted cost */
	LEARNED_MOST = 256 /* most outcomes to learn from: the fastest ones, and failed ones */
};

struct outcome {
	int number;
	double value; /* measured value */
};

BW_ORDER(by_value, struct outcome, 2 * BW_COMPARE(a->value, b->value) + BW_COMPARE(a->number, b->number))

/* The bandit's model: log(measured) is slope * log(predicted) plus the surrogate's value. */
struct belief {
	struct bw_surrogate *surrogate;
	double slope;
};

/* Returns the slope of log(measured) over log(predicted): 1 for perfect predictions, 0 for useless ones.
 * Uses ridge regression, which returns 1 without outcomes. */
static double slope_of(const struct bw_tune *tune, const struct outcome *outcomes, int n)
{
	static const double RIDGE = 0.1;
	double x_mean = 0, y_mean = 0, xx = RIDGE, xy = RIDGE;
	int timed = 0;
	for (int i = 0; i < n; i++)
		if (is_timed(&tune->list[outcomes[i].number])) {
			x_mean += log(tune->own[outcomes[i].number].predicted);
			y_mean += log(tune->list[outcomes[i].number].measured);
			timed++;
		}
	x_mean /= timed ? timed : 1;
	y_mean /= timed ? timed : 1;
	for (int i = 0; i < n; i++)
		if (is_timed(&tune->list[outcomes[i].number])) {
			double x = log(tune->own[outcomes[i].number].predicted) - x_mean;
			xx += x * x;
			xy += x * (log(tune->list[outcomes[i].number].measured) - y_mean);
		}
	return fmin(fmax(xy / xx, 0), 1);
}

/* Learns from the outcomes so far, at most from the fastest LEARNED_MOST. A failed schedule counts as
 * FAILED times slower than any other. The caller frees the surrogate. */
static struct belief learn_times(const struct bw_tune *tune)
{
	static const double FAILED = 4;
	BW_SCOPED_MEMORY struct outcome *outcomes = BW_NEW_ARRAY(struct outcome, tune->n + 1);
	BW_SCOPED_MEMORY const struct bw_schedule **schedules =
	    BW_NEW_ARRAY(const struct bw_schedule *, tune->n + 1);
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
		if (is_timed(&tune->list[number]))
			most = fmax(most, log(tune->list[number].measured));
	}
	for (int i = 0; i < n; i++) {
		int number = outcomes[i].number;
		double failed = (isfinite(most) ? most : log(tune->own[number].predicted)) + log(FAILED);
		double time =
		    is_timed(&tune->list[number]) ? log(tune->list[number].measured) : failed;
		schedules[i] = tune->own[number].schedule;
		values[i] = time - belief.slope * log(tune->own[number].predicted);
	}
	belief.surrogate = bw_surrogate_new(schedules, values, n);
	free(values);
	return belief;
}

/* A candidate that the bandit may propose. */
struct promise {
	int number;
	double predicted;
	struct bw_expectation expected;
};

BW_ORDER(by_prediction, struct promise,
	  2 * BW_COMPARE(a->predicted, b->predicted) + BW_COMPARE(a->number, b->number))

/* Sets *pool to a list of the candidates that were not proposed yet, the least predicted cost first.
 * Returns their number, at most POOL. The caller frees the list. */
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

/* Proposes the best state of each of the newest draws, at most n. Returns the number of proposals. */
static int propose_draws(struct bw_tune *tune, int n, int *numbers)
{
	int proposed = 0;
	for (int i = tune->n - 1; i >= 0 && proposed < n; i--)
		if (tune->own[i].head && !tune->own[i].proposed)
			take(tune, i, numbers, &proposed);
	return proposed;
}

/* Proposes at most n candidates. First come some draws, so that schedules with wrong predictions have a
 * chance. Then come the candidates with the least value of expected time minus KAPPA standard deviations.
 * Within the batch, the expected time of each proposed candidate is learned as if it were measured
 * (Desautels et al. 2014). Returns the number of proposals. */
static int propose_bandit(struct bw_tune *tune, int n, int *numbers)
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
		take(tune, best->number, numbers, &proposed);
	}
	for (int i = 0; i < n_pool; i++)
		free(pool[i].expected.row);
	free(pool);
	bw_surrogate_free(belief.surrogate);
	return proposed;
}

int bw_tune_propose(struct bw_tune *tune, int n, int *numbers, const struct bw_yield *yield)
{
	int proposed = 0;
	if (tune->learner && tune->strategy != BW_TUNE_TOP)
		learn(tune);
	if (tune->strategy == BW_TUNE_BANDIT && is_given_due(tune))
		take(tune, tune->given, numbers, &proposed);
	if (tune->strategy == BW_TUNE_BANDIT && tune->proposals)
		return proposed + (refill(tune, n, yield) ? propose_bandit(tune, n - proposed, numbers + proposed) : 0);
	while (proposed < n) {
		int number = next(tune, yield);
		if (number < 0)
			break;
		take(tune, number, numbers, &proposed);
		if (tune->strategy == BW_TUNE_BANDIT)
			break;
	}
	return proposed;
}
