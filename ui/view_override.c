/* The override view: the alternatives for the selected Func, and the cost of the selected state with
 * each, all other Funcs unchanged. */
#include "base/say.h"
#include "nest/words.h"
#include "session/alternatives.h"
#include "ui/view.h"

enum { VALUE = 11, VALUE_COLUMNS = 26, COST = 48, CHANGE = 57, NOTE = 59 };

static bool has_func(const struct bw_scene *scene)
{
	int func = scene->session->selection.func;
	return func >= 0 && scene->state && scene->state->nest->placed[func];
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	int n, known = 0, func = scene->session->selection.func;
	if (!has_func(scene))
		return "OVERRIDE";
	const struct bw_alternative *all = bw_session_alternatives(scene->session, &n);
	for (int i = 0; i < n; i++)
		known += all[i].known;
	*right = known == n ? bw_scene_text(scene, "%d alternatives", n - 1)
			    : bw_scene_text(scene, "%d of %d costed", known, n);
	return bw_scene_text(scene, "OVERRIDE %s in state %d, all else as it is",
			     bw_scene_short(scene, func, 30), scene->session->selection.state + 1);
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_to(&pen, VALUE);
	bw_pen_puts(&pen, BW_STYLE_DIM, "changed to");
	bw_pen_right(&pen, COST, BW_STYLE_DIM, "%s%s%s", scene->complete ? "cost" : "so far",
		     *scene->options->model->unit ? ", " : "", scene->options->model->unit);
	bw_pen_right(&pen, CHANGE, BW_STYLE_DIM, "change");
}

/* Returns sizes as text, for a Func at root with the points per block. */
static const char *sized(const struct bw_scene *scene, const struct bw_alternative *alternative)
{
	BW_SCOPED_TEXT block = {0};
	bool sizes = alternative->override == BW_OVERRIDE_SERIAL || alternative->override == BW_OVERRIDE_THREAD;
	if (sizes && alternative->cost > 0 && alternative->placement->compute.kind == BW_SITE_ROOT)
		bw_override_now(scene->session, alternative->placement, BW_OVERRIDE_BLOCK, &block);
	const char *words =
	    block.length ? bw_scene_text(scene, "%s, block %s", alternative->value, bw_text_get(&block))
			 : alternative->value;
	return words;
}

/* Draws an alternative's value; the first row of a kind names the kind. */
static void draw_value(const struct bw_scene *scene, struct bw_pen *pen,
		       const struct bw_alternative *alternative, bool begins)
{
	const char *words = alternative->override == BW_OVERRIDE_SITE && alternative->cost > 0
				? bw_scene_words_within(scene, alternative->placement, VALUE_COLUMNS)
				: sized(scene, alternative);
	bool good = alternative->cost > 0 && alternative->allowed;
	if (!*alternative->value)
		words =
		    bw_scene_text(scene, "as it is: %s",
				  bw_scene_words_within(scene, alternative->placement, VALUE_COLUMNS - 10));
	else if (begins)
		bw_pen_puts(pen, BW_STYLE_TITLE, bw_override_name(alternative->override));
	bw_pen_to(pen, VALUE);
	bw_pen_field(pen, VALUE_COLUMNS, alternative->known && !good ? BW_STYLE_PRUNED : BW_STYLE_NORMAL, words);
}

/* Returns the cost of the best state at the cursor. */
static double best_cost(const struct bw_scene *scene)
{
	return bw_search_state(scene->session->search, scene->session->cursor, 0)->cost;
}

/* Draws the cost with an alternative, and whether it is below the best state's. */
static void draw_cost(const struct bw_scene *scene, struct bw_pen *pen,
		      const struct bw_alternative *alternative, double now)
{
	double best = best_cost(scene);
	bool better = alternative->allowed && alternative->cost < best,
	     ties = bw_cost_ties(scene->options->model, alternative->cost, best);
	bw_pen_right(pen, COST, BW_STYLE_STRONG, "%s", bw_say_cost(alternative->cost).text);
	if (*alternative->value && now > 0)
		bw_pen_right(pen, CHANGE, better ? BW_STYLE_KEPT : BW_STYLE_DIM, "%s",
			     bw_change_of(scene->options->model, now, alternative->cost).text);
	bw_pen_to(pen, NOTE);
	/* Unheld, the best may be below all of these. */
	bool held = bw_search_constraints(scene->session->search)->n > 0;
	if (better)
		bw_pen_puts(pen, BW_STYLE_KEPT,
			    bw_scene_text(scene, "%s the best%s", ties ? "ties with" : "betters", held ? " as held" : ""));
	else if (alternative->reason)
		bw_pen_puts(pen, BW_STYLE_PRUNED, alternative->reason);
}

static void draw_alternative(const struct bw_scene *scene, struct bw_sheet *sheet,
			     const struct bw_alternative *all, int i)
{
	const struct bw_alternative *alternative = &all[i];
	bool wanted = bw_sheet_wanted(sheet),
	     begins = *alternative->value && (i == 1 || alternative->override != all[i - 1].override);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_ALTERNATIVE, .index = i});
	if (!wanted)
		return;
	draw_value(scene, &pen, alternative, begins);
	if (alternative->cost > 0) {
		draw_cost(scene, &pen, alternative, all[0].cost);
	} else {
		bw_pen_to(&pen, COST - 5);
		bw_pen_puts(&pen, alternative->known ? BW_STYLE_PRUNED : BW_STYLE_DIM,
			    !alternative->known   ? "..."
			    : alternative->reason ? alternative->reason
						  : "cannot be");
	}
}

/* Returns the Func's sizes in the syntax of `override`: `serial 1x4, thread 64x1 or block 64x4`; "" if
 * it has none. */
static const char *sizes_hint(const struct bw_scene *scene, const struct bw_placement *now)
{
	static const enum bw_override kinds[] = {BW_OVERRIDE_SERIAL, BW_OVERRIDE_THREAD, BW_OVERRIDE_BLOCK};
	BW_SCOPED_TEXT hint = {0}, value = {0};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		bw_text_clear(&value);
		bw_override_now(scene->session, now, kinds[i], &value);
		if (value.length)
			bw_text_printf(&hint, "%s%s %s",
				       !hint.length                    ? ""
				       : kinds[i] == BW_OVERRIDE_BLOCK ? " or "
								       : ", ",
				       bw_override_name(kinds[i]), bw_text_get(&value));
	}
	return bw_scene_text(scene, "%s", bw_text_get(&hint));
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int n, func = scene->session->selection.func;
	const struct bw_alternative *all = has_func(scene) ? bw_session_alternatives(scene->session, &n) : NULL;
	if (!all) {
		bw_sheet_wrap(
		    sheet, BW_STYLE_DIM,
		    func < 0
			? bw_scene_keys(
			      scene,
			      "No Func is selected: {step func} and {back func} go from Func to Func, and the stages have them all.")
			: bw_scene_text(
			      scene,
			      "%s is not placed yet in this state: step on, or write all of it: override %s SITE",
			      scene->pipeline->funcs[func].name, scene->pipeline->funcs[func].name));
		return;
	}
	for (int i = 0; i < n; i++)
		draw_alternative(scene, sheet, all, i);
	bw_sheet_plain(sheet);
	const char *name = scene->pipeline->funcs[func].name;
	BW_SCOPED_TEXT typed = {0};
	bw_name_print(name, &typed);
	const char *sizes = sizes_hint(scene, all[0].placement);
	bw_sheet_say(sheet, BW_STYLE_DIM, "%s holds %s so, and the search goes on around it.",
		     bw_scene_key(scene, "do open"), name);
	if (*sizes)
		bw_sheet_say(sheet, BW_STYLE_DIM, "Other sizes are written: override %s %s", bw_text_get(&typed), sizes);
	bw_sheet_wrap(sheet, BW_STYLE_DIM,
		      "A site is shown with the best of its sizes, and these are free when it is chosen.");
	for (int i = 1; i < n; i++)
		if (all[i].override == BW_OVERRIDE_SITE && all[i].known && all[i].cost <= 0)
			bw_sheet_say(sheet, BW_STYLE_DIM,
				     "With the other Funcs decided anew, and not as they are: "
				     ":whatif freeze %s %s",
				     bw_text_get(&typed), all[i].value);
}

const struct bw_view bw_view_override = {.name = "override",
					 .selects = BW_ROW_ALTERNATIVE,
					 .title = title,
					 .head_rows = 1,
					 .head = head,
					 .fill = fill};
