/* Shared by the files of this room alone. */
#ifndef BW_SEARCH_SEARCH_PRIVATE_H
#define BW_SEARCH_SEARCH_PRIVATE_H
#include "search/between.h"
#include "search/expanding.h"
#include "search/filling.h"
#include "search/hashes.h"
#include "search/underway.h"

/* Decisions that are asked of each Func. */
enum { BW_FUNC_PHASES = 2 };

/* A position that was reached, with the record of the decision before it; shared between a search and its
 * forks. */
struct bw_reached {
	int references;
	uint64_t digest;             /* of the states here and at all positions before: placements and costs */
	int64_t bytes; /* that it takes, with what its states do not share with those that they come from */
	int n;
	const struct bw_state **beam;
	double **ms; /* by state and stage; until the next position is reached, then NULL; NULL also for a
			state that it is not known of */
	struct bw_decision decision; /* that led here; of position 0 unused */
	const struct bw_constraint *missed; /* what is pinned and no state can have, while that is told; else NULL */
	int n_frozen;
	struct bw_frozen *
	    frozen; /* at the end of the pass that freezes: for the passes after, in the order of decisions */
	struct bw_hashes blessed;    /* at the end of a pass: structures that the next one may go back to */
	struct bw_polish polish;     /* at the end of the last pass */
	struct bw_hashes complete;   /* the schedules that were costed here with nothing left to decide */
	int first_complete,
	    first_in_pass; /* how many of these no decision before had costed, and none of its pass */
};

struct bw_search {
	const struct bw_pipeline *pipeline;
	struct bw_search_options said; /* as the caller gave them */
	struct bw_search_options options; /* the same, with `device` below for their device */
	struct bw_device device;
	struct bw_constraints constraints;
	int first_pass;           /* 0: the pre-pass, or 1 */
	bool freezes; /* at the end of the first pass, be it the pre-pass, Funcs are frozen for those after */
	int n_decisions, pass_decisions; /* of all passes, with those between them; of one */
	struct bw_decision *plan; /* subjects and phases of all decisions, not made */
	int n_reached;            /* positions: at least 1 */
	struct bw_reached **reached;
	struct bw_underway underway;
	struct bw_merging *merging; /* of it, where all its parents are done; NULL: not begun */
	struct bw_underway spent;   /* merged, and given back a parent at a time */
	struct bw_reached
	    *dead; /* what a decision led to that left nothing alive, until it is known why; else NULL */
	struct bw_underway again;   /* the expansions of that decision with words; given back as what is spent */
	struct bw_reached *unfrozen; /* the end of the pass that freezes until what it freezes is known; else NULL */
	struct bw_freezer *freezer;  /* at work on it; NULL: not begun */
	struct bw_reached *unpolished; /* the end of the last pass until it is polished; else NULL */
	struct bw_polisher *polisher; /* at work on it; NULL: not begun */
	struct bw_search *without; /* the same search without the newest override: its best schedule, overridden
				      so, is polished too; NULL: nothing is overridden, or that search is dead */
	double seconds;
	long recorded_limit;         /* BW_RECORDED_CHILDREN; tests have less */
	struct bw_recall recall;
};

/* Whether the best schedule at the end is polished. */
bool bw_search_polishes(const struct bw_search *search);
/* Returns the place of the newest override among constraints; -1 if there is none. */
int bw_constraints_newest_override(const struct bw_constraints *constraints);
/* Whether the search is not to freeze a Func. */
bool bw_constraints_let_go(const struct bw_constraints *constraints, int func);
/* Whether both say the same of a Func in a pass, wherever that comes from. */
bool bw_constraints_alike(const struct bw_constraints *a, const struct bw_constraints *b, int func, int pass);
/* Whether anything of a Func is rejected or pinned in a pass, and it is not held. */
bool bw_constraints_marks(const struct bw_constraints *constraints, int func, int pass);

struct bw_reached *bw_reached_new(int capacity);
/* Sets its bytes and its digest; before: the position before it, NULL: none. */
void bw_reached_measure(struct bw_reached *reached, const struct bw_reached *before);
void bw_reached_drop(struct bw_reached *reached);
/* Gives back the ms of its states, which serve the decision that follows. */
void bw_reached_forget(struct bw_reached *reached);
/* What decision `index` asks of a parent. */
struct bw_question bw_search_question(const struct bw_search *search, int index,
				      const struct bw_state *parent, bool alone);
/* Whether a decision asks but one state of a beam, without those that somebody's tiling of the Func was
 * pinned in before it was asked for: pinning is not to change a draw. */
bool bw_search_alone(const struct bw_search *search, int index, const struct bw_reached *from);
/* Sets the error that decision `index`, the one under way, left nothing alive, or nothing of what is pinned;
 * `dead` is what it led to. */
void bw_search_say_dead(const struct bw_search *search, int index, const struct bw_reached *dead,
			struct bw_error *error);
/* Before that: the expansions of the decision under way are made again, with words; a little at a time. True
 * where all are. */
bool bw_search_explain(struct bw_search *search);
/* States that the beam after a decision holds at most. */
int bw_search_keeps(const struct bw_search *search, int index);
/* Seconds of a clock that never goes back. */
double bw_search_now(void);
/* Until the deadline (of bw_search_now), while *stop (NULL: nothing) is not set. */
bool bw_search_time_left(double deadline, const atomic_bool *stop);

/* States. */
struct bw_state *bw_state_new(const struct bw_state *parent, int parent_rank, int option,
			      struct bw_nest *nest, double cost);
/* The state that the first pass began with, or the one that its own pass did: with nothing placed. */
const struct bw_state *bw_state_first(const struct bw_state *state);
const struct bw_state *bw_state_keep(const struct bw_state *state);
void bw_state_drop(const struct bw_state *state);
#endif
