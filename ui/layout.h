/* Where things stand on the screen: a pure function of its size, of the pane that has the keys (where not all have room), and of
 * the lines that a guided tour takes at the bottom. Nothing overlaps, everything lies inside, at any size. */
#ifndef BW_UI_LAYOUT_H
#define BW_UI_LAYOUT_H
#include "ui/grid.h"

/* Panes of the main view, in the order that Tab goes through them: name in C, in words. */
#define BW_PANE_TABLE(X) \
	X(BEAM, "beam") X(NEST, "nest") X(STAGES, "stages") X(DECISION, "decision")

enum bw_pane_id {
#define X(name, text) BW_PANE_##name,
	BW_PANE_TABLE(X)
#undef X
	BW_N_PANES
};

struct bw_layout {
	struct bw_rect header;             /* what is searched, and the timeline */
	struct bw_rect body;               /* all panes together; views that take the whole screen */
	struct bw_rect panes[BW_N_PANES];  /* of no rows where there is no room */
	struct bw_rect detail;             /* the selected Func; no rows on a low screen */
	struct bw_rect band;               /* the guided tour */
	struct bw_rect message;            /* what the last command said */
	struct bw_rect keys;               /* keys, or the prompt */
};

struct bw_layout bw_layout_make(int columns, int rows, enum bw_pane_id focus, int band_rows);
/* The pane that a cell lies in, BW_N_PANES if none. */
enum bw_pane_id bw_layout_pane_at(const struct bw_layout *layout, int x, int y);
#endif
