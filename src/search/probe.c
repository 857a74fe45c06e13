/* Probing other places of a Func: the best schedule of the first pass is costed with that Func elsewhere
 * and all others unchanged. So the effect on its consumers and producers counts, which the cost so far
 * does not show. */
#include "search/search_private.h"

/* Returns the cost of the schedule with another placement of the Func; 0 if the other Funcs cannot
 * stay as they are. */
static double cost_with(const struct bw_probe *probe, const struct bw_placement *placement)
{
	const struct bw_search *search = probe->search;
	struct bw_nest *nest = bw_nest_place(probe->before, placement, NULL);
	for (int i = probe->place + 1; nest && i * BW_FUNC_PHASES < search->pass_decisions; i++) {
		struct bw_nest *next = bw_nest_place(
		    nest, probe->whole->placed[search->plan[i * BW_FUNC_PHASES].func]->placement, NULL);
		bw_nest_drop(nest);
		nest = next;
	}
	if (!nest)
		return 0;
	double cost = bw_pricing_whole(&search->recall, &search->options, nest, NULL);
	bw_nest_drop(nest);
	return cost;
}

/* Returns true if a placement is at another place: fused into a consumer, or inlined instead of at root,
 * or the other way round. */
static bool elsewhere(const struct bw_placement *placement, const struct bw_placement *now)
{
	return placement->compute.kind == BW_SITE_AT || placement->compute.kind != now->compute.kind;
}

/* Costs the schedule with another placement of the Func. */
static void try(struct bw_probe *probe, const struct bw_placement *placement)
{
	double cost = cost_with(probe, placement);
	probe->costed += cost > 0;
	if (cost > 0 && (!(probe->best > 0) || cost < probe->best))
		probe->best = cost;
}

bool bw_probe(struct bw_probe *probe, const struct bw_search *search, const struct bw_state *const *way,
	      int place)
{
	int func = search->plan[place * BW_FUNC_PHASES].func;
	struct bw_question question = {.pipeline = search->pipeline,
				       .options = &search->options,
				       .parent = way[place * BW_FUNC_PHASES],
				       .alone = true,
				       .beam = 1,
				       .func = func,
				       .phase = BW_PHASE_WHERE,
				       .pass = 1,
				       .recall = &search->recall,
				       .yield = search->yield};
	struct bw_expanding expanding;
	*probe = (struct bw_probe){.search = search,
				   .whole = way[search->pass_decisions]->nest,
				   .before = question.parent->nest,
				   .place = place};
	bw_expanding_begin(&expanding, &question, NULL, true);
	expanding.draws = true;
	bool done = bw_expanding_run(&expanding);
	for (int i = 0; done && i < expanding.expansion->n; i++) {
		const struct bw_option *option = &expanding.expansion->options[i];
		done = bw_yield(search->yield);
		if (done && option->fate == BW_FATE_COSTED &&
		    elsewhere(option->placement, probe->whole->placed[func]->placement))
			try(probe, option->placement);
	}
	bw_expanding_end(&expanding);
	return done;
}
