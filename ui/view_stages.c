/* The cost of each Func in the selected state, its share, and the terms of the selected Func. */
#include <math.h>

#include "figures/attribution.h"
#include "figures/graph.h"
#include "ui/glyph.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (scene->cost)
		*right = bw_scene_text(scene, "%s%s %s%s", bw_say_cost(scene->cost->total).text,
				       bw_scene_spills(scene, scene->state) ? "!" : "", scene->options->model->said,
				       scene->session->sort == BW_SORT_COST   ? ""
				       : scene->session->sort == BW_SORT_NAME ? ", by name"
									      : ", as decided");
	int inside = scene->session->listed_inside;
	return bw_scene_text(scene, "STAGES of state %d%s%s", scene->session->selection.state + 1,
			     inside >= 0                ? ", in "
			     : *scene->session->listed ? ", with "
						       : "",
			     inside >= 0 ? scene->pipeline->funcs[inside].name : scene->session->listed);
}

/* Columns by the pane's width. */
struct columns {
	int name, cost, share, bar;
};

static struct columns columns_for(int width)
{
	int name = width >= 46 ? 18 : 13;
	return (struct columns){name, name + 8, name + 14, name + 16};
}

/* Draws a cost with its share of the whole. The share sets the colour, except for the cost of a part of a
 * Func. */
static void draw_share(struct bw_pen *pen, const struct columns *at, double cost, double share, bool part)
{
	bw_pen_right(pen, at->cost, BW_STYLE_NORMAL, "%s", bw_say_cost(cost).text);
	bw_pen_right(pen, at->share, part ? BW_STYLE_NORMAL : bw_style_heat(share), "%s", bw_say_percent(share).text);
	bw_pen_to(pen, at->bar);
	bw_pen_bar(pen, bw_pen_left(pen), part ? BW_STYLE_DIM : bw_style_heat(share), share);
}

/* Draws the terms of a Func's stages, largest first, without those below one percent of the whole. */
static void draw_terms(const struct bw_scene *scene, struct bw_sheet *sheet, int func)
{
	const struct bw_func *about = &scene->pipeline->funcs[func];
	struct columns at = columns_for(sheet->grid.columns);
	double terms[BW_MOST_TERMS] = {0};
	for (int stage = 0; stage < about->n_stages; stage++)
		for (int term = 0; term < BW_MOST_TERMS; term++)
			terms[term] += scene->cost->stages[about->first_stage + stage].terms[term];
	for (int shown = 0; shown < BW_MOST_TERMS; shown++) {
		int largest = 0;
		for (int term = 1; term < BW_MOST_TERMS; term++)
			largest = terms[term] > terms[largest] ? term : largest;
		double share = terms[largest] / scene->cost->total;
		if (!(share >= 0.005))
			return;
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_FUNC, .index = func, .again = true});
		bw_pen_printf(&pen, BW_STYLE_DIM, " %s", scene->options->model->terms[largest].name);
		draw_share(&pen, &at, terms[largest], share, true);
		terms[largest] = 0;
	}
}

/* Draws how the selected Func's cost divides among it and the Funcs inlined into it, most expensive
 * first, without parts below one percent of the whole. */
static void draw_parts(const struct bw_scene *scene, struct bw_sheet *sheet, int func)
{
	enum { MOST = 5 };
	const struct bw_func *about = &scene->pipeline->funcs[func];
	struct columns at = columns_for(sheet->grid.columns);
	int n, stage = about->n_stages - 1, drawn = 0;
	const struct bw_part *parts =
	    bw_parts_of(scene->state->nest, func, stage, scene->options->model,
			&scene->cost->stages[about->first_stage + stage],
			bw_search_device(scene->session->search), scene->arena, &n);
	for (int i = 0; i < n && n > 1 && drawn < MOST; i++) {
		double share = parts[i].ms / scene->cost->total;
		if (!(share >= 0.005))
			continue;
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_FUNC, .index = func, .again = true});
		drawn++;
		const char *words =
		    parts[i].func == func
			? "itself"
			: bw_scene_text(scene, "in %s", bw_scene_short(scene, parts[i].func, at.name - 5));
		bw_pen_printf(&pen, BW_STYLE_NORMAL, " %s", words);
		draw_share(&pen, &at, parts[i].ms, share, true);
	}
}

/* Returns a text for Funcs without a cost of their own: the cost of an inlined Func is part of its
 * readers' costs. */
static const char *without_cost(const struct bw_scene *scene, int func)
{
	const struct bw_placed *placed = bw_scene_placed(scene, func);
	if (!placed)
		return "not placed yet";
	const struct bw_func *about = &scene->pipeline->funcs[func];
	if (about->n_consumers == 0)
		return "";
	const char *first = scene->pipeline->funcs[about->consumers[0]->func].name;
	return bw_scene_text(scene, about->n_consumers > 1 ? "inside %s ..." : "inside %s", first);
}

/* A row: a Func or a family, with its sort keys. */
struct row {
	int func; /* of a family: the selected Func, or else the most expensive */
	int n;    /* Funcs of the folded family; 1: a Func alone */
	int place;        /* in the order of decisions */
	double cost;      /* of all its Funcs; below 0: not placed */
	double most;      /* of `func` */
	double key;       /* the highest is first */
	const char *name; /* NULL: names do not count */
};

static void draw_func(const struct bw_scene *scene, struct bw_sheet *sheet, int func)
{
	struct columns at = columns_for(sheet->grid.columns);
	double share = bw_scene_share(scene, func);
	struct bw_pen pen = bw_sheet_row(sheet, bw_scene_row(scene, func));
	const char *held = bw_scene_held(scene, func);
	const char *name = bw_scene_short(scene, func, at.name - 1 - (*held ? 1 + bw_glyph_columns(held) : 0));
	bw_pen_field(&pen, at.name, share > 0 ? BW_STYLE_STRONG : BW_STYLE_NORMAL,
		     bw_scene_text(scene, "%s%s%s", name, *held ? " " : "", held));
	if (!(share > 0)) {
		bw_pen_puts(&pen, BW_STYLE_DIM, without_cost(scene, func));
		return;
	}
	draw_share(&pen, &at, bw_scene_func_cost(scene, func), share, false);
	if (func == scene->session->selection.func) {
		draw_terms(scene, sheet, func);
		draw_parts(scene, sheet, func);
	}
}

/* Draws a family as one row, with the cost of all its Funcs. */
static void draw_family(const struct bw_scene *scene, struct bw_sheet *sheet, const struct row *row)
{
	struct columns at = columns_for(sheet->grid.columns);
	double share = scene->cost && scene->cost->total > 0 ? fmax(row->cost, 0) / scene->cost->total : 0;
	struct bw_pen pen = bw_sheet_row(sheet, bw_scene_row(scene, row->func));
	const char *count = bw_scene_text(scene, " %d", row->n);
	char name[4 * 32];
	bw_glyph_shorten(bw_family_name(scene->pipeline, row->func, scene->arena),
			 at.name - 2 - bw_glyph_columns(count), name, sizeof name);
	bw_pen_field(&pen, at.name, share > 0 ? BW_STYLE_STRONG : BW_STYLE_NORMAL,
		     bw_scene_text(scene, "+%s%s", name, count));
	if (!(share > 0)) {
		bw_pen_puts(&pen, BW_STYLE_DIM, row->cost < 0 ? "not placed yet" : "all inlined");
		return;
	}
	draw_share(&pen, &at, row->cost, share, false);
	if (row->func != scene->session->selection.func || !(row->most > 0))
		return;
	pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_FUNC, .index = row->func, .again = true});
	bw_pen_printf(&pen, BW_STYLE_NORMAL, " %s", bw_scene_short(scene, row->func, at.name - 2));
	draw_share(&pen, &at, row->most, row->most / scene->cost->total, false);
	draw_terms(scene, sheet, row->func);
	draw_parts(scene, sheet, row->func);
}

static int by_order(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	int named = a->name && b->name ? strcmp(a->name, b->name) : 0;
	if (named)
		return named;
	return a->key != b->key ? (a->key > b->key ? -1 : 1) : a->place - b->place;
}

/* Returns whether `filter` lets a Func be listed; the selected one always is. */
static bool is_listed(const struct bw_scene *scene, int func)
{
	const struct bw_session *session = scene->session;
	int inside = session->listed_inside;
	if (func == session->selection.func || (!*session->listed && inside < 0))
		return true;
	if (inside < 0)
		return strstr(scene->pipeline->funcs[func].name, session->listed) != NULL;
	const struct bw_placed *placed = bw_scene_placed(scene, func);
	const struct bw_func *about = &scene->pipeline->funcs[func];
	if (func == inside || (placed && placed->kernel_func == inside))
		return true;
	/* An inlined Func is in the kernels of all Funcs that read it. */
	for (int c = 0; c < about->n_consumers && placed && placed->placement->compute.kind == BW_SITE_INLINE; c++)
		if (about->consumers[c]->func != func && is_listed(scene, about->consumers[c]->func))
			return true;
	return false;
}

/* Adds a Func to the row of its family. */
static void join(const struct bw_scene *scene, struct row *row, int func, double cost)
{
	int selected = scene->session->selection.func;
	row->n++;
	if (row->func != selected && (func == selected || cost > row->most)) {
		row->func = func;
		row->most = cost;
	}
	row->cost = cost < 0 ? row->cost : fmax(row->cost, 0) + cost;
}

/* Returns the rows for the listed Funcs of this pass in the requested order: by cost, then Funcs
 * without a cost of their own, then Funcs not placed. Sets n to the number of rows, funcs to the number
 * of Funcs in them, and left_out to the number of Funcs that `filter` hides. */
static struct row *rows_of(const struct bw_scene *scene, int *n, int *funcs, int *left_out)
{
	const struct bw_session *session = scene->session;
	struct bw_families families = bw_families_of(scene->pipeline, scene->arena);
	bool filtered = *session->listed || session->listed_inside >= 0;
	struct row *list = BW_ARENA_ARRAY(scene->arena, struct row, scene->end - scene->first + 1);
	int *row_of = BW_ARENA_ARRAY(scene->arena, int, scene->pipeline->n_funcs + 1);
	for (int f = 0; f < scene->pipeline->n_funcs; f++)
		row_of[f] = -1;
	*n = *funcs = *left_out = 0;
	for (int i = scene->first, last = -1; i < scene->end; i++) {
		int func = bw_search_decision(scene->session->search, i)->func, first = func < 0 ? func : families.of[func];
		if (func == last || func < 0)
			continue;
		last = func;
		if (!is_listed(scene, func)) {
			++*left_out;
			continue;
		}
		++*funcs;
		double cost = bw_scene_placed(scene, func) ? bw_scene_func_cost(scene, func) : -1;
		bool folded = !filtered && bw_family_folded(session, &families, func);
		if (folded && row_of[first] >= 0) {
			join(scene, &list[row_of[first]], func, cost);
			continue;
		}
		row_of[first] = folded ? *n : -1;
		list[(*n)++] = (struct row){.func = func, .n = 1, .place = i, .cost = cost, .most = cost,
					    .name = scene->pipeline->funcs[func].name};
	}
	return list;
}

static void sort_rows(const struct bw_scene *scene, struct row *list, int n)
{
	for (int i = 0; i < n; i++) {
		list[i].key = scene->session->sort == BW_SORT_COST ? list[i].cost : 0;
		if (scene->session->sort != BW_SORT_NAME)
			list[i].name = NULL;
	}
	if (n)
		qsort(list, (size_t)n, sizeof *list, by_order);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct columns at = columns_for(sheet->grid.columns);
	struct bw_pen pen = bw_sheet_plain(sheet);
	int n, funcs, left_out;
	struct row *list = rows_of(scene, &n, &funcs, &left_out);
	bw_pen_puts(&pen, BW_STYLE_DIM, n < funcs ? "Func, +group" : "Func");
	bw_pen_right(&pen, at.cost, BW_STYLE_DIM, "%s", scene->complete ? "cost" : "so far");
	bw_pen_right(&pen, at.share, BW_STYLE_DIM, "share");
	sort_rows(scene, list, n);
	for (int i = 0; i < n; i++)
		if (list[i].n > 1)
			draw_family(scene, sheet, &list[i]);
		else
			draw_func(scene, sheet, list[i].func);
	if (left_out)
		bw_sheet_say(sheet, BW_STYLE_DIM, "%d more: `filter` lists all", left_out);
	if (n < funcs)
		bw_sheet_say(sheet, BW_STYLE_DIM, "%d Funcs in %d rows: %s opens the selected row with a +",
			     funcs, n, bw_scene_key(scene, "do fold"));
}

const struct bw_view bw_view_stages = {
    .name = "stages", .selects = BW_ROW_FUNC, .title = title, .fill = fill};
