/* A sheet: all rows of a pane, before they are cut to the pane's height. Each row names the item that
 * it shows, so that one set of functions scrolls, highlights and moves the selection in all views. */
#pragma once
#include "ui/grid.h"

/* The kind of item that a row selects. */
enum bw_row_kind {
	BW_ROW_PLAIN,
	BW_ROW_FUNC,
	BW_ROW_STATE,
	BW_ROW_OPTION,
	BW_ROW_GROUP,
	BW_ROW_DECISION,
	BW_ROW_POINT,
	BW_ROW_ALTERNATIVE,
	BW_ROW_CANDIDATE,
	BW_ROW_OPINION,
	BW_ROW_SAMPLE,
	BW_ROW_LINE,
	BW_ROW_VIEW
};

struct bw_row {
	enum bw_row_kind kind;
	int index; /* index of the Func, state (rank), option, group of options (option_list.h), decision, point of
		      the history, alternative, candidate of a walk, row of opinions, schedule of a tuning, line of
		      code, or view */
	bool again;   /* a further row of the item above: highlighted together with the item's first row,
			 skipped by the cursor */
	bool changed; /* changed since the last key */
};

struct bw_sheet {
	struct bw_grid grid; /* grows as rows are added */
	int n_rows;
	struct bw_row *rows;
	int capacity;
	int margin;   /* columns at the left for the marks */
	int from, to; /* visible rows, `to` exclusive; only these need text */
};

/* Returns an empty sheet, `columns` wide, with all rows visible. Free with bw_sheet_free. */
struct bw_sheet bw_sheet_new(int columns, bool ascii);
void bw_sheet_free(struct bw_sheet *sheet);
/* Declares a sheet that is freed when its block is left. */
#define BW_SCOPED_SHEET BW_SCOPED(bw_sheet_free) struct bw_sheet
/* Appends a row. The pen begins behind the margin, and is valid until the next row is added. */
struct bw_pen bw_sheet_row(struct bw_sheet *sheet, struct bw_row row);
struct bw_pen bw_sheet_plain(struct bw_sheet *sheet);
/* Returns true if the next row is visible: long lists write text only into visible rows. */
bool bw_sheet_wanted(const struct bw_sheet *sheet);
/* Appends text wrapped into plain rows, broken between words and after bars. The further rows of a line
 * keep the indentation of its first row. */
void bw_sheet_wrap(struct bw_sheet *sheet, enum bw_style style, const char *text);
/* Does the same with a formatted text. */
void bw_sheet_say(struct bw_sheet *sheet, enum bw_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes one line of a text with a pen. Adds rows if the line does not fit, indented to `column`. Returns
 * the text after the line. */
const char *bw_sheet_go_on(struct bw_sheet *sheet, struct bw_pen *pen, int column, enum bw_style style,
			   const char *text);

/* Returns the first row that shows an item, or -1. */
int bw_sheet_find(const struct bw_sheet *sheet, enum bw_row_kind kind, int index);
/* Returns the row `by` selectable rows below row `from` (above if negative), or the last selectable row
 * in that direction. from -1: before the first row. Returns -1 if no row is selectable. */
int bw_sheet_move(const struct bw_sheet *sheet, int from, int by);

/* How a sheet is shown. */
struct bw_sheet_look {
	int selected; /* row, or -1 */
	bool focused; /* has the keyboard focus */
	int *first; /* first row shown; kept between frames, and changed so that the selected row is visible */
	int linked; /* the rows of this Func are marked as selected in another pane; -1: none */
	int pan;    /* columns to the right of the margin that are scrolled out of sight */
	int past;   /* rows scrolled down from `first`, to show rows below the last selectable row */
};

/* Returns the first row to show of a view of `rows` rows, so that the selected row and a few rows around
 * it are visible. If the selected row is a line of code more than a screen below the visible rows, most
 * of the rows shown come after it. */
int bw_sheet_scroll(const struct bw_sheet *sheet, int first, int rows, int selected);
/* Returns the first visible row of a sheet that is scrolled down by `past` rows from `first`; stops
 * where the sheet's last row is the last visible one. */
int bw_sheet_scroll_past(const struct bw_sheet *sheet, int first, int rows, int past);
/* Copies the visible part into a rectangle. Returns the screen row of the selected row, or -1 if it is not
 * visible. */
int bw_sheet_show(const struct bw_sheet *sheet, struct bw_grid *grid, struct bw_rect rect,
		  const struct bw_sheet_look *look);
