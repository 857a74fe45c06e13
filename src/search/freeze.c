/* Freezing at the end of the first pass (Anderson et al. 2021, section 3.2): a rule chooses Funcs
 * from the best schedule that stay inline or at root in the later passes.
 *
 * `paper` is the rule of the paper and of Halide's anderson2021 (SearchSpace.cpp,
 * freeze_lowest_cost_stages). Its first pass is a pre-pass in which each Func is either inline or
 * at root. It freezes the cheapest Funcs by the costs of their own stages, all but log2 of their
 * number, those at root with their tilings. It can lose: a cheap Func may be one that would be
 * cheaper still if fused, or one that makes others expensive.
 *
 * `probed` freezes a Func if the whole schedule gets no cheaper with that Func at any other place
 * (bw_probe), and further Funcs as long as the loss stays below GIVEN_AWAY in all. A probe moves one
 * Func only, so it does not see a Func that is worth fusing only together with its consumer. The
 * decisions of a full pass do find such moves: if several passes are asked for, the first one,
 * which offers every place, is the pass to freeze by; Funcs fused in its best schedule stay free,
 * and those at root keep their tilings. If there is only one pass, the first pass is a pre-pass as
 * in the paper: there are two places for each Func, so a narrow beam is enough. Tilings are decided
 * after it, except for Funcs of little cost, which keep theirs at once unless a free Func may be
 * computed in their kernel. */
#include <stdlib.h>

#include "base/arith.h"
#include "search/search_private.h"

/* Probing the other sites of a Func: costs the best schedule of the first pass with this Func at another
 * site and all other Funcs unchanged. This includes the effect on the Func's consumers and producers,
 * which the cost so far does not include. */

/* Returns the cost of the schedule with another placement of the Func. Returns 0 if the other Funcs cannot
 * keep their placements. */
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

/* Returns true if a placement is at another site than `now`: it is fused into a consumer, at any loop, or
 * its kind of site is another one (inlined, at root). */
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

/* Shares of the cost of the whole schedule. GIVEN_AWAY limits the loss that `probed` accepts, for all Funcs
 * together and by the costs that the probes found. A Func that costs less than LITTLE has its tiling frozen
 * at once. */
#define GIVEN_AWAY 0.01
#define LITTLE 0.04

/* A Func that may be frozen. */
struct candidate {
	int func, place; /* place: index in the order of decisions */
	bool asked;      /* true: no constraint holds it, so it may be frozen */
	bool free;
	bool hosts;         /* a free Func may be computed in its kernel */
	double cost, other; /* see struct bw_frozen */
};

struct freezing {
	const struct bw_search *search;
	const struct bw_state **way; /* the states of the best schedule, by position */
	const struct bw_nest *whole;
	double total;
	struct bw_position *end;
	int n;
	struct candidate *candidates; /* in the order of decisions */
	long probed;                  /* schedules that were costed */
};

static bool at_root(const struct freezing *freezing, const struct candidate *candidate)
{
	return freezing->whole->placed[candidate->func]->placement->compute.kind == BW_SITE_ROOT;
}

BW_ORDER(by_cost, struct candidate *,
	  2 * BW_COMPARE((*a)->cost, (*b)->cost) + BW_COMPARE((*a)->place, (*b)->place))

static void choose_cheapest(struct freezing *freezing)
{
	BW_SCOPED_MEMORY const struct candidate **sorted =
	    BW_NEW_ARRAY(const struct candidate *, freezing->n);
	int free_ones = 0;
	while (freezing->n >> (free_ones + 1))
		free_ones++;
	for (int i = 0; i < freezing->n; i++)
		sorted[i] = &freezing->candidates[i];
	qsort(sorted, (size_t)freezing->n, sizeof *sorted, by_cost);
	for (int i = freezing->n - free_ones; i < freezing->n; i++)
		freezing->candidates[sorted[i]->place].free = true;
}

static double gain(const struct freezing *freezing, const struct candidate *candidate)
{
	return candidate->other > 0 ? freezing->total - candidate->other : 0;
}

/* Returns true if the Func is computed inside of a consumer. */
static bool is_fused(const struct freezing *freezing, const struct candidate *candidate)
{
	return freezing->whole->placed[candidate->func]->placement->compute.kind == BW_SITE_AT;
}

static bool is_output(const struct freezing *freezing, const struct candidate *candidate)
{
	return freezing->search->pipeline->funcs[candidate->func].output;
}

/* Returns the free Func for which another site gains least. Considers only Funcs whose probe found a cost.
 * Returns NULL if there is none. */
static struct candidate *least_gain(const struct freezing *freezing)
{
	struct candidate *least = NULL;
	for (int i = 0; i < freezing->n; i++) {
		struct candidate *candidate = &freezing->candidates[i];
		bool gains = candidate->free && candidate->other > 0;
		if (gains && (!least || gain(freezing, candidate) < gain(freezing, least)))
			least = candidate;
	}
	return least;
}

/* Marks as hosts the consumers of free Funcs, and in turn the consumers of hosts that are not at
 * root. */
static void mark_hosts(struct freezing *freezing)
{
	BW_SCOPED_MEMORY int *places = BW_NEW_ARRAY(int, freezing->search->pipeline->n_funcs);
	for (int i = 0; i < freezing->n; i++)
		places[freezing->candidates[i].func] = i;
	for (int i = freezing->n - 1; i >= 0; i--) {
		const struct candidate *candidate = &freezing->candidates[i];
		const struct bw_func *func = &freezing->search->pipeline->funcs[candidate->func];
		for (int c = 0; (candidate->free || (candidate->hosts && !at_root(freezing, candidate))) &&
				c < func->n_consumers;
		     c++)
			freezing->candidates[places[func->consumers[c]->func]].hosts = true;
	}
}

/* Probes a candidate, and sets whether it is free. Two kinds of Func are free without a probe. An output
 * must be at root, so only its tiling could be frozen, and the states of the beam differ in this tiling
 * first. A Func that a full pass fused has many possible sites, and later passes refine its sizes. Returns
 * false if it was stopped. */
static bool probe(struct freezing *freezing, struct candidate *candidate)
{
	struct bw_probe probe;
	if (!candidate->asked || is_output(freezing, candidate) || is_fused(freezing, candidate)) {
		candidate->free = candidate->asked;
		return true;
	}
	if (!bw_probe(&probe, freezing->search, freezing->way, candidate->place))
		return false;
	candidate->other = probe.best;
	candidate->free = gain(freezing, candidate) > 0;
	freezing->probed += probe.costed;
	return true;
}

static bool probe_all(struct freezing *freezing)
{
	for (int i = 0; i < freezing->n; i++)
		if (!probe(freezing, &freezing->candidates[i]))
			return false;
	return true;
}

static void choose_probed(struct freezing *freezing)
{
	double left = GIVEN_AWAY * freezing->total;
	for (struct candidate *least; (least = least_gain(freezing)) && gain(freezing, least) <= left;) {
		left -= gain(freezing, least);
		least->free = false;
	}
	mark_hosts(freezing);
}

static bool holds_tiling(const struct freezing *freezing, const struct candidate *candidate)
{
	bool full = freezing->search->first_pass > 0,
	     paper = bw_settings_freezing(&freezing->search->options) == BW_FREEZING_PAPER;
	if (!at_root(freezing, candidate) || full || paper)
		return at_root(freezing, candidate);
	return !candidate->hosts && candidate->cost < LITTLE * freezing->total;
}

static void list_candidates(struct freezing *freezing, const struct bw_cost *cost)
{
	const struct bw_search *search = freezing->search;
	freezing->n = search->pass_decisions / BW_FUNC_PHASES;
	freezing->candidates = BW_NEW_ARRAY(struct candidate, freezing->n);
	for (int i = 0; i < freezing->n; i++) {
		int func = search->plan[i * BW_FUNC_PHASES].func;
		const struct bw_func *f = &search->pipeline->funcs[func];
		struct bw_question question =
		    bw_search_question(search, i * BW_FUNC_PHASES, freezing->way[i * BW_FUNC_PHASES], true);
		freezing->candidates[i] = (struct candidate){.func = func, .place = i, .asked = !question.constraint};
		for (int s = 0; s < f->n_stages; s++)
			freezing->candidates[i].cost += cost->stages[f->first_stage + s].ms;
	}
}

static void freeze_chosen(struct freezing *freezing)
{
	struct bw_position *end = freezing->end;
	end->decision.probed += freezing->probed;
	end->frozen = BW_NEW_ARRAY(struct bw_frozen, freezing->n);
	for (int i = 0; i < freezing->n; i++) {
		const struct candidate *candidate = &freezing->candidates[i];
		if (candidate->free || !candidate->asked)
			continue;
		const struct bw_placement *placement =
		    bw_placement_keep(freezing->whole->placed[candidate->func]->placement);
		struct bw_constraint constraint = {.placement = placement,
						   .sizes = holds_tiling(freezing, candidate),
						   .source = BW_CONSTRAINT_SEARCH};
		end->frozen[end->n_frozen++] =
		    (struct bw_frozen){constraint, candidate->cost, freezing->total, candidate->other};
	}
}

/* Finds the states of the best schedule, and its Funcs with their costs. */
static void begin(struct freezing *freezing)
{
	const struct bw_search *search = freezing->search;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_cost cost = bw_search_cost(search, freezing->whole, arena);
	freezing->way = BW_NEW_ARRAY(const struct bw_state *, search->pass_decisions + 1);
	for (const struct bw_state *state = freezing->end->beam[0]; state; state = state->parent)
		freezing->way[state->position] = state;
	list_candidates(freezing, &cost);
}

bool bw_freeze(const struct bw_search *search, struct bw_position *end)
{
	struct freezing freezing = {
	    .search = search, .end = end, .whole = end->beam[0]->nest, .total = end->beam[0]->cost};
	bool paper = bw_settings_freezing(&search->options) == BW_FREEZING_PAPER;
	begin(&freezing);
	bool done = paper || probe_all(&freezing);
	if (done && paper)
		choose_cheapest(&freezing);
	else if (done)
		choose_probed(&freezing);
	if (done)
		freeze_chosen(&freezing);
	free(freezing.candidates);
	free(freezing.way);
	return done;
}
