/* The code of a schedule: above the loop nest of the selected line's kernel, with what is spent in each loop;
 * below the PTX, each line with its loop, how often it ran, and the SASS that became of it. */
#include "base/say.h"
#include "session/counters.h"
#include "ui/view.h"

enum {
	RUNS = 9,        /* columns of how often a line ran, and of a loop's share */
	LEAST_LOOP = 16, /* columns of a line's loop */
	LEAST_SASS = 16,
	HOT_LINES = 20, /* a line is as hot as so many like it together */
	HEAD_PERCENT = 34
};

static const struct bw_timing *shown(const struct bw_scene *scene)
{
	return bw_session_code(scene->session, scene->state ? scene->state->nest : NULL, false);
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_timing *timing = shown(scene);
	if (timing)
		*right = bw_scene_text(scene, "%s, on %s", timing->label, timing->measurement.device);
	return "CODE: loop nest, PTX, SASS";
}

/* Returns the kernel of a line of all kernels, and sets *line to its place there; NULL: there is none. */
static const struct bw_code_kernel *kernel_at(const struct bw_code *code, int *line)
{
	for (int k = 0; k < code->n && *line >= 0; k++) {
		if (*line < code->kernels[k].n_lines)
			return &code->kernels[k];
		*line -= code->kernels[k].n_lines;
	}
	return NULL;
}

/* Returns true if a loop is the other one or around it. */
static bool holds(const struct bw_code_kernel *kernel, int loop, int other)
{
	while (other > loop)
		other = kernel->loops[other].parent;
	return other == loop;
}

static void draw_loop(struct bw_pen *pen, const struct bw_code_kernel *kernel, int k, int selected,
		      double all)
{
	const struct bw_code_loop *loop = &kernel->loops[k];
	double share = all > 0 ? loop->runs / all : 0;
	bool lit = selected < 0 || holds(kernel, k, selected);
	bw_pen_right(pen, RUNS - 1, loop->runs > 0 ? bw_style_heat(share) : BW_STYLE_DIM, "%s", bw_say_percent(share).text);
	bw_pen_to(pen, RUNS);
	bw_pen_puts(pen, BW_STYLE_MARK, k == selected ? ">" : " ");
	for (int d = 0; d < loop->depth; d++)
		bw_pen_puts(pen, BW_STYLE_DIM, pen->right - pen->left < 100 ? " " : "  ");
	bw_pen_puts(pen, k == selected ? BW_STYLE_STRONG : lit ? BW_STYLE_NORMAL : BW_STYLE_DIM, loop->text);
}

/* Draws as many lines of the selected line's nest as there is room, with its loop among them. Printed,
 * each kernel has its nest above its code instead. */
static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_timing *timing = shown(scene);
	int line = timing ? bw_session_line(scene->session, timing) : -1;
	const struct bw_code_kernel *kernel = timing ? kernel_at(timing->code, &line) : NULL;
	if (!kernel || !scene->rows)
		return;
	int selected = kernel->lines[line].loop, rows = sheet->to;
	int first = selected >= rows ? selected - rows + 1 + (selected + 1 < kernel->n_loops) : 0;
	double all = bw_code_runs(timing->code);
	for (int k = first; k < kernel->n_loops && k < first + rows; k++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		draw_loop(&pen, kernel, k, selected, all);
	}
}

/* Returns the SASS of a line in words, `FFMA x4, MOV`. */
static const char *sass_words(const struct bw_scene *scene, const struct bw_code_kernel *kernel,
			      const struct bw_code_line *line)
{
	BW_SCOPED_TEXT words = {0};
	const struct bw_code_sass *sass = &kernel->sass[line->first_sass];
	for (int k = 0, same; k < line->n_sass; k += same) {
		for (same = 1; k + same < line->n_sass && !strcmp(sass[k].text, sass[k + same].text); same++)
			;
		bw_text_printf(&words, same > 1 ? "%s%s x%d" : "%s%s", k ? ", " : "", sass[k].text, same);
	}
	return bw_scene_text(scene, "%s", bw_text_get(&words));
}

/* Returns true if a line is shown: an instruction or the beginning of a block. */
static bool is_shown(const struct bw_code_line *line)
{
	return line->instruction || *line->text == '$' || *line->text == 'L' || !strncmp(line->text, "// %bb", 6);
}

static void draw_line(const struct bw_scene *scene, struct bw_pen *pen,
		      const struct bw_code_kernel *kernel, int k, bool first, int lit)
{
	const struct bw_code_line *line = &kernel->lines[k];
	const struct bw_code_loop *loop = &kernel->loops[line->loop];
	int columns = pen->right - pen->left, wide = columns < 100 ? LEAST_LOOP : columns / 6,
	    sass = columns < 100 ? LEAST_SASS : columns / 4;
	const struct bw_func *func = line->loop && loop->func >= 0 ? &scene->pipeline->funcs[loop->func] : NULL;
	const char *name = !first ? "" : !func ? "-" : loop->loop < 0 ? func->name
				 : bw_scene_text(scene, "%s %s", func->name, func->stages[loop->stage].loops[loop->loop].name);
	bool inside = lit >= 0 && line->loop && line->loop == lit;
	bw_pen_field(pen, wide - 1, inside ? BW_STYLE_KEPT : BW_STYLE_DIM, name);
	bw_pen_puts(pen, BW_STYLE_MARK, inside ? "|" : " ");
	if (line->instruction)
		bw_pen_right(pen, wide + RUNS - 1,
			     line->runs > 0 ? bw_style_heat(HOT_LINES * line->runs / kernel->runs) : BW_STYLE_DIM, "%s",
			     bw_say_count(line->runs).text);
	bw_pen_to(pen, wide + RUNS);
	bw_pen_field(pen, columns - wide - RUNS - sass - 1,
		     line->instruction ? BW_STYLE_NORMAL : BW_STYLE_STRONG, line->text);
	bw_pen_to(pen, columns - sass);
	if (line->n_sass)
		bw_pen_puts(pen, inside ? BW_STYLE_KEPT : BW_STYLE_NORMAL, sass_words(scene, kernel, line));
}

static void draw_kernel(const struct bw_scene *scene, struct bw_sheet *sheet,
			const struct bw_code_kernel *kernel, int offset, int lit)
{
	int before = -1;
	for (int k = 0; k < kernel->n_lines; k++) {
		const struct bw_code_line *line = &kernel->lines[k];
		if (!is_shown(line))
			continue;
		bool wanted = bw_sheet_wanted(sheet);
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_LINE, .index = offset + k});
		if (wanted)
			draw_line(scene, &pen, kernel, k, line->loop != before || sheet->n_rows - 1 == sheet->from, lit);
		before = line->loop;
	}
}

/* Draws the nest of a kernel above its lines, which is in the head of a screen. */
static void draw_nest(const struct bw_scene *scene, struct bw_sheet *sheet,
		      const struct bw_code_kernel *kernel, double all)
{
	for (int k = 0; k < kernel->n_loops; k++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		draw_loop(&pen, kernel, k, -1, all);
	}
	bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_scene_text(scene, "%s instructions of warps in PTX, %s of them in a loop of the nest",
							 bw_say_count(kernel->runs).text,
							 bw_say_percent(kernel->runs > 0 ? kernel->told / kernel->runs : 0).text));
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_timing *timing = shown(scene);
	if (!timing) {
		bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_scene_keys(scene, "No code yet: {code} compiles the selected state in the background, once it is complete, and "
							    "counts on the emulated device how often each line runs."));
		return;
	}
	const struct bw_code *code = timing->code;
	int line = bw_session_line(scene->session, timing), offset = 0;
	const struct bw_code_kernel *selected = kernel_at(code, &line);
	for (int k = 0; k < code->n; k++) {
		if (!scene->rows)
			draw_nest(scene, sheet, &code->kernels[k], bw_code_runs(code));
		draw_kernel(scene, sheet, &code->kernels[k], offset,
			    selected == &code->kernels[k] && scene->rows ? selected->lines[line].loop : -1);
		offset += code->kernels[k].n_lines;
	}
}

/* Draws what is known of the block of the selected line, and why there is no SASS. */
static void foot(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_timing *timing = shown(scene);
	int line = timing ? bw_session_line(scene->session, timing) : -1;
	const struct bw_code_kernel *kernel = timing ? kernel_at(timing->code, &line) : NULL;
	const struct bw_counted_part *block = NULL;
	bool idle = kernel && kernel->lines[line].instruction && kernel->lines[line].runs <= 0;
	for (int k = kernel && !idle ? line : -1; k >= 0 && !block; k--)
		block = kernel->lines[k].block;
	const char *why = timing ? timing->code->no_sass : NULL, *text = why ? bw_scene_text(scene, "No SASS: %s. ", why) : "";
	if (block) {
		const struct bw_counts *counts = &block->counts;
		uint64_t requests = counts->global_load_requests + counts->global_store_requests,
			 sectors = counts->global_load_sectors + counts->global_store_sectors,
			 conflicts = counts->shared_load_conflicts + counts->shared_store_conflicts;
		text = bw_scene_text(scene, "%sIts block: %s instructions of warps, %.0f of 32 lanes active", text,
				     bw_say_count((double)counts->instructions).text,
				     (double)counts->active_instructions / (double)counts->instructions);
		if (requests)
			text = bw_scene_text(scene, "%s, %.1f sectors an access", text, (double)sectors / (double)requests);
		if (conflicts)
			text = bw_scene_text(scene, "%s, %s wavefronts by conflicts", text, bw_say_count((double)conflicts).text);
	}
	bw_sheet_wrap(sheet, BW_STYLE_DIM, text);
}

const struct bw_view bw_view_code = {.name = "code",
				     .selects = BW_ROW_LINE,
				     .title = title,
				     .head_rows = -HEAD_PERCENT,
				     .head = head,
				     .fill = fill,
				     .foot = foot};
