/* The decisions of a session's search, whichever scheduler makes them. Positions, decisions and states
 * count as in search/search.h. */
#ifndef BW_SESSION_DECISIONS_H
#define BW_SESSION_DECISIONS_H
#include "session/session.h"

int bw_session_n_decisions(const struct bw_session *session);
const struct bw_decision *bw_session_decision(const struct bw_session *session, int index);
/* Returns the furthest position that was reached, which is the number of decisions made. */
int bw_session_reached(const struct bw_session *session);
/* Returns the position of the decision on a Func in a phase of a pass; -1 if there is none. */
int bw_session_find(const struct bw_session *session, int func, enum bw_phase phase, int pass);
/* Sets *states to the states at a position that was reached, best first. Returns how many there are. */
int bw_session_beam(const struct bw_session *session, int position, const struct bw_state *const **states);
/* Returns the device with the limits that other options change. */
const struct bw_device *bw_session_device(const struct bw_session *session);
const struct bw_constraints *bw_session_constraints(const struct bw_session *session);
/* Returns the cost of a nest by the model of the session, with all terms; owned by the arena. */
struct bw_cost bw_session_cost_of(const struct bw_session *session, const struct bw_nest *nest,
				  struct bw_arena *arena);
/* Returns the totals over all decisions made. */
struct bw_search_totals bw_session_totals(const struct bw_session *session);
#endif
