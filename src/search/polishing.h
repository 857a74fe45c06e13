/* What polishing (polish.c), its changes of single Funcs (polish_single.c) and its moves (moves.c) share. */
#pragma once
#include "search/search_private.h"
#include "search/variants.h"

/* Funcs that polishing tried in vain: none of their variants costs less. That holds until a Func changes that
 * the costs of these variants, or the verdicts on them, depend on. */
struct bw_exhausted;
/* Returns an empty set for a pipeline of n_funcs Funcs, for bw_exhausted_free. */
struct bw_exhausted *bw_exhausted_new(int n_funcs);
/* Returns a copy, for bw_exhausted_free. */
struct bw_exhausted *bw_exhausted_copy(const struct bw_exhausted *exhausted);
/* Accepts NULL. */
void bw_exhausted_free(struct bw_exhausted *exhausted);
/* Removes the Funcs that depend on one that differs between the two schedules. */
void bw_exhausted_change(struct bw_exhausted *exhausted, const struct bw_nest *before,
			 const struct bw_nest *after);
/* Removes all Funcs but those added since the last change: under the learned model each cost depends a little
 * on how much the whole schedule allocates. Returns true if any was removed. */
bool bw_exhausted_doubt(struct bw_exhausted *exhausted);

/* Schedules that polishing begins with, at most. */
enum { BW_MOST_STARTS = 3 };

/* A schedule that polishing begins with, and what it becomes. */
struct bw_start {
	struct bw_variants *variants;
	struct bw_exhausted *exhausted;
	struct bw_polish polish; /* the changes made */
};

/* What is known of a Func. */
enum {
	BW_SUSPECT = 1, /* a Func next to it, or itself, was changed since it was tried last */
	BW_SETTLED = 2, /* tried since the last change of any Func, and no variant of it costs less */
	BW_VISITED = 4, /* by bw_suspect_around */
};

struct bw_polishing {
	const struct bw_search *search;
	struct bw_tries *tries; /* of this search, or of the one that a branch comes from; NULL: not kept */
	struct bw_position *end;
	int n_starts;
	struct bw_start starts[BW_MOST_STARTS];
	unsigned char *known; /* by Func, of the start at hand */
	long priced, spared;  /* in all; of these, known from tries */
	bool cut;             /* it ended early, because the work limit was reached */
};

/* Marks as suspect a Func, its producers and its consumers; likewise around each of them that is
 * inlined. */
void bw_suspect_around(struct bw_polishing *polishing, const struct bw_nest *nest, int func);
/* Marks as suspect the Funcs next to one that is, or will be, changed in this schedule: their best
 * placements have probably changed, too. Marks no Func as settled. */
void bw_suspect(struct bw_polishing *polishing, const struct bw_nest *nest, int func);
/* Finds the current Func's cheapest variant that costs less than *least, which becomes its cost; *best: its
 * number, as it was if there is none. Returns false if it was stopped. */
bool bw_best_variant(struct bw_polishing *polishing, struct bw_variants *variants, double *least, int *best);
/* Tries the Funcs that are suspect. After a move from the schedule `from` (NULL: none) it tries few of them,
 * and ends once the schedule costs less than `from`, or is `from` again. Returns false if it was stopped. */
bool bw_follow(struct bw_polishing *polishing, struct bw_start *start, const struct bw_start *from);
/* Tries all Funcs until no change of one lowers the cost, or the schedule costs no less than `best` after one
 * round. Returns false if it was stopped. */
bool bw_polish_start(struct bw_polishing *polishing, struct bw_start *start, double best);
/* Moves a Func to another site or tiles it otherwise although that costs more, once no change of a
 * single Func lowers the cost, and polishes the Funcs around it. Settles the schedule again after a
 * gain. Returns false if it was stopped. */
bool bw_move_all(struct bw_polishing *polishing, struct bw_start *start);
/* Makes the variants of plans that pay together with changes of what their Funcs read. Returns false if it
 * was stopped. */
bool bw_move_together(struct bw_polishing *polishing, struct bw_start *start);
