#include "ui/picture.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "ui/glyph.h"

/* The picture's part of the canvas: cells within the axes. */
struct frame {
	struct bw_canvas *canvas;
	const struct bw_picture *picture;
	int x, y, columns, rows;
	int right, bottom; /* exclusive ends */
	/* If edges are spread, for each direction: the coordinates at which boxes begin or end, and
	 * their cells. */
	struct edges {
		int n;
		double at[48];
		int cell[48];
	} edges[2];
	bool spare;     /* there is room for all boxes */
	uint8_t *lines; /* by cell: how many lines run through it */
};

static enum bw_style style_of(const struct bw_mark *mark)
{
	static const enum bw_style
	    styles[BW_N_TINTS] = {[BW_TINT_INK] = BW_STYLE_NORMAL,   [BW_TINT_SOFT] = BW_STYLE_DIM,
				  [BW_TINT_RULE] = BW_STYLE_RULE,    [BW_TINT_STRONG] = BW_STYLE_STRONG,
				  [BW_TINT_CHOSEN] = BW_STYLE_MARK,  [BW_TINT_GOOD] = BW_STYLE_KEPT,
				  [BW_TINT_WARM] = BW_STYLE_DROPPED, [BW_TINT_BAD] = BW_STYLE_PRUNED},
	    series[] = {BW_STYLE_MARK, BW_STYLE_KEY, BW_STYLE_KEPT, BW_STYLE_DROPPED, BW_STYLE_PRUNED};
	return mark->tint == BW_TINT_HEAT     ? bw_style_heat(mark->heat)
	       : mark->tint == BW_TINT_SERIES ? series[mark->series % (int)(sizeof series / sizeof *series)]
					      : styles[mark->tint];
}

static uint32_t glyph_of(const struct bw_mark *mark)
{
	static const uint32_t symbols[BW_N_SYMBOLS] = {BW_SYMBOL_TABLE(BW_SECOND)};
	const char *text = mark->text;
	return text ? bw_glyph_next(&text) : symbols[mark->symbol];
}

static void add_edge(struct edges *edges, double at)
{
	int i = 0, most = (int)(sizeof edges->at / sizeof *edges->at);
	while (i < edges->n && edges->at[i] < at - 1e-6)
		i++;
	if (edges->n == most || (i < edges->n && edges->at[i] < at + 1e-6))
		return;
	memmove(&edges->at[i + 1], &edges->at[i], (size_t)(edges->n - i) * sizeof *edges->at);
	edges->at[i] = at;
	edges->n++;
}

/* Assigns a cell to each edge: in proportion if there is room, and at least `least` cells after the edge
 * before. */
static void spread_edges(struct edges *edges, int cells, int least)
{
	if ((edges->n - 1) * least > cells - 1)
		least = 1;
	double length = edges->n ? edges->at[edges->n - 1] - edges->at[0] : 0,
	       spare = cells - 1 - (edges->n - 1) * least;
	for (int i = 0; i < edges->n; i++)
		edges->cell[i] =
		    i * least + (int)floor(spare > 0 && length > 0
					       ? spare * (edges->at[i] - edges->at[0]) / length + 0.5
					       : 0);
}

/* Returns the cell of a box edge, or of a position between edges. */
static int edge_cell(const struct frame *frame, int d, double at)
{
	const struct edges *edges = &frame->edges[d];
	int size = d ? frame->rows : frame->columns, first = d ? frame->y : frame->x, i = 0;
	if (!edges->n)
		return first + (int)floor(at * size + 0.5);
	while (i + 1 < edges->n && edges->at[i + 1] < at + 1e-6)
		i++;
	double part = i + 1 < edges->n ? fmax(at - edges->at[i], 0) / (edges->at[i + 1] - edges->at[i]) : 0;
	return first + edges->cell[i] +
	       (i + 1 < edges->n ? (int)(part * (edges->cell[i + 1] - edges->cell[i]) + 0.5) : 0);
}

/* Returns true if a tick lies inside the drawn part of the axis. */
static bool has_tick(const struct frame *frame, int d, double at)
{
	const struct edges *edges = &frame->edges[d];
	return !edges->n || (at > edges->at[0] - 1e-6 && at < edges->at[edges->n - 1] + 1e-6);
}

/* Returns the dot (row or column of dots) of a coordinate in a direction. */
static int dot_of(const struct frame *frame, int d, double at)
{
	int size = d ? BW_CANVAS_DOTS_Y : BW_CANVAS_DOTS_X, dots = (d ? frame->rows : frame->columns) * size,
	    dot = (int)floor(at * dots + 1e-9);
	if (frame->edges[d].n)
		return edge_cell(frame, d, at) * size + size / 2;
	return (d ? frame->y : frame->x) * size + (at <= 1 + 1e-9 && dot >= dots ? dots - 1 : dot);
}

/* Returns the cell of a coordinate, rounded down. */
static int cell_of(const struct frame *frame, int d, double at)
{
	return (int)floor((double)dot_of(frame, d, at) / (d ? BW_CANVAS_DOTS_Y : BW_CANVAS_DOTS_X));
}

/* Returns the cells of a box. If edges are spread, the cells at its right and bottom edge belong to it
 * if it is an outline, or a fill that would have no other cells. */
static struct bw_rect rect_of(const struct frame *frame, const struct bw_mark *mark)
{
	int spread = frame->edges[0].n > 0, x = edge_cell(frame, 0, mark->at[0]),
	    y = edge_cell(frame, 1, mark->at[1]);
	struct bw_rect rect = {x, y, edge_cell(frame, 0, mark->at[2]) - x,
			       edge_cell(frame, 1, mark->at[3]) - y};
	rect.columns += spread && (!mark->fill || rect.columns < 2);
	rect.rows += spread && (!mark->fill || rect.rows < 2);
	rect.columns = rect.columns < 1 ? 1 : rect.columns;
	rect.rows = rect.rows < 1 ? 1 : rect.rows;
	return rect;
}

/* Fills a bar upwards from the lower edge of the frame; its height is exact to an eighth of a cell. */
static void draw_bar(const struct frame *frame, const struct bw_mark *mark)
{
	struct bw_rect rect = rect_of(frame, mark);
	int left = (int)((1 - mark->at[1]) * frame->rows * 8 + 0.5);
	left = left ? left : 1;
	for (int row = 0; row < frame->rows && left > 0; row++, left -= 8)
		for (int x = rect.x; x < rect.x + rect.columns; x++)
			bw_canvas_put(frame->canvas, x, frame->y + frame->rows - 1 - row, style_of(mark),
				      left < 8                     ? 0x2580u + (uint32_t)left
				      : mark->fill == BW_FILL_FULL ? 0x2588u
								   : 0x2592u);
}

static void draw_box(const struct frame *frame, const struct bw_mark *mark)
{
	static const enum bw_shade shades[] = {BW_SHADE_NONE, BW_SHADE_LIGHT, BW_SHADE_DARK, BW_SHADE_FULL};
	struct bw_rect rect = rect_of(frame, mark);
	if (mark->fill >= BW_FILL_DARK && mark->at[3] >= 1 && !frame->picture->spread) {
		draw_bar(frame, mark);
		return;
	}
	if (mark->fill) {
		bw_canvas_shade(frame->canvas, rect, style_of(mark), shades[mark->fill]);
		return;
	}
	bw_canvas_box(frame->canvas, rect, style_of(mark));
}

/* Writes text into cells that dots leave free; if `wide`, one cell on both sides is left free, too. */
static void write_text(const struct frame *frame, const struct bw_mark *mark, const char *text, int x, int y,
		       int right, bool wide)
{
	bw_canvas_text(frame->canvas, x, y, right, style_of(mark), text);
	bw_canvas_keep(frame->canvas, x - wide, y, bw_glyph_columns(text) + 2 * wide);
}

/* Writes the text of a box on its upper or lower edge, unless the text of another box is already
 * there. */
static void name_box(const struct frame *frame, const struct bw_mark *mark)
{
	struct bw_rect rect = rect_of(frame, mark);
	char text[256];
	bw_glyph_shorten(mark->text, rect.columns - 4, text, sizeof text);
	for (int way = 0, columns = bw_glyph_columns(text); way < 2; way++) {
		bool upper = (mark->anchor != BW_ANCHOR_END) == (way == 0);
		int y = rect.y + (upper ? 0 : rect.rows - 1);
		if (!bw_canvas_is_kept(frame->canvas, rect.x + 2, y, columns)) {
			write_text(frame, mark, text, rect.x + 2, y, rect.x + rect.columns - 1, false);
			return;
		}
	}
}

static void draw_text(const struct frame *frame, const struct bw_mark *mark)
{
	int columns = bw_glyph_columns(mark->text), x = cell_of(frame, 0, mark->at[0]);
	x -= mark->anchor == BW_ANCHOR_END ? columns - 1 : mark->anchor == BW_ANCHOR_MIDDLE ? columns / 2 : 0;
	if (!frame->picture->columns)
		x = x + columns > frame->right ? frame->right - columns : x;
	write_text(frame, mark, mark->text, x, cell_of(frame, 1, mark->at[1]), frame->right, true);
}

/* Returns an end of the i-th piece of a line. */
static void point_of(const struct bw_mark *mark, int i, double out[2])
{
	out[0] = mark->n ? mark->path[i][0] : mark->at[2 * i];
	out[1] = mark->n ? mark->path[i][1] : mark->at[2 * i + 1];
}

/* Draws a line of dots, or, with `count`, increments `lines` for each cell that it runs through. */
static void draw_line(const struct frame *frame, const struct bw_mark *mark, bool count)
{
	struct bw_canvas seen = {0};
	if (count)
		seen = bw_canvas_new(frame->canvas->columns, frame->canvas->rows, frame->picture->arena);
	int n = mark->n ? mark->n : 2;
	for (int i = 0; i + 1 < n; i++) {
		double from[2], to[2];
		point_of(mark, i, from);
		point_of(mark, i + 1, to);
		bw_canvas_line(count ? &seen : frame->canvas, dot_of(frame, 0, from[0]),
			       dot_of(frame, 1, from[1]), dot_of(frame, 0, to[0]), dot_of(frame, 1, to[1]),
			       style_of(mark), mark->dashed);
	}
	for (int i = 0; count && i < seen.columns * seen.rows; i++)
		frame->lines[i] = (uint8_t)(frame->lines[i] + (seen.dots[i] != 0));
}

/* Shades the area within a path with sparse dots, column by column, so that lines stay visible. */
static void draw_area(const struct frame *frame, const struct bw_mark *mark)
{
	for (int x = frame->x * BW_CANVAS_DOTS_X; x < (frame->x + frame->columns) * BW_CANVAS_DOTS_X; x++) {
		double at = ((double)x + 0.5 - frame->x * BW_CANVAS_DOTS_X) /
			    (frame->columns * BW_CANVAS_DOTS_X),
		       low = INFINITY, high = -INFINITY;
		for (int i = 0; i < mark->n; i++) {
			const double *a = mark->path[i], *b = mark->path[(i + 1) % mark->n];
			if ((a[0] <= at) == (b[0] <= at))
				continue;
			double y = a[1] + (b[1] - a[1]) * (at - a[0]) / (b[0] - a[0]);
			low = fmin(low, y);
			high = fmax(high, y);
		}
		if (!(low <= high))
			continue;
		for (int y = dot_of(frame, 1, fmax(low, 0)); y <= dot_of(frame, 1, fmin(high, 1)); y++)
			if (x % 2 == 0 && y % 4 == x % 4)
				bw_canvas_dot(frame->canvas, x, y, style_of(mark));
	}
}

/* Returns true if a text fits at a place: no letters or other text in its cells and in one cell on
 * either side, and at most `lines` lines through each of its cells. */
static bool has_room(const struct frame *frame, int x, int y, int columns, int lines)
{
	const struct bw_canvas *canvas = frame->canvas;
	bool room = x >= frame->x && x + columns <= frame->right && y >= 0 && y < frame->y + frame->rows;
	for (int i = x - 1; room && i <= x + columns; i++) {
		int at = y * canvas->columns + i;
		bool inside = i >= 0 && i < canvas->columns, text = inside && canvas->cells[at].glyph != ' ';
		room = !inside || (!text && !canvas->kept[at] &&
				   (i < x || i == x + columns || frame->lines[at] <= lines));
	}
	return room;
}

/* Writes the name of a line near the line. If possible the name covers no line; else it covers only its
 * own line; else it may cover any. */
static void name_line(const struct frame *frame, const struct bw_mark *mark)
{
	enum { STEPS = 48 };
	double from[2], to[2];
	point_of(mark, 0, from);
	point_of(mark, mark->n ? mark->n - 1 : 1, to);
	for (int way = 0; way < 6; way++) {
		const char *text = way % 2 && mark->brief ? mark->brief : mark->text;
		int columns = bw_glyph_columns(text);
		for (int i = 1; i <= STEPS; i++) {
			double part = (double)i / STEPS;
			int x = cell_of(frame, 0, from[0] + part * (to[0] - from[0])),
			    y = cell_of(frame, 1, from[1] + part * (to[1] - from[1]));
			const int places[][2] = {{x - columns - 1, y - 1}, {x + 2, y},
						 {x + 2, y + 1},           {x - columns - 1, y},
						 {x - columns / 2, y - 1}, {x - columns / 2, y + 1}};
			for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
				if (!has_room(frame, places[p][0], places[p][1], columns,
					      way < 2   ? 0
					      : way < 4 ? 1
							: 9))
					continue;
				write_text(frame, mark, text, places[p][0], places[p][1], frame->right, true);
				return;
			}
		}
	}
}

/* Draws the horizontal axis: a line, with the tick labels and the axis title written into it. */
static void draw_x(const struct frame *frame)
{
	const struct bw_axis *axis = &frame->picture->x;
	int y = frame->y + frame->rows, title = axis->title ? bw_glyph_columns(axis->title) + 1 : 0,
	    end = frame->x - 2, right = frame->right - title, covered = 0;
	for (int x = frame->x - 1; x < frame->right; x++)
		bw_canvas_put(frame->canvas, x, y, BW_STYLE_DIM,
			      x >= frame->x || !frame->picture->y.n ? 0x2500 : 0x2514);
	for (int i = 0; i < axis->n; i++)
		covered += cell_of(frame, 0, axis->ticks[i].at) >= right;
	if (title && right > frame->x + title && 4 * covered <= axis->n)
		bw_canvas_text(frame->canvas, right, y, frame->right, BW_STYLE_DIM,
			       bw_arena_format(frame->picture->arena, " %s", axis->title));
	else
		right = frame->right;
	for (int i = 0; i < axis->n; i++) {
		int columns = bw_glyph_columns(axis->ticks[i].label),
		    x = cell_of(frame, 0, axis->ticks[i].at) - (columns - 1) / 2;
		x = x + columns > frame->right ? frame->right - columns : x < frame->x ? frame->x : x;
		if (x <= end || x + columns > right || !has_tick(frame, 0, axis->ticks[i].at))
			continue;
		end = x + columns;
		if (frame->canvas->cells[y * frame->canvas->columns + x - 1].glyph == 0x2500)
			bw_canvas_put(frame->canvas, x - 1, y, BW_STYLE_DIM, ' ');
		bw_canvas_text(frame->canvas, x, y, end, BW_STYLE_DIM, axis->ticks[i].label);
		bw_canvas_put(frame->canvas, end, y, BW_STYLE_DIM, ' ');
	}
}

/* Draws the vertical axis: a line, with the tick labels at its left. */
static void draw_y(const struct frame *frame, int left)
{
	const struct bw_axis *axis = &frame->picture->y;
	int taken = axis->up ? INT_MAX : -1;
	for (int y = frame->y; y < frame->y + frame->rows; y++)
		bw_canvas_put(frame->canvas, frame->x - 1, y, BW_STYLE_DIM, 0x2502);
	for (int i = 0; i < axis->n; i++) {
		int columns = bw_glyph_columns(axis->ticks[i].label),
		    y = cell_of(frame, 1, axis->ticks[i].at);
		if ((axis->up ? y >= taken : y <= taken) || !has_tick(frame, 1, axis->ticks[i].at))
			continue;
		taken = y;
		bw_canvas_put(frame->canvas, frame->x - 1, y, BW_STYLE_DIM, 0x2524);
		bw_canvas_text(frame->canvas, frame->x - 1 - columns, y, frame->x - 1, BW_STYLE_DIM,
			       axis->ticks[i].label);
	}
	if (axis->title)
		bw_canvas_text(frame->canvas, left, frame->y - 1, frame->right, BW_STYLE_DIM, axis->title);
}

static struct frame frame_of(struct bw_canvas *canvas, struct bw_rect rect, const struct bw_picture *picture,
			     int x, int y)
{
	struct frame frame = {canvas,
			      picture,
			      rect.x,
			      rect.y,
			      rect.columns,
			      rect.rows,
			      rect.x + rect.columns,
			      rect.y + rect.rows,
			      .edges = {{0}}};
	int label = 0;
	for (int i = 0; i < picture->y.n; i++) {
		int columns = bw_glyph_columns(picture->y.ticks[i].label);
		label = columns > label ? columns : label;
	}
	int left = picture->y.n ? label + 1 : 0, top = picture->y.n && picture->y.title;
	frame.x += left;
	frame.y += top;
	frame.columns -= left;
	frame.rows -= top + (picture->x.n > 0);
	if (picture->columns)
		frame =
		    (struct frame){canvas,        picture,     rect.x + x,   rect.y + y,    picture->columns,
				   picture->rows, frame.right, frame.bottom, .edges = {{0}}};
	for (int way = 0; way < 2 && picture->spread && !frame.spare; way++) {
		frame.edges[0].n = frame.edges[1].n = 0;
		for (int i = 0; i < picture->n; i++)
			for (int k = 0; k < 4 && (picture->marks[i].kind == BW_MARK_BOX ||
						  (way == 0 && picture->marks[i].kind == BW_MARK_LINE && !picture->marks[i].n)); k++)
				if (way == 0 || !picture->marks[i].spare)
					add_edge(&frame.edges[k % 2], picture->marks[i].at[k]);
		frame.spare = way == 0 && frame.edges[0].n <= frame.columns && frame.edges[1].n <= frame.rows;
	}
	spread_edges(&frame.edges[0], frame.columns, 3);
	spread_edges(&frame.edges[1], frame.rows, 1);
	size_t cells = (size_t)canvas->columns * (size_t)canvas->rows;
	frame.lines = BW_ARENA_ARRAY(picture->arena, uint8_t, cells + 1);
	return frame;
}

void bw_canvas_picture(struct bw_canvas *canvas, struct bw_rect rect, const struct bw_picture *picture, int x,
		       int y)
{
	struct frame frame = frame_of(canvas, rect, picture, x, y);
	if (frame.columns < 1 || frame.rows < 1)
		return;
	if (picture->y.n)
		draw_y(&frame, rect.x);
	if (picture->x.n)
		draw_x(&frame);
	bool named = false;
	for (int i = 0; i < picture->n; i++)
		named |= picture->marks[i].kind == BW_MARK_LINE && picture->marks[i].text;
	/* Names of lines avoid all that is drawn before them; lines avoid all text. */
	for (int kind = 0; kind < 6; kind++)
		for (int i = 0; i < picture->n; i++) {
			const struct bw_mark *mark = &picture->marks[kind == 1 ? picture->n - 1 - i : i];
			if (mark->fine || (mark->spare && !frame.spare))
				continue;
			if (kind == 0 && mark->kind == BW_MARK_BOX)
				draw_box(&frame, mark);
			if (kind == 1 && mark->kind == BW_MARK_BOX && mark->text)
				name_box(&frame, mark);
			if (kind == (mark->text ? 2 : 0) && mark->kind == BW_MARK_DOT && glyph_of(mark))
				bw_canvas_put(canvas, cell_of(&frame, 0, mark->at[0]),
					      cell_of(&frame, 1, mark->at[1]), style_of(mark),
					      glyph_of(mark));
			if (kind == 2 && mark->kind == BW_MARK_TEXT)
				draw_text(&frame, mark);
			if (((kind == 3 && named) || kind == 5) && mark->kind == BW_MARK_LINE)
				draw_line(&frame, mark, kind == 3);
			if (kind == 4 && mark->kind == BW_MARK_LINE && mark->text)
				name_line(&frame, mark);
			if (kind == 5 && mark->kind == BW_MARK_AREA)
				draw_area(&frame, mark);
			if (kind == 5 && mark->kind == BW_MARK_DOT && !glyph_of(mark))
				bw_canvas_dot(canvas, dot_of(&frame, 0, mark->at[0]),
					      dot_of(&frame, 1, mark->at[1]), style_of(mark));
		}
}

/* Writes the legend of a picture's symbols, as much of it as fits. */
static void legend_write(struct bw_pen *pen, const struct bw_picture *picture)
{
	static const uint32_t fills[] = {0x250c, 0x2591, 0x2593, 0x2588};
	for (int i = 0; i < picture->n_legend; i++) {
		const struct bw_legend_row *legend = &picture->legend[i];
		const struct bw_mark *mark = &legend->mark;
		char symbol[5];
		uint32_t glyph = mark->kind == BW_MARK_BOX                     ? fills[mark->fill]
				 : mark->kind == BW_MARK_DOT && glyph_of(mark) ? glyph_of(mark)
				 : mark->kind == BW_MARK_LINE                  ? 0x2812u
									       : 0x2802u;
		if (bw_pen_left(pen) < 4 + bw_glyph_columns(legend->words))
			return;
		bw_glyph_utf8(glyph, symbol);
		bw_pen_printf(pen, BW_STYLE_NORMAL, "%s", i ? "  " : "");
		bw_pen_printf(pen, style_of(mark), "%s%s", symbol, mark->kind == BW_MARK_LINE ? symbol : "");
		bw_pen_printf(pen, BW_STYLE_DIM, " %s", legend->words);
	}
}

/* Draws the facts, and below them the second picture, into a separate sheet. */
static void fill_facts(struct bw_sheet *facts, struct bw_arena *arena, const struct bw_plate *plate, int rows)
{
	enum { LEAST = 5, MOST = 8 };
	facts->margin = 0;
	for (int i = 0; i < plate->n; i++)
		bw_sheet_wrap(facts, i ? BW_STYLE_NORMAL : BW_STYLE_STRONG, plate->lines[i]);
	int left = rows - facts->n_rows - 1;
	if (!plate->second || left < LEAST)
		return;
	struct bw_canvas canvas = bw_canvas_new(facts->grid.columns, left < MOST ? left : MOST, arena);
	bw_canvas_picture(&canvas, (struct bw_rect){0, 0, canvas.columns, canvas.rows}, plate->second, 0, 0);
	bw_sheet_plain(facts);
	for (int y = 0; y < canvas.rows; y++) {
		struct bw_pen pen = bw_sheet_plain(facts);
		bw_canvas_write(&canvas, y, &pen);
	}
}

void bw_plate_draw(struct bw_sheet *sheet, struct bw_arena *arena, const struct bw_plate *plate)
{
	enum { BESIDE = 72, ROWS_PRINTED = 20, LEAST_FACTS = 34, MOST_FACTS = 48, GAP = 2 };
	int width = sheet->grid.columns - sheet->margin, text = width * 2 / 5;
	text = text < LEAST_FACTS ? LEAST_FACTS : text > MOST_FACTS ? MOST_FACTS : text;
	bool beside = width >= BESIDE && plate->n > 0;
	int below = beside                    ? 0
		    : plate->below < plate->n ? plate->below
					      : plate->n,
	    legend = plate->picture->n_legend > 0,
	    rows = (sheet->to == INT_MAX ? ROWS_PRINTED : sheet->to) - plate->under - legend - below,
	    columns = beside ? width - text - GAP : width;
	struct bw_canvas canvas =
	    bw_canvas_new(plate->most && columns > plate->most ? plate->most : columns, rows, arena);
	BW_SCOPED_SHEET facts = bw_sheet_new(text, sheet->grid.ascii);
	bw_canvas_picture(&canvas, (struct bw_rect){0, 0, canvas.columns, canvas.rows}, plate->picture, 0, 0);
	fill_facts(&facts, arena, plate, rows + legend);
	for (int y = 0; y < rows + legend; y++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		struct bw_pen narrow = pen;
		narrow.right = beside && y < facts.n_rows ? pen.left + canvas.columns : pen.right;
		if (y < rows)
			bw_canvas_write(&canvas, y, &pen);
		else
			legend_write(&narrow, plate->picture);
		if (beside && y < facts.n_rows)
			bw_grid_copy(&sheet->grid,
				     (struct bw_rect){sheet->margin + canvas.columns + GAP, sheet->n_rows - 1,
						      text, 1},
				     &facts.grid, y);
	}
	for (int i = 0; i < below; i++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_NORMAL, plate->lines[i]);
	}
}
