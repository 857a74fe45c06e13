/* What a decision asks, and the constraints on its Func. */
#include "search/search_private.h"

bool bw_search_alone(const struct bw_search *search, int index, const struct bw_reached *from)
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
	    .recall = &search->recall,
	    .yield = search->yield,
	};
}

bool bw_question_asked(const struct bw_question *question)
{
	return question->constraint || question->marks;
}

const struct bw_constraint *bw_question_mark(const struct bw_question *question,
					     const struct bw_placement *placement)
{
	return question->marks && placement ? bw_constraint_mark(question->marks, placement, question->pass) : NULL;
}

bool bw_question_frozen(const struct bw_question *question)
{
	return question->constraint && question->constraint->source == BW_CONSTRAINT_SEARCH;
}

bool bw_question_pinned(const struct bw_question *question)
{
	return question->constraint && question->constraint->sizes && !bw_question_frozen(question);
}
