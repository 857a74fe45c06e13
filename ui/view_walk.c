/* A walk through another scheduler: the current decision with all its candidates. Each scheduler names the
 * columns of numbers itself, because only it knows their meaning. */
#include <math.h>

#include "base/say.h"
#include "ui/view.h"

enum { MARK = 2, FIGURE_COLUMNS = 10, LEAST_NAME = 24, MOST_NAME = 48 };

static const struct bw_walk *walk_of(const struct bw_scene *scene)
{
	return bw_session_walk(scene->session);
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_walk *walk = walk_of(scene);
	if (!walk)
		return "WALK through another scheduler";
	int n = bw_walk_steps(walk), step = scene->session->selection.step;
	const struct bw_scheduler *scheduler = bw_walk_scheduler_of(walk);
	*right = step < n ? bw_scene_text(scene, "decision %d of %d", step + 1, n)
			  : bw_scene_text(scene, "end of %d decision%s", n, n == 1 ? "" : "s");
	return bw_scene_text(scene, "WALK of %s (%s)", scheduler->name, scheduler->paper);
}

/* Returns the character of a decision in the timeline. */
static const char *letter(const struct bw_walk_step *step)
{
	return step->by_hand ? "H" : step->taken >= 0 ? "o" : ".";
}

/* Draws the decisions around the current one, as many as fit. */
static void draw_timeline(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_walk *walk = walk_of(scene);
	struct bw_pen pen = bw_sheet_plain(sheet);
	int n = bw_walk_steps(walk), at = scene->session->selection.step, room = bw_pen_left(&pen) / 2;
	int first = at > room / 2 && n > room ? at - room / 2 : 0;
	for (int s = first; s <= n && bw_pen_left(&pen) > 2; s++) {
		const struct bw_walk_step *step = s < n ? bw_walk_step(walk, s) : NULL;
		bool begins = step && (s == first || step->phase != bw_walk_step(walk, s - 1)->phase);
		if (begins)
			bw_pen_printf(&pen, BW_STYLE_DIM, "%s%s ", s == first ? "" : " ", step->phase);
		bw_pen_printf(&pen, s == at ? BW_STYLE_STRONG : BW_STYLE_DIM, s == at ? "[%s]" : "%s",
			      step ? letter(step) : s == at ? "end" : "");
	}
}

/* Returns the width for names: the columns that the figures leave free. */
static int name_columns(const struct bw_walk *walk, const struct bw_pen *pen)
{
	int left = bw_pen_left(pen) - MARK - 1 - bw_walk_scheduler_of(walk)->walk->n_columns * FIGURE_COLUMNS;
	return left < LEAST_NAME ? LEAST_NAME : left > MOST_NAME ? MOST_NAME : left;
}

static void draw_heads(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_walk_scheduler *calls = bw_walk_scheduler_of(walk_of(scene))->walk;
	const struct bw_walk_step *step = bw_session_step(scene->session);
	struct bw_pen pen = bw_sheet_plain(sheet);
	int column = MARK + name_columns(walk_of(scene), &pen) + 1;
	bw_pen_to(&pen, MARK);
	bw_pen_puts(&pen, BW_STYLE_DIM, step ? step->question : "");
	for (int c = 0; step && c < calls->n_columns; c++) {
		column += FIGURE_COLUMNS;
		if (pen.left + column <= pen.right)
			bw_pen_right(&pen, column, BW_STYLE_DIM, "%s", calls->columns[c].name);
	}
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!walk_of(scene))
		return;
	draw_timeline(scene, sheet);
	draw_heads(scene, sheet);
}

static struct bw_said figure_of(const struct bw_walk_column *column, double figure)
{
	return !strcmp(column->unit, BW_WALK_COST)    ? bw_say_cost(figure)
	       : !strcmp(column->unit, BW_WALK_SHARE) ? bw_say_percent(figure)
						      : bw_say_short(figure);
}

static void draw_candidate(const struct bw_scene *scene, struct bw_sheet *sheet,
			   const struct bw_walk_step *step, int index)
{
	const struct bw_walk_scheduler *calls = bw_walk_scheduler_of(walk_of(scene))->walk;
	const struct bw_walk_candidate *candidate = &step->candidates[index];
	bool wanted = bw_sheet_wanted(sheet), taken = step->taken == index;
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_CANDIDATE, .index = index});
	if (!wanted)
		return;
	int columns = name_columns(walk_of(scene), &pen), column = MARK + columns + 1;
	enum bw_style style = taken ? BW_STYLE_KEPT : candidate->refused ? BW_STYLE_PRUNED : BW_STYLE_NORMAL;
	bw_pen_puts(&pen, style, taken ? step->by_hand ? "H" : "*" : candidate->refused ? "x" : " ");
	bw_pen_to(&pen, MARK);
	bw_pen_field(&pen, columns, style,
		     bw_scene_text(scene, "%s%s%s", candidate->name, *candidate->how ? ", " : "", candidate->how));
	if (candidate->refused) {
		bw_pen_to(&pen, column);
		bw_pen_puts(&pen, BW_STYLE_DIM, candidate->refused);
		return;
	}
	for (int c = 0; c < calls->n_columns; c++) {
		column += FIGURE_COLUMNS;
		if (!isnan(candidate->figures[c]) && pen.left + column <= pen.right)
			bw_pen_right(&pen, column, c ? BW_STYLE_DIM : style, "%s",
				     figure_of(&calls->columns[c], candidate->figures[c]).text);
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_walk *walk = walk_of(scene);
	const struct bw_walk_step *step = bw_session_step(scene->session);
	if (!walk) {
		int n;
		const struct bw_scheduler *all = bw_schedulers(&n);
		bw_sheet_wrap(sheet, BW_STYLE_NORMAL,
			      "The beam search's decisions are in the main view. Another scheduler is run by a "
			      "command, and this view then has its decisions:");
		for (int i = 0; i < n; i++)
			if (all[i].walk)
				bw_sheet_say(sheet, BW_STYLE_NORMAL, "  :scheduler %s   %s, %s", all[i].name,
					     all[i].paper, all[i].meaning);
		return;
	}
	for (int c = 0; step && c < step->n; c++)
		draw_candidate(scene, sheet, step, c);
	if (!step)
		bw_sheet_wrap(sheet, BW_STYLE_DIM,
			      bw_scene_keys(scene, "All decisions are made, and the search is held to the schedule "
						   "below. {back} goes back."));
}

static void foot(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_walk *walk = walk_of(scene);
	const struct bw_walk_step *step = bw_session_step(scene->session);
	int n = walk ? bw_walk_steps(walk) : 0;
	if (n)
		bw_sheet_say(sheet, BW_STYLE_DIM, "%s: %s", step ? "after it" : "the schedule",
			     step ? step->then : bw_walk_step(walk, n - 1)->then);
}

const struct bw_view bw_view_walk = {.name = "walk",
				     .selects = BW_ROW_CANDIDATE,
				     .title = title,
				     .head_rows = 2,
				     .head = head,
				     .fill = fill,
				     .foot = foot};
