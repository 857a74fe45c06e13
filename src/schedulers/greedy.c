/* Inlining and grouping (Mullapudi et al. 2016, sections 4.2 and 4.3). */
#include "schedulers/greedy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedulers/greedy_private.h"

struct bw_greedy_options bw_greedy_options_default(const struct bw_device *device)
{
	enum { THRESHOLD = 128, CACHE = 48 << 10, LOAD_COST = 10, THREADS = 128 };
	return (struct bw_greedy_options){
		.parallelism_threshold = THRESHOLD,
		.cache_size = CACHE,
		.load_cost = LOAD_COST,
		.vector_width = (int64_t)device->warp_size,
		.target_threads_per_block = THREADS,
		.max_threads_per_block = (int64_t)device->threads_per_block,
	};
}

/* Marks the Funcs that read `func`, directly or through inlined ones, which are marked, too. */
static void mark_readers(const struct greedy *greedy, int func, bool *marked)
{
	const struct bw_func *of = &greedy->pipeline->funcs[func];
	for (int c = 0; c < of->n_consumers; c++) {
		int reader = of->consumers[c]->func;
		if (marked[reader])
			continue;
		marked[reader] = true;
		if (greedy->inlined[reader])
			mark_readers(greedy, reader, marked);
	}
}

/* Operations of separate kernels for all marked Funcs that are not inlined. */
static double separate_total(struct greedy *greedy, const bool *marked)
{
	double sum = 0;
	for (int f = 0; f < greedy->pipeline->n_funcs; f++)
		if (marked[f] && !greedy->inlined[f])
			sum += greedy_total(greedy, f, -1, NULL);
	return sum;
}

static void set_inlined(struct greedy *greedy, int func, bool inlined)
{
	greedy->inlined[func] = inlined;
	greedy->group[func] = inlined ? -1 : func;
	greedy_values(greedy);
}

/* What inlining a Func into all that reads it saves. */
static double inlining_benefit(struct greedy *greedy, int func, bool *marked)
{
	memset(marked, 0, (size_t)greedy->pipeline->n_funcs * sizeof *marked);
	mark_readers(greedy, func, marked);
	marked[func] = true;
	double before = separate_total(greedy, marked);
	set_inlined(greedy, func, true);
	double after = separate_total(greedy, marked);
	set_inlined(greedy, func, false);
	return isfinite(before) ? before - after : isfinite(after) ? INFINITY : 0;
}

static int by_benefit(const void *a, const void *b)
{
	const struct bw_greedy_candidate *first = a, *second = b;
	if (first->benefit != second->benefit)
		return first->benefit > second->benefit ? -1 : 1;
	return first->producer - second->producer;
}

/* The outcome as it grows. */
struct growing {
	struct greedy *greedy;
	struct bw_greedy *outcome;
	int capacity;
};

/* The groups at a moment, to go back to. */
struct kept {
	bool *inlined;
	int *group;
	const int64_t **tiles;
};

static struct kept keep(const struct greedy *greedy)
{
	int n = greedy->pipeline->n_funcs;
	struct kept kept = {BW_NEW_ARRAY(bool, n), BW_NEW_ARRAY(int, n), BW_NEW_ARRAY(const int64_t *, n)};
	memcpy(kept.inlined, greedy->inlined, (size_t)n * sizeof *kept.inlined);
	memcpy(kept.group, greedy->group, (size_t)n * sizeof *kept.group);
	memcpy(kept.tiles, greedy->tiles, (size_t)n * sizeof *kept.tiles);
	return kept;
}

static void go_back(struct greedy *greedy, const struct kept *kept)
{
	int n = greedy->pipeline->n_funcs;
	memcpy(greedy->inlined, kept->inlined, (size_t)n * sizeof *kept->inlined);
	memcpy(greedy->group, kept->group, (size_t)n * sizeof *kept->group);
	memcpy(greedy->tiles, kept->tiles, (size_t)n * sizeof *kept->tiles);
	greedy_values(greedy);
}

static void kept_free(struct kept *kept)
{
	free(kept->inlined);
	free(kept->group);
	free(kept->tiles);
}

/* Does what a candidate says: inlines its producer, or merges two groups with its tile. */
static void take(struct greedy *greedy, const struct bw_greedy_candidate *candidate)
{
	if (candidate->consumer < 0) {
		set_inlined(greedy, candidate->producer, true);
		return;
	}
	for (int f = 0; f < greedy->pipeline->n_funcs; f++)
		if (greedy->group[f] == candidate->producer)
			greedy->group[f] = candidate->consumer;
	greedy->tiles[candidate->consumer] = candidate->tile;
}

/* Adds a step with these candidates, sorted. Takes the first that saves something and whose schedule is
 * legal. Returns false if there is none. */
static bool add_step(struct growing *growing, struct bw_greedy_candidate *candidates, int n)
{
	struct greedy *greedy = growing->greedy;
	struct bw_greedy *outcome = growing->outcome;
	struct bw_greedy_step step = {n, candidates, -1};
	struct kept kept = keep(greedy);
	qsort(candidates, (size_t)n, sizeof *candidates, by_benefit);
	for (int i = 0; i < n && step.taken < 0 && candidates[i].benefit > 0; i++) {
		struct bw_error error = {0};
		if (candidates[i].refused)
			continue;
		take(greedy, &candidates[i]);
		struct bw_schedule *schedule = greedy_schedule(greedy, &error);
		if (schedule) {
			bw_schedule_drop(outcome->schedule);
			outcome->schedule = schedule;
			step.taken = i;
		} else {
			go_back(greedy, &kept);
			candidates[i].refused = bw_arena_strdup(outcome->arena, error.text);
		}
	}
	kept_free(&kept);
	BW_GROW(outcome->steps, outcome->n_steps, growing->capacity);
	outcome->steps[outcome->n_steps++] = step;
	return step.taken >= 0;
}

/* Returns the candidate of the last step for the same Funcs, or NULL. */
static const struct bw_greedy_candidate *find_before(const struct bw_greedy *outcome, int first, int producer,
						     int consumer)
{
	const struct bw_greedy_step *last = outcome->n_steps > first ? &outcome->steps[outcome->n_steps - 1] : NULL;
	for (int c = 0; last && c < last->n; c++)
		if (last->candidates[c].producer == producer && last->candidates[c].consumer == consumer)
			return &last->candidates[c];
	return NULL;
}

/* Inlines one Func after the other while that saves operations (section 4.3). */
static void inline_all(struct growing *growing)
{
	struct greedy *greedy = growing->greedy;
	const struct bw_pipeline *pipeline = greedy->pipeline;
	bool *marked = BW_NEW_ARRAY(bool, pipeline->n_funcs), more = true;
	while (more) {
		struct bw_greedy_candidate *list =
		    BW_ARENA_ARRAY(greedy->arena, struct bw_greedy_candidate, pipeline->n_funcs);
		int n = 0;
		for (int f = 0; f < pipeline->n_funcs; f++) {
			const struct bw_func *func = &pipeline->funcs[f];
			if (func->input || func->output || func->n_stages != 1 || greedy->inlined[f])
				continue;
			list[n] = (struct bw_greedy_candidate){
			    .producer = f, .consumer = -1, .benefit = inlining_benefit(greedy, f, marked)};
			const struct bw_greedy_candidate *before = find_before(growing->outcome, 0, f, -1);
			list[n++].refused = before ? before->refused : NULL;
		}
		more = add_step(growing, list, n);
	}
	free(marked);
}

/* The best tile of a group of one that has updates, for reuse of its input (listing 1). */
static void tile_singleton(struct greedy *greedy, int func)
{
	struct bw_arena *arena = bw_arena_new();
	double without = greedy_all_loads(greedy, func), best = 0;
	int n, n_dims = greedy->pipeline->funcs[func].n_dims;
	const int64_t *tiles = greedy_tiles(greedy, func, arena, &n);
	for (int i = 0; i < n; i++) {
		struct group_cost cost;
		const int64_t *tile = &tiles[i * n_dims];
		if (!greedy_cost(greedy, func, -1, tile, &cost) ||
		    !greedy_tile_fits(greedy, func, tile, &cost) || without - cost.tiles * cost.loads <= best)
			continue;
		best = without - cost.tiles * cost.loads;
		int64_t *kept = BW_ARENA_ARRAY(greedy->arena, int64_t, n_dims);
		memcpy(kept, tile, (size_t)n_dims * sizeof *kept);
		greedy->tiles[func] = kept;
	}
	bw_arena_free(arena);
}

/* Returns the only group that reads a group's output, or -1. */
static int only_reader(const struct greedy *greedy, int output)
{
	int reader = -1;
	bool *marked = BW_NEW_ARRAY(bool, greedy->pipeline->n_funcs);
	mark_readers(greedy, output, marked);
	for (int f = 0; f < greedy->pipeline->n_funcs; f++)
		if (marked[f] && !greedy->inlined[f] && greedy->group[f] != output)
			reader = reader == -1 || reader == greedy->group[f] ? greedy->group[f] : -2;
	free(marked);
	return reader < 0 ? -1 : reader;
}

/* Finds the tile of a merge that saves most (listing 2). */
static void evaluate_merge(struct greedy *greedy, struct bw_greedy_candidate *merge)
{
	struct bw_arena *arena = bw_arena_new();
	int n, n_dims = greedy->pipeline->funcs[merge->consumer].n_dims;
	double apart = greedy_total(greedy, merge->producer, -1, greedy->tiles[merge->producer]) +
		       greedy_total(greedy, merge->consumer, -1, greedy->tiles[merge->consumer]);
	const int64_t *tiles = greedy_tiles(greedy, merge->consumer, arena, &n), *best = NULL;
	merge->benefit = -INFINITY;
	for (int i = 0; i < n; i++) {
		struct group_cost cost;
		const int64_t *tile = &tiles[i * n_dims];
		if (!greedy_cost(greedy, merge->consumer, merge->producer, tile, &cost) ||
		    !greedy_tile_fits(greedy, merge->consumer, tile, &cost))
			continue;
		double benefit = apart - cost.tiles * (cost.arithmetic + greedy->options.load_cost * cost.loads);
		if (benefit > merge->benefit) {
			merge->benefit = benefit;
			best = tile;
		}
	}
	if (best) {
		merge->tile = BW_ARENA_ARRAY(greedy->arena, int64_t, n_dims);
		memcpy(merge->tile, best, (size_t)n_dims * sizeof *best);
	} else {
		merge->benefit = 0;
		merge->refused = "no tile leaves enough blocks and fits into shared memory";
	}
	bw_arena_free(arena);
}

/* Merges the best pair of groups while that saves operations (section 4.2). */
static void merge_all(struct growing *growing)
{
	struct greedy *greedy = growing->greedy;
	const struct bw_pipeline *pipeline = greedy->pipeline;
	int first = growing->outcome->n_steps, changed = -1;
	for (bool more = true; more;) {
		struct bw_greedy_candidate *list =
		    BW_ARENA_ARRAY(greedy->arena, struct bw_greedy_candidate, pipeline->n_funcs);
		int n = 0;
		for (int f = 0; f < pipeline->n_funcs; f++) {
			int reader = greedy->group[f] == f && !pipeline->funcs[f].output ? only_reader(greedy, f) : -1;
			if (reader < 0)
				continue;
			const struct bw_greedy_candidate *before = find_before(growing->outcome, first, f, reader);
			list[n] = (struct bw_greedy_candidate){.producer = f, .consumer = reader};
			if (before && f != changed && reader != changed)
				list[n] = *before;
			else
				evaluate_merge(greedy, &list[n]);
			n++;
		}
		more = add_step(growing, list, n);
		if (more)
			changed = list[growing->outcome->steps[growing->outcome->n_steps - 1].taken].consumer;
	}
}

static void begin(struct greedy *greedy)
{
	const struct bw_pipeline *pipeline = greedy->pipeline;
	int n = pipeline->n_funcs;
	struct bw_arena *arena = greedy->arena;
	greedy->inlined = BW_ARENA_ARRAY(arena, bool, n);
	greedy->group = BW_ARENA_ARRAY(arena, int, n);
	greedy->tiles = BW_ARENA_ARRAY(arena, const int64_t *, n);
	greedy->whole = BW_ARENA_ARRAY(arena, struct bw_interval, n * BW_MAX_DIMS);
	greedy->boxes = BW_ARENA_ARRAY(arena, struct bw_interval, n * BW_MAX_DIMS);
	greedy->bounded = BW_ARENA_ARRAY(arena, bool, n);
	greedy->known = BW_ARENA_ARRAY(arena, bool, n);
	greedy->value = BW_ARENA_ARRAY(arena, double, n);
	greedy->stage_operations = BW_ARENA_ARRAY(arena, double, pipeline->n_stages);
	for (int f = 0; f < n; f++) {
		greedy->inlined[f] = false;
		greedy->group[f] = pipeline->funcs[f].input ? -1 : f;
		greedy->tiles[f] = NULL;
	}
	greedy_costs_begin(greedy);
}

/* Tiles the groups that have updates. A tile that is not legal is given up. */
static void tile_all(struct growing *growing)
{
	struct greedy *greedy = growing->greedy;
	for (int f = 0; f < greedy->pipeline->n_funcs; f++) {
		if (greedy->group[f] != f || greedy->pipeline->funcs[f].n_stages < 2)
			continue;
		tile_singleton(greedy, f);
		struct bw_schedule *schedule = greedy->tiles[f] ? greedy_schedule(greedy, NULL) : NULL;
		if (schedule) {
			bw_schedule_drop(growing->outcome->schedule);
			growing->outcome->schedule = schedule;
		} else {
			greedy->tiles[f] = NULL;
		}
	}
}

bool bw_greedy_run(const struct bw_pipeline *pipeline, const struct bw_device *device,
		   const struct bw_greedy_options *options, struct bw_greedy *outcome, struct bw_error *error)
{
	*outcome = (struct bw_greedy){.arena = bw_arena_new()};
	struct greedy greedy = {
	    .pipeline = pipeline, .device = device, .options = *options, .arena = outcome->arena};
	struct growing growing = {&greedy, outcome, 0};
	begin(&greedy);
	outcome->inlined = greedy.inlined;
	outcome->group = greedy.group;
	outcome->tiles = greedy.tiles;
	outcome->schedule = greedy_schedule(&greedy, error);
	if (!outcome->schedule) {
		bw_greedy_free(outcome);
		return false;
	}
	inline_all(&growing);
	tile_all(&growing);
	merge_all(&growing);
	return true;
}

void bw_greedy_free(struct bw_greedy *greedy)
{
	bw_schedule_drop(greedy->schedule);
	free(greedy->steps);
	bw_arena_free(greedy->arena);
	*greedy = (struct bw_greedy){0};
}
