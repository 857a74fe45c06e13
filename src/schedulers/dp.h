/* Fusion by dynamic programming (Jangda and Bondhugula 2018, as used by Jangda and Guha 2020, section 6): the
 * partition of the stages of a pipeline into groups whose costs add up to the least.
 *
 * A group has one output, its last stage; all that read another member are members, too, because a kernel of
 * Halide stores one Func. So the last of some stages that are left is the output of a group, and the table
 * has for each set of stages that can be left their least cost, and the group of the last of them that leads
 * there:
 *
 *     best(left) = min over groups G of the last of `left`: cost(G) + best(left without G)
 *
 * Bounded: a group has at most `limit` stages. Where that kept a group from growing, the groups found are the
 * stages of the next round, in which the limit is twice as large. */
#pragma once
#include <stdint.h>

#include "base/routine.h"

enum { BW_DP_WORDS = 8, BW_DP_STAGES = 64 * BW_DP_WORDS };
struct bw_dp_set {
	uint64_t words[BW_DP_WORDS];
};
bool bw_dp_has(const struct bw_dp_set *set, int stage);
void bw_dp_add(struct bw_dp_set *set, int stage);
struct bw_dp_set bw_dp_without(const struct bw_dp_set *set, const struct bw_dp_set *taken);
bool bw_dp_same(const struct bw_dp_set *a, const struct bw_dp_set *b);
bool bw_dp_empty(const struct bw_dp_set *set);

/* What is to be fused. Stages are numbered so that each comes after all that it reads. */
struct bw_dp_graph {
	int n;				 /* stages, at most BW_DP_STAGES */
	const struct bw_dp_set *readers; /* by stage */
	const bool *joins;		 /* by stage: whether it may be a member of a group that it does not end */
	/* Returns the cost of a group, always the same; INFINITY: it cannot be. Single stages should
	 * have a cost. */
	double (*cost)(void *data, const struct bw_dp_set *group);
	void *data;
	int limit; /* most stages of a group */
};

/* What can follow from a set of stages that are left. */
struct bw_dp_choice {
	struct bw_dp_set group;
	double cost; /* of the group */
	int then;    /* entry of the stages left without it; -1 while it is not known */
};
/* An entry of the table. */
struct bw_dp_entry {
	struct bw_dp_set left;
	int n, capacity; /* choices, the best first once all is known */
	struct bw_dp_choice *choices;
	double best; /* least cost of the stages that are left */
};

struct bw_dp {
	struct bw_dp_graph graph;
	int n, capacity;
	struct bw_dp_entry *entries; /* 0: all stages are left */
	int filled;		     /* entries whose choices are known */
	bool cut; /* the limit kept some group from growing */
	long costed; /* groups */
	bool done;
	int *places; /* entries by hash */
	int n_places;
};

/* The graph must outlive it. End it with bw_dp_end. */
void bw_dp_begin(struct bw_dp *dp, const struct bw_dp_graph *graph);
/* Fills the table. Returns false if `yield` stopped it: it goes on with the next call. Where the table gets
 * more than BW_DP_MOST entries, it begins again with half the limit. */
enum { BW_DP_MOST = 20000 };
bool bw_dp_work(struct bw_dp *dp, const struct bw_yield *yield);
/* Returns the entry of a set of stages that are left, or -1. */
int bw_dp_find(const struct bw_dp *dp, const struct bw_dp_set *left);
void bw_dp_end(struct bw_dp *dp);
