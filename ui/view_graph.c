/* The pipeline under the selected state: boxes are kernels, what flows between them goes down. In a box are
 * the Funcs that it computes and those inlined into it; of large pipelines only the selected Func's box is
 * open, and chains and pyramids that are not placed yet are one node. Below the picture all Funcs with their
 * shares. */
#include <limits.h>
#include <string.h>

#include "base/say.h"
#include "figures/family.h"
#include "figures/graph.h"
#include "session/decisions.h"
#include "ui/glyph.h"
#include "ui/layered.h"
#include "ui/view.h"

enum { ALL_OPEN = 30, ROWS_PRINTED = 40, NAME = 22 };

static struct bw_graph graph_of(const struct bw_scene *scene)
{
	return bw_graph_of(scene->state->nest, scene->cost, scene->arena);
}

/* Returns what the decision before the cursor made of its Func, `Iy went into kernel output`; NULL at the
 * beginning and at the end. */
static const char *news(const struct bw_scene *scene)
{
	int cursor = scene->session->cursor,
	    changed = cursor > 0 && !scene->complete ? bw_session_decision(scene->session, cursor - 1)->func : -1;
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

/* A box of the picture: a kernel, an input, or Funcs that are not placed yet. */
struct box {
	int func;
	int n;              /* Funcs not placed yet that it stands for */
	const char *family; /* their name, if these are several */
	bool open; /* its Funcs are drawn */
	struct bw_layered inner;
	int *funcs;        /* of the inner nodes */
	const char *label; /* without a frame if nothing is inside */
};

struct picture {
	const struct bw_scene *scene;
	struct bw_graph graph;
	struct bw_layered outer;
	struct box *boxes; /* of the outer nodes */
	int *box_of;       /* by Func whose kernel it is */
};

static const char *label_of(const struct picture *picture, int func, double share)
{
	const char *name = bw_scene_short(picture->scene, func, NAME);
	const char *held = bw_scene_held(picture->scene, func);
	return bw_scene_text(picture->scene, share > 0 ? "%s%s%s %s" : "%s%s%s", name, *held ? " " : "", held,
			     bw_say_percent(share).text);
}

/* Lays out the Funcs of an open box. */
static void lay_inside(struct picture *picture, struct box *box)
{
	const struct bw_graph *graph = &picture->graph;
	struct bw_arena *arena = picture->scene->arena;
	int n = graph->funcs[box->func].n_inside + 1, *index = BW_ARENA_ARRAY(arena, int, graph->n);
	box->inner =
	    (struct bw_layered){.nodes = BW_ARENA_ARRAY(arena, struct bw_layered_node, n),
				.edges = BW_ARENA_ARRAY(arena, struct bw_layered_edge, graph->n_edges + 1),
				.gap_x = 2,
				.gap_y = 1};
	box->funcs = BW_ARENA_ARRAY(arena, int, n);
	for (int f = 0; f < graph->n; f++) {
		index[f] = graph->funcs[f].kernel == box->func ? box->inner.n : -1;
		if (index[f] < 0)
			continue;
		box->funcs[box->inner.n] = f;
		box->inner.nodes[box->inner.n++] = (struct bw_layered_node){
		    .columns = bw_glyph_columns(label_of(picture, f, graph->funcs[f].share)), .rows = 1};
	}
	for (int e = 0; e < graph->n_edges; e++)
		if (index[graph->edges[e].from] >= 0 && index[graph->edges[e].to] >= 0)
			box->inner.edges[box->inner.n_edges++] = (struct bw_layered_edge){
			    .from = index[graph->edges[e].from], .to = index[graph->edges[e].to]};
	bw_layered_lay(&box->inner, arena);
}

static struct bw_layered_node size_of(struct picture *picture, struct box *box)
{
	const struct bw_graph_func *about = &picture->graph.funcs[box->func];
	box->label = box->n > 1 ? bw_scene_text(picture->scene, "+%s %d", box->family, box->n)
				: label_of(picture, box->func, about->kernel_share);
	int columns = bw_glyph_columns(box->label);
	if (about->kind != BW_GRAPH_KERNEL)
		return (struct bw_layered_node){.columns = columns, .rows = 1};
	if (box->open) {
		lay_inside(picture, box);
		columns = columns + 2 > box->inner.columns ? columns + 2 : box->inner.columns;
		return (struct bw_layered_node){.columns = columns + 4, .rows = box->inner.rows + 2};
	}
	return (struct bw_layered_node){.columns = columns + (about->n_inside ? 6 : 4), .rows = 3};
}

/* Finds which Funcs that are not placed yet are one node: the families that are folded, and families that
 * read each other in turn. Returns for each Func the first of its node. */
static int *nodes_of(const struct bw_scene *scene, const struct bw_graph *graph)
{
	struct bw_families families = bw_families_of(scene->pipeline, scene->arena);
	int n = graph->n, *node = BW_ARENA_ARRAY(scene->arena, int, n + 1);
	bool *reach = BW_ARENA_ARRAY(scene->arena, bool, (size_t)n * n + 1);
	memset(reach, 0, (size_t)n * n);
	bool folded = false;
	for (int f = 0; f < n; f++) {
		bool one = graph->funcs[f].kind == BW_GRAPH_UNPLACED && bw_family_folded(scene->session, &families, f);
		node[f] = f;
		for (int g = 0; g < f && one && node[f] == f; g++)
			if (families.of[g] == families.of[f] && graph->funcs[g].kind == BW_GRAPH_UNPLACED)
				node[f] = node[g];
		folded |= one;
	}
	for (int e = 0; e < graph->n_edges && folded; e++)
		reach[node[graph->edges[e].from] * n + node[graph->edges[e].to]] = true;
	for (int via = 0; via < n && folded; via++)
		for (int from = 0; from < n && node[via] == via; from++)
			for (int to = 0; to < n && reach[from * n + via]; to++)
				reach[from * n + to] |= reach[via * n + to];
	for (int f = 0; f < n && folded; f++) {
		int own = node[f], first = own;
		for (int g = 0; g < own && first == own; g++)
			if (node[g] == g && reach[g * n + own] && reach[own * n + g])
				first = g;
		node[f] = first;
	}
	return node;
}

/* Returns the shortest name of the families in a node. */
static const char *name_of_node(const struct bw_scene *scene, const int *node, int first)
{
	const char *shortest = NULL;
	for (int f = 0; f < scene->pipeline->n_funcs; f++) {
		const char *name = node[f] == first ? bw_family_name(scene->pipeline, f, scene->arena) : NULL;
		if (name && (!shortest || strlen(name) < strlen(shortest)))
			shortest = name;
	}
	return shortest;
}

/* Adds the edges between the boxes, each once. */
static void add_links(struct picture *picture)
{
	struct bw_layered *outer = &picture->outer;
	for (int i = 0; i < picture->graph.n_links; i++) {
		struct bw_layered_edge edge = {.from = picture->box_of[picture->graph.links[i].from],
					       .to = picture->box_of[picture->graph.links[i].to]};
		bool again = edge.from < 0 || edge.to < 0 || edge.from == edge.to;
		for (int k = 0; k < outer->n_edges && !again; k++)
			again = outer->edges[k].from == edge.from && outer->edges[k].to == edge.to;
		if (!again)
			outer->edges[outer->n_edges++] = edge;
	}
}

static struct picture *make(const struct bw_scene *scene)
{
	struct picture *picture = BW_ARENA_ARRAY(scene->arena, struct picture, 1);
	*picture = (struct picture){.scene = scene, .graph = graph_of(scene)};
	const struct bw_graph *graph = &picture->graph;
	int selected = scene->session->selection.func;
	picture->boxes = BW_ARENA_ARRAY(scene->arena, struct box, graph->n + 1);
	picture->box_of = BW_ARENA_ARRAY(scene->arena, int, graph->n + 1);
	picture->outer = (struct bw_layered){
	    .nodes = BW_ARENA_ARRAY(scene->arena, struct bw_layered_node, graph->n + 1),
	    .edges = BW_ARENA_ARRAY(scene->arena, struct bw_layered_edge, graph->n_links + 1),
	    .gap_x = 3,
	    .gap_y = 2};
	const int *node = nodes_of(scene, graph);
	for (int f = 0; f < graph->n; f++) {
		picture->box_of[f] = -1;
		if (node[f] != f) {
			struct box *first = &picture->boxes[picture->box_of[f] = picture->box_of[node[f]]];
			first->family = first->n++ > 1 ? first->family : name_of_node(scene, node, node[f]);
			first->func = f == selected ? f : first->func;
			picture->outer.nodes[picture->box_of[f]] = size_of(picture, first);
			continue;
		}
		if (graph->funcs[f].kernel != f ||
		    (graph->funcs[f].kind == BW_GRAPH_INPUT && !scene->pipeline->funcs[f].n_consumers))
			continue;
		picture->box_of[f] = picture->outer.n;
		struct box *box = &picture->boxes[picture->outer.n];
		bool chosen = selected >= 0 && graph->funcs[selected].kernel == f;
		*box = (struct box){.func = f,
				    .n = 1,
				    .open = graph->funcs[f].n_inside > 0 && (chosen || graph->n <= ALL_OPEN)};
		picture->outer.nodes[picture->outer.n++] = size_of(picture, box);
	}
	add_links(picture);
	bw_layered_lay(&picture->outer, scene->arena);
	return picture;
}

static enum bw_style style_of(const struct picture *picture, int func, double share)
{
	const struct bw_graph_func *about = &picture->graph.funcs[func];
	bool next = picture->scene->decision && picture->scene->decision->func == func;
	if (func == picture->scene->session->selection.func || next)
		return BW_STYLE_MARK;
	return about->kind == BW_GRAPH_INLINED || about->kind == BW_GRAPH_UNPLACED ||
		       about->kind == BW_GRAPH_INPUT
		   ? BW_STYLE_DIM
	       : share > 0 ? bw_style_heat(share)
			   : BW_STYLE_NORMAL;
}

/* Finds the middle of the selected Func in the picture; of its box if that is closed. */
static void find_selected(const struct picture *picture, int *x, int *y)
{
	int func = picture->scene->session->selection.func,
	    b = func >= 0 ? picture->box_of[picture->graph.funcs[func].kernel] : -1;
	*x = *y = 0;
	if (b < 0)
		return;
	const struct bw_layered_node *node = &picture->outer.nodes[b];
	*x = node->x + node->columns / 2;
	*y = node->y + node->rows / 2;
	for (int i = 0; i < picture->boxes[b].inner.n; i++)
		if (picture->boxes[b].funcs[i] == func) {
			*x = node->x + 2 + picture->boxes[b].inner.nodes[i].x + picture->boxes[b].inner.nodes[i].columns / 2;
			*y = node->y + 1 + picture->boxes[b].inner.nodes[i].y;
		}
}

/* Returns how far the picture is moved along one direction so that a place is shown: not at all if all has
 * room, then it is centred. */
static int offset(int place, int size, int room)
{
	int most = size - room, first = place - room / 2;
	return most <= 0 ? most / 2 : first < 0 ? 0 : first > most ? most : first;
}

/* Draws a box whose upper left cell is at (x, y). */
static void draw_box(const struct picture *picture, struct bw_canvas *canvas, const struct box *box,
		     const struct bw_layered_node *node, int x, int y)
{
	const struct bw_graph_func *about = &picture->graph.funcs[box->func];
	enum bw_style style = style_of(picture, box->func, about->kernel_share);
	struct bw_rect rect = {x, y, node->columns, node->rows};
	if (about->kind != BW_GRAPH_KERNEL) {
		bw_canvas_text(canvas, x, y, x + node->columns, style, box->label);
		return;
	}
	bw_canvas_shade(canvas, rect, BW_STYLE_NORMAL, BW_SHADE_NONE);
	bw_canvas_box(canvas, rect, about->kernel_share > 0 ? bw_style_heat(about->kernel_share) : BW_STYLE_NORMAL);
	if (!box->open) {
		bw_canvas_text(canvas, x + 2, y + 1, x + node->columns - 1, style,
			       about->n_inside ? bw_scene_text(picture->scene, "%s +", box->label)
					       : box->label);
		return;
	}
	bw_canvas_text(canvas, x + 2, y, x + node->columns - 1, style,
		       bw_scene_text(picture->scene, " %s ", box->label));
	int marked = -1, left = x + 2 + (node->columns - 4 - box->inner.columns) / 2;
	for (int i = 0; i < box->inner.n; i++)
		marked = box->funcs[i] == picture->scene->session->selection.func ? i : marked;
	bw_layered_draw(&box->inner, canvas, left, y + 1, marked);
	for (int i = 0; i < box->inner.n; i++) {
		const struct bw_layered_node *inner = &box->inner.nodes[i];
		double share = picture->graph.funcs[box->funcs[i]].share;
		bw_canvas_text(canvas, left + inner->x, y + 1 + inner->y, left + inner->x + inner->columns,
			       style_of(picture, box->funcs[i], share),
			       label_of(picture, box->funcs[i], share));
	}
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!scene->state)
		return;
	const struct picture *picture = make(scene);
	int width = sheet->grid.columns - sheet->margin,
	    rows = sheet->to == INT_MAX ? picture->outer.rows + 1 : sheet->to, x, y;
	rows = sheet->to == INT_MAX && rows > ROWS_PRINTED ? ROWS_PRINTED : rows;
	struct bw_canvas canvas = bw_canvas_new(width, rows, scene->arena);
	find_selected(picture, &x, &y);
	int left = offset(x, picture->outer.columns, width), top = offset(y, picture->outer.rows, rows - 1);
	top = top < 0 ? 0 : top;
	int func = scene->session->selection.func;
	bw_layered_draw(&picture->outer, &canvas, -left, -top,
			func >= 0 ? picture->box_of[picture->graph.funcs[func].kernel] : -1);
	for (int i = 0; i < picture->outer.n; i++)
		draw_box(picture, &canvas, &picture->boxes[i], &picture->outer.nodes[i],
			 picture->outer.nodes[i].x - left, picture->outer.nodes[i].y - top);
	for (int row = 0; row < canvas.rows; row++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_canvas_write(&canvas, row, &pen);
	}
}

/* Returns the names of the Funcs at the other end of a Func's edges. */
static const char *neighbours(const struct bw_scene *scene, const struct bw_graph *graph, int func,
			      bool producers)
{
	struct bw_text names = {0};
	for (int e = 0; e < graph->n_edges; e++)
		if ((producers ? graph->edges[e].to : graph->edges[e].from) == func)
			bw_text_printf(
			    &names, "%s%s", names.length ? ", " : "",
			    scene->pipeline->funcs[producers ? graph->edges[e].from : graph->edges[e].to]
				.name);
	const char *kept = bw_scene_text(scene, "%s", bw_text_get(&names));
	bw_text_free(&names);
	return kept;
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
	const char *reads = neighbours(scene, graph, func, true), *readers = neighbours(scene, graph, func, false);
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
