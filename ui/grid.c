#include "ui/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/glyph.h"

static const struct bw_cell blank = {' ', BW_STYLE_NORMAL, 0};

static int at_least_0(int value)
{
	return value < 0 ? 0 : value;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

struct bw_grid bw_grid_new(int columns, int rows, bool ascii)
{
	struct bw_grid grid = {.ascii = ascii};
	bw_grid_resize(&grid, columns, rows);
	return grid;
}

void bw_grid_free(struct bw_grid *grid)
{
	free(grid->cells);
	*grid = (struct bw_grid){0};
}

void bw_grid_clear(struct bw_grid *grid)
{
	for (size_t i = 0, n = (size_t)grid->columns * (size_t)grid->rows; i < n; i++)
		grid->cells[i] = blank;
}

void bw_grid_resize(struct bw_grid *grid, int columns, int rows)
{
	grid->columns = at_least_0(columns);
	grid->rows = at_least_0(rows);
	size_t cells = (size_t)grid->columns * (size_t)grid->rows;
	grid->cells = bw_resize_array(grid->cells, cells ? cells : 1, sizeof *grid->cells);
	bw_grid_clear(grid);
}

struct bw_cell *bw_grid_at(const struct bw_grid *grid, int x, int y)
{
	return &grid->cells[(size_t)y * (size_t)grid->columns + (size_t)x];
}

struct bw_rect bw_grid_rect(const struct bw_grid *grid)
{
	return (struct bw_rect){0, 0, grid->columns, grid->rows};
}

void bw_grid_copy(struct bw_grid *to, struct bw_rect rect, const struct bw_grid *from, int first)
{
	int rows = least(least(rect.rows, from->rows - first), to->rows - rect.y);
	int columns = least(least(rect.columns, from->columns), to->columns - rect.x);
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < columns; x++)
			*bw_grid_at(to, rect.x + x, rect.y + y) = *bw_grid_at(from, x, first + y);
}

void bw_grid_pan(struct bw_grid *to, struct bw_rect rect, const struct bw_grid *from, int first, int margin,
		 int pan)
{
	int rows = least(least(rect.rows, from->rows - first), to->rows - rect.y),
	    columns = least(least(rect.columns, from->columns - pan), to->columns - rect.x);
	for (int y = 0; y < rows; y++)
		for (int x = margin; x < columns; x++)
			*bw_grid_at(to, rect.x + x, rect.y + y) = *bw_grid_at(from, x + pan, first + y);
}

void bw_grid_wipe(struct bw_grid *grid, struct bw_rect rect)
{
	for (int y = rect.y; y < least(rect.y + rect.rows, grid->rows); y++)
		for (int x = rect.x; x < least(rect.x + rect.columns, grid->columns); x++)
			*bw_grid_at(grid, x, y) = blank;
}

void bw_grid_flag(struct bw_grid *grid, struct bw_rect rect, int row, int flags)
{
	if (row < 0 || row >= rect.rows || rect.y + row >= grid->rows)
		return;
	int right = least(rect.x + rect.columns, grid->columns);
	for (int x = rect.x; x < right; x++)
		bw_grid_at(grid, x, rect.y + row)->flags |= (uint8_t)flags;
}

struct bw_pen bw_pen_at(struct bw_grid *grid, struct bw_rect rect, int row)
{
	struct bw_pen pen = {grid, rect.x, rect.y + row, rect.x, least(rect.x + rect.columns, grid->columns)};
	if (row < 0 || row >= rect.rows || pen.y >= grid->rows || pen.y < 0 || rect.x < 0)
		pen.right = pen.left = pen.x = 0;
	return pen;
}

int bw_pen_left(const struct bw_pen *pen)
{
	return at_least_0(pen->right - pen->x);
}

static void put(struct bw_pen *pen, uint32_t glyph, int width, enum bw_style style)
{
	struct bw_cell *cell = bw_grid_at(pen->grid, pen->x, pen->y);
	cell[0] = (struct bw_cell){glyph, (uint8_t)style, cell->flags};
	if (width == 2)
		cell[1] = (struct bw_cell){0, (uint8_t)style, cell[1].flags};
	pen->x += width;
}

static uint32_t cut_mark(const struct bw_grid *grid)
{
	return bw_glyph_printable(0x2026, grid->ascii);
}

/* Marks cut text in the last cell before `right`, but not in half of a wide character. */
static void mark_cut(struct bw_pen *pen, enum bw_style style)
{
	int x = pen->right - 1;
	if (x < pen->left)
		return;
	struct bw_cell *cell = bw_grid_at(pen->grid, x, pen->y);
	if (cell->glyph == 0 && x > pen->left)
		cell[-1].glyph = ' ';
	cell->glyph = cut_mark(pen->grid);
	cell->style = (uint8_t)style;
	pen->x = pen->right;
}

void bw_pen_puts(struct bw_pen *pen, enum bw_style style, const char *text)
{
	for (uint32_t glyph; (glyph = bw_glyph_next(&text));) {
		uint32_t shown = bw_glyph_printable(glyph, pen->grid->ascii);
		int width = shown == glyph ? bw_glyph_width(glyph) : 1;
		if (width == 0)
			continue;
		if (pen->x + width > pen->right) {
			if (glyph != ' ' || text[strspn(text, " ")])
				mark_cut(pen, style);
			return;
		}
		put(pen, shown, width, style);
	}
}

void bw_pen_printf(struct bw_pen *pen, enum bw_style style, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	bw_pen_puts(pen, style, text);
}

void bw_pen_to(struct bw_pen *pen, int column)
{
	if (pen->x > pen->left && pen->x >= pen->left + column)
		bw_pen_puts(pen, BW_STYLE_NORMAL, " ");
	else if (pen->x < pen->left + column)
		pen->x = least(pen->left + column, pen->right);
}

void bw_pen_right(struct bw_pen *pen, int column, enum bw_style style, const char *format, ...)
{
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	int begin = pen->left + column - bw_glyph_columns(text);
	if (pen->x < begin)
		pen->x = least(begin, pen->right);
	else if (*text && pen->x > pen->left && bw_grid_at(pen->grid, pen->x - 1, pen->y)->glyph != ' ')
		bw_pen_puts(pen, style, " ");
	bw_pen_puts(pen, style, text);
}

void bw_pen_field(struct bw_pen *pen, int columns, enum bw_style style, const char *text)
{
	struct bw_pen field = *pen;
	field.left = pen->x;
	field.right = least(pen->x + at_least_0(columns), pen->right);
	bw_pen_puts(&field, style, text);
	pen->x = least(pen->x + at_least_0(columns), pen->right);
}

void bw_pen_bar(struct bw_pen *pen, int columns, enum bw_style style, double share)
{
	share = !(share > 0) ? 0 : share > 1 ? 1 : share;
	int eighths = (int)(share * columns * 8 + 0.5);
	if (share > 0 && eighths == 0)
		eighths = 1;
	for (int left = eighths; left > 0 && pen->x < pen->right; left -= 8)
		put(pen, bw_glyph_printable(left >= 8 ? 0x2588u : 0x2590u - (uint32_t)left, pen->grid->ascii), 1, style);
}

void bw_pen_rule(struct bw_pen *pen, enum bw_style style)
{
	while (pen->x < pen->right)
		put(pen, bw_glyph_printable(0x2500, pen->grid->ascii), 1, style);
}

/* A grid as text and as SVG, for screenshots and tests. */

static void append_glyph(struct bw_text *out, uint32_t glyph)
{
	char bytes[5];
	bw_text_append(out, bytes, (size_t)bw_glyph_utf8(glyph, bytes));
}

static int row_length(const struct bw_grid *grid, int y)
{
	int columns = grid->columns;
	while (columns && bw_grid_at(grid, columns - 1, y)->glyph == ' ')
		columns--;
	return columns;
}

void bw_grid_text(const struct bw_grid *grid, struct bw_text *out)
{
	for (int y = 0; y < grid->rows; y++) {
		for (int x = 0, n = row_length(grid, y); x < n; x++)
			if (bw_grid_at(grid, x, y)->glyph)
				append_glyph(out, bw_grid_at(grid, x, y)->glyph);
		bw_text_puts(out, "\n");
	}
}

/* Size of a cell in SVG units. */
enum { CELL_WIDTH = 9, CELL_HEIGHT = 19, BASELINE = 14, MARGIN = 12 };

static void append_escaped(struct bw_text *out, uint32_t glyph)
{
	if (glyph == '&')
		bw_text_puts(out, "&amp;");
	else if (glyph == '<')
		bw_text_puts(out, "&lt;");
	else if (glyph)
		append_glyph(out, glyph);
}

static const char *background(int flags)
{
	return flags & BW_CELL_SELECTED ? "#34507a" : "#262b36";
}

/* Returns the number of cells from x on that have equal text style (with_text) or equal background. */
static int run_length(const struct bw_grid *grid, int x, int y, bool with_text)
{
	const struct bw_cell *first = bw_grid_at(grid, x, y);
	int n = 1;
	while (x + n < grid->columns &&
	       (with_text ? first[n].style == first->style : first[n].flags == first->flags))
		n++;
	return n;
}

static void svg_backgrounds(const struct bw_grid *grid, int y, struct bw_text *out)
{
	for (int x = 0, n; x < grid->columns; x += n) {
		n = run_length(grid, x, y, false);
		int flags = bw_grid_at(grid, x, y)->flags;
		if (flags)
			bw_text_printf(out,
				       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
				       MARGIN + x * CELL_WIDTH, MARGIN + y * CELL_HEIGHT, n * CELL_WIDTH,
				       CELL_HEIGHT, background(flags));
	}
}

/* Appends one run of cells of one style, without the blanks around its words. */
static void svg_run(const struct bw_grid *grid, int x, int y, int n, struct bw_text *out)
{
	const struct bw_cell *cells = bw_grid_at(grid, x, y);
	int first = 0;
	while (first < n && cells[first].glyph == ' ')
		first++;
	while (n > first && cells[n - 1].glyph == ' ')
		n--;
	if (first == n)
		return;
	const struct bw_look *look = bw_style_look(cells->style);
	bw_text_printf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"%s\"%s xml:space=\"preserve\">",
		       MARGIN + (x + first) * CELL_WIDTH, MARGIN + y * CELL_HEIGHT + BASELINE,
		       (n - first) * CELL_WIDTH, look->svg,
		       look->attributes & BW_BOLD ? " font-weight=\"bold\"" : "");
	for (int i = first; i < n; i++)
		append_escaped(out, cells[i].glyph);
	bw_text_puts(out, "</text>\n");
}

void bw_grid_svg(const struct bw_grid *grid, struct bw_text *out)
{
	int width = grid->columns * CELL_WIDTH + 2 * MARGIN, height = grid->rows * CELL_HEIGHT + 2 * MARGIN;
	bw_text_printf(
	    out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
	    width, height, width, height);
	bw_text_printf(out, "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#15181e\"/>\n", width, height);
	bw_text_puts(
	    out,
	    "<g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"15\">\n");
	for (int y = 0; y < grid->rows; y++) {
		svg_backgrounds(grid, y, out);
		for (int x = 0, n; x < grid->columns; x += n) {
			n = run_length(grid, x, y, true);
			svg_run(grid, x, y, n, out);
		}
	}
	bw_text_puts(out, "</g>\n</svg>\n");
}

static const struct bw_look looks[] = {
#define X(name, colour256, lit256, colour16, attributes, svg) \
	{#name, colour256, lit256, colour16, attributes, svg},
    BW_STYLE_TABLE(X)
#undef X
};

const struct bw_look *bw_style_look(enum bw_style style)
{
	return &looks[style];
}

enum bw_style bw_style_heat(double share)
{
	static const double bounds[] = {0.10, 0.25, 0.40, 0.60};
	int heat = 0;
	while (heat < 4 && share >= bounds[heat])
		heat++;
	return BW_STYLE_HEAT_1 + heat;
}
