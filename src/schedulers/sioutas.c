/* The scheduler of Sioutas et al. 2020 as a walk. There are four phases, with one decision per inlining
 * (section 4.1), per merge and per final tile (4.2), and per nesting (4.3). */
#include "schedulers/sioutas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* Number of best tiles of a group that are choices: valid tiles; invalid tiles, if there is no valid one. */
enum { MOST_TILES = 1024, MOST_INVALID = 32 };
/* Rules that every tile must keep, because the kernel could not be launched otherwise. */
enum { HARD = BW_SIOUTAS_THREADS | BW_SIOUTAS_SHARED };

/* Columns named as in listing 1. The first columns fit beside each other on a screen. */
static const struct bw_walk_column columns[] = {
    {"benefit", "", "what it saves: the cost without it less that with it (section 4.2)"},
    {"cost", "", "group_cost of listing 1, section 4.2; of inlinings operations and loads"},
    {"threads", "", "thread_count: of the thread block, grown to its largest member (lines 19 to 25)"},
    {"footprint", "bytes", "shared memory of a block (line 7)"},
    {"occupancy", BW_WALK_SHARE, "the least of all stages, by the calculator with estimated registers (line 26)"},
    {"active", "threads", "active_threads: resident on an SM, the least of all stages (line 32)"},
    {"SMs", "", "active_SMs: that have a block (line 33)"},
    {"arithm.", "", "arithmetic_cost: operations over occupancy and active threads (line 30)"},
    {"memory", "", "memory_cost: loads at their cost (lines 3 to 6); in final tiles over the same (line 39)"},
};
static const struct {
	const char *name, *question;
} phases[SIOUTAS_END] = {{"inline", "which Func to inline"},
			 {"merge", "which groups to merge"},
			 {"tile", ""},
			 {"nest", "which Func to nest in threads"}};

struct sioutas *sioutas_new(const struct bw_pipeline *pipeline, const struct bw_device *device,
				     struct bw_error *error)
{
	struct sioutas *sioutas = bw_grouping_new(sizeof *sioutas, pipeline, device, sioutas_place);
	int n = pipeline->n_funcs;
	sioutas->nested = BW_ARENA_ARRAY(sioutas->own.arena, int, n);
	sioutas->demand = BW_ARENA_ARRAY(sioutas->own.arena, double, n);
	sioutas->group_cost = BW_ARENA_ARRAY(sioutas->own.arena, double, n);
	sioutas->merges = BW_ARENA_ARRAY(sioutas->own.arena, struct sioutas_choice *, n);
	for (int f = 0; f < n; f++)
		sioutas->nested[f] = -1;
	if (bw_grouping_remake(&sioutas->own, error))
		return sioutas;
	bw_grouping_end(sioutas);
	return NULL;
}

/* Refuses the choices that the search's options exclude. */
static void refuse_excluded(struct sioutas *sioutas)
{
	const int *group = sioutas->own.of.group;
	bool flat = sioutas->phase == SIOUTAS_NEST && sioutas->flat;
	for (int c = 0; c < sioutas->n; c++) {
		struct sioutas_choice *choice = &sioutas->choices[c];
		if (sioutas->without[sioutas->phase])
			choice->own.refused = sioutas->without[sioutas->phase];
		else if (flat && group[choice->own.consumer] != choice->own.consumer)
			choice->own.refused = "disable_subtiling is 1";
	}
}

/* Returns true if all readers of a Func, also through inlined Funcs, read it point by point. */
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

/* Computes what inlining a Func saves, and whether the Func is trivial. */
static void evaluate_inlining(struct sioutas *sioutas, struct sioutas_choice *choice, bool *marked)
{
	const struct bw_groups *of = &sioutas->own.of;
	int f = choice->own.func, readers = 0;
	const struct bw_stage *stage = &of->pipeline->funcs[f].stages[0];
	double calls = 0, before;
	bw_grouping_weigh(&sioutas->own, &choice->own, marked, sioutas_alone, &before, &choice->group_cost);
	for (int r = 0; r < of->pipeline->n_funcs; r++)
		readers += marked[r] && !of->inlined[r] && r != f;
	for (int r = 0; r < stage->n_reads; r++)
		calls += stage->reads[r].calls;
	bool cheap = of->value[f] <= 1 && calls <= 1, by_point = readers == 1 && read_by_point(of, f);
	choice->own.trivial = cheap || by_point;
	choice->how = by_point ? "read point by point" : cheap ? "trivial" : "";
}

static void list_inlinings(struct sioutas *sioutas)
{
	const struct bw_pipeline *pipeline = sioutas->own.of.pipeline;
	BW_SCOPED_MEMORY bool *marked = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		if (!bw_grouping_may_inline(&sioutas->own.of, f))
			continue;
		struct sioutas_choice *choice = &sioutas->choices[sioutas->n++];
		*choice = (struct sioutas_choice){.own = {.func = f, .consumer = -1}, .how = ""};
		evaluate_inlining(sioutas, choice, marked);
	}
}

/* Returns the broken rules that count. While groups are merged (not `final`), the rule that blocks are
 * whole warps does not count. */
static int broken(const struct sioutas_cost *cost, bool final)
{
	return final ? cost->broken : cost->broken & ~BW_SIOUTAS_WARPS;
}

/* Returns true if tile a is better than tile b: it breaks fewer rules; if equal, it has more active SMs;
 * if equal, it costs less. */
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

/* Computes the cost of a tile of a group. Returns false if the tile has no cost or cannot be launched. */
static bool evaluate_tile(struct sioutas *sioutas, int extra, bool final, struct sioutas_choice *choice)
{
	choice->known = sioutas_cost(sioutas, choice->own.func, extra, choice->own.tile, &choice->cost);
	choice->group_cost = final ? sioutas_final_cost(&choice->cost) : sioutas_grouping_cost(&choice->cost);
	return choice->known && !(choice->cost.broken & HARD);
}

/* Finds the best tile of powers of two for a group with the members of the group `extra` (-1: none)
 * added. Returns false if no tile can be launched. */
static bool best_tile(struct sioutas *sioutas, int output, int extra, struct sioutas_choice *best)
{
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
		int64_t *kept = BW_ARENA_ARRAY(sioutas->own.arena, int64_t, n_dims);
		memcpy(kept, best->own.tile, (size_t)n_dims * sizeof *kept);
		best->own.tile = kept;
	}
	return found;
}

/* Tiles the groups of one Func, before merging begins. */
static void tile_all(struct sioutas *sioutas)
{
	struct bw_groups *of = &sioutas->own.of;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		struct sioutas_choice best;
		sioutas->group_cost[f] = INFINITY;
		if (of->group[f] != f || !of->pipeline->funcs[f].n_dims || !best_tile(sioutas, f, -1, &best))
			continue;
		of->tiles[f] = best.own.tile;
		sioutas->group_cost[f] = best.group_cost;
		if (!bw_grouping_remake(&sioutas->own, NULL))
			of->tiles[f] = NULL;
	}
}

static const char *say_broken(struct sioutas *sioutas, const struct sioutas_cost *cost, bool final)
{
	struct bw_text text = {0};
	bw_sioutas_say(&cost->worst, broken(cost, final), &text);
	return bw_text_keep(&text, sioutas->own.arena);
}

static void evaluate_merge(struct sioutas *sioutas, struct sioutas_choice *merge)
{
	int producer = merge->own.func, consumer = merge->own.consumer;
	double apart = sioutas->group_cost[producer] + sioutas->group_cost[consumer];
	if (!best_tile(sioutas, consumer, producer, merge)) {
		*merge = (struct sioutas_choice){.own = {.refused = "no tile is valid"}, .how = ""};
	} else if (broken(&merge->cost, false)) {
		merge->own.refused = bw_arena_format(sioutas->own.arena, "no tile is valid; the nearest has %s",
						 say_broken(sioutas, &merge->cost, false));
		merge->own.tile = NULL;
	} else {
		merge->own.benefit = apart - merge->group_cost;
	}
	merge->own.func = producer;
	merge->own.consumer = consumer;
}

/* Lists the pairs of groups that can merge: a producer's group and the only group that reads it. Reuses
 * the earlier evaluation of a pair that no merge has changed. */
static void list_merges(struct sioutas *sioutas)
{
	const struct bw_groups *of = &sioutas->own.of;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		int reader = bw_grouping_reader(of, f);
		if (reader < 0)
			continue;
		if (!sioutas->merges[f] || sioutas->merges[f]->own.consumer != reader) {
			sioutas->merges[f] = BW_ARENA_ARRAY(sioutas->own.arena, struct sioutas_choice, 1);
			*sioutas->merges[f] = (struct sioutas_choice){.own = {.func = f, .consumer = reader}};
			evaluate_merge(sioutas, sioutas->merges[f]);
		}
		sioutas->choices[sioutas->n++] = *sioutas->merges[f];
	}
}

BW_ORDER(by_tile, struct sioutas_choice,
	  better(a, b, true) ? -1 : better(b, a, true) ? 1 : BW_COMPARE(a->own.tile, b->own.tile))

/* Lists the best tiles of the current group, in steps of two. */
static void list_tiles(struct sioutas *sioutas)
{
	int output = sioutas->at, n, n_dims = sioutas->own.of.pipeline->funcs[output].n_dims;
	struct sioutas_choice now = {.own = {.func = output, .tile = sioutas->own.of.tiles[output]}};
	const int64_t *tiles = sioutas_tiles(sioutas, output, true, sioutas->own.arena, &n);
	BW_SCOPED_MEMORY struct sioutas_choice *all = BW_NEW_ARRAY(struct sioutas_choice, n ? n : 1);
	evaluate_tile(sioutas, -1, true, &now);
	sioutas->n_all = 0;
	for (int i = 0; i < n; i++) {
		struct sioutas_choice *one = &all[sioutas->n_all];
		*one = (struct sioutas_choice){.own = {.func = output, .consumer = -1, .tile = &tiles[i * n_dims]}, .how = ""};
		sioutas->n_all += evaluate_tile(sioutas, -1, true, one);
		one->own.benefit = now.group_cost - one->group_cost;
	}
	qsort(all, (size_t)sioutas->n_all, sizeof *all, by_tile);
	sioutas->none_valid = sioutas->n_all && all[0].cost.broken;
	int most = sioutas->none_valid ? MOST_INVALID : MOST_TILES;
	for (int i = 0; i < sioutas->n_all && i < most; i++) {
		if (all[i].cost.broken && !sioutas->none_valid)
			break;
		sioutas->choices[sioutas->n++] = all[i];
		if (sioutas->none_valid)
			sioutas->choices[sioutas->n - 1].how = say_broken(sioutas, &all[i].cost, true);
	}
}

/* Lists the members that may be nested in threads of their consumer. */
static void list_nestings(struct sioutas *sioutas)
{
	for (int f = 0; f < sioutas->own.of.pipeline->n_funcs; f++) {
		int output = sioutas->own.of.group[f];
		const char *refused = NULL;
		bool may = output >= 0 && output != f && sioutas->nested[f] < 0;
		int consumer = may ? sioutas_nest(sioutas, f, &refused) : -1;
		if (consumer < 0)
			continue;
		struct sioutas_choice *choice = &sioutas->choices[sioutas->n++];
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
			choice->own.refused = say_broken(sioutas, &choice->cost, true);
	}
}

/* Goes to the next group that has a tile to choose, outputs of the pipeline first. */
static bool next_group(struct sioutas *sioutas)
{
	const struct bw_groups *of = &sioutas->own.of;
	while (--sioutas->at >= 0)
		if (of->group[sioutas->at] == sioutas->at && of->tiles[sioutas->at])
			return true;
	return false;
}

static void end_phase(struct sioutas *sioutas)
{
	if (sioutas->phase == SIOUTAS_TILE && next_group(sioutas))
		return;
	if (sioutas->phase == SIOUTAS_INLINE)
		tile_all(sioutas);
	sioutas->at = sioutas->own.of.pipeline->n_funcs;
	sioutas->phase++;
	if (sioutas->phase == SIOUTAS_TILE && !next_group(sioutas))
		sioutas->phase++;
}

/* Finds the choices of the next decision. Returns false after the last. */
static bool find_choices(struct sioutas *sioutas)
{
	static void (*const list[SIOUTAS_END])(struct sioutas *) = {list_inlinings, list_merges, list_tiles,
									  list_nestings};
	while (sioutas->phase != SIOUTAS_END) {
		int most = sioutas->phase == SIOUTAS_TILE ? MOST_TILES : sioutas->own.of.pipeline->n_funcs;
		sioutas->n = 0;
		sioutas->choices = BW_ARENA_ARRAY(sioutas->own.arena, struct sioutas_choice, most);
		list[sioutas->phase](sioutas);
		refuse_excluded(sioutas);
		if (sioutas->phase != SIOUTAS_TILE)
			qsort(sioutas->choices, (size_t)sioutas->n, sizeof *sioutas->choices, bw_grouping_order);
		if (sioutas->n)
			return true;
		end_phase(sioutas);
	}
	return false;
}

/* Clears the evaluations of all merges of a group into another, and of others into the group. */
static void forget_merges(struct sioutas *sioutas, int output)
{
	for (int f = 0; f < sioutas->own.of.pipeline->n_funcs; f++)
		if (f == output || (sioutas->merges[f] && sioutas->merges[f]->own.consumer == output))
			sioutas->merges[f] = NULL;
}

static void apply(void *state, const void *what)
{
	struct sioutas *sioutas = state;
	const struct bw_group_choice *choice = what;
	if (sioutas->phase == SIOUTAS_TILE)
		sioutas->own.of.tiles[choice->func] = choice->tile;
	else if (sioutas->phase == SIOUTAS_NEST)
		sioutas->nested[choice->func] = choice->consumer;
	else
		bw_grouping_apply(state, what);
}

static bool take(void *state, int index, struct bw_error *error)
{
	struct sioutas *sioutas = state;
	if (index < 0) {
		end_phase(sioutas);
		return true;
	}
	const struct sioutas_choice *choice = &sioutas->choices[index];
	if (choice->own.refused)
		return bw_fail(error, BW_ERROR_INPUT, "%s", choice->own.refused);
	bool legal = bw_grouping_try(&sioutas->own, apply, choice, error);
	if (!legal && sioutas->phase == SIOUTAS_NEST) {
		sioutas->nested[choice->own.func] = -1;
	} else if (legal && sioutas->phase == SIOUTAS_MERGE) {
		sioutas->group_cost[choice->own.consumer] = choice->group_cost;
		forget_merges(sioutas, choice->own.consumer);
	}
	if (legal && sioutas->phase == SIOUTAS_TILE)
		end_phase(sioutas);
	return legal;
}

/* The walk. */

/* Records the search's options that exclude places of Funcs. */
static void hold_options(struct sioutas *sioutas, const struct bw_settings *options)
{
	static const struct {
		enum sioutas_phase phase;
		enum bw_sites site;
		const char *without;
	} table[] = {{SIOUTAS_INLINE, BW_SITES_INLINE, "search_space has no inline"},
		     {SIOUTAS_MERGE, BW_SITES_BLOCK, "search_space has no block"},
		     {SIOUTAS_NEST, BW_SITES_THREAD, "search_space has no thread"}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!(options->search_space & table[i].site))
			sioutas->without[table[i].phase] = table[i].without;
	sioutas->flat = options->disable_subtiling;
}

static void *begin(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   const char *argument, const void *older, struct bw_error *error)
{
	(void)older;
	if (*argument) {
		bw_fail(error, BW_ERROR_USAGE, "sioutas takes nothing after it, not \"%s\"", argument);
		return NULL;
	}
	if (!(options->search_space & BW_SITES_ROOT)) {
		bw_fail(error, BW_ERROR_USAGE,
			"sioutas begins with every Func at root, which search_space must have; it can do without inline, "
			"block and thread");
		return NULL;
	}
	struct bw_device device = bw_settings_device(options);
	struct sioutas *sioutas = sioutas_new(pipeline, &device, error);
	if (sioutas)
		hold_options(sioutas, options);
	return sioutas;
}

/* Sets the name of a candidate, and the Funcs that it concerns. */
static void name(const struct sioutas *sioutas, const struct sioutas_choice *choice,
		 struct bw_walk_candidate *candidate)
{
	const struct bw_grouping *grouping = &sioutas->own;
	const struct bw_func *funcs = grouping->of.pipeline->funcs;
	if (sioutas->phase <= SIOUTAS_MERGE) {
		bw_grouping_name(grouping, &choice->own, candidate);
		if (!*candidate->how)
			candidate->how = choice->how;
		return;
	}
	int *about;
	bool tiles = sioutas->phase == SIOUTAS_TILE;
	candidate->n_funcs = bw_groups_members(&grouping->of, choice->own.func, grouping->arena, &about);
	if (!tiles) {
		candidate->n_funcs = 1;
		about[0] = choice->own.func;
	}
	candidate->funcs = about;
	candidate->name = tiles ? bw_grouping_tile(grouping, choice->own.func, choice->own.tile)
				: bw_arena_format(grouping->arena, "nest %s in %s", funcs[choice->own.func].name,
						  funcs[choice->own.consumer].name);
	candidate->how = choice->how;
}

static void fill_figures(enum sioutas_phase phase, const struct sioutas_choice *choice, double *figures)
{
	const struct bw_sioutas *host = &choice->cost.host;
	double known[] = {choice->own.benefit,  choice->group_cost,		host->thread_count,
			  host->footprint,  host->occupancy,		host->active_threads,
			  host->active_sms, choice->cost.arithmetic_cost, choice->cost.memory_cost};
	if (phase != SIOUTAS_MERGE)
		known[BW_WALK_COLUMNS - 1] = choice->cost.scaled;
	for (int c = 0; c < BW_WALK_COLUMNS; c++)
		figures[c] = (choice->known && !choice->own.refused) || (c < 2 && phase == SIOUTAS_INLINE) ? known[c] : NAN;
}

static bool next(void *state, struct bw_walk_step *step)
{
	struct sioutas *sioutas = state;
	if (!find_choices(sioutas))
		return false;
	enum sioutas_phase phase = sioutas->phase;
	step->phase = phases[phase].name;
	step->question = phases[phase].question;
	if (phase == SIOUTAS_TILE)
		step->question = bw_arena_format(
		    sioutas->own.arena, sioutas->none_valid ? "tile of %s: %d of %d, none valid" : "tile of %s: %d of %d",
		    sioutas->own.of.pipeline->funcs[sioutas->at].name, sioutas->n, sioutas->n_all);
	step->n = sioutas->n;
	step->candidates = BW_ARENA_ARRAY(sioutas->own.arena, struct bw_walk_candidate, sioutas->n);
	for (int c = 0; c < sioutas->n; c++) {
		const struct sioutas_choice *choice = &sioutas->choices[c];
		struct bw_walk_candidate *candidate = &step->candidates[c];
		*candidate = (struct bw_walk_candidate){
		    .refused = choice->own.refused,
		    .wanted = !choice->own.refused &&
			      (choice->own.trivial || phase == SIOUTAS_TILE || choice->own.benefit > 0)};
		name(sioutas, choice, candidate);
		fill_figures(phase, choice, candidate->figures);
	}
	return true;
}

static void describe(const void *state, struct bw_text *out)
{
	const struct sioutas *sioutas = state;
	const struct bw_func *funcs = sioutas->own.of.pipeline->funcs;
	int n = 0;
	bw_grouping_describe(state, out);
	for (int f = 0; f < sioutas->own.of.pipeline->n_funcs; f++)
		if (sioutas->nested[f] >= 0)
			bw_text_printf(out, "%s%s in %s", n++ ? ", " : "; nested: ", funcs[f].name,
				       funcs[sioutas->nested[f]].name);
}

static bool all_have_vars(const struct bw_func *func)
{
	for (int s = 0; s < func->n_stages; s++)
		if (!sioutas_has_vars(&func->stages[s]))
			return false;
	return true;
}

/* Appends the Funcs that the paper's method does not tile, with the reasons. */
static void progress(const void *state, struct bw_text *out)
{
	const struct sioutas *sioutas = state;
	const struct bw_groups *of = &sioutas->own.of;
	int n = 0;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		const struct bw_func *func = &of->pipeline->funcs[f];
		const char *why = func->input || of->inlined[f] ? NULL
				  : !func->n_dims		? "has no dimension"
				  : !of->bounded[f]		? "has no bound"
				  : !all_have_vars(func)		? "has a stage of RVars alone"
								: NULL;
		if (why)
			bw_text_printf(out, "%s%s %s", n++ ? ", " : "not tiled, since the paper does not reach it: ",
				       func->name, why);
	}
}

const struct bw_walk_scheduler bw_sioutas_walk = {
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .begin = begin,
    .next = next,
    .take = take,
    .progress = progress,
    .schedule = bw_grouping_schedule,
    .describe = describe,
    .end = bw_grouping_end,
};
