/* The explorer: a session on a terminal. */
#pragma once

#include "command/edit.h"
#include "ui/keys.h"

struct bw_explore_options {
	const char *color; /* auto, always or never, as for --color; NULL: auto */
	bool ascii; /* only ASCII; also if LC_CTYPE is not UTF-8 */
	bool mouse; /* false: --no-mouse */
	bool at_start; /* --at start: open with nothing placed instead of at the end of the search */
	const struct bw_keymap *keymap; /* the user's bindings; NULL: none */
	bool tutorial; /* open with the tour instead of the start page */
	bool lesson; /* a lesson is open in the session: show the view that it asks for */
	bool resumes; /* the session was resumed: keep its view and cursor */
	const char *said; /* the first message */
	struct bw_editing editing; /* for `edit` */
	const char *state_folder; /* folder of the file with the prompt's history; NULL: no history file */
};

/* Checks that the explorer can run, without changing the terminal: standard input and output must be a
 * terminal, and TERM must name a known type that can move its cursor. Returns false with an error of kind
 * USAGE that says what is missing. */
bool bw_explore_check(struct bw_error *error);

/* Runs the explorer until the user quits. Sets the session's screen (bw_session_hooks), and at the end
 * resets it to bw_screen_save without a terminal. Always restores the terminal. Reads TERM and NO_COLOR;
 * LC_CTYPE must be set. Returns false with an error of bw_explore_check, or of kind STOPPED after a
 * signal. */
bool bw_explore(struct bw_session *session, const struct bw_explore_options *options, struct bw_error *error);

/* Shows a list of pipelines on the terminal, one per line; the first word of a line is the name. Lets the
 * user choose one, or type the path of another. Returns the name or path; the caller frees it. Returns
 * NULL with an error of bw_explore_check, or of kind USAGE if the user left. Always restores the terminal. */
char *bw_explore_choose(const char *list, const struct bw_explore_options *options, struct bw_error *error);

struct bw_terminal;
/* Opens the terminal as the options and the environment say; NULL with an error. */
struct bw_terminal *bw_explore_terminal(const struct bw_explore_options *options, struct bw_error *error);
/* Returns true if only ASCII is shown. */
bool bw_explore_ascii(const struct bw_explore_options *options);
