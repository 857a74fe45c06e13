/* Placing one option after the other in a parent's nest, and judging it. */
#ifndef BW_SPACE_TRIAL_H
#define BW_SPACE_TRIAL_H
#include "space/question.h"

/* The verdict on a placement, and what it adds to the structure hash of its nest: all that the
 * search needs of options that are not sampled. */
struct bw_verdict {
	struct bw_memo_value head;
	enum bw_fate fate;
	enum bw_rule rule;
	double figure, limit;
	struct bw_outline *outline; /* in the same block of memory */
};

/* Tries the options of one decision from one parent, one after the other. */
struct bw_trial {
	struct bw_recall recall;
	const struct bw_nest *parent;
	int func; /* the Func that is placed */
	/* the Func as it is tried now: part of `recalled`, or the trial's own if that is NULL. NULL
	 * if it is not needed, because the verdict is known. */
	const struct bw_placed *placed;
	struct bw_memo_value *recalled; /* the value of the memo that holds `placed`; NULL if there is none */
	/* the last Func that was placed in the loops of another one; NULL if there is none */
	const struct bw_placed *before;
	struct bw_memo_value *recalled_before;
	struct bw_verdict *verdict;    /* that was found in the memo; NULL if none was */
	bool stands;                   /* `placed` is in `scratch` */
	/* the parent's nest, in which one option after the other is placed; NULL until it is
	 * needed */
	struct bw_nest *scratch;
	bool contexts_known[2]; /* for placements elsewhere, and at root */
	struct bw_nest_contexts contexts[2];
};
void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent,
		    int func);
void bw_trial_end(struct bw_trial *trial);
/* Forgets the placement that was tried last. */
void bw_trial_forget(struct bw_trial *trial);
/* Places the Func: trial->placed. Returns false with an error (unless it is NULL) where it cannot
 * be. costed: it is to be costed or kept, not judged alone. */
bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, bool costed,
		    struct bw_error *error);
/* Returns the nest with the Func placed so, which is valid until the next option is tried. */
const struct bw_nest *bw_trial_nest(struct bw_trial *trial);
/* Returns a hash of what the loops of the Func depend on at root (bw_nest_context). */
uint64_t bw_trial_loops(struct bw_trial *trial);
/* Returns what the Func adds to the structure hash of its nest, to a depth. */
uint64_t bw_trial_share(const struct bw_trial *trial, int depth);
/* Returns what placing the Func depends on. */
const struct bw_nest_contexts *bw_trial_context(struct bw_trial *trial, enum bw_site_kind kind);
/* Judges an option by the rules, after it was placed, or from the memo. */
void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option);
#endif
