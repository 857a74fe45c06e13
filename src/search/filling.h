/* How children become the next beam: penalties, dropout, candidates, the record. Private to the
 * files of this room. */
#ifndef BW_SEARCH_FILLING_H
#define BW_SEARCH_FILLING_H
#include "base/hash.h"
#include "search/space.h"

struct bw_position;

/* Counts of structures, by which children are penalized while one beam is chosen. */
struct bw_penalties {
	const struct bw_hashes *blessed; /* of depth - 1; NULL if there are none */
	const struct bw_pipeline *pipeline;
	bool sized;  /* the size of the decided tiling counts as part of the structure */
	bool families; /* and so does the family (bw_nest_family) */
	bool judges; /* structures that are not blessed have a penalty, because there was a pass before */
	/* of `seen`, a hash table whose capacity is a power of two; at most half of its places are
	 * taken */
	int n, capacity;
	struct bw_seen {
		uint64_t structure;
		int times; /* 0: the place is free */
	} *seen;
};
/* Returns true if children of this decision are penalized; then the caller ends *penalties with
 * bw_penalties_end. */
bool bw_penalties_begin(const struct bw_search *search, int index, struct bw_penalties *penalties);
void bw_penalties_end(struct bw_penalties *penalties);
/* Returns the penalty factor (at least 1) for the next option looked at. `parent` is the nest of its
 * parent, `placement` the placement of its Func. */
int bw_penalty_of(struct bw_penalties *penalties, const struct bw_option *option,
		  const struct bw_nest *parent, const struct bw_placement *placement);
/* Returns a hash of how large the blocks of the outputs are, without the Func `except` (-1: of all).
 * States of different families differ in which Funcs can be computed in these blocks. */
uint64_t bw_nest_family(const struct bw_nest *nest, int except);
/* What random dropout depends on while one beam is chosen. */
struct bw_dropout {
	uint64_t seed, pass, index; /* of the decision */
	double stays;               /* the chance of a child to stay, 0..1 */
};
struct bw_dropout bw_dropout_begin(const struct bw_search *search, int index);
/* Returns true if the child that makes this state is dropped at random. left: other children that are still
 * to be looked at; with two or fewer none is dropped. */
bool bw_dropped_out(const struct bw_dropout *dropout, uint64_t state, int left);
struct bw_parent;
struct bw_parents;
/* Makes the next beam, with its record, from the best children of a decision, one for each schedule.
 * Returns NULL if it was stopped. */
struct bw_position *bw_merge(const struct bw_search *search, const struct bw_parents *parents);

/* A child on its way into the beam. */
struct bw_candidate {
	double key; /* the order in which children are taken: the cost, or a random number */
	uint64_t hash;
	int parent, option;
	int rank, penalty; /* rank: known once it is taken; penalty: once it is looked at */
};
/* Candidates that were not taken yet: a heap by least key; of equal keys by least hash, parent,
 * option. */
struct bw_candidates {
	int n, capacity;
	struct bw_candidate *heap;
};
bool bw_candidate_before(const struct bw_candidate *a, const struct bw_candidate *b);
void bw_candidates_put(struct bw_candidates *candidates, struct bw_candidate candidate);
struct bw_candidate bw_candidates_take(struct bw_candidates *candidates);

/* What an expanded parent contributes to the merge. */
struct bw_gathered {
	long pruned[BW_N_RULES], second, unsampled, evaluated;
	int n;                     /* costed options */
	struct bw_candidate *list; /* these, in order; NULL if they have not been gathered */
};

/* The children of all parents that have not been looked at. */
struct bw_rest {
	int n; /* number of children */
	int n_parents;
	const struct bw_parent *parents; /* by rank */
	int *looked_at;                   /* by parent: how many of its children were looked at */
	struct bw_candidates heads;       /* the next child of each parent that was added and has one */
};
void bw_rest_begin(struct bw_rest *rest, const struct bw_parent *parents, int n_parents);
void bw_rest_end(struct bw_rest *rest);
/* Adds the children of a parent. */
void bw_rest_add(struct bw_rest *rest, int parent);
/* Returns the next child of a parent; NULL if there is none. */
const struct bw_candidate *bw_rest_next(const struct bw_rest *rest, int parent);
/* Removes the best child from the rest and returns it. There must be one. */
struct bw_candidate bw_rest_take(struct bw_rest *rest);

/* A beam while it is filled. */
struct bw_filling {
	const struct bw_search *search;
	const struct bw_parents *parents;
	int index; /* of the decision */
	struct bw_position *next;
	struct bw_rest rest;
	/* children with a penalty that were put back: by penalized cost, then rank */
	struct bw_candidates put_back;
	int taken; /* number of children taken from the rest */
	int n_recorded, recorded_capacity; /* of next->decision's children */
	int most_recorded; /* limit on the record, without the children that are kept behind it */
	struct bw_hashes twins; /* schedules that are in the beam */
	struct bw_dropout dropout;
	bool penalizes;
	struct bw_penalties penalties;
	/* if this decision ends a pass: the end of the previous pass; NULL if there is none */
	const struct bw_position *before;
	int next_before;
};
/* Returns true if no constraint for a pass contradicts a state of an earlier pass. */
bool bw_state_allowed(const struct bw_search *search, const struct bw_state *state, int pass);
void bw_filling_begin(struct bw_filling *filling, const struct bw_search *search,
		      const struct bw_parents *parents, struct bw_position *next);
/* Looks at children until the beam is full or no child is left, and records some of the children that it
 * had no room for. Returns false if it was stopped. */
bool bw_filling_fill(struct bw_filling *filling);
/* Puts a child into the beam, the first of equal schedules only. left: other children that could still be
 * put there. */
void bw_filling_keep(struct bw_filling *filling, const struct bw_candidate *candidate, int penalty, int left);
/* Returns true if a child has a pinned choice of a Func that its pass has decided: then dropout
 * does not drop it. */
bool bw_filling_pinned(const struct bw_filling *filling, const struct bw_candidate *candidate);
/* Makes sure, once the record is complete, that the beam has a state with each pinned choice. */
void bw_filling_pin(struct bw_filling *filling);
/* Moves the record to next->decision, and frees everything else. */
void bw_filling_end(struct bw_filling *filling);
/* Returns the option that a candidate is made from. */
const struct bw_option *bw_filling_option(const struct bw_filling *filling,
					  const struct bw_candidate *candidate);
#endif
