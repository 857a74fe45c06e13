/* Alternatives for a Func of the selected state: one property changed, all other Funcs unchanged, and
 * the cost of the whole state with the change. */
#pragma once
#include "session/session.h"

/* Changes one property of a Func's placement and keeps the others, as far as they still apply. */

/* Properties that can be changed: name in C, word, value, meaning. */
#define BW_OVERRIDE_TABLE(X) \
	X(BW_OVERRIDE_SITE, "site", "SITE", "where it is computed; its sizes are free then") \
	X(BW_OVERRIDE_SERIAL, "serial", "SIZES", "iterations of a thread, by dimension, x first") \
	X(BW_OVERRIDE_THREAD, "thread", "SIZES", "threads of a block, of a Func at root") \
	X(BW_OVERRIDE_BLOCK, "block", "SIZES", "points that a block computes, of a Func at root: threads stay, and their serial iterations follow") \
	X(BW_OVERRIDE_UNROLL, "unroll", "on|off", "whether the serial iterations of a thread are unrolled") \
	X(BW_OVERRIDE_MEMORY, "memory", "MEMORY", "what it is kept in: auto, global, shared, registers, stack")

enum bw_override { BW_OVERRIDE_TABLE(BW_FIRST) BW_N_OVERRIDES };
const char *bw_override_name(enum bw_override override);
/* Returns the property of this name, or -1. */
int bw_override_find(const char *name, size_t length);

/* Returns a placement with one property changed; drop it with bw_placement_drop. Returns NULL with an
 * error if the value cannot be read, or has no meaning there. */
const struct bw_placement *bw_override_make(const struct bw_session *session, const struct bw_placement *now,
					    enum bw_override override, const char *value,
					    struct bw_error *error);
/* Appends the value of a property: `32x8`, `on`, `at output.block`. Appends nothing if it has no
 * meaning. */
void bw_override_now(const struct bw_session *session, const struct bw_placement *placement,
		     enum bw_override override, struct bw_text *out);

/* Variants of the state (search/variants.h) that differ in one thing alone: of a site the best sizes. */
struct bw_alternative {
	enum bw_override override;
	char *value;                          /* in words: a site or sizes; "": no change */
	const struct bw_placement *placement; /* NULL: not priced yet */
	bool known;                           /* all its variants are priced */
	bool allowed;                         /* no rule of the search prunes it */
	double cost;                          /* of the state, so far; 0: it cannot be */
	double points;                        /* where sizes are changed: per block of a Func at root, else
						 per thread; else 0 */
	char *reason;                         /* why it is impossible, or which rule prunes it; else NULL */
};

/* Returns the alternatives for the selected Func, n of them: the first is no change, sizes go from
 * small to large. bw_session_work costs one after the other. Returns NULL if no Func is selected, or
 * it is not placed. Owned by the session; valid until its next command. */
const struct bw_alternative *bw_session_alternatives(const struct bw_session *session, int *n);
/* Costs all alternatives at once, for a screen that is not drawn again. */
void bw_session_alternatives_all(struct bw_session *session);
/* Returns the selected state's nest with the selected alternative applied, even if a limit forbids
 * it. Returns the state's own nest if the alternative is the first, is not tried yet, or leaves Funcs
 * inside it without a site. Drop it with bw_nest_drop. *alternative: the one applied; NULL: none. */
struct bw_nest *bw_session_alternative_nest(const struct bw_session *session,
					    const struct bw_alternative **alternative);
