/* Alternatives for a Func of the selected state: each changes one property of its placement and leaves all
 * other Funcs unchanged. Its cost is that of the whole state with the change. */
#pragma once
#include "session/session.h"

/* Overrides: change one property of a Func's placement, and keep its other properties as far as they still
 * apply. */

/* Properties that can be changed: name in C, word, form of the value, meaning. */
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

/* Returns a placement with one property changed; drop it with bw_placement_drop. Returns NULL with an error
 * if the value cannot be read, or if the property does not apply to this placement. */
const struct bw_placement *bw_override_make(const struct bw_session *session, const struct bw_placement *now,
					    enum bw_override override, const char *value,
					    struct bw_error *error);
/* Appends the value of a property: `32x8`, `on`, `at output.block`. Appends nothing if the property does not
 * apply to the placement. */
void bw_override_now(const struct bw_session *session, const struct bw_placement *placement,
		     enum bw_override override, struct bw_text *out);

/* A group of variants of the state (search/variants.h) that differ from it in the same way. For a new site,
 * the group is represented by the variant with the best sizes. */
struct bw_alternative {
	enum bw_override override;
	char *value;                          /* the new value as text: a site or sizes; "": no change */
	const struct bw_placement *placement; /* NULL: not priced yet */
	bool known;                           /* all its variants are priced */
	bool allowed;                         /* no rule of the search prunes it */
	double cost;                          /* of the whole state with the alternative, as far as variants
						 are priced; 0: impossible */
	double points;                        /* with changed sizes, and with no change if the Func is tiled:
						 points per block of a Func at root, else points per
						 thread; else 0 */
	char *reason;                         /* why the alternative is impossible, or which rule prunes it;
						 else NULL */
};

/* Returns the alternatives for the selected Func, and sets `n` to their number. The first one is "no change";
 * sizes are in rising order. bw_session_work prices one after the other. Returns NULL if no Func is selected
 * or the Func is not placed. Owned by the session; valid until its next command. */
const struct bw_alternative *bw_session_alternatives(const struct bw_session *session, int *n);
/* Prices all alternatives before it returns, for output that is printed only once. */
void bw_session_alternatives_all(struct bw_session *session);
/* Returns the selected state's nest with the selected alternative applied, even if a limit forbids the
 * alternative. Returns the state's own nest if the selected alternative is the first one, is not priced yet,
 * or would leave Funcs that are computed inside this Func without a site. Drop it with bw_nest_drop. Sets
 * *alternative to the applied alternative; NULL: none. */
struct bw_nest *bw_session_alternative_nest(const struct bw_session *session,
					    const struct bw_alternative **alternative);
