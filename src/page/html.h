/* Writes HTML and SVG that are also well-formed XML. All text is escaped. Numbers keep their values. */
#pragma once
#include "base/text.h"
#include "figures/picture.h"

/* Appends text, with XML's special characters escaped and forbidden characters as U+FFFD. */
void bw_html_text(struct bw_text *out, const char *text);
/* Appends markup as printf does. The text of the arguments is escaped. */
void bw_html_printf(struct bw_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number, shown as `shown`, with its value to nine digits for programs: <data
 * value="0.104561213">. */
void bw_html_figure(struct bw_text *out, double value, const char *shown);
/* Appends a right-aligned table cell with a number, shown as "shown". If "shown" is empty, the cell is
 * empty. */
void bw_html_number(struct bw_text *out, double value, const char *shown);
/* Appends a table cell with a share, 0..1, as a number and a bar. */
void bw_html_share(struct bw_text *out, double share);
/* Appends a table cell with markup, as bw_html_printf() does. */
void bw_html_cell(struct bw_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the head of a table, in a box that scrolls if the table is wide. names: of the columns; `>` in
 * front marks a column of numbers. The caller ends the table with `</table></div>`. */
void bw_html_table(struct bw_text *out, int n, const char *const *names);

extern const char bw_svg_style[];
/* Appends a picture. title: text above the picture; NULL: none. alone: writes a file of its own; else a
 * box of the page, which scrolls if the picture is wide. */
void bw_svg_picture(struct bw_text *out, const struct bw_picture *picture, const char *title, bool alone);
