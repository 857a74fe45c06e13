/* The picture of the pipeline under the schedule: boxes are kernels, what is read flows down. A box shows the
 * Funcs that it computes and those inlined into it, unless there are too many; the table below has all. */
#include <string.h>

#include "base/say.h"
#include "page/page_private.h"
#include "ui/glyph.h"
#include "ui/layered.h"

enum { ALL_OPEN = 40, COLUMN = 8, ROW = 21, PAD = 12 };

struct box {
	int func;
	bool open;
	struct bw_layered inner;
	int *funcs; /* of the inner nodes */
	const char *label;
};

static const char *label_of(const struct bw_page *page, int func, double share)
{
	const char *name = page->pipeline->funcs[func].name;
	return share > 0 ? bw_page_say(page, "%s %s", name, bw_say_percent(share).text) : name;
}

static void lay_inside(struct bw_page *page, struct box *box)
{
	const struct bw_graph *graph = &page->graph;
	int *index = BW_ARENA_ARRAY(page->arena, int, graph->n);
	struct bw_layered *inner = &box->inner;
	*inner = (struct bw_layered){
	    .nodes = BW_ARENA_ARRAY(page->arena, struct bw_layered_node, graph->n),
	    .edges = BW_ARENA_ARRAY(page->arena, struct bw_layered_edge, graph->n_edges + 1),
	    .gap_x = 2,
	    .gap_y = 1};
	box->funcs = BW_ARENA_ARRAY(page->arena, int, graph->n);
	for (int f = 0; f < graph->n; f++) {
		index[f] = graph->funcs[f].kernel == box->func ? inner->n : -1;
		if (index[f] < 0)
			continue;
		box->funcs[inner->n] = f;
		inner->nodes[inner->n++] = (struct bw_layered_node){
		    .columns = bw_glyph_columns(label_of(page, f, graph->funcs[f].share)) + 1, .rows = 1};
	}
	for (int e = 0; e < graph->n_edges; e++)
		if (index[graph->edges[e].from] >= 0 && index[graph->edges[e].to] >= 0)
			inner->edges[inner->n_edges++] = (struct bw_layered_edge){
			    .from = index[graph->edges[e].from], .to = index[graph->edges[e].to]};
	bw_layered_lay(inner, page->arena);
}

static struct bw_layered_node size_of(struct bw_page *page, struct box *box)
{
	const struct bw_graph_func *about = &page->graph.funcs[box->func];
	bool kernel = about->kind == BW_GRAPH_KERNEL;
	box->label = label_of(page, box->func, about->kernel_share);
	int columns = bw_glyph_columns(box->label) + 2;
	if (box->open) {
		lay_inside(page, box);
		columns = columns > box->inner.columns ? columns : box->inner.columns;
		return (struct bw_layered_node){.columns = columns + 3, .rows = box->inner.rows + 2};
	}
	if (kernel && about->n_inside)
		box->label = bw_page_say(page, "%s, with %d Func%s", box->label, about->n_inside,
					 about->n_inside == 1 ? "" : "s");
	return (struct bw_layered_node){.columns = bw_glyph_columns(box->label) + 3, .rows = kernel ? 2 : 1};
}

/* Appends an edge as a curve through its bends. */
static void put_edge(struct bw_page *page, const struct bw_layered *graph, const struct bw_layered_edge *edge,
		     double x, double y, bool inner)
{
	const struct bw_layered_node *from = &graph->nodes[edge->from], *to = &graph->nodes[edge->to];
	double at_x = x + COLUMN * (from->x + from->columns / 2.0), at_y = y + ROW * (from->y + from->rows),
	       end_x = x + COLUMN * (to->x + to->columns / 2.0), end_y = y + ROW * to->y - (inner ? 0 : 5);
	if (to->layer <= from->layer)
		return;
	bw_text_printf(page->out, "<path class=\"%s\" d=\"M%.1f %.1f", inner ? "inner" : "edge", at_x, at_y);
	for (int i = 0; i <= edge->n_bends; i++) {
		int layer = from->layer + 1 + i;
		bool last = i == edge->n_bends;
		double bend = last ? end_x : x + COLUMN * (edge->bends[i] + 0.5),
		       top = last ? end_y : y + ROW * graph->tops[layer], half = (at_y + top) / 2;
		bw_text_printf(page->out, "C%.1f %.1f %.1f %.1f %.1f %.1f", at_x, half, bend, half, bend,
			       top);
		at_x = bend;
		at_y = top;
		if (!last && graph->heights[layer]) {
			at_y += ROW * graph->heights[layer];
			bw_text_printf(page->out, "L%.1f %.1f", at_x, at_y);
		}
	}
	bw_text_puts(page->out, "\"/>\n");
	if (!inner)
		bw_text_printf(page->out, "<path class=\"arrow\" d=\"M%.1f %.1fl-4 -7h8z\"/>\n", end_x,
			       end_y + 5);
}

static void put_inside(struct bw_page *page, const struct box *box, double x, double y)
{
	for (int e = 0; e < box->inner.n_edges; e++)
		put_edge(page, &box->inner, &box->inner.edges[e], x, y, true);
	for (int i = 0; i < box->inner.n; i++) {
		const struct bw_layered_node *node = &box->inner.nodes[i];
		const struct bw_graph_func *func = &page->graph.funcs[box->funcs[i]];
		bool inlined = func->kind == BW_GRAPH_INLINED;
		double chip[4] = {x + COLUMN * node->x, y + ROW * node->y + 1, COLUMN * (double)node->columns,
				  ROW - 2};
		const char *name = page->pipeline->funcs[box->funcs[i]].name;
		bw_svg_rect(page->out, inlined ? "plain" : "heat", chip, inlined ? -1 : func->share,
			    bw_page_say(page, "%s: %s, %s of the cost", name, bw_graph_word(func->kind),
					bw_say_percent(func->share).text));
		bw_svg_text(page->out, inlined ? "soft" : "", "middle", chip[0] + chip[2] / 2, chip[1] + 14,
			    label_of(page, box->funcs[i], func->share));
	}
}

static void put_box(struct bw_page *page, const struct box *box, const struct bw_layered_node *node)
{
	const struct bw_graph_func *about = &page->graph.funcs[box->func];
	double rect[4] = {PAD + COLUMN * (double)node->x, PAD + ROW * (double)node->y,
			  COLUMN * (double)node->columns, ROW * (double)node->rows};
	double middle = rect[0] + rect[2] / 2;
	if (about->kind != BW_GRAPH_KERNEL) {
		bw_svg_rect(page->out, "plain", rect, -1, bw_graph_word(about->kind));
		bw_svg_text(page->out, "soft", "middle", middle, rect[1] + 15, box->label);
		return;
	}
	bw_svg_rect(page->out, "box", rect, -1, NULL);
	if (!box->open) {
		bw_svg_rect(page->out, "heat", rect, about->kernel_share,
			    bw_page_say(page, "kernel %s", box->label));
		bw_svg_text(page->out, "strong", "middle", middle, rect[1] + ROW + 4, box->label);
		return;
	}
	bw_svg_text(page->out, "strong", "middle", middle, rect[1] + 16, box->label);
	put_inside(page, box, rect[0] + COLUMN * (node->columns - box->inner.columns) / 2.0,
		   rect[1] + ROW * 1.3);
}

static void put_picture(struct bw_page *page)
{
	const struct bw_graph *graph = &page->graph;
	struct box *boxes = BW_ARENA_ARRAY(page->arena, struct box, graph->n + 1);
	int *box_of = BW_ARENA_ARRAY(page->arena, int, graph->n + 1);
	struct bw_layered outer = {
	    .nodes = BW_ARENA_ARRAY(page->arena, struct bw_layered_node, graph->n + 1),
	    .edges = BW_ARENA_ARRAY(page->arena, struct bw_layered_edge, graph->n_links + 1),
	    .gap_x = 3,
	    .gap_y = 2};
	for (int f = 0; f < graph->n; f++) {
		box_of[f] = -1;
		if (graph->funcs[f].kernel != f ||
		    (graph->funcs[f].kind == BW_GRAPH_INPUT && !page->pipeline->funcs[f].n_consumers))
			continue;
		box_of[f] = outer.n;
		boxes[outer.n] =
		    (struct box){.func = f, .open = graph->funcs[f].n_inside > 0 && graph->n <= ALL_OPEN};
		outer.nodes[outer.n] = size_of(page, &boxes[outer.n]);
		outer.n++;
	}
	for (int i = 0; i < graph->n_links; i++)
		if (box_of[graph->links[i].from] >= 0 && box_of[graph->links[i].to] >= 0)
			outer.edges[outer.n_edges++] = (struct bw_layered_edge){
			    .from = box_of[graph->links[i].from], .to = box_of[graph->links[i].to]};
	bw_layered_lay(&outer, page->arena);
	double width = 2 * PAD + COLUMN * (double)outer.columns;
	bw_svg_begin(page->out, "graph", width, 2 * PAD + ROW * (double)outer.rows, width * 0.75,
		     "the pipeline as a graph of kernels");
	for (int e = 0; e < outer.n_edges; e++)
		put_edge(page, &outer, &outer.edges[e], PAD, PAD, false);
	for (int i = 0; i < outer.n; i++)
		put_box(page, &boxes[i], &outer.nodes[i]);
	bw_text_puts(page->out, "</svg></div>\n");
}

/* Appends the names of the Funcs that a Func reads. */
static void put_reads(struct bw_page *page, int func)
{
	int n = 0;
	bw_text_puts(page->out, "<td>");
	for (int e = 0; e < page->graph.n_edges; e++)
		if (page->graph.edges[e].to == func)
			bw_html_printf(page->out, "%s%s", n++ ? ", " : "",
				       page->pipeline->funcs[page->graph.edges[e].from].name);
	bw_text_puts(page->out, "</td>");
}

static void put_table(struct bw_page *page)
{
	static const char *const names[] = {"Func", "is", "in the kernel of", "share", "reads"};
	bw_text_printf(page->out, "<details><summary>All %d Funcs and inputs</summary>\n", page->graph.n);
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"func-rows\">\n");
	for (int f = 0; f < page->graph.n; f++) {
		const struct bw_graph_func *func = &page->graph.funcs[f];
		bw_text_puts(page->out, "<tr><td class=\"name\">");
		bw_html_text(page->out, page->pipeline->funcs[f].name);
		bw_text_puts(page->out, "</td>");
		bw_html_cell(page->out, "%s", bw_graph_word(func->kind));
		bw_html_cell(page->out, "%s",
			     func->kind == BW_GRAPH_INPUT ? "" : page->pipeline->funcs[func->kernel].name);
		bw_html_share(page->out, func->share);
		put_reads(page, f);
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div></details>\n");
}

void bw_page_graph(struct bw_page *page)
{
	bw_text_puts(page->out, "<section id=\"pipeline\"><h2>Pipeline</h2>\n<figure>\n");
	put_picture(page);
	bw_text_puts(
	    page->out,
	    "<figcaption>A box is a kernel, with its share of the predicted cost; in it the Funcs that it "
	    "computes, the warmer the costlier, and in grey those that are inlined and computed where they "
	    "are read. What is read flows down.</figcaption></figure>\n");
	put_table(page);
	bw_text_puts(page->out, "</section>\n");
}
