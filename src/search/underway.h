/* A decision under way: its parents, expanded one by one. Shared by the files of this room alone. */
#ifndef BW_SEARCH_UNDERWAY_H
#define BW_SEARCH_UNDERWAY_H
#include <stdatomic.h>

#include "search/expanding.h"
#include "search/filling.h"

struct bw_reached;

/* A state that a decision is asked of. Its memory is that of the thread that begins with it: who merges looks
 * at little of it. */
struct bw_parent {
	struct bw_expanding expanding;
	struct bw_gathered gathered; /* when it is done */
};

struct bw_underway {
	int index;                     /* of the decision */
	const struct bw_reached *from; /* whose states are the parents */
	int n, begun, most;            /* parents so far; how many of them are begun; how many there can be */
	struct bw_parent **parents;    /* by rank in the beam; NULL: not begun, or given back */
	pthread_t *workers;            /* of those that are done: who has expanded it, and is to give it back */
	int n_leaders;
	int *leaders;                  /* parents of which no one before is asked for the same tiles */
	double seconds;
	bool alone;                    /* there is one parent, but for those that are there because of a pin */
	bool expanded;                 /* all parents are done; merging is next */
};
/* Of at most so many parents. */
struct bw_underway bw_underway_new(int index, const struct bw_reached *from, int most);
/* Begins the parent after those that are begun. Most parents are asked for the same tiles: the first of these
 * enumerates them, and leads the others. False where there was no time for that; another call goes on with
 * it. */
bool bw_underway_begin_parent(struct bw_underway *underway, const struct bw_search *search, double deadline,
			      const atomic_bool *stop);
/* Whether all parents are done. */
bool bw_underway_done(const struct bw_underway *underway);
/* Says what a parent that is done brings. */
void bw_gather(const struct bw_search *search, const struct bw_underway *underway, int parent);
/* Gives back a parent, if it is there. */
void bw_underway_give_back(struct bw_underway *underway, int parent);
/* Gives back one parent; true where none is left. */
bool bw_underway_shrink(struct bw_underway *underway);
#endif
