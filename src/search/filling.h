/* How children become the next beam: penalties, dropout, candidates, the record. Shared by the files of this
 * room alone. */
#ifndef BW_SEARCH_FILLING_H
#define BW_SEARCH_FILLING_H
#include "search/hashes.h"
#include "search/question.h"

struct bw_reached;

/* What penalties are counted by while one beam is chosen. */
struct bw_penalties {
	const struct bw_hashes *blessed; /* of depth - 1; NULL: none */
	const struct bw_pipeline *pipeline;
	bool sized;                   /* the size of the tiling that is decided is counted with the structure */
	bool judges;                  /* what is not blessed has a penalty: there was a pass before */
	int n, capacity; /* seen: a hash table, of a power of two of places, at most half of them taken */
	struct bw_seen {
		uint64_t structure;
		int times;            /* 0: the place is free */
	} *seen;
};
/* Whether children of this decision are penalized; then *penalties is to be given back with _end. */
bool bw_penalties_begin(const struct bw_search *search, int index, struct bw_penalties *penalties);
void bw_penalties_end(struct bw_penalties *penalties);
/* The factor for the next option that is looked at, 1 or more; placement: that its Func has with it. */
int bw_penalty_of(struct bw_penalties *penalties, const struct bw_option *option,
		  const struct bw_placement *placement);
/* What children are left out by while one beam is chosen. */
struct bw_dropout {
	uint64_t seed, pass, index; /* of the decision */
	double stays;               /* chance of a child to stay, 0..1 */
};
struct bw_dropout bw_dropout_begin(const struct bw_search *search, int index);
/* Returns true if the child that makes this state is dropped at random. left: other children that are still
 * to be looked at; with two or fewer none is dropped. */
bool bw_dropped_out(const struct bw_dropout *dropout, uint64_t state, int left);
/* The best children of the decision under way become the next beam; of equal schedules one. Resumable: a step
 * is some children, or one that is kept. */
struct bw_merging;
struct bw_parent;
struct bw_merging *bw_merging_begin(const struct bw_search *search, int index);
/* Goes a little further; true where the beam and its record are made. */
bool bw_merging_step(struct bw_merging *merging);
/* What was made, NULL where that is not all. NULL is nothing to end. */
struct bw_reached *bw_merging_end(struct bw_merging *merging);

/* A child on its way into the beam. */
struct bw_candidate {
	double key;         /* what it is taken by: its cost, or a random number */
	uint64_t hash;
	int parent, option;
	int rank, penalty;  /* known when it is taken, and looked at */
};
/* Candidates that were not taken yet: a heap, that of the least key on top; of equal keys that of the least
 * hash, parent, option. */
struct bw_candidates {
	int n, capacity;
	struct bw_candidate *heap;
};
bool bw_candidate_before(const struct bw_candidate *a, const struct bw_candidate *b);
void bw_candidates_put(struct bw_candidates *candidates, struct bw_candidate candidate);
struct bw_candidate bw_candidates_take(struct bw_candidates *candidates);

/* What a parent brings to the merge, once it is expanded. */
struct bw_gathered {
	long pruned[BW_N_RULES], second, unsampled, evaluated, fresh;
	int n;                      /* costed */
	struct bw_candidate *list;  /* these, in order; NULL: not gathered yet */
};

/* The children of all parents that were not looked at. */
struct bw_rest {
	int n;                              /* children */
	int n_parents;
	struct bw_parent *const *parents;   /* by rank */
	int *looked_at;                     /* by parent, of its children so far */
	struct bw_candidates heads;         /* the next child of each parent that is added and has one */
};
void bw_rest_begin(struct bw_rest *rest, struct bw_parent *const *parents, int n_parents);
void bw_rest_end(struct bw_rest *rest);
/* Adds what a parent brings. */
void bw_rest_add(struct bw_rest *rest, int parent);
/* The child of a parent that comes next; NULL: none does. */
const struct bw_candidate *bw_rest_next(const struct bw_rest *rest, int parent);
/* The best child is not in the rest any more; there is one. */
struct bw_candidate bw_rest_take(struct bw_rest *rest);

/* A beam as it is filled. */
struct bw_filling {
	const struct bw_search *search;
	int index;                         /* of the decision */
	struct bw_reached *next;
	struct bw_rest rest;
	struct bw_candidates put_back;     /* looked at, and with a penalty: by cost with it, then rank */
	int taken;                         /* of the rest, so far */
	int n_recorded, recorded_capacity; /* of next->decision's children */
	int most_recorded;                 /* those that are kept behind them apart */
	struct bw_hashes twins;            /* schedules that the beam has */
	struct bw_dropout dropout;
	bool penalizes;
	struct bw_penalties penalties;
	const struct bw_reached
	    *before; /* where this decision ends a pass: what the pass before ended with; NULL: none did */
	int next_before;
	int next_pin;                      /* among the constraints */
};
/* Whether a state of a pass before has nothing that the user says otherwise for a pass. */
bool bw_state_allowed(const struct bw_search *search, const struct bw_state *state, int pass);
void bw_filling_begin(struct bw_filling *filling, const struct bw_search *search, int index,
		      struct bw_reached *next);
/* Looks at one child more; true where the beam is full, or nothing is left to look at. */
bool bw_filling_step(struct bw_filling *filling);
/* Records one of the children that the beam had no place for; true where all are, or as many as a record has.
 */
bool bw_filling_record(struct bw_filling *filling);
/* Puts a child into the beam, the first of equal schedules only. left: other children that could still be put
 * there. */
void bw_filling_keep(struct bw_filling *filling, const struct bw_candidate *candidate, int penalty, int left);
/* Whether a child has anything that is pinned of the Funcs that its pass has decided: then no draw leaves it
 * out. */
bool bw_filling_pinned(const struct bw_filling *filling, const struct bw_candidate *candidate);
/* When the record is there: sees to one constraint more, that the beam has what it pins; true where that is
 * done for all. */
bool bw_filling_pin(struct bw_filling *filling);
/* Gives the record to next->decision, and all else back. */
void bw_filling_end(struct bw_filling *filling);
/* What a candidate is made from. */
const struct bw_option *bw_filling_option(const struct bw_filling *filling,
					  const struct bw_candidate *candidate);
#endif
