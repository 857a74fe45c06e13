/* The film of a search: its decisions one after another, in the view `search`. It goes on while the search
 * does, and changes nothing of it. */
#pragma once
#include "session/session.h"

struct bw_film {
	bool plays; /* else it is paused, or at its end */
	int shown;  /* decisions shown so far, from 1 on */
	double rate; /* decisions a second */
};

/* Returns the film if one is shown, else NULL. */
const struct bw_film *bw_session_film(const struct bw_session *session);
/* Shows a film from the first decision on. Returns false with an error if no decision is made. */
bool bw_film_begin(struct bw_session *session, struct bw_error *error);
/* Go on, or pause; go by decisions, and pause; make it faster by a factor; end it. They do nothing without
 * a film. */
void bw_film_pause(struct bw_session *session, bool pause);
void bw_film_step(struct bw_session *session, int by);
void bw_film_speed(struct bw_session *session, double factor);
void bw_film_end(struct bw_session *session);
