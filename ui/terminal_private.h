/* Private to terminal*.c, the files that use curses. They include it first. */
#ifndef BW_UI_TERMINAL_PRIVATE_H
#define BW_UI_TERMINAL_PRIVATE_H
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdio.h>
#include <termios.h>

#include "base/mem.h"
#include "base/text.h"
#include "ui/terminal.h"

/* Backgrounds of a cell: the plain screen, a row selected elsewhere, the selected row. */
enum { GROUND_PLAIN, GROUND_LINKED, GROUND_SELECTED, N_GROUNDS };

/* Codes of keys that are defined for curses. */
enum { KEY_PASTE_ON = 0x2000, KEY_PASTE_OFF };

struct bw_terminal {
	SCREEN *screen;
	FILE *out; /* standard output, for curses alone */
	int frame_fd; /* a file in memory that replaces standard output while a frame is written; -1: frames
			 are not rewritten */
	struct bw_text frame, shorter;
	struct termios modes; /* as they were */
	int alarm_fd;
	int colours; /* 256, 16, 8 or 0 */
	int idle;    /* number of consecutive times that the terminal was readable without data */
	attr_t attributes[BW_N_STYLES][N_GROUNDS];
	short pairs[BW_N_STYLES][N_GROUNDS];
	cchar_t *row; /* one row of the screen */
	int row_columns;
};

/* Writes all bytes, as far as the terminal accepts them. */
void bw_terminal_write(const char *bytes, size_t length);
/* Prepares the styles in the terminal's colours. Sets attributes and pairs. */
void bw_terminal_make_looks(struct bw_terminal *terminal, const struct bw_terminal_options *options);
#endif
