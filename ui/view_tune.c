/* A tuning: the fastest schedule so far over time, predictions beside measurements, the choices that
 * the fastest share, and all schedules, the fastest first. */
#include <limits.h>
#include <math.h>

#include "session/call.h"
#include "session/tuning.h"
#include "ui/glyph.h"
#include "ui/picture.h"
#include "ui/view.h"

enum {
	WIDE = 112, /* least width for the shared choices of the fastest beside the pictures */
	HEAD_PERCENT = 54 /* of the rows, for the pictures */
};

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_tuning *tuning = bw_session_tuning(scene->session);
	if (!tuning)
		return "TUNE";
	BW_SCOPED_TEXT text = {0};
	const struct bw_meter *meter = tuning->meter;
	*right = meter ? bw_scene_text(scene, "%s %s", meter->file ? "times of" : meter->estimates ? "estimated for" : "measured on",
				       meter->file ? meter->file : meter->device)
		       : NULL;
	bw_text_printf(&text, "TUNE by %s", bw_tune_strategy_name(tuning->strategy));
	if (tuning->phase < BW_TUNING_ENDED) {
		bw_text_puts(&text, ": ");
		if (tuning->tune) {
			bw_tuning_done(tuning, &text);
			bw_tuning_time_left(tuning, &text);
		} else {
			bw_text_puts(&text, "searching");
		}
	} else {
		bw_text_printf(&text, ": %s in %s%s", bw_say_number(tuning->n, "schedule").text,
			       bw_say_seconds(bw_tuning_seconds(tuning)).text,
			       tuning->stopped ? ", stopped" : "");
	}
	return bw_scene_text(scene, "%s", bw_text_get(&text));
}

enum { CHOICE_BEST = 6, CHOICE_ALL = 11 };

static void draw_choices_title(const struct bw_scene *scene, const struct bw_tuning_figures *figures,
			       struct bw_pen *pen, int name)
{
	int end = pen->right - pen->left;
	bw_pen_puts(pen, BW_STYLE_DIM, bw_scene_text(scene, name < 20 ? "%d FASTEST SHARE" : "WHAT THE %d FASTEST SHARE", figures->n_best));
	bw_pen_right(pen, end - CHOICE_BEST, BW_STYLE_DIM, "them");
	bw_pen_right(pen, end - 1, BW_STYLE_DIM, "all");
}

/* Writes one choice of the fastest: Func, words, shares. */
static void draw_choice(const struct bw_scene *scene, const struct bw_tuning_figures *figures,
			struct bw_pen *pen, int i)
{
	enum { NAME = 11 };
	const struct bw_tuning_choice *choice = &figures->choices[i];
	int end = pen->right - pen->left, words = end - CHOICE_ALL - NAME - 1;
	bw_pen_field(pen, NAME - 1, BW_STYLE_STRONG, bw_scene_short(scene, choice->func, NAME - 1));
	bw_pen_to(pen, NAME);
	bw_pen_field(pen, words, BW_STYLE_NORMAL, choice->words);
	bw_pen_right(pen, end - CHOICE_BEST, BW_STYLE_KEPT, "%s",
		     bw_say_percent((double)choice->best / figures->n_best).text);
	bw_pen_right(pen, end - 1, BW_STYLE_DIM, "%s",
		     bw_say_percent((double)choice->all / figures->n_timed).text);
}

/* Draws the shared choices of the fastest beside the pictures. */
static void draw_beside(const struct bw_scene *scene, const struct bw_tuning_figures *figures,
			struct bw_sheet *sheet, int first, struct bw_rect rect)
{
	for (int row = 0; row < rect.rows && row <= figures->n_choices; row++) {
		struct bw_pen pen = bw_pen_at(&sheet->grid, (struct bw_rect){rect.x, first + row, rect.columns, 1}, 0);
		if (row)
			draw_choice(scene, figures, &pen, row - 1);
		else if (figures->n_choices)
			draw_choices_title(scene, figures, &pen, rect.columns / 2);
	}
}

/* Forms of the line of the verdict, from the longest to the shortest. */
enum verdict_form { WITH_WORDS, WITHOUT_WORDS, WITHOUT_TURNS, SHORT_NAMES, N_VERDICT_FORMS };
enum { MOST_PIECES = BW_TUNING_COMPARED + 1 };

/* The parts of the line of the verdict, each with its style. */
struct verdict {
	int n, columns; /* columns with the gaps between the parts */
	int gap;
	const char *texts[MOST_PIECES];
	enum bw_style styles[MOST_PIECES];
};

static void add_piece(struct verdict *verdict, enum bw_style style, const char *text)
{
	verdict->columns += bw_glyph_columns(text) + (verdict->n ? verdict->gap : 0);
	verdict->styles[verdict->n] = style;
	verdict->texts[verdict->n++] = text;
}

/* Returns a schedule's time relative to the fastest's, in words. */
static const char *slower(const struct bw_scene *scene, const char *name, double times,
			  enum verdict_form form)
{
	return bw_scene_text(scene, form == WITH_WORDS ? "%s %.3fx its time" : "%s %.3fx", name, times);
}

/* Adds the schedules that were measured in turns with the fastest. */
static void add_rounds(const struct bw_scene *scene, const struct bw_tuning *tuning, enum verdict_form form,
		       struct verdict *verdict)
{
	const struct bw_tuning_rounds *fastest = &tuning->rounds[0];
	for (int k = 1; k < tuning->n_rounds; k++) {
		const struct bw_tuning_rounds *of = &tuning->rounds[k];
		const char *name = form < SHORT_NAMES ? of->name : of->nest ? "first" : "hand";
		if (of->n && bw_tuning_is_tie(fastest, of))
			add_piece(verdict, BW_STYLE_NORMAL, bw_scene_text(scene, form < SHORT_NAMES ? "%s: a tie" : "%s: tie", name));
		else if (of->n)
			add_piece(verdict, BW_STYLE_NORMAL,
				  slower(scene, name, bw_tuning_median(of) / bw_tuning_median(fastest), form));
	}
	if (fastest->n > 1 && form < WITHOUT_TURNS)
		add_piece(verdict, BW_STYLE_DIM, bw_scene_text(scene, "medians of %d turns", fastest->n));
}

/* Returns the fastest relative to the first shot and the handwritten schedule; before they are measured
 * in turns, relative to the first shot alone. */
static struct verdict verdict_of(const struct bw_scene *scene, const struct bw_tuning_figures *figures,
				 enum verdict_form form)
{
	const struct bw_tuning *tuning = figures->tuning;
	double best = figures->rows[0].measured,
	       first = bw_tuning_candidate(tuning, tuning->samples[0].number)->measured;
	bool compared = tuning->phase == BW_TUNING_ENDED && tuning->n_rounds && tuning->rounds[0].n;
	struct verdict verdict = {.gap = form < WITHOUT_TURNS ? 3 : 2};
	add_piece(&verdict, BW_STYLE_STRONG,
		  bw_scene_text(scene, form < SHORT_NAMES ? "fastest %.4g ms" : "%.4g ms",
				compared ? bw_tuning_median(&tuning->rounds[0]) : best));
	if (compared)
		add_rounds(scene, tuning, form, &verdict);
	else if (isfinite(first) && form == WITH_WORDS)
		add_piece(&verdict, BW_STYLE_NORMAL,
			  bw_scene_text(scene, "first shot %.4g ms, %.3fx its time", first, first / best));
	else if (isfinite(first))
		add_piece(&verdict, BW_STYLE_NORMAL,
			  slower(scene, form < SHORT_NAMES ? "first shot" : "first", first / best, form));
	return verdict;
}

/* Writes the verdict in the longest form that the line has room for. */
static void draw_verdict(const struct bw_scene *scene, const struct bw_tuning_figures *figures,
			 struct bw_sheet *sheet)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	int form = WITH_WORDS;
	struct verdict verdict = verdict_of(scene, figures, form);
	while (verdict.columns > pen.right - pen.left && ++form < N_VERDICT_FORMS)
		verdict = verdict_of(scene, figures, form);
	for (int i = 0; i < verdict.n; i++) {
		if (i)
			bw_pen_printf(&pen, BW_STYLE_NORMAL, "%*s", verdict.gap, "");
		bw_pen_puts(&pen, verdict.styles[i], verdict.texts[i]);
	}
}

/* Explains the state of the tuning while it has no outcomes. */
static void explain(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_tuning *tuning = bw_session_tuning(scene->session);
	if (!tuning)
		bw_sheet_wrap(sheet, BW_STYLE_DIM,
			      "Nothing was tuned yet. `:tune` measures 100 schedules, each chosen by what was measured so far; "
			      "`:tune 5 minutes` as many as it can in that time, `:tune top 10 samples` the best of the search, and "
			      "`:tune replay FILE` takes the times of a file.");
	else if (tuning->error.kind)
		bw_sheet_wrap(sheet, BW_STYLE_ERROR, tuning->error.text);
	else
		bw_sheet_wrap(sheet, BW_STYLE_DIM, tuning->tune ? "The first schedules are compiled and measured."
							       : "The search for the first schedules goes on.");
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { ROWS_PRINTED = 12, GAP = 3, CHOICES = 44 };
	const struct bw_tuning_figures *figures = bw_session_tuning_figures(scene->session);
	if (!figures || !figures->n) {
		explain(scene, sheet);
		return;
	}
	if (!figures->n_timed)
		return;
	int width = sheet->grid.columns - sheet->margin, below = width >= WIDE ? 2 : 1,
	    rows = (sheet->to == INT_MAX ? ROWS_PRINTED : sheet->to) - below;
	bool wide = width >= WIDE && figures->n_choices;
	int pictures = wide ? width - CHOICES - GAP : width, middle = pictures * 3 / 5;
	struct bw_canvas canvas = bw_canvas_new(pictures, rows, scene->arena);
	int first = sheet->n_rows;
	struct bw_picture curve = bw_tuning_curve(figures, scene->arena),
			  scatter = bw_tuning_scatter(figures, scene->arena);
	bw_canvas_picture(&canvas, (struct bw_rect){0, 0, middle, rows}, &curve, 0, 0);
	bw_canvas_picture(&canvas, (struct bw_rect){middle + GAP, 0, pictures - middle - GAP, rows}, &scatter, 0, 0);
	for (int y = 0; y < canvas.rows; y++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_canvas_write(&canvas, y, &pen);
	}
	if (wide)
		draw_beside(scene, figures, sheet, first,
			    (struct bw_rect){sheet->margin + pictures + GAP, 0, CHOICES, rows});
	draw_verdict(scene, figures, sheet);
	if (below > 1)
		bw_sheet_plain(sheet);
}

enum { RANK = 4, MEASURED = 17, EXCESS = 26, PREDICTED = 37, BATCH = 44, ORIGIN = 47 };

static void draw_row(const struct bw_scene *scene, struct bw_sheet *sheet,
		     const struct bw_tuning_figures *figures, int rank)
{
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_SAMPLE, .index = rank});
	if (!wanted)
		return;
	const struct bw_tuning_row *row = &figures->rows[rank];
	double best = figures->rows[0].measured;
	BW_SCOPED_TEXT origin = {0};
	bw_tuning_origin(figures->tuning, row->number, &origin);
	bw_pen_right(&pen, RANK, BW_STYLE_STRONG, "%d", rank + 1);
	if (isfinite(row->measured)) {
		bw_pen_right(&pen, MEASURED, rank ? BW_STYLE_NORMAL : BW_STYLE_KEPT, "%.4g", row->measured);
		bw_pen_right(&pen, EXCESS, bw_style_heat(fmin(row->measured / best - 1, 1)), "%s",
			     !rank				    ? ""
			     : bw_tuning_ties(figures->tuning, row->number) ? "tie"
								    : bw_scene_text(scene, "+%.1f%%", 100 * (row->measured / best - 1)));
	} else {
		bw_pen_right(&pen, MEASURED, BW_STYLE_ERROR, "failed");
	}
	bw_pen_right(&pen, PREDICTED, BW_STYLE_NORMAL, "%s", bw_say_cost(row->predicted).text);
	bw_pen_right(&pen, BATCH, BW_STYLE_DIM, "%d", row->batch + 1);
	bw_pen_to(&pen, ORIGIN);
	bw_pen_printf(&pen, BW_STYLE_DIM, "%s%s", row->sample == 1 ? "first shot, " : "", bw_text_get(&origin));
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_tuning *tuning = bw_session_tuning(scene->session);
	const struct bw_tuning_figures *figures = bw_session_tuning_figures(scene->session);
	if (!figures || !figures->n)
		return;
	if (tuning->error.kind)
		bw_sheet_wrap(sheet, BW_STYLE_ERROR, tuning->error.text);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_right(&pen, RANK, BW_STYLE_DIM, "#");
	bw_pen_right(&pen, MEASURED, BW_STYLE_DIM, tuning->meter && tuning->meter->estimates ? "estim., ms" : "measured, ms");
	bw_pen_right(&pen, EXCESS, BW_STYLE_DIM, "vs best");
	bw_pen_right(&pen, PREDICTED, BW_STYLE_DIM, "predicted");
	bw_pen_right(&pen, BATCH, BW_STYLE_DIM, "batch");
	bw_pen_to(&pen, ORIGIN);
	bw_pen_puts(&pen, BW_STYLE_DIM, "origin");
	for (int rank = 0; rank < figures->n; rank++)
		draw_row(scene, sheet, figures, rank);
}

/* Describes the selected schedule; if the pictures leave no room beside them, adds the shared choices
 * of the fastest. */
static void foot(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { MOST = 3, COLUMNS = 76 };
	const struct bw_tuning_figures *figures = bw_session_tuning_figures(scene->session);
	int rank = scene->session->selection.sample;
	if (!figures || rank >= figures->n)
		return;
	for (int i = -1; sheet->grid.columns - sheet->margin < WIDE && i < figures->n_choices && i < MOST; i++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		pen.right = pen.right < pen.left + COLUMNS ? pen.right : pen.left + COLUMNS;
		if (i >= 0)
			draw_choice(scene, figures, &pen, i);
		else if (figures->n_choices)
			draw_choices_title(scene, figures, &pen, COLUMNS / 2);
	}
	if (sheet->grid.columns - sheet->margin < WIDE && figures->n_choices)
		return;
	struct bw_schedule *schedule =
	    bw_nest_schedule(bw_tuning_candidate(figures->tuning, figures->rows[rank].number)->nest);
	BW_SCOPED_TEXT line = {0};
	bw_schedule_print_line(scene->pipeline, schedule, &line);
	bw_schedule_drop(schedule);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_text_get(&line));
}

const struct bw_view bw_view_tune = {.name = "tune",
				     .selects = BW_ROW_SAMPLE,
				     .title = title,
				     .head_rows = -HEAD_PERCENT,
				     .head = head,
				     .fill = fill,
				     .foot = foot};
