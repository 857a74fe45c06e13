#include "measured_table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { MOST_TABLE = 64 << 20 };
enum kind { OF_TEXT, OF_REAL };

static const struct column {
	enum kind kind;
	const char *heading;
	size_t offset;
} columns[] = {
#define X(kind, name, heading) {OF_##kind, heading, offsetof(struct row, name)},
	COLUMN_TABLE(X)
#undef X
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static const char **text_at(struct row *row, const struct column *column)
{
	return (const char **)((char *)row + column->offset);
}

static double *real_at(struct row *row, const struct column *column)
{
	return (double *)((char *)row + column->offset);
}

struct row row_unknown(void)
{
	struct row row;
	for (int c = 0; c < N_COLUMNS; c++)
		if (columns[c].kind == OF_TEXT)
			*text_at(&row, &columns[c]) = "-";
		else
			*real_at(&row, &columns[c]) = (double)NAN;
	return row;
}

static void put_cell(struct row *row, const struct column *column, struct bw_text *out)
{
	if (column->kind == OF_TEXT)
		bw_text_puts(out, *text_at(row, column));
	else if (isfinite(*real_at(row, column)))
		bw_text_printf(out, "%.6g", *real_at(row, column));
	else
		bw_text_puts(out, "-");
}

static bool read_cell(struct row *row, const struct column *column, const char *cell)
{
	char *end;
	if (column->kind == OF_TEXT) {
		*text_at(row, column) = cell;
		return *cell;
	}
	*real_at(row, column) = strcmp(cell, "-") ? strtod(cell, &end) : (double)NAN;
	return !strcmp(cell, "-") || (end != cell && !*end);
}

/* Reads a line into cells; false with an error that names its column. */
static bool read_row(char *line, struct row *row, const char *place, struct bw_error *error)
{
	for (int c = 0; c < N_COLUMNS; c++) {
		char *cell = strsep(&line, "\t");
		if (!cell || !read_cell(row, &columns[c], cell))
			return bw_fail(error, BW_ERROR_INPUT, "%s: column %s: expected a %s or -", place,
			               columns[c].heading, columns[c].kind == OF_TEXT ? "text" : "number");
	}
	return !line || bw_fail(error, BW_ERROR_INPUT, "%s: more than %d columns", place, N_COLUMNS);
}

static void put_head(struct bw_text *out)
{
	for (int c = 0; c < N_COLUMNS; c++)
		bw_text_printf(out, "%s%s", c ? "\t" : "", columns[c].heading);
}

bool table_read(struct table *table, const char *path, struct bw_error *error)
{
	struct bw_text text = {0}, head = {0};
	*table = (struct table){.arena = bw_arena_new()};
	if (!bw_file_read(path, MOST_TABLE, &text, error))
		return false;
	char *rest = text.bytes ? text.bytes : bw_arena_strdup(table->arena, ""), *line = strsep(&rest, "\n");
	put_head(&head);
	bool good = !strcmp(line, bw_text_get(&head)) ||
	            bw_fail(error, BW_ERROR_INPUT, "%s:1: other columns than %s", path, bw_text_get(&head));
	for (int number = 2; good && (line = strsep(&rest, "\n")); number++) {
		char place[512];
		struct row row;
		snprintf(place, sizeof place, "%.480s:%d", path, number);
		if (!*line)
			continue;
		good = read_row(line, &row, place, error);
		if (good)
			table_put(table, &row);
	}
	bw_text_free(&text);
	bw_text_free(&head);
	return good;
}

static struct row *find(struct table *table, const struct row *row)
{
	for (int i = 0; i < table->n; i++)
		if (!strcmp(table->rows[i].pipeline, row->pipeline) &&
		    !strcmp(table->rows[i].size, row->size) && !strcmp(table->rows[i].label, row->label))
			return &table->rows[i];
	return NULL;
}

void table_put(struct table *table, const struct row *row)
{
	struct row copy = *row, *place = find(table, row);
	for (int c = 0; c < N_COLUMNS; c++) {
		if (columns[c].kind != OF_TEXT)
			continue;
		const char *text = *text_at(&copy, &columns[c]);
		char *clean = bw_arena_strdup(table->arena, text && *text ? text : "-");
		for (char *at = clean; (at = strpbrk(at, "\t\n\r"));)
			*at = ' ';
		*text_at(&copy, &columns[c]) = clean;
	}
	if (!place) {
		BW_GROW(table->rows, table->n, table->capacity);
		place = &table->rows[table->n++];
	}
	*place = copy;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->pipeline, y->pipeline);
	order = order ? order : strcmp(x->variant, y->variant);
	order = order ? order : strcmp(x->size, y->size);
	return order ? order : strverscmp(x->label, y->label);
}

bool table_write(struct table *table, const char *path, struct bw_error *error)
{
	struct bw_text out = {0};
	qsort(table->rows, (size_t)table->n, sizeof *table->rows, by_name);
	put_head(&out);
	bw_text_puts(&out, "\n");
	for (int i = 0; i < table->n; i++)
		for (int c = 0; c < N_COLUMNS; c++) {
			put_cell(&table->rows[i], &columns[c], &out);
			bw_text_puts(&out, c + 1 < N_COLUMNS ? "\t" : "\n");
		}
	bool good = bw_file_write(path, bw_text_get(&out), out.length, error);
	bw_text_free(&out);
	return good;
}

void table_free(struct table *table)
{
	free(table->rows);
	if (table->arena)
		bw_arena_free(table->arena);
}
