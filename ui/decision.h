/* Shared by the files of the decision view. */
#ifndef BW_UI_DECISION_H
#define BW_UI_DECISION_H
#include "session/ledger.h"
#include "ui/say.h"
#include "ui/view.h"

/* Where the columns of an option stand, figures by where they end; 0: there is no room for it. */
struct bw_decision_columns {
	int words, threads, fate, cost, recompute, idle, memory;
	int words_room; /* columns of words */
	bool wide;      /* units and limits have room */
};
struct bw_decision_columns bw_decision_columns(int width);
/* The names of the columns. */
void bw_decision_draw_names(const struct bw_scene *scene, struct bw_sheet *sheet);
/* One option as it stands at the stage that is replayed. grouped: under the head of its group, which says what they share. */
void bw_decision_draw_option(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_option *option, bool grouped);
/* A figure of a rule, or its limit, in the rule's unit. */
struct bw_said bw_decision_figure(enum bw_rule rule, double figure);
/* What becomes of the selected option, or the selected group: three rows. */
void bw_decision_foot(const struct bw_scene *scene, struct bw_sheet *sheet);
/* What is said of the Func: what holds it, or why what the search froze does not; what is rejected and pinned of it. */
void bw_decision_draw_held(const struct bw_scene *scene, struct bw_sheet *sheet);
/* Where there is none: what became of all options, and what is left to do. */
void bw_decision_end(const struct bw_scene *scene, struct bw_sheet *sheet);
#endif
