/* Changes one property of a Func's placement and keeps the others, as far as they still apply. */
#ifndef BW_SESSION_OVERRIDE_H
#define BW_SESSION_OVERRIDE_H
#include "nest/placement.h"
#include "session/session.h"

/* Properties that can be changed: name in C, word, value, meaning. */
#define BW_OVERRIDE_TABLE(X) \
	X(SITE, "site", "SITE", "where it is computed; its sizes are free then") \
	X(SERIAL, "serial", "SIZES", "iterations of a thread, by dimension, x first") \
	X(THREAD, "thread", "SIZES", "threads of a block, of a Func at root") \
	X(BLOCK, "block", "SIZES", "points that a block computes, of a Func at root: threads stay, and their serial iterations follow") \
	X(UNROLL, "unroll", "on|off", "whether the serial iterations of a thread are unrolled") \
	X(MEMORY, "memory", "MEMORY", "what it is kept in: auto, global, shared, registers, stack")

enum bw_override {
#define X(name, word, value, meaning) BW_OVERRIDE_##name,
	BW_OVERRIDE_TABLE(X)
#undef X
	BW_N_OVERRIDES
};
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
#endif
