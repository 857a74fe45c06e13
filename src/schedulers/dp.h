/* Fusion by dynamic programming (Jangda and Bondhugula 2018, as used by Jangda and Guha 2020, section 6).
 * Finds the partition of a pipeline's stages into groups with the least sum of costs.
 *
 * A group has one output, its last stage. All readers of any other member are members, too, because a
 * kernel of Halide stores one Func. So the last of the remaining ("left") stages is always the output of
 * a group. The table has an entry for each set of stages that can be left: the least cost of these
 * stages, and the group of the last stage with which they reach it:
 *
 *     best(left) = min over groups G of the last of `left`: cost(G) + best(left without G)
 *
 * The table is bounded: a group has at most `limit` stages. If the limit kept a group from growing, there
 * is another round with twice the limit, whose stages are the groups found so far. */
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

/* The stages to fuse. Each stage has a higher number than all stages that it reads. */
struct bw_dp_graph {
	int n;				 /* stages, at most BW_DP_STAGES */
	const struct bw_dp_set *readers; /* by stage */
	const bool *joins;		 /* by stage: it may be a member of a group whose output is another stage */
	/* Returns the cost of a group, the same at every call; INFINITY: the group is impossible. Groups of one
	 * stage should have a finite cost. */
	double (*cost)(void *data, const struct bw_dp_set *group);
	void *data;
	int limit; /* most stages of a group */
};

/* A choice for a set of stages that are left: the group of the last stage. */
struct bw_dp_choice {
	struct bw_dp_set group;
	double cost; /* of the group */
	int then;    /* entry of the stages left after this choice; -1 while not known */
};
/* An entry of the table: a set of stages that are left. */
struct bw_dp_entry {
	struct bw_dp_set left;
	int n, capacity; /* choices; the best one first once the table is done */
	struct bw_dp_choice *choices;
	double best; /* least cost of the stages that are left */
};

struct bw_dp {
	struct bw_dp_graph graph;
	int n, capacity;
	struct bw_dp_entry *entries; /* 0: all stages are left */
	int filled;		     /* number of entries whose choices are known */
	bool cut; /* the limit kept some group from growing */
	long costed; /* number of groups whose cost was computed */
	bool done;
	int *places; /* entries by hash */
	int n_places;
};

/* Begins an empty table. What the graph points to must outlive the table. End it with bw_dp_end. */
void bw_dp_begin(struct bw_dp *dp, const struct bw_dp_graph *graph);
/* Fills the table. Returns false if `yield` stopped it; the next call continues. If the table gets more
 * than BW_DP_MOST entries, begins again with half the limit. */
enum { BW_DP_MOST = 20000 };
bool bw_dp_work(struct bw_dp *dp, const struct bw_yield *yield);
/* Returns the entry of a set of stages that are left, or -1. */
int bw_dp_find(const struct bw_dp *dp, const struct bw_dp_set *left);
void bw_dp_end(struct bw_dp *dp);
