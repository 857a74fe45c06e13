/* The terminal: grids out, keys in. Its files alone know curses. The terminal is restored on every way out (rescue.h). */
#ifndef BW_UI_TERMINAL_H
#define BW_UI_TERMINAL_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ui/grid.h"
#include "ui/key.h"

enum bw_color_mode { BW_COLOR_AUTO, BW_COLOR_ALWAYS, BW_COLOR_NEVER };

struct bw_terminal_options {
	const char *type;   /* terminfo's name of it: $TERM; may be NULL */
	enum bw_color_mode color;
	bool no_color;      /* $NO_COLOR is set: what AUTO means */
	bool mouse;
};

struct bw_terminal;
/* Whether standard input and output are a terminal of a type that is known and can move its cursor; it is not touched. */
bool bw_terminal_check(const char *type, struct bw_error *error);
/* Takes the terminal over: standard input and output, which must both be one. On error it has not been touched. */
struct bw_terminal *bw_terminal_open(const struct bw_terminal_options *options, struct bw_error *error);
void bw_terminal_close(struct bw_terminal *terminal);
void bw_terminal_size(const struct bw_terminal *terminal, int *columns, int *rows);
/* Shows a grid, the cursor at a cell; writes only what differs from what is shown. */
void bw_terminal_show(struct bw_terminal *terminal, const struct bw_grid *grid, int x, int y);
/* The next key that was pressed; code BW_KEY_NONE when there is none. Never waits (but 5 ms behind a lone Esc). */
struct bw_key bw_terminal_key(struct bw_terminal *terminal);
/* Waits for a key, a signal or one of the others to become ready; at most timeout milliseconds, -1: for ever. Returns bits of enum
 * bw_alarm; sizes and suspensions were seen to already. */
int bw_terminal_wait(struct bw_terminal *terminal, struct pollfd *others, int n_others, int timeout);
/* As ^Z: gives the terminal back and stops; goes on when continued. */
void bw_terminal_suspend(struct bw_terminal *terminal);
/* Gives the terminal to another program, as it was; and takes it back when that has ended. */
void bw_terminal_lend(struct bw_terminal *terminal);
void bw_terminal_take_back(struct bw_terminal *terminal);
/* Draws all anew with the next _show. */
void bw_terminal_redraw(struct bw_terminal *terminal);
#endif
