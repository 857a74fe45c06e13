#include "ui/screen.h"

/* Sizes that the screen must have at least for more parts to be shown. */
enum {
	TWO_COLUMNS = 72, /* columns for two panes side by side */
	THREE_COLUMNS = 150,
	HEADER_ROWS = 3,
	DETAIL_FROM = 26, /* rows of the screen for the lines about the selected Func */
	PANE_ROWS = 7,    /* least rows of a pane in a stack */
	GAP = 2,          /* columns between panes */
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int between(int low, int value, int high)
{
	return value < low ? low : value > high ? high : value;
}

static struct bw_rect take_top(struct bw_rect *rect, int rows)
{
	rows = between(0, rows, rect->rows);
	struct bw_rect top = {rect->x, rect->y, rect->columns, rows};
	rect->y += rows;
	rect->rows -= rows;
	return top;
}

static struct bw_rect take_bottom(struct bw_rect *rect, int rows)
{
	rows = between(0, rows, rect->rows);
	rect->rows -= rows;
	return (struct bw_rect){rect->x, rect->y + rect->rows, rect->columns, rows};
}

static struct bw_rect take_left(struct bw_rect *rect, int columns)
{
	struct bw_rect left = {rect->x, rect->y, columns, rect->rows};
	rect->x += columns + GAP;
	rect->columns -= columns + GAP;
	return left;
}

/* Lays out one column of one or two panes. If both fit, the upper one gets `share` percent; else the
 * focused one gets all rows. */
static void stack(struct bw_layout *layout, struct bw_rect column, const enum bw_sheet_id pair[2],
		  enum bw_sheet_id focus, int share)
{
	if (column.rows < 2 * PANE_ROWS) {
		layout->panes[focus == pair[1] ? pair[1] : pair[0]] = column;
		return;
	}
	int upper = between(PANE_ROWS, column.rows * share / 100, column.rows - PANE_ROWS);
	layout->panes[pair[0]] = take_top(&column, upper);
	layout->panes[pair[1]] = column;
}

/* Lays out a narrow screen: stacks as many panes as fit, in the order of Tab, always including the
 * focused one. */
static void one_column(struct bw_layout *layout, struct bw_rect body, enum bw_sheet_id focus)
{
	int n = between(1, body.rows / PANE_ROWS, BW_N_PANES);
	int first = between(0, (int)focus - (n > 1), BW_N_PANES - n);
	for (int i = 0; i < n; i++)
		layout->panes[first + i] = take_top(&body, body.rows / (n - i));
}

static void place_panes(struct bw_layout *layout, enum bw_sheet_id focus)
{
	static const enum bw_sheet_id left[] = {BW_SHEET_BEAM, BW_SHEET_STAGES},
				      right[] = {BW_SHEET_NEST, BW_SHEET_OPTIONS};
	struct bw_rect body = layout->body;
	if (body.rows <= 0)
		return;
	if (body.columns < TWO_COLUMNS) {
		one_column(layout, body, focus);
		return;
	}
	bool three = body.columns >= THREE_COLUMNS;
	struct bw_rect column = take_left(&body, three ? between(46, body.columns * 26 / 100, 60)
						       : between(34, body.columns * 37 / 100, 56));
	stack(layout, column, left, focus, 45);
	if (!three) {
		stack(layout, body, right, focus, 50);
		return;
	}
	layout->panes[BW_SHEET_NEST] = take_left(&body, (body.columns - GAP) / 2);
	layout->panes[BW_SHEET_OPTIONS] = body;
}

struct bw_layout bw_layout_make(int columns, int rows, enum bw_sheet_id focus, int band_rows,
				int message_rows)
{
	struct bw_layout layout = {.body = {0, 0, columns < 0 ? 0 : columns, rows < 0 ? 0 : rows}};
	bool low = rows < 10;
	layout.keys = take_bottom(&layout.body, rows >= 2);
	layout.message = take_bottom(&layout.body, rows < 6 ? 0 : least(1 + message_rows, 1 + rows / 6));
	layout.band = take_bottom(&layout.body, least(band_rows, rows / 2));
	layout.header = take_top(&layout.body, low ? rows >= 4 : HEADER_ROWS);
	layout.detail = take_bottom(&layout.body, rows >= DETAIL_FROM ? 2 : 0);
	place_panes(&layout, focus);
	return layout;
}

/* Of two panes, one above the other, gives the unused rows of one to the other. */
static void share(struct bw_rect *upper, struct bw_rect *lower, int upper_rows, int lower_rows)
{
	if (!upper_rows || !lower_rows || upper->rows <= 0 || lower->rows <= 0 || upper->x != lower->x ||
	    upper->y + upper->rows != lower->y)
		return;
	int spare = lower->rows - lower_rows, missing = upper_rows - upper->rows, moved = least(spare, missing);
	if (moved <= 0 && (moved = -least(upper->rows - upper_rows, lower_rows - lower->rows)) >= 0)
		return;
	upper->rows += moved;
	lower->y += moved;
	lower->rows -= moved;
}

void bw_layout_share(struct bw_layout *layout, const int needs[BW_N_PANES])
{
	share(&layout->panes[BW_SHEET_BEAM], &layout->panes[BW_SHEET_STAGES], needs[BW_SHEET_BEAM],
	      needs[BW_SHEET_STAGES]);
	share(&layout->panes[BW_SHEET_NEST], &layout->panes[BW_SHEET_OPTIONS], needs[BW_SHEET_NEST],
	      needs[BW_SHEET_OPTIONS]);
}

void bw_layout_alone(struct bw_layout *layout, enum bw_sheet_id focus)
{
	for (int pane = 0; pane < BW_N_PANES; pane++)
		layout->panes[pane].rows = 0;
	layout->panes[focus] = layout->body;
}

void bw_layout_share_columns(struct bw_layout *layout, int nest, int options)
{
	enum { LEAST = 36 };
	struct bw_rect *left = &layout->panes[BW_SHEET_NEST], *right = &layout->panes[BW_SHEET_OPTIONS];
	if (!nest || !options || left->rows <= 0 || right->rows <= 0 || left->y != right->y || left->x >= right->x)
		return;
	nest = nest < LEAST ? LEAST : nest;
	options = options < LEAST ? LEAST : options;
	int moved = least(right->columns - options, nest - left->columns);
	if (moved <= 0 && (moved = nest - left->columns) >= 0)
		return;
	left->columns += moved;
	right->x += moved;
	right->columns -= moved;
}

enum bw_sheet_id bw_layout_pane_at(const struct bw_layout *layout, int x, int y)
{
	for (int pane = 0; pane < BW_N_PANES; pane++) {
		const struct bw_rect *rect = &layout->panes[pane];
		if (x >= rect->x && x < rect->x + rect->columns && y >= rect->y && y < rect->y + rect->rows)
			return pane;
	}
	return BW_N_PANES;
}
