/* Makes the options of a decision again, a little at a time. */
#include <math.h>
#include <stdlib.h>

#include "search/search_private.h"

/* Fates and ranks of an expansion from the record of its decision. */
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

struct bw_expander {
	const struct bw_search *search;
	int index, rank;
	struct bw_expanding expanding;
};

struct bw_expander *bw_expander_begin(const struct bw_search *search, int index, int rank)
{
	struct bw_expander *expander = BW_NEW(struct bw_expander);
	*expander = (struct bw_expander){.search = search, .index = index, .rank = rank};
	const struct bw_reached *from = search->reached[index];
	struct bw_question question =
	    bw_search_question(search, index, from->beam[rank], bw_search_alone(search, index, from));
	bw_expanding_begin(&expander->expanding, &question, NULL, false);
	return expander;
}

bool bw_expander_go(struct bw_expander *expander, double seconds)
{
	enum { OPTIONS_A_LOOK = 8 };
	double deadline = bw_search_now() + seconds;
	do {
		for (int i = 0; i < OPTIONS_A_LOOK && !expander->expanding.done; i++)
			bw_expanding_step(&expander->expanding);
	} while (!expander->expanding.done && bw_search_now() < deadline);
	return expander->expanding.done;
}

struct bw_expansion *bw_expander_end(struct bw_expander *expander)
{
	if (!expander)
		return NULL;
	const struct bw_search *search = expander->search;
	struct bw_expansion *expansion = expander->expanding.done ? expander->expanding.expansion : NULL;
	if (expansion) {
		expander->expanding.expansion = NULL;
		bw_expansion_name(expansion);
		if (expander->index + 1 < search->n_reached)
			apply_record(&search->reached[expander->index + 1]->decision, expander->rank, expansion);
	}
	bw_expanding_end(&expander->expanding);
	free(expander);
	return expansion;
}

struct bw_expansion *bw_search_expand(const struct bw_search *search, int index, int rank)
{
	struct bw_expander *expander = bw_expander_begin(search, index, rank);
	bw_expander_go(expander, INFINITY);
	return bw_expander_end(expander);
}
