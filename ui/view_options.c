/* The decision at the cursor in short: its options, cheapest first, then those without a cost. */

#include "session/explain.h"
#include "ui/decision.h"

static BW_WORDS(phase_question, enum bw_phase, BW_PHASE_TABLE(BW_THIRD))

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (!scene->decision)
		return bw_scene_all_made(scene);
	if (scene->session->selection.option >= 0 && scene->expansion)
		*right = bw_scene_text(scene, "from state %d", scene->session->selection.state + 1);
	return bw_scene_text(scene, "DECISION %s: %s?", scene->pipeline->funcs[scene->decision->func].name,
			     phase_question(scene->decision->phase));
}

/* Orders options by cost; those without a cost come last, in the order of enumeration. */
static int by_cost(const void *left, const void *right)
{
	const struct bw_option *a = *(const struct bw_option *const *)left,
			       *b = *(const struct bw_option *const *)right;
	int costed = (b->rank >= 0 || b->cost > 0) - (a->rank >= 0 || a->cost > 0);
	if (costed)
		return costed;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return (a->fate == BW_FATE_PRUNED) - (b->fate == BW_FATE_PRUNED)
		   ? (a->fate == BW_FATE_PRUNED) - (b->fate == BW_FATE_PRUNED)
		   : a->number - b->number;
}

static void draw_option(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_option *option,
			double best)
{
	int width = sheet->grid.columns - sheet->margin;
	bool wide = width >= 54;
	int fate = width - (wide ? 16 : 15), cost = fate - (wide ? 8 : 1), words = cost - 13;
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_OPTION, .index = option->number});
	if (!wanted)
		return;
	bw_pen_field(&pen, 5, BW_STYLE_NORMAL, bw_scene_label(scene, option));
	bw_pen_field(&pen, words, option->fate == BW_FATE_PRUNED ? BW_STYLE_DIM : BW_STYLE_NORMAL,
		     bw_scene_words_within(scene, option->placement, words));
	if (option->cost > 0)
		bw_pen_right(&pen, cost, BW_STYLE_NORMAL, "%s", bw_say_cost(option->cost).text);
	if (option->cost > 0 && wide)
		bw_pen_right(&pen, cost + 6, bw_style_heat(best > 0 ? option->cost / best - 1 : 0), "%s",
			     bw_excess_of(scene->options->model, option->cost, best).text);
	bw_pen_to(&pen, fate);
	bw_pen_puts(&pen, bw_fate_style(option->fate), bw_scene_fate(scene, option));
}

static void draw_counts(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int fates[BW_N_FATES] = {0};
	for (int i = 0; i < scene->expansion->n; i++)
		fates[scene->expansion->options[i].fate]++;
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_STRONG, scene->expansion->n == 1 ? "%d option" : "%d options",
		      scene->expansion->n);
	const char *sign = ": ";
	for (int fate = BW_N_FATES - 1; fate >= 0; fate--) {
		if (!fates[fate])
			continue;
		bw_pen_printf(&pen, BW_STYLE_DIM, "%s", sign);
		bw_pen_printf(&pen, bw_fate_style(fate), "%d %s", fates[fate], bw_fate_name(fate));
		sign = ", ";
	}
}

void bw_decision_end(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_search_totals totals = bw_search_totals(scene->session->search);
	struct bw_pen pen;
	bw_sheet_say(sheet, BW_STYLE_NORMAL, "%s options enumerated, %s costed, %s kept",
		     bw_say_count((double)totals.enumerated).text, bw_say_count((double)totals.costed).text,
		     bw_say_count((double)totals.kept).text);
	bw_sheet_say(sheet, BW_STYLE_DIM, "searched in %s", bw_say_seconds(totals.seconds).text);
	const struct bw_polish *polish = bw_search_polish(scene->session->search, scene->session->cursor);
	if (polish) {
		BW_SCOPED_TEXT words = {0};
		bw_polish_words(scene->session, polish, &words);
		bw_sheet_wrap(sheet, BW_STYLE_STRONG, bw_text_get(&words));
		bw_text_clear(&words);
		bw_better_words(scene->session, &words);
		if (words.length)
			bw_sheet_wrap(sheet, BW_STYLE_KEPT, bw_text_get(&words));
	}
	for (int rule = 0; rule < BW_N_RULES; rule++) {
		if (!totals.pruned[rule])
			continue;
		pen = bw_sheet_plain(sheet);
		bw_pen_right(&pen, 9, BW_STYLE_PRUNED, "%s", bw_say_count((double)totals.pruned[rule]).text);
		bw_pen_to(&pen, 10);
		bw_pen_printf(&pen, BW_STYLE_NORMAL, "%s: ", bw_rule_name(rule));
		bw_sheet_go_on(sheet, &pen, 10, BW_STYLE_DIM, bw_rule_meaning(rule));
	}
	bw_sheet_plain(sheet);
	if (bw_explain_pass_at(scene->session, scene->session->cursor).freezes)
		bw_sheet_say(
		    sheet, BW_STYLE_DIM,
		    "%d Func%s frozen for the passes from here on (f; %s lists them); %s begins pass %d",
		    totals.frozen, totals.frozen == 1 ? " is" : "s are",
		    bw_scene_key(scene, "view statistics"), bw_scene_key(scene, "step"), scene->pass + 1);
	else if (scene->pass < bw_settings_passes(&scene->session->options))
		bw_sheet_say(
		    sheet, BW_STYLE_DIM,
		    "%s begins pass %d: structures that good states of this one went through are free of a penalty",
		    bw_scene_key(scene, "step"), scene->pass + 1);
	bw_sheet_say(sheet, BW_STYLE_DIM,
		     "%s goes back to a decision; %s compiles, checks and times this schedule",
		     bw_scene_key(scene, "back"), bw_scene_key(scene, "time"));
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_expansion *expansion = scene->expansion;
	if (!scene->decision) {
		bw_decision_end(scene, sheet);
		return;
	}
	if (!expansion)
		return;
	draw_counts(scene, sheet);
	const struct bw_option **sorted = BW_ARENA_ARRAY(scene->arena, const struct bw_option *, expansion->n);
	for (int i = 0; i < expansion->n; i++)
		sorted[i] = &expansion->options[i];
	qsort(sorted, (size_t)expansion->n, sizeof *sorted, by_cost);
	for (int i = 0; i < expansion->n; i++)
		draw_option(scene, sheet, sorted[i], sorted[0]->cost);
}

const struct bw_view bw_view_options = {
    .name = "options", .selects = BW_ROW_OPTION, .title = title, .fill = fill};
