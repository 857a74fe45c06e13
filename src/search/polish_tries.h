/* Funcs that a search's polishing tried in vain, with the Funcs around them. A schedule that is the same
 * around such a Func, as one of the search with a runner-up in it, need not try it again. */
#pragma once
#include "search/variants.h"

/* A try in vain. */
struct bw_try {
	int priced;    /* variants */
	uint64_t *set; /* the Funcs that their costs depend on, one bit each */
	uint64_t hash; /* of these Funcs, as they were */
};

/* Shared between a search and its branches, which run one at a time. */
struct bw_tries {
	int references;
	int n_funcs, words; /* words: in a set of Funcs */
	struct bw_tries_of {
		int n, capacity;
		struct bw_try *list;
	} *of; /* by Func */
};
/* Returns no tries, for a pipeline of n_funcs Funcs, for bw_tries_drop. */
struct bw_tries *bw_tries_new(int n_funcs);
/* Adds a reference and returns the tries. Accepts NULL. */
struct bw_tries *bw_tries_keep(struct bw_tries *tries);
/* Drops a reference; the last one frees the tries. Accepts NULL. */
void bw_tries_drop(struct bw_tries *tries);
