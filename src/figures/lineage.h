/* The lineage of the states in all beams: which states have descendants in the last beam, and how close
 * each decision was. The data of the view `search`. */
#pragma once
#include "figures/picture.h"
#include "search/search.h"

/* A state of the beam after a decision. */
struct bw_line {
	int parent;    /* rank of its parent in the previous beam; -1: not in the previous beam */
	bool survives; /* the state or a descendant is in the last beam */
	bool wins;     /* the state is the best state at the end, or an ancestor of it */
};

struct bw_lineage_step {
	int n;                 /* number of states in the beam after the decision */
	struct bw_line *lines; /* by rank */
	double best, worst;    /* least and largest cost so far of a state in the beam */
	double cut;            /* cost of the cheapest child that was dropped for its cost; 0: none */
	int winner;            /* rank of the ancestor of the best state at the end; -1: not known */
	double winner_cost;
	int n_survivors; /* states with descendants in the last beam */
	/* number of different structures, to the depth of the pass; states of equal structure are near copies */
	int n_kinds;
};

struct bw_lineage {
	int n; /* number of decisions made so far */
	struct bw_lineage_step *steps; /* by decision */
	/* number of decisions, counted from the first, after which all states of the last beam have a common
	 * ancestor */
	int common;
	int leads; /* the decision from which on the winner's ancestor is always the cheapest state; -1: none */
	/* the decision after which the winner's ancestor was nearest to the end of the beam, among decisions
	 * with a choice for at least one state; -1: none */
	int tightest;
};

/* Returns the lineage as far as the search has come, owned by the arena. */
struct bw_lineage bw_lineage_of(const struct bw_search *search, struct bw_arena *arena);
/* Counts a decision's recorded children by cost in n classes, from the best cost to `most` times the best
 * cost. children: by class, all children; kept: by class, the children in the beam. */
void bw_lineage_histogram(const struct bw_decision *decision, double most, int n, int *children, int *kept);

/* The part of a search that a picture shows. */
struct bw_lineage_part {
	int first, end;           /* decisions, end exclusive */
	int at;                   /* the marked decision; -1: none */
	const char *const *names; /* names of all decisions */
	const char *unit;         /* unit of costs */
};
/* Returns a picture of the costs of the beams, decision by decision: the range of the states, the path of
 * the best state, and the cheapest dropped child. */
struct bw_picture bw_lineage_picture(const struct bw_search *search, const struct bw_lineage *lineage,
				     const struct bw_lineage_part *part, struct bw_arena *arena);
/* Returns the search as a film with a frame for each decision. A frame shows the costs of the beams so
 * far, the path of the best state, and the cheapest dropped children; of its own decision, it also shows
 * the name, all states of the beam, and the options that each rule pruned. frame: 0-based, the only frame
 * to draw; -1: all frames, as marks with begin and end. */
struct bw_picture bw_lineage_film(const struct bw_search *search, const struct bw_lineage *lineage,
				  const struct bw_lineage_part *part, int frame, struct bw_arena *arena);
/* Returns a picture of the fates of each decision's options: pruned (by which rule), dropped, or kept. */
struct bw_picture bw_fates_picture(const struct bw_search *search, const struct bw_lineage_part *part,
				   struct bw_arena *arena);
/* Returns a picture of the number of states after each decision, and of the number of states with
 * descendants at the end. */
struct bw_picture bw_survivors_picture(const struct bw_search *search, const struct bw_lineage *lineage,
				       const struct bw_lineage_part *part, struct bw_arena *arena);
/* Returns a histogram of the costs of a decision's children, kept and dropped. */
struct bw_picture bw_children_picture(const struct bw_decision *decision, const struct bw_lineage_step *step,
				      struct bw_arena *arena);
