/* The schedules of all schedulers and the hand-written one, priced by all cost models in the
 * background. */
#pragma once
#include "schedulers/opinions.h"
#include "session/session.h"

/* Returns the rows found so far, with the newest counts and measurements of their schedules. Returns NULL if
 * no rows were requested, or if the options have changed since. Owned by the session; valid until its next
 * command. */
const struct bw_opinions *bw_session_opinions(const struct bw_session *session);
/* Returns true while schedulers run for the rows. */
bool bw_session_opines(const struct bw_session *session);
/* Returns true if the schedulers were stopped before all rows were filled. */
bool bw_opinions_stopped(const struct bw_session *session);
/* Returns the nest of the row with this name; drop it. Returns NULL with an error if there is none. */
struct bw_nest *bw_opinion_nest(const struct bw_session *session, const char *name, struct bw_error *error);
/* Get and set whether a row is unfolded to show its kernels. */
bool bw_opinion_open(const struct bw_session *session, int row);
void bw_opinion_set_open(struct bw_session *session, int row, bool open);
