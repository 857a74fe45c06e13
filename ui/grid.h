/* A screen as a grid of cells, without a terminal. Views write with pens, which stay within their
 * rectangle. A grid is shown on a terminal (terminal.h), or saved as text or SVG. */
#ifndef BW_UI_GRID_H
#define BW_UI_GRID_H
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "ui/style.h"

/* Flags of a cell besides its style. */
enum bw_cell_flag {
	BW_CELL_SELECTED = 1, /* in the selected row of the focused pane */
	BW_CELL_LINKED = 2,   /* in a row that shows what is selected elsewhere */
};

struct bw_cell {
	uint32_t glyph; /* code point; 0 in the right half of a wide one */
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
 * last cell shows that. */
struct bw_pen {
	struct bw_grid *grid;
	int x, y, left, right;
};

/* Returns a pen on row `row` of a rectangle. It writes nothing outside of the rectangle and the grid. */
struct bw_pen bw_pen_at(struct bw_grid *grid, struct bw_rect rect, int row);
void bw_pen_puts(struct bw_pen *pen, enum bw_style style, const char *text);
void bw_pen_printf(struct bw_pen *pen, enum bw_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Moves the pen to a column of the rectangle (from 0): never backwards, and past one blank if text already
 * reaches the column. */
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
#endif
