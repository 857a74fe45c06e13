/* The merge after all parents of a decision are expanded: children are collected, the beam is filled, its
 * record is completed, and at the end of a pass structures are blessed. */
#include <stdlib.h>

#include "search/search_private.h"

/* Children of a decision, best first: a heap of candidates, merged with the sorted children of each
 * parent. */

bool bw_candidate_before(const struct bw_candidate *a, const struct bw_candidate *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->hash != b->hash)
		return a->hash < b->hash;
	if (a->parent != b->parent)
		return a->parent < b->parent;
	return a->option < b->option;
}

void bw_candidates_put(struct bw_candidates *candidates, struct bw_candidate candidate)
{
	BW_GROW(candidates->heap, candidates->n, candidates->capacity);
	struct bw_candidate *heap = candidates->heap;
	int at = candidates->n++;
	for (; at > 0 && bw_candidate_before(&candidate, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = candidate;
}

/* Puts a candidate in place of the first one. */
static void replace_first(struct bw_candidates *candidates, const struct bw_candidate *candidate)
{
	struct bw_candidate *heap = candidates->heap;
	int at = 0;
	for (int down = 1; down < candidates->n; at = down, down = 2 * at + 1) {
		if (down + 1 < candidates->n && bw_candidate_before(&heap[down + 1], &heap[down]))
			down++;
		if (!bw_candidate_before(&heap[down], candidate))
			break;
		heap[at] = heap[down];
	}
	heap[at] = *candidate;
}

struct bw_candidate bw_candidates_take(struct bw_candidates *candidates)
{
	struct bw_candidate first = candidates->heap[0], last = candidates->heap[--candidates->n];
	replace_first(candidates, &last);
	return first;
}

void bw_rest_begin(struct bw_rest *rest, const struct bw_parent *parents, int n_parents)
{
	*rest = (struct bw_rest){
	    .n_parents = n_parents, .parents = parents, .looked_at = BW_NEW_ARRAY(int, n_parents)};
}

void bw_rest_end(struct bw_rest *rest)
{
	free(rest->looked_at);
	free(rest->heads.heap);
	*rest = (struct bw_rest){0};
}

/* Returns the next child of a parent; NULL if there is none. */
static const struct bw_candidate *rest_next(const struct bw_rest *rest, int parent)
{
	const struct bw_gathered *gathered = &rest->parents[parent].gathered;
	return rest->looked_at[parent] < gathered->n ? &gathered->list[rest->looked_at[parent]] : NULL;
}

/* Adds the children of a parent. */
static void rest_add(struct bw_rest *rest, int parent)
{
	const struct bw_candidate *first = rest_next(rest, parent);
	rest->n += rest->parents[parent].gathered.n;
	if (first)
		bw_candidates_put(&rest->heads, *first);
}

struct bw_candidate bw_rest_take(struct bw_rest *rest)
{
	struct bw_candidate candidate = rest->heads.heap[0];
	rest->n--;
	rest->looked_at[candidate.parent]++;
	const struct bw_candidate *next = rest_next(rest, candidate.parent);
	if (next)
		replace_first(&rest->heads, next);
	else
		bw_candidates_take(&rest->heads);
	return candidate;
}

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
	record->awaits |= gathered->awaits;
	for (int i = 0; merging->completes && i < gathered->n; i++)
		note_complete(merging, bw_expansion_option(expansion, gathered->list[i].option));
	rest_add(&merging->filling.rest, p);
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
