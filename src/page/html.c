#include "page/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"

/* Returns the bytes of the UTF-8 character at the beginning of a text, or 0 if there is none that XML allows.
 */
static int character(const unsigned char *at)
{
	int n = *at < 0x80                  ? 1
		: *at >= 0xc2 && *at < 0xe0 ? 2
		: *at >= 0xe0 && *at < 0xf0 ? 3
		: *at >= 0xf0 && *at < 0xf5 ? 4
					    : 0;
	for (int i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if (n == 1 && *at < 0x20 && *at != '\n' && *at != '\t')
		return 0;
	if (n == 3 && ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] >= 0xa0) ||
		       (*at == 0xef && at[1] == 0xbf && at[2] >= 0xbe)))
		return 0;
	return n == 4 && ((*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] >= 0x90)) ? 0 : n;
}

void bw_html_text(struct bw_text *out, const char *text)
{
	while (*text) {
		int n = character((const unsigned char *)text);
		const char *entity = *text == '&'    ? "&amp;"
				     : *text == '<'  ? "&lt;"
				     : *text == '>'  ? "&gt;"
				     : *text == '"'  ? "&quot;"
				     : *text == '\'' ? "&#39;"
				     : n == 0        ? "\xef\xbf\xbd"
						     : NULL;
		if (entity)
			bw_text_puts(out, entity);
		else
			bw_text_append(out, text, (size_t)n);
		text += n ? n : 1;
	}
}

static void append_formatted(struct bw_text *out, const char *format, va_list list)
{
	char *text = NULL;
	if (vasprintf(&text, format, list) < 0)
		abort();
	bw_html_text(out, text);
	free(text);
}

void bw_html_printf(struct bw_text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	append_formatted(out, format, list);
	va_end(list);
}

void bw_html_cell(struct bw_text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	bw_text_puts(out, "<td>");
	append_formatted(out, format, list);
	bw_text_puts(out, "</td>");
	va_end(list);
}

void bw_html_figure(struct bw_text *out, double value, const char *shown)
{
	bw_text_printf(out, "<data value=\"%.9g\">", value);
	bw_html_text(out, shown);
	bw_text_puts(out, "</data>");
}

void bw_html_number(struct bw_text *out, double value, const char *shown)
{
	bw_text_puts(out, "<td class=\"n\">");
	bw_html_figure(out, value, shown);
	bw_text_puts(out, "</td>");
}

void bw_html_share(struct bw_text *out, double share)
{
	bw_text_printf(out, "<td class=\"share\"><span class=\"bar\" style=\"width:%.1f%%\"></span>",
		       100 * fmin(fmax(share, 0), 1));
	bw_html_figure(out, share, bw_say_percent(share).text);
	bw_text_puts(out, "</td>");
}

void bw_html_table(struct bw_text *out, int n, const char *const *names)
{
	bw_text_puts(out, "<div class=\"wide\"><table><thead><tr>");
	for (int i = 0; i < n; i++) {
		bool figures = *names[i] == '>';
		bw_text_puts(out, figures ? "<th class=\"n\" scope=\"col\">" : "<th scope=\"col\">");
		bw_html_text(out, names[i] + figures);
		bw_text_puts(out, "</th>");
	}
	bw_text_puts(out, "</tr></thead>\n");
}

void bw_svg_begin(struct bw_text *out, const char *class, double width, double height, double least,
		  const char *says)
{
	bw_text_printf(
	    out,
	    "<div class=\"wide\"><svg class=\"%s\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
	    "style=\"min-width:%.0fpx\" role=\"img\" aria-label=\"",
	    class, width, height, width, height, fmin(least, width));
	bw_html_text(out, says);
	bw_text_puts(out, "\">\n");
}

static void end_shape(struct bw_text *out, const char *name, const char *says)
{
	if (!says) {
		bw_text_puts(out, "/>\n");
		return;
	}
	bw_text_puts(out, "><title>");
	bw_html_text(out, says);
	bw_text_printf(out, "</title></%s>\n", name);
}

void bw_svg_rect(struct bw_text *out, const char *class, const double box[4], double heat, const char *says)
{
	bw_text_printf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", class,
		       box[0], box[1], fmax(box[2], 0), fmax(box[3], 0));
	if (heat >= 0)
		bw_text_printf(out, " fill-opacity=\"%.2f\"", 0.05 + 0.75 * sqrt(fmin(heat, 1)));
	end_shape(out, "rect", says);
}

void bw_svg_line(struct bw_text *out, const char *class, double x0, double y0, double x1, double y1)
{
	bw_text_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
		       x0, y0, x1, y1);
}

void bw_svg_point(struct bw_text *out, const char *class, double x, double y, double radius, const char *says)
{
	bw_text_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", class, x, y, radius);
	end_shape(out, "circle", says);
}

void bw_svg_text(struct bw_text *out, const char *class, const char *anchor, double x, double y,
		 const char *text)
{
	bw_text_printf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, anchor, x,
		       y);
	bw_html_text(out, text);
	bw_text_puts(out, "</text>\n");
}
