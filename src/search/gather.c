/* Collects what an expanded parent contributes: how many options had which fate, and its children
 * in the order in which they are taken, so that the merge only has to take the best child of any
 * parent. */
#include <stdlib.h>

#include "base/hash.h"
#include "search/search_private.h"

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
