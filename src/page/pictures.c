/* The picture of the pipeline under the schedule. Boxes are kernels, and data flows down between them. A
 * box lists the Funcs that the kernel computes and the Funcs inlined into it, unless there are too many.
 * The table below the picture lists all Funcs. */
#include "figures/tile.h"
#include "page/page_private.h"

static void put_funcs(struct bw_page *page)
{
	static const char *const names[] = {"Func", "is", "in the kernel of", "share", "reads"};
	bw_text_printf(page->out, "<details><summary>All %d Funcs and inputs</summary>\n", page->graph.n);
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"func-rows\">\n");
	for (int f = 0; f < page->graph.n; f++) {
		const struct bw_graph_func *func = &page->graph.funcs[f];
		bw_html_printf(page->out, "<tr><td class=\"name\">%s</td>",
			       page->pipeline->funcs[f].name);
		bw_html_cell(page->out, "%s", bw_graph_word(func->kind));
		bw_html_cell(page->out, "%s",
			     func->kind == BW_GRAPH_INPUT ? "" : page->pipeline->funcs[func->kernel].name);
		bw_html_share(page->out, func->share);
		bw_html_cell(page->out, "%s",
			     bw_graph_neighbours(page->pipeline, &page->graph, f, true, page->arena));
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
	put_funcs(page);
	bw_text_puts(page->out, "</section>\n");
}

/* The kernels under the device's ceilings, and the figures of the picture. */

static void put_kernels(struct bw_page *page)
{
	static const char *const names[] = {
	    "kernel",  ">operations per byte", ">could reach", ">ceilings allow", ">DRAM", ">L2",
	    ">shared", "more occupancy with"};
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"roofline-rows\">\n");
	for (int k = 0; k < page->rooflines.n; k++) {
		const struct bw_roofline_kernel *kernel = &page->rooflines.kernels[k];
		bw_html_printf(page->out,
			       "<tr><td class=\"name\"><b class=\"letter\">%s</b>%s</td>",
			       bw_say_letter(k).text,
			       bw_page_stage(page, kernel->func, kernel->stage));
		bw_html_number(page->out, bw_roofline_intensity(kernel),
			       bw_page_say(page, "%.2f", bw_roofline_intensity(kernel)));
		bw_html_number(page->out, kernel->rate,
			       bw_page_say(page, "%sop/s", bw_say_prefixed(kernel->rate).text));
		bw_html_number(page->out, kernel->ceiling,
			       bw_page_say(page, "%sop/s", bw_say_prefixed(kernel->ceiling).text));
		for (int roof = 0; roof < BW_N_ROOFS; roof++)
			bw_html_number(page->out, kernel->bytes[roof],
				       bw_say_bytes(kernel->bytes[roof]).text);
		const struct bw_occupancy_step *threads = &kernel->threads, *shared = &kernel->shared;
		bw_html_cell(page->out, "%s%s%s%s",
			     threads->value < 0 ? ""
						: bw_page_say(page, "%s threads: %s",
							      bw_say_count((double)threads->value).text,
							      bw_say_percent(threads->occupancy).text),
			     threads->value >= 0 && shared->value >= 0 ? "; " : "",
			     shared->value < 0 ? ""
					       : bw_page_say(page, "%s shared: %s",
							     bw_say_bytes((double)shared->value).text,
							     bw_say_percent(shared->occupancy).text),
			     threads->value < 0 && shared->value < 0 ? "no single change" : "");
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

void bw_page_roofline(struct bw_page *page)
{
	struct bw_picture picture = bw_roofline_picture(page->pipeline, &page->rooflines, 0, page->arena);
	bw_text_puts(page->out, "<section id=\"roofline\"><h2>Roofline</h2>\n<figure>\n");
	bw_svg_picture(page->out, &picture, NULL, false);
	bw_text_puts(
	    page->out,
	    "<figcaption>Each point is a kernel, as large as its share, where the roofline model sees it: to the right it does "
	    "more with each byte, and the higher it is the faster. No kernel can be above the lines; the "
	    "dashed ones lead to what the device would allow it. A kernel that reads nothing from DRAM "
	    "stands at its bytes of L2.</figcaption></figure>\n");
	put_kernels(page);
	bw_text_puts(page->out, "</section>\n");
}

/* The regions that one block of the costliest kernels computes and needs, drawn to scale, with a table
 * of its Funcs. */

enum { MOST_TILES = 3 };

static void put_parts(struct bw_page *page, const struct bw_block_tile *tile)
{
	static const char *const names[] = {"Func",         "is",        ">points per block",
					    ">also beside", ">computed", "kept"};
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody class=\"tile-rows\">\n");
	for (int i = 0; i < tile->n; i++) {
		const struct bw_tile_part *part = &tile->parts[i];
		bw_html_printf(page->out, "<tr><td class=\"name\">%s</td>",
			       page->pipeline->funcs[part->func].name);
		bw_html_cell(page->out, "%s", bw_tile_part_word(part->kind));
		bw_html_number(page->out, part->points, bw_tile_points(part, page->arena));
		bw_html_number(page->out, part->shared,
			       part->kind == BW_TILE_INLINED ? "" : bw_say_percent(part->shared).text);
		bw_html_number(page->out, part->again,
			       part->kind == BW_TILE_READ ? "" : bw_say_times(part->again).text);
		bw_html_cell(page->out, "%s", bw_tile_memory(part, page->arena));
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

static void put_tile(struct bw_page *page, int k)
{
	const struct bw_roofline_kernel *kernel = &page->rooflines.kernels[k];
	struct bw_block_tile tile;
	bw_tile_of_kernel(page->nest, kernel->func, kernel->stage, page->arena, &tile);
	struct bw_picture picture = bw_tile_picture(page->pipeline, &tile, -1, false, NULL, page->arena);
	bw_html_printf(page->out, "<figure><h3><b class=\"letter\">%s</b>"
		       "A block of the kernel of %s, one of %s</h3>\n",
		       bw_say_letter(k).text, bw_page_stage(page, kernel->func, kernel->stage),
		       bw_say_count(tile.n_blocks).text);
	if (picture.n)
		bw_svg_picture(page->out, &picture, NULL, false);
	put_parts(page, &tile);
	bw_text_puts(page->out, "</figure>\n");
}

void bw_page_tiles(struct bw_page *page)
{
	bw_text_puts(
	    page->out,
	    "<section id=\"tiles\"><h2>Tiles</h2>\n<p>What one block of the costliest kernels computes and "
	    "needs, to scale, in points from its first one: its part of the output, around it what it needs of "
	    "other Funcs, in green what one thread computes. Beyond the dashed lines are the blocks beside; shaded is what "
	    "they need, too.</p>\n");
	for (int k = 0; k < page->rooflines.n && k < MOST_TILES; k++)
		put_tile(page, k);
	bw_text_puts(page->out, "</section>\n");
}
