/* Two schedules side by side: each Func's placements with the differences marked; below, the costs by
 * term, of the whole and of the selected Func. */
#include <stdio.h>
#include <string.h>

#include "session/change.h"
#include "session/comparison.h"
#include "ui/glyph.h"
#include "ui/say.h"
#include "ui/view.h"

/* Columns by width. */
struct columns {
	int name, words, first, first_cost, second, second_cost, change;
};

static struct columns columns_for(int width)
{
	int name = width >= 90 ? 16 : 10, cost = 8, change = 8, words = (width - name - 2 * cost - change - 6) / 2;
	words = words < 8 ? 8 : words;
	struct columns at = {.name = name, .words = words, .first = name + 2};
	at.first_cost = at.first + words + cost;
	at.second = at.first_cost + 2;
	at.second_cost = at.second + words + cost;
	at.change = at.second_cost + change;
	return at;
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_comparison *comparison = bw_session_comparison(scene->session);
	if (!comparison)
		return "COMPARE";
	*right = bw_scene_text(scene, "%s", scene->options->model->unit);
	return bw_scene_text(scene, "COMPARE %s with %s", comparison->labels[0], comparison->labels[1]);
}

static void draw_first(struct bw_pen *pen, const struct columns *at, double first)
{
	if (first > 0)
		bw_pen_right(pen, at->first_cost, BW_STYLE_NORMAL, "%s", bw_say_cost(first).text);
}

/* Draws the second cost, and its difference to the first in percent, or as a factor if that is large. */
static void draw_second(struct bw_pen *pen, const struct columns *at, double first, double second)
{
	if (second > 0)
		bw_pen_right(pen, at->second_cost, BW_STYLE_NORMAL, "%s", bw_say_cost(second).text);
	if (first > 0 && second > 0 && first != second)
		bw_pen_right(pen, at->change, second < first ? BW_STYLE_KEPT : BW_STYLE_DROPPED, "%s",
			     bw_change_of(first, second).text);
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_comparison *comparison = bw_session_comparison(scene->session);
	struct columns at = columns_for(sheet->grid.columns);
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (!comparison)
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
	bw_pen_field(&pen, at.name, same ? BW_STYLE_DIM : BW_STYLE_STRONG, bw_scene_short(scene, func, at.name));
	bw_pen_to(&pen, at.first);
	bw_pen_field(&pen, at.words, same ? BW_STYLE_DIM : BW_STYLE_NORMAL,
		     words_of(scene, comparison, 0, func, at.words));
	draw_first(&pen, &at, sum(terms[0]));
	bw_pen_to(&pen, at.second);
	if (same)
		bw_pen_puts(&pen, BW_STYLE_DIM, "the same");
	else
		bw_pen_field(&pen, at.words, BW_STYLE_MARK, words_of(scene, comparison, 1, func, at.words));
	draw_second(&pen, &at, sum(terms[0]), sum(terms[1]));
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

/* Draws the terms of both sides, without those that are 0 on both. learned: NULL if coefficients are not
 * shown. */
static void draw_terms(const struct bw_scene *scene, struct bw_sheet *sheet, const char *name,
		       double terms[2][BW_MOST_TERMS], const struct bw_learned_cost *const learned[2])
{
	struct columns at = columns_for(sheet->grid.columns);
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_TITLE, name);
	draw_first(&pen, &at, sum(terms[0]));
	draw_second(&pen, &at, sum(terms[0]), sum(terms[1]));
	for (int t = 0; t < scene->options->model->n_terms; t++) {
		if (!(terms[0][t] > 0) && !(terms[1][t] > 0))
			continue;
		pen = bw_sheet_plain(sheet);
		bw_pen_printf(&pen, BW_STYLE_DIM, "  %s", scene->options->model->terms[t].name);
		draw_first(&pen, &at, terms[0][t]);
		draw_second(&pen, &at, terms[0][t], terms[1][t]);
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
	draw_terms(scene, sheet, "all", terms, NULL);
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
		draw_terms(scene, sheet, about->name, terms, NULL);
		return;
	}
	for (int s = 0; s < about->n_stages; s++) {
		int n = about->first_stage + s;
		for (int i = 0; i < 2; i++)
			memcpy(terms[i], comparison->costs[i].stages[n].terms, sizeof terms[i]);
		const struct bw_learned_cost *const of[] = {&learned[0][n], &learned[1][n]};
		draw_terms(scene, sheet,
			   s ? bw_scene_text(scene, "%s.update%d", about->name, s - 1) : about->name, terms,
			   of);
	}
	bw_sheet_wrap(sheet, BW_STYLE_DIM,
		      bw_scene_text(scene, "  coefficients times factors, times %g", BW_COMPONENT_SCALE));
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
			draw_second(&pen, &at, ms[0], ms[1]);
		else
			draw_first(&pen, &at, ms[0]);
	}
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
	for (int i = scene->first, last = -1; i < scene->end; i++) {
		int next = bw_search_decision(scene->search, i)->func;
		if (next != last)
			draw_func(scene, sheet, comparison, next);
		last = next;
	}
	draw_all_terms(scene, sheet, comparison);
	draw_measured(scene, sheet, comparison);
	if (func >= 0 && bw_comparison_placed(comparison, 0, func) && bw_comparison_placed(comparison, 1, func))
		draw_func_terms(scene, sheet, comparison, func);
}

const struct bw_view bw_view_compare = {
    .name = "compare", .selects = BW_ROW_FUNC, .title = title, .head_rows = 1, .head = head, .fill = fill};
