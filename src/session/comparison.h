/* Two schedules side by side: states, options of the decision at the cursor, files. */
#ifndef BW_SESSION_COMPARISON_H
#define BW_SESSION_COMPARISON_H
#include "cost/learned.h"
#include "session/session.h"

/* How the schedule that a generator has by hand is called. */
#define BW_HAND BW_RESULT_HAND
/* And the state that stood here before the newest command that changed the search. */
#define BW_BEFORE "before"

struct bw_comparison {
	const char *labels[2];          /* `state 3`, `option A3`, a file's name, `hand`, `before` */
	const struct bw_nest *nests[2]; /* NULL: by hand, in C++ alone: it can be measured, but not shown */
	struct bw_cost costs[2];        /* by the model of the session, of what is placed */
};

/* What `compare` was asked for last; NULL: nothing yet. The session's, until its next command. */
const struct bw_comparison *bw_session_comparison(struct bw_session *session);
/* Compares two nests, of which it takes over the references and the labels; a nest may be NULL, as above. */
void bw_comparison_set(struct bw_session *session, char *const labels[2],
		       const struct bw_nest *const nests[2]);
/* How a side has placed a Func; NULL: it has not, or is not known. */
const struct bw_placed *bw_comparison_placed(const struct bw_comparison *comparison, int side, int func);
/* What was measured last of a side in this session, NULL: nothing. */
const struct bw_timing *bw_comparison_timing(const struct bw_session *session,
					     const struct bw_comparison *comparison, int side);
/* What the learned model makes of the stages of a side, by bw_func.first_stage + stage, coefficients among
 * it; NULL: another model predicts, or the side's nest is not known. Made when first asked for; the
 * session's, until its next command. */
const struct bw_learned_cost *bw_comparison_learned(struct bw_session *session, int side);
/* The sums of the terms over the stages of a Func; func -1: of all. */
void bw_cost_terms(const struct bw_pipeline *pipeline, const struct bw_cost *cost, int func,
		   double terms[BW_MOST_TERMS]);
/* Returns true if both have placed a Func alike. */
bool bw_comparison_same(const struct bw_comparison *comparison, int func);
#endif
