/* The stages of the selected Func in full: costs under both models by term, with the coefficients if there
 * are weights; the values of the roofline; all features of the schedule and of the algorithm. */

#include "base/say.h"
#include "figures/attribution.h"
#include "session/comparison.h"
#include "ui/view.h"

/* Columns: the beginning of names, the end of numbers, and the beginnings of units and meanings. From WIDE
 * columns on, a meaning is in the row of its number. From ROOM columns on, a number is in the row of its
 * name. */
enum {
	FIGURE = 60,
	UNIT = 62,
	MEANING = 76,
	ROOM = 76,
	WIDE = 132,
	TYPES = 24,
	TYPE = 9,
	TYPES_ROOM = TYPES + BW_N_TYPES * TYPE + 4
};

static const char *title(const struct bw_scene *scene, const char **right)
{
	int func = scene->session->selection.func;
	const struct bw_cost_model *weights = scene->options->weights;
	*right = weights ? weights->title : "no weights";
	return func < 0
		   ? "FEATURES"
		   : bw_scene_text(scene, "FEATURES of %s in state %d", scene->pipeline->funcs[func].name,
				   scene->session->selection.state + 1);
}

/* Draws a number under its name, with unit and meaning. */
static void draw_figure(const struct bw_scene *scene, struct bw_sheet *sheet, const char *name,
			const char *figure, const char *unit, const char *meaning)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bool room = sheet->grid.columns >= ROOM, nothing = !strcmp(figure, "0");
	bw_pen_puts(&pen, nothing ? BW_STYLE_DIM : BW_STYLE_NORMAL, name);
	if (room) {
		bw_pen_right(&pen, FIGURE, nothing ? BW_STYLE_DIM : BW_STYLE_NORMAL, "%s", figure);
		bw_pen_to(&pen, UNIT);
		bw_pen_puts(&pen, BW_STYLE_DIM, unit);
	}
	if (sheet->grid.columns >= WIDE) {
		bw_pen_to(&pen, MEANING);
		bw_pen_puts(&pen, BW_STYLE_DIM, meaning);
		return;
	}
	bw_sheet_wrap(sheet, room ? BW_STYLE_DIM : BW_STYLE_NORMAL,
		      room ? bw_scene_text(scene, "  %s", meaning)
			   : bw_scene_text(scene, "  %s %s: %s", figure, unit, meaning));
}

static void draw_heading(struct bw_sheet *sheet, const char *text)
{
	bw_sheet_plain(sheet);
	bw_sheet_wrap(sheet, BW_STYLE_TITLE, text);
}

/* Draws a figure of the roofline: bytes with a prefix, points and other large numbers with commas. */
static void draw_amount(const struct bw_scene *scene, struct bw_sheet *sheet, const char *name, double amount,
			const char *unit, const char *meaning)
{
	enum { LARGE = 10000 };
	bool bytes = !strcmp(unit, "bytes");
	struct bw_said said = bytes ? bw_say_bytes(amount) : bw_say_count(amount);
	draw_figure(scene, sheet, name,
		    bytes || amount >= LARGE ? bw_scene_text(scene, "%s", said.text)
					     : bw_scene_text(scene, "%.6g", amount),
		    bytes ? "" : unit, meaning);
}

/* Draws the operations on which a stage spends its arithmetic, including the Funcs inlined into it. */
static void draw_spent(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_stage_cost *cost,
		       int func, int stage)
{
	int n;
	BW_SCOPED_TEXT text = {0};
	const struct bw_spent *spent = bw_spent_of(scene->state->nest, func, stage, cost,
						   bw_search_device(scene->session->search), scene->arena, &n);
	for (int i = 0; i < n; i++)
		bw_text_printf(&text, "%s%.4g %s %s", i ? ", " : "arithmetic goes to ", spent[i].count,
			       bw_operation_name(spent[i].operation),
			       bw_say_percent(spent[i].ms / cost->terms[BW_TERM_ARITHMETIC]).text);
	if (n)
		bw_sheet_say(sheet, BW_STYLE_DIM, "%s; counts a point, with what is inlined",
			     bw_text_get(&text));
}

/* Draws the terms of a model that are not 0. */
static void draw_terms(const struct bw_scene *scene, struct bw_sheet *sheet,
		       const struct bw_cost_model *model, const struct bw_stage_cost *cost)
{
	draw_heading(sheet,
		     bw_scene_text(scene, "%s: %s %s", model->title, bw_say_cost(cost->ms).text, model->unit));
	for (int t = 0; t < model->n_terms; t++)
		if (cost->terms[t] > 0)
			draw_figure(scene, sheet, model->terms[t].name, bw_say_cost(cost->terms[t]).text,
				    model->unit, model->terms[t].meaning);
}

/* Draws the terms of the roofline, and the figures that they depend on. */
static void draw_roofline(const struct bw_scene *scene, struct bw_sheet *sheet,
			  const struct bw_stage_cost *cost)
{
	draw_terms(scene, sheet, &bw_roofline, cost);
#define X(name, key, unit, text) draw_amount(scene, sheet, key, cost->name, unit, text);
	BW_FIGURE_TABLE(X)
#undef X
}

/* Draws the terms of the learned model: coefficient times factor. */
static void draw_learned(const struct bw_scene *scene, struct bw_sheet *sheet,
			 const struct bw_learned_cost *cost)
{
	draw_heading(sheet, bw_scene_text(scene, "learned: cost %s, coefficients times factors, times %g",
					  bw_say_cost(cost->cost).text, BW_COMPONENT_SCALE));
	for (int t = 0; t < BW_N_COMPONENTS; t++) {
		const struct bw_component_info *info = bw_component_info((enum bw_component)t);
		const char *product = bw_scene_text(scene, "c%d %.5g x %.6g", info->coefficient,
						    cost->coefficients[info->coefficient], cost->factors[t]);
		const char *meaning = sheet->grid.columns >= ROOM
					  ? bw_scene_text(scene, "%s: %s", product, info->meaning)
					  : bw_scene_text(scene, "= %s: %s", product, info->meaning);
		draw_figure(scene, sheet, info->name,
			    cost->terms[t] == 0 ? "0" : bw_scene_text(scene, "%.5g", cost->terms[t]),
			    sheet->grid.columns >= ROOM ? "cost" : "", meaning);
	}
}

static void draw_schedule(const struct bw_scene *scene, struct bw_sheet *sheet,
			  const float features[BW_SCHEDULE_FEATURES])
{
	draw_heading(sheet, bw_scene_text(scene, "features of the schedule, %d", BW_SCHEDULE_FEATURES));
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++) {
		const struct bw_feature_text *text = bw_schedule_feature_text((enum bw_schedule_feature)i);
		draw_figure(scene, sheet, text->name, bw_scene_text(scene, "%.8g", (double)features[i]),
			    text->unit, text->meaning);
	}
}

static void draw_types(struct bw_sheet *sheet)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "a point");
	for (int t = 0; t < BW_N_TYPES; t++)
		bw_pen_right(&pen, TYPES + (t + 1) * TYPE, BW_STYLE_DIM, "%s", bw_type_name((enum bw_type)t));
}

/* Draws a row of the algorithm's features: a column per type, or only the nonzero types if not all fit. */
static void draw_row(struct bw_sheet *sheet, int row, const float features[BW_N_TYPES])
{
	bool room = sheet->grid.columns >= TYPES_ROOM;
	struct bw_pen pen = bw_sheet_plain(sheet);
	BW_SCOPED_TEXT words = {0}, meaning = {0};
	bw_pen_puts(&pen, BW_STYLE_NORMAL, bw_pipeline_feature_row(row));
	for (int t = 0; t < BW_N_TYPES; t++) {
		if (room)
			bw_pen_right(&pen, TYPES + (t + 1) * TYPE,
				     features[t] > 0 ? BW_STYLE_NORMAL : BW_STYLE_DIM, "%g",
				     (double)features[t]);
		else if (features[t] > 0)
			bw_text_printf(&words, "%s%s %g", words.length ? ", " : "",
				       bw_type_name((enum bw_type)t), (double)features[t]);
	}
	bw_pipeline_feature_meaning(row, &meaning);
	if (sheet->grid.columns >= WIDE) {
		bw_pen_to(&pen, TYPES_ROOM - 2);
		bw_pen_puts(&pen, BW_STYLE_DIM, bw_text_get(&meaning));
	} else if (room) {
		bw_sheet_say(sheet, BW_STYLE_DIM, "  %s", bw_text_get(&meaning));
	} else {
		bw_sheet_say(sheet, BW_STYLE_DIM, "  %s a point: %s",
			     words.length ? bw_text_get(&words) : "0 of any type", bw_text_get(&meaning));
	}
}

static void draw_stage(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_details *details,
		       int func, int stage)
{
	const struct bw_func *about = &scene->pipeline->funcs[func];
	int n = about->first_stage + stage;
	if (stage > 0)
		draw_heading(sheet, bw_scene_text(scene, "%s.update%d", about->name, stage - 1));
	const struct bw_cost_model *model = scene->options->model;
	if (details->learned)
		draw_learned(scene, sheet, &details->learned[n]);
	if (model != &bw_roofline && !model->learned)
		draw_terms(scene, sheet, model, &scene->cost->stages[n]);
	draw_roofline(scene, sheet, &details->roofline.stages[n]);
	if (details->roofline.stages[n].terms[BW_TERM_ARITHMETIC] > 0)
		draw_spent(scene, sheet, &details->roofline.stages[n], func, stage);
	draw_schedule(scene, sheet, details->features[n].schedule);
	draw_heading(sheet, bw_scene_text(scene, "features of the algorithm, %d: %d rows by %d types",
					  BW_PIPELINE_FEATURES, BW_PIPELINE_FEATURE_ROWS, BW_N_TYPES));
	if (sheet->grid.columns >= TYPES_ROOM)
		draw_types(sheet);
	for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++)
		draw_row(sheet, row, &details->features[n].pipeline[row * BW_N_TYPES]);
}

/* Draws the name of the weights, and the cost of all stages of the state under both models. */
static void draw_models(const struct bw_scene *scene, struct bw_sheet *sheet,
			const struct bw_details *details)
{
	const struct bw_cost_model *weights = scene->options->weights;
	BW_SCOPED_TEXT text = {0};
	bw_text_puts(&text, "weights: ");
	if (weights)
		bw_weights_words(weights->learned, &text);
	else
		bw_text_puts(&text, "none were read, and there are no coefficients; `set weights=FILE` reads them");
	bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_text_get(&text));
	bw_text_clear(&text);
	bw_text_printf(&text, "the state%s: roofline %s ms", scene->complete ? "" : ", so far",
		       bw_say_cost(details->roofline.total).text);
	if (details->learned) {
		double *costs = BW_ARENA_ARRAY(scene->arena, double, scene->pipeline->n_stages + 1);
		for (int s = 0; s < scene->pipeline->n_stages; s++)
			costs[s] = details->learned[s].cost;
		bw_text_printf(&text, ", learned %s", bw_say_cost(bw_cost_total(costs, scene->pipeline->n_stages)).text);
	}
	bw_text_printf(&text, "; the search goes by %s", scene->options->model->name);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_text_get(&text));
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int func = scene->session->selection.func;
	const struct bw_details *details = scene->state ? bw_session_details(scene->session) : NULL;
	if (!details || func < 0) {
		bw_sheet_wrap(sheet, BW_STYLE_DIM, "No Func is selected: `select NAME` does it.");
		return;
	}
	draw_models(scene, sheet, details);
	const struct bw_placed *placed = bw_scene_placed(scene, func);
	if (!placed)
		bw_sheet_wrap(sheet, BW_STYLE_DIM, "It is not placed yet, and so has no features.");
	else if (!bw_details_of(scene->state->nest, func))
		bw_sheet_wrap(
		    sheet, BW_STYLE_DIM,
		    "It only passes an input on: Halide takes it for that, and it has no features.");
	else
		bw_sheet_wrap(sheet, BW_STYLE_STRONG, bw_scene_words(scene, placed->placement));
	for (int s = 0; s < scene->pipeline->funcs[func].n_stages && bw_details_of(scene->state->nest, func); s++)
		draw_stage(scene, sheet, details, func, s);
}

const struct bw_view bw_view_features = {
    .name = "features", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};

/* Two lines about the selected Func: its place in the algorithm, and its placement in the selected state. */

/* Appends names of Funcs, each once: `Ixx, Ixy`. */
static void add_name(struct bw_text *names, const struct bw_scene *scene, int func, int *last)
{
	if (func == *last)
		return;
	*last = func;
	bw_text_printf(names, "%s%s", names->length ? ", " : "", scene->pipeline->funcs[func].name);
}

static void draw_algorithm(const struct bw_scene *scene, const struct bw_func *func, struct bw_pen *pen)
{
	BW_SCOPED_TEXT reads = {0}, readers = {0};
	int last = -1, operations = 0, loads = 0;
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		for (int i = 0; i < stage->n_reads; i++) {
			for (int j = 0; j < stage->reads[i].n_loads; j++)
				loads += stage->reads[i].loads[j].count;
			add_name(&reads, scene, stage->reads[i].producer, &last);
		}
		for (int operation = BW_OPERATION_ADD; operation <= BW_OPERATION_SELECT; operation++)
			for (int type = 0; type < BW_N_TYPES; type++)
				operations += stage->ops[operation][type];
	}
	last = -1;
	for (int i = 0; i < func->n_consumers; i++)
		add_name(&readers, scene, func->consumers[i]->func, &last);
	bw_pen_printf(pen, BW_STYLE_STRONG, " %s", func->name);
	bw_pen_printf(pen, BW_STYLE_DIM, "  %s%s",
		      func->input    ? "input"
		      : func->output ? "output"
				     : bw_type_name(func->types[0]),
		      func->n_stages > 1 ? " with updates" : "");
	if (reads.length)
		bw_pen_printf(pen, BW_STYLE_NORMAL, "  reads %s", bw_text_get(&reads));
	if (readers.length)
		bw_pen_printf(pen, BW_STYLE_NORMAL, "; read by %s", bw_text_get(&readers));
	bw_pen_printf(pen, BW_STYLE_DIM, "   %d load%s, %d operation%s a point", loads, loads == 1 ? "" : "s",
		      operations, operations == 1 ? "" : "s");
}

static void draw_placement(const struct bw_scene *scene, int func, struct bw_pen *pen)
{
	const struct bw_placed *placed = bw_scene_placed(scene, func);
	if (!placed) {
		bw_pen_puts(pen, BW_STYLE_DIM,
			    scene->pipeline->funcs[func].input ? " given by the caller" : " not placed yet");
	} else {
		bw_pen_printf(pen, BW_STYLE_NORMAL, " %s", bw_scene_words(scene, placed->placement));
		if (placed->placement->n_stages) {
			bw_pen_printf(pen, BW_STYLE_DIM, "   %s points computed each",
				      bw_say_times(bw_scene_recompute(placed)).text);
			bw_pen_printf(pen, BW_STYLE_DIM, "   %s of %s memory",
				      bw_say_bytes(placed->bytes).text, bw_memory_name(placed->memory));
		}
	}
	const struct bw_constraint *constraint = bw_session_constraint(scene->session, func);
	if (constraint)
		bw_pen_printf(pen, BW_STYLE_MARK, "   %s", bw_constraint_words(constraint));
	BW_SCOPED_TEXT marks = {0};
	bw_marks_words(scene->session, func, &marks);
	if (marks.length)
		bw_pen_printf(pen, BW_STYLE_MARK, "   %s", bw_text_get(&marks));
}

void bw_draw_detail(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect)
{
	int func = scene->session->selection.func;
	if (func < 0 || rect.rows == 0)
		return;
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	draw_algorithm(scene, &scene->pipeline->funcs[func], &pen);
	pen = bw_pen_at(grid, rect, 1);
	draw_placement(scene, func, &pen);
}
