/* The terminal: shows grids and reads keys. Only its files use curses. The terminal is always restored
 * (rescue.h). */
#pragma once
#include "ui/keys.h"
#include <poll.h>

#include "ui/grid.h"

enum bw_color_mode { BW_COLOR_AUTO, BW_COLOR_ALWAYS, BW_COLOR_NEVER };

struct bw_terminal_options {
	const char *type; /* name in terminfo: $TERM; may be NULL */
	enum bw_color_mode color;
	bool no_color; /* $NO_COLOR is set; for AUTO */
	bool mouse;
};

struct bw_terminal;
/* Checks that standard input and output are a terminal of a known type that can move its cursor. Does not
 * change the terminal. */
bool bw_terminal_check(const char *type, struct bw_error *error);
/* Opens the terminal on standard input and output. Leaves it unchanged on error. */
struct bw_terminal *bw_terminal_open(const struct bw_terminal_options *options, struct bw_error *error);
void bw_terminal_close(struct bw_terminal *terminal);
void bw_terminal_size(const struct bw_terminal *terminal, int *columns, int *rows);
/* Shows a grid with the cursor at a cell. Writes only the cells that differ from the terminal's
 * contents. */
void bw_terminal_show(struct bw_terminal *terminal, const struct bw_grid *grid, int x, int y);
/* Returns the next key, or code BW_KEY_NONE if there is none. Does not wait, except for 5 ms after a lone
 * Esc. */
struct bw_key bw_terminal_key(struct bw_terminal *terminal);
/* Waits until a key, a signal, or one of `others` is ready, for at most `timeout` milliseconds (-1:
 * without a limit). Returns bits of enum bw_alarm. Resizes and suspensions have been handled by then. */
int bw_terminal_wait(struct bw_terminal *terminal, struct pollfd *others, int n_others, int timeout);
/* Suspends the program like ^Z: restores the terminal, stops, and continues when told to. */
void bw_terminal_suspend(struct bw_terminal *terminal);
/* Copies a text to the terminal's clipboard with OSC 52. A terminal may refuse the text without an error. */
void bw_terminal_copy(const char *text, size_t length);
/* Restores the terminal for another program. After that program has ended, bw_terminal_take_back takes the
 * terminal back. */
void bw_terminal_lend(struct bw_terminal *terminal);
void bw_terminal_take_back(struct bw_terminal *terminal);
/* Makes the next _show redraw everything. */
void bw_terminal_redraw(struct bw_terminal *terminal);
