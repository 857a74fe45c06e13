/* The merge after all parents of a decision are expanded: children are collected, the beam is filled, its
 * record is completed, and at the end of a pass structures are blessed. */
#include <stdlib.h>

#include "base/hash.h"
#include "search/search_private.h"

struct merging {
	const struct bw_search *search;
	const struct bw_parents *parents;
	struct bw_position *next;
	/* the decision leaves nothing to place or tile, so its children are complete schedules */
	bool completes;
	struct bw_filling filling;
};

/* Returns true if an earlier decision has costed a complete schedule: in this pass, or without in_pass
 * in any pass. Complete schedules come up only at the ends of passes. */
static bool costed_before(const struct merging *merging, uint64_t hash, bool in_pass)
{
	const struct bw_search *search = merging->search;
	int index = merging->parents->index, pass = search->plan[index].pass;
	for (int p = in_pass ? pass : search->first_pass; p <= pass; p++) {
		int end = bw_search_pass_end(search, p);
		for (int position = end - BW_FUNC_PHASES + 1; position <= end && position <= index; position++)
			if (position > 0 && bw_hashes_have(&search->reached[position]->complete, hash))
				return true;
	}
	return false;
}

static void note_complete(struct merging *merging, const struct bw_option *option)
{
	const struct bw_placement *placement = option->placement;
	struct bw_position *next = merging->next;
	bool whole = placement && (placement->compute.kind != BW_SITE_ROOT || placement->tiled);
	if (!whole || !bw_hashes_add(&next->complete, option->hash) || costed_before(merging, option->hash, true))
		return;
	next->first_in_pass++;
	next->first_complete += !costed_before(merging, option->hash, false);
}

/* Adds the children and counts of one parent to the merge. */
static void collect(struct merging *merging, int p)
{
	struct bw_decision *record = &merging->next->decision;
	const struct bw_gathered *gathered = &merging->parents->list[p].gathered;
	const struct bw_expansion *expansion = merging->parents->list[p].expanding.expansion;
	for (int r = 0; r < BW_N_RULES; r++)
		record->pruned[r] += gathered->pruned[r];
	record->second += gathered->second;
	record->unsampled += gathered->unsampled;
	record->costed += gathered->n;
	record->evaluated += gathered->evaluated;
	record->enumerated += expansion->n + expansion->left_out;
	record->buckets += expansion->n_buckets;
	record->let_go += *expansion->let_go != 0;
	for (int i = 0; merging->completes && i < gathered->n; i++)
		note_complete(merging, bw_expansion_option(expansion, gathered->list[i].option));
	bw_rest_add(&merging->filling.rest, p);
}

/* Fills a beam without legal options with the best schedule of the freezing pass, as far as it was
 * decided at this position: it is legal to its end. */
static void stand_in(const struct bw_search *search, int index, struct bw_position *next)
{
	int pass = search->plan[index].pass, made = index + 1 - bw_search_pass_start(search, pass);
	if (!search->freezes || pass == search->first_pass || search->plan[index].phase == BW_PHASE_PASS)
		return;
	const struct bw_state *state = search->reached[bw_search_pass_end(search, search->first_pass)]->beam[0];
	while (state->position > made)
		state = state->parent;
	if (!bw_state_allowed(search, state, pass))
		return;
	next->beam[next->n++] = bw_state_keep(state);
	next->decision.stood_in = true;
}

/* Returns true if structures are blessed after the decision: at the end of a pass, for the next one. */
static bool blesses(const struct merging *merging)
{
	int pass = merging->next->decision.pass;
	return merging->next->n && merging->parents->index + 1 == bw_search_pass_end(merging->search, pass) &&
	       pass > 0 && pass < merging->search->options.passes;
}

/* Fills the beam and completes its record. Returns false if it was stopped. */
static bool merge(struct merging *merging)
{
	const struct bw_search *search = merging->search;
	struct bw_position *next = merging->next;
	for (int p = 0; p < merging->parents->n; p++)
		collect(merging, p);
	bool filled = bw_filling_fill(&merging->filling);
	if (filled)
		bw_filling_pin(&merging->filling);
	bw_filling_end(&merging->filling);
	next->decision.kept = next->n;
	if (filled && !next->n)
		stand_in(search, merging->parents->index, next);
	next->decision.made = true;
	return filled && (!blesses(merging) || bw_bless(search, next, next->decision.pass));
}

struct bw_position *bw_merge(const struct bw_search *search, const struct bw_parents *parents)
{
	struct bw_position *next = bw_position_new(search->options.beam + search->constraints.n);
	const struct bw_decision *decision = &search->plan[parents->index];
	struct merging merging = {.search = search, .parents = parents, .next = next};
	next->decision = *decision;
	merging.completes = parents->index + BW_FUNC_PHASES >= bw_search_pass_end(search, decision->pass) &&
			    decision->phase != BW_PHASE_PASS;
	bw_filling_begin(&merging.filling, search, parents, next);
	if (merge(&merging))
		return next;
	bw_position_drop(next);
	return NULL;
}
