/* Advice for a kernel: all changes of one Func in the kernel are tried, each with all other Funcs unchanged,
 * and priced by the session's model. If a change lowers the cost, the advice is the cheapest one. If none
 * does, the advice says what was tried. */
#pragma once
#include "figures/rooflines.h"
#include "session/session.h"

/* The result of trying all changes of one Func's placement. */
struct bw_trials {
	bool known;
	int tried;                       /* number of changes that no limit and no rule of the search
					    forbids */
	const struct bw_placement *best; /* the cheapest such change; NULL: there is none */
	double cost;                     /* of the whole state with `best` */
	const struct bw_placement *stored; /* only of an inlined Func: its cheapest placement that is not
					      inlined, even if a rule prunes it; NULL: the Func has to be
					      inlined */
	double stored_cost;
};

/* Returns the trials of the selected state, indexed by Func; they are continued in the background. Returns
 * NULL if no state is selected. Valid until the next command. */
const struct bw_trials *bw_session_trials(const struct bw_session *session);
/* Completes all trials before it returns, for output that is printed only once. */
void bw_session_trials_all(struct bw_session *session);
/* Returns the trials of the Func in a kernel whose change lowers the state's cost most. Returns NULL if no
 * change lowers the cost, or if not all changes are priced yet. */
const struct bw_trials *bw_advice_of(const struct bw_session *session,
				     const struct bw_roofline_kernel *kernel);
/* Appends the change that bw_advice_of returns, with its cost. If there is none, appends that nothing is
 * cheaper, and what it would cost to store the inlined Func that the kernel recomputes. */
void bw_advice_words(const struct bw_session *session, const struct bw_rooflines *all,
		     const struct bw_roofline_kernel *kernel, struct bw_text *out);
