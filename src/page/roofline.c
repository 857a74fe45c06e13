/* The kernels under the device's ceilings: a plot with two logarithmic axes. */
#include <math.h>

#include "base/say.h"
#include "page/page_private.h"

enum { WIDTH = 720, HEIGHT = 400, LEFT = 98, RIGHT = 18, TOP = 26, BOTTOM = 48 };

/* The scales of the plot: logarithms to base 2. */
struct scale {
	double x0, x1, y0, y1;
};

static double at_x(const struct scale *scale, double intensity)
{
	return LEFT + (log2(intensity) - scale->x0) / (scale->x1 - scale->x0) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct scale *scale, double rate)
{
	return TOP + (scale->y1 - log2(rate)) / (scale->y1 - scale->y0) * (HEIGHT - TOP - BOTTOM);
}

/* Returns the operations for each byte from DRAM; if that moves none, from L2. */
static double intensity_of(const struct bw_roofline_kernel *kernel)
{
	return kernel->intensity[kernel->bytes[BW_ROOF_DRAM] > 0 ? BW_ROOF_DRAM : BW_ROOF_L2];
}

static struct scale scale_of(const struct bw_rooflines *all)
{
	const struct bw_device *device = all->device;
	double ridge = device->float_rate / device->global_bandwidth, low = ridge / 16, high = ridge * 4,
	       bottom = device->float_rate / 256;
	for (int k = 0; k < all->n; k++) {
		double intensity = intensity_of(&all->kernels[k]), rate = all->kernels[k].rate;
		if (!(intensity > 0 && rate > 0))
			continue;
		low = fmin(low, intensity / 1.5);
		high = fmax(high, intensity * 1.5);
		bottom = fmin(bottom, rate / 2);
	}
	return (struct scale){log2(low), log2(high), log2(bottom), log2(device->float_rate * 2)};
}

static void put_axes(struct bw_page *page, const struct scale *scale)
{
	for (int power = (int)ceil(scale->x0); power <= (int)scale->x1; power++) {
		double x = at_x(scale, exp2(power));
		bw_svg_line(page->out, "axis", x, TOP, x, HEIGHT - BOTTOM);
		if (power % 2 == 0)
			bw_svg_text(page->out, "soft small", "middle", x, HEIGHT - BOTTOM + 17,
				    power < 0 ? bw_page_say(page, "1/%.0f", exp2(-power))
					      : bw_page_say(page, "%.0f", exp2(power)));
	}
	for (double rate = pow(10, ceil(scale->y0 * log10(2))); log2(rate) <= scale->y1; rate *= 10) {
		bw_svg_line(page->out, "axis", LEFT, at_y(scale, rate), WIDTH - RIGHT, at_y(scale, rate));
		bw_svg_text(page->out, "soft small", "end", LEFT - 6, at_y(scale, rate) + 4,
			    bw_page_say(page, "%sop/s", bw_page_prefixed(page, rate)));
	}
	bw_svg_text(page->out, "soft small", "end", WIDTH - RIGHT, HEIGHT - 10,
		    "operations per byte from DRAM");
}

static void put_roofs(struct bw_page *page, const struct scale *scale)
{
	const struct bw_device *device = page->device;
	double peak = device->float_rate;
	bw_svg_line(page->out, "roof", at_x(scale, peak / device->shared_bandwidth), at_y(scale, peak),
		    WIDTH - RIGHT, at_y(scale, peak));
	bw_svg_text(page->out, "soft small", "end", WIDTH - RIGHT, at_y(scale, peak) - 7,
		    bw_page_say(page, "float %sop/s", bw_page_prefixed(page, peak)));
	for (int roof = 0; roof < BW_N_ROOFS; roof++) {
		double bandwidth = bw_roof_bandwidth(device, (enum bw_roof)roof),
		       from = fmax(exp2(scale->x0), exp2(scale->y0) / bandwidth), to = peak / bandwidth;
		if (from >= to)
			continue;
		double x0 = at_x(scale, from), y0 = at_y(scale, from * bandwidth), x1 = at_x(scale, to),
		       y1 = at_y(scale, peak), part = 0.06 + 0.02 * roof;
		bw_svg_line(page->out, "roof", x0, y0, x1, y1);
		bw_text_printf(page->out,
			       "<text class=\"soft small\" transform=\"translate(%.1f %.1f) rotate(%.1f)\">",
			       x0 + part * (x1 - x0), y0 + part * (y1 - y0) - 6,
			       atan2(y1 - y0, x1 - x0) * 180 / acos(-1));
		bw_html_printf(page->out, "%s %sB/s", bw_roof_word((enum bw_roof)roof),
			       bw_page_prefixed(page, bandwidth));
		bw_text_puts(page->out, "</text>\n");
	}
}

static void put_points(struct bw_page *page, const struct scale *scale)
{
	for (int k = page->rooflines.n - 1; k >= 0; k--) {
		const struct bw_roofline_kernel *kernel = &page->rooflines.kernels[k];
		double intensity = intensity_of(kernel), radius = 8 + 10 * sqrt(kernel->share);
		if (!(intensity > 0 && kernel->rate > 0))
			continue;
		double x = at_x(scale, intensity), y = at_y(scale, kernel->rate);
		bw_svg_line(page->out, "leader", x, y, x, at_y(scale, fmax(kernel->ceiling, kernel->rate)));
		bw_svg_point(page->out, "kernel", x, y, radius,
			     bw_page_say(page, "%s: %sop/s of %sop/s that the ceilings allow",
					 bw_page_stage(page, kernel->func, kernel->stage),
					 bw_page_prefixed(page, kernel->rate),
					 bw_page_prefixed(page, kernel->ceiling)));
		bw_svg_text(page->out, "in", "middle", x, y + 4, bw_page_letter(page, k));
	}
}

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
		bw_html_printf(page->out, "%s", bw_page_letter(page, k));
		bw_text_puts(page->out, "</b>");
		bw_html_text(page->out, bw_page_stage(page, kernel->func, kernel->stage));
		bw_text_puts(page->out, "</td>");
		bw_html_number(page->out, intensity_of(kernel),
			       bw_page_say(page, "%.2f", intensity_of(kernel)));
		bw_html_number(page->out, kernel->rate,
			       bw_page_say(page, "%sop/s", bw_page_prefixed(page, kernel->rate)));
		bw_html_number(page->out, kernel->ceiling,
			       bw_page_say(page, "%sop/s", bw_page_prefixed(page, kernel->ceiling)));
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
	struct scale scale = scale_of(&page->rooflines);
	bw_text_puts(page->out, "<section id=\"roofline\"><h2>Roofline</h2>\n<figure>\n");
	bw_svg_begin(page->out, "plot", WIDTH, HEIGHT, 370, "the kernels under the ceilings of the device");
	put_axes(page, &scale);
	put_roofs(page, &scale);
	put_points(page, &scale);
	bw_text_puts(
	    page->out,
	    "</svg></div>\n<figcaption>Each point is a kernel, as large as its share, where the roofline model sees it: to the right it does "
	    "more with each byte, and the higher it is the faster. No kernel can be above the lines; the "
	    "dashed ones lead to what the device would allow it.</figcaption></figure>\n");
	put_table(page);
	bw_text_puts(page->out, "</section>\n");
}
