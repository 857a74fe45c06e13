/* A decision under way: its parents, expanded one by one. Shared by the files of this room alone. */
#ifndef BW_SEARCH_UNDERWAY_H
#define BW_SEARCH_UNDERWAY_H
#include "search/expanding.h"
#include "search/filling.h"

struct bw_reached;

/* A state that a decision is asked of. */
struct bw_parent {
	struct bw_expanding expanding;
	struct bw_gathered gathered; /* when it is done */
};

struct bw_underway {
	int index;                     /* of the decision */
	const struct bw_reached *from; /* whose states are the parents */
	int n, begun, done;            /* parents; how many of them are begun, and done */
	struct bw_parent **parents;    /* by rank in the beam; NULL: not begun, or freed */
	int n_leaders;
	int *leaders;                  /* parents of which no one before is asked for the same tiles */
	double seconds;
	bool alone;                    /* there is one parent, but for those that are there because of a pin */
};
/* Returns a decision whose parents are the states of `from`, none of them begun. */
struct bw_underway bw_underway_new(int index, const struct bw_reached *from);
/* Does a little more of the expansion of the first parent that is not done: some options. Returns true if all
 * parents are done. At least one must not be. */
bool bw_underway_step(struct bw_underway *underway, const struct bw_search *search);
/* Collects what a parent that is done contributes. */
void bw_gather(const struct bw_search *search, const struct bw_underway *underway, int parent);
/* Frees one parent. Returns true if none is left. */
bool bw_underway_shrink(struct bw_underway *underway);
#endif
