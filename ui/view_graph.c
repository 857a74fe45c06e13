/* The pipeline under the selected state: boxes are kernels, and data flows down between them. A box
 * lists the Funcs that it computes and those inlined into it; in large pipelines only the selected
 * Func's box is open, and chains and pyramids that are not placed yet are one node. Below the picture:
 * all Funcs with their shares. */
#include <limits.h>

#include "figures/graph.h"
#include "ui/picture.h"
#include "ui/view.h"

enum { ALL_OPEN = 30, ROWS_PRINTED = 40, NAME = 22 };

static struct bw_graph graph_of(const struct bw_scene *scene)
{
	return bw_graph_of(scene->state->nest, scene->cost, scene->arena);
}

/* Returns the outcome of the decision before the cursor, `Iy went into kernel output`; NULL at the
 * beginning and at the end. */
static const char *news(const struct bw_scene *scene)
{
	int cursor = scene->session->cursor,
	    changed = cursor > 0 && !scene->complete
			  ? bw_search_decision(scene->session->search, cursor - 1)->func
			  : -1;
	if (changed < 0 || !bw_scene_placed(scene, changed))
		return NULL;
	struct bw_graph graph = graph_of(scene);
	const struct bw_graph_func *about = &graph.funcs[changed];
	const char *name = bw_scene_short(scene, changed, NAME);
	if (about->kernel == changed)
		return bw_scene_text(scene, "%s is a kernel of its own", name);
	return bw_scene_text(scene, "%s went into kernel %s%s", name, bw_scene_short(scene, about->kernel, NAME),
			     about->kind == BW_GRAPH_INLINED ? ", inlined" : "");
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (!scene->state)
		return "GRAPH";
	*right = bw_scene_text(scene, "%d kernel%s", scene->n_kernels, scene->n_kernels == 1 ? "" : "s");
	const char *changed = news(scene);
	return bw_scene_text(scene, "GRAPH of state %d: %s", scene->session->selection.state + 1,
			     changed ? changed : "what is read flows down");
}

static const char *name_of(const void *context, int func)
{
	const struct bw_scene *scene = context;
	const char *held = bw_scene_held(scene, func);
	return bw_scene_text(scene, "%s%s%s", bw_scene_short(scene, func, NAME), *held ? " " : "", held);
}

static bool is_folded(const void *context, const struct bw_families *families, int func)
{
	return bw_family_folded(((const struct bw_scene *)context)->session, families, func);
}

/* Returns how far to scroll the picture in one direction to show a position. Centres a picture that fits. */
static int offset(int place, int size, int room)
{
	int most = size - room, first = place - room / 2;
	return most <= 0 ? most / 2 : first < 0 ? 0 : first > most ? most : first;
}

/* Draws a picture, scrolled so that a cell is visible. */
static void draw(struct bw_canvas *canvas, struct bw_rect rect, const struct bw_picture *picture,
		 const int focus[2])
{
	int left = offset(focus[0], picture->columns, rect.columns),
	    top = offset(focus[1], picture->rows, rect.rows);
	bw_canvas_picture(canvas, rect, picture, -left, top < 0 ? 0 : -top);
}

/* Draws the whole graph. If it does not fit with the selected kernel open, draws that kernel beside it
 * if there is room. */
static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { GAP = 4 };
	if (!scene->state)
		return;
	bool printed = sheet->to == INT_MAX;
	struct bw_graph graph = graph_of(scene);
	int func = scene->session->selection.func, focus[2], beside[2],
	    width = sheet->grid.columns - sheet->margin;
	struct bw_graph_look look = {.coarse = true,
				     .rows = printed ? 0 : sheet->to - 1,
				     .all_open = ALL_OPEN,
				     .only = -1,
				     .selected = func,
				     .next = scene->decision ? scene->decision->func : -1,
				     .context = scene,
				     .name = name_of,
				     .folded = is_folded};
	struct bw_picture picture = bw_graph_picture(scene->pipeline, &graph, &look, scene->arena, focus),
			  inside = {0};
	int rows = !printed ? sheet->to : picture.rows < ROWS_PRINTED ? picture.rows + 1 : ROWS_PRINTED;
	if (picture.rows >= rows && func >= 0 && graph.n > ALL_OPEN &&
	    graph.funcs[graph.funcs[func].kernel].n_inside > 0) {
		struct bw_graph_look alone = look;
		look.closed = true;
		alone.only = graph.funcs[func].kernel;
		inside = bw_graph_picture(scene->pipeline, &graph, &alone, scene->arena, beside);
		struct bw_picture all = bw_graph_picture(scene->pipeline, &graph, &look, scene->arena, focus);
		inside.columns = all.columns + GAP + inside.columns <= width ? inside.columns : 0;
		picture = inside.columns
			      ? all
			      : bw_graph_picture(scene->pipeline, &graph, (look.closed = false, &look),
						 scene->arena, focus);
	}
	struct bw_canvas canvas = bw_canvas_new(width, rows, scene->arena);
	int left = inside.columns ? width - inside.columns - GAP : width;
	draw(&canvas, (struct bw_rect){0, 0, left, rows - 1}, &picture, focus);
	if (inside.columns)
		draw(&canvas, (struct bw_rect){left + GAP, 0, inside.columns, rows - 1}, &inside, beside);
	for (int row = 0; row < canvas.rows; row++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_canvas_write(&canvas, row, &pen);
	}
}

static void draw_func(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_graph *graph,
		      int func)
{
	enum { KIND = 22, SHARE = 37, READS = 39 };
	const struct bw_graph_func *about = &graph->funcs[func];
	bool wanted = bw_sheet_wanted(sheet), inner = about->kernel != func;
	struct bw_pen pen =
	    bw_sheet_row(sheet, about->kind == BW_GRAPH_INPUT ? (struct bw_row){.kind = BW_ROW_PLAIN}
							      : bw_scene_row(scene, func));
	if (!wanted)
		return;
	bw_pen_to(&pen, inner ? 2 : 0);
	bw_pen_puts(&pen, about->kind == BW_GRAPH_KERNEL ? BW_STYLE_STRONG : BW_STYLE_NORMAL,
		    bw_scene_short(scene, func, KIND - 1 - 2 * inner));
	bw_pen_to(&pen, KIND);
	bw_pen_puts(&pen, BW_STYLE_DIM, bw_graph_word(about->kind));
	double share = about->kind == BW_GRAPH_KERNEL ? about->kernel_share : about->share;
	if (share > 0)
		bw_pen_right(&pen, SHARE, bw_style_heat(share), "%s", bw_say_percent(share).text);
	const char *reads = bw_graph_neighbours(scene->pipeline, graph, func, true, scene->arena),
		   *readers = bw_graph_neighbours(scene->pipeline, graph, func, false, scene->arena);
	bw_pen_to(&pen, READS);
	if (*reads)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, "reads %s%s", reads, *readers ? "; " : "");
	if (*readers)
		bw_pen_printf(&pen, BW_STYLE_DIM, "read by %s", readers);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!scene->state)
		return;
	struct bw_graph graph = graph_of(scene);
	for (int kernel = 0; kernel < graph.n; kernel++) {
		if (graph.funcs[kernel].kernel != kernel)
			continue;
		draw_func(scene, sheet, &graph, kernel);
		for (int func = graph.n - 1; func >= 0; func--)
			if (func != kernel && graph.funcs[func].kernel == kernel)
				draw_func(scene, sheet, &graph, func);
	}
}

const struct bw_view bw_view_graph = {
    .name = "graph", .selects = BW_ROW_FUNC, .title = title, .head_rows = -70, .head = head, .fill = fill};
