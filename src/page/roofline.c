/* The kernels under the device's ceilings, and the figures of the picture. */
#include "base/say.h"
#include "page/page_private.h"

static void put_table(struct bw_page *page)
{
	static const char *const names[] = {
	    "kernel",  ">operations per byte", ">could reach", ">ceilings allow", ">DRAM", ">L2",
	    ">shared", "more occupancy with"};
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"roofline-rows\">\n");
	for (int k = 0; k < page->rooflines.n; k++) {
		const struct bw_roofline_kernel *kernel = &page->rooflines.kernels[k];
		bw_text_puts(page->out, "<tr><td class=\"name\"><b class=\"letter\">");
		bw_html_printf(page->out, "%s", bw_say_letter(k).text);
		bw_text_puts(page->out, "</b>");
		bw_html_text(page->out, bw_page_stage(page, kernel->func, kernel->stage));
		bw_text_puts(page->out, "</td>");
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
	put_table(page);
	bw_text_puts(page->out, "</section>\n");
}
