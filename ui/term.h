/* The terminal: grids out, keys in. The one file that knows curses. The terminal is restored on every way out (rescue.h). */
#ifndef BW_UI_TERM_H
#define BW_UI_TERM_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ui/grid.h"

enum bw_color_mode { BW_COLOR_AUTO, BW_COLOR_ALWAYS, BW_COLOR_NEVER };

struct bw_term_options {
	const char *type;   /* terminfo's name of it: $TERM; may be NULL */
	enum bw_color_mode color;
	bool no_color;      /* $NO_COLOR is set: what AUTO means */
	bool mouse;
};

/* Keys that are no characters: name in C, in tig's notation. */
#define BW_KEY_TABLE(X) \
	X(ENTER, "Enter") X(TAB, "Tab") X(BACKTAB, "S-Tab") X(BACKSPACE, "Bksp") X(ESCAPE, "Esc") X(SPACE, "Space") \
	X(UP, "Up") X(DOWN, "Down") X(LEFT, "Left") X(RIGHT, "Right") X(PAGE_UP, "PgUp") X(PAGE_DOWN, "PgDn") \
	X(HOME, "Home") X(END, "End") X(DELETE, "Del") X(F1, "F1") \
	X(MOUSE, "mouse") X(WHEEL_UP, "wheel up") X(WHEEL_DOWN, "wheel down") X(PASTE_BEGIN, "") X(PASTE_END, "") X(OTHER, "")

enum bw_key_code {
	BW_KEY_NONE = 0, /* below: characters by code point, control characters among them */
	BW_KEY_FIRST = 0x200000,
#define X(name, text) BW_KEY_##name,
	BW_KEY_TABLE(X)
#undef X
};

struct bw_key {
	uint32_t code;
	bool alt;
	int x, y; /* of the mouse */
};

struct bw_term;
/* Takes the terminal over: standard input and output, which must both be one. On error it has not been touched. */
struct bw_term *bw_term_open(const struct bw_term_options *options, struct bw_error *error);
void bw_term_close(struct bw_term *term);
void bw_term_size(const struct bw_term *term, int *columns, int *rows);
/* Shows a grid, the cursor at a cell; writes only what differs from what is shown. */
void bw_term_show(struct bw_term *term, const struct bw_grid *grid, int x, int y);
/* The next key that was pressed; code BW_KEY_NONE when there is none. Never waits (but 25 ms behind a lone Esc). */
struct bw_key bw_term_key(struct bw_term *term);
/* Waits for a key, a signal or one of the others to become ready; at most timeout milliseconds, -1: for ever. Returns bits of enum
 * bw_alarm; sizes and suspensions were seen to already. */
int bw_term_wait(struct bw_term *term, struct pollfd *others, int n_others, int timeout);
/* As ^Z: gives the terminal back and stops; goes on when continued. */
void bw_term_suspend(struct bw_term *term);
/* Draws all anew with the next _show. */
void bw_term_redraw(struct bw_term *term);
const char *bw_key_name(enum bw_key_code code);
#endif
