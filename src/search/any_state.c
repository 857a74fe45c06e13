#include "search/any_state.h"

#include "search/search_private.h"

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
