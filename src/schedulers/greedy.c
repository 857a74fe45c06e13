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

/* Operations of separate kernels for all marked Funcs that are not inlined. */
static double separate_total(struct greedy *greedy, const bool *marked)
{
	double sum = 0;
	for (int f = 0; f < greedy->of.pipeline->n_funcs; f++)
		if (marked[f] && !greedy->of.inlined[f])
			sum += greedy_total(greedy, f, -1, NULL);
	return sum;
}

/* Finds what inlining a Func into all that reads it saves. */
static void evaluate_inlining(struct greedy *greedy, struct bw_greedy_candidate *inlining, bool *marked)
{
	int func = inlining->producer;
	memset(marked, 0, (size_t)greedy->of.pipeline->n_funcs * sizeof *marked);
	bw_groups_mark_readers(&greedy->of, func, marked);
	marked[func] = true;
	double before = inlining->before = separate_total(greedy, marked);
	bw_groups_inline(&greedy->of, func, true);
	double after = inlining->after = separate_total(greedy, marked);
	bw_groups_inline(&greedy->of, func, false);
	inlining->benefit = isfinite(before) ? before - after : isfinite(after) ? INFINITY : 0;
}

static int by_benefit(const void *a, const void *b)
{
	const struct bw_greedy_candidate *first = a, *second = b;
	if (first->benefit != second->benefit)
		return first->benefit > second->benefit ? -1 : 1;
	return first->producer - second->producer;
}

/* Does what a candidate says: inlines its producer, or merges two groups with its tile. */
static void take(struct greedy *greedy, const struct bw_greedy_candidate *candidate)
{
	if (candidate->consumer < 0) {
		bw_groups_inline(&greedy->of, candidate->producer, true);
		return;
	}
	bw_groups_merge(&greedy->of, candidate->producer, candidate->consumer);
	greedy->of.tiles[candidate->consumer] = candidate->tile;
}

/* Returns the candidate of the last step for the same Funcs, or NULL. */
static const struct bw_greedy_candidate *find_before(const struct bw_greedy *outcome, int producer,
						     int consumer)
{
	const struct bw_greedy_step *last =
	    outcome->n_steps > outcome->first_step ? &outcome->steps[outcome->n_steps - 1] : NULL;
	for (int c = 0; last && c < last->n; c++)
		if (last->candidates[c].producer == producer && last->candidates[c].consumer == consumer)
			return &last->candidates[c];
	return NULL;
}

/* Lists the Funcs that can be inlined next (section 4.3). Returns how many. */
static int list_inlinings(struct bw_greedy *outcome, struct bw_greedy_candidate *list)
{
	struct greedy *greedy = outcome->own;
	const struct bw_pipeline *pipeline = greedy->of.pipeline;
	bool *marked = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		if (func->input || func->output || func->n_stages != 1 || greedy->of.inlined[f])
			continue;
		const struct bw_greedy_candidate *before = find_before(outcome, f, -1);
		list[n] = (struct bw_greedy_candidate){
		    .producer = f, .consumer = -1, .refused = before ? before->refused : NULL};
		evaluate_inlining(greedy, &list[n++], marked);
	}
	free(marked);
	return n;
}

/* The best tile of a group of one that has updates, for reuse of its input (listing 1). */
static void tile_singleton(struct greedy *greedy, int func)
{
	struct bw_arena *arena = bw_arena_new();
	double without = greedy_all_loads(greedy, func), best = 0;
	int n, n_dims = greedy->of.pipeline->funcs[func].n_dims;
	const int64_t *tiles = greedy_tiles(greedy, func, arena, &n);
	for (int i = 0; i < n; i++) {
		struct group_cost cost;
		const int64_t *tile = &tiles[i * n_dims];
		if (!greedy_cost(greedy, func, -1, tile, &cost) ||
		    !greedy_tile_fits(greedy, func, tile, &cost) || without - cost.tiles * cost.loads <= best)
			continue;
		best = without - cost.tiles * cost.loads;
		int64_t *kept = BW_ARENA_ARRAY(greedy->of.arena, int64_t, n_dims);
		memcpy(kept, tile, (size_t)n_dims * sizeof *kept);
		greedy->of.tiles[func] = kept;
	}
	bw_arena_free(arena);
}

/* Finds the tile of a merge that saves most (listing 2). */
static void evaluate_merge(struct greedy *greedy, struct bw_greedy_candidate *merge)
{
	struct bw_arena *arena = bw_arena_new();
	int n, n_dims = greedy->of.pipeline->funcs[merge->consumer].n_dims;
	double apart = greedy_total(greedy, merge->producer, -1, greedy->of.tiles[merge->producer]) +
		       greedy_total(greedy, merge->consumer, -1, greedy->of.tiles[merge->consumer]);
	const int64_t *tiles = greedy_tiles(greedy, merge->consumer, arena, &n), *best = NULL;
	merge->benefit = -INFINITY;
	for (int i = 0; i < n; i++) {
		struct group_cost cost;
		const int64_t *tile = &tiles[i * n_dims];
		if (!greedy_cost(greedy, merge->consumer, merge->producer, tile, &cost) ||
		    !greedy_tile_fits(greedy, merge->consumer, tile, &cost))
			continue;
		double together = cost.tiles * (cost.arithmetic + greedy->options.load_cost * cost.loads);
		if (apart - together > merge->benefit) {
			merge->benefit = apart - together;
			merge->before = apart;
			merge->after = together;
			merge->tiles = cost.tiles;
			merge->bytes = cost.bytes;
			best = tile;
		}
	}
	if (best) {
		merge->tile = BW_ARENA_ARRAY(greedy->of.arena, int64_t, n_dims);
		memcpy(merge->tile, best, (size_t)n_dims * sizeof *best);
	} else {
		merge->benefit = 0;
		merge->refused = "no tile leaves enough blocks and fits into shared memory";
	}
	bw_arena_free(arena);
}

/* Lists the pairs of groups that can be merged next (section 4.2). Returns how many. */
static int list_merges(struct bw_greedy *outcome, struct bw_greedy_candidate *list)
{
	struct greedy *greedy = outcome->own;
	const struct bw_pipeline *pipeline = greedy->of.pipeline;
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		bool merges = greedy->of.group[f] == f && !pipeline->funcs[f].output;
		int reader = merges ? bw_groups_only_reader(&greedy->of, f) : -1;
		if (reader < 0)
			continue;
		const struct bw_greedy_candidate *before = find_before(outcome, f, reader);
		list[n] = (struct bw_greedy_candidate){.producer = f, .consumer = reader};
		if (before && f != outcome->changed && reader != outcome->changed)
			list[n] = *before;
		else
			evaluate_merge(greedy, &list[n]);
		n++;
	}
	return n;
}

/* Tiles the groups that have updates. A tile that is not legal is given up. */
static void tile_all(struct bw_greedy *outcome)
{
	struct greedy *greedy = outcome->own;
	for (int f = 0; f < greedy->of.pipeline->n_funcs; f++) {
		if (greedy->of.group[f] != f || greedy->of.pipeline->funcs[f].n_stages < 2)
			continue;
		tile_singleton(greedy, f);
		struct bw_schedule *schedule = greedy->of.tiles[f] ? greedy_schedule(greedy, NULL) : NULL;
		if (schedule) {
			bw_schedule_drop(outcome->schedule);
			outcome->schedule = schedule;
		} else {
			greedy->of.tiles[f] = NULL;
		}
	}
}

bool bw_greedy_begin(const struct bw_pipeline *pipeline, const struct bw_device *device,
		     const struct bw_greedy_options *options, struct bw_greedy *outcome,
		     struct bw_error *error)
{
	*outcome = (struct bw_greedy){.arena = bw_arena_new(), .changed = -1};
	struct greedy *greedy = outcome->own = BW_ARENA_ARRAY(outcome->arena, struct greedy, 1);
	greedy->options = *options;
	bw_groups_begin(&greedy->of, pipeline, device, outcome->arena);
	outcome->inlined = greedy->of.inlined;
	outcome->group = greedy->of.group;
	outcome->tiles = greedy->of.tiles;
	outcome->schedule = greedy_schedule(greedy, error);
	if (!outcome->schedule)
		bw_greedy_free(outcome);
	return outcome->schedule;
}

struct bw_greedy_step *bw_greedy_next(struct bw_greedy *outcome)
{
	if (outcome->phase == BW_GREEDY_END)
		return NULL;
	struct bw_greedy_candidate *list =
	    BW_ARENA_ARRAY(outcome->arena, struct bw_greedy_candidate, outcome->own->of.pipeline->n_funcs);
	int n = outcome->phase == BW_GREEDY_INLINE ? list_inlinings(outcome, list) : list_merges(outcome, list);
	qsort(list, (size_t)n, sizeof *list, by_benefit);
	BW_GROW(outcome->steps, outcome->n_steps, outcome->capacity);
	outcome->steps[outcome->n_steps++] = (struct bw_greedy_step){outcome->phase, n, list, -1};
	return &outcome->steps[outcome->n_steps - 1];
}

static void end_phase(struct bw_greedy *outcome)
{
	if (outcome->phase == BW_GREEDY_INLINE)
		tile_all(outcome);
	outcome->phase++;
	outcome->first_step = outcome->n_steps;
}

bool bw_greedy_take(struct bw_greedy *outcome, int candidate, struct bw_error *error)
{
	struct greedy *greedy = outcome->own;
	struct bw_greedy_step *step = &outcome->steps[outcome->n_steps - 1];
	if (candidate < 0) {
		end_phase(outcome);
		return true;
	}
	if (step->candidates[candidate].refused)
		return bw_fail(error, BW_ERROR_INPUT, "%s", step->candidates[candidate].refused);
	struct bw_groups_kept kept = bw_groups_keep(&greedy->of);
	take(greedy, &step->candidates[candidate]);
	struct bw_schedule *schedule = greedy_schedule(greedy, error);
	if (schedule) {
		bw_schedule_drop(outcome->schedule);
		outcome->schedule = schedule;
		step->taken = candidate;
		outcome->changed = step->candidates[candidate].consumer;
	} else {
		bw_groups_return(&greedy->of, &kept);
	}
	bw_groups_kept_free(&kept);
	return schedule;
}

bool bw_greedy_run(const struct bw_pipeline *pipeline, const struct bw_device *device,
		   const struct bw_greedy_options *options, struct bw_greedy *outcome, struct bw_error *error)
{
	if (!bw_greedy_begin(pipeline, device, options, outcome, error))
		return false;
	for (struct bw_greedy_step *step; (step = bw_greedy_next(outcome));) {
		bool taken = false;
		for (int i = 0; i < step->n && !taken && step->candidates[i].benefit > 0; i++) {
			struct bw_error refused = {0};
			taken = bw_greedy_take(outcome, i, &refused);
			if (!taken)
				step->candidates[i].refused = bw_arena_strdup(outcome->arena, refused.text);
		}
		if (!taken)
			bw_greedy_take(outcome, -1, NULL);
	}
	return true;
}

void bw_greedy_free(struct bw_greedy *greedy)
{
	bw_schedule_drop(greedy->schedule);
	free(greedy->steps);
	bw_arena_free(greedy->arena);
	*greedy = (struct bw_greedy){0};
}
