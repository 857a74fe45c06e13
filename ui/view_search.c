/* The search as a whole: from left to right the decisions, from top to bottom the ranks of the beam, with
 * lines for the ways of the best states at the end; beside it the costs of the selected decision's
 * children with the beam's cut; below it all decisions. */
#include <limits.h>

#include "base/say.h"
#include "figures/change.h"
#include "figures/lineage.h"
#include "session/decisions.h"
#include "session/explain.h"
#include "ui/canvas.h"
#include "ui/glyph.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	*right = bw_scene_text(scene, "beam %d", scene->options->beam);
	return "SEARCH: the ways of the best states at the end";
}

/* Returns the decision that is looked at: the one at the cursor, or the last that was made. */
static int selected(const struct bw_scene *scene, const struct bw_lineage *lineage)
{
	int cursor = scene->session->cursor;
	return cursor < lineage->n ? cursor : lineage->n - 1;
}

/* The decisions and ranks of the picture. */
struct scale {
	int first, n, most; /* decisions; ranks */
	int columns, rows;
};

static int dot_x(const struct scale *scale, int decision)
{
	return scale->n > 1
		   ? (decision - scale->first) * (scale->columns * BW_CANVAS_DOTS_X - 1) / (scale->n - 1)
		   : 0;
}

static int dot_y(const struct scale *scale, int rank)
{
	return scale->most > 1 ? rank * (scale->rows * BW_CANVAS_DOTS_Y - 1) / (scale->most - 1) : 0;
}

/* Returns by decision and rank whether a state is on the way of one of the best states of the last beam. More
 * ways than these cannot be told apart in the picture. */
static bool **ways_of_best(const struct bw_lineage *lineage, struct bw_arena *arena)
{
	enum { WAYS = 3 };
	bool **is = BW_ARENA_ARRAY(arena, bool *, lineage->n);
	for (int k = lineage->n - 1; k >= 0; k--) {
		const struct bw_lineage_step *step = &lineage->steps[k], *next = step + 1;
		is[k] = BW_ARENA_ARRAY(arena, bool, step->n);
		for (int i = 0; i < step->n; i++)
			is[k][i] = k == lineage->n - 1 && (i < WAYS || step->lines[i].wins);
		for (int i = 0; k < lineage->n - 1 && i < next->n; i++)
			if (is[k + 1][i] && next->lines[i].parent >= 0)
				is[k][next->lines[i].parent] = true;
	}
	return is;
}

static void draw_lines(const struct bw_scene *scene, const struct bw_lineage *lineage,
		       struct bw_canvas *canvas)
{
	bool **is = ways_of_best(lineage, scene->arena);
	struct scale scale = {scene->first, 0, 1, canvas->columns, canvas->rows - 1};
	int end = scene->end < lineage->n ? scene->end : lineage->n, at = selected(scene, lineage);
	scale.n = end - scene->first;
	for (int k = scene->first; k < end; k++)
		scale.most = lineage->steps[k].n > scale.most ? lineage->steps[k].n : scale.most;
	for (int winner = 0; winner < 2; winner++)
		for (int k = scene->first + 1; k < end; k++)
			for (int i = 0; i < lineage->steps[k].n; i++) {
				const struct bw_line *line = &lineage->steps[k].lines[i];
				if (is[k][i] && line->wins == winner && line->parent >= 0)
					bw_canvas_line(canvas, dot_x(&scale, k - 1),
						       dot_y(&scale, line->parent), dot_x(&scale, k),
						       dot_y(&scale, i),
						       winner ? BW_STYLE_KEPT : BW_STYLE_DIM, false);
			}
	for (int k = scene->first; k < end; k++)
		if (lineage->steps[k].winner >= 0)
			bw_canvas_put(canvas, dot_x(&scale, k) / BW_CANVAS_DOTS_X,
				      dot_y(&scale, lineage->steps[k].winner) / BW_CANVAS_DOTS_Y,
				      BW_STYLE_KEPT, 0x25cf);
	int column = dot_x(&scale, at) / BW_CANVAS_DOTS_X;
	const char *name = bw_scene_decision(scene, at);
	int width = bw_glyph_columns(name),
	    left = column + 2 + width <= canvas->columns ? column + 2 : column - width - 1;
	bw_canvas_put(canvas, column, canvas->rows - 1, BW_STYLE_MARK, '^');
	bw_canvas_text(canvas, left < 0 ? 0 : left, canvas->rows - 1, canvas->columns, BW_STYLE_MARK, name);
}

/* Draws the costs of a decision's children: columns as high as there are children, up to the cut those that
 * are kept. */
static void draw_histogram(const struct bw_scene *scene, const struct bw_lineage *lineage, int k,
			   struct bw_canvas *canvas)
{
	enum { MOST_CLASSES = 64 };
	static const double most = 1.5;
	int children[MOST_CLASSES], kept[MOST_CLASSES],
	    n = canvas->columns < MOST_CLASSES ? canvas->columns : MOST_CLASSES, rows = canvas->rows - 1,
	    highest = 1;
	bw_lineage_histogram(bw_session_decision(scene->session, k), most, n, children, kept);
	for (int i = 0; i < n; i++)
		highest = children[i] > highest ? children[i] : highest;
	for (int i = 0; i < n; i++) {
		int all = (children[i] * rows * 8 + highest - 1) / highest,
		    good = (kept[i] * rows * 8 + highest - 1) / highest;
		for (int row = 0; row < rows; row++) {
			int part = all - 8 * row > 8 ? 8 : all - 8 * row;
			if (part > 0)
				bw_canvas_put(canvas, i, rows - 1 - row,
					      good > 8 * row ? BW_STYLE_KEPT : BW_STYLE_DROPPED,
					      part == 8 && good <= 8 * row ? 0x2592
									   : 0x2580u + (uint32_t)part);
		}
	}
	const struct bw_lineage_step *step = &lineage->steps[k];
	bw_canvas_text(canvas, 0, rows, n, BW_STYLE_DIM, "best");
	bw_canvas_text(canvas, n - 5, rows, n, BW_STYLE_DIM, "+50%>");
	double cut = step->cut > 0 && step->best > 0 ? (step->cut / step->best - 1) / (most - 1) * n : -1;
	if (cut >= 6 && cut < n - 10)
		bw_canvas_text(canvas, (int)cut, rows, n, BW_STYLE_MARK, "^cut");
}

static int figures(const struct bw_scene *scene, const struct bw_lineage *lineage, int k,
		   const char *lines[10])
{
	const struct bw_lineage_step *step = &lineage->steps[k];
	const struct bw_decision *decision = bw_session_decision(scene->session, k);
	int n = 0;
	lines[n++] = bw_scene_text(scene, "%d  %s", k, bw_scene_decision(scene, k));
	const struct bw_polish *polish =
	    k == bw_session_n_decisions(scene->session) - 1 ? bw_explain_polish(scene->session, k + 1) : NULL;
	bool polished = polish && polish->n;
	lines[n++] = bw_scene_text(scene, "%s %s, %d kept%s", bw_say_count((double)decision->n_children).text,
				   decision->n_children == 1 ? "child" : "children", step->n - polished,
				   polished ? ", 1 polished" : "");
	lines[n++] = bw_scene_text(scene, "best %s, worst kept %s", bw_say_cost(step->best).text,
				   *bw_excess_of(scene->options->model, step->worst, step->best).text
				       ? bw_excess_of(scene->options->model, step->worst, step->best).text
				       : "the same");
	if (step->cut > 0)
		lines[n++] = bw_scene_text(scene, "cheapest dropped %s",
					   *bw_excess_of(scene->options->model, step->cut, step->best).text
					       ? bw_excess_of(scene->options->model, step->cut, step->best).text
					       : "as the best");
	lines[n++] = bw_scene_text(scene, "%d structure%s, near copies: %d", step->n_kinds,
				   step->n_kinds == 1 ? "" : "s", step->n - step->n_kinds);
	lines[n++] = bw_scene_text(scene, "with descendants at the end: %d", step->n_survivors);
	if (step->winner >= 0)
		lines[n++] = step->winner_cost > step->best
				 ? bw_scene_text(scene, "the best comes from the %s, %s",
						 bw_say_rank(step->winner).text,
						 bw_excess_of(scene->options->model, step->winner_cost, step->best).text)
				 : "the best comes from the cheapest";
	return n;
}

/* Returns what came after the last decision. */
static const char *polish_text(const struct bw_scene *scene, const struct bw_polish *polish)
{
	if (!polish->n)
		return polish->cut ? "then polished, not to the end: the pipeline is long"
				   : "then polished: no single change lowers the cost of the best";
	double before = polish->steps[0].before, after = polish->steps[polish->n - 1].after;
	return bw_scene_text(scene, "then polished: %d change%s, %s to %s (%s); `why best` lists them",
			     polish->n, polish->n == 1 ? "" : "s", bw_say_cost(before).text,
			     bw_say_cost(after).text, bw_change_of(scene->options->model, before, after).text);
}

/* Draws the last decision that had a choice, and from where on the winner's state was the cheapest. */
static void put_decided(const struct bw_scene *scene, const struct bw_lineage *lineage, struct bw_pen *pen)
{
	if (lineage->decided < 0) {
		bw_pen_puts(pen, BW_STYLE_DIM, "nothing was decided: no decision on the way of the best had a choice");
		return;
	}
	bw_pen_printf(pen, BW_STYLE_KEPT, "decided at %s", bw_scene_decision(scene, lineage->decided));
	bw_pen_printf(pen, BW_STYLE_DIM, "; from %s on the cheapest state wins",
		      lineage->decided < lineage->leads ? bw_scene_decision(scene, lineage->leads) : "there");
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { BESIDE = 72, ROWS_PRINTED = 20, LEAST_FIGURES = 34, MOST_FIGURES = 44, LEAST_HISTOGRAM = 4 };
	struct bw_lineage lineage = bw_lineage_of(scene->search, scene->arena);
	int rows = sheet->to == INT_MAX ? ROWS_PRINTED : sheet->to,
	    width = sheet->grid.columns - sheet->margin, text = width * 2 / 5, k = selected(scene, &lineage);
	if (k < 0)
		return;
	text = text < LEAST_FIGURES ? LEAST_FIGURES : text > MOST_FIGURES ? MOST_FIGURES : text;
	bool beside = width >= BESIDE;
	const char *lines[10];
	int n = figures(scene, &lineage, k, lines);
	const struct bw_polish *polish = bw_explain_polish(scene->session, lineage.n);
	int under = 1 + (lineage.leads >= 0) + (polish != NULL);
	struct bw_canvas canvas =
			     bw_canvas_new(beside ? width - text - 2 : width, rows - under, scene->arena),
			 histogram = bw_canvas_new(text, rows - under - 1 - n, scene->arena);
	draw_lines(scene, &lineage, &canvas);
	if (histogram.rows >= LEAST_HISTOGRAM)
		draw_histogram(scene, &lineage, k, &histogram);
	for (int y = 0; y < canvas.rows; y++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_canvas_write(&canvas, y, &pen);
		if (!beside)
			continue;
		bw_pen_to(&pen, canvas.columns + 2);
		if (y < n)
			bw_pen_puts(&pen, y ? BW_STYLE_NORMAL : BW_STYLE_STRONG, lines[y]);
		else if (y > n && y - n - 1 < histogram.rows)
			bw_canvas_write(&histogram, y - n - 1, &pen);
	}
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (lineage.leads >= 0) {
		put_decided(scene, &lineage, &pen);
		pen = bw_sheet_plain(sheet);
	}
	if (polish) {
		bw_pen_puts(&pen, polish->n ? BW_STYLE_KEPT : BW_STYLE_DIM, polish_text(scene, polish));
		pen = bw_sheet_plain(sheet);
	}
	bw_pen_puts(&pen, BW_STYLE_DIM,
		    lineage.common > 0
			? bw_scene_text(scene,
					"● the way of the best; all agree up to %s",
					bw_scene_decision(scene, lineage.common - 1))
			: "● the way of the best");
}

static void draw_step(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_lineage *lineage,
		      int k)
{
	enum { NAME = 20, STATES = 27, BEST = 38, WORST = 46, CUT = 54, WINNER = 62, SURVIVE = 70, KINDS = 77 };
	const struct bw_lineage_step *step = &lineage->steps[k];
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_DECISION, .index = k});
	if (!wanted)
		return;
	char name[4 * NAME + 1];
	bw_glyph_shorten(bw_scene_decision(scene, k), NAME, name, sizeof name);
	bw_pen_puts(&pen, k == lineage->tightest ? BW_STYLE_MARK : BW_STYLE_NORMAL, name);
	bw_pen_right(&pen, STATES, BW_STYLE_NORMAL, "%d", step->n);
	bw_pen_right(&pen, BEST, BW_STYLE_NORMAL, "%s", bw_say_cost(step->best).text);
	bw_pen_right(&pen, WORST, BW_STYLE_NORMAL, "%s", bw_excess_of(scene->options->model, step->worst, step->best).text);
	bw_pen_right(&pen, CUT, BW_STYLE_NORMAL, "%s",
		     step->cut > 0 ? bw_excess_of(scene->options->model, step->cut, step->best).text : "");
	bw_pen_right(&pen, WINNER, BW_STYLE_NORMAL, "%s", step->winner >= 0 ? bw_say_rank(step->winner).text : "");
	bw_pen_right(&pen, SURVIVE, BW_STYLE_NORMAL, "%d", step->n_survivors);
	bw_pen_right(&pen, KINDS, BW_STYLE_NORMAL, "%d", step->n - step->n_kinds);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_lineage lineage = bw_lineage_of(scene->search, scene->arena);
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (!lineage.n) {
		bw_pen_puts(&pen, BW_STYLE_DIM,
			    bw_scene_keys(scene, "No decision is made yet. {step} makes one, {run} all."));
		return;
	}
	static const struct {
		int column;
		const char *name;
	} columns[] = {{27, "states"}, {38, "best"},    {46, "worst"}, {54, "dropped"},
		       {62, "winner"}, {70, "survive"}, {77, "copies"}};
	bw_pen_puts(&pen, BW_STYLE_DIM, "DECISION");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		bw_pen_right(&pen, columns[i].column, BW_STYLE_DIM, "%s", columns[i].name);
	for (int k = 0; k < lineage.n; k++)
		draw_step(scene, sheet, &lineage, k);
}

const struct bw_view bw_view_search = {.name = "search",
				       .selects = BW_ROW_DECISION,
				       .title = title,
				       .head_rows = -60,
				       .head = head,
				       .fill = fill};
