/* The search as a whole. A picture shows the decisions from left to right, the costs of the beam from
 * bottom to top, and the path of the best state. Beside it are the costs of the selected decision's
 * children; below it is the list of all decisions. */
#include "figures/lineage.h"
#include "session/explain.h"
#include "command/film.h"
#include "ui/glyph.h"
#include "ui/picture.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_film *film = bw_session_film(scene->session);
	if (film) {
		*right = film->plays ? bw_scene_text(scene, "%.4g a second", film->rate)
			 : film->shown < scene->n_decisions ? "paused"
							    : "the end";
		return bw_scene_text(scene, "SEARCH: decision %d of %d", film->shown, scene->n_decisions);
	}
	*right = bw_scene_text(scene, "beam %d", scene->options->beam);
	return "SEARCH: how the best came about";
}

/* Returns the selected decision of the list, or else the last decision made. */
static int selected(const struct bw_scene *scene, const struct bw_lineage *lineage)
{
	const struct bw_film *film = bw_session_film(scene->session);
	int cursor = film ? film->shown - 1 : bw_session_listed(scene->session);
	return cursor < lineage->n ? cursor : lineage->n - 1;
}

/* Adds the number of a decision's options that each rule pruned, the most effective rule first. */
static int pruned_figures(const struct bw_scene *scene, const struct bw_decision *decision,
			  const char *lines[2])
{
	enum { SHOWN = 3 };
	long left[BW_N_RULES], all = 0;
	BW_SCOPED_TEXT text = {0};
	for (int rule = 0; rule < BW_N_RULES; rule++)
		all += left[rule] = decision->pruned[rule];
	if (!all)
		return 0;
	for (int i = 0; i < SHOWN; i++) {
		int most = 0;
		for (int rule = 1; rule < BW_N_RULES; rule++)
			most = left[rule] > left[most] ? rule : most;
		if (left[most])
			bw_text_printf(&text, "%s %s %s", i ? "," : "", bw_say_count((double)left[most]).text,
				       bw_rule_name((enum bw_rule)most));
		left[most] = 0;
	}
	lines[0] = bw_scene_text(scene, "%s of %s options pruned:", bw_say_count((double)all).text,
				 bw_say_count((double)decision->enumerated).text);
	lines[1] = bw_scene_text(scene, " %s", bw_text_get(&text));
	return 2;
}

static int figures(const struct bw_scene *scene, const struct bw_lineage *lineage, int k,
		   const char *lines[12])
{
	const struct bw_lineage_step *step = &lineage->steps[k];
	const struct bw_decision *decision = bw_search_decision(scene->session->search, k);
	int n = 0;
	lines[n++] = bw_scene_text(scene, "%d  %s", k, bw_scene_decision(scene, k));
	const struct bw_polish *polish = k == bw_search_n_decisions(scene->session->search) - 1
					     ? bw_search_polish(scene->session->search, k + 1)
					     : NULL;
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
	n += pruned_figures(scene, decision, &lines[n]);
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

/* Returns a text on the polishing that followed the last decision. */
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

/* Draws which decision decided the schedule, or how far this has been computed. On a low screen takes at
 * most a third of the rows, and then names the key that shows the rest. */
static void put_decided(const struct bw_scene *scene, struct bw_sheet *sheet, int rows)
{
	enum { LEAST = 2 };
	BW_SCOPED_TEXT words = {0};
	enum bw_style style = bw_regret_most(scene->session) ? BW_STYLE_KEPT : BW_STYLE_DIM;
	int most = rows / 3 < LEAST ? LEAST : rows / 3;
	bw_decided_words(scene->session, &words);
	/* Words that do not end at the end of a row leave some of it free. */
	size_t fit = (size_t)most * (size_t)(sheet->grid.columns - sheet->margin - 8);
	const char *rest = bw_scene_text(scene, " ... %s says all", bw_scene_key(scene, "why"));
	if (words.length > fit && most < rows)
		bw_sheet_say(sheet, style, "%.*s%s", (int)(fit - strlen(rest)), bw_text_get(&words), rest);
	else
		bw_sheet_wrap(sheet, style, bw_text_get(&words));
}

/* Returns the rows that put_decided draws. */
static int decided_rows(const struct bw_scene *scene, const struct bw_sheet *sheet)
{
	BW_SCOPED_SHEET scratch = bw_sheet_new(sheet->grid.columns, sheet->grid.ascii);
	put_decided(scene, &scratch, sheet->to);
	return scratch.n_rows;
}

/* The columns after the name of a decision: name, width, and the least width of the screen for the column
 * to be shown. */
enum { STATES, BEST, WORST, CUT, WINNER, SURVIVE, REGRET, N_COLUMNS };
static const struct {
	const char *name;
	int width, least;
} columns[] = {{"states", 7, 78}, {"best", 10, 0},    {"worst", 8, 78},     {"dropped", 8, 56},
	       {"winner", 7, 37}, {"survive", 8, 78}, {"runner-up", 10, 56}};
enum { NAME = 20 };

/* Appends a figure to a row, unless its column is left out. */
static void put(struct bw_pen *pen, const struct bw_sheet *sheet, int column, enum bw_style style,
		const char *figure)
{
	int width = sheet->grid.columns - sheet->margin, end = NAME;
	for (int i = 0; i <= column; i++)
		end += width >= columns[i].least ? columns[i].width : 0;
	if (width >= columns[column].least)
		bw_pen_right(pen, end, style, "%s", figure);
}

/* Draws what the best schedule would cost at the end with the runner-up of a decision. */
static void put_regret(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_sheet *sheet, int k)
{
	const struct bw_regret *regret = bw_regret_at(scene->session, k);
	double best = bw_regret_best(scene->session);
	if (regret && regret->cost > 0)
		put(pen, sheet, REGRET, bw_style_heat(regret->cost / best - 1),
		    bw_change_of(scene->options->model, best, regret->cost).text);
	else if (regret)
		put(pen, sheet, REGRET, bw_style_heat(1), "none");
	else if (bw_regret_pending(scene->session, k))
		put(pen, sheet, REGRET, BW_STYLE_DIM, "...");
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_lineage lineage = bw_lineage_of(scene->search, scene->arena);
	const struct bw_film *film = bw_session_film(scene->session);
	int all, k = selected(scene, &lineage), pass = film ? bw_search_pass(scene->search, k) : 0,
		 first = film ? bw_search_pass_start(scene->search, pass) : scene->first,
		 end = film ? bw_search_pass_end(scene->search, pass) : scene->end;
	end = end < lineage.n ? end : lineage.n;
	bool decided = !film && bw_regrets_progress(scene->session, &all) >= 0 && all > 0;
	if (k < 0)
		return;
	const char *lines[12], **names = BW_ARENA_ARRAY(scene->arena, const char *, lineage.n);
	for (int i = 0; i < lineage.n; i++)
		names[i] = bw_scene_decision(scene, i);
	const struct bw_lineage_part part = {first, end, k, names, scene->options->model->unit};
	const struct bw_polish *polish = film ? NULL : bw_search_polish(scene->session->search, lineage.n);
	struct bw_picture picture = film ? bw_lineage_film(scene->search, &lineage, &part, k - first, scene->arena)
					 : bw_lineage_picture(scene->search, &lineage, &part, scene->arena),
			  children = bw_children_picture(bw_search_decision(scene->session->search, k),
							 &lineage.steps[k], scene->arena);
	bw_plate_draw(sheet, scene->arena,
		      &(struct bw_plate){.picture = &picture,
					 .n = figures(scene, &lineage, k, lines),
					 .lines = lines,
					 .second = &children,
					 .under = (decided ? decided_rows(scene, sheet) : 0) + (polish != NULL)});
	if (decided)
		put_decided(scene, sheet, sheet->to);
	if (polish) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, polish->n ? BW_STYLE_KEPT : BW_STYLE_DIM, polish_text(scene, polish));
	}
}

static void draw_step(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_lineage *lineage,
		      int k)
{
	const struct bw_lineage_step *step = &lineage->steps[k];
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_DECISION, .index = k});
	if (!wanted)
		return;
	char name[4 * NAME + 1];
	bw_glyph_shorten(bw_scene_decision(scene, k), NAME, name, sizeof name);
	bw_pen_puts(&pen, k == lineage->tightest ? BW_STYLE_MARK : BW_STYLE_NORMAL, name);
	const struct bw_cost_model *model = scene->options->model;
	put(&pen, sheet, STATES, BW_STYLE_NORMAL, bw_scene_text(scene, "%d", step->n));
	put(&pen, sheet, BEST, BW_STYLE_NORMAL, bw_say_cost(step->best).text);
	put(&pen, sheet, WORST, BW_STYLE_NORMAL, bw_excess_of(model, step->worst, step->best).text);
	put(&pen, sheet, CUT, BW_STYLE_NORMAL,
	    step->cut > 0 ? bw_excess_of(model, step->cut, step->best).text : "");
	put(&pen, sheet, WINNER, BW_STYLE_NORMAL, step->winner >= 0 ? bw_say_rank(step->winner).text : "");
	put(&pen, sheet, SURVIVE, BW_STYLE_NORMAL, bw_scene_text(scene, "%d", step->n_survivors));
	put_regret(scene, &pen, sheet, k);
}

/* Draws a count of a decision's options as a bar. */
static void draw_count(struct bw_sheet *sheet, const char *name, enum bw_style style, double count,
		       double all)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, name);
	bw_pen_right(&pen, NAME + 10, BW_STYLE_NORMAL, "%s", bw_say_count(count).text);
	bw_pen_to(&pen, NAME + 12);
	bw_pen_bar(&pen, bw_pen_left(&pen), style, all > 0 ? count / all : 0);
}

/* Draws the fates of the options of the film's current decision. */
static void draw_fates(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_lineage *lineage)
{
	int k = selected(scene, lineage);
	const struct bw_decision *decision = bw_search_decision(scene->search, k);
	double all = (double)decision->enumerated;
	all = all < (double)decision->n_children ? (double)decision->n_children : all;
	draw_count(sheet, "options", BW_STYLE_DIM, (double)decision->enumerated, all);
	for (int rule = 0; rule < BW_N_RULES; rule++)
		if (decision->pruned[rule])
			draw_count(sheet, bw_scene_text(scene, "by %s", bw_rule_name((enum bw_rule)rule)),
				   BW_STYLE_PRUNED, (double)decision->pruned[rule], all);
	draw_count(sheet, "children costed", BW_STYLE_DROPPED, (double)decision->n_children, all);
	draw_count(sheet, "kept in the beam", BW_STYLE_KEPT, lineage->steps[k].n, all);
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
	if (bw_session_film(scene->session)) {
		bw_pen_printf(&pen, BW_STYLE_STRONG, "%s", bw_scene_decision(scene, selected(scene, &lineage)));
		draw_fates(scene, sheet, &lineage);
		return;
	}
	bw_pen_puts(&pen, BW_STYLE_DIM, "DECISION");
	for (int i = 0; i < N_COLUMNS; i++)
		put(&pen, sheet, i, BW_STYLE_DIM, columns[i].name);
	for (int k = 0; k < lineage.n; k++)
		draw_step(scene, sheet, &lineage, k);
}

const struct bw_view bw_view_search = {.name = "search",
				       .selects = BW_ROW_DECISION,
				       .title = title,
				       .head_rows = -60,
				       .head = head,
				       .fill = fill};
