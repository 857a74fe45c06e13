/* The states of a beam in which a decision is made, and their expansions. Private to this folder. */
#ifndef BW_SEARCH_PARENTS_H
#define BW_SEARCH_PARENTS_H
#include "search/expanding.h"
#include "search/filling.h"

struct bw_position;

/* A state of the beam that is expanded. */
struct bw_parent {
	struct bw_expanding expanding;
	struct bw_gathered gathered; /* set when the expansion is done */
};

struct bw_parents {
	int index;                     /* of the decision */
	const struct bw_position *from; /* the beam */
	int n;
	struct bw_parent *list; /* by rank in the beam */
	bool alone; /* there is one parent, not counting those that are in the beam because of a pin */
};
/* Expands all states of a beam for a decision; `parents` are to be ended in any case. Returns false if it was
 * stopped. */
bool bw_parents_expand(struct bw_parents *parents, const struct bw_search *search, int index,
		       const struct bw_position *from);
void bw_parents_end(struct bw_parents *parents);
/* Collects the options and children of an expanded parent. */
void bw_gather(const struct bw_search *search, const struct bw_parents *parents, int parent);
#endif
