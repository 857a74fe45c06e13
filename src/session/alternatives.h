/* Alternatives for a Func of the selected state: one property changed, all other Funcs as they are, and the
 * cost of the whole state then. */
#ifndef BW_SESSION_ALTERNATIVES_H
#define BW_SESSION_ALTERNATIVES_H
#include "session/override.h"

/* Variants of the state (search/variants.h) that differ in one thing alone: of a site the best sizes. */
struct bw_alternative {
	enum bw_override override;
	char *value;                          /* in words: a site or sizes; "": no change */
	const struct bw_placement *placement; /* NULL: it cannot be, or is not priced yet */
	bool known;                           /* all variants of it are priced */
	bool allowed;                         /* no rule of the search prunes it */
	double cost;                          /* of the state, so far; 0: it cannot be */
	double points;                        /* per block, where sizes are changed; else 0 */
	char *reason;                         /* why it cannot be, or which rule prunes it; else NULL */
};

/* Returns the alternatives for the selected Func, n of them: the first is no change, sizes go from small
 * to large. bw_session_work costs one after the other. Returns NULL if no Func is selected, or it is not
 * placed. The session's, until its next command. */
const struct bw_alternative *bw_session_alternatives(const struct bw_session *session, int *n);
/* Costs all alternatives at once, for a screen that is not drawn again. */
void bw_session_alternatives_all(struct bw_session *session);
/* Returns the next alternative behind `at` that can be, or with by = -1 the one before, in the order
 * smaller sizes, what the Func is, larger sizes, other threads, sites, the rest. Costs at most `most`
 * variants of the state to find it. -1: there is none. */
int bw_session_alternative_beside(struct bw_session *session, int at, int by, int most);
/* Returns the nest of the selected state with the selected alternative in place of what the Func is: the
 * state's own if that is the first, or not tried yet, or cannot be. Drop it with bw_nest_drop.
 * *alternative: the one that is taken; NULL: none but what the Func is. */
struct bw_nest *bw_session_alternative_nest(const struct bw_session *session,
					    const struct bw_alternative **alternative);
#endif
