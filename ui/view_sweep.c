/* The results of a sweep (searches for other devices, bandwidths, sizes, parameters, beams and seeds): a
 * picture, the best cost of each search as a bar, the cost of one device's best schedule on every other
 * device, the points at which another schedule becomes the best, and a list of all searches. */
#include <math.h>

#include "figures/sweep.h"
#include "session/sweep.h"
#include "ui/picture.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	int done = 0;
	const struct bw_sweep *sweep = bw_session_sweep(scene->session, &done);
	if (!sweep)
		return "SWEEP";
	*right = scene->options->model->title;
	if (bw_session_sweep_failed(scene->session))
		return "SWEEP";
	if (bw_session_swept(scene->session))
		return bw_scene_text(scene, "SWEEP %s, %s", bw_say_number(sweep->n_runs, "search").text,
				     bw_say_number(sweep->n_schedules, "schedule").text);
	return bw_scene_text(scene, "SWEEP %d of %s", done, bw_say_number(bw_sweep_size(sweep), "search").text);
}

enum { NAME = 20, CELL = 8 };

/* Returns the width of the names, wider if they contain the size or parameters. */
static int name_columns(const struct bw_sweep *sweep)
{
	return sweep->n_variants > 1 ? NAME + 10 : NAME;
}

/* Returns the name of a device with the variant of the pipeline: `A100 768x1280 n=4`. */
static const char *name_of(const struct bw_scene *scene, const struct bw_sweep *sweep, int variant,
			   int target)
{
	char name[80];
	const struct bw_sweep_variant *about = &sweep->variants[variant];
	return bw_scene_text(scene, "%s%s%s%s%s", bw_sweep_target_name(&sweep->targets[target], name),
			     *about->size ? " " : "", about->size, *about->parameters ? " " : "",
			     about->parameters);
}

/* Draws the cost of each device's best schedule on every other device, relative to the best schedule for
 * the other device. */
static void draw_matrix(struct bw_sheet *sheet, const struct bw_sweep *sweep)
{
	int n = sweep->n_targets;
	char name[80];
	if (n < 2)
		return;
	bw_sheet_plain(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_DIM, "THE BEST OF EACH (ROW) ON EVERY OTHER, OVER THE BEST THERE%s%s%s%s",
		      sweep->n_variants > 1 ? ": " : "", sweep->variants[0].size,
		      *sweep->variants[0].size && *sweep->variants[0].parameters ? " " : "",
		      sweep->variants[0].parameters);
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
		bw_pen_puts(&pen, BW_STYLE_MARK, bw_say_letter(bw_sweep_best(sweep, 0, row)->schedule).text);
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
		BW_SCOPED_TEXT words = {0};
		bw_sweep_crossing_words(sweep, &sweep->crossings[c], &words);
		bw_sheet_wrap(sheet, BW_STYLE_NORMAL, bw_text_get(&words));
	}
}

static void draw_runs(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_sweep *sweep)
{
	const int name = name_columns(sweep), BEAM = name + 7, SEED = name + 14, RUN_COST = name + 25,
		  RUN_KERNELS = name + 34, RUN_SCHEDULE = name + 37;
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
		bw_pen_field(&pen, name, BW_STYLE_NORMAL, name_of(scene, sweep, run->variant, run->target));
		bw_pen_right(&pen, BEAM, BW_STYLE_NORMAL, "%d", run->beam);
		bw_pen_right(&pen, SEED, BW_STYLE_NORMAL, "%llu", (unsigned long long)run->seed);
		bw_pen_right(&pen, RUN_COST, BW_STYLE_NORMAL, "%s", bw_say_cost(run->cost).text);
		bw_pen_right(&pen, RUN_KERNELS, BW_STYLE_NORMAL, "%d", run->n_kernels);
		bw_pen_to(&pen, RUN_SCHEDULE);
		bw_pen_puts(&pen, BW_STYLE_MARK, bw_say_letter(run->schedule).text);
		if (sweep->best[run->variant * sweep->n_targets + run->target] == r)
			bw_pen_puts(&pen, BW_STYLE_KEPT, "  best");
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_sweep *sweep = bw_session_sweep(scene->session, NULL);
	const char *failed = bw_session_sweep_failed(scene->session);
	if (failed) {
		bw_sheet_say(sheet, BW_STYLE_ERROR, "The sweep found nothing: %s", failed);
		return;
	}
	if (!sweep || !bw_session_swept(scene->session)) {
		bw_sheet_wrap(
		    sheet, BW_STYLE_DIM,
		    sweep ? "The searches run beside; this page is filled when all are done."
			  : "Nothing was swept yet. `:sweep` searches for all GPUs; `:sweep gpus=A100,V100 "
			    "bandwidths=0.5,1,2 beams=1,8,32 seeds=3` over what it names, "
			    "`image-sizes=768x1280,1536x2560` over sizes of the first input, and `vary=KEY=1,2` "
			    "over values of a parameter of the generator.");
		return;
	}
	draw_matrix(sheet, sweep);
	draw_crossings(sheet, sweep);
	draw_runs(scene, sheet, sweep);
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!bw_session_swept(scene->session))
		return;
	struct bw_picture picture =
	    bw_sweep_picture(bw_session_sweep(scene->session, NULL), scene->options->model, scene->arena);
	bw_plate_draw(sheet, scene->arena, &(struct bw_plate){.picture = &picture});
}

const struct bw_view bw_view_sweep = {
    .name = "sweep", .selects = BW_ROW_PLAIN, .title = title, .head_rows = -45, .head = head, .fill = fill};
