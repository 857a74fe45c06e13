/* Declarations that only the files of src/search share. */
#ifndef BW_SEARCH_SEARCH_PRIVATE_H
#define BW_SEARCH_SEARCH_PRIVATE_H
#include "base/hash.h"
#include "search/between_passes.h"
#include "search/expanding.h"
#include "search/filling.h"
#include "search/parents.h"

/* Decisions per Func and pass. */
enum { BW_FUNC_PHASES = 2 };

/* A position that was reached, with the record of the decision before it. Shared between a search
 * and its forks. */
struct bw_position {
	int references;
	uint64_t digest; /* of the states here and at all positions before: placements and costs */
	/* memory, including the parts of its states that these do not share with their parents */
	int64_t bytes;
	int n;
	const struct bw_state **beam;
	/* by state and stage, until the next position is reached; then NULL. Also NULL for a state
	 * whose costs are not known. */
	double **ms;
	struct bw_decision decision; /* the decision that led here; unused at position 0 */
	/* a pin that no state can have, while the error is made; else NULL */
	const struct bw_constraint *missed;
	int n_frozen;
	/* at the end of the freezing pass: the Funcs that later passes hold, in the order of
	 * decisions */
	struct bw_frozen * frozen;
	struct bw_hashes blessed;  /* at the end of a pass: the structures that the next pass may return to */
	struct bw_polish polish;   /* at the end of the last pass */
	struct bw_hashes complete; /* complete schedules that were costed here */
	int first_complete,
	    first_in_pass; /* how many of these no earlier decision had costed: in any pass, in this pass
			      */
};

struct bw_search {
	const struct bw_pipeline *pipeline;
	struct bw_settings said;    /* as the caller gave them */
	struct bw_settings options; /* `said`, with `device` below as their device */
	struct bw_device device;
	struct bw_constraints constraints;
	int first_pass; /* 0: the pre-pass, or 1 */
	bool freezes; /* Funcs are frozen at the end of the first pass, which may be the pre-pass */
	int n_decisions, pass_decisions; /* in all passes, including those between passes; in one pass */
	struct bw_decision *plan; /* Func and phase of all decisions */
	int n_reached; /* positions; at least 1 */
	struct bw_position **reached;
	const struct bw_yield *yield; /* asked while it advances; else NULL */
	struct bw_search *without; /* this search without the newest override: its best schedule is
				      polished, too, after applying the override; NULL: nothing is
				      overridden, or that search is dead */
	double seconds;
	long recorded_limit; /* BW_RECORDED_CHILDREN; less in tests */
	struct bw_recall recall;
};

/* Returns the frozen choice of a Func in a pass, even if the user constrains the Func; NULL if there is
 * none. */
const struct bw_frozen *bw_search_froze(const struct bw_search *search, int func, int pass);
/* Returns true if the best schedule at the end is polished. */
bool bw_search_polishes(const struct bw_search *search);
struct bw_position *bw_position_new(int capacity);
/* Sets the bytes and the digest of a position. `before` is the position before it, or NULL. */
void bw_position_measure(struct bw_position *reached, const struct bw_position *before);
void bw_position_drop(struct bw_position *reached);
/* Frees the ms of the states, which are only used by the next decision. */
void bw_position_forget(struct bw_position *reached);
/* Returns the question that decision `index` puts to a parent. */
struct bw_question bw_search_question(const struct bw_search *search, int index,
				      const struct bw_state *parent, bool alone);
/* Returns true if a decision asks only one state of a beam, not counting states that are there only
 * because a tiling of this Func was pinned: a pin must not change the sampling. */
bool bw_search_alone(const struct bw_search *search, int index, const struct bw_position *from);
/* Sets the error of a decision that left no state alive, or none with a pinned choice; `dead` is the
 * position that it led to. Returns false if it was stopped. */
bool bw_search_say_dead(const struct bw_search *search, const struct bw_parents *parents,
			const struct bw_position *dead, struct bw_error *error);
/* Returns the largest number of states in the beam after a decision. */
int bw_search_keeps(const struct bw_search *search, int index);

#endif
