/* The emulated device's counters for the newest schedule that it ran, by kernel and stage, beside the
 * predictions of the roofline model. */
#include <math.h>

#include "base/say.h"
#include "session/counters.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_timing *timing = bw_session_counted(scene->session);
	if (timing)
		*right = timing->label;
	return "COUNTED BY THE EMULATED DEVICE";
}

enum { NAME = 24, FIRST = 36, EACH = 14 };

/* Draws each counter as `counted ratio`. The ratio is the counted over the predicted value. */
static void draw_figures(struct bw_pen *pen, const struct bw_counted_row *row)
{
	for (int k = 0; k < BW_N_COUNTED; k++) {
		int column = FIRST + k * EACH;
		struct bw_said counted = k == BW_COUNTED_OPERATIONS ? bw_say_count(row->counted[k])
								    : bw_say_bytes(row->counted[k]);
		double ratio = row->counted[k] / row->predicted[k];
		if (pen->left + column + 6 > pen->right)
			return;
		if (row->counted[k] > 0 || row->predicted[k] > 0)
			bw_pen_right(pen, column, row->func ? BW_STYLE_NORMAL : BW_STYLE_STRONG, "%s",
				     row->counted[k] >= 1e8 && k == BW_COUNTED_OPERATIONS
					 ? bw_say_cost(row->counted[k] / 1e6).text
					 : counted.text);
		if (row->counted[k] >= 1e8 && k == BW_COUNTED_OPERATIONS)
			bw_pen_puts(pen, BW_STYLE_NORMAL, "M");
		if (isfinite(ratio) && row->predicted[k] > 0)
			bw_pen_right(pen, column + 6, ratio > 2 || ratio < 0.5 ? BW_STYLE_MARK : BW_STYLE_DIM, "%.2f", ratio);
	}
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Draws which instructions the device runs, or why they are unknown. */
static void draw_sass(const struct bw_scene *scene, struct bw_sheet *sheet,
		      const struct bw_counted_kernel *of)
{
	static const char *const mnemonics[] = {BW_SASS_KIND_TABLE(BW_THIRD)};
	double all = bw_counted_sass(of);
	const char *line = bw_scene_text(scene, "  in SASS %s:", bw_say_count(all).text);
	if (!of->has_sass) {
		bw_sheet_wrap(sheet, BW_STYLE_DIM, "  not counted in SASS: no ptxas made code that is known here");
		return;
	}
	for (int k = BW_SASS_FLOAT; k < BW_SASS_KINDS; k++)
		if (of->sass[k] > 0)
			line = bw_scene_text(scene, "%s %s %s,", line, mnemonics[k],
					     bw_say_percent(of->sass[k] / all).text);
	bw_sheet_say(sheet, BW_STYLE_DIM, "%s all else %s", line,
		     bw_say_percent(of->sass[BW_SASS_OTHER] / all).text);
}

/* Draws the counters of a kernel that no model predicts. */
static void draw_kernel(const struct bw_scene *scene, struct bw_sheet *sheet,
			const struct bw_counted_row *row)
{
	const struct bw_counts *counts = &row->counts;
	const struct bw_counted_kernel *of = row->of;
	const char *line = bw_scene_text(scene, "  grid %s, block %s, %s shared, %lld launch%s",
					 bw_say_extents(of->grid).text, bw_say_extents(of->block).text,
					 bw_say_bytes((double)of->shared_bytes).text, (long long)of->launches,
					 of->launches == 1 ? "" : "es");
	if (row->registers)
		line = bw_scene_text(scene, "%s, %d registers a thread", line, row->registers);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, line);
	if (of->sampled)
		bw_sheet_say(sheet, BW_STYLE_MARK,
			     "  %s blocks were run for all: edges, corners, middle; counts are scaled",
			     bw_say_count((double)of->sampled).text);
	bw_sheet_say(
	    sheet, BW_STYLE_DIM,
	    "  in PTX %s instructions of warps, %.1f of 32 lanes active, %s barriers, %s branches that part a warp",
	    bw_say_count((double)counts->instructions).text,
	    share(counts->active_instructions, counts->instructions),
	    bw_say_count((double)counts->barriers).text, bw_say_count((double)counts->divergent).text);
	draw_sass(scene, sheet, of);
	bw_sheet_say(
	    sheet, BW_STYLE_DIM,
	    "  %.1f sectors a global load, %.1f a store; %.0f%% of loads hit L1; DRAM reads %s, writes %s",
	    share(counts->global_load_sectors, counts->global_load_requests),
	    share(counts->global_store_sectors, counts->global_store_requests),
	    100 * share(counts->l1_hits, counts->global_load_sectors),
	    bw_say_bytes((double)counts->dram_read_bytes).text,
	    bw_say_bytes((double)counts->dram_write_bytes).text);
	if (counts->shared_load_conflicts + counts->shared_store_conflicts + counts->local_load_requests +
	    counts->local_store_requests + counts->global_atomics + counts->shared_atomics)
		bw_sheet_say(
		    sheet, BW_STYLE_DIM,
		    "  %s wavefronts added by bank conflicts, %s accesses of local memory, %s atomics",
		    bw_say_count((double)(counts->shared_load_conflicts + counts->shared_store_conflicts))
			.text,
		    bw_say_count((double)(counts->local_load_requests + counts->local_store_requests)).text,
		    bw_say_count((double)(counts->global_atomics + counts->shared_atomics)).text);
}

/* Draws the time that is estimated from a kernel's counts, with its parts. */
static double draw_estimate(const struct bw_scene *scene, struct bw_sheet *sheet,
			    const struct bw_counted_row *row)
{
	static const char *const words[] = {BW_COUNTED_PART_TABLE(BW_THIRD)};
	struct bw_counted_cost cost = bw_counted_time(scene->session, row);
	const char *line = bw_scene_text(scene, "  estimated for %s: %s ms from", scene->session->options.device->name,
					 bw_say_cost(cost.ms).text);
	for (int p = 0; p < BW_N_COUNTED_PARTS; p++)
		line = bw_scene_text(scene, "%s%s %s %s", line, p ? "," : "", words[p], bw_say_cost(cost.parts[p]).text);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, line);
	return cost.ms;
}

/* Draws the schedules that were verified, the contradictions marked. */
static void draw_verified(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	BW_SCOPED_TEXT text = {0};
	bw_verified_print(scene->session, "", &text);
	for (const char *line = bw_text_get(&text), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_sheet_say(sheet, *line == '!' ? BW_STYLE_MARK : BW_STYLE_NORMAL, "%.*s", (int)(end - line),
			     line);
	}
	if (text.length)
		bw_sheet_plain(sheet);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_timing *timing = bw_session_counted(scene->session);
	int n;
	double estimated = 0;
	draw_verified(scene, sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (!timing) {
		bw_pen_puts(&pen, BW_STYLE_DIM, "Nothing was counted yet: `counters` counts the selected state.");
		return;
	}
	const struct bw_counted_row *rows = bw_counted_rows(scene->session, timing, scene->arena, &n);
	bw_pen_puts(&pen, BW_STYLE_DIM, "kernel, stage");
	for (int k = 0; k < BW_N_COUNTED && pen.left + FIRST + k * EACH + 6 <= pen.right; k++)
		bw_pen_right(&pen, FIRST + k * EACH, BW_STYLE_DIM, "%s", bw_counted_words(k));
	for (int k = 0; k < n; k++) {
		pen = bw_sheet_plain(sheet);
		if (!rows[k].func) {
			bw_pen_puts(&pen, BW_STYLE_STRONG, rows[k].kernel);
			draw_kernel(scene, sheet, &rows[k]);
			estimated += draw_estimate(scene, sheet, &rows[k]);
			pen = bw_sheet_plain(sheet);
		}
		bw_pen_field(&pen, NAME, BW_STYLE_NORMAL,
			     rows[k].func
				 ? bw_scene_text(scene, "  %s", bw_counted_name(&rows[k], scene->arena))
				 : "  all of it");
		draw_figures(&pen, &rows[k]);
	}
	bw_sheet_say(sheet, BW_STYLE_DIM, "Estimated from the counts, not measured: %s ms in all.",
		     bw_say_cost(estimated).text);
	bw_sheet_wrap(sheet, BW_STYLE_DIM,
		      timing->nest ? "Beside each figure: counted over what the roofline predicts."
				   : "The generator's own schedule: nothing is predicted of it.");
}

const struct bw_view bw_view_counters = {
    .name = "counters", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};
