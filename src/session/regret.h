/* What each decision was worth: what its runner-up would have cost at the end of the search. */
#ifndef BW_SESSION_REGRET_H
#define BW_SESSION_REGRET_H
#include <math.h>

#include "session/session.h"

/* A decision on the way to the best state that had more than one costed option: the cheapest other
 * option in the same parent, and the cost of the schedule that the search finds with it. From there
 * on the beam has one state; at the end it is polished, but for the Func decided here. */
struct bw_regret {
	int decision;
	const struct bw_placement *taken, *other; /* NULL: nothing is placed */
	double cost; /* at the end; 0: no schedule has it */
};

/* Returns how much a decision mattered, to compare with others: the cost at the end, infinite if there is
 * none. */
static inline double bw_regret_weight(const struct bw_regret *regret)
{
	return regret->cost > 0 ? regret->cost : (double)INFINITY;
}

/* Begins to find the regrets of the search, in the background, or goes on after a stop. */
void bw_regrets_begin(struct bw_session *session);
/* Returns the regrets found so far, in the order of decisions, and sets `n` to their number. Owned by
 * the session; valid until its next change. */
const struct bw_regret *bw_regrets(const struct bw_session *session, int *n);
/* Returns true if more are to come. */
bool bw_regrets_sought(const struct bw_session *session);
#endif
