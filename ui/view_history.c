/* The history: the journal with its undone commands, then branches. Each row is a point in the history to
 * jump to. Below are the decisions that led to the selected state. */
#include "base/say.h"
#include "ui/view.h"

enum { NUMBER = 5, LINE = 7, STATE_COLUMNS = 9, COST = 18, FROM = 22, CHOICE = 24 };

static const char *title(const struct bw_scene *scene, const char **right)
{
	int undone = 0, n = scene->session->n_journal;
	for (int i = 0; i < n; i++)
		undone += scene->session->journal[i].undone;
	*right = bw_scene_text(scene, "%d command%s%s", n - undone, n - undone == 1 ? "" : "s",
			       undone ? bw_scene_text(scene, ", %d undone", undone) : "");
	return "HISTORY";
}

static void draw_point(struct bw_sheet *sheet, int number, const char *line, const char *state)
{
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_POINT, .index = number});
	if (!wanted)
		return;
	enum bw_style style = *state ? BW_STYLE_DIM : BW_STYLE_NORMAL;
	int columns = bw_pen_left(&pen) - LINE - STATE_COLUMNS;
	bw_pen_right(&pen, NUMBER, BW_STYLE_DIM, "%d", number);
	bw_pen_to(&pen, LINE);
	bw_pen_field(&pen, columns > 8 ? columns : 8, style, line);
	if (*state)
		bw_pen_printf(&pen, style, " %s", state);
}

static void draw_journal(struct bw_sheet *sheet, const struct bw_point *points, int n)
{
	draw_point(sheet, 0, "the beginning", "");
	for (int state = BW_POINT_DONE; state <= BW_POINT_UNDONE; state++)
		for (int i = 1; i <= n; i++)
			if (points[i].line && (int)points[i].state == state)
				draw_point(sheet, i, points[i].line, state == BW_POINT_DONE ? "" : "undone");
}

/* Draws replaced commands; a title above each sequence names the step where it branched off. */
static void draw_branches(struct bw_sheet *sheet, const struct bw_point *points, int n)
{
	int before = -1;
	for (int i = 1; i <= n; i++) {
		if (!points[i].line || points[i].state != BW_POINT_BRANCH)
			continue;
		if (points[i].parent != before) {
			struct bw_pen pen = bw_sheet_plain(sheet);
			bw_pen_printf(&pen, BW_STYLE_TITLE, "branch from %d", points[i].parent);
		}
		draw_point(sheet, i, points[i].line, "branch");
		before = i;
	}
}

/* Draws the choices that led to the state, in order, without decisions that had nothing to choose. */
static void draw_way(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_state *state)
{
	if (!state->parent)
		return;
	draw_way(scene, sheet, state->parent);
	const struct bw_decision *decision = bw_search_decision(scene->session->search, state->position - 1);
	const struct bw_placed *placed = state->nest->placed[decision->func];
	if (placed == state->parent->nest->placed[decision->func])
		return;
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (!wanted)
		return;
	bw_pen_right(&pen, NUMBER, BW_STYLE_DIM, "%d", state->position);
	bw_pen_right(&pen, COST - 4, BW_STYLE_NORMAL, "%s", bw_say_cost(state->cost).text);
	bw_pen_right(&pen, FROM - 1, BW_STYLE_DIM, "%d", state->parent_rank + 1);
	bw_pen_to(&pen, CHOICE);
	bw_pen_printf(&pen, BW_STYLE_NORMAL, "%s %s", scene->pipeline->funcs[decision->func].name,
		      bw_scene_words(scene, placed->placement));
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int n = bw_session_n_points(scene->session);
	struct bw_point *points = BW_ARENA_ARRAY(scene->arena, struct bw_point, n + 1);
	bw_session_points(scene->session, points);
	draw_journal(sheet, points, n);
	draw_branches(sheet, points, n);
	if (!scene->state || !scene->state->parent)
		return;
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_TITLE, "WAY to state %d", scene->session->selection.state + 1);
	pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "made at");
	bw_pen_right(&pen, COST - 2, BW_STYLE_DIM, "so far");
	bw_pen_right(&pen, FROM, BW_STYLE_DIM, "from");
	bw_pen_to(&pen, CHOICE);
	bw_pen_puts(&pen, BW_STYLE_DIM, "choice");
	const struct bw_polish *polish =
	    scene->session->selection.state
		? NULL
		: bw_search_polish(scene->session->search, scene->session->cursor);
	bool polished = polish && polish->n;
	draw_way(scene, sheet, polished ? scene->state->parent : scene->state);
	if (!polished)
		return;
	pen = bw_sheet_plain(sheet);
	bw_pen_right(&pen, COST - 4, BW_STYLE_NORMAL, "%s", bw_say_cost(scene->state->cost).text);
	bw_pen_to(&pen, CHOICE);
	bw_pen_printf(&pen, BW_STYLE_NORMAL, "polished by %d change%s", polish->n, polish->n == 1 ? "" : "s");
}

const struct bw_view bw_view_history = {
    .name = "history", .selects = BW_ROW_POINT, .title = title, .fill = fill};
