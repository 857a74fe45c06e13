/* The scheduler of Sioutas et al. 2020 as a walk: a decision per inlining, merge, final tile and nesting. */
#include "schedulers/sioutas.h"

#include <math.h>
#include <stdlib.h>

#include "schedulers/sioutas_decisions.h"
#include "schedulers/table.h"

/* Listing 1's names. Those that fit beside each other first. */
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

/* Holds the options of the search that say where Funcs may be. */
static void hold_options(struct sioutas_deciding *deciding, const struct bw_settings *options)
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
			deciding->without[table[i].phase] = table[i].without;
	deciding->flat = options->disable_subtiling;
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
	struct sioutas_deciding *deciding = BW_NEW(struct sioutas_deciding);
	struct bw_device device = bw_settings_device(options);
	if (!sioutas_begin(deciding, pipeline, &device, error)) {
		free(deciding);
		return NULL;
	}
	hold_options(deciding, options);
	return deciding;
}

static const char *words_of_tile(const struct sioutas_deciding *deciding, const struct sioutas_choice *choice)
{
	const struct bw_func *funcs = deciding->sioutas.of.pipeline->funcs;
	struct bw_text text = {0};
	int output = deciding->phase == SIOUTAS_MERGE ? choice->consumer : choice->func;
	bw_groups_print_tile(&funcs[output], choice->tile, &text);
	const char *kept = bw_arena_strdup(deciding->arena, bw_text_get(&text));
	bw_text_free(&text);
	return kept;
}

/* Sets the name and what it is about. */
static void name(const struct sioutas_deciding *deciding, const struct sioutas_choice *choice,
		 struct bw_walk_candidate *candidate)
{
	const struct bw_groups *of = &deciding->sioutas.of;
	struct bw_arena *arena = deciding->arena;
	const char *func = of->pipeline->funcs[choice->func].name,
		   *consumer = choice->consumer < 0 ? "" : of->pipeline->funcs[choice->consumer].name;
	int *about, *others;
	bool groups = deciding->phase == SIOUTAS_MERGE || deciding->phase == SIOUTAS_TILE;
	candidate->n_funcs = groups ? bw_groups_members(of, choice->func, arena, &about) : 1;
	if (!groups) {
		about = BW_ARENA_ARRAY(arena, int, 1);
		about[0] = choice->func;
	}
	candidate->funcs = about;
	if (deciding->phase == SIOUTAS_MERGE) {
		candidate->n_others = bw_groups_members(of, choice->consumer, arena, &others);
		candidate->others = others;
	}
	candidate->name = deciding->phase == SIOUTAS_INLINE ? bw_arena_format(arena, "inline %s", func)
			  : deciding->phase == SIOUTAS_MERGE
			      ? bw_arena_format(arena, "merge %s into %s", func, consumer)
			  : deciding->phase == SIOUTAS_TILE ? words_of_tile(deciding, choice)
							    : bw_arena_format(arena, "nest %s in %s", func, consumer);
	bool tile = deciding->phase == SIOUTAS_MERGE && choice->tile;
	candidate->how = tile ? words_of_tile(deciding, choice) : choice->how;
}

static void fill_figures(enum sioutas_phase phase, const struct sioutas_choice *choice, double *figures)
{
	const struct bw_sioutas *host = &choice->cost.host;
	double known[] = {choice->benefit,  choice->group_cost,		host->thread_count,
			  host->footprint,  host->occupancy,		host->active_threads,
			  host->active_sms, choice->cost.arithmetic_cost, choice->cost.memory_cost};
	if (phase != SIOUTAS_MERGE)
		known[BW_WALK_COLUMNS - 1] = choice->cost.scaled;
	for (int c = 0; c < BW_WALK_COLUMNS; c++)
		figures[c] = (choice->known && !choice->refused) || (c < 2 && phase == SIOUTAS_INLINE) ? known[c] : NAN;
}

static bool next(void *state, struct bw_walk_step *step)
{
	struct sioutas_deciding *deciding = state;
	if (!sioutas_next(deciding))
		return false;
	enum sioutas_phase phase = deciding->phase;
	step->phase = phases[phase].name;
	step->question = phases[phase].question;
	if (phase == SIOUTAS_TILE)
		step->question = bw_arena_format(
		    deciding->arena, deciding->none_valid ? "tile of %s: %d of %d, none valid" : "tile of %s: %d of %d",
		    deciding->sioutas.of.pipeline->funcs[deciding->at].name, deciding->n, deciding->n_all);
	step->n = deciding->n;
	step->candidates = BW_ARENA_ARRAY(deciding->arena, struct bw_walk_candidate, deciding->n);
	for (int c = 0; c < deciding->n; c++) {
		const struct sioutas_choice *choice = &deciding->choices[c];
		struct bw_walk_candidate *candidate = &step->candidates[c];
		*candidate = (struct bw_walk_candidate){
		    .refused = choice->refused,
		    .wanted = !choice->refused && (choice->trivial || phase == SIOUTAS_TILE || choice->benefit > 0)};
		name(deciding, choice, candidate);
		fill_figures(phase, choice, candidate->figures);
	}
	return true;
}

static bool take(void *state, int candidate, struct bw_error *error)
{
	return sioutas_take(state, candidate, error);
}

static struct bw_schedule *schedule(void *state)
{
	const struct sioutas_deciding *deciding = state;
	return bw_schedule_keep(deciding->schedule);
}

static void describe(const void *state, struct bw_text *out)
{
	const struct sioutas_deciding *deciding = state;
	const struct sioutas *sioutas = &deciding->sioutas;
	const struct bw_func *funcs = sioutas->of.pipeline->funcs;
	int n = 0;
	bw_groups_describe(&sioutas->of, out);
	for (int f = 0; f < sioutas->of.pipeline->n_funcs; f++)
		if (sioutas->nested[f] >= 0)
			bw_text_printf(out, "%s%s in %s", n++ ? ", " : "; nested: ", funcs[f].name,
				       funcs[sioutas->nested[f]].name);
}

static bool has_vars(const struct bw_func *func)
{
	for (int s = 0; s < func->n_stages; s++) {
		int vars = 0;
		for (int l = 0; l < func->stages[s].n_loops; l++)
			vars += func->stages[s].loops[l].pure;
		if (!vars)
			return false;
	}
	return true;
}

/* Says what the paper does not reach. */
static void progress(const void *state, struct bw_text *out)
{
	const struct sioutas_deciding *deciding = state;
	const struct bw_groups *of = &deciding->sioutas.of;
	int n = 0;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		const struct bw_func *func = &of->pipeline->funcs[f];
		const char *why = func->input || of->inlined[f] ? NULL
				  : !func->n_dims		? "has no dimension"
				  : !of->bounded[f]		? "has no bound"
				  : !has_vars(func)		? "has a stage of RVars alone"
								: NULL;
		if (why)
			bw_text_printf(out, "%s%s %s", n++ ? ", " : "not tiled, since the paper does not reach it: ",
				       func->name, why);
	}
}

static void end(void *state)
{
	sioutas_end(state);
	free(state);
}

const struct bw_walk_scheduler bw_sioutas_walk = {
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .begin = begin,
    .next = next,
    .take = take,
    .progress = progress,
    .schedule = schedule,
    .describe = describe,
    .end = end,
};
