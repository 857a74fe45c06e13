/* Private to the files of the decision view. */
#ifndef BW_UI_DECISION_H
#define BW_UI_DECISION_H
#include "base/say.h"
#include "session/option_list.h"
#include "ui/view.h"

/* Columns of an option; for figures, the column where they end; 0: no room. */
struct bw_decision_columns {
	int words, threads, fate, cost, recompute, idle, memory;
	int words_room; /* width of the words */
	bool wide;      /* there is room for units and limits */
};
struct bw_decision_columns bw_decision_columns(int width);
/* Draws the names of the columns. */
void bw_decision_draw_names(const struct bw_scene *scene, struct bw_sheet *sheet);
/* Draws an option at the replayed stage. grouped: it is below the head of its group, which shows what its
 * options share. */
void bw_decision_draw_option(const struct bw_scene *scene, struct bw_sheet *sheet,
			     const struct bw_option *option, bool grouped);
/* Returns a rule's figure or limit as text, in the rule's unit. */
struct bw_said bw_decision_figure(enum bw_rule rule, double figure);
/* Draws three rows about the selected option or group. */
void bw_decision_foot(const struct bw_scene *scene, struct bw_sheet *sheet);
/* Draws what holds the Func, or why a freeze of the search does not, and what is rejected and pinned of
 * it. */
void bw_decision_draw_held(const struct bw_scene *scene, struct bw_sheet *sheet);
/* Draws the rows for a position without a decision: the fates of all options, and what to do next. */
void bw_decision_end(const struct bw_scene *scene, struct bw_sheet *sheet);
#endif
