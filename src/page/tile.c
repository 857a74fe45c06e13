/* The regions that one block of the costliest kernels computes and needs, drawn to scale, with a table
 * of its Funcs. */
#include "base/say.h"
#include "figures/tile.h"
#include "page/page_private.h"

enum { MOST_TILES = 3 };

static void put_parts(struct bw_page *page, const struct bw_block_tile *tile)
{
	static const char *const names[] = {"Func",         "is",        ">points per block",
					    ">also beside", ">computed", "kept"};
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody class=\"tile-rows\">\n");
	for (int i = 0; i < tile->n; i++) {
		const struct bw_tile_part *part = &tile->parts[i];
		bw_text_puts(page->out, "<tr><td class=\"name\">");
		bw_html_text(page->out, page->pipeline->funcs[part->func].name);
		bw_text_puts(page->out, "</td>");
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
	struct bw_picture picture = bw_tile_picture(page->pipeline, &tile, -1, false, page->arena);
	bw_text_puts(page->out, "<figure><h3><b class=\"letter\">");
	bw_html_text(page->out, bw_say_letter(k).text);
	bw_text_puts(page->out, "</b>");
	bw_html_printf(page->out, "A block of the kernel of %s, one of %s",
		       bw_page_stage(page, kernel->func, kernel->stage), bw_say_count(tile.n_blocks).text);
	bw_text_puts(page->out, "</h3>\n");
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
