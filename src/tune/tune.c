#include "tune/tune.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "nest/nest.h"
#include "schedule/schedule.h"
#include "search/variants.h"

enum {
	DROPOUT = 1,      /* % chance that a pass drops nothing: many are dropped, as for training data */
	DRAWS_MOST = 24,  /* searches in a row that found nothing new: then there is no more to be drawn */
	PARENTS = 4,      /* the fastest ones, whose changes are candidates */
	CHANGES_MOST = 48 /* of one schedule: those that are predicted to cost least */
};

struct bw_tune {
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	enum bw_tune_strategy strategy;
	struct bw_search *search;
	int draws; /* searches with dropout so far */
	int proposals;
	int n, capacity;
	struct bw_tune_candidate *list;
	bool *proposed, *changed; /* by candidate: its changes are in the list */
	int proposed_capacity, changed_capacity;
};

static int find(const struct bw_tune *tune, uint64_t hash)
{
	for (int i = 0; i < tune->n; i++)
		if (tune->list[i].hash == hash)
			return i;
	return -1;
}

/* Adds a complete schedule unless it is there; takes the nest. Returns its number, or -1 if it was there. */
static int add(struct bw_tune *tune, struct bw_nest *nest, const struct bw_tune_candidate *as)
{
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	uint64_t hash = bw_schedule_hash(schedule);
	bw_schedule_drop(schedule);
	if (find(tune, hash) >= 0) {
		bw_nest_drop(nest);
		return -1;
	}
	BW_GROW(tune->list, tune->n, tune->capacity);
	BW_GROW(tune->proposed, tune->n, tune->proposed_capacity);
	BW_GROW(tune->changed, tune->n, tune->changed_capacity);
	tune->list[tune->n] = *as;
	tune->list[tune->n].nest = nest;
	tune->list[tune->n].hash = hash;
	tune->proposed[tune->n] = tune->changed[tune->n] = false;
	return tune->n++;
}

/* Adds the first `most` states at the end of a search that are new. Returns how many there are. */
static int add_states(struct bw_tune *tune, const struct bw_search *search, int most,
		      enum bw_tune_origin origin)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(search, bw_search_reached(search), &states), added = 0;
	for (int i = 0; i < n && added < most; i++) {
		const struct bw_tune_candidate as = {.predicted = states[i]->cost,
						     .origin = origin,
						     .parent = -1,
						     .func = -1,
						     .seed = bw_search_settings(search)->seed};
		if (bw_nest_complete(states[i]->nest))
			added += add(tune, bw_nest_keep(states[i]->nest), &as) >= 0;
	}
	return added;
}

struct bw_tune *bw_tune_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
			    enum bw_tune_strategy strategy, const struct bw_yield *yield, struct bw_error *error)
{
	struct bw_tune *tune = BW_NEW(struct bw_tune);
	*tune = (struct bw_tune){.pipeline = pipeline, .options = *options, .strategy = strategy};
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

void bw_tune_free(struct bw_tune *tune)
{
	if (!tune)
		return;
	for (int i = 0; i < tune->n; i++)
		bw_nest_drop(tune->list[i].nest);
	bw_search_free(tune->search);
	free(tune->list);
	free(tune->proposed);
	free(tune->changed);
	free(tune);
}

int bw_tune_add(struct bw_tune *tune, struct bw_nest *nest)
{
	struct bw_arena *arena = bw_arena_new();
	const struct bw_tune_candidate as = {.predicted = bw_search_cost(tune->search, nest, arena).total,
					     .origin = BW_TUNE_BEAM,
					     .parent = -1,
					     .func = -1};
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	uint64_t hash = bw_schedule_hash(schedule);
	bw_schedule_drop(schedule);
	bw_arena_free(arena);
	int added = add(tune, nest, &as);
	return added >= 0 ? added : find(tune, hash);
}

const struct bw_tune_candidate *bw_tune_candidates(const struct bw_tune *tune, int *n)
{
	*n = tune->n;
	return tune->list;
}

void bw_tune_tell(struct bw_tune *tune, int number, double measured)
{
	tune->list[number].measured = measured;
	tune->proposed[number] = true;
}

static bool is_timed(const struct bw_tune_candidate *candidate)
{
	return candidate->measured > 0 && isfinite(candidate->measured);
}

int bw_tune_best(const struct bw_tune *tune)
{
	int best = -1;
	for (int i = 0; i < tune->n; i++)
		if (is_timed(&tune->list[i]) && (best < 0 || tune->list[i].measured < tune->list[best].measured))
			best = i;
	return best;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* Returns the median of measured over predicted; 1 while nothing is measured. */
static double typical_ratio(const struct bw_tune *tune)
{
	double *ratios = BW_NEW_ARRAY(double, tune->n + 1);
	int n = 0;
	for (int i = 0; i < tune->n; i++)
		if (is_timed(&tune->list[i]) && tune->list[i].predicted > 0)
			ratios[n++] = tune->list[i].measured / tune->list[i].predicted;
	qsort(ratios, (size_t)n, sizeof *ratios, by_value);
	double ratio = n ? ratios[n / 2] : 1;
	free(ratios);
	return ratio;
}

static double expected(const struct bw_tune *tune, int number, double typical)
{
	const struct bw_tune_candidate *candidate = &tune->list[number];
	const struct bw_tune_candidate *parent = candidate->parent >= 0 ? &tune->list[candidate->parent] : NULL;
	bool known = parent && is_timed(parent) && parent->predicted > 0;
	return candidate->predicted * (known ? parent->measured / parent->predicted : typical);
}

double bw_tune_expected(const struct bw_tune *tune, int number)
{
	return expected(tune, number, typical_ratio(tune));
}

/* Searches once more with random dropout. Returns how many states are new; -1: it was stopped. */
static int draw(struct bw_tune *tune, int most, const struct bw_yield *yield)
{
	struct bw_settings options = tune->options;
	struct bw_error ignored = {0};
	options.random_dropout = DROPOUT;
	options.seed += (uint64_t)++tune->draws;
	struct bw_search *search = bw_search_fork(tune->search, &options, NULL);
	enum bw_search_status status = bw_search_advance(search, INT_MAX, yield, &ignored);
	int added = status == BW_SEARCH_DONE ? add_states(tune, search, most, BW_TUNE_DRAW) : 0;
	if (status == BW_SEARCH_GOING) {
		tune->draws--;
		added = -1;
	}
	bw_search_free(search);
	return added;
}

/* Keeps the cheapest changes that were found, the most expensive one first out. */
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

/* Adds the variants of a candidate that the model thinks best. Returns false if it was stopped. */
static bool add_changes(struct bw_tune *tune, int number, const struct bw_yield *yield)
{
	const struct bw_search *search = tune->search;
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
		const struct bw_tune_candidate as = {.predicted = found.cost[i],
						     .origin = BW_TUNE_CHANGE,
						     .parent = number,
						     .func = found.func[i],
						     .seed = tune->options.seed};
		if (going)
			add(tune, found.nest[i], &as);
		else
			bw_nest_drop(found.nest[i]);
	}
	tune->changed[number] = going;
	return going;
}

/* Adds the changes of the fastest ones, and what one more draw finds. */
static bool refill(struct bw_tune *tune, const struct bw_yield *yield)
{
	for (int k = 0; k < PARENTS; k++) {
		int best = -1;
		for (int i = 0; i < tune->n; i++)
			if (is_timed(&tune->list[i]) && !tune->changed[i] &&
			    (best < 0 || tune->list[i].measured < tune->list[best].measured))
				best = i;
		if (best < 0)
			break;
		int faster = 0; /* than it: of the fastest alone */
		for (int i = 0; i < tune->n; i++)
			faster += is_timed(&tune->list[i]) && tune->list[i].measured < tune->list[best].measured;
		if (faster >= PARENTS)
			break;
		if (!add_changes(tune, best, yield))
			return false;
	}
	return draw(tune, 4, yield) >= 0;
}

/* Returns the candidate that is expected to take least time of those that were not proposed; -1: none. */
static int most_promising(const struct bw_tune *tune, bool by_prediction)
{
	double typical = typical_ratio(tune), least = INFINITY;
	int best = -1;
	for (int i = 0; i < tune->n; i++) {
		double value = by_prediction ? tune->list[i].predicted : expected(tune, i, typical);
		if (!tune->proposed[i] && value < least) {
			least = value;
			best = i;
		}
	}
	return best;
}

/* Returns a candidate by chance, of those that were not proposed; -1: none. */
static int any(const struct bw_tune *tune)
{
	enum { ANY = 0xa21 }; /* separates these random numbers from others with the same seed */
	int left = 0, taken = -1;
	for (int i = 0; i < tune->n; i++) {
		const uint64_t keys[] = {tune->options.seed, ANY, (uint64_t)tune->proposals, (uint64_t)i};
		if (!tune->proposed[i] && !bw_random_below(bw_random(keys, 4), (uint64_t)++left))
			taken = i;
	}
	return taken;
}

/* Returns the next candidate by the strategy; -1: none, or it was stopped. */
static int next(struct bw_tune *tune, const struct bw_yield *yield)
{
	enum { CHANCE = 5 }; /* every fifth proposal is by chance: what the model misjudges has its turn */
	if (tune->strategy == BW_TUNE_BATCH)
		for (int drawn = 0; most_promising(tune, true) < 0; drawn++)
			if (drawn == DRAWS_MOST || draw(tune, 1, yield) < 0)
				return -1;
	bool by_chance = tune->strategy == BW_TUNE_BANDIT && tune->proposals % CHANCE == CHANCE - 1;
	return by_chance ? any(tune) : most_promising(tune, tune->strategy != BW_TUNE_BANDIT || !tune->proposals);
}

int bw_tune_propose(struct bw_tune *tune, int n, int *numbers, const struct bw_yield *yield)
{
	int proposed = 0;
	if (tune->strategy == BW_TUNE_BANDIT && tune->proposals && !refill(tune, yield))
		return 0;
	while (proposed < n) {
		int number = next(tune, yield);
		if (number < 0)
			break;
		tune->proposals++;
		tune->proposed[number] = true;
		numbers[proposed++] = number;
	}
	return proposed;
}
