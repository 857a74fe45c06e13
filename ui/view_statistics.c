/* Statistics of the search: totals, passes, pruned options by rule, and decisions by time. Selecting a
 * decision moves to it. */

#include "base/arith.h"
#include "base/say.h"
#include "ui/glyph.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	int reached = bw_search_reached(scene->session->search);
	*right = bw_scene_text(scene, "%d of %d decisions", reached, scene->n_decisions);
	return scene->session->target >= 0 ? "STATISTICS of the search, so far" : "STATISTICS of the search";
}

static const char *count(const struct bw_scene *scene, long number)
{
	return bw_scene_text(scene, "%s", bw_say_count((double)number).text);
}

static const char *a_second(const struct bw_scene *scene, long number, double seconds)
{
	return seconds > 0 ? bw_scene_text(scene, "%s", bw_say_count((double)number / seconds).text) : "";
}

static long pruned(const struct bw_search_totals *totals)
{
	long sum = 0;
	for (int rule = 0; rule < BW_N_RULES; rule++)
		sum += totals->pruned[rule];
	return sum;
}

/* Draws the size of the undo history, its number of changes, and its limit. */
static void draw_history(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	const struct bw_session *session = scene->session;
	bw_pen_printf(&pen, BW_STYLE_NORMAL, "%s of history",
		      bw_say_bytes((double)bw_session_history_bytes(session)).text);
	bw_pen_printf(&pen, BW_STYLE_DIM, ", %d change%s: at most %s, what is older is run again",
		      session->n_journal, session->n_journal == 1 ? "" : "s",
		      bw_say_bytes(BW_HISTORY_BYTES).text);
}

static void draw_totals(const struct bw_scene *scene, struct bw_sheet *sheet,
			const struct bw_search_totals *totals)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_STRONG, "%s states evaluated", count(scene, totals->evaluated));
	bw_pen_printf(&pen, BW_STYLE_NORMAL, " in %s", bw_say_seconds(totals->seconds).text);
	bw_pen_printf(&pen, BW_STYLE_DIM, ": %s a second", a_second(scene, totals->evaluated, totals->seconds));
	pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_NORMAL, "%s whole schedules costed", count(scene, totals->complete));
	bw_pen_puts(&pen, BW_STYLE_DIM, ", each counted once");
	if (totals->probed)
		bw_pen_printf(&pen, BW_STYLE_DIM, "; %s states to see what to freeze", count(scene, totals->probed));
	draw_history(scene, sheet);
}

/* Draws a figure that ends at a column, if there is room. */
static void figure(struct bw_pen *pen, int column, enum bw_style style, const char *text)
{
	if (pen->left + column <= pen->right)
		bw_pen_right(pen, column, style, "%s", text);
}

/* Draws a row of a table. A narrow screen shows only the first columns. */
static void row(struct bw_sheet *sheet, enum bw_style style, const char *name, const char *const *figures,
		int n)
{
	enum { FIRST = 18, EACH = 11 };
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, style, name);
	for (int i = 0; i < n && FIRST + (i + 1) * EACH <= sheet->grid.columns - sheet->margin; i++)
		bw_pen_right(&pen, FIRST + (i + 1) * EACH - 1, style, "%s", figures[i]);
}

static void draw_sums(const struct bw_scene *scene, struct bw_sheet *sheet, const char *name,
		      const struct bw_search_totals *sums)
{
	const char *const figures[] = {
	    count(scene, sums->enumerated),
	    count(scene, sums->enumerated - pruned(sums)),
	    count(scene, sums->buckets),
	    count(scene, sums->costed),
	    bw_scene_text(scene, "%s", bw_say_seconds(sums->seconds).text),
	    count(scene, sums->kept),
	    count(scene, sums->unsampled),
	    count(scene, sums->second),
	};
	row(sheet, BW_STYLE_NORMAL, name, figures, sizeof figures / sizeof *figures);
}

static void draw_passes(const struct bw_scene *scene, struct bw_sheet *sheet,
			const struct bw_search_totals *all)
{
	static const char *const heads[] = {"enumerated", "legal", "buckets",   "costed",
					    "time",       "kept",  "unsampled", "2nd choice"};
	int last = bw_search_decision(scene->session->search, bw_search_reached(scene->session->search) - 1)->pass;
	row(sheet, BW_STYLE_DIM, "PASS", heads, sizeof heads / sizeof *heads);
	for (int pass = bw_search_first_pass(scene->session->search); pass <= last; pass++) {
		struct bw_search_totals totals = bw_search_pass_totals(scene->session->search, pass);
		draw_sums(scene, sheet, pass ? bw_scene_text(scene, "%d", pass) : "pre-pass", &totals);
	}
	if (scene->several)
		draw_sums(scene, sheet, "all", all);
}

static void draw_rules(const struct bw_scene *scene, struct bw_sheet *sheet,
		       const struct bw_search_totals *totals)
{
	enum { COUNT = 30, SHARE = 36, BAR = 38, BAR_COLUMNS = 10, MEANING = 50 };
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "PRUNED BY");
	bw_pen_right(&pen, COUNT, BW_STYLE_DIM, "options");
	bw_pen_right(&pen, SHARE, BW_STYLE_DIM, "share");
	for (int rule = 0; rule < BW_N_RULES; rule++) {
		if (!totals->pruned[rule])
			continue;
		double share = (double)totals->pruned[rule] / (double)totals->enumerated;
		pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_PRUNED, bw_rule_name((enum bw_rule)rule));
		bw_pen_right(&pen, COUNT, BW_STYLE_NORMAL, "%s", count(scene, totals->pruned[rule]));
		bw_pen_right(&pen, SHARE, BW_STYLE_NORMAL, "%s", bw_say_percent(share).text);
		bw_pen_to(&pen, BAR);
		bw_pen_bar(&pen, BAR_COLUMNS, BW_STYLE_PRUNED, share);
		bw_pen_to(&pen, MEANING);
		bw_pen_puts(&pen, BW_STYLE_DIM, bw_rule_meaning((enum bw_rule)rule));
	}
}

/* Draws the constraints of one source: `frozen by hand 2: Iyy inline, Ix root`. */
static void draw_held_by(const struct bw_scene *scene, struct bw_sheet *sheet,
			 enum bw_constraint_source source)
{
	BW_SCOPED_TEXT list = {0};
	int n = 0;
	const struct bw_constraints *said = bw_search_constraints(scene->session->search);
	for (int i = 0; i < said->n && (source == BW_CONSTRAINT_REJECT || source == BW_CONSTRAINT_PIN); i++) {
		const struct bw_constraint *mark = &said->list[i];
		if (mark->source == source && bw_constraint_applies(mark, scene->pass))
			bw_text_printf(&list, "%s %s %s", n++ ? "," : "",
				       scene->pipeline->funcs[mark->placement->func].name,
				       bw_scene_words(scene, mark->placement));
	}
	for (int func = 0; func < scene->pipeline->n_funcs; func++) {
		const struct bw_constraint *constraint = bw_session_constraint(scene->session, func);
		if (constraint && constraint->source == source)
			bw_text_printf(&list, "%s %s %s", n++ ? "," : "", scene->pipeline->funcs[func].name,
				       bw_scene_words(scene, constraint->placement));
	}
	if (n)
		bw_sheet_say(sheet, BW_STYLE_NORMAL,
			     "%s %d:", bw_constraint_words(&(struct bw_constraint){.source = source}), n);
	if (n)
		bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_text_get(&list));
}

/* A decision with its time. */
struct timed {
	int index;
	const struct bw_decision *decision;
};

BW_ORDER(by_time, struct timed,
	  2 * BW_COMPARE(b->decision->seconds, a->decision->seconds) + BW_COMPARE(a->index, b->index))

static void draw_decision(const struct bw_scene *scene, struct bw_sheet *sheet, const struct timed *timed,
			  double seconds)
{
	enum { NAME = 20, TIME = 30, SHARE = 36, BAR = 38, BAR_COLUMNS = 10, COSTED = 60, RATE = 74, KEPT = 82 };
	const struct bw_decision *decision = timed->decision;
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_DECISION, .index = timed->index});
	if (!wanted)
		return;
	double share = seconds > 0 ? decision->seconds / seconds : 0;
	char name[4 * NAME + 1];
	bw_glyph_shorten(bw_scene_decision(scene, timed->index), NAME, name, sizeof name);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, name);
	bw_pen_right(&pen, TIME, BW_STYLE_NORMAL, "%s", bw_say_seconds(decision->seconds).text);
	bw_pen_right(&pen, SHARE, bw_style_heat(share), "%s", bw_say_percent(share).text);
	bw_pen_to(&pen, BAR);
	bw_pen_bar(&pen, BAR_COLUMNS, bw_style_heat(share), share);
	figure(&pen, COSTED, BW_STYLE_NORMAL, count(scene, decision->costed));
	figure(&pen, RATE, BW_STYLE_NORMAL, a_second(scene, decision->costed, decision->seconds));
	figure(&pen, KEPT, BW_STYLE_NORMAL, count(scene, decision->kept));
}

static void draw_decisions(const struct bw_scene *scene, struct bw_sheet *sheet, int reached, double seconds)
{
	enum { TIME = 30, SHARE = 36, COSTED = 60, RATE = 74, KEPT = 82 };
	struct timed *list = BW_ARENA_ARRAY(scene->arena, struct timed, reached);
	for (int i = 0; i < reached; i++)
		list[i] = (struct timed){i, bw_search_decision(scene->session->search, i)};
	if (reached)
		qsort(list, (size_t)reached, sizeof *list, by_time);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "DECISION");
	bw_pen_right(&pen, TIME, BW_STYLE_DIM, "time");
	bw_pen_right(&pen, SHARE, BW_STYLE_DIM, "share");
	figure(&pen, COSTED, BW_STYLE_DIM, "costed");
	figure(&pen, RATE, BW_STYLE_DIM, "costed/s");
	figure(&pen, KEPT, BW_STYLE_DIM, "kept");
	for (int i = 0; i < reached; i++)
		draw_decision(scene, sheet, &list[i], seconds);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int reached = bw_search_reached(scene->session->search);
	double seconds = 0;
	if (!reached) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_printf(&pen, BW_STYLE_DIM, "No decision is made yet. %s makes one, %s all.",
			      bw_scene_key(scene, "step"), bw_scene_key(scene, "run"));
		return;
	}
	struct bw_search_totals totals = bw_search_totals(scene->session->search);
	for (int i = 0; i < reached; i++)
		seconds += bw_search_decision(scene->session->search, i)->seconds;
	draw_totals(scene, sheet, &totals);
	bw_sheet_plain(sheet);
	draw_passes(scene, sheet, &totals);
	bw_sheet_plain(sheet);
	draw_rules(scene, sheet, &totals);
	bw_sheet_plain(sheet);
	int rows = sheet->n_rows;
	for (int source = 0; source < BW_CONSTRAINT_N; source++)
		draw_held_by(scene, sheet, (enum bw_constraint_source)source);
	if (sheet->n_rows > rows)
		bw_sheet_plain(sheet);
	draw_decisions(scene, sheet, reached, seconds);
}

const struct bw_view bw_view_statistics = {
    .name = "statistics", .selects = BW_ROW_DECISION, .title = title, .fill = fill};
