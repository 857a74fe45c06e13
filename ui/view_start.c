/* The start page: a description of the program, the pipeline being searched, the progress, and common
 * questions with the keys that answer them. Every key leaves the page and has its usual effect. */

#include "base/arith.h"
#include "base/say.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	(void)scene, (void)right;
	return "";
}

static void line(struct bw_sheet *sheet, enum bw_style style, const char *text)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_to(&pen, 4);
	bw_pen_puts(&pen, style, text);
}

static void draw_progress(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_search_totals totals = bw_search_totals(scene->session->search);
	int reached = bw_search_reached(scene->session->search);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_to(&pen, 4);
	if (reached < scene->n_decisions) {
		bw_pen_printf(&pen, BW_STYLE_NORMAL, "searching: %d of %d decisions ", reached, scene->n_decisions);
		bw_pen_bar(&pen, 20, BW_STYLE_MARK, scene->n_decisions ? (double)reached / scene->n_decisions : 0);
		return;
	}
	int n_funcs = 0;
	for (int i = scene->first; i < scene->end; i++)
		n_funcs += bw_search_decision(scene->session->search, i)->phase == BW_PHASE_WHERE;
	bw_pen_printf(&pen, BW_STYLE_NORMAL, "%d Func%s, %d decisions, %s options in %s", n_funcs, n_funcs == 1 ? "" : "s", scene->n_decisions,
		bw_say_count((double)totals.enumerated).text, bw_say_seconds(totals.seconds).text);
	if (!scene->n_states)
		return;
	pen = bw_sheet_plain(sheet);
	bw_pen_to(&pen, 4);
	bw_pen_printf(&pen, BW_STYLE_STRONG, "best: %s %s in %d kernel%s",
		      bw_say_cost(scene->beam[0]->cost).text, scene->options->model->said, scene->n_kernels,
		      scene->n_kernels == 1 ? "" : "s");
}

static void draw_kernel(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_kernel *kernel)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	double share = bw_scene_kernel_share(scene, kernel);
	bw_pen_to(&pen, 6);
	bw_pen_field(&pen, 18, BW_STYLE_STRONG, bw_scene_short(scene, kernel->func, 17));
	bw_pen_right(&pen, 32, BW_STYLE_NORMAL, "%s", bw_say_extents(kernel->blocks).text);
	bw_pen_puts(&pen, BW_STYLE_DIM, " blocks of ");
	bw_pen_puts(&pen, BW_STYLE_NORMAL, bw_say_extents(kernel->threads).text);
	bw_pen_right(&pen, 56, bw_style_heat(share), "%s", bw_say_percent(share).text);
	bw_pen_to(&pen, 58);
	bw_pen_bar(&pen, 16, bw_style_heat(share), share);
}

/* A kernel with its share of the cost. */
struct shared {
	const struct bw_kernel *kernel;
	double share;
};

BW_ORDER(by_share, struct shared, 2 * BW_COMPARE(b->share, a->share) + BW_COMPARE(a->kernel, b->kernel))

/* Draws the most expensive kernels, and the number and share of the others. */
static void draw_kernels(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { MOST = 4 };
	struct shared *list = BW_ARENA_ARRAY(scene->arena, struct shared, scene->n_kernels + 1);
	double rest = 0;
	for (int i = 0; i < scene->n_kernels; i++)
		list[i] = (struct shared){&scene->kernels[i].kernel,
					  bw_scene_kernel_share(scene, &scene->kernels[i].kernel)};
	qsort(list, (size_t)scene->n_kernels, sizeof *list, by_share);
	int shown = scene->n_kernels <= MOST ? scene->n_kernels : MOST - 1;
	for (int i = 0; i < scene->n_kernels; i++)
		if (i < shown)
			draw_kernel(scene, sheet, list[i].kernel);
		else
			rest += list[i].share;
	if (shown == scene->n_kernels)
		return;
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_to(&pen, 6);
	bw_pen_printf(&pen, BW_STYLE_DIM, "and %d more kernels", scene->n_kernels - shown);
	bw_pen_right(&pen, 56, BW_STYLE_DIM, "%s", bw_say_percent(rest).text);
}

/* Draws the keys of some lines with two blanks between, without lines that have no key. */
static void draw_keys_of(const struct bw_scene *scene, struct bw_sheet *sheet, const char *const lines[2],
			 const char *text)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	char first[BW_KEY_NAME_SIZE], second[BW_KEY_NAME_SIZE] = "";
	bw_key_of(scene->keymap, lines[0], first);
	if (lines[1])
		bw_key_of(scene->keymap, lines[1], second);
	bw_pen_to(&pen, 4);
	bw_pen_field(&pen, 7, BW_STYLE_KEY,
		     bw_scene_text(scene, "%s%s%s", first, *first && *second ? "  " : "", second));
	bw_sheet_go_on(sheet, &pen, 4 + 7, BW_STYLE_NORMAL, bw_scene_keys(scene, text));
}

void bw_draw_questions(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	static const struct {
		const char *lines[2], *text;
	} questions[] = {
		{{"why"}, "why the selected Func costs what it does; at first: the costliest"},
		{{"view roofline"}, "what bounds each kernel, and what to try against it"},
		{{"view tile"}, "what a block computes again; the arrows try other sizes"},
		{{"view search"}, "which decision mattered: what its runner-up would cost"},
		{{"view override"}, "what else the Func could be, at what cost; {do open} holds one"},
		{{"freeze", "accept"}, "hold a Func, take an option: the search goes on around it"},
		{{"time"}, "is the schedule right, and how fast: compile, check, time"},
		{{"copy"}, "copy its line of the schedule; :export FILE.h: all, as Halide C++"},
		{{"view views", "view help"}, "all views; what a view shows, its words and keys"},
	};
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		draw_keys_of(scene, sheet, questions[i].lines, questions[i].text);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	line(sheet, BW_STYLE_TITLE, "b e a m w a l k");
	line(sheet, BW_STYLE_DIM, "Walk through the search for a GPU schedule, and change its mind.");
	draw_progress(scene, sheet);
	draw_kernels(scene, sheet);
	line(sheet, BW_STYLE_DIM, bw_scene_keys(scene, "To find out ({do search} and a name selects another Func):"));
	bw_draw_questions(scene, sheet);
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_to(&pen, 4);
	bw_pen_puts(&pen, BW_STYLE_KEY, bw_scene_key(scene, "do tour"));
	bw_pen_puts(&pen, BW_STYLE_NORMAL, " a tour in three steps      ");
	bw_pen_puts(&pen, BW_STYLE_KEY, bw_scene_key(scene, "do open"));
	bw_pen_puts(&pen, BW_STYLE_NORMAL, " begin");
}

const struct bw_view bw_view_start = {.name = "start", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};
