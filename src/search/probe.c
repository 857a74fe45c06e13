/* Where else a Func could be: the whole schedule of the pre-pass is costed with that Func elsewhere and all others where they are. So
 * what a place makes of its consumers and of its producers counts, which a cost so far does not show. */
#include "search/search_private.h"

/* The cost of the schedule with another placement of the Func at this place of the order; 0 where the others cannot stay as they are. */
static double cost_with(const struct bw_search *search, const struct bw_state *const *way, int place, const struct bw_placement *placement, struct bw_arena *arena)
{
	const struct bw_nest *whole = way[search->pass_decisions]->nest;
	struct bw_nest *nest = bw_nest_place(way[place * BW_FUNC_PHASES]->nest, placement, NULL);
	for (int i = place + 1; nest && i * BW_FUNC_PHASES < search->pass_decisions; i++) {
		struct bw_nest *next = bw_nest_place(nest, whole->placed[search->plan[i * BW_FUNC_PHASES].func]->placement, NULL);
		bw_nest_drop(nest);
		nest = next;
	}
	if (!nest)
		return 0;
	bw_arena_reset(arena);
	double cost = bw_search_cost(search, nest, arena).total;
	bw_nest_drop(nest);
	return cost;
}

/* A place is another one where the Func is fused into a consumer, or inlined instead of at root, or the other way round. */
static bool elsewhere(const struct bw_placement *placement, const struct bw_placement *now)
{
	return placement->compute.kind == BW_SITE_AT || placement->compute.kind != now->compute.kind;
}

double bw_probe(const struct bw_search *search, const struct bw_state *const *way, int place, long *costed)
{
	const struct bw_state *parent = way[place * BW_FUNC_PHASES];
	int func = search->plan[place * BW_FUNC_PHASES].func;
	struct bw_question question = {.pipeline = search->pipeline, .options = &search->options, .parent = parent, .func = func, .phase = BW_PHASE_WHERE, .pass = 1, .recall = &search->recall};
	struct bw_expanding expanding;
	struct bw_arena *arena = bw_arena_new();
	double best = 0;
	bw_expanding_begin(&expanding, &question, NULL, true);
	expanding.draws = true;
	while (!expanding.done)
		bw_expanding_step(&expanding);
	for (int o = 0; o < expanding.expansion->n; o++) {
		const struct bw_option *option = &expanding.expansion->options[o];
		if (option->fate != BW_FATE_COSTED || !elsewhere(option->placement, way[search->pass_decisions]->nest->placed[func]->placement))
			continue;
		double cost = cost_with(search, way, place, option->placement, arena);
		*costed += cost > 0;
		if (cost > 0 && (!(best > 0) || cost < best))
			best = cost;
	}
	bw_expanding_end(&expanding);
	bw_arena_free(arena);
	return best;
}
