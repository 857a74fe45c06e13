/* Creates, forks and frees searches, and gives access to their positions, beams, records and totals. */
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

#include "search/search_private.h"

/* Returns a search without a position. */
static struct bw_search *search_alloc(const struct bw_pipeline *pipeline,
				      const struct bw_settings *options,
				      const struct bw_constraints *constraints)
{
	struct bw_search *search = BW_NEW(struct bw_search);
	search->pipeline = pipeline;
	search->recorded_limit = BW_RECORDED_CHILDREN;
	search->said = search->options = *options;
	search->device = bw_settings_device(options);
	search->options.device = &search->device;
	search->options.passes = bw_settings_passes(options);
	search->recall = bw_recall_begin(pipeline, &search->options);
	search->constraints = bw_constraints_copy(constraints);
	int n_order, *order = bw_nest_order(pipeline, &n_order);
	search->freezes = bw_settings_freezing(&search->options) != BW_FREEZING_OFF;
	search->first_pass = bw_freezing_pass(&search->options) == 0 ? 0 : 1;
	search->pass_decisions = n_order * BW_FUNC_PHASES;
	search->n_decisions = (search->options.passes + 1 - search->first_pass) * (search->pass_decisions + 1) - 1;
	search->plan = BW_NEW_ARRAY(struct bw_decision, search->n_decisions);
	for (int d = 0; d < search->n_decisions; d++) {
		int within = d % (search->pass_decisions + 1);
		bool ends = within == search->pass_decisions;
		search->plan[d] = (struct bw_decision){
		    .func = order[ends ? 0 : within / BW_FUNC_PHASES],
		    .phase = ends ? BW_PHASE_PASS : (enum bw_phase)(within % BW_FUNC_PHASES),
		    .pass = d / (search->pass_decisions + 1) + search->first_pass};
	}
	free(order);
	search->reached = BW_NEW_ARRAY(struct bw_position *, search->n_decisions + 1);
	return search;
}

/* Makes position 0, with nothing placed. */
static void start(struct bw_search *search)
{
	BW_SCOPED_NEST *nest = bw_nest_new(search->pipeline);
	nest->unstaged = !search->options.staging;
	struct bw_position *first = search->reached[0] = bw_position_new(1);
	struct bw_state *state = bw_state_new(NULL, -1, -1, nest, 0);
	for (int less = 0; less < 2; less++)
		state->structures[less] = bw_nest_structure(nest, search->first_pass - less);
	first->beam[first->n++] = state;
	bw_position_measure(first, NULL);
	search->n_reached = 1;
}

int bw_constraints_newest_override(const struct bw_constraints *constraints)
{
	for (int i = constraints->n - 1; i >= 0; i--)
		if (constraints->list[i].source == BW_CONSTRAINT_OVERRIDE)
			return i;
	return -1;
}

/* Returns the search without its newest override. Returns NULL if it has no override or nothing is
 * polished. The result shares positions with `of`, from which the search was forked (NULL: none), or with
 * the search itself. */
static struct bw_search *without_override(const struct bw_search *search, const struct bw_search *of)
{
	const struct bw_constraints *with = &search->constraints;
	int newest = bw_constraints_newest_override(with);
	if (newest < 0 || !bw_search_polishes(search))
		return NULL;
	BW_SCOPED_MEMORY struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, with->n);
	struct bw_constraints less = {.list = list, .n_free = with->n_free, .free = with->free};
	for (int i = 0; i < with->n; i++)
		if (i != newest)
			list[less.n++] = with->list[i];
	bool older = of && of->without && bw_constraints_newest_override(&of->constraints) == newest;
	struct bw_search *without = bw_search_fork(older ? of->without : of ? of : search, &search->said, &less);
	return without;
}

struct bw_search *bw_search_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
				const struct bw_constraints *constraints)
{
	struct bw_search *search = search_alloc(pipeline, options, constraints);
	start(search);
	search->without = without_override(search, NULL);
	return search;
}

int bw_search_frozen(const struct bw_search *search, int pass, const struct bw_frozen **frozen)
{
	int end = bw_search_pass_end(search, search->first_pass);
	bool reached = search->freezes && pass > search->first_pass && end < search->n_reached;
	*frozen = reached ? search->reached[end]->frozen : NULL;
	return reached ? search->reached[end]->n_frozen : 0;
}

/* Returns the frozen choice of a Func in a pass, even if the user constrains the Func; NULL if there is
 * none. */
static const struct bw_frozen *froze(const struct bw_search *search, int func, int pass)
{
	const struct bw_frozen *frozen;
	int n = bw_search_frozen(search, pass, &frozen);
	for (int i = 0; i < n; i++)
		if (frozen[i].constraint.placement->func == func)
			return &frozen[i];
	return NULL;
}

/* Returns true if a decision may differ between two searches because of their constraints. */
static bool touch(const struct bw_search *search, const struct bw_search *fork, int index)
{
	int func = search->plan[index].func, pass = search->plan[index].pass;
	bool awaits = index + 1 < search->n_reached && search->reached[index + 1]->decision.awaits;
	for (int f = awaits ? 0 : func; f <= func; f++)
		if (!bw_constraints_equal_on(&search->constraints, &fork->constraints, f, pass))
			return true;
	return bw_constraints_let_go(&search->constraints, func) !=
		   bw_constraints_let_go(&fork->constraints, func) &&
	       froze(search, func, pass);
}

struct bw_search *bw_search_fork(const struct bw_search *search, const struct bw_settings *options,
				 const struct bw_constraints *constraints)
{
	const struct bw_settings *said = options ? options : &search->said;
	struct bw_search *fork =
	    search_alloc(search->pipeline, said, constraints ? constraints : &search->constraints);
	if (search->first_pass != fork->first_pass || search->said.staging != fork->said.staging) {
		start(fork);
		fork->without = without_override(fork, NULL);
		return fork;
	}
	int shared = bw_settings_same_outcome(&search->said, &fork->said) ? search->n_reached : 1;
	for (int d = 0; d + 1 < shared; d++)
		if (touch(search, fork, d))
			shared = d + 1;
	for (int p = 0; p < shared; p++) {
		fork->reached[p] = search->reached[p];
		fork->reached[p]->references++;
	}
	fork->n_reached = shared;
	fork->without = without_override(fork, search);
	return fork;
}

/* Makes the position after a decision in which one state takes this option. */
static struct bw_position *branch_position(const struct bw_search *search, int index, int rank,
					   const struct bw_option *option)
{
	struct bw_position *position = bw_position_new(1);
	const struct bw_state *parent = search->reached[index]->beam[rank];
	struct bw_state *state = bw_state_new(parent, rank, option->number, option->nest, option->cost);
	memcpy(state->structures, option->structures, sizeof state->structures);
	position->beam[position->n++] = state;
	position->decision = search->plan[index];
	position->decision.made = true;
	bw_position_measure(position, search->reached[index]);
	return position;
}

struct bw_search *bw_search_branch(const struct bw_search *search, int index, int rank,
				   const struct bw_option *option)
{
	const struct bw_constraints *old = &search->constraints;
	struct bw_settings narrow = search->said;
	narrow.beam = 1;
	narrow.passes = search->options.passes;
	BW_SCOPED_MEMORY struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, old->n + 1);
	struct bw_constraints with = {old->n, list, old->n_free, old->free};
	for (int i = 0; i < old->n; i++)
		list[i] = old->list[i];
	if (option->placement)
		list[with.n++] = (struct bw_constraint){.placement = option->placement,
							.sizes = search->plan[index].phase == BW_PHASE_TILE,
							.source = BW_CONSTRAINT_ACCEPT};
	struct bw_search *branch = search_alloc(search->pipeline, &narrow, &with);
	for (int p = 0; p <= index; p++) {
		branch->reached[p] = search->reached[p];
		branch->reached[p]->references++;
	}
	branch->reached[index + 1] = branch_position(search, index, rank, option);
	branch->n_reached = index + 2;
	if (search->n_reached > search->n_decisions)
		branch->tries = bw_tries_keep(search->reached[search->n_decisions]->polish.tries);
	return branch;
}

void bw_search_give_back(struct bw_search *search, const struct bw_yield *yield)
{
	if (!search)
		return;
	bw_search_give_back(search->without, yield);
	while (search->n_reached) {
		bw_position_drop(search->reached[--search->n_reached]);
		bw_yield(yield);
	}
	bw_recall_end(&search->recall);
	bw_tries_drop(search->tries);
	free(search->reached);
	free(search->plan);
	bw_constraints_free(&search->constraints);
	free(search);
}

void bw_search_free(struct bw_search *search)
{
	bw_search_give_back(search, NULL);
}

int64_t bw_search_bytes(const struct bw_search *search)
{
	int64_t bytes = (int64_t)sizeof *search +
			search->n_decisions * (int64_t)(sizeof *search->plan + sizeof *search->reached) +
			bw_recall_bytes(&search->recall);
	for (int p = 0; p < search->n_reached; p++)
		bytes += search->reached[p]->bytes / search->reached[p]->references;
	return bytes + (search->without ? bw_search_bytes(search->without) : 0);
}

/* Access to positions, beams and records. */

int bw_search_keeps(const struct bw_search *search, int index)
{
	return search->plan[index].pass == 0 ? bw_freezing_beam(&search->options) : search->options.beam;
}

bool bw_state_allowed(const struct bw_search *search, const struct bw_state *state, int pass)
{
	for (int f = 0; f < search->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = state->nest->placed[f];
		const struct bw_constraint *held = bw_constraint_on(&search->constraints, f, pass);
		const struct bw_constraint *mark =
		    placed ? bw_constraint_mark(&search->constraints, placed->placement, pass) : NULL;
		if (placed && ((held && !bw_constraint_names(held, placed->placement)) ||
			       (mark && mark->source == BW_CONSTRAINT_REJECT)))
			return false;
	}
	return true;
}

bool bw_search_polishes(const struct bw_search *search)
{
	return search->options.polish && !search->options.random;
}

int bw_search_n_decisions(const struct bw_search *search)
{
	return search->n_decisions;
}

const struct bw_decision *bw_search_decision(const struct bw_search *search, int index)
{
	return index + 1 < search->n_reached ? &search->reached[index + 1]->decision : &search->plan[index];
}

int bw_search_reached(const struct bw_search *search)
{
	return search->n_reached - 1;
}

int bw_search_find(const struct bw_search *search, int func, enum bw_phase phase, int pass)
{
	for (int d = 0; d < search->n_decisions; d++)
		if (search->plan[d].func == func && search->plan[d].phase == phase && search->plan[d].pass == pass)
			return d;
	return -1;
}

int bw_search_first_pass(const struct bw_search *search)
{
	return search->first_pass;
}

int bw_search_freezing_pass(const struct bw_search *search)
{
	return search->freezes ? search->first_pass : -1;
}

int bw_search_pass(const struct bw_search *search, int position)
{
	return position < search->n_decisions ? search->plan[position].pass : search->options.passes;
}

int bw_search_pass_start(const struct bw_search *search, int pass)
{
	return (pass - search->first_pass) * (search->pass_decisions + 1);
}

int bw_search_pass_end(const struct bw_search *search, int pass)
{
	return bw_search_pass_start(search, pass) + search->pass_decisions;
}

uint64_t bw_search_digest(const struct bw_search *search, int position)
{
	return search->reached[position]->digest;
}

int bw_search_beam(const struct bw_search *search, int position, const struct bw_state *const **states)
{
	*states = search->reached[position]->beam;
	return search->reached[position]->n;
}

const struct bw_state *bw_search_state(const struct bw_search *search, int position, int rank)
{
	return rank < search->reached[position]->n ? search->reached[position]->beam[rank] : NULL;
}

const struct bw_frozen *bw_search_frozen_on(const struct bw_search *search, int func, int pass)
{
	bool said = bw_constraint_on(&search->constraints, func, pass) ||
		    bw_constraints_let_go(&search->constraints, func) ||
		    bw_constraints_marks(&search->constraints, func, pass);
	return said ? NULL : froze(search, func, pass);
}

struct bw_cost bw_search_cost(const struct bw_search *search, const struct bw_nest *nest,
			      struct bw_arena *arena)
{
	return bw_cost_of(search->options.model, nest, search->options.device, arena);
}

const struct bw_settings *bw_search_settings(const struct bw_search *search)
{
	return &search->said;
}

const struct bw_device *bw_search_device(const struct bw_search *search)
{
	return &search->device;
}

const struct bw_constraints *bw_search_constraints(const struct bw_search *search)
{
	return &search->constraints;
}

const struct bw_pipeline *bw_search_pipeline(const struct bw_search *search)
{
	return search->pipeline;
}

const struct bw_polish *bw_search_polish(const struct bw_search *search, int position)
{
	const struct bw_polish *polish = &search->reached[position]->polish;
	return polish->done ? polish : NULL;
}

double bw_search_polishing(const struct bw_search *search)
{
	return search->polishing;
}

bool bw_search_alone(const struct bw_search *search, int index, const struct bw_position *from)
{
	int func = search->plan[index].func, n = 0;
	for (int s = 0; s < from->n; s++) {
		const struct bw_placed *placed = from->beam[s]->nest->placed[func];
		bool tiled = search->plan[index].phase == BW_PHASE_TILE &&
			     placed->placement->compute.kind == BW_SITE_ROOT && placed->placement->tiled;
		n += !tiled;
	}
	return n <= 1;
}

struct bw_question bw_search_question(const struct bw_search *search, int index,
				      const struct bw_state *parent, bool alone)
{
	const struct bw_decision *decision = &search->plan[index];
	const struct bw_constraint *constraint =
	    bw_constraint_on(&search->constraints, decision->func, decision->pass);
	bool marked = decision->phase != BW_PHASE_PASS &&
		      bw_constraints_marks(&search->constraints, decision->func, decision->pass);
	const struct bw_frozen *frozen = decision->phase == BW_PHASE_PASS
					     ? NULL
					     : bw_search_frozen_on(search, decision->func, decision->pass);
	return (struct bw_question){
	    .pipeline = search->pipeline,
	    .options = &search->options,
	    .constraint = frozen ? &frozen->constraint : constraint,
	    .parent = parent,
	    .alone = alone,
	    .beam = bw_search_keeps(search, index),
	    .func = decision->func,
	    .phase = decision->phase,
	    .pass = decision->pass,
	    .marks = marked ? &search->constraints : NULL,
	    .held = search->constraints.n ? &search->constraints : NULL,
	    .recall = &search->recall,
	    .yield = search->yield,
	};
}

/* Totals of a search so far, from the records of its decisions. */
static struct bw_search_totals totals_of(const struct bw_search *search, int first, int end)
{
	struct bw_search_totals totals = {0};
	bool whole = first == 0;
	for (int p = first + 1; p <= end; p++) {
		const struct bw_decision *decision = &search->reached[p]->decision;
		totals.seconds += decision->seconds;
		totals.enumerated += decision->enumerated;
		totals.buckets += decision->buckets;
		totals.unsampled += decision->unsampled;
		totals.costed += decision->costed;
		totals.evaluated += decision->evaluated + decision->probed;
		totals.probed += decision->probed;
		totals.complete += whole ? search->reached[p]->first_complete : search->reached[p]->first_in_pass;
		totals.let_go += decision->let_go;
		totals.kept += decision->kept;
		totals.second += decision->second;
		totals.dropped_out += decision->dropped_out;
		for (int r = 0; r < BW_N_RULES; r++)
			totals.pruned[r] += decision->pruned[r];
	}
	for (int p = first + 1; p <= end; p++)
		totals.evaluated += search->reached[p]->polish.priced;
	const struct bw_frozen *frozen;
	totals.frozen = bw_search_frozen(search, search->first_pass + 1, &frozen);
	return totals;
}

struct bw_search_totals bw_search_totals(const struct bw_search *search)
{
	struct bw_search_totals totals = totals_of(search, 0, search->n_reached - 1);
	totals.seconds = search->seconds;
	return totals;
}

struct bw_search_totals bw_search_pass_totals(const struct bw_search *search, int pass)
{
	int first = bw_search_pass_start(search, pass), end = bw_search_pass_end(search, pass),
	    made = search->n_reached - 1;
	if (pass < search->first_pass || first > made)
		return (struct bw_search_totals){0};
	return totals_of(search, first, end < made ? end : made);
}
