/* Makes a decision: expands the states of the beam, and merges their children into the next beam, with its
 * record. At the end of a pass, blesses structures. */
#include <stdlib.h>

#include "search/search_private.h"

/* Collects the options of an expanded parent: their counts by fate, and its children in the order in
 * which they are taken, so that the merge only has to pick the best first child of all parents. */

static double key_of(const struct bw_search *search, int index, int parent, const struct bw_option *option)
{
	if (!search->options.random)
		return option->cost;
	uint64_t keys[] = {search->options.seed, (uint64_t)search->plan[index].pass,
			   (uint64_t)index,      (uint64_t)parent,
			   option->kind,         (uint64_t)option->number};
	uint64_t kind_keys[] = {search->options.seed, (uint64_t)index, option->kind};
	/* First draws a kind and then an option of this kind. Otherwise sites with many sizes would be
	 * drawn too often. */
	return (double)(bw_random(kind_keys, 3) >> 40) + (double)(bw_random(keys, 6) >> 11) * 0x1p-53;
}

static int in_order(const void *a, const void *b)
{
	return bw_candidate_before(a, b) ? -1 : bw_candidate_before(b, a);
}

/* Counts the options by fate, and the pruned ones by rule. */
static void count(const struct bw_expansion *expansion, bool held, struct bw_gathered *gathered)
{
	int fates[BW_N_FATES] = {0};
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		fates[option->fate]++;
		if (option->fate == BW_FATE_PRUNED)
			gathered->pruned[option->rule]++;
		gathered->awaits |= held && option->rule == BW_RULE_VECTOR;
	}
	gathered->pruned[BW_RULE_UNROLLED] += expansion->left_out;
	gathered->n = fates[BW_FATE_COSTED];
	gathered->second = fates[BW_FATE_SECOND_CHOICE];
	gathered->unsampled = fates[BW_FATE_UNSAMPLED];
}

/* Collects the options and children of an expanded parent. */
static void gather(const struct bw_search *search, const struct bw_parents *parents, int parent)
{
	struct bw_expansion *expansion = parents->list[parent].expanding.expansion;
	struct bw_gathered *gathered = &parents->list[parent].gathered;
	*gathered = (struct bw_gathered){0};
	count(expansion, parents->list[parent].expanding.question.held, gathered);
	bw_expansion_shrink(expansion, gathered->n);
	struct bw_candidate *list = gathered->list = BW_NEW_ARRAY(struct bw_candidate, gathered->n);
	int n = expansion->places ? expansion->n_left : expansion->n;
	for (int i = 0; i < n; i++) {
		const struct bw_option *option = &expansion->options[i];
		if (option->fate != BW_FATE_COSTED)
			continue;
		gathered->evaluated += option->placement != NULL;
		*list++ = (struct bw_candidate){.key = key_of(search, parents->index, parent, option),
						.hash = option->hash,
						.parent = parent,
						.option = option->number};
	}
	qsort(gathered->list, (size_t)gathered->n, sizeof *gathered->list, in_order);
}

/* Returns the earlier parent that is offered the same tiles; NULL if there is none. */
static const struct bw_expanding *leader_of(const struct bw_parents *parents, int p)
{
	const struct bw_question *question = &parents->list[p].expanding.question;
	for (int i = 0; i < p; i++)
		if (parents->list[i].expanding.leads &&
		    bw_same_tiles_proposed(&parents->list[i].expanding.question, question))
			return &parents->list[i].expanding;
	return NULL;
}

/* Expands a parent. Most parents are offered the same tiles: the first of them enumerates the tiles and
 * becomes the leader of the others. */
static bool expand(struct bw_parents *parents, const struct bw_search *search, int p)
{
	struct bw_expanding *expanding = &parents->list[p].expanding;
	struct bw_question question =
	    bw_search_question(search, parents->index, parents->from->beam[p], parents->alone);
	bw_expanding_begin(expanding, &question, parents->from->ms ? parents->from->ms[p] : NULL, true);
	const struct bw_expanding *leader = leader_of(parents, p);
	if (leader)
		bw_expanding_like(expanding, leader);
	else if (p + 1 < parents->from->n && bw_same_tiles_proposed(&question, &question) &&
		 !bw_expanding_lead(expanding))
		return false;
	return bw_expanding_run(expanding);
}

bool bw_parents_expand(struct bw_parents *parents, const struct bw_search *search, int index,
		       const struct bw_position *from)
{
	*parents = (struct bw_parents){.index = index,
				       .from = from,
				       .list = BW_NEW_ARRAY(struct bw_parent, from->n),
				       .alone = bw_search_alone(search, index, from)};
	while (parents->n < from->n) {
		parents->n++;
		if (!expand(parents, search, parents->n - 1))
			return false;
		gather(search, parents, parents->n - 1);
	}
	return true;
}

void bw_parents_end(struct bw_parents *parents)
{
	for (int p = 0; p < parents->n; p++) {
		bw_expanding_end(&parents->list[p].expanding);
		free(parents->list[p].gathered.list);
	}
	free(parents->list);
	*parents = (struct bw_parents){0};
}

struct merging {
	const struct bw_search *search;
	const struct bw_parents *parents;
	struct bw_position *next;
	/* true: nothing is left to place or tile after the decision, so its children are complete
	 * schedules */
	bool completes;
};

/* Returns true if an earlier decision has costed a complete schedule. in_pass: looks only at this pass;
 * else at all passes. Complete schedules occur only at the ends of passes. */
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
}

/* Fills the beam of a decision without legal options with the best schedule of the freezing pass, with the
 * Funcs placed that are decided at this position. This schedule is known to be legal up to its end. */
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

/* Returns true if structures are blessed after the decision. This is so at the end of a pass that another
 * pass follows. */
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
	bool filled = bw_beam_fill(search, merging->parents, next);
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
	if (merge(&merging))
		return next;
	bw_position_drop(next);
	return NULL;
}
