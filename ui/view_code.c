/* The code of a schedule. At the top is the loop nest of the selected line's kernel, with the share of the
 * work of each loop. Below is the PTX or Halide's lowered statement, each line with its loop. PTX lines
 * also have how often they ran and their SASS. If there is room, the other of the two texts is beside it,
 * at the lines that belong to the selected line. */
#include <math.h>

#include "base/say.h"
#include "session/counters.h"
#include "ui/view.h"

enum {
	RUNS = 9,        /* columns of how often a line ran, and of a loop's share */
	LOOP_RUNS = 11,  /* columns of how often all lines of a loop ran */
	LEAST_LOOP = 16, /* columns of a line's loop */
	LEAST_SASS = 16,
	HOT_LINES = 20, /* a line is as hot as so many like it together */
	WIDE = 120,     /* columns in which the statement and the PTX stand side by side */
	HEAD_PERCENT = 34
};

#define FOLDED "▸ "

static const struct bw_timing *shown(const struct bw_scene *scene)
{
	return bw_session_code(scene->session, 0, false);
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_timing *timing = shown(scene);
	if (timing)
		*right = bw_scene_text(scene, "%s, on %s", timing->label, timing->measurement.device);
	if (!timing)
		return "CODE: loop nest, statement, PTX, SASS";
	int func = bw_session_code_func(scene->session);
	return bw_scene_text(scene, "CODE%s%s: loop nest, %s", func < 0 ? "" : " of ", func < 0 ? "" : scene->pipeline->funcs[func].name,
			     bw_session_reads_statement(scene->session, timing) ? "Halide's statement" : "PTX, SASS");
}

static void draw_loop(struct bw_pen *pen, const struct bw_code_kernel *kernel, int k, int selected,
		      double all)
{
	const struct bw_code_loop *loop = &kernel->loops[k];
	double share = all > 0 ? loop->runs / all : 0;
	bool lit = selected < 0 || bw_code_holds(kernel, k, selected);
	/* An unrolled or vectorized loop may have no label in the PTX: it counts for the loop around it. */
	if (loop->runs > 0)
		bw_pen_right(pen, RUNS - 1, bw_style_heat(share), "%s", bw_say_percent(share).text);
	bw_pen_to(pen, RUNS);
	bw_pen_puts(pen, BW_STYLE_MARK, k == selected ? ">" : " ");
	for (int d = 0; d < loop->depth; d++)
		bw_pen_puts(pen, BW_STYLE_DIM, pen->right - pen->left < 100 ? " " : "  ");
	if (loop->folded)
		bw_pen_puts(pen, BW_STYLE_DIM, FOLDED);
	bw_pen_puts(pen, k == selected ? BW_STYLE_STRONG : lit ? BW_STYLE_NORMAL : BW_STYLE_DIM, loop->text);
}

/* The text that is shown (the lines of all kernels, one kernel after the other), the selected line, and the
 * columns. */
struct texts {
	const struct bw_timing *timing;
	bool statement; /* the rows are lines of the statement; else of the PTX */
	const struct bw_code_kernel *kernel; /* of the selected line; NULL: there is none */
	int func;       /* the only one shown; -1: all are */
	int line, loop; /* the selected line in its kernel; the line of the nest that its row stands for */
	int wide, sass, beside; /* columns of the loop, the SASS and the other text; 0: it is not shown */
	int columns;
	int *other, n_other; /* lines of the other text that have a row, of the selected line's kernel */
	int shift; /* row of the other text that stands beside the first row shown, less that row */
};

static struct texts texts_of(const struct bw_scene *scene, int columns)
{
	struct texts texts = {
	    .timing = shown(scene), .func = bw_session_code_func(scene->session), .loop = -1, .columns = columns};
	texts.statement = scene->rows && texts.timing && bw_session_reads_statement(scene->session, texts.timing);
	texts.line = texts.timing && scene->rows ? bw_session_line(scene->session, texts.timing) : -1;
	texts.kernel = texts.timing ? bw_code_kernel_at(texts.timing->code, texts.statement, &texts.line) : NULL;
	if (texts.kernel)
		texts.loop = bw_code_row_loop(texts.kernel, texts.statement, texts.line, texts.func);
	bool is_wide = columns >= WIDE;
	texts.wide = is_wide ? columns / 8 : LEAST_LOOP;
	texts.sass = texts.statement ? 0 : is_wide ? columns / 6 : LEAST_SASS;
	if (is_wide && scene->rows && texts.kernel && bw_code_lines(texts.timing->code, true))
		texts.beside = columns / 3;
	else if (is_wide && texts.sass)
		texts.sass = columns / 4, texts.wide = columns / 6;
	return texts;
}

/* Draws the loop nest of the selected line's kernel, as many lines as fit, including the line's loop. If
 * only one Func is shown, draws only its loops. A printed view has each nest above the kernel's code
 * instead. */
static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct texts texts = texts_of(scene, 0);
	if (!texts.kernel || !scene->rows)
		return;
	int *list = BW_ARENA_ARRAY(scene->arena, int, texts.kernel->n_loops + 1), n = 0, at = 0, rows = sheet->to;
	for (int k = 0; k < texts.kernel->n_loops; k++) {
		at = k == texts.loop ? n : at;
		if (!k || texts.func < 0 || texts.kernel->loops[k].func == texts.func)
			list[n++] = k;
	}
	int first = at >= rows ? at - rows + 1 + (at + 1 < n) : 0;
	double all = bw_code_runs(texts.timing->code);
	for (int k = first; k < n && k < first + rows; k++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		draw_loop(&pen, texts.kernel, list[k], texts.loop, all);
	}
}

/* Returns the SASS of a line in words, `FFMA x4, MOV`. */
static const char *sass_words(const struct bw_scene *scene, const struct bw_code_kernel *kernel,
			      const struct bw_code_line *line)
{
	BW_SCOPED_TEXT words = {0};
	bw_code_sass_words(kernel, line, &words);
	return bw_scene_text(scene, "%s", bw_text_get(&words));
}

/* Returns the text of a row, of the statement or of the PTX. Sets *runs to how often the row ran: for the
 * statement, how often its loop ran, on the loop's first line only; NAN: no number is shown. */
static const char *row_text(const struct bw_scene *scene, const struct texts *texts,
			    const struct bw_code_kernel *kernel, bool statement, int k, double *runs)
{
	int of = bw_code_row_loop(kernel, statement, k, texts->func);
	if (kernel->loops[of].folded) {
		int n = 0, end = statement ? kernel->n_statement : kernel->n_lines;
		for (int line = k; line < end; line++)
			n += (statement || kernel->lines[line].instruction) &&
			     bw_code_holds(kernel, of, bw_code_loop_at(kernel, statement, line));
		*runs = kernel->loops[of].runs;
		return bw_scene_text(scene, FOLDED "%s: %s %s%s", kernel->loops[of].text, bw_say_count(n).text, statement ? "line" : "instruction", n == 1 ? "" : "s");
	}
	if (statement) {
		const struct bw_code_statement *line = &kernel->statement[k];
		bool first = line->first && k == bw_code_find(kernel, true, line->loop);
		*runs = first ? kernel->loops[line->loop].own : (double)NAN;
		size_t least = strspn(kernel->statement->text, " "), blanks = strspn(line->text, " ");
		return line->text + (blanks < least ? blanks : least);
	}
	*runs = kernel->lines[k].instruction ? kernel->lines[k].runs : (double)NAN;
	return kernel->lines[k].text;
}

/* Returns the SASS of a line's row in words; "": it has none. */
static const char *row_sass(const struct bw_scene *scene, const struct bw_code_kernel *kernel, int loop,
			    int k)
{
	int n = 0;
	if (!kernel->loops[loop].folded)
		return kernel->lines[k].n_sass ? sass_words(scene, kernel, &kernel->lines[k]) : "";
	for (int line = k; line < kernel->n_lines; line++)
		n += bw_code_holds(kernel, loop, kernel->lines[line].loop) ? kernel->lines[line].n_sass : 0;
	return n ? bw_scene_text(scene, "%d of SASS", n) : "";
}

static void draw_runs(struct bw_pen *pen, int column, const struct bw_code_kernel *kernel, double runs,
		      double like_it)
{
	if (!isnan(runs))
		bw_pen_right(pen, column, runs > 0 ? bw_style_heat(like_it * runs / kernel->runs) : BW_STYLE_DIM, "%s",
			     bw_say_count(runs).text);
}

/* Draws the line of the other text (statement or PTX) beside a row. */
static void draw_beside(const struct bw_scene *scene, struct bw_pen *pen, const struct texts *texts,
			const struct bw_code_kernel *kernel, int row)
{
	int k = texts->shift + row;
	if (kernel != texts->kernel || k < 0 || k >= texts->n_other)
		return;
	double runs;
	const char *text = row_text(scene, texts, kernel, !texts->statement, texts->other[k], &runs);
	bool inside = bw_code_row_loop(kernel, !texts->statement, texts->other[k], texts->func) == texts->loop;
	bw_pen_to(pen, texts->columns - texts->beside);
	bw_pen_puts(pen, BW_STYLE_MARK, inside ? "|" : " ");
	bw_pen_field(pen, texts->beside - 1, inside ? BW_STYLE_NORMAL : BW_STYLE_DIM, text);
}

static void draw_line(const struct bw_scene *scene, struct bw_pen *pen, const struct texts *texts,
		      const struct bw_code_kernel *kernel, int k, bool first, int row)
{
	int of = bw_code_row_loop(kernel, texts->statement, k, texts->func),
	    at = texts->wide + (texts->statement ? LOOP_RUNS : RUNS),
	    right = texts->columns - texts->beside - (texts->statement ? 0 : texts->sass);
	const struct bw_code_loop *loop = &kernel->loops[of];
	const struct bw_func *func = of && loop->func >= 0 ? &scene->pipeline->funcs[loop->func] : NULL;
	const char *name = !first ? "" : !func ? "-" : loop->loop < 0 ? func->name
				 : bw_scene_text(scene, "%s %s", func->name, func->stages[loop->stage].loops[loop->loop].name);
	bool inside = scene->rows && kernel == texts->kernel && of && of == texts->loop;
	double runs;
	const char *text = row_text(scene, texts, kernel, texts->statement, k, &runs);
	bw_pen_field(pen, texts->wide - 1, inside ? BW_STYLE_KEPT : BW_STYLE_DIM, name);
	bw_pen_puts(pen, BW_STYLE_MARK, inside ? "|" : " ");
	draw_runs(pen, at - 1, kernel, runs, texts->statement || loop->folded ? 1 : HOT_LINES);
	bw_pen_to(pen, at);
	bool strong = loop->folded || (!texts->statement && !kernel->lines[k].instruction);
	bw_pen_field(pen, right - at - 1, strong ? BW_STYLE_STRONG : BW_STYLE_NORMAL, text);
	bw_pen_to(pen, right);
	if (texts->sass && !texts->statement)
		bw_pen_field(pen, texts->sass - 1, inside ? BW_STYLE_KEPT : BW_STYLE_NORMAL,
			     row_sass(scene, kernel, of, k));
	if (texts->beside)
		draw_beside(scene, pen, texts, kernel, row);
}

/* Returns the index of the last row that is not after a line. */
static int row_at(const int *rows, int n, int line)
{
	int at = 0;
	while (at + 1 < n && rows[at + 1] <= line)
		at++;
	return at;
}

/* Returns the last row, from row `at` on in the direction `by`, that belongs to the same loop as row `at`. */
static int end_of(const struct texts *texts, bool statement, const int *rows, int n, int at, int by)
{
	int loop = bw_code_row_loop(texts->kernel, statement, rows[at], texts->func);
	for (; at + by >= 0 && at + by < n; at += by)
		if (bw_code_row_loop(texts->kernel, statement, rows[at + by], texts->func) != loop)
			break;
	return at;
}

/* Lines up the other text with the rows that belong to the selected loop, around the selected row. The
 * loop's first line in the other text is put beside the first of these rows. If that row is above the
 * screen, the first visible row gets the line that is as far into the loop, as a share of the loop's length.
 * rows: of the selected kernel. first_row: the row of the sheet in which they begin. from: the first visible
 * row of the sheet. */
static void line_up(const struct bw_scene *scene, struct texts *texts, const int *rows, int n, int first_row,
		    int from)
{
	bool statement = texts->statement;
	texts->other = bw_code_rows(texts->kernel, !statement, texts->func, scene->arena, &texts->n_other);
	int line = bw_code_find(texts->kernel, !statement, texts->loop);
	line = bw_code_row(texts->kernel, !statement, line, texts->func);
	if (!texts->n_other || !n)
		return;
	int at = row_at(rows, n, texts->line), begin = end_of(texts, statement, rows, n, at, -1),
	    length = end_of(texts, statement, rows, n, at, 1) + 1 - begin,
	    other = row_at(texts->other, texts->n_other, line),
	    after = end_of(texts, !statement, texts->other, texts->n_other, other, 1) + 1, row = first_row + begin;
	texts->shift = other - row;
	if (row < from)
		texts->shift = other + (int)((int64_t)(after - other) * (from - row) / length) - from;
}

static void draw_kernel(const struct bw_scene *scene, struct bw_sheet *sheet, struct texts *texts,
			const struct bw_code_kernel *kernel, int offset)
{
	int before = -1, n;
	const int *rows = bw_code_rows(kernel, texts->statement, texts->func, scene->arena, &n);
	if (texts->beside && kernel == texts->kernel)
		line_up(scene, texts, rows, n, sheet->n_rows, sheet->from);
	for (int k = 0; k < n; k++) {
		bool wanted = bw_sheet_wanted(sheet);
		int row = sheet->n_rows, loop = bw_code_row_loop(kernel, texts->statement, rows[k], texts->func);
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_LINE, .index = offset + rows[k]});
		texts->columns = pen.right - pen.left;
		if (wanted)
			draw_line(scene, &pen, texts, kernel, rows[k], loop != before || row == sheet->from, row);
		before = loop;
	}
}

/* Draws the nest of a kernel above the kernel's lines, for a printed view. On a screen the head shows the
 * nest. */
static void draw_nest(struct bw_sheet *sheet, const struct bw_code_kernel *kernel, double all)
{
	for (int k = 0; k < kernel->n_loops; k++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		draw_loop(&pen, kernel, k, -1, all);
	}
	bw_sheet_say(sheet, BW_STYLE_DIM, "%s instructions of warps in PTX, %s of them in a loop of the nest",
		     bw_say_count(kernel->runs).text,
		     bw_say_percent(kernel->runs > 0 ? kernel->told / kernel->runs : 0).text);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct texts texts = texts_of(scene, sheet->grid.columns - sheet->margin);
	const struct bw_timing *begun = texts.timing ? NULL : bw_session_code(scene->session, 0, true);
	if (begun) {
		bw_sheet_wrap(sheet, BW_STYLE_DIM,
			      begun->phase == BW_JOB_WAITING ? "It waits for what is compiled before it."
			      : "It is being compiled, and run on the emulated device to count how often each line runs.");
		return;
	}
	if (!texts.timing) {
		bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_scene_keys(scene, "No code yet: {code} compiles the selected state in the background, once it is complete, and "
							    "counts on the emulated device how often each line runs."));
		return;
	}
	const struct bw_code *code = texts.timing->code;
	int first = sheet->n_rows;
	for (int k = 0, offset = 0; k < code->n; k++) {
		int n, n_statement;
		bw_code_rows(&code->kernels[k], false, texts.func, scene->arena, &n);
		bw_code_rows(&code->kernels[k], true, texts.func, scene->arena, &n_statement);
		if (!scene->rows && n + n_statement)
			draw_nest(sheet, &code->kernels[k], bw_code_runs(code));
		for (int text = 1; text >= 0; text--) { /* printed: the statement, then the PTX */
			texts.statement = scene->rows ? texts.statement : text;
			if (text || !scene->rows)
				draw_kernel(scene, sheet, &texts, &code->kernels[k], offset);
		}
		offset += texts.statement ? code->kernels[k].n_statement : code->kernels[k].n_lines;
	}
	if (sheet->n_rows == first && texts.func >= 0)
		bw_sheet_say(
		    sheet, BW_STYLE_DIM,
		    "No line of the code belongs to %s: it is inlined, or its loops are not told. %s",
		    scene->pipeline->funcs[texts.func].name,
		    bw_scene_keys(
			scene, "{sort} shows the lines of all Funcs, {step func} those of the next Func."));
}

/* Returns the mix of a loop in words: `product, serial k$x 1,536: 15% float math, 29% loads, 0% stores in
 * PTX; ...`. */
static const char *mix_words(const struct bw_scene *scene, const struct bw_code_kernel *kernel, int loop)
{
	const struct bw_code_loop *row = &kernel->loops[loop];
	const char *text = bw_scene_text(scene, "%s%s%s:", row->loop < 0 ? "" : scene->pipeline->funcs[row->func].name,
					 row->loop < 0 ? "" : ", ", row->text);
	for (int sass = 0; sass < 2; sass++) {
		struct bw_code_mix mix = bw_code_mix(kernel, loop, sass);
		if (mix.all > 0)
			text = bw_scene_text(scene, "%s%s %s float math, %s loads, %s stores in %s", text, sass ? ";" : "",
					     bw_say_percent(mix.floats / mix.all).text, bw_say_percent(mix.loads / mix.all).text,
					     bw_say_percent(mix.stores / mix.all).text, sass ? "SASS" : "PTX");
	}
	return bw_scene_text(scene, "%s. ", text);
}

/* Returns the line of the PTX that ran most often in a loop, of its longest run of lines and the lines after
 * it. If the loop has no lines, returns a line of a loop inside of it or, if there is none either, around
 * it. */
static int hottest_of(const struct bw_code_kernel *kernel, int loop)
{
	int best = bw_code_find(kernel, false, loop);
	for (int k = best; k < kernel->n_lines; k++)
		if (kernel->lines[k].loop == loop && kernel->lines[k].runs > kernel->lines[best].runs)
			best = k;
	return best;
}

/* Draws the instruction mix of the selected loop, what is known of the basic block of the selected line
 * (for the statement: of the loop's hottest block), and the reason if there is no SASS. */
static void foot(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct texts texts = texts_of(scene, 0);
	const struct bw_timing *timing = texts.timing;
	const struct bw_code_kernel *kernel = texts.kernel;
	int line = kernel && texts.statement ? hottest_of(kernel, texts.loop) : texts.line;
	const struct bw_counted_part *block = NULL;
	bool idle = kernel && kernel->lines[line].instruction && kernel->lines[line].runs <= 0;
	bool folded = kernel && kernel->loops[texts.loop].folded;
	for (int k = kernel && !idle && !folded ? line : -1; k >= 0 && !block; k--)
		block = kernel->lines[k].block;
	const char *why = timing ? timing->code->no_sass : NULL,
		   *text = why ? bw_scene_text(scene, "No SASS: %s. ", why) : "";
	if (kernel && kernel->loops[texts.loop].runs > 0)
		text = bw_scene_text(scene, "%s%s", text, mix_words(scene, kernel, texts.loop));
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
