#include "search/parents.h"

#include <stdlib.h>

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

/* Expands a parent. Most parents are asked for the same tiles: the first of these enumerates them, and leads
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
