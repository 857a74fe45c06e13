/* A screen as a grid of cells, without a terminal. Views write into it with pens, which never leave their rectangle; it is then
 * put on a terminal (terminal.h), or saved as text or SVG. */
#ifndef BW_UI_GRID_H
#define BW_UI_GRID_H
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "ui/style.h"

/* What is said of a cell beside its style. */
enum bw_cell_flag {
	BW_CELL_SELECTED = 1, /* of the selected row of the pane that has the keys */
	BW_CELL_LINKED = 2,   /* of a row that shows what is selected elsewhere */
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
	bool ascii; /* only ASCII is put into cells */
	struct bw_cell *cells;
};

/* A grid of blanks. It owns its cells: bw_grid_free. Negative sizes are taken as 0. */
struct bw_grid bw_grid_new(int columns, int rows, bool ascii);
void bw_grid_free(struct bw_grid *grid);
void bw_grid_clear(struct bw_grid *grid);
/* Makes it this size, with blanks. */
void bw_grid_resize(struct bw_grid *grid, int columns, int rows);
struct bw_cell *bw_grid_at(const struct bw_grid *grid, int x, int y);
struct bw_rect bw_grid_rect(const struct bw_grid *grid);
/* Copies rows of `from`, beginning with row `first`, into a rectangle of `to`. */
void bw_grid_copy(struct bw_grid *to, struct bw_rect rect, const struct bw_grid *from, int first);
/* Makes a rectangle blank. */
void bw_grid_wipe(struct bw_grid *grid, struct bw_rect rect);
/* Sets flags in a whole row of a rectangle. */
void bw_grid_flag(struct bw_grid *grid, struct bw_rect rect, int row, int flags);

/* A pen writes along one row, from x up to and without `right`. What does not fit is cut, and the last cell then shows it. */
struct bw_pen {
	struct bw_grid *grid;
	int x, y, left, right;
};

/* A pen on row `row` of a rectangle; outside of it or of the grid nothing is written. */
struct bw_pen bw_pen_at(struct bw_grid *grid, struct bw_rect rect, int row);
void bw_pen_puts(struct bw_pen *pen, enum bw_style style, const char *text);
void bw_pen_printf(struct bw_pen *pen, enum bw_style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Goes to a column of the rectangle (from 0); never back, and one blank on where text already reaches it. */
void bw_pen_to(struct bw_pen *pen, int column);
/* Text that ends before a column of the rectangle. Right-aligned figures. */
void bw_pen_right(struct bw_pen *pen, int column, enum bw_style style, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Text in a field of so many columns: cut with `…` or followed by blanks. */
void bw_pen_field(struct bw_pen *pen, int columns, enum bw_style style, const char *text);
/* A bar of `columns` columns at full, filled to share (0..1), in eighths of a column. */
void bw_pen_bar(struct bw_pen *pen, int columns, enum bw_style style, double share);
/* The rest of the row in one character. */
void bw_pen_rule(struct bw_pen *pen, enum bw_style style);
/* Columns left. */
int bw_pen_left(const struct bw_pen *pen);

/* The whole grid as text: one line a row, blanks at the end of lines taken away. */
void bw_grid_text(const struct bw_grid *grid, struct bw_text *out);
/* As an SVG image of a terminal. */
void bw_grid_svg(const struct bw_grid *grid, struct bw_text *out);
#endif
