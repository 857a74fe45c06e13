/* The layout of the screen: a pure function of the screen's size, the focused pane (if not all panes
 * fit), and the rows of the tour or lesson at the bottom. At any size panes neither overlap nor leave
 * the screen. */
#ifndef BW_UI_LAYOUT_H
#define BW_UI_LAYOUT_H
#include "session/session.h"
#include "ui/grid.h"

/* The panes of the main view, then the views that take the whole screen: one sheet each. */
enum bw_sheet_id {
#define X(id, name, kind, meaning) BW_SHEET_##id,
	BW_VIEW_TABLE(X)
#undef X
	BW_N_SHEETS,
	BW_N_PANES = BW_SHEET_OPTIONS + 1,
};

struct bw_layout {
	struct bw_rect header;            /* the pipeline being searched, and the timeline */
	struct bw_rect body;              /* all panes together; views that take the whole screen */
	struct bw_rect panes[BW_N_PANES]; /* without rows if there is no room */
	struct bw_rect detail;            /* the selected Func; without rows on a low screen */
	struct bw_rect band;              /* the tour, or a lesson; at most half of the rows */
	struct bw_rect message;           /* the message of the last command */
	struct bw_rect keys;              /* keys, or the prompt */
};

/* band_rows: wanted for the band. message_rows: wanted for the message beyond its first row. */
struct bw_layout bw_layout_make(int columns, int rows, enum bw_sheet_id focus, int band_rows,
				int message_rows);
/* Moves unused rows between stacked panes to panes that need more. needs: rows that each can use, with
 * its title; 0: unknown. */
void bw_layout_share(struct bw_layout *layout, const int needs[BW_N_PANES]);
/* Gives the focused pane the room of all. */
void bw_layout_alone(struct bw_layout *layout, enum bw_sheet_id focus);
/* Moves unused columns between the nest and the options, if they are side by side, to the one that
 * needs more. needs: columns; 0: unknown. */
void bw_layout_share_columns(struct bw_layout *layout, int nest, int options);
/* Returns the pane that contains a cell, or BW_N_PANES. */
enum bw_sheet_id bw_layout_pane_at(const struct bw_layout *layout, int x, int y);
#endif
