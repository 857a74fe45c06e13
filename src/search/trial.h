/* Placing one option after the other in a parent's nest, and judging it. */
#ifndef BW_SEARCH_TRIAL_H
#define BW_SEARCH_TRIAL_H
#include "search/space.h"

/* Tries the options of one decision from one parent, one after the other. */
struct bw_trial {
	struct bw_recall recall;
	const struct bw_nest *parent;
	int func;                       /* the Func that is placed */
	const struct bw_placed *placed; /* the Func as it is tried now; NULL if it cannot be placed so */
	/* the last Func that was placed in the loops of another one; NULL if there is none */
	const struct bw_placed *before;
	bool stands; /* `placed` is in `scratch` */
	/* the parent's nest, in which one option after the other is placed; NULL until it is
	 * needed */
	struct bw_nest *scratch;
};
void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent,
		    int func);
void bw_trial_end(struct bw_trial *trial);
/* Forgets the placement that was tried last. */
void bw_trial_forget(struct bw_trial *trial);
/* Places the Func, and sets trial->placed. Returns false with an error (unless it is NULL) if it cannot
 * be placed. */
bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, struct bw_error *error);
/* Returns the nest with this placement of the Func, valid until the next option is tried. */
const struct bw_nest *bw_trial_nest(struct bw_trial *trial);
/* Places an option and judges it by the rules. */
void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option);
#endif
