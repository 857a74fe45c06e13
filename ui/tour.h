/* A tour in three steps, for those who are here for the first time: each says what to do and waits until it was done. */
#ifndef BW_UI_TOUR_H
#define BW_UI_TOUR_H
#include "session/session.h"
#include "ui/keys.h"

struct bw_tour {
	int step;        /* 0: no tour; 1 to 3; 4: it is over */
	double best;     /* cost of the best schedule when it began */
};

void bw_tour_begin(struct bw_tour *tour, const struct bw_session *session);
/* Sees to a command that was run, and moves on where the step is done. */
void bw_tour_observe(struct bw_tour *tour, struct bw_session *session, const char *line);
/* What is to be done now, with the keys that the user has for it, NULL where there is no tour; and its title. */
const char *bw_tour_text(const struct bw_tour *tour, const struct bw_session *session, const struct bw_keymap *keymap, struct bw_text *out);
const char *bw_tour_title(const struct bw_tour *tour);
#endif
