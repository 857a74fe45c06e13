#include "unpack_grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void add(struct grid *grid, const char *text, size_t length)
{
	BW_GROW(grid->cells, grid->n, grid->capacity);
	char *cell = BW_NEW_ARRAY(char, length + 1);
	memcpy(cell, text, length);
	for (char *at = cell; (at = strpbrk(at, "|\n"));)
		*at = '/';
	grid->cells[grid->n++] = cell;
}

struct grid grid_new(const char *headings)
{
	struct grid grid = {0};
	for (const char *end; headings; headings = *end ? end + 1 : NULL) {
		end = strchrnul(headings, '|');
		add(&grid, headings, (size_t)(end - headings));
	}
	grid.n_columns = grid.n;
	return grid;
}

void grid_put(struct grid *grid, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	int length = vasprintf(&text, format, args);
	va_end(args);
	add(grid, length > 0 ? text : "", length > 0 ? (size_t)length : 0);
	free(text);
}

void grid_number(struct grid *grid, const char *format, double number)
{
	char text[64] = "-";
	if (!isnan(number)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(text, sizeof text, format, number);
#pragma GCC diagnostic pop
	}
	add(grid, text, strlen(text));
}

static int width_of(const struct grid *grid, int column)
{
	size_t width = 3;
	for (int i = column; i < grid->n; i += grid->n_columns)
		width = strlen(grid->cells[i]) > width ? strlen(grid->cells[i]) : width;
	return (int)width;
}

static void put_rule(const struct grid *grid, struct bw_text *out)
{
	for (int c = 0; c < grid->n_columns; c++) {
		bw_text_puts(out, "|");
		for (int k = width_of(grid, c) + 1; k > 0; k--)
			bw_text_puts(out, "-");
		bw_text_puts(out, c ? ":" : "-");
	}
	bw_text_puts(out, "|\n");
}

void grid_end(struct grid *grid, struct bw_text *out)
{
	for (int i = 0; i < grid->n && grid->n > grid->n_columns; i++) {
		int c = i % grid->n_columns, width = width_of(grid, c);
		bw_text_printf(out, "| %*s ", c ? width : -width, grid->cells[i]);
		if (c + 1 == grid->n_columns)
			bw_text_puts(out, "|\n");
		if (i + 1 == grid->n_columns)
			put_rule(grid, out);
	}
	if (grid->n > grid->n_columns)
		bw_text_puts(out, "\n");
	for (int i = 0; i < grid->n; i++)
		free(grid->cells[i]);
	free(grid->cells);
	*grid = (struct grid){0};
}
