/* The phases of the scheduler: inlining (section 4.1), merging and tiling (4.2), nested fusion (4.3). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "schedulers/sioutas.h"

/* Best tiles of a group that are choices: of valid ones, and where none is. */
enum { MOST_TILES = 1024, MOST_INVALID = 32 };
/* Rules that a tile must keep whatever it is for, since no kernel could be launched. */
enum { HARD = BW_SIOUTAS_THREADS | BW_SIOUTAS_SHARED };

struct sioutas_deciding *sioutas_new(const struct bw_pipeline *pipeline, const struct bw_device *device,
				     struct bw_error *error)
{
	struct sioutas_deciding *deciding = bw_grouping_new(sizeof *deciding, pipeline, device, sioutas_place);
	struct sioutas *sioutas = &deciding->sioutas;
	int n = pipeline->n_funcs;
	sioutas->nested = BW_ARENA_ARRAY(sioutas->own.arena, int, n);
	sioutas->demand = BW_ARENA_ARRAY(sioutas->own.arena, double, n);
	deciding->group_cost = BW_ARENA_ARRAY(sioutas->own.arena, double, n);
	deciding->merges = BW_ARENA_ARRAY(sioutas->own.arena, struct sioutas_choice *, n);
	for (int f = 0; f < n; f++)
		sioutas->nested[f] = -1;
	if (bw_grouping_remake(&sioutas->own, error))
		return deciding;
	bw_grouping_end(deciding);
	return NULL;
}

/* Refuses what the options of the search exclude. */
static void refuse_excluded(struct sioutas_deciding *deciding)
{
	const int *group = deciding->sioutas.own.of.group;
	bool flat = deciding->phase == SIOUTAS_NEST && deciding->flat;
	for (int c = 0; c < deciding->n; c++) {
		struct sioutas_choice *choice = &deciding->choices[c];
		if (deciding->without[deciding->phase])
			choice->own.refused = deciding->without[deciding->phase];
		else if (flat && group[choice->own.consumer] != choice->own.consumer)
			choice->own.refused = "disable_subtiling is 1";
	}
}

static double alone(void *state, int func)
{
	return sioutas_alone(state, func);
}

/* Returns true if all Funcs that read this one, through inlined ones, do so point by point. */
static bool read_by_point(const struct bw_groups *of, int func)
{
	const struct bw_func *read = &of->pipeline->funcs[func];
	if (!bw_func_pointwise(of->pipeline, func))
		return false;
	for (int c = 0; c < read->n_consumers; c++)
		if (of->inlined[read->consumers[c]->func] && !read_by_point(of, read->consumers[c]->func))
			return false;
	return true;
}

/* Finds what inlining a Func saves, and whether it is trivial. */
static void evaluate_inlining(struct sioutas *sioutas, struct sioutas_choice *choice, bool *marked)
{
	const struct bw_groups *of = &sioutas->own.of;
	int f = choice->own.func, readers = 0;
	const struct bw_stage *stage = &of->pipeline->funcs[f].stages[0];
	double calls = 0, before;
	bw_grouping_weigh(&sioutas->own, &choice->own, marked, alone, &before, &choice->group_cost);
	for (int r = 0; r < of->pipeline->n_funcs; r++)
		readers += marked[r] && !of->inlined[r] && r != f;
	for (int r = 0; r < stage->n_reads; r++)
		calls += stage->reads[r].calls;
	bool cheap = of->value[f] <= 1 && calls <= 1, by_point = readers == 1 && read_by_point(of, f);
	choice->own.trivial = cheap || by_point;
	choice->how = by_point ? "read point by point" : cheap ? "trivial" : "";
}

static void list_inlinings(struct sioutas_deciding *deciding)
{
	struct sioutas *sioutas = &deciding->sioutas;
	const struct bw_pipeline *pipeline = sioutas->own.of.pipeline;
	BW_SCOPED_MEMORY bool *marked = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		if (!bw_grouping_may_inline(&sioutas->own.of, f))
			continue;
		struct sioutas_choice *choice = &deciding->choices[deciding->n++];
		*choice = (struct sioutas_choice){.own = {.func = f, .consumer = -1}, .how = ""};
		evaluate_inlining(sioutas, choice, marked);
	}
}

/* The rules that a tile breaks which count: while groups are merged blocks need not be whole warps. */
static int broken(const struct sioutas_cost *cost, bool final)
{
	return final ? cost->broken : cost->broken & ~BW_SIOUTAS_WARPS;
}

/* Returns true if a tile is better than another: it breaks fewer rules, has more SMs active, costs less. */
static bool better(const struct sioutas_choice *a, const struct sioutas_choice *b, bool final)
{
	int rules = __builtin_popcount((unsigned)broken(&a->cost, final)) -
		    __builtin_popcount((unsigned)broken(&b->cost, final));
	if (rules)
		return rules < 0;
	if (a->cost.host.active_sms != b->cost.host.active_sms)
		return a->cost.host.active_sms > b->cost.host.active_sms;
	return a->group_cost < b->group_cost;
}

/* Costs a tile of a group. Returns false if it has no cost, or could not be launched. */
static bool evaluate_tile(struct sioutas *sioutas, int extra, bool final, struct sioutas_choice *choice)
{
	choice->known = sioutas_cost(sioutas, choice->own.func, extra, choice->own.tile, &choice->cost);
	choice->group_cost = final ? sioutas_final_cost(&choice->cost) : sioutas_grouping_cost(&choice->cost);
	return choice->known && !(choice->cost.broken & HARD);
}

/* Finds the best tile of powers of two for a group, `extra` (-1: none) in it. Returns false if none can be
 * launched. */
static bool best_tile(struct sioutas_deciding *deciding, int output, int extra, struct sioutas_choice *best)
{
	struct sioutas *sioutas = &deciding->sioutas;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n = 0, n_dims = sioutas->own.of.pipeline->funcs[output].n_dims;
	const int64_t *tiles = NULL;
	if (sioutas->own.of.bounded[output])
		tiles = sioutas_tiles(sioutas, output, false, arena, &n);
	bool found = false;
	for (int i = 0; i < n; i++) {
		struct sioutas_choice one = {.own = {.func = output, .consumer = -1, .tile = &tiles[i * n_dims]}, .how = ""};
		if (evaluate_tile(sioutas, extra, false, &one) && (!found || better(&one, best, false))) {
			*best = one;
			found = true;
		}
	}
	if (found) {
		int64_t *kept = BW_ARENA_ARRAY(deciding->sioutas.own.arena, int64_t, n_dims);
		memcpy(kept, best->own.tile, (size_t)n_dims * sizeof *kept);
		best->own.tile = kept;
	}
	return found;
}

/* Tiles the groups of one, with which merging begins. */
static void tile_all(struct sioutas_deciding *deciding)
{
	struct bw_groups *of = &deciding->sioutas.own.of;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		struct sioutas_choice best;
		deciding->group_cost[f] = INFINITY;
		if (of->group[f] != f || !of->pipeline->funcs[f].n_dims || !best_tile(deciding, f, -1, &best))
			continue;
		of->tiles[f] = best.own.tile;
		deciding->group_cost[f] = best.group_cost;
		if (!bw_grouping_remake(&deciding->sioutas.own, NULL))
			of->tiles[f] = NULL;
	}
}

static const char *say_broken(struct sioutas_deciding *deciding, const struct sioutas_cost *cost, bool final)
{
	struct bw_text text = {0};
	bw_sioutas_say(&cost->worst, broken(cost, final), &text);
	return bw_text_keep(&text, deciding->sioutas.own.arena);
}

static void evaluate_merge(struct sioutas_deciding *deciding, struct sioutas_choice *merge)
{
	int producer = merge->own.func, consumer = merge->own.consumer;
	double apart = deciding->group_cost[producer] + deciding->group_cost[consumer];
	if (!best_tile(deciding, consumer, producer, merge)) {
		*merge = (struct sioutas_choice){.own = {.refused = "no tile is valid"}, .how = ""};
	} else if (broken(&merge->cost, false)) {
		merge->own.refused = bw_arena_format(deciding->sioutas.own.arena, "no tile is valid; the nearest has %s",
						 say_broken(deciding, &merge->cost, false));
		merge->own.tile = NULL;
	} else {
		merge->own.benefit = apart - merge->group_cost;
	}
	merge->own.func = producer;
	merge->own.consumer = consumer;
}

/* Lists the pairs of groups that can merge: a producer's with the only one that reads it. What a merge did
 * not touch is taken as it was found before. */
static void list_merges(struct sioutas_deciding *deciding)
{
	const struct bw_groups *of = &deciding->sioutas.own.of;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		int reader = bw_grouping_reader(of, f);
		if (reader < 0)
			continue;
		if (!deciding->merges[f] || deciding->merges[f]->own.consumer != reader) {
			deciding->merges[f] = BW_ARENA_ARRAY(deciding->sioutas.own.arena, struct sioutas_choice, 1);
			*deciding->merges[f] = (struct sioutas_choice){.own = {.func = f, .consumer = reader}};
			evaluate_merge(deciding, deciding->merges[f]);
		}
		deciding->choices[deciding->n++] = *deciding->merges[f];
	}
}

BW_ORDER(by_tile, struct sioutas_choice,
	  better(a, b, true) ? -1 : better(b, a, true) ? 1 : BW_COMPARE(a->own.tile, b->own.tile))

/* Lists the tiles of one group in steps of two, the best only. */
static void list_tiles(struct sioutas_deciding *deciding)
{
	struct sioutas *sioutas = &deciding->sioutas;
	int output = deciding->at, n, n_dims = sioutas->own.of.pipeline->funcs[output].n_dims;
	struct sioutas_choice now = {.own = {.func = output, .tile = sioutas->own.of.tiles[output]}};
	const int64_t *tiles = sioutas_tiles(sioutas, output, true, deciding->sioutas.own.arena, &n);
	BW_SCOPED_MEMORY struct sioutas_choice *all = BW_NEW_ARRAY(struct sioutas_choice, n ? n : 1);
	evaluate_tile(sioutas, -1, true, &now);
	deciding->n_all = 0;
	for (int i = 0; i < n; i++) {
		struct sioutas_choice *one = &all[deciding->n_all];
		*one = (struct sioutas_choice){.own = {.func = output, .consumer = -1, .tile = &tiles[i * n_dims]}, .how = ""};
		deciding->n_all += evaluate_tile(sioutas, -1, true, one);
		one->own.benefit = now.group_cost - one->group_cost;
	}
	qsort(all, (size_t)deciding->n_all, sizeof *all, by_tile);
	deciding->none_valid = deciding->n_all && all[0].cost.broken;
	int most = deciding->none_valid ? MOST_INVALID : MOST_TILES;
	for (int i = 0; i < deciding->n_all && i < most; i++) {
		if (all[i].cost.broken && !deciding->none_valid)
			break;
		deciding->choices[deciding->n++] = all[i];
		if (deciding->none_valid)
			deciding->choices[deciding->n - 1].how = say_broken(deciding, &all[i].cost, true);
	}
}

/* Lists the members that may be nested in threads of their consumer. */
static void list_nestings(struct sioutas_deciding *deciding)
{
	struct sioutas *sioutas = &deciding->sioutas;
	for (int f = 0; f < sioutas->own.of.pipeline->n_funcs; f++) {
		int output = sioutas->own.of.group[f];
		const char *refused = NULL;
		bool may = output >= 0 && output != f && sioutas->nested[f] < 0;
		int consumer = may ? sioutas_nest(sioutas, f, &refused) : -1;
		if (consumer < 0)
			continue;
		struct sioutas_choice *choice = &deciding->choices[deciding->n++];
		*choice = (struct sioutas_choice){
		    .own = {.func = f, .consumer = consumer, .refused = refused, .benefit = refused ? -INFINITY : 0},
		    .how = ""};
		struct sioutas_cost before;
		if (refused || !sioutas_cost(sioutas, output, -1, sioutas->own.of.tiles[output], &before))
			continue;
		sioutas->nested[f] = consumer;
		choice->known = sioutas_cost(sioutas, output, -1, sioutas->own.of.tiles[output], &choice->cost);
		sioutas->nested[f] = -1;
		choice->group_cost = sioutas_final_cost(&choice->cost);
		choice->own.benefit = sioutas_final_cost(&before) - choice->group_cost;
		if (choice->cost.broken & ~before.broken)
			choice->own.refused = say_broken(deciding, &choice->cost, true);
	}
}

/* Goes to the next group that has a tile to choose, outputs of the pipeline first. */
static bool next_group(struct sioutas_deciding *deciding)
{
	const struct bw_groups *of = &deciding->sioutas.own.of;
	while (--deciding->at >= 0)
		if (of->group[deciding->at] == deciding->at && of->tiles[deciding->at])
			return true;
	return false;
}

static void end_phase(struct sioutas_deciding *deciding)
{
	if (deciding->phase == SIOUTAS_TILE && next_group(deciding))
		return;
	if (deciding->phase == SIOUTAS_INLINE)
		tile_all(deciding);
	deciding->at = deciding->sioutas.own.of.pipeline->n_funcs;
	deciding->phase++;
	if (deciding->phase == SIOUTAS_TILE && !next_group(deciding))
		deciding->phase++;
}

bool sioutas_next(struct sioutas_deciding *deciding)
{
	static void (*const list[SIOUTAS_END])(struct sioutas_deciding *) = {list_inlinings, list_merges, list_tiles,
									  list_nestings};
	while (deciding->phase != SIOUTAS_END) {
		int most = deciding->phase == SIOUTAS_TILE ? MOST_TILES : deciding->sioutas.own.of.pipeline->n_funcs;
		deciding->n = 0;
		deciding->choices = BW_ARENA_ARRAY(deciding->sioutas.own.arena, struct sioutas_choice, most);
		list[deciding->phase](deciding);
		refuse_excluded(deciding);
		if (deciding->phase != SIOUTAS_TILE)
			qsort(deciding->choices, (size_t)deciding->n, sizeof *deciding->choices, bw_grouping_order);
		if (deciding->n)
			return true;
		end_phase(deciding);
	}
	return false;
}

/* Forgets what merges of a group, and with it, were found to save. */
static void forget_merges(struct sioutas_deciding *deciding, int output)
{
	for (int f = 0; f < deciding->sioutas.own.of.pipeline->n_funcs; f++)
		if (f == output || (deciding->merges[f] && deciding->merges[f]->own.consumer == output))
			deciding->merges[f] = NULL;
}

static void apply(void *state, const void *what)
{
	struct sioutas_deciding *deciding = state;
	const struct bw_group_choice *choice = what;
	if (deciding->phase == SIOUTAS_TILE)
		deciding->sioutas.own.of.tiles[choice->func] = choice->tile;
	else if (deciding->phase == SIOUTAS_NEST)
		deciding->sioutas.nested[choice->func] = choice->consumer;
	else
		bw_grouping_apply(state, what);
}

bool sioutas_take(void *state, int index, struct bw_error *error)
{
	struct sioutas_deciding *deciding = state;
	if (index < 0) {
		end_phase(deciding);
		return true;
	}
	const struct sioutas_choice *choice = &deciding->choices[index];
	if (choice->own.refused)
		return bw_fail(error, BW_ERROR_INPUT, "%s", choice->own.refused);
	bool legal = bw_grouping_try(&deciding->sioutas.own, apply, choice, error);
	if (!legal && deciding->phase == SIOUTAS_NEST) {
		deciding->sioutas.nested[choice->own.func] = -1;
	} else if (legal && deciding->phase == SIOUTAS_MERGE) {
		deciding->group_cost[choice->own.consumer] = choice->group_cost;
		forget_merges(deciding, choice->own.consumer);
	}
	if (legal && deciding->phase == SIOUTAS_TILE)
		end_phase(deciding);
	return legal;
}
