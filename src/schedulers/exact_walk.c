/* The exact scheduler as a walk. First it searches for the best schedule. Then each step is one decision
 * on the way to the best schedule, and shows the bound of each candidate. If the user takes another
 * candidate, the scheduler searches for the best schedule with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedulers/exact.h"
#include "schedulers/walk.h"

/* Default limit on states expanded. */
enum { STATES = 20000 };

static const struct bw_walk_column columns[] = {
	{"bound", BW_WALK_COST, "no schedule with it costs less, in the unit of the cost model"},
	{"so far", BW_WALK_COST, "of the Funcs that are placed then"},
};

struct solving {
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	struct bw_exact *exact;
	long most; /* most states to expand per search; 0: any number */
	long until; /* limit on the total number of expanded states, for the current search */
	int index; /* index of the next decision */
	struct bw_nest *nest; /* the nest with the Funcs decided so far */
	double cost; /* cost of `nest` */
	struct bw_nest *target; /* the best known schedule that keeps the decisions of `nest`; NULL: none known */
	bool worked; /* the search for `target` is over */
	bool by_hand; /* the target is the best schedule with a choice of the user */
	struct bw_expansion **expansions; /* by decision; candidates refer to them */
	const struct bw_option **options_of; /* by candidate of the current decision */
	int n_expansions, capacity;
	struct bw_arena *arena;
};

static void *begin(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   const char *argument, const void *older, struct bw_error *error)
{
	char *end = "";
	long most = *argument ? strtol(argument, &end, 10) : STATES;
	const struct solving *before = older;
	if (*end || most < 0) {
		bw_fail(error, BW_ERROR_USAGE,
			"exact takes the number of states to expand (default %d; 0: no limit), not \"%s\"", STATES,
			argument);
		return NULL;
	}
	struct bw_exact *exact = bw_exact_new(pipeline, options, error);
	if (!exact)
		return NULL;
	struct solving *solving = BW_NEW(struct solving);
	*solving = (struct solving){.pipeline = pipeline,
				    .options = *options,
				    .exact = exact,
				    .most = most,
				    .until = most,
				    .nest = bw_nest_keep(bw_exact_first(exact)),
				    .arena = bw_arena_new()};
	if (before && bw_settings_equal(&before->options, options))
		bw_exact_resume(exact, before->exact);
	return solving;
}

static void argument(const void *state, struct bw_text *out)
{
	const struct solving *solving = state;
	struct bw_exact_progress progress = bw_exact_progress(solving->exact);
	if (!progress.proven && progress.expanded != STATES)
		bw_text_printf(out, "%ld", progress.expanded);
}

static bool work(void *state, const struct bw_yield *yield, const atomic_bool *stop)
{
	struct solving *solving = state;
	if (!solving->worked && bw_exact_work(solving->exact, yield, stop, solving->until)) {
		struct bw_nest *best = bw_exact_best(solving->exact);
		bw_nest_drop(solving->target);
		solving->target = best ? bw_nest_keep(best) : NULL;
		solving->worked = true;
	}
	return solving->worked;
}

static void progress(const void *state, struct bw_text *out)
{
	const struct solving *solving = state;
	struct bw_exact_progress progress = bw_exact_progress(solving->exact);
	const char *said = solving->options.model->said;
	bw_text_puts(out, solving->by_hand ? "with what was taken by hand, " : "");
	if (progress.proven)
		bw_text_printf(out, "no schedule of the search space costs less than %.4g %s", progress.best, said);
	else if (progress.bound > 0)
		bw_text_printf(out, "best %.4g %s, and none costs less than %.4g", progress.best, said, progress.bound);
	else
		bw_text_printf(out, "best %.4g %s, and how much less another may cost is not proven", progress.best, said);
	bw_text_printf(out, "; the beam's costs %.4g; %ld states expanded, %ld options priced, %ld cut",
		       progress.beam, progress.expanded, progress.priced, progress.cut);
	if (solving->worked && !solving->by_hand) {
		BW_SCOPED_TEXT lost = {0};
		bw_exact_lost(solving->exact, &lost);
		bw_text_printf(out, "%s%s", lost.length ? "; " : "", bw_text_get(&lost));
	}
}

/* Returns true if the best schedule has the option's placement. An untiled placement at root agrees with
 * any placement at root. */
static bool is_on_the_way(const struct solving *solving, int func, const struct bw_option *option)
{
	const struct bw_placement *now = solving->target->placed[func]->placement;
	if (!option->placement)
		return true;
	if (!option->placement->tiled && option->placement->compute.kind == BW_SITE_ROOT)
		return now->compute.kind == BW_SITE_ROOT;
	return bw_placement_equal(option->placement, now);
}

/* A candidate with its option. */
struct offered {
	struct bw_walk_candidate candidate;
	const struct bw_option *option;
};

/* Compares candidates: the one on the way to the best schedule first, then by their figures. */
static int by_bound(const void *a, const void *b)
{
	const struct bw_walk_candidate *first = &((const struct offered *)a)->candidate,
				       *second = &((const struct offered *)b)->candidate;
	if (first->wanted != second->wanted)
		return first->wanted ? -1 : 1;
	for (int c = 0; c < 2; c++)
		if (first->figures[c] != second->figures[c])
			return first->figures[c] < second->figures[c] ? -1 : 1;
	return strcmp(first->name, second->name);
}

static struct bw_nest *nest_with(const struct solving *solving, const struct bw_placement *placement)
{
	return placement ? bw_nest_place(solving->nest, placement, NULL) : bw_nest_keep(solving->nest);
}

static struct bw_walk_candidate candidate_of(struct solving *solving, const struct bw_option *option,
					     int func)
{
	struct bw_text name = {0};
	int *funcs = BW_ARENA_ARRAY(solving->arena, int, 1);
	BW_SCOPED_NEST *nest = nest_with(solving, option->placement);
	struct bw_walk_candidate candidate = {.how = "", .funcs = funcs, .n_funcs = 1};
	for (int c = 0; c < BW_WALK_COLUMNS; c++)
		candidate.figures[c] = NAN;
	*funcs = func;
	candidate.figures[0] = bw_exact_bound(solving->exact, nest, solving->index + 1, option->cost);
	candidate.figures[1] = option->cost;
	candidate.wanted = is_on_the_way(solving, func, option);
	bw_placement_print(solving->pipeline, option->placement, &name);
	candidate.name = bw_text_keep(&name, solving->arena);
	return candidate;
}

/* Makes the options of the current decision. Returns how many the search would keep. */
static int expand(struct solving *solving)
{
	struct bw_expansion *expansion =
	    bw_search_offered(bw_exact_search(solving->exact), solving->index, solving->nest, solving->cost);
	int n = 0;
	BW_PUSH(solving->expansions, solving->n_expansions, solving->capacity, expansion);
	free(solving->options_of);
	solving->options_of = BW_NEW_ARRAY(const struct bw_option *, expansion->n);
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].fate == BW_FATE_COSTED)
			solving->options_of[n++] = &expansion->options[i];
	return n;
}

static void go_on(struct solving *solving, const struct bw_placement *placement, double cost)
{
	struct bw_nest *nest = nest_with(solving, placement);
	bw_nest_drop(solving->nest);
	solving->nest = nest;
	solving->cost = cost;
	solving->index++;
}

/* Returns true if a decision has only one option and the best schedule uses it. Polishing can give the
 * best schedule a placement that is not among the options; then the decision is not settled. */
static bool is_settled(const struct solving *solving, int n)
{
	int func = bw_search_decision(bw_exact_search(solving->exact), solving->index)->func;
	return n == 1 && is_on_the_way(solving, func, solving->options_of[0]);
}

/* Fills in the next decision. Skips decisions that are settled. */
static bool next(void *state, struct bw_walk_step *step)
{
	struct solving *solving = state;
	const struct bw_search *search = bw_exact_search(solving->exact);
	int n = 0, decisions = bw_search_n_decisions(search);
	while (solving->target && solving->index < decisions && is_settled(solving, n = expand(solving)))
		go_on(solving, solving->options_of[0]->placement, solving->options_of[0]->cost);
	if (!solving->target || solving->index == decisions)
		return false;
	const struct bw_decision *decision = bw_search_decision(search, solving->index);
	step->phase = bw_phase_name(decision->phase);
	step->question = decision->phase == BW_PHASE_WHERE ? "where to compute it" : "how to tile it";
	step->n = n;
	BW_SCOPED_MEMORY struct offered *list = BW_NEW_ARRAY(struct offered, n);
	for (int i = 0; i < n; i++)
		list[i] = (struct offered){candidate_of(solving, solving->options_of[i], decision->func),
					   solving->options_of[i]};
	if (n)
		qsort(list, (size_t)n, sizeof *list, by_bound);
	step->candidates = BW_ARENA_ARRAY(solving->arena, struct bw_walk_candidate, n);
	for (int i = 0; i < n; i++) {
		step->candidates[i] = list[i].candidate;
		solving->options_of[i] = list[i].option;
	}
	return true;
}

/* Takes the Func's placement in the best schedule. It is not among the options, because polishing found
 * it. */
static void take_target(struct solving *solving)
{
	const struct bw_search *search = bw_exact_search(solving->exact);
	int func = bw_search_decision(search, solving->index)->func;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	bool tiles = bw_search_decision(search, solving->index)->phase == BW_PHASE_TILE;
	go_on(solving, solving->target->placed[func]->placement, 0);
	solving->index += !tiles; /* also skips the decision on its tiling */
	solving->cost = bw_search_cost(search, solving->nest, arena).total;
}

static bool take(void *state, int candidate, struct bw_error *error)
{
	struct solving *solving = state;
	const struct bw_option *option = candidate < 0 ? NULL : solving->options_of[candidate];
	(void)error;
	if (!option) {
		take_target(solving);
		return true;
	}
	int func = bw_search_decision(bw_exact_search(solving->exact), solving->index)->func;
	bool leaves = !is_on_the_way(solving, func, option);
	go_on(solving, option->placement, option->cost);
	if (leaves) {
		solving->by_hand = true;
		bw_exact_restart(solving->exact, solving->nest, solving->index);
		solving->until = solving->most ? bw_exact_progress(solving->exact).expanded + solving->most : 0;
		solving->worked = false;
	}
	return true;
}

static struct bw_schedule *schedule(void *state)
{
	const struct solving *solving = state;
	return solving->target ? bw_nest_schedule(solving->target) : NULL;
}

/* Appends the decided Funcs, in the order of the decisions. */
static void describe(const void *state, struct bw_text *out)
{
	const struct solving *solving = state;
	size_t begin = out->length;
	for (int f = solving->pipeline->n_funcs - 1; f >= 0; f--)
		if (solving->nest->placed[f]) {
			bw_text_puts(out, out->length > begin ? " | " : "");
			bw_placement_print(solving->pipeline, solving->nest->placed[f]->placement, out);
		}
}

static void end(void *state)
{
	BW_SCOPED_MEMORY struct solving *solving = state;
	for (int i = 0; i < solving->n_expansions; i++)
		bw_expansion_free(solving->expansions[i]);
	free(solving->expansions);
	free(solving->options_of);
	bw_nest_drop(solving->nest);
	bw_nest_drop(solving->target);
	bw_exact_free(solving->exact);
	bw_arena_free(solving->arena);
}

const struct bw_walk_scheduler bw_exact_walk = {
	.columns = columns,
	.n_columns = sizeof columns / sizeof *columns,
	.begin = begin,
	.argument = argument,
	.work = work,
	.progress = progress,
	.next = next,
	.take = take,
	.schedule = schedule,
	.describe = describe,
	.end = end,
};
