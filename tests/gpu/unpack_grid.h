/* Tables of a report: Markdown whose columns are aligned, so that it can be read as text. */
#pragma once
#include "base/text.h"

struct grid {
	int n_columns, n; /* n: cells so far, the headings among them */
	int capacity;
	char **cells;
};

/* Begins a table with these headings, separated by |. The first column is aligned to the left, all others to
 * the right. */
struct grid grid_new(const char *headings);
/* Adds the next cell. */
void grid_put(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a number with a printf conversion; "-" if it is NAN. */
void grid_number(struct grid *grid, const char *format, double number);
/* Writes the table, nothing if it has no row, and frees it. */
void grid_end(struct grid *grid, struct bw_text *out);
