/* A grid as text and as SVG, for screenshots and tests. */
#include "base/text.h"
#include "ui/glyph.h"
#include "ui/grid.h"

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

/* Returns the number of cells from x on with the same letters' style (with_text) or the same background. */
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
