#include "ui/picture.h"

#include <stdlib.h>

#include "ui/glyph.h"

/* The sides to which a line in a cell extends, as bits. */
enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8 };

/* Box-drawing characters, indexed by the sides to which their lines extend. */
static const uint32_t joints[16] = {
    [UP | DOWN] = 0x2502,
    [LEFT | RIGHT] = 0x2500,
    [DOWN | RIGHT] = 0x250c,
    [DOWN | LEFT] = 0x2510,
    [UP | RIGHT] = 0x2514,
    [UP | LEFT] = 0x2518,
    [UP | DOWN | RIGHT] = 0x251c,
    [UP | DOWN | LEFT] = 0x2524,
    [DOWN | LEFT | RIGHT] = 0x252c,
    [UP | LEFT | RIGHT] = 0x2534,
    [UP | DOWN | LEFT | RIGHT] = 0x253c,
    [UP] = 0x2502,
    [DOWN] = 0x2502,
    [LEFT] = 0x2500,
    [RIGHT] = 0x2500,
};

struct bw_canvas bw_canvas_new(int columns, int rows, struct bw_arena *arena)
{
	struct bw_canvas canvas = {.columns = columns < 0 ? 0 : columns, .rows = rows < 0 ? 0 : rows};
	int n = canvas.columns * canvas.rows;
	canvas.cells = BW_ARENA_ARRAY(arena, struct bw_cell, n + 1);
	canvas.dots = BW_ARENA_ARRAY(arena, uint8_t, n + 1);
	canvas.ends = BW_ARENA_ARRAY(arena, uint8_t, n + 1);
	canvas.kept = BW_ARENA_ARRAY(arena, bool, n + 1);
	for (int i = 0; i < n; i++) {
		canvas.cells[i] = (struct bw_cell){' ', BW_STYLE_NORMAL, 0};
		canvas.dots[i] = canvas.ends[i] = canvas.kept[i] = 0;
	}
	return canvas;
}

/* Returns the index of a cell, or -1 outside of the canvas. */
static int cell_at(const struct bw_canvas *canvas, int x, int y)
{
	return x < 0 || y < 0 || x >= canvas->columns || y >= canvas->rows ? -1 : y * canvas->columns + x;
}

void bw_canvas_put(struct bw_canvas *canvas, int x, int y, enum bw_style style, uint32_t glyph)
{
	int i = cell_at(canvas, x, y);
	if (i < 0)
		return;
	canvas->cells[i] = (struct bw_cell){glyph, (uint8_t)style, 0};
	canvas->dots[i] = canvas->ends[i] = 0;
}

void bw_canvas_text(struct bw_canvas *canvas, int x, int y, int right, enum bw_style style, const char *text)
{
	for (uint32_t glyph; x < right && (glyph = bw_glyph_next(&text)); x++)
		bw_canvas_put(canvas, x, y, style, bw_glyph_width(glyph) == 1 ? glyph : '?');
}

void bw_canvas_shade(struct bw_canvas *canvas, struct bw_rect rect, enum bw_style style, enum bw_shade shade)
{
	static const uint32_t glyphs[BW_N_SHADES] = {BW_SHADE_TABLE(BW_SECOND)};
	for (int y = rect.y; y < rect.y + rect.rows; y++)
		for (int x = rect.x; x < rect.x + rect.columns; x++)
			bw_canvas_put(canvas, x, y, style, glyphs[shade]);
}

/* Extends the lines of a cell to further sides. */
static void join(struct bw_canvas *canvas, int x, int y, int ends, enum bw_style style)
{
	int i = cell_at(canvas, x, y);
	if (i < 0)
		return;
	ends |= canvas->ends[i];
	if (!ends)
		return;
	bw_canvas_put(canvas, x, y, style, joints[ends]);
	canvas->ends[i] = (uint8_t)ends;
}

static void canvas_across(struct bw_canvas *canvas, int x, int to, int y, enum bw_style style)
{
	for (int at = x; at <= to; at++)
		join(canvas, at, y, (at > x ? LEFT : 0) | (at < to ? RIGHT : 0), style);
}

void bw_canvas_down(struct bw_canvas *canvas, int x, int y, int to, enum bw_style style)
{
	for (int at = y; at <= to; at++)
		join(canvas, x, at, (at > y ? UP : 0) | (at < to ? DOWN : 0), style);
}

void bw_canvas_box(struct bw_canvas *canvas, struct bw_rect rect, enum bw_style style)
{
	if (rect.columns < 2 || rect.rows < 2)
		return;
	int right = rect.x + rect.columns - 1, bottom = rect.y + rect.rows - 1;
	canvas_across(canvas, rect.x, right, rect.y, style);
	canvas_across(canvas, rect.x, right, bottom, style);
	bw_canvas_down(canvas, rect.x, rect.y, bottom, style);
	bw_canvas_down(canvas, right, rect.y, bottom, style);
}

void bw_canvas_keep(struct bw_canvas *canvas, int x, int y, int columns)
{
	for (int i = x; i < x + columns; i++)
		if (cell_at(canvas, i, y) >= 0)
			canvas->kept[cell_at(canvas, i, y)] = true;
}

bool bw_canvas_is_kept(const struct bw_canvas *canvas, int x, int y, int columns)
{
	bool is = false;
	for (int i = x; i < x + columns; i++)
		is |= cell_at(canvas, i, y) >= 0 && canvas->kept[cell_at(canvas, i, y)];
	return is;
}

void bw_canvas_dot(struct bw_canvas *canvas, int x, int y, enum bw_style style)
{
	/* Braille dots 1, 2, 3 and 7 are in the left column, 4, 5, 6 and 8 in the right one. */
	static const uint8_t bits[BW_CANVAS_DOTS_Y][BW_CANVAS_DOTS_X] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
	int i = x < 0 || y < 0 ? -1 : cell_at(canvas, x / BW_CANVAS_DOTS_X, y / BW_CANVAS_DOTS_Y);
	if (i < 0 || canvas->kept[i] || (canvas->cells[i].glyph != ' ' && !canvas->dots[i]))
		return;
	canvas->dots[i] |= bits[y % BW_CANVAS_DOTS_Y][x % BW_CANVAS_DOTS_X];
	canvas->cells[i] = (struct bw_cell){0x2800u + canvas->dots[i], (uint8_t)style, 0};
}

/* Draws a line with the algorithm of Bresenham (1965). */
void bw_canvas_line(struct bw_canvas *canvas, int x0, int y0, int x1, int y1, enum bw_style style,
		    bool dashed)
{
	int dx = abs(x1 - x0), dy = -abs(y1 - y0), sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1, error = dx + dy;
	for (int i = 0;; i++) {
		if (!dashed || i % 8 < 4)
			bw_canvas_dot(canvas, x0, y0, style);
		if (x0 == x1 && y0 == y1)
			return;
		int twice = 2 * error;
		if (twice >= dy) {
			error += dy;
			x0 += sx;
		}
		if (twice <= dx) {
			error += dx;
			y0 += sy;
		}
	}
}

void bw_canvas_write(const struct bw_canvas *canvas, int y, struct bw_pen *pen)
{
	for (int x = 0; x < canvas->columns && y < canvas->rows; x++) {
		char text[5];
		const struct bw_cell *cell = &canvas->cells[y * canvas->columns + x];
		bw_glyph_utf8(cell->glyph, text);
		bw_pen_puts(pen, (enum bw_style)cell->style, text);
	}
}
