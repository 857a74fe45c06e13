/* Two schedules side by side: each Func's placements with the differences marked; below, the costs by
 * term, of the whole and of the selected Func. */

#include "base/say.h"
#include "session/comparison.h"
#include "ui/screen.h"

/* Columns by width. */
struct columns {
	int name, words, first, first_cost, second, second_cost, change;
};

static struct columns columns_for(int width)
{
	int name = width >= 90 ? 16 : 10, cost = 8, change = 8,
	    words = (width - name - 2 * cost - change - 6) / 2;
	words = words < 8 ? 8 : words;
	struct columns at = {.name = name, .words = words, .first = name + 2};
	at.first_cost = at.first + words + cost;
	at.second = at.first_cost + 2;
	at.second_cost = at.second + words + cost;
	at.change = at.second_cost + change;
	return at;
}

/* For the code: columns of the number of runs, columns between the two sides, and number of equal lines
 * that are shown around lines that differ. */
enum { RUNS = 8, GAP = 3, BESIDE = 2 };

/* Returns the column at which the half of a side begins. */
static int half_at(const struct bw_sheet *sheet, int side)
{
	return side ? (sheet->grid.columns - sheet->margin - GAP) / 2 + GAP : 0;
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_comparison *comparison = bw_session_comparison(scene->session);
	if (!comparison)
		return "COMPARE";
	*right = comparison->code ? "runs of warps" : bw_scene_text(scene, "%s", scene->options->model->unit);
	return bw_scene_text(scene, "COMPARE %s%s with %s", comparison->code ? "the code of " : "",
			     comparison->labels[0], comparison->labels[1]);
}

static void draw_first(struct bw_pen *pen, const struct columns *at, double first)
{
	if (first > 0)
		bw_pen_right(pen, at->first_cost, BW_STYLE_NORMAL, "%s", bw_say_cost(first).text);
}

/* Draws the second cost, and its difference from the first in percent, or as a factor if it is large.
 * model: the model of whole-schedule costs, which decides ties; NULL for other costs. */
static void draw_second(struct bw_pen *pen, const struct columns *at, const struct bw_cost_model *model,
			double first, double second)
{
	if (second > 0)
		bw_pen_right(pen, at->second_cost, BW_STYLE_NORMAL, "%s", bw_say_cost(second).text);
	if (first > 0 && second > 0 && first != second)
		bw_pen_right(pen, at->change, second < first ? BW_STYLE_KEPT : BW_STYLE_DROPPED, "%s",
			     bw_change_of(model, first, second).text);
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_comparison *comparison = bw_session_comparison(scene->session);
	struct columns at = columns_for(sheet->grid.columns);
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (!comparison)
		return;
	for (int i = 0; i < 2 && comparison->code; i++) {
		bw_pen_to(&pen, half_at(sheet, i) + RUNS);
		bw_pen_field(&pen, half_at(sheet, 1) - RUNS - GAP, BW_STYLE_DIM, comparison->labels[i]);
	}
	if (comparison->code)
		return;
	bw_pen_puts(&pen, BW_STYLE_DIM, "Func");
	bw_pen_to(&pen, at.first);
	bw_pen_field(&pen, at.words, BW_STYLE_DIM, comparison->labels[0]);
	bw_pen_to(&pen, at.second);
	bw_pen_field(&pen, at.words, BW_STYLE_DIM, comparison->labels[1]);
}

static double sum(const double terms[BW_MOST_TERMS])
{
	double all = 0;
	for (int t = 0; t < BW_MOST_TERMS; t++)
		all += terms[t];
	return all;
}

static const char *words_of(const struct bw_scene *scene, const struct bw_comparison *comparison, int side,
			    int func, int columns)
{
	const struct bw_placed *placed = bw_comparison_placed(comparison, side, func);
	if (!comparison->nests[side])
		return "in C++ alone";
	return placed ? bw_scene_words_within(scene, placed->placement, columns) : "not placed";
}

static void draw_func(const struct bw_scene *scene, struct bw_sheet *sheet,
		      const struct bw_comparison *comparison, int func)
{
	bool wanted = bw_sheet_wanted(sheet), same = bw_comparison_same(comparison, func);
	struct columns at = columns_for(sheet->grid.columns);
	double terms[2][BW_MOST_TERMS];
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_FUNC, .index = func});
	if (!wanted)
		return;
	for (int i = 0; i < 2; i++)
		bw_cost_terms(scene->pipeline, &comparison->costs[i], func, terms[i]);
	bw_pen_field(&pen, at.name, same ? BW_STYLE_DIM : BW_STYLE_STRONG,
		     bw_scene_short(scene, func, at.name));
	bw_pen_to(&pen, at.first);
	bw_pen_field(&pen, at.words, same ? BW_STYLE_DIM : BW_STYLE_NORMAL,
		     words_of(scene, comparison, 0, func, at.words));
	draw_first(&pen, &at, sum(terms[0]));
	bw_pen_to(&pen, at.second);
	if (same)
		bw_pen_puts(&pen, BW_STYLE_DIM, "the same");
	else
		bw_pen_field(&pen, at.words, BW_STYLE_MARK, words_of(scene, comparison, 1, func, at.words));
	draw_second(&pen, &at, NULL, sum(terms[0]), sum(terms[1]));
}

/* Returns true if both sides place a Func alike and its cost is equal in both. */
static bool is_alike(const struct bw_scene *scene, const struct bw_comparison *comparison, int func)
{
	double terms[2][BW_MOST_TERMS];
	for (int i = 0; i < 2; i++)
		bw_cost_terms(scene->pipeline, &comparison->costs[i], func, terms[i]);
	return bw_comparison_same(comparison, func) &&
	       !strcmp(bw_say_cost(sum(terms[0])).text, bw_say_cost(sum(terms[1])).text);
}

/* Draws a row for each Func that differs and for the selected one; then lists the equal Funcs in one
 * text. */
static void draw_funcs(const struct bw_scene *scene, struct bw_sheet *sheet,
		       const struct bw_comparison *comparison)
{
	BW_SCOPED_TEXT same = {0};
	for (int i = scene->first, last = -1; i < scene->end; i++) {
		int next = bw_search_decision(scene->session->search, i)->func;
		if (next != last && next != scene->session->selection.func && is_alike(scene, comparison, next))
			bw_text_printf(&same, "%s%s", same.length ? ", " : "", scene->pipeline->funcs[next].name);
		else if (next != last)
			draw_func(scene, sheet, comparison, next);
		last = next;
	}
	if (same.length)
		bw_sheet_say(sheet, BW_STYLE_DIM, "the same in both: %s", bw_text_get(&same));
}

/* Draws a term's coefficient and factor under the learned model, for both sides, on a row of its own. */
static void draw_products(struct bw_sheet *sheet, const struct columns *at,
			  const struct bw_learned_cost *const learned[2], int term)
{
	int coefficient = bw_component_info((enum bw_component)term)->coefficient;
	struct bw_pen pen = bw_sheet_plain(sheet);
	for (int i = 0; i < 2; i++) {
		char product[64];
		snprintf(product, sizeof product, "c%d %.4g x %.4g", coefficient,
			 learned[i]->coefficients[coefficient], learned[i]->factors[term]);
		bw_pen_to(&pen, i ? at->second : at->first);
		bw_pen_field(&pen, at->words, BW_STYLE_DIM, product);
	}
}

/* Draws a value of one side as a bar in the column of the side's words. most: the value of a full bar. */
static void draw_bar(struct bw_pen *pen, const struct columns *at, int side, double figure, double most)
{
	enum { LEFT = 16, LEAST = 6 };
	int from = side               ? at->second
		   : at->first < LEFT ? LEFT
				      : at->first,
	    room = (side ? at->second : at->first) + at->words - from - 1;
	bw_pen_to(pen, from);
	if (room >= LEAST && most > 0)
		bw_pen_bar(pen, room, bw_style_heat(figure / most), figure / most);
}

/* Draws a value of both sides, with bars if `most` is not 0. model: as in draw_second. */
static void draw_both(struct bw_pen *pen, const struct columns *at, const struct bw_cost_model *model,
		      double first, double second, double most)
{
	if (most > 0)
		draw_bar(pen, at, 0, first, most);
	draw_first(pen, at, first);
	if (most > 0)
		draw_bar(pen, at, 1, second, most);
	draw_second(pen, at, model, first, second);
}

/* Draws the terms of both sides, except terms that are 0 on both. whose: the model if the terms are of
 * whole schedules; else NULL. learned: NULL if coefficients are not shown. */
static void draw_terms(const struct bw_scene *scene, struct bw_sheet *sheet, const char *name,
		       const struct bw_cost_model *whose, double terms[2][BW_MOST_TERMS],
		       const struct bw_learned_cost *const learned[2])
{
	struct columns at = columns_for(sheet->grid.columns);
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_TITLE, name);
	double whole = learned ? 0 : sum(terms[0]) > sum(terms[1]) ? sum(terms[0]) : sum(terms[1]);
	draw_both(&pen, &at, whose, sum(terms[0]), sum(terms[1]), whole);
	for (int t = 0; t < scene->options->model->n_terms; t++) {
		if (!(terms[0][t] > 0) && !(terms[1][t] > 0))
			continue;
		pen = bw_sheet_plain(sheet);
		bw_pen_printf(&pen, BW_STYLE_DIM, "  %s", scene->options->model->terms[t].name);
		draw_both(&pen, &at, NULL, terms[0][t], terms[1][t], whole);
		if (learned)
			draw_products(sheet, &at, learned, t);
	}
}

static void draw_all_terms(const struct bw_scene *scene, struct bw_sheet *sheet,
			   const struct bw_comparison *comparison)
{
	double terms[2][BW_MOST_TERMS];
	for (int i = 0; i < 2; i++)
		bw_cost_terms(scene->pipeline, &comparison->costs[i], -1, terms[i]);
	draw_terms(scene, sheet, "all", scene->options->model, terms, NULL);
}

/* Draws the selected Func's terms: sums over its stages; under the learned model each stage with
 * coefficients and factors. */
static void draw_func_terms(const struct bw_scene *scene, struct bw_sheet *sheet,
			    const struct bw_comparison *comparison, int func)
{
	const struct bw_func *about = &scene->pipeline->funcs[func];
	const struct bw_learned_cost *learned[] = {bw_comparison_learned(scene->session, 0),
						   bw_comparison_learned(scene->session, 1)};
	double terms[2][BW_MOST_TERMS];
	if (!learned[0] || !learned[1]) {
		for (int i = 0; i < 2; i++)
			bw_cost_terms(scene->pipeline, &comparison->costs[i], func, terms[i]);
		draw_terms(scene, sheet, about->name, NULL, terms, NULL);
		return;
	}
	for (int s = 0; s < about->n_stages; s++) {
		int n = about->first_stage + s;
		for (int i = 0; i < 2; i++)
			memcpy(terms[i], comparison->costs[i].stages[n].terms, sizeof terms[i]);
		const struct bw_learned_cost *const of[] = {&learned[0][n], &learned[1][n]};
		draw_terms(scene, sheet,
			   s ? bw_scene_text(scene, "%s.update%d", about->name, s - 1) : about->name, NULL,
			   terms, of);
	}
	bw_sheet_say(sheet, BW_STYLE_DIM, "  coefficients times factors, times %g", BW_COMPONENT_SCALE);
}

/* Draws the measured times of both in ms, or how to measure. */
static void draw_measured(const struct bw_scene *scene, struct bw_sheet *sheet,
			  const struct bw_comparison *comparison)
{
	struct columns at = columns_for(sheet->grid.columns);
	const struct bw_timing *timings[2];
	double ms[2] = {0};
	for (int i = 0; i < 2; i++) {
		timings[i] = bw_comparison_timing(scene->session, comparison, i);
		ms[i] = timings[i] ? timings[i]->measurement.minimum : 0;
	}
	if (!timings[0] && !timings[1] && comparison->nests[0] && comparison->nests[1])
		return;
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_TITLE, "measured, ms");
	for (int i = 0; i < 2; i++) {
		int column = i ? at.second : at.first;
		bw_pen_to(&pen, column);
		if (!timings[i])
			bw_pen_field(&pen, at.words, BW_STYLE_DIM,
				     strcmp(comparison->labels[i], BW_HAND) ? "not measured"
									    : "not yet: time hand");
		else
			bw_pen_field(&pen, at.words, BW_STYLE_DIM,
				     timings[i]->measurement.cpu ? "cpu" : timings[i]->measurement.device);
		if (i)
			draw_second(&pen, &at, NULL, ms[0], ms[1]);
		else
			draw_first(&pen, &at, ms[0]);
	}
}

/* Draws the kernels of both sides in launch order, side by side. */
static void draw_kernels(const struct bw_scene *scene, struct bw_sheet *sheet,
			 const struct bw_comparison *comparison)
{
	struct columns at = columns_for(sheet->grid.columns);
	const struct bw_kernel *kernels[2];
	int n[2];
	for (int i = 0; i < 2; i++)
		kernels[i] = bw_nest_kernels(comparison->nests[i], scene->arena, &n[i]);
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_TITLE, "kernels");
	for (int i = 0; i < 2; i++) {
		bw_pen_to(&pen, i ? at.second : at.first);
		bw_pen_printf(&pen, BW_STYLE_DIM, "%d", n[i]);
	}
	for (int k = 0; k < n[0] || k < n[1]; k++) {
		pen = bw_sheet_plain(sheet);
		bw_pen_printf(&pen, BW_STYLE_DIM, "  %d", k + 1);
		for (int i = 0; i < 2; i++) {
			if (k >= n[i])
				continue;
			const struct bw_kernel *kernel = &kernels[i][k];
			bw_pen_to(&pen, i ? at.second : at.first);
			bw_pen_field(&pen, at.words, BW_STYLE_NORMAL,
				     bw_scene_text(scene, "%s %s of %s",
						   scene->pipeline->funcs[kernel->func].name,
						   bw_say_extents(kernel->blocks).text,
						   bw_say_extents(kernel->threads).text));
			bw_pen_right(
			    &pen, i ? at.second_cost : at.first_cost, BW_STYLE_NORMAL, "%s",
			    bw_say_cost(bw_kernel_cost(scene->pipeline, kernel, &comparison->costs[i])).text);
		}
	}
}

/* Draws both loop nests side by side. */
static void draw_nests(const struct bw_scene *scene, struct bw_sheet *sheet,
		       const struct bw_comparison *comparison)
{
	int columns = (sheet->grid.columns - sheet->margin - 2) / 2;
	struct bw_sheet halves[2];
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_TITLE, "loop nests");
	for (int i = 0; i < 2; i++) {
		struct bw_scene side = *scene;
		struct bw_state state = {.nest = (struct bw_nest *)comparison->nests[i],
					 .cost = comparison->costs[i].total};
		halves[i] = bw_sheet_new(columns, sheet->grid.ascii);
		halves[i].margin = 0;
		side.state = &state;
		side.cost = &comparison->costs[i];
		side.kernels = bw_kernel_facts(state.nest, bw_search_device(scene->session->search), NULL, side.cost,
					       scene->arena, &side.n_kernels);
		side.complete = bw_nest_complete(state.nest);
		side.marks = false;
		bw_view_nest.fill(&side, &halves[i]);
	}
	for (int y = 0; y < halves[0].n_rows || y < halves[1].n_rows; y++) {
		bw_sheet_plain(sheet);
		for (int i = 0; i < 2; i++)
			if (y < halves[i].n_rows)
				bw_grid_copy(&sheet->grid,
					     (struct bw_rect){sheet->margin + i * (columns + 2),
							      sheet->n_rows - 1, columns, 1},
					     &halves[i].grid, y);
	}
	for (int i = 0; i < 2; i++)
		bw_sheet_free(&halves[i]);
}

/* Returns true if a row differs by more than a line that moved. */
static bool differs(const struct bw_diff_row *row)
{
	return !row->same && ((row->side[0].text && !row->side[0].moved) ||
			      (row->side[1].text && !row->side[1].moved));
}

static void draw_row(struct bw_sheet *sheet, const struct bw_diff_row *row, const double all[2])
{
	bool wanted = bw_sheet_wanted(sheet), other = differs(row);
	struct bw_pen pen = bw_sheet_plain(sheet);
	for (int i = 0; i < 2 && wanted; i++) {
		const struct bw_diff_line *line = &row->side[i];
		if (i) {
			bw_pen_to(&pen, half_at(sheet, 1) - 2);
			bw_pen_puts(&pen, BW_STYLE_MARK, row->same ? "" : !other ? "~" : !row->side[1].text ? "<" : !row->side[0].text ? ">" : "|");
		}
		if (!line->text)
			continue;
		int at = half_at(sheet, i), indent = RUNS + (line->depth < 8 ? line->depth : 8);
		bw_pen_right(&pen, at + RUNS - 1,
			     line->runs > 0 ? bw_style_heat(line->runs / all[i]) : BW_STYLE_DIM, "%s",
			     bw_say_short(line->runs).text);
		bw_pen_to(&pen, at + indent);
		bw_pen_field(&pen, half_at(sheet, 1) - GAP - indent,
			     !other || line->moved ? BW_STYLE_DIM : i ? BW_STYLE_KEPT : BW_STYLE_DROPPED, line->text);
	}
}

/* Draws the lines that differ, with some equal lines around them. */
static void draw_diff(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_diff *diff,
		      const char *name, const double all[2])
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_TITLE, name);
	bw_pen_puts(&pen, BW_STYLE_DIM, !diff->only[0] && !diff->only[1]
		? bw_scene_text(scene, "  the same%s", diff->moved ? " but for the order" : "")
		: bw_scene_text(scene, "  %d < %d >%s", diff->only[0], diff->only[1],
				diff->moved ? bw_scene_text(scene, ", %d ~", diff->moved) : ""));
	for (int k = 0, near = -1 - BESIDE, hidden = 0; k < diff->n; k++) {
		int ahead = k;
		while (ahead < diff->n && ahead <= k + BESIDE && !differs(&diff->rows[ahead]))
			ahead++;
		bool shown = (ahead < diff->n && ahead <= k + BESIDE) || k - near <= BESIDE;
		near = differs(&diff->rows[k]) ? k : near;
		if (shown && hidden) {
			pen = bw_sheet_plain(sheet);
			bw_pen_printf(&pen, BW_STYLE_DIM, "%*s%d lines", RUNS, "", hidden);
		}
		hidden = shown ? 0 : hidden + 1;
		if (shown)
			draw_row(sheet, &diff->rows[k], all);
	}
}

static void draw_code(const struct bw_scene *scene, struct bw_sheet *sheet,
		      const struct bw_comparison *comparison)
{
	const struct bw_code_diff *diff = bw_comparison_code_diff(scene->session);
	for (int i = 0; i < 2 && !diff; i++)
		if (!bw_comparison_code(scene->session, comparison, i))
			bw_sheet_say(sheet, BW_STYLE_DIM,
				     "no code of %s yet: it is compiled and counted in the background, "
				     "unless that failed (view timings)",
				     comparison->labels[i]);
	for (int k = 0; diff && k < diff->n; k++) {
		const struct bw_kernel_diff *kernel = &diff->kernels[k];
		double all[2] = {1, 1};
		struct bw_pen pen = bw_sheet_plain(sheet);
		for (int i = 0; i < 2; i++) {
			const struct bw_code_kernel *of = kernel->kernels[i];
			all[i] = of && of->runs > 0 ? of->runs : 1;
			bw_pen_to(&pen, half_at(sheet, i));
			bw_pen_field(&pen, half_at(sheet, 1) - GAP, BW_STYLE_STRONG,
				     of ? bw_scene_text(scene, "%s instructions: %s", bw_say_short(of->runs).text, of->loops->text)
					: "no such kernel");
		}
		for (int text = 0; text < BW_N_CODE_TEXTS && kernel->kernels[0] && kernel->kernels[1]; text++)
			draw_diff(scene, sheet, &kernel->texts[text], bw_code_text_words((enum bw_code_text)text), all);
		bw_sheet_plain(sheet);
	}
	bw_sheet_wrap(sheet, BW_STYLE_DIM, diff ? "< and >: in one alone; |: both, and they differ; ~: an equal line stands elsewhere. Numbers of registers, labels "
						  "and parameters do not count." : "");
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_comparison *comparison = bw_session_comparison(scene->session);
	int func = scene->session->selection.func;
	if (!comparison) {
		bw_sheet_wrap(
		    sheet, BW_STYLE_DIM,
		    bw_scene_keys(
			scene,
			"Nothing is compared yet: {compare} compares the selected state or option with the best one; `compare 1 3`, `compare A3 C9`, `compare FILE`, `compare hand` what is named."));
		return;
	}
	if (comparison->code) {
		draw_code(scene, sheet, comparison);
		return;
	}
	draw_funcs(scene, sheet, comparison);
	draw_all_terms(scene, sheet, comparison);
	draw_measured(scene, sheet, comparison);
	if (func >= 0 && bw_comparison_placed(comparison, 0, func) &&
	    bw_comparison_placed(comparison, 1, func))
		draw_func_terms(scene, sheet, comparison, func);
	if (comparison->nests[0] && comparison->nests[1]) {
		draw_kernels(scene, sheet, comparison);
		draw_nests(scene, sheet, comparison);
	}
}

const struct bw_view bw_view_compare = {
    .name = "compare", .selects = BW_ROW_FUNC, .title = title, .head_rows = 1, .head = head, .fill = fill};
