/* The search as a cursor: positions, beams, records. */
#include "search/search.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "search/search_private.h"

/* A position that was reached, with the record of the decision before it; shared between a search and its forks. */
struct reached {
	int references;
	int n;
	const struct bw_state **beam;
	struct bw_decision decision; /* that led here; of position 0 unused */
};

/* A decision under way: one expansion for each parent. */
struct underway {
	int n;
	struct bw_expanding *parents;
	double seconds;
};

struct bw_search {
	const struct bw_pipeline *pipeline;
	struct bw_search_options options;
	struct bw_constraints constraints;
	int n_decisions;
	struct bw_decision *plan; /* subjects and phases of all decisions, not made */
	int n_reached;            /* positions: at least 1 */
	struct reached **reached;
	struct underway underway;
	double seconds;
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void reached_drop(struct reached *reached)
{
	if (!reached || --reached->references)
		return;
	for (int i = 0; i < reached->n; i++)
		bw_state_drop(reached->beam[i]);
	free(reached->beam);
	free((void *)reached->decision.children);
	free(reached);
}

static struct reached *reached_new(int capacity)
{
	struct reached *reached = BW_NEW(struct reached);
	reached->references = 1;
	reached->beam = BW_NEW_ARRAY(const struct bw_state *, capacity);
	return reached;
}

static struct bw_constraints constraints_copy(const struct bw_constraints *constraints)
{
	struct bw_constraints copy = {.n = constraints ? constraints->n : 0};
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, copy.n);
	for (int i = 0; i < copy.n; i++) {
		list[i] = constraints->list[i];
		bw_placement_keep(list[i].placement);
	}
	copy.list = list;
	return copy;
}

static void constraints_free(struct bw_constraints *constraints)
{
	for (int i = 0; i < constraints->n; i++)
		bw_placement_drop(constraints->list[i].placement);
	free((void *)constraints->list);
}

static const struct bw_constraint *constraint_on(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n; i++)
		if (constraints->list[i].placement->func == func)
			return &constraints->list[i];
	return NULL;
}

/* A search without a position. */
static struct bw_search *search_alloc(const struct bw_pipeline *pipeline, const struct bw_search_options *options, const struct bw_constraints *constraints)
{
	struct bw_search *search = BW_NEW(struct bw_search);
	search->pipeline = pipeline;
	search->options = *options;
	search->constraints = constraints_copy(constraints);
	int n_order, *order = bw_nest_order(pipeline, &n_order);
	search->n_decisions = n_order * BW_N_PHASES;
	search->plan = BW_NEW_ARRAY(struct bw_decision, search->n_decisions);
	for (int d = 0; d < search->n_decisions; d++)
		search->plan[d] = (struct bw_decision){.func = order[d / BW_N_PHASES], .phase = (enum bw_phase)(d % BW_N_PHASES), .pass = 1};
	free(order);
	search->reached = BW_NEW_ARRAY(struct reached *, search->n_decisions + 1);
	return search;
}

struct bw_search *bw_search_new(const struct bw_pipeline *pipeline, const struct bw_search_options *options, const struct bw_constraints *constraints)
{
	struct bw_search *search = search_alloc(pipeline, options, constraints);
	struct bw_nest *nest = bw_nest_new(pipeline);
	struct reached *start = search->reached[0] = reached_new(1);
	start->beam[start->n++] = bw_state_new(NULL, -1, -1, nest, 0);
	bw_nest_drop(nest);
	search->n_reached = 1;
	return search;
}

static bool constraint_equal(const struct bw_constraint *a, const struct bw_constraint *b)
{
	if (!a || !b)
		return a == b;
	return a->sizes == b->sizes && (a->sizes ? bw_placement_equal(a->placement, b->placement) : bw_site_equal(&a->placement->compute, &b->placement->compute));
}

static bool options_equal(const struct bw_search_options *a, const struct bw_search_options *b)
{
	struct bw_search_options one = *a, other = *b;
	one.threads = other.threads = 0;
	return one.beam == other.beam && one.seed == other.seed && one.device == other.device && one.model == other.model &&
	       one.recompute_limit == other.recompute_limit && one.unrolled_limit == other.unrolled_limit && one.inlined_calls_limit == other.inlined_calls_limit &&
	       one.idle_sms_limit == other.idle_sms_limit && one.idle_lanes_limit == other.idle_lanes_limit && one.register_bytes_limit == other.register_bytes_limit && one.random == other.random;
}

struct bw_search *bw_search_fork(const struct bw_search *search, const struct bw_search_options *options, const struct bw_constraints *constraints)
{
	struct bw_search *fork = search_alloc(search->pipeline, options ? options : &search->options, constraints ? constraints : &search->constraints);
	int shared = options_equal(&search->options, &fork->options) ? search->n_reached : 1;
	for (int d = 0; d + 1 < shared; d++)
		if (!constraint_equal(constraint_on(&search->constraints, search->plan[d].func), constraint_on(&fork->constraints, search->plan[d].func)))
			shared = d + 1;
	for (int p = 0; p < shared; p++) {
		fork->reached[p] = search->reached[p];
		fork->reached[p]->references++;
	}
	fork->n_reached = shared;
	return fork;
}

static void underway_end(struct underway *underway)
{
	for (int i = 0; i < underway->n; i++)
		bw_expanding_end(&underway->parents[i]);
	free(underway->parents);
	*underway = (struct underway){0};
}

void bw_search_free(struct bw_search *search)
{
	if (!search)
		return;
	underway_end(&search->underway);
	for (int p = 0; p < search->n_reached; p++)
		reached_drop(search->reached[p]);
	free(search->reached);
	free(search->plan);
	constraints_free(&search->constraints);
	free(search);
}

static struct bw_question question_of(const struct bw_search *search, int index, const struct bw_state *parent)
{
	const struct bw_decision *decision = &search->plan[index];
	return (struct bw_question){search->pipeline, &search->options, constraint_on(&search->constraints, decision->func), parent, decision->func, decision->phase, decision->pass};
}

/* A child on its way into the beam. */
struct child {
	struct bw_child record;
	double key; /* what it is sorted by: its cost, or a random number */
	uint64_t hash;
	const struct bw_option *option;
	const struct bw_state *parent;
};

static int by_key(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->record.parent != y->record.parent)
		return x->record.parent - y->record.parent;
	return x->record.option - y->record.option;
}

static double key_of(const struct bw_search *search, int index, int parent, const struct bw_option *option)
{
	if (!search->options.random)
		return option->cost;
	uint64_t keys[] = {search->options.seed, (uint64_t)search->plan[index].pass, (uint64_t)index, (uint64_t)parent, option->bucket_hash, (uint64_t)option->number};
	uint64_t bucket_keys[] = {search->options.seed, (uint64_t)index, option->bucket_hash};
	/* A bucket is drawn first and an option in it then: sites with many sizes would come up too often otherwise. */
	return (double)(bw_random(bucket_keys, 3) >> 40) + (double)(bw_random(keys, 6) >> 11) * 0x1p-53;
}

static int collect(const struct bw_search *search, int index, struct child *children, struct bw_decision *record)
{
	int n = 0;
	const struct reached *from = search->reached[index];
	for (int p = 0; p < search->underway.n; p++) {
		const struct bw_expansion *expansion = search->underway.parents[p].expansion;
		record->enumerated += expansion->n;
		for (int i = 0; i < expansion->n; i++) {
			const struct bw_option *option = &expansion->options[i];
			if (option->fate == BW_FATE_PRUNED)
				record->pruned[option->rule]++;
			else if (option->fate == BW_FATE_SECOND_CHOICE)
				record->second++;
			if (option->fate != BW_FATE_COSTED)
				continue;
			children[n++] = (struct child){{option->cost, p, i, -1}, key_of(search, index, p, option), option->hash, option, from->beam[p]};
		}
	}
	return n;
}

/* Whether a schedule is in the beam already. Looked for from the end: equal schedules have equal costs. */
static bool has_twin(const struct reached *reached, uint64_t hash)
{
	for (int k = reached->n - 1; k >= 0; k--)
		if (reached->beam[k]->hash == hash)
			return true;
	return false;
}

/* The state that a kept option makes: its placement, put into the parent's nest again. */
static const struct bw_state *state_of(const struct child *child)
{
	const struct bw_placement *placement = child->option->placement;
	struct bw_nest *nest = placement ? bw_nest_place(child->parent->nest, placement, NULL) : bw_nest_keep(child->parent->nest);
	const struct bw_state *state = bw_state_new(child->parent, child->record.parent, child->record.option, nest, child->option->cost);
	bw_nest_drop(nest);
	return state;
}

/* The best children become the next beam; of equal schedules one. */
static struct reached *merge(struct bw_search *search, int index)
{
	long options = 0;
	for (int p = 0; p < search->underway.n; p++)
		options += search->underway.parents[p].expansion->n;
	struct child *children = BW_NEW_ARRAY(struct child, options);
	struct reached *next = reached_new(search->options.beam);
	next->decision = search->plan[index];
	struct bw_decision *record = &next->decision;
	int n = collect(search, index, children, record);
	qsort(children, (size_t)n, sizeof *children, by_key);
	struct bw_child *list = BW_NEW_ARRAY(struct bw_child, n);
	for (int i = 0; i < n; i++) {
		struct child *child = &children[i];
		if (next->n < search->options.beam && !has_twin(next, child->hash)) {
			child->record.kept = next->n;
			next->beam[next->n++] = state_of(child);
		}
		list[i] = child->record;
	}
	record->made = true;
	record->costed = record->n_children = n;
	record->kept = next->n;
	record->children = list;
	record->seconds = search->underway.seconds;
	free(children);
	return next;
}

static bool dead(const struct bw_search *search, const struct reached *next, int index, struct bw_error *error)
{
	if (next->n)
		return false;
	const struct bw_decision *decision = &next->decision;
	char counts[512] = "";
	size_t used = 0;
	for (int r = 0; r < BW_N_RULES; r++)
		if (decision->pruned[r] && used < sizeof counts)
			used += (size_t)snprintf(counts + used, sizeof counts - used, "%s%ld by %s", used ? ", " : "", decision->pruned[r], bw_rule_name((enum bw_rule)r));
	bw_fail(error, BW_ERROR_CONFLICT, "%s: no legal option for %s: of %ld enumerated, pruned %s", search->pipeline->funcs[decision->func].name, bw_phase_name(search->plan[index].phase), decision->enumerated, counts);
	return true;
}

/* What the threads that expand share. */
struct crew {
	struct underway *underway;
	atomic_int next;
	double deadline;
	const atomic_bool *stop;
};

/* Takes parents in turn until none is left or the time is over. */
static void *expand_some(void *data)
{
	enum { OPTIONS_A_LOOK = 16 };
	struct crew *crew = data;
	for (int p = atomic_fetch_add(&crew->next, 1); p < crew->underway->n; p = atomic_fetch_add(&crew->next, 1)) {
		struct bw_expanding *parent = &crew->underway->parents[p];
		while (!parent->done) {
			for (int i = 0; i < OPTIONS_A_LOOK && !parent->done; i++)
				bw_expanding_step(parent);
			if (now() > crew->deadline || (crew->stop && atomic_load(crew->stop)))
				return NULL;
		}
	}
	return NULL;
}

static bool expand_all(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	enum { MOST_THREADS = 64 };
	struct crew crew = {.underway = &search->underway, .deadline = deadline, .stop = stop};
	pthread_t threads[MOST_THREADS];
	int n = 0, wanted = search->options.threads < MOST_THREADS ? search->options.threads : MOST_THREADS;
	while (n + 1 < wanted && n + 1 < search->underway.n && pthread_create(&threads[n], NULL, expand_some, &crew) == 0)
		n++;
	expand_some(&crew);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (int p = 0; p < search->underway.n; p++)
		if (!search->underway.parents[p].done)
			return false;
	return true;
}

static void begin(struct bw_search *search, int index)
{
	const struct reached *from = search->reached[index];
	search->underway.n = from->n;
	search->underway.parents = BW_NEW_ARRAY(struct bw_expanding, from->n);
	for (int p = 0; p < from->n; p++) {
		struct bw_question question = question_of(search, index, from->beam[p]);
		bw_expanding_begin(&search->underway.parents[p], &question, true);
	}
}

enum bw_search_status bw_search_advance(struct bw_search *search, int until, double seconds, const atomic_bool *stop, struct bw_error *error)
{
	double start = now(), deadline = start + seconds;
	enum bw_search_status status = BW_SEARCH_GOING;
	while (status == BW_SEARCH_GOING) {
		int index = search->n_reached - 1;
		if (index >= search->n_decisions || index >= until) {
			status = BW_SEARCH_DONE;
			break;
		}
		double began = now();
		if (!search->underway.n)
			begin(search, index);
		bool complete = expand_all(search, deadline, stop);
		search->underway.seconds += now() - began;
		if (!complete)
			break;
		struct reached *next = merge(search, index);
		underway_end(&search->underway);
		if (dead(search, next, index, error)) {
			reached_drop(next);
			status = BW_SEARCH_DEAD;
		} else {
			search->reached[search->n_reached++] = next;
		}
		if (now() > deadline || (stop && atomic_load(stop)))
			break;
	}
	search->seconds += now() - start;
	if (status == BW_SEARCH_GOING && (search->n_reached > search->n_decisions || search->n_reached - 1 >= until))
		status = BW_SEARCH_DONE;
	return status;
}

int bw_search_n_decisions(const struct bw_search *search)
{
	return search->n_decisions;
}

const struct bw_decision *bw_search_decision(const struct bw_search *search, int index)
{
	return index + 1 < search->n_reached ? &search->reached[index + 1]->decision : &search->plan[index];
}

int bw_search_reached(const struct bw_search *search)
{
	return search->n_reached - 1;
}

int bw_search_find(const struct bw_search *search, int func, enum bw_phase phase)
{
	for (int d = 0; d < search->n_decisions; d++)
		if (search->plan[d].func == func && search->plan[d].phase == phase)
			return d;
	return -1;
}

int bw_search_beam(const struct bw_search *search, int position, const struct bw_state *const **states)
{
	*states = search->reached[position]->beam;
	return search->reached[position]->n;
}

/* Fates and ranks of an expansion from the record of its decision. */
static void apply_record(const struct bw_decision *record, int rank, struct bw_expansion *expansion)
{
	for (int c = 0; c < record->n_children; c++) {
		const struct bw_child *child = &record->children[c];
		if (child->parent != rank || child->option >= expansion->n)
			continue;
		struct bw_option *option = &expansion->options[child->option];
		option->rank = c;
		option->fate = child->kept >= 0 ? BW_FATE_KEPT : BW_FATE_DROPPED;
	}
}

struct bw_expansion *bw_search_expand(const struct bw_search *search, int index, int rank)
{
	const struct reached *from = search->reached[index];
	struct bw_question question = question_of(search, index, from->beam[rank]);
	struct bw_expanding expanding;
	bw_expanding_begin(&expanding, &question, false);
	while (!expanding.done)
		bw_expanding_step(&expanding);
	struct bw_expansion *expansion = expanding.expansion;
	expanding.expansion = NULL;
	bw_expanding_end(&expanding);
	bw_expansion_name(expansion);
	if (index + 1 < search->n_reached)
		apply_record(&search->reached[index + 1]->decision, rank, expansion);
	return expansion;
}

struct bw_cost bw_search_cost(const struct bw_search *search, const struct bw_nest *nest, struct bw_arena *arena)
{
	struct bw_cost cost = {.n = search->pipeline->n_stages};
	cost.stages = BW_ARENA_ARRAY(arena, struct bw_stage_cost, cost.n);
	search->options.model->cost(nest, search->options.device, arena, &cost);
	return cost;
}

const struct bw_search_options *bw_search_options_of(const struct bw_search *search)
{
	return &search->options;
}

const struct bw_constraints *bw_search_constraints(const struct bw_search *search)
{
	return &search->constraints;
}

const struct bw_pipeline *bw_search_pipeline(const struct bw_search *search)
{
	return search->pipeline;
}

struct bw_search_totals bw_search_totals(const struct bw_search *search)
{
	struct bw_search_totals totals = {.seconds = search->seconds};
	for (int p = 1; p < search->n_reached; p++) {
		const struct bw_decision *decision = &search->reached[p]->decision;
		totals.enumerated += decision->enumerated;
		totals.costed += decision->costed;
		totals.kept += decision->kept;
		totals.second += decision->second;
		for (int r = 0; r < BW_N_RULES; r++)
			totals.pruned[r] += decision->pruned[r];
	}
	return totals;
}
