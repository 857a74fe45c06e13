/* The states of a beam in which a decision is made: expands each, and collects its options. */
#include "search/parents.h"

#include <stdlib.h>

#include "base/hash.h"
#include "search/search_private.h"

/* Returns the earlier parent that is offered the same tiles; NULL if there is none. */
static const struct bw_expanding *leader_of(const struct bw_parents *parents, int p)
{
	const struct bw_question *question = &parents->list[p].expanding.question;
	for (int i = 0; i < p; i++)
		if (parents->list[i].expanding.leads &&
		    bw_tiles_alike(&parents->list[i].expanding.question, question))
			return &parents->list[i].expanding;
	return NULL;
}

/* Expands a parent. Most parents are offered the same tiles: the first one enumerates them, and leads
 * the others. */
static bool expand(struct bw_parents *parents, const struct bw_search *search, int p)
{
	struct bw_expanding *expanding = &parents->list[p].expanding;
	struct bw_question question =
	    bw_search_question(search, parents->index, parents->from->beam[p], parents->alone);
	bw_expanding_begin(expanding, &question, parents->from->ms ? parents->from->ms[p] : NULL, true);
	const struct bw_expanding *leader = leader_of(parents, p);
	if (leader)
		bw_expanding_like(expanding, leader);
	else if (p + 1 < parents->from->n && bw_tiles_alike(&question, &question) && !bw_expanding_lead(expanding))
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
		bw_gather(search, parents, parents->n - 1);
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
	/* First a kind is drawn and then an option of it: otherwise sites with many sizes would
	 * come up too often. */
	return (double)(bw_random(kind_keys, 3) >> 40) + (double)(bw_random(keys, 6) >> 11) * 0x1p-53;
}

static int in_order(const void *a, const void *b)
{
	return bw_candidate_before(a, b) ? -1 : bw_candidate_before(b, a);
}

/* Counts the options by fate, and the pruned ones by rule. */
static void count(const struct bw_expansion *expansion, struct bw_gathered *gathered)
{
	int fates[BW_N_FATES] = {0};
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		fates[option->fate]++;
		if (option->fate == BW_FATE_PRUNED)
			gathered->pruned[option->rule]++;
	}
	gathered->pruned[BW_RULE_UNROLLED] += expansion->left_out;
	gathered->n = fates[BW_FATE_COSTED];
	gathered->second = fates[BW_FATE_SECOND_CHOICE];
	gathered->unsampled = fates[BW_FATE_UNSAMPLED];
}

void bw_gather(const struct bw_search *search, const struct bw_parents *parents, int parent)
{
	struct bw_expansion *expansion = parents->list[parent].expanding.expansion;
	struct bw_gathered *gathered = &parents->list[parent].gathered;
	*gathered = (struct bw_gathered){0};
	count(expansion, gathered);
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
