/* The lineage of the states in all beams: which of them have descendants at the end, and how close the
 * choice was. The figures of the view `search`. */
#pragma once
#include "figures/picture.h"
#include "search/search.h"

/* A state of the beam after a decision. */
struct bw_line {
	int parent;    /* rank of its parent in the beam before; -1: not in that beam */
	bool survives; /* the state or a descendant is in the last beam */
	bool wins;     /* the state is the best one at the end, or its ancestor */
};

struct bw_lineage_step {
	int n;                 /* states of the beam after the decision */
	struct bw_line *lines; /* by rank */
	double best, worst;    /* of the beam, so far */
	double cut;            /* cost of the cheapest child that was dropped for its cost; 0: none was */
	int winner;            /* rank of the state that the best one at the end comes from; -1: not known */
	double winner_cost;
	int n_survivors; /* states with descendants in the last beam */
	int n_kinds;     /* structures, to the depth of the pass: states beyond these are near copies */
};

struct bw_lineage {
	int n; /* decisions that are made */
	struct bw_lineage_step *steps; /* by decision */
	int common; /* decisions, from the first on, in which all states of the last beam agree by descent */
	int leads; /* the decision from which on the winner's ancestor is the cheapest state; -1: none */
	int tightest; /* the decision with a choice for any state after which the winner stood nearest to the
			 end of the beam; -1: none */
};

/* Returns the lineage as far as the search has come, owned by the arena. */
struct bw_lineage bw_lineage_of(const struct bw_search *search, struct bw_arena *arena);
/* Counts a decision's recorded children by cost into n classes, from the best cost to `most` times the
 * best; kept: by class, the children in the beam. */
void bw_lineage_histogram(const struct bw_decision *decision, double most, int n, int *children, int *kept);

/* Which part of a search a picture shows. */
struct bw_lineage_part {
	int first, end;           /* decisions, end exclusive */
	int at;                   /* the marked decision; -1: none */
	const char *const *names; /* of all decisions */
	const char *unit;         /* of costs */
};
/* Returns the costs of the beams, decision by decision: the range of the states, the way of the best, the
 * cheapest that was dropped. */
struct bw_picture bw_lineage_picture(const struct bw_search *search, const struct bw_lineage *lineage,
				     const struct bw_lineage_part *part, struct bw_arena *arena);
/* Returns the search as a film with a frame for each decision: the costs of the beams so far, the way of
 * the best, the cheapest that were dropped; and of the decision itself its name, all states of the beam,
 * and what each rule pruned. frame: draws this one alone, from 0 on; -1: all, as marks with their times. */
struct bw_picture bw_lineage_film(const struct bw_search *search, const struct bw_lineage *lineage,
				  const struct bw_lineage_part *part, int frame, struct bw_arena *arena);
/* Returns a picture of the fates of each decision's options: pruned, by rule, dropped, or kept. */
struct bw_picture bw_fates_picture(const struct bw_search *search, const struct bw_lineage_part *part,
				   struct bw_arena *arena);
/* Returns a picture of the number of states after each decision, and of those with descendants at the
 * end. */
struct bw_picture bw_survivors_picture(const struct bw_search *search, const struct bw_lineage *lineage,
				       const struct bw_lineage_part *part, struct bw_arena *arena);
/* Returns the costs of a decision's children: how many there are of each cost, kept and dropped. */
struct bw_picture bw_children_picture(const struct bw_decision *decision, const struct bw_lineage_step *step,
				      struct bw_arena *arena);
