#include <stdlib.h>

#include "search/search_private.h"

struct bw_underway bw_underway_new(int index, const struct bw_reached *from)
{
	return (struct bw_underway){
	    .index = index,
	    .from = from,
	    .n = from->n,
	    .parents = BW_NEW_ARRAY(struct bw_parent *, from->n),
	    .leaders = BW_NEW_ARRAY(int, from->n),
	};
}

/* Returns the earlier parent that is offered the same tiles; NULL if there is none. */
static const struct bw_expanding *leader_of(const struct bw_underway *underway,
					    const struct bw_expanding *parent)
{
	for (int i = 0; i < underway->n_leaders; i++) {
		const struct bw_expanding *leader = &underway->parents[underway->leaders[i]]->expanding;
		if (bw_tiles_alike(&leader->question, &parent->question))
			return leader;
	}
	return NULL;
}

static struct bw_parent *parent_new(const struct bw_underway *underway, const struct bw_search *search, int p)
{
	struct bw_parent *parent = BW_NEW(struct bw_parent);
	struct bw_question question =
	    bw_search_question(search, underway->index, underway->from->beam[p], underway->alone);
	bw_expanding_begin(&parent->expanding, &question, underway->from->ms ? underway->from->ms[p] : NULL, true);
	return parent;
}

/* Does a little more to begin parent p. Most parents are asked for the same tiles: the first of these
 * enumerates them, and leads the others. */
static void begin_parent(struct bw_underway *underway, const struct bw_search *search, int p)
{
	if (!underway->parents[p])
		underway->parents[p] = parent_new(underway, search, p);
	struct bw_expanding *parent = &underway->parents[p]->expanding;
	const struct bw_expanding *leader = leader_of(underway, parent);
	bool leads = !leader && p + 1 < underway->n && bw_tiles_alike(&parent->question, &parent->question);
	if (leads && !bw_expanding_lead(parent))
		return;
	if (leads)
		underway->leaders[underway->n_leaders++] = p;
	else if (leader)
		bw_expanding_like(parent, leader);
	underway->begun++;
}

bool bw_underway_step(struct bw_underway *underway, const struct bw_search *search)
{
	enum { OPTIONS_A_STEP = 4 };
	int p = underway->done;
	if (p == underway->begun) {
		begin_parent(underway, search, p);
		return false;
	}
	struct bw_expanding *parent = &underway->parents[p]->expanding;
	for (int i = 0; i < OPTIONS_A_STEP && !parent->done; i++)
		bw_expanding_step(parent);
	if (parent->done) {
		bw_gather(search, underway, p);
		underway->done++;
	}
	return underway->done == underway->n;
}

static void free_parent(struct bw_parent *parent)
{
	if (!parent)
		return;
	bw_expanding_end(&parent->expanding);
	free(parent->gathered.list);
	free(parent);
}

bool bw_underway_shrink(struct bw_underway *underway)
{
	if (underway->n) {
		free_parent(underway->parents[--underway->n]);
		return false;
	}
	free(underway->parents);
	free(underway->leaders);
	*underway = (struct bw_underway){0};
	return true;
}
