/* The stages of the selected state in full: features, the learned model's costs, and the roofline's
 * terms. */
#ifndef BW_SESSION_DETAILS_H
#define BW_SESSION_DETAILS_H
#include "cost/features.h"
#include "cost/learned.h"
#include "session/session.h"

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
/* Returns the learned model's cost of each stage of a nest, by the weights that were read (there must be
 * some); in the arena. */
const struct bw_learned_cost *bw_session_learned(const struct bw_session *session, const struct bw_nest *nest,
						 struct bw_arena *arena);
/* Appends the weights that were read and the device that they were trained on: `baseline.weights
 * 1f2e3d4c; the file does not say which device they were trained on`. */
void bw_weights_words(const struct bw_learned *learned, struct bw_text *out);
#endif
