/* Writing HTML and SVG that are also well-formed XML: all text is escaped, figures keep their exact values.
 */
#pragma once
#include "base/text.h"
#include "figures/picture.h"

/* Appends text, with XML's special characters escaped and forbidden characters as U+FFFD. */
void bw_html_text(struct bw_text *out, const char *text);
/* Appends markup with arguments, which are escaped, in the place of %s, %d and %.2f. */
void bw_html_printf(struct bw_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a figure as `shown`, with its value to nine digits for programs: <data value="0.104561213">. */
void bw_html_figure(struct bw_text *out, double value, const char *shown);
/* Appends a cell of a table with a figure at its right; with an empty text the cell is empty. */
void bw_html_number(struct bw_text *out, double value, const char *shown);
/* Appends a cell with a share, 0..1, as a figure and a bar. */
void bw_html_share(struct bw_text *out, double share);
/* Appends a cell with such markup. */
void bw_html_cell(struct bw_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the head of a table, in a box that scrolls if the table is wide. Names with `>` in front head
 * columns of figures. `</table></div>` ends it. */
void bw_html_table(struct bw_text *out, int n, const char *const *names);

extern const char bw_svg_style[];
/* Appends a picture. title: above it; NULL: none. alone: as a file of its own; else in a box of the
 * page that scrolls if the picture is wide. */
void bw_svg_picture(struct bw_text *out, const struct bw_picture *picture, const char *title, bool alone);
