/* Declarations shared by polishing (polish.c), its changes of single Funcs (polish_single.c) and its moves
 * (moves.c). */
#pragma once
#include "search/search_private.h"
#include "search/variants.h"

/* The exhausted Funcs: those that polishing tried without gain, because no variant of the Func costs less.
 * A Func stays exhausted until another Func changes on which the costs or verdicts of its variants depend. */
struct bw_exhausted;
/* Returns an empty set for a pipeline of n_funcs Funcs, for bw_exhausted_free. */
struct bw_exhausted *bw_exhausted_new(int n_funcs);
/* Returns a copy, for bw_exhausted_free. */
struct bw_exhausted *bw_exhausted_copy(const struct bw_exhausted *exhausted);
/* Accepts NULL. */
void bw_exhausted_free(struct bw_exhausted *exhausted);
/* Removes the Funcs whose variants depend on a Func that differs between the two schedules. */
void bw_exhausted_change(struct bw_exhausted *exhausted, const struct bw_nest *before,
			 const struct bw_nest *after);
/* Removes all Funcs except those added since the last change. Needed under the learned model, where each
 * cost depends slightly on how much memory the whole schedule allocates. Returns true if any was removed. */
bool bw_exhausted_doubt(struct bw_exhausted *exhausted);

/* Most schedules that polishing starts from. */
enum { BW_MOST_STARTS = 3 };

/* A schedule that polishing starts from, and its state as it is polished. */
struct bw_start {
	struct bw_variants *variants;
	struct bw_exhausted *exhausted;
	struct bw_polish polish; /* the steps made so far */
};

/* What polishing knows of a Func; bits. */
enum {
	BW_SUSPECT = 1, /* the Func itself, or one next to it, was changed since the Func was last tried */
	BW_SETTLED = 2, /* tried since the last change of any Func; no variant of the Func costs less */
	BW_VISITED = 4, /* visited by bw_suspect_around */
};

struct bw_polishing {
	const struct bw_search *search;
	/* the tries of this search, or of the search that a branch comes from; NULL: not kept */
	struct bw_tries *tries;
	struct bw_position *end;
	int n_starts;
	struct bw_start starts[BW_MOST_STARTS];
	unsigned char *known; /* bits by Func, for the start that is being polished */
	long priced, spared;  /* variants priced, over all starts; how many of them were known from tries */
	bool cut;             /* polishing ended early, because the work limit was reached */
};

/* Marks as suspect a Func, its producers and its consumers. Does the same for each of these Funcs that is
 * inlined, in turn. */
void bw_suspect_around(struct bw_polishing *polishing, const struct bw_nest *nest, int func);
/* Marks as suspect the Funcs next to a Func that is, or will be, changed in this schedule: the best
 * placements of these Funcs have probably changed, too. Removes the mark BW_SETTLED from all Funcs. */
void bw_suspect(struct bw_polishing *polishing, const struct bw_nest *nest, int func);
/* Finds the cheapest variant of the current Func that costs less than *least. Sets *least to its cost and
 * *best to its number; leaves both as they are if there is no such variant. Returns false if it was
 * stopped. */
bool bw_best_variant(struct bw_polishing *polishing, struct bw_variants *variants, double *least, int *best);
/* Tries the Funcs that are suspect. `from` is the schedule before a move; NULL if no move was made. After
 * a move, tries only few of the suspect Funcs, and ends once the schedule costs less than `from` or equals
 * it again. Returns false if it was stopped. */
bool bw_follow(struct bw_polishing *polishing, struct bw_start *start, const struct bw_start *from);
/* Tries all Funcs until no change of a single Func lowers the cost. Ends after one round if the schedule
 * then costs no less than `best`. Returns false if it was stopped. */
bool bw_polish_start(struct bw_polishing *polishing, struct bw_start *start, double best);
/* To be called when no change of a single Func lowers the cost. Moves a Func to another site, or tiles it
 * in another way, although that raises the cost, and polishes the Funcs around it. After a gain, polishes
 * the whole schedule again. Returns false if it was stopped. */
bool bw_move_all(struct bw_polishing *polishing, struct bw_start *start);
/* Tries the variants of plans that lower the cost only together with changes of the Funcs that the changed
 * Func reads. Returns false if it was stopped. */
bool bw_move_together(struct bw_polishing *polishing, struct bw_start *start);
