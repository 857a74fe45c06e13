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
	const struct bw_nest *nests[2]; /* NULL: by hand, in C++ alone: it can be measured, but not shown */
	struct bw_cost costs[2];        /* by the session's model, of the Funcs that are placed */
	bool code;                      /* their code is compared */
};

/* Returns the newest comparison, or NULL if there is none. The session's, until its next command. */
const struct bw_comparison *bw_session_comparison(const struct bw_session *session);
/* Compares two nests, of which it takes over the references and the labels, or their code; a nest may be
 * NULL, as above. */
void bw_comparison_set(struct bw_session *session, char *const labels[2],
		       const struct bw_nest *const nests[2], bool code);
/* Returns the newest timing of a side that has its code, or NULL. */
const struct bw_timing *bw_comparison_code(const struct bw_session *session,
					   const struct bw_comparison *comparison, int side);
/* Returns how the codes of the newest comparison differ; NULL: one of them is not there (yet). The session's,
 * until the next comparison. */
const struct bw_code_diff *bw_comparison_code_diff(const struct bw_session *session);
/* Returns how a side places a Func; NULL: it does not, or the side is not known. */
const struct bw_placed *bw_comparison_placed(const struct bw_comparison *comparison, int side, int func);
/* Returns the newest measurement of a side in this session, or NULL. */
const struct bw_timing *bw_comparison_timing(const struct bw_session *session,
					     const struct bw_comparison *comparison, int side);
/* Returns the learned model's costs of the stages of a side, with coefficients, by bw_func.first_stage +
 * stage; NULL if another model predicts, or the side's nest is not known. Made when first asked for; the
 * session's, until its next command. */
const struct bw_learned_cost *bw_comparison_learned(const struct bw_session *session, int side);
/* Sums the terms of a cost over the stages of a Func; func -1: of all. */
void bw_cost_terms(const struct bw_pipeline *pipeline, const struct bw_cost *cost, int func,
		   double terms[BW_MOST_TERMS]);
/* Returns true if both have placed a Func alike. */
bool bw_comparison_same(const struct bw_comparison *comparison, int func);

/* The stages of the selected state in full: features, the learned model's costs, and the roofline's
 * terms. */

/* Each by bw_func.first_stage + stage. Of a partial state: so far, as the search costs it. */
struct bw_details {
	const struct bw_features *features;
	const struct bw_learned_cost
	    *learned; /* by the weights that were read, even if the roofline predicts; NULL: none were */
	struct bw_cost roofline;
};

/* Returns the details of the selected state. Made when first asked for; the session's, until its next
 * command. */
const struct bw_details *bw_session_details(const struct bw_session *session);
/* Returns true if a Func's stages have features: it is placed, and neither is an input nor only
 * passes one on. */
bool bw_details_of(const struct bw_nest *nest, int func);
/* Appends the weights that were read and the device that they were trained on: `baseline.weights
 * 1f2e3d4c; the file does not say which device they were trained on`. */
void bw_weights_words(const struct bw_learned *learned, struct bw_text *out);
