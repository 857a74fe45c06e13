/* What was found for other devices, bandwidths, beams and seeds: the best of each device as a bar, what it
 * costs on every other device, where another schedule becomes the best, and all searches. */
#include <math.h>

#include "base/say.h"
#include "session/sweep.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	int done = 0;
	const struct bw_sweep *sweep = bw_session_sweep(scene->session, &done);
	if (!sweep)
		return "SWEEP";
	*right = scene->options->model->title;
	if (bw_session_swept(scene->session))
		return bw_scene_text(scene, "SWEEP %d searches, %d schedules", sweep->n_runs,
				     sweep->n_schedules);
	return bw_scene_text(scene, "SWEEP %d of %d searches", done, bw_sweep_size(sweep));
}

enum { NAME = 20, COST = 30, KERNELS = 39, SCHEDULE = 41, BAR = 45, MOST_COLUMNS = 12, CELL = 8 };

static void draw_best(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_sweep *sweep)
{
	double most = 0;
	for (int t = 0; t < sweep->n_targets; t++)
		most = fmax(most, bw_sweep_best(sweep, 0, t)->cost);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "BEST OF EACH");
	bw_pen_right(&pen, COST, BW_STYLE_DIM, "%s", *scene->options->model->unit ? "cost, ms" : "cost");
	bw_pen_right(&pen, KERNELS, BW_STYLE_DIM, "kernels");
	for (int t = 0; t < sweep->n_targets; t++) {
		const struct bw_sweep_run *run = bw_sweep_best(sweep, 0, t);
		char name[80];
		pen = bw_sheet_plain(sheet);
		bw_pen_field(&pen, NAME, BW_STYLE_STRONG, bw_sweep_target_name(&sweep->targets[t], name));
		bw_pen_right(&pen, COST, BW_STYLE_NORMAL, "%s", bw_say_cost(run->cost).text);
		bw_pen_right(&pen, KERNELS, BW_STYLE_NORMAL, "%d", run->n_kernels);
		bw_pen_to(&pen, SCHEDULE);
		bw_pen_puts(&pen, BW_STYLE_MARK, bw_sweep_letter(run->schedule).text);
		bw_pen_to(&pen, BAR);
		bw_pen_bar(&pen, bw_pen_left(&pen), bw_style_heat(run->cost / most), run->cost / most);
	}
}

/* Writes what each device's best costs on every other, over the best there. */
static void draw_matrix(struct bw_sheet *sheet, const struct bw_sweep *sweep)
{
	int n = sweep->n_targets;
	char name[80];
	if (n < 2)
		return;
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "THE BEST OF EACH (ROW) ON EVERY OTHER, OVER THE BEST THERE");
	pen = bw_sheet_plain(sheet);
	int shown = (bw_pen_left(&pen) - NAME) / CELL;
	shown = shown > n ? n : shown;
	for (int column = 0; column < shown; column++)
		bw_pen_right(&pen, NAME + CELL * (column + 1), BW_STYLE_DIM, "%.7s",
			     bw_sweep_target_name(&sweep->targets[column], name));
	for (int row = 0; row < n; row++) {
		pen = bw_sheet_plain(sheet);
		bw_pen_field(&pen, NAME - 4, BW_STYLE_STRONG,
			     bw_sweep_target_name(&sweep->targets[row], name));
		bw_pen_to(&pen, NAME - 3);
		bw_pen_puts(&pen, BW_STYLE_MARK,
			    bw_sweep_letter(bw_sweep_best(sweep, 0, row)->schedule).text);
		for (int column = 0; column < shown; column++) {
			double cost = sweep->costs[row * n + column],
			       factor = cost / bw_sweep_best(sweep, 0, column)->cost;
			bw_pen_right(&pen, NAME + CELL * (column + 1),
				     cost > 0 ? bw_style_heat(fmin(fmax(factor - 1, 0), 1)) : BW_STYLE_DIM,
				     "%s", cost > 0 ? bw_say_times(factor).text : "-");
		}
	}
	if (shown < n) {
		pen = bw_sheet_plain(sheet);
		bw_pen_printf(&pen, BW_STYLE_DIM, "%d more columns: `view --json sweep` has them", n - shown);
	}
}

static void draw_crossings(struct bw_sheet *sheet, const struct bw_sweep *sweep)
{
	if (!sweep->n_crossings)
		return;
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "WHERE ANOTHER SCHEDULE BECOMES THE BEST");
	for (int c = 0; c < sweep->n_crossings; c++) {
		struct bw_text words = {0};
		bw_sweep_crossing_words(sweep, &sweep->crossings[c], &words);
		bw_sheet_wrap(sheet, BW_STYLE_NORMAL, bw_text_get(&words));
		bw_text_free(&words);
	}
}

static void draw_runs(struct bw_sheet *sheet, const struct bw_sweep *sweep)
{
	enum { BEAM = 27, SEED = 34, RUN_COST = 45, RUN_KERNELS = 54, RUN_SCHEDULE = 57 };
	char name[80];
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "ALL SEARCHES");
	bw_pen_right(&pen, BEAM, BW_STYLE_DIM, "beam");
	bw_pen_right(&pen, SEED, BW_STYLE_DIM, "seed");
	bw_pen_right(&pen, RUN_COST, BW_STYLE_DIM, "cost");
	bw_pen_right(&pen, RUN_KERNELS, BW_STYLE_DIM, "kernels");
	for (int r = 0; r < sweep->n_runs; r++) {
		const struct bw_sweep_run *run = &sweep->runs[r];
		pen = bw_sheet_plain(sheet);
		bw_pen_field(&pen, NAME, BW_STYLE_NORMAL,
			     bw_sweep_target_name(&sweep->targets[run->target], name));
		bw_pen_right(&pen, BEAM, BW_STYLE_NORMAL, "%d", run->beam);
		bw_pen_right(&pen, SEED, BW_STYLE_NORMAL, "%llu", (unsigned long long)run->seed);
		bw_pen_right(&pen, RUN_COST, BW_STYLE_NORMAL, "%s", bw_say_cost(run->cost).text);
		bw_pen_right(&pen, RUN_KERNELS, BW_STYLE_NORMAL, "%d", run->n_kernels);
		bw_pen_to(&pen, RUN_SCHEDULE);
		bw_pen_puts(&pen, BW_STYLE_MARK, bw_sweep_letter(run->schedule).text);
		if (sweep->best[run->target] == r)
			bw_pen_puts(&pen, BW_STYLE_KEPT, "  best");
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_sweep *sweep = bw_session_sweep(scene->session, NULL);
	if (!sweep || !bw_session_swept(scene->session)) {
		bw_sheet_wrap(
		    sheet, BW_STYLE_DIM,
		    sweep ? "The searches run beside; this page is filled when all are done."
			  : "Nothing was swept yet. `:sweep` searches for all GPUs; `:sweep gpus=A100,V100 "
			    "bandwidths=0.5,1,2 beams=1,8,32 seeds=3` over what it names.");
		return;
	}
	draw_best(scene, sheet, sweep);
	draw_matrix(sheet, sweep);
	draw_crossings(sheet, sweep);
	draw_runs(sheet, sweep);
}

const struct bw_view bw_view_sweep = {.name = "sweep", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};
