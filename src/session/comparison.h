/* Two schedules side by side: states, options of the decision at the cursor, files. */
#pragma once
#include "figures/code_diff.h"
#include "session/session.h"

/* The name of the generator's own schedule. */
#define BW_HAND BW_RESULT_HAND
/* The name of the state before the newest command that changed the search. */
#define BW_BEFORE "before"

struct bw_comparison {
	const char *labels[2];          /* `state 3`, `option A3`, a file's name, `hand`, `before` */
	const struct bw_nest *nests[2]; /* NULL: the schedule by hand, if it exists in C++ alone: it can be
					   measured, but not shown */
	struct bw_cost costs[2];        /* by the session's model, of the placed Funcs */
	bool code;                      /* true: `compare code`, which compares the generated code */
};

/* Returns the newest comparison, or NULL if there is none. Owned by the session; valid until its next
 * command. */
const struct bw_comparison *bw_session_comparison(const struct bw_session *session);
/* Compares two nests; with `code`, also their generated code. Takes over the labels and the references to the
 * nests. A nest may be NULL (struct bw_comparison). */
void bw_comparison_set(struct bw_session *session, char *const labels[2],
		       const struct bw_nest *const nests[2], bool code);
/* Returns the newest timing of a side's schedule that includes generated code, or NULL. */
const struct bw_timing *bw_comparison_code(const struct bw_session *session,
					   const struct bw_comparison *comparison, int side);
/* Returns the differences between the generated code of both sides of the newest comparison. Returns NULL if
 * the code of a side is missing. Owned by the session; valid until the next comparison. */
const struct bw_code_diff *bw_comparison_code_diff(const struct bw_session *session);
/* Returns how a side places a Func. Returns NULL if it does not place the Func, or if the side's nest is
 * unknown. */
const struct bw_placed *bw_comparison_placed(const struct bw_comparison *comparison, int side, int func);
/* Returns the newest measurement of a side in this session, or NULL. */
const struct bw_timing *bw_comparison_timing(const struct bw_session *session,
					     const struct bw_comparison *comparison, int side);
/* Returns the learned model's cost of each stage of a side, with coefficients, indexed by bw_func.first_stage
 * + stage. Returns NULL if another model predicts or the side's nest is unknown. Computed when first asked
 * for. Owned by the session; valid until its next command. */
const struct bw_learned_cost *bw_comparison_learned(const struct bw_session *session, int side);
/* Sums each term of a cost over the stages of a Func; func -1: over the stages of all Funcs. */
void bw_cost_terms(const struct bw_pipeline *pipeline, const struct bw_cost *cost, int func,
		   double terms[BW_MOST_TERMS]);
/* Returns true if both sides place a Func in the same way. */
bool bw_comparison_same(const struct bw_comparison *comparison, int func);

/* Details of the stages of the selected state: features, the learned model's costs, and the roofline model's
 * terms. */

/* Each array is indexed by bw_func.first_stage + stage. In a partial state the values cover the Funcs placed
 * so far, as the search costs them. */
struct bw_details {
	const struct bw_features *features;
	const struct bw_learned_cost
	    *learned; /* by the session's weights, even if the roofline model predicts; NULL: no weights were
			 read */
	struct bw_cost roofline;
};

/* Returns the details of the selected state. Computed when first asked for. Owned by the session; valid until
 * its next command. */
const struct bw_details *bw_session_details(const struct bw_session *session);
/* Returns true if a Func's stages have features: the Func is placed, is no input, and does more than pass on
 * an input. */
bool bw_details_of(const struct bw_nest *nest, int func);
/* Appends the name and hash of the weights, and the device on which they were trained: `baseline.weights
 * 1f2e3d4c; the file does not say which device they were trained on`. */
void bw_weights_words(const struct bw_learned *learned, struct bw_text *out);
