/* Shared by the files that know curses alone: terminal*.c. Included first in them. */
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

/* Ways a cell can lie: on the plain screen, on a row selected elsewhere, on the selected row. */
enum { GROUND_PLAIN, GROUND_LINKED, GROUND_SELECTED, N_GROUNDS };

/* The codes of keys that curses is told of. */
enum { KEY_PASTE_ON = 0x2000, KEY_PASTE_OFF };

struct bw_terminal {
	SCREEN *screen;
	FILE *out;            /* standard output, for curses alone */
	int frame_fd;         /* of a file in memory, which has that place while a frame is made; -1: it is not rewritten */
	struct bw_text frame, shorter;
	struct termios modes; /* as they were */
	int alarm_fd;
	int colours;          /* 256, 16, 8 or 0 */
	int idle;             /* times in a row that the terminal was readable and gave nothing */
	attr_t attributes[BW_N_STYLES][N_GROUNDS];
	short pairs[BW_N_STYLES][N_GROUNDS];
	cchar_t *row;         /* one row of the screen */
	int row_columns;
};

/* All bytes, as far as the terminal takes them. */
void bw_terminal_write(const char *bytes, size_t length);
/* How styles look in the terminal's colours; after that attributes and pairs are set. */
void bw_terminal_make_looks(struct bw_terminal *terminal, const struct bw_terminal_options *options);
#endif
