/* Private to the files of the decision view. */
#pragma once
#include "base/say.h"
#include "ui/view.h"

/* Columns of an option's row. A number ends at its column. 0: the column is left out for lack of room. */
struct bw_decision_columns {
	int words, threads, fate, cost, recompute, idle, memory;
	int words_room; /* width of the words */
	bool wide;      /* there is room for units and limits */
};
struct bw_decision_columns bw_decision_columns(int width);
/* Draws the names of the columns. */
void bw_decision_draw_names(const struct bw_scene *scene, struct bw_sheet *sheet);
/* Draws an option at the replayed stage. grouped: the row of the option's group, above it, already shows
 * the words that the group's options share. */
void bw_decision_draw_option(const struct bw_scene *scene, struct bw_sheet *sheet,
			     const struct bw_option *option, bool grouped);
/* Returns a rule's value or limit as text, in the rule's unit. */
struct bw_said bw_decision_figure(enum bw_rule rule, double figure);
/* Draws three rows about the selected option or group. */
void bw_decision_foot(const struct bw_scene *scene, struct bw_sheet *sheet);
/* Draws the freeze or constraint of the decision's Func, the reason if the search releases it at this
 * decision, and the Func's rejected and pinned options. */
void bw_decision_draw_held(const struct bw_scene *scene, struct bw_sheet *sheet);
/* Draws the rows for the end of the search, where there is no decision: a summary of all options, and the
 * next steps. */
void bw_decision_end(const struct bw_scene *scene, struct bw_sheet *sheet);
