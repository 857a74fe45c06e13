/* The search as a cursor: positions, beams, records. */
#include "search/search_private.h"

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

int bw_search_frozen(const struct bw_search *search, int pass, const struct bw_frozen **frozen)
{
	int end = bw_search_pass_end(search, search->first_pass);
	bool reached = search->freezes && pass > search->first_pass && end < search->n_reached;
	*frozen = reached ? search->reached[end]->frozen : NULL;
	return reached ? search->reached[end]->n_frozen : 0;
}

const struct bw_frozen *bw_search_froze(const struct bw_search *search, int func, int pass)
{
	const struct bw_frozen *frozen;
	int n = bw_search_frozen(search, pass, &frozen);
	for (int i = 0; i < n; i++)
		if (frozen[i].constraint.placement->func == func)
			return &frozen[i];
	return NULL;
}

const struct bw_frozen *bw_search_frozen_on(const struct bw_search *search, int func, int pass)
{
	bool said = bw_constraint_on(&search->constraints, func, pass) ||
		    bw_constraints_let_go(&search->constraints, func) ||
		    bw_constraints_marks(&search->constraints, func, pass);
	return said ? NULL : bw_search_froze(search, func, pass);
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
