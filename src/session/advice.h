/* What to try against what bounds a kernel: all changes of single Funcs in it, priced by the model that
 * steers, all else as it is. Advice is what lowers the cost; where nothing does, what was tried. */
#pragma once
#include "figures/rooflines.h"
#include "session/session.h"

/* What the changes of one Func come to. */
struct bw_trials {
	bool known;
	int tried;                       /* changes that no limit and no rule of the search forbids */
	const struct bw_placement *best; /* the cheapest of these; NULL: there is none */
	double cost;                     /* of the whole state with it */
	const struct bw_placement *stored; /* of an inlined Func the cheapest that is not inlined, even if a
					      rule prunes it; NULL: it has to be inlined */
	double stored_cost;
};

/* Returns the trials by Func of the selected state, which go on in the background. Valid until the next
 * command. NULL: no state is selected. */
const struct bw_trials *bw_session_trials(const struct bw_session *session);
/* Makes them all at once, for what is not drawn again. */
void bw_session_trials_all(struct bw_session *session);
/* Returns the cheapest change of a Func in a kernel if it lowers the cost of the state; NULL if none does, or
 * not all are priced yet. */
const struct bw_trials *bw_advice_of(const struct bw_session *session,
				     const struct bw_roofline_kernel *kernel);
/* Appends that change with its cost; or what storing the Func would cost that the kernel computes again, and
 * that nothing is cheaper. */
void bw_advice_words(const struct bw_session *session, const struct bw_rooflines *all,
		     const struct bw_roofline_kernel *kernel, struct bw_text *out);
