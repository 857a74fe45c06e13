/* A sheet: the rows of a pane before they are cut to its height. Each row says what it stands for, so that one routine scrolls,
 * highlights and moves the selection in every view. */
#ifndef BW_UI_SHEET_H
#define BW_UI_SHEET_H
#include "ui/grid.h"

/* What selecting a row means. */
enum bw_row_kind { BW_ROW_PLAIN, BW_ROW_FUNC, BW_ROW_STATE, BW_ROW_OPTION, BW_ROW_GROUP, BW_ROW_DECISION, BW_ROW_POINT, BW_ROW_ALTERNATIVE };

struct bw_row {
	enum bw_row_kind kind;
	int index;     /* of the Func; rank of the state; number of the option; the group of options (ledger.h); the decision; the point of the history; the alternative */
	bool again;    /* a further row of what stands above: shown as selected with it, passed over by the cursor */
	bool changed;  /* since the last key */
};

struct bw_sheet {
	struct bw_grid grid; /* rows grow as they are added */
	int n_rows;
	struct bw_row *rows;
	int capacity;
	int margin;          /* columns at the left for the marks */
	int from, to;        /* rows that are to be seen, without `to`; others need no text */
};

/* An empty sheet for panes of so many columns, of which all rows are to be seen. Free with bw_sheet_free. */
struct bw_sheet bw_sheet_new(int columns, bool ascii);
void bw_sheet_free(struct bw_sheet *sheet);
/* A new row below the others; the pen begins behind the margin. It is good until the next row is added. */
struct bw_pen bw_sheet_row(struct bw_sheet *sheet, struct bw_row row);
struct bw_pen bw_sheet_plain(struct bw_sheet *sheet);
/* Whether the next row is to be seen: long lists write no text into the others. */
bool bw_sheet_wanted(const struct bw_sheet *sheet);
/* Text on as many plain rows as it needs, cut between words and behind bars; further rows of a line are set in as its first. */
void bw_sheet_wrap(struct bw_sheet *sheet, enum bw_style style, const char *text);
/* The same behind what a pen has written: up to the end of the text or of its line, further rows from a column on. Returns what follows. */
const char *bw_sheet_go_on(struct bw_sheet *sheet, struct bw_pen *pen, int column, enum bw_style style, const char *text);

/* The first row that stands for this, -1 if none. */
int bw_sheet_find(const struct bw_sheet *sheet, enum bw_row_kind kind, int index);
/* The row `by` selectable rows below (or above) row `from`, or as far as there are any; from -1: before the first. -1 if none can be
 * selected. */
int bw_sheet_move(const struct bw_sheet *sheet, int from, int by);

/* How a sheet is shown. */
struct bw_sheet_look {
	int selected;  /* row, or -1 */
	bool focused;  /* has the keys */
	int *first;    /* the first row shown: kept between frames, moved so that the selected one is seen */
	int linked;    /* rows of this Func are marked as selected elsewhere; -1: none */
};

/* The first row to show in so many, so that the selected one is seen with a little of what surrounds it. */
int bw_sheet_scroll(const struct bw_sheet *sheet, int first, int rows, int selected);
/* Puts it into a rectangle. Returns the row of the screen with the selected one, -1 where it is not seen. */
int bw_sheet_show(const struct bw_sheet *sheet, struct bw_grid *grid, struct bw_rect rect, const struct bw_sheet_look *look);
#endif
