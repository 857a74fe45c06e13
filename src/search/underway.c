#include <stdlib.h>

#include "search/search_private.h"

struct bw_underway bw_underway_new(int index, const struct bw_reached *from, int most)
{
	return (struct bw_underway){
	    .index = index,
	    .from = from,
	    .most = most,
	    .parents = BW_NEW_ARRAY(struct bw_parent *, most),
	    .workers = BW_NEW_ARRAY(pthread_t, most),
	    .leaders = BW_NEW_ARRAY(int, most),
	};
}

/* The parent before this one that is asked for the same tiles; NULL: none. */
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
	parent->expanding.part_of_way = (double)(p % search->options.threads) / search->options.threads;
	return parent;
}

bool bw_underway_begin_parent(struct bw_underway *underway, const struct bw_search *search, double deadline,
			      const atomic_bool *stop)
{
	int p = underway->begun;
	if (!underway->parents[p])
		underway->parents[p] = parent_new(underway, search, p);
	struct bw_expanding *parent = &underway->parents[p]->expanding;
	const struct bw_expanding *leader = leader_of(underway, parent);
	bool leads = !leader && p + 1 < underway->most && bw_tiles_alike(&parent->question, &parent->question);
	while (leads && !bw_expanding_lead(parent))
		if (!bw_search_time_left(deadline, stop))
			return false;
	if (leads)
		underway->leaders[underway->n_leaders++] = p;
	else if (leader)
		bw_expanding_like(parent, leader);
	underway->begun++;
	return true;
}

bool bw_underway_done(const struct bw_underway *underway)
{
	int done = 0;
	while (done < underway->n && underway->parents[done] && underway->parents[done]->expanding.done)
		done++;
	return done == underway->n;
}

void bw_underway_give_back(struct bw_underway *underway, int parent)
{
	struct bw_parent *given = underway->parents[parent];
	if (!given)
		return;
	bw_expanding_end(&given->expanding);
	free(given->gathered.list);
	free(given);
	underway->parents[parent] = NULL;
}

bool bw_underway_shrink(struct bw_underway *underway)
{
	if (underway->n) {
		bw_underway_give_back(underway, --underway->n);
		return false;
	}
	free(underway->parents);
	free(underway->workers);
	free(underway->leaders);
	*underway = (struct bw_underway){0};
	return true;
}
