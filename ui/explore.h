/* The explorer: a session on a terminal. */
#ifndef BW_UI_EXPLORE_H
#define BW_UI_EXPLORE_H
#include <stdbool.h>

#include "session/editor.h"
#include "session/session.h"
#include "ui/keys.h"

struct bw_explore_options {
	const char *color;        /* auto, always or never, as --color says; NULL: auto */
	bool ascii;               /* only ASCII; also where LC_CTYPE is not UTF-8 */
	bool mouse;               /* false: --no-mouse */
	bool at_start;            /* --at start: begin with nothing placed, not with the search run to its end */
	const struct bw_keymap *keymap; /* keys that the user has bound otherwise; NULL: none */
	bool tutorial;            /* begin with the tour in three steps, not with the start page */
	bool resumes;             /* the session was resumed: it is shown as it stands */
	const char *said;         /* what there is to say at first */
	struct bw_editing editing; /* that `edit` runs */
	const char *state_folder; /* where the prompt's history is kept; NULL: it is not */
};

/* Whether the explorer can run at all, without touching the terminal: standard input and output are one, and TERM is known and can
 * move its cursor. Else an error of kind USAGE that says what is missing. */
bool bw_explore_check(struct bw_error *error);

/* Explores until the user leaves. Takes the screen of the session over (bw_session_set_screen) and gives it back to
 * bw_screen_save without a terminal. False with an error: that of _check, or ended by a signal (kind STOPPED). The terminal is as it
 * was on every way out. Looks up TERM and NO_COLOR; LC_CTYPE must be set. */
bool bw_explore(struct bw_session *session, const struct bw_explore_options *options, struct bw_error *error);

#endif
