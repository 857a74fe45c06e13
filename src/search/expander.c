/* Makes the options of a decision again, or makes them for a schedule outside the beam. */
#include "search/expander.h"

#include <stdlib.h>

#include "search/search_private.h"

/* Copies fates and ranks into an expansion from the record of its decision. */
static void apply_record(const struct bw_decision *record, int rank, struct bw_expansion *expansion)
{
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].fate == BW_FATE_COSTED)
			expansion->options[i].fate = BW_FATE_DROPPED;
	for (int c = 0; c < record->n_recorded; c++) {
		const struct bw_child *child = &record->children[c];
		if (child->parent != rank || child->option >= expansion->n)
			continue;
		struct bw_option *option = &expansion->options[child->option];
		option->rank = child->rank;
		option->fate = child->kept >= 0 ? BW_FATE_KEPT : child->dropped_out ? BW_FATE_DROPPED_OUT : BW_FATE_DROPPED;
	}
}

struct bw_expansion *bw_search_expand(const struct bw_search *search, int index, int rank,
				      const struct bw_yield *yield)
{
	const struct bw_position *from = search->reached[index];
	struct bw_question question =
	    bw_search_question(search, index, from->beam[rank], bw_search_alone(search, index, from));
	struct bw_expanding expanding;
	struct bw_expansion *expansion = NULL;
	question.yield = yield;
	bw_expanding_begin(&expanding, &question, NULL, false);
	if (bw_expanding_run(&expanding)) {
		expansion = expanding.expansion;
		expanding.expansion = NULL;
		bw_expansion_name(expansion);
		if (index + 1 < search->n_reached)
			apply_record(&search->reached[index + 1]->decision, rank, expansion);
	}
	bw_expanding_end(&expanding);
	return expansion;
}

struct bw_expansion *bw_search_offered(const struct bw_search *search, int index, struct bw_nest *nest,
				       double cost)
{
	struct bw_state *state = bw_state_new(NULL, 0, -1, nest, cost);
	struct bw_question question = bw_search_question(search, index, state, true);
	struct bw_expanding expanding;
	bw_expanding_begin(&expanding, &question, NULL, true);
	bw_expanding_run(&expanding);
	struct bw_expansion *expansion = expanding.expansion;
	expanding.expansion = NULL;
	bw_expanding_end(&expanding);
	bw_state_drop(state);
	return expansion;
}

bool bw_search_inlines(const struct bw_search *search, int func)
{
	int index = bw_search_find(search, func, BW_PHASE_WHERE, bw_search_first_pass(search));
	const struct bw_state *const *states;
	bw_search_beam(search, 0, &states);
	struct bw_question question = bw_search_question(search, index, states[0], true);
	return !question.pipeline->funcs[func].output && bw_always_inlined(&question);
}
