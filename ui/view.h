/* Views. Each fills a sheet from the scene; the screen (screen.h) lays sheets out, scrolls and highlights
 * them. */
#ifndef BW_UI_VIEW_H
#define BW_UI_VIEW_H
#include "ui/scene.h"

struct bw_view {
	const char *name;         /* as in `view NAME`, or the pane's */
	enum bw_row_kind selects; /* the kind of item that its rows select; PLAIN: it only scrolls */
	/* Returns the title, and the text at its right end; in the arena. */
	const char *(*title)(const struct bw_scene *scene, const char **right);
	int head_rows; /* if negative, percent of the view's rows */
	/* Adds the rows that stay at the top, at most sheet->to; NULL: none. */
	void (*head)(const struct bw_scene *scene, struct bw_sheet *sheet);
	void (*fill)(const struct bw_scene *scene, struct bw_sheet *sheet);
	/* Adds the rows that stay at the bottom, below the sheet; NULL: none. */
	void (*foot)(const struct bw_scene *scene, struct bw_sheet *sheet);
};

#define X(id, name, kind, meaning) extern const struct bw_view bw_view_##name;
BW_VIEW_TABLE(X)
#undef X

/* Draws lines 1 to 3: the pipeline being searched, the timeline, and how far the selected state has
 * placed each Func. */
void bw_draw_timeline(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect);
/* Returns the decision at a column of the timeline, or -1, for the mouse. */
int bw_timeline_at(const struct bw_scene *scene, struct bw_rect rect, int x);
/* Draws two lines about the selected Func. */
void bw_draw_detail(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect);
#endif
