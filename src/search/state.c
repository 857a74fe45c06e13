#include <stdlib.h>

#include "search/record.h"

struct bw_state *bw_state_new(const struct bw_state *parent, int parent_rank, int option,
			      struct bw_nest *nest, double cost)
{
	struct bw_state *state = BW_NEW(struct bw_state);
	*state = (struct bw_state){.references = 1,
				   .penalty = 1,
				   .position = parent ? parent->position + 1 : 0,
				   .parent_rank = parent_rank,
				   .option = option,
				   .cost = cost};
	state->parent = parent ? bw_state_keep(parent) : NULL;
	state->nest = bw_nest_keep(nest);
	state->hash = nest->hash;
	return state;
}

const struct bw_state *bw_state_first(const struct bw_state *state)
{
	while (state->parent)
		state = state->parent;
	return state;
}

const struct bw_state *bw_state_keep(const struct bw_state *state)
{
	((struct bw_state *)state)->references++;
	return state;
}

/* Ancestors are dropped in a loop: a chain of states is as long as the search. */
void bw_state_drop(const struct bw_state *state)
{
	struct bw_state *mine = (struct bw_state *)state;
	while (mine && !--mine->references) {
		struct bw_state *parent = (struct bw_state *)mine->parent;
		bw_nest_drop(mine->nest);
		free(mine);
		mine = parent;
	}
}
