/* The film of a search: shows its decisions one after another in the view `search`. The film continues while
 * the search runs, and does not affect it. */
#pragma once
#include "session/session.h"

struct bw_film {
	bool plays;  /* true: it plays; false: it is paused or at its end */
	int shown;   /* number of decisions shown so far, from 1 */
	double rate; /* decisions per second */
};

/* Returns the film if one is shown, else NULL. */
const struct bw_film *bw_session_film(const struct bw_session *session);
