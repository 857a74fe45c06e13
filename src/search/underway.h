/* A decision in progress: its parents, expanded one by one. Private to the files of this room. */
#ifndef BW_SEARCH_UNDERWAY_H
#define BW_SEARCH_UNDERWAY_H
#include "search/expanding.h"
#include "search/filling.h"

struct bw_reached;

/* A state of the beam that is expanded. */
struct bw_parent {
	struct bw_expanding expanding;
	struct bw_gathered gathered; /* set when the expansion is done */
};

struct bw_underway {
	int index;                     /* of the decision */
	const struct bw_reached *from; /* the beam whose states are the parents */
	int n, begun, done;            /* parents; how many of them are begun; how many are done */
	struct bw_parent **parents;    /* by rank in the beam; NULL: not begun, or freed */
	int n_leaders;
	int *leaders; /* parents whose tiles no earlier parent is offered */
	double seconds;
	bool alone; /* there is one parent, not counting those that are in the beam because of a pin */
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
