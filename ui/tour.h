/* A tour in three steps for newcomers. Each step asks for an action and waits until it is done. */
#ifndef BW_UI_TOUR_H
#define BW_UI_TOUR_H
#include "session/session.h"
#include "ui/keys.h"

struct bw_tour {
	int step;    /* 0: no tour; 1 to 3; 4: finished */
	double best; /* cost of the best schedule at the beginning */
};

void bw_tour_begin(struct bw_tour *tour, const struct bw_session *session);
/* Observes a command that was run, and advances if the step is done. */
void bw_tour_observe(struct bw_tour *tour, struct bw_session *session, const char *line);
#endif
