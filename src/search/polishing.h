/* The schedules that are polished, and what polishing and its moves (search/moves.c) have in common. Private
 * to these files. */
#ifndef BW_SEARCH_POLISHING_H
#define BW_SEARCH_POLISHING_H
#include "search/polish.h"
#include "search/polish_exhausted.h"

/* Schedules that polishing begins with, at most. */
enum { BW_MOST_STARTS = 3 };

/* A schedule that polishing begins with, and what it becomes. */
struct bw_start {
	struct bw_variants *variants;
	struct bw_exhausted *exhausted;
	struct bw_polish polish; /* what was done */
};

/* What is known of a Func. */
enum {
	BW_SUSPECT = 1, /* a Func next to it, or itself, was changed since it was tried last */
	BW_SETTLED = 2, /* its turn came since the last change of any, and no variant of it costs less */
	BW_VISITED = 4, /* by bw_suspect_around */
};

struct bw_polishing {
	const struct bw_search *search;
	struct bw_position *end;
	int n_starts;
	struct bw_start starts[BW_MOST_STARTS];
	unsigned char *known; /* by Func, of the start at hand */
	long priced;          /* in all */
	bool cut;             /* it takes too long, and ends */
};

/* Suspects a Func, what it reads and what reads it; of these, the inlined ones likewise. */
void bw_suspect_around(struct bw_polishing *polishing, const struct bw_nest *nest, int func);
/* Suspects the Funcs whose best placement is likely to be another one because a Func is, or will be,
 * changed in this schedule: those next to it. No Func is settled any more. */
void bw_suspect(struct bw_polishing *polishing, const struct bw_nest *nest, int func);
/* Tries the Funcs that are suspect. After a move from the schedule `from` (NULL: none) it tries few of them,
 * and ends once the schedule costs less than `from`, or is `from` again. Returns false if it was stopped. */
bool bw_follow(struct bw_polishing *polishing, struct bw_start *start, const struct bw_start *from);
/* Tries all Funcs until no change of one lowers the cost, or the schedule costs no less than `best` after one
 * round. Returns false if it was stopped. */
bool bw_polish_start(struct bw_polishing *polishing, struct bw_start *start, double best);
/* Where no change of a single Func lowers the cost any more, moves a Func to another site all the same, and
 * lets the Funcs around it follow. What is gained is settled again. Returns false if it was stopped. */
bool bw_move_all(struct bw_polishing *polishing, struct bw_start *start);
#endif
