/* The pipeline under a schedule as a picture. Boxes are kernels, and data flows down between them. A box
 * lists the Funcs that the kernel computes and the Funcs inlined into it. The layout is in cells; on the
 * page, a cell is COLUMN by ROW pixels. */
#include <string.h>

#include "figures/graph.h"

enum { COLUMN = 8, ROW = 21 };

/* A box of the picture: a kernel, an input, or Funcs that are not placed yet. */
struct box {
	int func;
	int n;              /* number of unplaced Funcs that it represents */
	const char *family; /* name of the unplaced Funcs, if there are several */
	bool open;          /* its Funcs are drawn */
	struct bw_layered inner;
	int *funcs; /* by inner node: its Func */
	const char *label;
};

struct making {
	const struct bw_pipeline *pipeline;
	const struct bw_graph *graph;
	const struct bw_graph_look *look;
	struct bw_arena *arena;
	bool compact; /* closed boxes are one row, without a frame */
	struct bw_layered outer;
	struct box *boxes; /* by outer node */
	int *box_of;       /* by Func with a kernel: the kernel's box */
	struct bw_picture picture;
};

static int columns_of(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static const char *label_of(const struct making *making, int func, double share)
{
	const char *name = making->look->name ? making->look->name(making->look->context, func)
					      : making->pipeline->funcs[func].name;
	return share > 0 ? bw_arena_format(making->arena, "%s %s", name, bw_say_percent(share).text) : name;
}

/* Lays out the Funcs of an open box. */
static void lay_inside(struct making *making, struct box *box)
{
	const struct bw_graph *graph = making->graph;
	int n = graph->funcs[box->func].n_inside + 1, *index = BW_ARENA_ARRAY(making->arena, int, graph->n);
	box->inner = (struct bw_layered){
	    .nodes = BW_ARENA_ARRAY(making->arena, struct bw_layered_node, n),
	    .edges = BW_ARENA_ARRAY(making->arena, struct bw_layered_edge, graph->n_edges + 1),
	    .gap_x = 2,
	    .gap_y = 1};
	box->funcs = BW_ARENA_ARRAY(making->arena, int, n);
	for (int f = 0; f < graph->n; f++) {
		index[f] = graph->funcs[f].kernel == box->func ? box->inner.n : -1;
		if (index[f] < 0)
			continue;
		box->funcs[box->inner.n] = f;
		box->inner.nodes[box->inner.n++] = (struct bw_layered_node){
		    .columns = columns_of(label_of(making, f, graph->funcs[f].share)) + !making->look->coarse,
		    .rows = 1};
	}
	for (int e = 0; e < graph->n_edges; e++)
		if (index[graph->edges[e].from] >= 0 && index[graph->edges[e].to] >= 0)
			box->inner.edges[box->inner.n_edges++] = (struct bw_layered_edge){
			    .from = index[graph->edges[e].from], .to = index[graph->edges[e].to]};
	bw_layered_lay(&box->inner, making->arena);
}

static struct bw_layered_node size_of(struct making *making, struct box *box)
{
	const struct bw_graph_func *about = &making->graph->funcs[box->func];
	bool kernel = about->kind == BW_GRAPH_KERNEL, coarse = making->look->coarse;
	box->label = box->n > 1 ? bw_arena_format(making->arena, "+%s %d", box->family, box->n)
				: label_of(making, box->func, about->kernel_share);
	if (box->open) {
		lay_inside(making, box);
		int columns = columns_of(box->label) + 2;
		return (struct bw_layered_node){
		    .columns = (columns > box->inner.columns ? columns : box->inner.columns) + 4,
		    .rows = box->inner.rows + 2};
	}
	if (kernel && about->n_inside)
		box->label = bw_arena_format(making->arena,
					     coarse                 ? "%s +%d"
					     : about->n_inside == 1 ? "%s, with %d Func"
								    : "%s, with %d Funcs",
					     box->label, about->n_inside);
	if (kernel && making->compact)
		box->label = bw_arena_format(making->arena, "[%s]", box->label);
	bool framed = kernel && !making->compact;
	return (struct bw_layered_node){.columns = columns_of(box->label) + (framed   ? 4
									     : coarse ? 0
										      : 2),
					.rows = framed ? (coarse ? 3 : 2) : 1};
}

/* Merges unplaced Funcs into nodes: a folded family is a node, and so are families that read each other
 * in a cycle. Returns, by Func, the first Func of its node. */
static int *nodes_of(const struct making *making)
{
	const struct bw_graph *graph = making->graph;
	struct bw_families families = bw_families_of(making->pipeline, making->arena);
	int n = graph->n, *node = BW_ARENA_ARRAY(making->arena, int, n + 1);
	bool *reach = BW_ARENA_ARRAY(making->arena, bool, (size_t)n *n + 1), folded = false;
	for (int f = 0; f < n; f++) {
		bool one = graph->funcs[f].kind == BW_GRAPH_UNPLACED && making->look->folded &&
			   making->look->folded(making->look->context, &families, f);
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
static const char *name_of_node(const struct making *making, const int *node, int first)
{
	const char *shortest = NULL;
	for (int f = 0; f < making->pipeline->n_funcs; f++) {
		const char *name =
		    node[f] == first ? bw_family_name(making->pipeline, f, making->arena) : NULL;
		if (name && (!shortest || strlen(name) < strlen(shortest)))
			shortest = name;
	}
	return shortest;
}

/* Adds the edges between the boxes, each once, and computes the layout of the boxes. */
static void lay_outside(struct making *making)
{
	struct bw_layered *outer = &making->outer;
	for (int i = 0; i < making->graph->n_links; i++) {
		struct bw_layered_edge edge = {.from = making->box_of[making->graph->links[i].from],
					       .to = making->box_of[making->graph->links[i].to]};
		bool again = edge.from < 0 || edge.to < 0 || edge.from == edge.to;
		for (int k = 0; k < outer->n_edges && !again; k++)
			again = outer->edges[k].from == edge.from && outer->edges[k].to == edge.to;
		if (!again)
			outer->edges[outer->n_edges++] = edge;
	}
	bw_layered_lay(outer, making->arena);
}

static void make_boxes(struct making *making)
{
	const struct bw_graph *graph = making->graph;
	int selected = making->look->selected;
	making->boxes = BW_ARENA_ARRAY(making->arena, struct box, graph->n + 1);
	making->box_of = BW_ARENA_ARRAY(making->arena, int, graph->n + 1);
	making->outer = (struct bw_layered){
	    .nodes = BW_ARENA_ARRAY(making->arena, struct bw_layered_node, graph->n + 1),
	    .edges = BW_ARENA_ARRAY(making->arena, struct bw_layered_edge, graph->n_links + 1),
	    .gap_x = making->compact ? 1 : 3,
	    .gap_y = making->compact ? 1 : 2};
	const int *node = nodes_of(making);
	for (int f = 0; f < graph->n; f++) {
		making->box_of[f] = -1;
		if (node[f] != f && making->box_of[node[f]] < 0)
			continue;
		if (node[f] != f) {
			struct box *first = &making->boxes[making->box_of[f] = making->box_of[node[f]]];
			first->family = first->n++ > 1 ? first->family : name_of_node(making, node, node[f]);
			first->func = f == selected ? f : first->func;
			making->outer.nodes[making->box_of[f]] = size_of(making, first);
			continue;
		}
		bool only = making->look->only >= 0 && making->look->only != f;
		if (graph->funcs[f].kernel != f || only ||
		    (graph->funcs[f].kind == BW_GRAPH_INPUT && !making->pipeline->funcs[f].n_consumers))
			continue;
		making->box_of[f] = making->outer.n;
		struct box *box = &making->boxes[making->outer.n];
		bool chosen = !making->look->closed && selected >= 0 && graph->funcs[selected].kernel == f;
		*box = (struct box){.func = f, .n = 1};
		box->open = graph->funcs[f].n_inside > 0 &&
			    (chosen || making->look->only == f || graph->n <= making->look->all_open);
		making->outer.nodes[making->outer.n++] = size_of(making, box);
	}
	lay_outside(making);
}

/* Sets the colour of a Func's name. */
static void set_tint(const struct making *making, struct bw_mark *mark, int func, double share)
{
	enum bw_graph_kind kind = making->graph->funcs[func].kind;
	mark->heat = share;
	mark->tint = func == making->look->selected || func == making->look->next ? BW_TINT_CHOSEN
		     : kind != BW_GRAPH_KERNEL && kind != BW_GRAPH_INSIDE         ? BW_TINT_SOFT
		     : share > 0 && making->look->coarse                          ? BW_TINT_HEAT
										  : BW_TINT_INK;
}

/* Adds a mark whose position is given in cells. */
static void add(struct making *making, struct bw_mark mark, double x, double y, double columns, double rows)
{
	const struct bw_layered *outer = &making->outer;
	memcpy(mark.at,
	       (const double[4]){x / outer->columns, y / outer->rows, (x + columns) / outer->columns,
				 (y + rows) / outer->rows},
	       sizeof mark.at);
	bw_picture_add(&making->picture, mark);
}

/* Adds a name in a row of cells. */
static void add_name(struct making *making, struct bw_mark mark, const char *text, double x, double y,
		     double columns)
{
	mark.kind = BW_MARK_TEXT;
	mark.text = text;
	mark.anchor = making->look->coarse ? BW_ANCHOR_START : BW_ANCHOR_MIDDLE;
	add(making, mark, making->look->coarse ? x : x + columns / 2, y + 0.5, 0, 0);
}

/* Adds an edge of a layout that begins at a cell, as a line through its bends. */
static void add_edge_line(struct making *making, const struct bw_layered *graph,
			  const struct bw_layered_edge *edge, double x, double y, enum bw_tint tint)
{
	const struct bw_layered_node *from = &graph->nodes[edge->from], *to = &graph->nodes[edge->to];
	if (to->layer <= from->layer)
		return;
	double columns = making->outer.columns, rows = making->outer.rows;
	struct bw_mark *line = bw_picture_path(
	    &making->picture,
	    (struct bw_mark){.kind = BW_MARK_LINE, .tint = tint, .arrow = graph == &making->outer},
	    2 * edge->n_bends + 2);
	double(*path)[2] = line->path;
	path[0][0] = (x + from->x + from->columns / 2.0) / columns;
	path[0][1] = (y + from->y + from->rows) / rows;
	for (int i = 0; i < edge->n_bends; i++) {
		int layer = from->layer + 1 + i;
		path[2 * i + 1][0] = path[2 * i + 2][0] = (x + edge->bends[i] + 0.5) / columns;
		path[2 * i + 1][1] = (y + graph->tops[layer]) / rows;
		path[2 * i + 2][1] = (y + graph->tops[layer] + graph->heights[layer]) / rows;
	}
	path[line->n - 1][0] = (x + to->x + to->columns / 2.0) / columns;
	path[line->n - 1][1] = (y + to->y - (making->look->coarse ? 0.25 : 0)) / rows;
}

/* Adds the edges of a layout, the edges of the marked node last. */
static void add_edges(struct making *making, const struct bw_layered *graph, double x, double y, int marked)
{
	for (int round = 0; round < 2; round++)
		for (int e = 0; e < graph->n_edges; e++)
			if ((graph->edges[e].from == marked || graph->edges[e].to == marked) == (round == 1))
				add_edge_line(making, graph, &graph->edges[e], x, y,
					      round                  ? BW_TINT_CHOSEN
					      : making->look->coarse ? BW_TINT_RULE
								     : BW_TINT_SOFT);
}

static void add_inside(struct making *making, const struct box *box, double left, double top)
{
	int marked = -1;
	for (int i = 0; i < box->inner.n; i++)
		marked = box->funcs[i] == making->look->selected ? i : marked;
	add_edges(making, &box->inner, left, top, marked);
	for (int i = 0; i < box->inner.n; i++) {
		const struct bw_layered_node *node = &box->inner.nodes[i];
		const struct bw_graph_func *func = &making->graph->funcs[box->funcs[i]];
		struct bw_mark mark = {.kind = BW_MARK_BOX,
				       .tint = func->kind == BW_GRAPH_INLINED ? BW_TINT_RULE : BW_TINT_HEAT,
				       .heat = func->share,
				       .fill = BW_FILL_LIGHT,
				       .fine = true};
		mark.says = bw_arena_format(making->arena, "%s: %s, %s of the cost",
					    making->pipeline->funcs[box->funcs[i]].name,
					    bw_graph_word(func->kind), bw_say_percent(func->share).text);
		add(making, mark, left + node->x, top + node->y, node->columns, 0.9);
		mark = (struct bw_mark){0};
		set_tint(making, &mark, box->funcs[i], func->share);
		add_name(making, mark, label_of(making, box->funcs[i], func->share), left + node->x,
			 top + node->y, node->columns);
	}
}

static void add_box(struct making *making, const struct box *box, const struct bw_layered_node *node)
{
	const struct bw_graph_func *about = &making->graph->funcs[box->func];
	bool kernel = about->kind == BW_GRAPH_KERNEL, framed = kernel && (box->open || !making->compact);
	struct bw_mark mark = {.kind = BW_MARK_BOX,
			       .tint = kernel ? BW_TINT_HEAT : BW_TINT_RULE,
			       .heat = about->kernel_share,
			       .fill = BW_FILL_LIGHT,
			       .fine = true},
		       name = {0};
	mark.says = bw_arena_format(making->arena, "%s %s", kernel ? "kernel" : bw_graph_word(about->kind),
				    box->label);
	if (!box->open)
		add(making, mark, node->x, node->y, node->columns, node->rows);
	set_tint(making, &name, box->func, about->kernel_share);
	if (framed) {
		mark = (struct bw_mark){
		    .kind = BW_MARK_BOX,
		    .tint = making->look->coarse && about->kernel_share > 0 ? BW_TINT_HEAT : BW_TINT_SOFT,
		    .heat = about->kernel_share};
		mark.text = box->open ? bw_arena_format(making->arena, " %s ", box->label) : NULL;
		add(making, mark, node->x, node->y, node->columns, node->rows);
	}
	if (box->open)
		add_inside(making, box, node->x + 2 + (node->columns - 4 - box->inner.columns) / 2,
			   node->y + 1.0);
	else
		add_name(making, name, box->label, node->x + (framed && making->look->coarse ? 2 : 0),
			 node->y + (framed ? (node->rows - 1) / 2.0 : 0), node->columns);
}

/* Finds the middle of the selected Func in the picture, or of its box if the box is closed. */
static void find_selected(const struct making *making, int focus[2])
{
	int func = making->look->selected,
	    b = func >= 0 ? making->box_of[making->graph->funcs[func].kernel] : -1;
	focus[0] = focus[1] = 0;
	if (b < 0)
		return;
	const struct bw_layered_node *node = &making->outer.nodes[b];
	const struct box *box = &making->boxes[b];
	focus[0] = node->x + node->columns / 2;
	focus[1] = node->y + node->rows / 2;
	for (int i = 0; i < box->inner.n; i++)
		if (box->funcs[i] == func) {
			focus[0] = node->x + 2 + box->inner.nodes[i].x + box->inner.nodes[i].columns / 2;
			focus[1] = node->y + 1 + box->inner.nodes[i].y;
		}
}

struct bw_picture bw_graph_picture(const struct bw_pipeline *pipeline, const struct bw_graph *graph,
				   const struct bw_graph_look *look, struct bw_arena *arena, int focus[2])
{
	struct making making = {.pipeline = pipeline, .graph = graph, .look = look, .arena = arena};
	make_boxes(&making);
	if (look->rows && making.outer.rows > look->rows) {
		making.compact = true;
		make_boxes(&making);
	}
	const struct bw_layered *outer = &making.outer;
	making.picture = (struct bw_picture){.arena = arena,
					     .columns = outer->columns,
					     .rows = outer->rows,
					     .width = COLUMN * (double)outer->columns,
					     .height = ROW * (double)outer->rows,
					     .says = "the pipeline as a graph of kernels"};
	add_edges(&making, outer, 0, 0,
		  look->selected >= 0 ? making.box_of[graph->funcs[look->selected].kernel] : -1);
	for (int i = 0; i < outer->n; i++)
		add_box(&making, &making.boxes[i], &outer->nodes[i]);
	find_selected(&making, focus);
	return making.picture;
}
