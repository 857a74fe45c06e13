/* Writing HTML and SVG that are also well-formed XML: all text is escaped, figures keep their exact values.
 */
#ifndef BW_PAGE_HTML_H
#define BW_PAGE_HTML_H
#include "base/text.h"
#include "figures/picture.h"

/* Appends text, with what means something in XML escaped, and what XML does not allow as U+FFFD. */
void bw_html_text(struct bw_text *out, const char *text);
/* Appends formatted text, escaped. */
void bw_html_printf(struct bw_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a figure as `shown`, with its value to nine digits for programs: <data value="0.104561213">. */
void bw_html_figure(struct bw_text *out, double value, const char *shown);
/* Appends a cell of a table with a figure at its right. */
void bw_html_number(struct bw_text *out, double value, const char *shown);
/* Appends a cell with a share, 0..1, as a figure and a bar. */
void bw_html_share(struct bw_text *out, double share);
/* Appends a cell with formatted text, escaped. */
void bw_html_cell(struct bw_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the head of a table, in a box that scrolls if it is wide: names with `>` in front are those of
 * columns of figures. `</table></div>` ends it. */
void bw_html_table(struct bw_text *out, int n, const char *const *names);

extern const char bw_svg_style[];
/* Appends a picture. title: above it; NULL: none. alone: as a file of its own, else in a box of the page that
 * scrolls if it is wide. */
void bw_svg_picture(struct bw_text *out, const struct bw_picture *picture, const char *title, bool alone);

/* Appends the beginning of a picture of this size, whose text says what it shows; </svg> ends it. It is at
 * least `least` wide, where the page is narrower it is scrolled. */
void bw_svg_begin(struct bw_text *out, const char *class, double width, double height, double least,
		  const char *says);
/* Append shapes of a class of the style sheet. A rectangle and a point say `says` under the mouse; NULL:
 * nothing. They are coloured by `heat`, 0..1, if that is not negative. */
void bw_svg_rect(struct bw_text *out, const char *class, const double box[4], double heat, const char *says);
void bw_svg_line(struct bw_text *out, const char *class, double x0, double y0, double x1, double y1);
void bw_svg_point(struct bw_text *out, const char *class, double x, double y, double radius,
		  const char *says);
/* Appends text with its anchor: start, middle or end. */
void bw_svg_text(struct bw_text *out, const char *class, const char *anchor, double x, double y,
		 const char *text);
#endif
