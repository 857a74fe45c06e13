/* The picture of the pipeline under the schedule: boxes are kernels, and data flows down between them.
 * A box lists the Funcs that it computes and those inlined into it, unless there are too many; the
 * table below lists all. */
#include "base/say.h"
#include "page/page_private.h"

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
		bw_html_cell(page->out, "%s",
			     bw_graph_beside(page->pipeline, &page->graph, f, true, page->arena));
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div></details>\n");
}

void bw_page_graph(struct bw_page *page)
{
	bw_text_puts(page->out, "<section id=\"pipeline\"><h2>Pipeline</h2>\n<figure>\n");
	static const struct bw_graph_look look = {.all_open = 40, .only = -1, .selected = -1, .next = -1};
	int focus[2];
	struct bw_picture picture = bw_graph_picture(page->pipeline, &page->graph, &look, page->arena, focus);
	bw_svg_picture(page->out, &picture, NULL, false);
	bw_text_puts(
	    page->out,
	    "<figcaption>A box is a kernel, with its share of the predicted cost; in it the Funcs that it "
	    "computes, the warmer the costlier, and in grey those that are inlined and computed where they "
	    "are read. What is read flows down.</figcaption></figure>\n");
	put_table(page);
	bw_text_puts(page->out, "</section>\n");
}
