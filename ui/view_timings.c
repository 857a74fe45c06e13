/* Schedules that were compiled, checked and timed in this session, the latest last. */

#include "base/say.h"
#include "session/counters.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (scene->session->n_timings)
		*right = bw_scene_text(scene, "%d", scene->session->n_timings);
	return "TIMINGS, ms a run";
}

/* The width of the label, the columns where numbers end, and the column where the verdict begins. */
struct columns {
	int label, predicted, minimum, median, spread, verdict;
};

/* Leaves room for all numbers and the longest verdict. A narrow screen shortens the label, then drops the
 * prediction. */
static struct columns columns_for(const struct bw_sheet *sheet)
{
	enum { LABEL = 26, LEAST_LABEL = 8, PREDICTED = 11, LONGEST = 18, REST = 43 };
	int room = sheet->grid.columns - sheet->margin - LONGEST - REST, label = room < LABEL ? room : LABEL;
	bool predicts = label >= LEAST_LABEL;
	label = predicts ? label : label + PREDICTED < LEAST_LABEL ? LEAST_LABEL : label + PREDICTED;
	int at = label + (predicts ? PREDICTED : 0);
	return (struct columns){label, predicts ? at : 0, at + 11, at + 21, at + 29, at + 32};
}

static const char *const phases[] = {
    [BW_JOB_WAITING] = "waits", [BW_JOB_COMPILING] = "compiling", [BW_JOB_MEASURING] = "measuring",
    [BW_JOB_DONE] = "",         [BW_JOB_FAILED] = "failed",
};

static enum bw_style verdict_style(enum bw_verdict verdict)
{
	return verdict == BW_OUTPUT_WRONG ? BW_STYLE_ERROR : verdict == BW_UNCHECKED ? BW_STYLE_DIM : BW_STYLE_KEPT;
}

/* Returns true if two measurements are from the same device and method. */
static bool same_environment(const struct bw_measurement *a, const struct bw_measurement *b)
{
	return !strcmp(a->device, b->device) && !strcmp(bw_measurement_mark(a), bw_measurement_mark(b)) &&
	       !strcmp(a->method, b->method);
}

/* Draws a measurement; adds where and how it was made if that differs from the one before. */
static void draw_measurement(struct bw_sheet *sheet, struct bw_pen *pen, const struct bw_timing *timing,
			     const struct bw_measurement *before)
{
	const struct bw_measurement *measured = &timing->measurement;
	struct columns at = columns_for(sheet);
	bw_pen_right(pen, at.minimum, BW_STYLE_STRONG, "%s", bw_say_cost(measured->minimum).text);
	bw_pen_right(pen, at.median, BW_STYLE_NORMAL, "%s", bw_say_cost(measured->median).text);
	bw_pen_right(pen, at.spread, BW_STYLE_DIM, "%.1f%%", 100 * measured->spread);
	bw_pen_to(pen, at.verdict);
	bw_pen_puts(pen, verdict_style(measured->verdict), bw_verdict_name(measured->verdict));
	BW_SCOPED_TEXT how = {0};
	if (*timing->stored)
		bw_text_printf(&how, "  stored %s UTC", timing->stored);
	if (!before || !same_environment(before, measured))
		bw_text_printf(&how, "%son %s%s; %s", how.length ? ", " : "  ", measured->device,
			       bw_measurement_mark(measured), measured->method);
	if (measured->attempts > 1)
		bw_text_printf(&how, "%stried twice: the first worker ended meanwhile", how.length ? "; " : "  ");
	if (how.length)
		bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_text_get(&how));
	if (measured->verdict == BW_OUTPUT_WRONG) {
		*pen = bw_sheet_plain(sheet);
		bw_pen_printf(pen, BW_STYLE_ERROR, "  %s values differ, most at %s: %.3g times the bound",
			      bw_say_count((double)measured->mismatches).text, measured->where,
			      measured->worst);
	}
}

/* Draws the resources that the kernels use, if they are known. */
static void draw_uses(struct bw_sheet *sheet, const struct bw_timing *timing)
{
	const struct bw_kernel_uses *uses = &timing->measurement.kernels;
	BW_SCOPED_TEXT text = {0};
	bool spills = false;
	for (int k = 0; k < uses->n; k++)
		spills |= bw_kernel_spills(&uses->list[k]);
	if (uses->n) {
		bw_text_printf(&text, "  for %s: ", timing->device ? timing->device->name : timing->measurement.device);
		bw_kernel_uses_words(uses, &text);
		bw_sheet_wrap(sheet, spills ? BW_STYLE_ERROR : BW_STYLE_DIM, bw_text_get(&text));
	}
}

/* Returns true if a prediction is for the measured device; otherwise the two are not comparable. */
static bool is_comparable(const struct bw_timing *timing)
{
	return timing->predicted_for && timing->device && timing->predicted_for == timing->device;
}

/* Draws the time estimated from a GPU's counters, with its parts, if the emulated device ran the
 * schedule. */
static void draw_estimate(const struct bw_scene *scene, struct bw_sheet *sheet,
			  const struct bw_timing *timing)
{
	if (!timing->counted)
		return;
	struct bw_counted_cost cost = bw_counted_total(scene->session, timing);
	struct bw_text text = {0};
	bw_text_puts(&text, "  estimated for a GPU, not measured: ");
	bw_counted_cost_words(&cost, &text);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_text_get(&text));
	bw_text_free(&text);
	bw_counted_notes(timing, "  ", &text);
	if (text.length)
		bw_sheet_wrap(sheet, BW_STYLE_MARK, bw_text_get(&text));
	bw_text_free(&text);
}

/* Returns the label of a timing. If another schedule has the same label, appends the beginning of the
 * schedule's hash. */
static const char *label_of(const struct bw_scene *scene, const struct bw_timing *timing)
{
	for (int i = 0; i < scene->session->n_timings; i++)
		if (scene->session->timings[i].schedule != timing->schedule &&
		    !strcmp(scene->session->timings[i].label, timing->label))
			return bw_scene_text(scene, "%s %04llx", timing->label, (unsigned long long)timing->schedule >> 48);
	return timing->label;
}

static void draw_timing(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_timing *timing,
			const struct bw_measurement **before)
{
	const char *unit = scene->options->model->said;
	struct columns at = columns_for(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_field(&pen, at.label, BW_STYLE_STRONG, label_of(scene, timing));
	bool measured = timing->phase == BW_JOB_DONE && !timing->compiled && !timing->sampled,
	     apart = measured && !is_comparable(timing);
	if (timing->predicted > 0 && !apart && at.predicted)
		bw_pen_right(&pen, at.predicted, BW_STYLE_DIM, "%s %s", bw_say_cost(timing->predicted).text, unit);
	if (timing->phase == BW_JOB_DONE && !measured) {
		bw_pen_to(&pen, at.verdict);
		bw_pen_puts(&pen, BW_STYLE_DIM, timing->sampled ? "counted" : "compiled");
		if (timing->sampled)
			draw_estimate(scene, sheet, timing);
		else
			draw_uses(sheet, timing);
		return;
	}
	if (timing->phase == BW_JOB_DONE) {
		draw_measurement(sheet, &pen, timing, *before);
		*before = &timing->measurement;
		if (apart && timing->predicted > 0) {
			pen = bw_sheet_plain(sheet);
			bw_pen_printf(&pen, BW_STYLE_DIM, "  predicted %s %s for %s, another device",
				      bw_say_cost(timing->predicted).text, unit,
				      timing->predicted_for ? timing->predicted_for->name : "a device that is not known");
		}
		draw_estimate(scene, sheet, timing);
		draw_uses(sheet, timing);
		return;
	}
	bw_pen_to(&pen, at.minimum - 8);
	bool failed = timing->phase == BW_JOB_FAILED;
	bw_pen_puts(&pen, failed ? BW_STYLE_ERROR : BW_STYLE_MARK, phases[timing->phase]);
	if (failed) {
		pen = bw_sheet_plain(sheet);
		bw_pen_printf(&pen, BW_STYLE_ERROR, "  %s%s%s%s", *timing->stored ? "stored " : "",
			      timing->stored, *timing->stored ? " UTC: " : "", timing->error.text);
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct columns at = columns_for(sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (!scene->session->n_timings) {
		bw_pen_printf(&pen, BW_STYLE_DIM,
			      "Nothing was timed yet: %s compiles, checks and times the selected state.",
			      bw_scene_key(scene, "time"));
		return;
	}
	bw_pen_puts(&pen, BW_STYLE_DIM, "schedule");
	if (at.predicted)
		bw_pen_right(&pen, at.predicted, BW_STYLE_DIM, "predicted");
	bw_pen_right(&pen, at.minimum, BW_STYLE_DIM, "minimum");
	bw_pen_right(&pen, at.median, BW_STYLE_DIM, "median");
	bw_pen_right(&pen, at.spread, BW_STYLE_DIM, "spread");
	bw_pen_to(&pen, at.verdict);
	bw_pen_puts(&pen, BW_STYLE_DIM, "output");
	const struct bw_measurement *before = NULL;
	for (int i = 0; i < scene->session->n_timings; i++)
		draw_timing(scene, sheet, &scene->session->timings[i], &before);
	if (*scene->session->unstored)
		bw_sheet_wrap(sheet, BW_STYLE_ERROR, scene->session->unstored);
}

const struct bw_view bw_view_timings = {
    .name = "timings", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};
