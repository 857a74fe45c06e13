/* The schedulers. The beam search walks through its decisions in the explorer; the decisions of the others
 * are a walk (walk.h), and the search is held to the schedule in which the walk ends, so that each Func can
 * be freed again. */
#ifndef BW_SCHEDULERS_TABLE_H
#define BW_SCHEDULERS_TABLE_H
#include "schedulers/walk.h"

/* Name, paper, meaning, the scheduler (NULL: the search itself). */
#define BW_SCHEDULER_TABLE(X)                                                                                \
	X("beam", "Anderson et al. 2021", "the beam search, with every Func free", NULL)                     \
	X("greedy", "Mullapudi et al. 2016", "inlines, then merges groups of Funcs, by the largest benefit", \
	  &bw_greedy_walk)                                                                             \
	X("sioutas", "Sioutas et al. 2020", "merges kernels by occupancy and loads, nests them in threads", \
	  &bw_sioutas_walk)                                                                            \
	X("exact", "depth first with bounds", "the best schedule under the model, proven, or how far from it", \
	  &bw_exact_walk)                                                                              \
	X("dp", "Jangda and Guha 2020", "partitions the Funcs into groups of the least cost by dynamic programming", \
	  &bw_dp_walk)                                                                                       \
	X("cs6120", "Calinao Correa et al. 2019", "transforms a schedule tree, by beam search for the least weighted cost", \
	  &bw_cs6120_walk)

extern const struct bw_walk_scheduler bw_greedy_walk, bw_sioutas_walk, bw_exact_walk, bw_dp_walk,
    bw_cs6120_walk;

struct bw_scheduler {
	const char *name, *paper, *meaning;
	const struct bw_walk_scheduler *walk;
};

/* Returns all schedulers, and sets *n to their number. */
const struct bw_scheduler *bw_schedulers(int *n);
/* Returns the scheduler of this name, or NULL with an error that lists the names. */
const struct bw_scheduler *bw_scheduler_find(const char *name, struct bw_error *error);
#endif
