/* The film of a search: its decisions one after another, in the view `search`. It goes on while the search
 * does, and changes nothing of it. */
#pragma once
#include "session/session.h"

struct bw_film {
	bool plays;  /* else it is paused, or at its end */
	int shown;   /* decisions shown so far, from 1 on */
	double rate; /* decisions a second */
};

/* Returns the film if one is shown, else NULL. */
const struct bw_film *bw_session_film(const struct bw_session *session);
