#include "schedulers/exact.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "schedulers/exact_private.h"

/* A child state and its bound. */
struct child {
	const struct bw_option *option;
	double bound;
	int index; /* of its next decision */
};
struct frame {
	struct bw_nest *nest;
	int index;    /* of its decision */
	double cost;  /* so far */
	uint64_t key; /* of all that the undecided Funcs see */
	struct bw_expansion *expansion;
	struct child *children; /* by bound */
	int n, next;
	double least; /* least further cost of the options done so far, exact or a bound */
};

/* The least further cost by key: exact or a lower bound. */
struct known {
	uint64_t key;
	double least;
};

struct bw_exact {
	const struct bw_pipeline *pipeline;
	struct bw_search *search;
	struct bw_search *beam; /* the finished beam search */
	const struct bw_cost_model *model;
	bool additive; /* a kernel's cost does not depend on the other kernels */
	int n_decisions;
	struct frame *frames;
	int n_frames, capacity;
	struct bw_nest *best;
	double best_cost;
	struct known *known;
	size_t n_known, n_places;
	struct bw_exact_progress progress;
	struct bw_arena *arena;
	struct bw_exact_open open;
	struct bw_exact_bounds *bounds;
};

/* Returns the settings of a search of one pass over the whole space, which is never advanced. */
static struct bw_settings whole_space(const struct bw_settings *options)
{
	struct bw_settings whole = *options;
	whole.passes = 1;
	whole.sampling = BW_SAMPLING_OFF;
	whole.freezing = BW_FREEZING_OFF;
	whole.random = false;
	return whole;
}

static void set_best(struct bw_exact *exact, struct bw_nest *nest, double cost)
{
	bw_nest_keep(nest);
	bw_nest_drop(exact->best);
	exact->best = nest;
	exact->best_cost = cost;
}

static bool find_beams_best(struct bw_exact *exact, const struct bw_settings *options,
			    struct bw_error *error)
{
	struct bw_search *search = exact->beam = bw_search_new(exact->pipeline, options, NULL);
	bool good = bw_search_advance(search, INT_MAX, NULL, error) == BW_SEARCH_DONE;
	if (good) {
		const struct bw_state *best = bw_search_state(search, bw_search_reached(search), 0);
		set_best(exact, best->nest, best->cost);
		exact->progress.beam = best->cost;
	}
	return good;
}

/* Returns true if the best schedule has this placement. An untiled placement at root agrees with any
 * placement at root. */
static bool agrees(const struct bw_nest *best, const struct bw_placement *placement)
{
	const struct bw_placement *now = best->placed[placement->func]->placement;
	if (placement->compute.kind == BW_SITE_ROOT && !placement->tiled)
		return now->compute.kind == BW_SITE_ROOT;
	return bw_placement_equal(placement, now);
}

static bool all_agree(const struct bw_nest *best, const struct bw_nest *nest)
{
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		if (nest->placed[f] && !agrees(best, nest->placed[f]->placement))
			return false;
	return true;
}

/* Returns the rank of the state at a position from which the best schedule can be reached, or -1. */
static int on_the_way(const struct bw_search *search, int position, const struct bw_nest *best)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(search, position, &states);
	for (int s = 0; s < n; s++)
		if (all_agree(best, states[s]->nest))
			return s;
	return -1;
}

void bw_exact_lost(const struct bw_exact *exact, struct bw_text *out)
{
	const struct bw_search *beam = exact->beam;
	int pass = bw_settings_passes(bw_search_settings(beam)), rank = 0;
	int at = bw_search_pass_start(beam, pass), end = bw_search_pass_end(beam, pass);
	if (!exact->best || exact->best_cost >= exact->progress.beam)
		return;
	for (int next; at < end && (next = on_the_way(beam, at + 1, exact->best)) >= 0; at++)
		rank = next;
	if (at == end)
		return;
	const struct bw_decision *decision = bw_search_decision(beam, at);
	bw_text_printf(out, "the beam lost it at %s.%s: ", exact->pipeline->funcs[decision->func].name,
		       bw_phase_name(decision->phase));
	struct bw_expansion *expansion = bw_search_expand(beam, at, rank, NULL);
	const struct bw_option *lost = NULL;
	for (int i = 0; i < expansion->n && !lost; i++)
		if (expansion->options[i].placement && agrees(exact->best, expansion->options[i].placement))
			lost = &expansion->options[i];
	if (!lost)
		bw_text_puts(out, "it was no option");
	else if (lost->rank >= 0)
		bw_text_printf(out, "%s, %d others cost less so far", bw_fate_name(lost->fate), lost->rank);
	else
		bw_text_printf(out, "%s%s%s", bw_fate_name(lost->fate), *lost->reason ? ", " : "", lost->reason);
	bw_expansion_free(expansion);
}

double bw_exact_bound(struct bw_exact *exact, struct bw_nest *nest, int index, double cost)
{
	if (index >= exact->n_decisions)
		return cost;
	return exact->additive ? bw_exact_bounds_full(exact->bounds, nest, INFINITY) : 0;
}

static struct known *place_of(struct bw_exact *exact, uint64_t key)
{
	size_t at = key & (exact->n_places - 1);
	while (exact->known[at].key && exact->known[at].key != key)
		at = (at + 1) & (exact->n_places - 1);
	return &exact->known[at];
}

static void remember(struct bw_exact *exact, uint64_t key, double least)
{
	if (2 * exact->n_known >= exact->n_places) {
		BW_SCOPED_MEMORY struct known *old = exact->known;
		size_t n = exact->n_places;
		exact->n_places = n ? 2 * n : 1 << 12;
		exact->known = BW_NEW_ARRAY(struct known, exact->n_places);
		for (size_t i = 0; i < n; i++)
			if (old[i].key)
				*place_of(exact, old[i].key) = old[i];
	}
	struct known *known = place_of(exact, key);
	exact->n_known += !known->key;
	if (!known->key || known->least < least)
		*known = (struct known){key, least};
}

/* Returns the least further cost known for a key, or minus infinity. */
static double least_of(struct bw_exact *exact, uint64_t key)
{
	const struct known *known = exact->n_places ? place_of(exact, key) : NULL;
	return known && known->key ? known->least : -INFINITY;
}

BW_ORDER(by_bound, struct child,
	  4 * BW_COMPARE(a->bound, b->bound) + 2 * BW_COMPARE(a->option->cost, b->option->cost) +
	   BW_COMPARE(a->option->number, b->option->number))

static struct bw_nest *nest_with(struct bw_nest *nest, const struct bw_option *option)
{
	return option->placement ? bw_nest_place(nest, option->placement, NULL) : bw_nest_keep(nest);
}

/* Returns the decision that follows once an option of decision `index` is taken, or the number of
 * decisions. A Func that is not at root, or is tiled already, has no tiling to choose. */
static int next_choice(const struct bw_exact *exact, const struct bw_option *option, int index)
{
	const struct bw_placement *placement = option->placement;
	bool tiles = placement && placement->compute.kind == BW_SITE_ROOT && !placement->tiled;
	bool where = bw_search_decision(exact->search, index)->phase == BW_PHASE_WHERE;
	return where && !tiles ? index + 2 : index + 1;
}

/* Expands a state. bound: lower bound on the cost of all schedules from this state on, and so also from
 * its options on. */
static void push(struct bw_exact *exact, struct bw_nest *nest, int index, double cost, uint64_t key,
		 double bound)
{
	BW_GROW(exact->frames, exact->n_frames, exact->capacity);
	struct frame *frame = &exact->frames[exact->n_frames++];
	*frame = (struct frame){
	    .nest = bw_nest_keep(nest), .index = index, .cost = cost, .key = key, .least = INFINITY};
	frame->expansion = bw_search_offered(exact->search, index, nest, cost);
	frame->children = BW_NEW_ARRAY(struct child, frame->expansion->n);
	exact->progress.expanded++;
	for (int i = 0; i < frame->expansion->n; i++) {
		const struct bw_option *option = &frame->expansion->options[i];
		struct child *child = &frame->children[frame->n];
		if (option->fate != BW_FATE_COSTED)
			continue;
		exact->progress.priced++;
		*child = (struct child){option, option->cost, next_choice(exact, option, index)};
		if (child->index < exact->n_decisions)
			child->bound = bound;
		frame->n++;
	}
	if (frame->n)
		qsort(frame->children, (size_t)frame->n, sizeof *frame->children, by_bound);
}

static void pop(struct bw_exact *exact)
{
	struct frame *frame = &exact->frames[--exact->n_frames];
	free(frame->children);
	bw_expansion_free(frame->expansion);
	bw_nest_drop(frame->nest);
}

/* Finishes the current frame after all its options: passes its least further cost on to its parent. */
static void finish(struct bw_exact *exact)
{
	struct frame *frame = &exact->frames[exact->n_frames - 1];
	double least = frame->least, cost = frame->cost;
	if (exact->additive)
		remember(exact, frame->key, least);
	pop(exact);
	if (exact->n_frames) {
		struct frame *parent = &exact->frames[exact->n_frames - 1];
		parent->least = fmin(parent->least, cost - parent->cost + least);
	}
}

/* Searches the next option of the current frame. Options are ordered by bound: if the bound is too high,
 * cuts this option and all after it. Returns false and does nothing if more than `most` states would be
 * expanded. */
static bool step(struct bw_exact *exact, long most)
{
	struct frame *frame = &exact->frames[exact->n_frames - 1];
	if (frame->next == frame->n) {
		finish(exact);
		return true;
	}
	struct child *child = &frame->children[frame->next++];
	const struct bw_option *option = child->option;
	if (child->bound >= exact->best_cost) {
		frame->least = fmin(frame->least, child->bound - frame->cost);
		exact->progress.cut += frame->n - frame->next + 1;
		frame->next = frame->n;
		return true;
	}
	bool goes = true;
	BW_SCOPED_NEST *nest = nest_with(frame->nest, option);
	if (child->index == exact->n_decisions) {
		frame->least = fmin(frame->least, option->cost - frame->cost);
		set_best(exact, nest, option->cost);
	} else {
		uint64_t key = exact->additive ? bw_exact_open_key(&exact->open, nest, child->index) : 0;
		double known = exact->additive ? option->cost + least_of(exact, key) : 0;
		known = fmax(known, child->bound);
		if (exact->additive && known < exact->best_cost)
			known = fmax(known, bw_exact_bounds_full(exact->bounds, nest, exact->best_cost));
		if (known >= exact->best_cost) {
			frame->least = fmin(frame->least, known - frame->cost);
			exact->progress.cut++;
		} else if (exact->progress.expanded >= most) {
			frame->next--;
			goes = false;
		} else {
			push(exact, nest, child->index, option->cost, key, known);
		}
	}
	return goes;
}

struct bw_exact *bw_exact_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
			      struct bw_error *error)
{
	struct bw_exact *exact = BW_NEW(struct bw_exact);
	struct bw_settings unshared = *options, whole;
	unshared.variants &= ~(1 << BW_PLAN_ATOMIC_VARIANT | 1 << BW_PLAN_BLOCKS_VARIANT);
	whole = whole_space(&unshared);
	*exact = (struct bw_exact){.pipeline = pipeline, .best_cost = INFINITY, .arena = bw_arena_new()};
	exact->search = bw_search_new(pipeline, &whole, NULL);
	exact->model = bw_search_settings(exact->search)->model;
	exact->additive = exact->model->cost != NULL;
	exact->n_decisions = bw_search_n_decisions(exact->search);
	exact->open = bw_exact_open_new(pipeline, exact->arena);
	exact->bounds = exact->additive ? bw_exact_bounds_new(exact->search) : NULL;
	if (!find_beams_best(exact, &unshared, error)) {
		bw_exact_free(exact);
		return NULL;
	}
	const struct bw_state *first = bw_search_state(exact->search, 0, 0);
	push(exact, first->nest, 0, first->cost, bw_exact_open_key(&exact->open, first->nest, 0), 0);
	return exact;
}

void bw_exact_free(struct bw_exact *exact)
{
	if (!exact)
		return;
	while (exact->n_frames)
		pop(exact);
	free(exact->frames);
	free(exact->known);
	bw_exact_bounds_free(exact->bounds);
	bw_nest_drop(exact->best);
	bw_search_free(exact->search);
	bw_search_free(exact->beam);
	bw_arena_free(exact->arena);
	free(exact);
}

void bw_exact_restart(struct bw_exact *exact, struct bw_nest *nest, int index)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	double cost = bw_search_cost(exact->search, nest, arena).total;
	while (exact->n_frames)
		pop(exact);
	bw_nest_keep(nest);
	bw_nest_drop(exact->best);
	exact->best = NULL;
	exact->best_cost = INFINITY;
	if (index < exact->n_decisions)
		push(exact, nest, index, cost, bw_exact_open_key(&exact->open, nest, index), 0);
	else
		set_best(exact, nest, cost);
	bw_nest_drop(nest);
}

void bw_exact_resume(struct bw_exact *exact, struct bw_exact *older)
{
	free(exact->known);
	exact->known = BW_NEW_ARRAY(struct known, older->n_places);
	if (older->n_places)
		memcpy(exact->known, older->known, older->n_places * sizeof *exact->known);
	exact->n_known = older->n_known;
	exact->n_places = older->n_places;
	if (older->best && older->best_cost < exact->best_cost)
		set_best(exact, older->best, older->best_cost);
}

bool bw_exact_work(struct bw_exact *exact, const struct bw_yield *yield, const atomic_bool *stop, long most)
{
	while (exact->n_frames && bw_yield(yield)) {
		bool stops = stop && *stop;
		if (!step(exact, stops ? exact->progress.expanded : most ? most : LONG_MAX))
			return true;
	}
	return !exact->n_frames;
}

struct bw_exact_progress bw_exact_progress(const struct bw_exact *exact)
{
	struct bw_exact_progress progress = exact->progress;
	progress.best = progress.bound = exact->best_cost;
	progress.proven = !exact->n_frames;
	for (int i = 0; i < exact->n_frames; i++) {
		const struct frame *frame = &exact->frames[i];
		if (frame->next < frame->n)
			progress.bound = fmin(progress.bound, frame->children[frame->next].bound);
	}
	return progress;
}

struct bw_nest *bw_exact_best(const struct bw_exact *exact)
{
	return exact->best;
}

const struct bw_search *bw_exact_search(const struct bw_exact *exact)
{
	return exact->search;
}

struct bw_nest *bw_exact_first(const struct bw_exact *exact)
{
	return bw_search_state(exact->search, 0, 0)->nest;
}
