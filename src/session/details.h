/* All that is known of the stages of the selected state: features, what the learned model makes of them, and
 * the roofline's figures. */
#ifndef BW_SESSION_DETAILS_H
#define BW_SESSION_DETAILS_H
#include "cost/features.h"
#include "cost/learned.h"
#include "session/session.h"

/* Each by bw_func.first_stage + stage. Of a partial state: so far, as the search costs it. */
struct bw_details {
	const struct bw_features *features;
	const struct bw_learned_cost
	    *learned; /* by the weights that were read, also where the roofline predicts; NULL: none were */
	struct bw_cost roofline;
};

/* Made when first asked for of a state, and kept while that is the selected one. The session's, until its
 * next command. */
const struct bw_details *bw_session_details(struct bw_session *session);
/* Returns true if a stage has features: not an input's, nor one that only passes an input on, nor
 * one that is not placed. */
bool bw_details_of(const struct bw_nest *nest, int func);
/* What the learned model makes of each stage of a nest, by the weights that were read (there must be some),
 * in the arena. */
const struct bw_learned_cost *bw_session_learned(const struct bw_session *session, const struct bw_nest *nest,
						 struct bw_arena *arena);
/* Which weights were read, and what they were trained on: `baseline.weights 1f2e3d4c; the file does not say
 * what it was trained on`. */
void bw_weights_words(const struct bw_learned *learned, struct bw_text *out);
#endif
