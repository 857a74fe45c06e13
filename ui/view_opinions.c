/* The schedules of all schedulers and the one by hand, by all cost models: each cell in units of its column's
 * best. */
#include <math.h>

#include "base/say.h"
#include "session/opinions.h"
#include "ui/view.h"

enum { LEAST_NAME = 9, MOST_NAME = 30, EACH = 9, KERNELS = 8, SECONDS = 9 };

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_opinions *opinions = bw_session_opinions(scene->session);
	if (!opinions)
		return "OPINIONS";
	int done = atomic_load(&opinions->done);
	*right = opinions->measured_on ? bw_scene_text(scene, "measured on %s", opinions->measured_on) : NULL;
	return done < opinions->n ? bw_scene_text(scene, "OPINIONS %d of %d schedules%s", done, opinions->n,
						  bw_opinions_stopped(scene->session) ? ", stopped" : "")
				  : bw_scene_text(scene, "OPINIONS of %d cost models on %d schedules",
						  opinions->n_models, opinions->n);
}

static int n_columns(const struct bw_opinions *opinions)
{
	return opinions->n_models + BW_N_OPINION_FIGURES;
}

/* Returns the width for names: the columns that the figures leave free. */
static int name_columns(const struct bw_opinions *opinions, const struct bw_pen *pen)
{
	int left = bw_pen_left(pen) - n_columns(opinions) * EACH - KERNELS - SECONDS;
	return left < LEAST_NAME ? LEAST_NAME : left > MOST_NAME ? MOST_NAME : left;
}

static bool has_room(const struct bw_pen *pen, int column)
{
	return pen->left + column <= pen->right;
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_opinions *opinions = bw_session_opinions(scene->session);
	if (!opinions)
		return;
	struct bw_pen pen = bw_sheet_plain(sheet);
	int column = name_columns(opinions, &pen);
	for (int c = 0; c < n_columns(opinions); c++)
		if (has_room(&pen, column += EACH))
			bw_pen_right(&pen, column, BW_STYLE_DIM, "%s", bw_opinions_column(opinions, c));
	if (has_room(&pen, column += KERNELS))
		bw_pen_right(&pen, column, BW_STYLE_DIM, "kernels");
	if (has_room(&pen, column += SECONDS))
		bw_pen_right(&pen, column, BW_STYLE_DIM, "search");
}

/* Writes a cost relative to the best of column `of`. of = -1: the cost is for a part of a schedule. */
static void draw_cell(const struct bw_opinions *opinions, int of, struct bw_pen *pen, int column,
		      double of_best, bool refused)
{
	char cell[16];
	enum bw_style style = isnan(of_best) || of < 0 || refused ? BW_STYLE_DIM
			      : of_best == 1           ? BW_STYLE_KEPT
						       : bw_style_heat(fmin(of_best - 1, 1));
	bw_opinions_cell(opinions, of, of_best, refused, cell);
	if (has_room(pen, column))
		bw_pen_right(pen, column, style, "%s", cell);
}

static void draw_row(const struct bw_scene *scene, struct bw_sheet *sheet, int row)
{
	const struct bw_opinions *opinions = bw_session_opinions(scene->session);
	const struct bw_opinion *opinion = &opinions->list[row];
	bool wanted = bw_sheet_wanted(sheet), filled = row < atomic_load(&opinions->done);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_OPINION, .index = row});
	if (!wanted)
		return;
	int column = name_columns(opinions, &pen);
	bw_pen_field(&pen, column, BW_STYLE_STRONG, opinion->name);
	if (!filled || !bw_opinion_has_figures(opinions, opinion)) {
		bw_pen_to(&pen, column + 1);
		bw_pen_puts(&pen, BW_STYLE_DIM, filled ? opinion->why : bw_opinions_stopped(scene->session) ? "not run" : "...");
		return;
	}
	for (int c = 0; c < n_columns(opinions); c++)
		draw_cell(opinions, c, &pen, column += EACH, opinion->costs[c].of_best, opinion->costs[c].n_refused > 0);
	if (opinion->schedule && has_room(&pen, column += KERNELS))
		bw_pen_right(&pen, column, BW_STYLE_NORMAL, "%d", opinion->n_kernels);
	if (opinion->scheduler && has_room(&pen, column += SECONDS))
		bw_pen_right(&pen, column, BW_STYLE_DIM, "%s", bw_say_seconds(opinion->seconds).text);
}

/* Draws each model's prediction for the kernels of a row, in the units of the rows. */
static void draw_kernels(const struct bw_opinions *opinions, struct bw_sheet *sheet, int row)
{
	const struct bw_opinion *opinion = &opinions->list[row];
	for (int k = 0; k < opinion->n_kernels; k++) {
		bool wanted = bw_sheet_wanted(sheet);
		struct bw_pen pen = bw_sheet_row(
		    sheet, (struct bw_row){.kind = BW_ROW_OPINION, .index = row, .again = true});
		if (!wanted)
			continue;
		int column = name_columns(opinions, &pen);
		bw_pen_to(&pen, 1);
		bw_pen_field(&pen, column - 1, BW_STYLE_DIM, opinion->kernels[k]);
		for (int m = 0; m < opinions->n_models; m++)
			draw_cell(opinions, -1, &pen, column += EACH,
				  opinion->kernel_costs[k * opinions->n_models + m] /
				      (opinion->costs[m].cost / opinion->costs[m].of_best),
				  false);
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_opinions *opinions = bw_session_opinions(scene->session);
	if (!opinions) {
		bw_sheet_wrap(sheet, BW_STYLE_DIM,
			      bw_scene_keys(scene, "No schedulers were compared yet, or the options have changed since: "
						   "{compare --all} has every scheduler schedule the pipeline, and every "
						   "cost model price each schedule."));
		return;
	}
	for (int i = 0; i < opinions->n; i++) {
		draw_row(scene, sheet, i);
		if (i < atomic_load(&opinions->done) && bw_opinion_open(scene->session, i))
			draw_kernels(opinions, sheet, i);
	}
	bw_sheet_plain(sheet);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, "Costs by each model, in units of its best; ~: a tie with it.");
}

/* Draws a description of the selected schedule. */
static void foot(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_opinions *opinions = bw_session_opinions(scene->session);
	int row = scene->session->selection.opinion;
	if (!opinions || row >= opinions->n)
		return;
	const struct bw_opinion *opinion = &opinions->list[row];
	bool filled = row < atomic_load(&opinions->done);
	const char *more = !filled ? NULL : opinion->why ? opinion->why : opinion->note;
	bw_sheet_say(sheet, BW_STYLE_DIM, "%s, %s%s%s", opinion->name, opinion->paper,
		     opinion->scheduler ? ": " : "", opinion->scheduler ? opinion->scheduler->meaning : "");
	if (more)
		bw_sheet_wrap(sheet, BW_STYLE_NORMAL, more);
}

const struct bw_view bw_view_opinions = {.name = "opinions",
					 .selects = BW_ROW_OPINION,
					 .title = title,
					 .head_rows = 1,
					 .head = head,
					 .fill = fill,
					 .foot = foot};
