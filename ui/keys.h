/* Key bindings for all views: the request of each key, and the command line that it runs. Views never see
 * key codes. The keys of commands come from the session's table of commands, the keys of the screen from
 * the table below; the help line and the help screen come from both. */
#pragma once

#include "session/session.h"

/* Keys, with the names that the tables of keys use for them. */

/* Keys that are not characters: name in C, name in tig's notation. */
#define BW_KEY_TABLE(X) \
	X(BW_KEY_ENTER, "Enter") X(BW_KEY_TAB, "Tab") X(BW_KEY_BACKTAB, "S-Tab") X(BW_KEY_BACKSPACE, "Bksp") X(BW_KEY_ESCAPE, "Esc") X(BW_KEY_SPACE, "Space") \
	X(BW_KEY_UP, "Up") X(BW_KEY_DOWN, "Down") X(BW_KEY_LEFT, "Left") X(BW_KEY_RIGHT, "Right") X(BW_KEY_PAGE_UP, "PgUp") X(BW_KEY_PAGE_DOWN, "PgDn") \
	X(BW_KEY_HOME, "Home") X(BW_KEY_END, "End") X(BW_KEY_DELETE, "Del") \
	X(BW_KEY_F1, "F1") X(BW_KEY_F2, "F2") X(BW_KEY_F3, "F3") X(BW_KEY_F4, "F4") X(BW_KEY_F5, "F5") X(BW_KEY_F6, "F6") X(BW_KEY_F7, "F7") X(BW_KEY_F8, "F8") X(BW_KEY_F9, "F9") X(BW_KEY_F10, "F10") X(BW_KEY_F11, "F11") X(BW_KEY_F12, "F12") \
	X(BW_KEY_MOUSE, "mouse") X(BW_KEY_WHEEL_UP, "wheel up") X(BW_KEY_WHEEL_DOWN, "wheel down") X(BW_KEY_PASTE_BEGIN, "") X(BW_KEY_PASTE_END, "") X(BW_KEY_OTHER, "")

enum bw_key_code {
	BW_KEY_NONE = 0, /* codes below BW_KEY_FIRST are code points of characters, including control
			    characters */
	BW_KEY_FIRST = 0x200000,
	BW_KEY_TABLE(BW_FIRST)
};

struct bw_key {
	uint32_t code;
	bool alt;
	int x, y; /* of the mouse */
};

/* Returns the name of a key that is not a character. */
const char *bw_key_name(enum bw_key_code code);
/* The name of a key in the tables: `Up`, `^R`, `k`, `M-x` with Alt. */
enum { BW_KEY_NAME_SIZE = 16 };
void bw_key_print(struct bw_key key, char name[BW_KEY_NAME_SIZE]);
/* Returns the key for a name, or code NONE if no key that can be bound has this name. */
struct bw_key bw_key_parse(const char *name);

/* Requests to the screen: name in C, keys, command line (empty: the screen handles it), meaning. */
#define BW_REQUEST_TABLE(X) \
	X(UP, "Up k", "", "the row above") \
	X(DOWN, "Down j", "", "the row below") \
	X(PAGE_UP, "PgUp ^B", "", "a page up") \
	X(PAGE_DOWN, "PgDn ^F", "", "a page down") \
	X(TOP, "g Home", "", "the first row") \
	X(BOTTOM, "G End", "", "the last row") \
	X(NEXT_PANE, "Tab", "", "the next pane") \
	X(PREVIOUS_PANE, "S-Tab", "", "the previous pane") \
	X(PAN_RIGHT, ">", "", "move the rows of this pane to the left, to read what is cut off at the right") \
	X(PAN_LEFT, "<", "", "move them back") \
	X(OPEN, "Enter", "", "open the decision in full (at the end, that of the selected Func), or a group of options") \
	X(FOLD, "z", "", "fold or unfold a group of options in the decision in full, or a row of stages that differ in numbers alone") \
	X(EARLIER, "Left h", "back", "one decision back; in the decision in full, `replay back`") \
	X(LATER, "Right l", "step", "one decision forward; in the decision in full, `replay next`") \
	X(NEXT_FUNC, "]", "step func", "forward to the next Func") \
	X(PREVIOUS_FUNC, "[", "back func", "back to the previous Func") \
	X(TO_END, "}", "step pass", "forward to the end of the pass, then of the next one") \
	X(TO_START, "{", "back pass", "back to the start of the pass") \
	X(DECISION, "d", "view decision", "the decision in full") \
	X(GRAPH, "P", "view graph", "the pipeline as a graph, with kernels as boxes") \
	X(TILE, "b", "view tile", "what a block computes, needs, and what the blocks beside compute again") \
	X(ACCESS, "U", "view access", "which sectors or banks the lanes of a warp touch, and what would mend it") \
	X(ROOFLINE, "R", "view roofline", "the kernels under the ceilings of the device, and their occupancy") \
	X(LINEAGE, "B", "view search", "the search: which states survive, costs of each choice; Enter opens a decision") \
	X(STATISTICS, "S", "view statistics", "statistics: states, rules, time; Enter opens a decision") \
	X(TIMINGS, "m", "view timings", "compiled and measured schedules") \
	X(OVERRIDE, "e", "view override", "what else the selected Func could be, with costs; Enter holds one") \
	X(WALK, "W", "view walk", "the decisions of another scheduler, with all candidates; Enter takes one") \
	X(OPINIONS, "O", "compare --all", "what every scheduler finds, by every cost model; Enter shows the kernels") \
	X(TUNING, "M", "view tune", "what a tuning has measured; Enter takes a schedule") \
	X(FEATURES, "D", "view features", "the stages of the selected Func in full: features, terms, coefficients") \
	X(HISTORY, "H", "view history", "commands that changed the search; the keys that move go to any of them") \
	X(COUNTERS, "I", "view counters", "what the emulated device counted: instructions, sectors, conflicts") \
	X(SWEEP, "V", "view sweep", "what was found for other devices, sizes and beams") \
	X(START, "A", "view start", "what the pipeline is, and how it was scheduled") \
	X(VIEWS, "v", "view views", "the views, to choose from") \
	X(GLOSSARY, "K", "view glossary", "every word and mark of the screen, in words") \
	X(HELP, "? F1", "view help", "the keys of this view and what it shows; all keys and commands") \
	X(FASTER, "+", "play faster", "in the film of a search: faster") \
	X(SLOWER, "-", "play slower", "in the film of a search: slower") \
	X(SEARCH, "/", "", "search the rows of a pane") \
	X(SEARCH_NEXT, "n", "", "the next row found") \
	X(SEARCH_PREVIOUS, "N", "", "the previous row found") \
	X(COMMAND, ":", "", "enter a command; Tab completes it") \
	X(LESSON_NEXT, ".", "lesson next", "in a lesson: go on") \
	X(LESSON_BACK, ",", "lesson back", "in a lesson: the step before, to read it again") \
	X(LESSON_HINT, "!", "lesson hint", "in a lesson: a hint") \
	X(TOUR, "T", "", "a tour in three steps") \
	X(LEAVE, "q", "", "back to the main view; from there, quit") \
	X(CANCEL, "Esc", "", "stop what runs; close what is open") \
	X(INTERRUPT, "^C", "", "stop what runs; twice: quit") \
	X(REDRAW, "^L", "", "redraw the screen") \
	X(SUSPEND, "^Z", "", "suspend beamwalk")

enum bw_request {
	BW_REQUEST_NONE,
#define X(name, keys, command, help) BW_REQUEST_##name,
	BW_REQUEST_TABLE(X)
#undef X
	BW_REQUEST_RUN, /* run a command of the session */
	BW_N_REQUESTS
};

/* A key of one view, as its line of keys names it. */
struct bw_view_key {
	const char *view;    /* name of the view; "": views without keys of their own */
	const char *command; /* the line that the key runs in other views, or `do REQUEST` */
	const char *word;    /* the key's effect in the view, in a word; NULL: the command's name */
	const char *line;    /* the line that the key runs in this view; NULL: the same as `command` */
};
/* Returns the keys of a view, the most useful first, and sets `n` to their number. */
const struct bw_view_key *bw_view_keys(const char *view, int *n);

struct bw_binding {
	enum bw_request request;
	const char *command; /* the line to run; empty: the screen handles it */
	const char *keys, *help;
};

/* A binding by the user. */
struct bw_rebinding {
	char key[BW_KEY_NAME_SIZE];
	enum bw_request request; /* NONE: the key does nothing */
	char *command;           /* of RUN; owned */
};
struct bw_keymap {
	struct bw_rebinding *list;
	int n, capacity;
};
/* Binds a key to a line of the command language, to a request (`do page-down`), or to `none`; replaces an
 * earlier binding. Returns false with an error if there is no such key, command or request. */
bool bw_keymap_bind(struct bw_keymap *keymap, const char *key, const char *line, struct bw_error *error);
void bw_keymap_free(struct bw_keymap *keymap);
/* Writes the name of a request as in `do page-down`. */
void bw_request_print(enum bw_request request, char name[32]);

/* Returns the request in a line such as `do page-down`, or NONE if the line makes no request. */
enum bw_request bw_request_of(const char *line);
/* Returns the binding of a key; its request is NONE if the key is unbound. keymap: the user's; NULL:
 * none. */
struct bw_binding bw_binding_of(const struct bw_keymap *keymap, struct bw_key key);
/* Writes at most `most` default bindings, in the order of the help screen. Returns their number. */
int bw_bindings(struct bw_binding *bindings, int most);
/* Writes the keys of a list, without those that the user has rebound. */
void bw_keys_left(const struct bw_keymap *keymap, const char *keys, char left[64]);
/* Writes the name of the first key that runs a line or makes a request (`do page-down`); keys bound by the
 * user come first. Writes "" if there is no such key. */
void bw_key_of(const struct bw_keymap *keymap, const char *line, char name[BW_KEY_NAME_SIZE]);
/* Appends a text in which lines in braces are replaced by their keys: `{undo} takes it back`. A line
 * without a key is replaced by itself: `:undo`. */
void bw_keys_write(const struct bw_keymap *keymap, const char *text, struct bw_text *out);
