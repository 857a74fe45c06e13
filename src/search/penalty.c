/* Avoiding known bad states (Anderson et al. 2021, section 4.5): a pass looks at structures to the depth of its number, and what it has
 * seen of a structure before makes another state of it cost more. Factors are those of Halide's anderson2021 (AutoSchedule.cpp). */
#include <stdlib.h>

#include "search/search_private.h"

enum { UNBLESSED = 10 };            /* added to the factor of what no good state of the pass before went through */
static const double good_enough = 1.2; /* x the best: whose way is blessed */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* A beam of one has nothing to choose between, and complete schedules are told apart by their costs alone. */
bool bw_penalties_begin(const struct bw_search *search, int index, struct bw_penalties *penalties)
{
	const struct bw_decision *decision = &search->plan[index];
	*penalties = (struct bw_penalties){.depth = decision->pass, .judges = decision->pass > 1};
	if (search->options.passes == 1 || search->options.beam == 1 || search->options.random || decision->phase == BW_PHASE_PASS || index + 1 == bw_search_pass_end(search, decision->pass))
		return false;
	if (penalties->judges) {
		const struct bw_reached *before = search->reached[bw_search_pass_end(search, decision->pass - 1)];
		penalties->blessed = before->blessed;
		penalties->n_blessed = before->n_blessed;
	}
	return true;
}

void bw_penalties_end(struct bw_penalties *penalties)
{
	free(penalties->seen);
}

int bw_penalty_of(struct bw_penalties *penalties, const struct bw_nest *nest)
{
	uint64_t structure = bw_nest_structure(nest, penalties->depth);
	int i = 0;
	while (i < penalties->n && penalties->seen[i].structure != structure)
		i++;
	if (i == penalties->n) {
		BW_GROW(penalties->seen, penalties->n, penalties->capacity);
		penalties->seen[penalties->n++] = (struct bw_seen){structure, 0};
	}
	int factor = ++penalties->seen[i].times;
	if (!penalties->judges)
		return factor;
	uint64_t coarser = bw_nest_structure(nest, penalties->depth - 1);
	bool blessed = penalties->n_blessed && bsearch(&coarser, penalties->blessed, (size_t)penalties->n_blessed, sizeof coarser, by_value);
	return blessed ? factor : factor + UNBLESSED;
}

void bw_bless(struct bw_reached *end, int pass)
{
	int capacity = 0;
	double best = end->n ? end->beam[0]->cost : 0;
	for (int i = 0; i < end->n && end->beam[i]->cost <= good_enough * best; i++)
		for (const struct bw_state *state = end->beam[i]; state; state = state->parent) {
			BW_GROW(end->blessed, end->n_blessed, capacity);
			end->blessed[end->n_blessed++] = bw_nest_structure(state->nest, pass);
		}
	if (end->n_blessed)
		qsort(end->blessed, (size_t)end->n_blessed, sizeof *end->blessed, by_value);
}
