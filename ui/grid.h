/* A screen as a grid of cells, without a terminal. Views write with pens, which stay within their
 * rectangle. A grid is shown on a terminal (terminal.h), or saved as text or SVG. */
#pragma once
#include <stdint.h>

#include "base/text.h"

/* Styles are named by their meaning. Views use only the names; the table gives each style its colours and
 * attributes. */

enum bw_attribute { BW_PLAIN = 0, BW_BOLD = 1, BW_FAINT = 2, BW_UNDERLINED = 4 };

/* Meanings: name in C, colour in 256, 256-colour value on a highlighted row, colour in 16 (-1: the
 * terminal's default), attributes, colour in SVG. The 256 colours are readable on white and on black.
 * Without colours the attributes remain; no meaning is shown by colour alone. */
#define BW_STYLE_TABLE(X) \
	X(NORMAL, -1, 15, -1, BW_PLAIN, "#d3d7de") \
	X(DIM, 244, 15, 8, BW_PLAIN, "#8b919c") \
	X(RULE, 242, 15, 8, BW_PLAIN, "#4b515c") \
	X(TITLE, -1, 15, -1, BW_BOLD, "#f2f4f8") \
	X(STRONG, -1, 15, -1, BW_BOLD, "#f2f4f8") \
	X(KEY, 67, 153, 6, BW_BOLD, "#8fb8de") \
	X(MARK, 172, 222, 3, BW_BOLD, "#f2cf86") \
	X(KEPT, 71, 157, 2, BW_PLAIN, "#8fce8f") \
	X(DROPPED, 137, 223, 3, BW_PLAIN, "#d3b07f") \
	X(PRUNED, 167, 217, 1, BW_PLAIN, "#d38a8a") \
	X(ERROR, 160, 217, 1, BW_BOLD, "#ff6b6b") \
	X(HEAT_1, 65, 151, 2, BW_PLAIN, "#7fb08a") \
	X(HEAT_2, 107, 193, 2, BW_PLAIN, "#b0d083") \
	X(HEAT_3, 178, 228, 3, BW_PLAIN, "#f5d76e") \
	X(HEAT_4, 208, 222, 3, BW_BOLD, "#f5a962") \
	X(HEAT_5, 196, 217, 1, BW_BOLD, "#f57262")

enum bw_style {
#define X(name, colour256, lit256, colour16, attributes, svg) BW_STYLE_##name,
	BW_STYLE_TABLE(X)
#undef X
	BW_N_STYLES
};

struct bw_look {
	const char *name;
	int colour256, lit256, colour16, attributes;
	const char *svg;
};
const struct bw_look *bw_style_look(enum bw_style style);
/* Returns the style for a share of the whole, 0..1. */
enum bw_style bw_style_heat(double share);

/* Flags of a cell besides its style. */
enum bw_cell_flag {
	BW_CELL_SELECTED = 1, /* in the selected row of the focused pane */
	BW_CELL_LINKED = 2,   /* in a row related to the selection in another pane */
};

struct bw_cell {
	uint32_t glyph; /* code point; 0 in the right half of a wide character */
	uint8_t style, flags;
};

struct bw_rect {
	int x, y, columns, rows;
};

struct bw_grid {
	int columns, rows;
	bool ascii; /* cells contain only ASCII */
	struct bw_cell *cells;
};

/* Returns a blank grid. Free with bw_grid_free. Negative sizes count as 0. */
struct bw_grid bw_grid_new(int columns, int rows, bool ascii);
void bw_grid_free(struct bw_grid *grid);
/* Declares a grid that is freed when its block is left. */
#define BW_SCOPED_GRID BW_SCOPED(bw_grid_free) struct bw_grid
void bw_grid_clear(struct bw_grid *grid);
/* Resizes the grid, and fills it with blanks. */
void bw_grid_resize(struct bw_grid *grid, int columns, int rows);
struct bw_cell *bw_grid_at(const struct bw_grid *grid, int x, int y);
struct bw_rect bw_grid_rect(const struct bw_grid *grid);
/* Copies rows of `from`, beginning with row `first`, into a rectangle of `to`. */
void bw_grid_copy(struct bw_grid *to, struct bw_rect rect, const struct bw_grid *from, int first);
/* Copies the same rows without `pan` columns from column `margin` on. */
void bw_grid_pan(struct bw_grid *to, struct bw_rect rect, const struct bw_grid *from, int first, int margin,
		 int pan);
/* Fills a rectangle with blanks. */
void bw_grid_wipe(struct bw_grid *grid, struct bw_rect rect);
/* Sets flags in a whole row of a rectangle. */
void bw_grid_flag(struct bw_grid *grid, struct bw_rect rect, int row, int flags);

/* A pen writes along one row, from x up to `right` (exclusive). Text that does not fit is cut, and the
 * last cell shows a mark for the cut. */
struct bw_pen {
	struct bw_grid *grid;
	int x, y, left, right;
};

/* Returns a pen on row `row` of a rectangle. It writes nothing outside of the rectangle and the grid. */
struct bw_pen bw_pen_at(struct bw_grid *grid, struct bw_rect rect, int row);
void bw_pen_puts(struct bw_pen *pen, enum bw_style style, const char *text);
void bw_pen_printf(struct bw_pen *pen, enum bw_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Moves the pen forward to a column of the rectangle (from 0). If text already reaches that column, moves
 * past one blank after the text instead. */
void bw_pen_to(struct bw_pen *pen, int column);
/* Writes text that ends before a column of the rectangle, for right-aligned figures. */
void bw_pen_right(struct bw_pen *pen, int column, enum bw_style style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Writes text in a field of `columns` columns, cut with `…` or padded with blanks. */
void bw_pen_field(struct bw_pen *pen, int columns, enum bw_style style, const char *text);
/* Draws a bar, `columns` wide at share 1, filled to share (0..1), in eighths of a column. */
void bw_pen_bar(struct bw_pen *pen, int columns, enum bw_style style, double share);
/* Fills the rest of the row with a horizontal line. */
void bw_pen_rule(struct bw_pen *pen, enum bw_style style);
/* Returns the number of columns left. */
int bw_pen_left(const struct bw_pen *pen);

/* Appends the whole grid as text, one line per row, without trailing blanks. */
void bw_grid_text(const struct bw_grid *grid, struct bw_text *out);
/* Appends the grid as an SVG image of a terminal. */
void bw_grid_svg(const struct bw_grid *grid, struct bw_text *out);
