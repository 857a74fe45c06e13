#include "ui/sheet.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/glyph.h"

struct bw_sheet bw_sheet_new(int columns, bool ascii)
{
	return (struct bw_sheet){.grid = bw_grid_new(columns, 0, ascii), .margin = 2, .to = INT_MAX};
}

void bw_sheet_free(struct bw_sheet *sheet)
{
	bw_grid_free(&sheet->grid);
	free(sheet->rows);
	*sheet = (struct bw_sheet){0};
}

/* Appends a blank row. */
static void grow(struct bw_sheet *sheet)
{
	struct bw_grid *grid = &sheet->grid;
	int capacity = sheet->capacity;
	BW_GROW(sheet->rows, sheet->n_rows, sheet->capacity);
	if (capacity != sheet->capacity)
		grid->cells = bw_resize_array(
		    grid->cells, (size_t)sheet->capacity * (size_t)grid->columns + 1, sizeof *grid->cells);
	grid->rows = sheet->n_rows + 1;
	for (int x = 0; x < grid->columns; x++)
		*bw_grid_at(grid, x, sheet->n_rows) = (struct bw_cell){' ', BW_STYLE_NORMAL, 0};
}

struct bw_pen bw_sheet_row(struct bw_sheet *sheet, struct bw_row row)
{
	grow(sheet);
	sheet->rows[sheet->n_rows] = row;
	struct bw_rect rect = {sheet->margin, 0, sheet->grid.columns - sheet->margin, sheet->n_rows + 1};
	return bw_pen_at(&sheet->grid, rect, sheet->n_rows++);
}

struct bw_pen bw_sheet_plain(struct bw_sheet *sheet)
{
	return bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_PLAIN});
}

bool bw_sheet_wanted(const struct bw_sheet *sheet)
{
	return sheet->n_rows >= sheet->from && sheet->n_rows < sheet->to;
}

static bool selectable(const struct bw_row *row)
{
	return row->kind != BW_ROW_PLAIN && !row->again;
}

static bool same(const struct bw_row *a, const struct bw_row *b)
{
	return a->kind == b->kind && a->index == b->index;
}

int bw_sheet_find(const struct bw_sheet *sheet, enum bw_row_kind kind, int index)
{
	for (int i = 0; i < sheet->n_rows; i++)
		if (selectable(&sheet->rows[i]) && sheet->rows[i].kind == kind && sheet->rows[i].index == index)
			return i;
	return -1;
}

int bw_sheet_move(const struct bw_sheet *sheet, int from, int by)
{
	int reached = from >= 0 && from < sheet->n_rows && selectable(&sheet->rows[from]) ? from : -1;
	int step = by < 0 ? -1 : 1;
	for (int i = from + step; by != 0 && i >= 0 && i < sheet->n_rows; i += step)
		if (selectable(&sheet->rows[i])) {
			reached = i;
			by -= step;
		}
	return reached;
}

int bw_sheet_scroll(const struct bw_sheet *sheet, int first, int rows, int selected)
{
	int around = rows > 6 ? 1 : 0;
	if (selected >= 0 && selected < rows && bw_sheet_move(sheet, selected, -1) == selected)
		first = 0; /* also show the rows above the first selectable one */
	if (selected >= 0 && selected - around < first)
		first = selected - around;
	bool far = selected >= first + 2 * rows && sheet->rows[selected].kind == BW_ROW_LINE;
	if (far)
		first = selected - rows / 4; /* what follows a line of code is its loop */
	else if (selected >= 0 && selected + around >= first + rows)
		first = selected + around - rows + 1;
	if (first > sheet->n_rows - rows)
		first = sheet->n_rows - rows;
	return first < 0 ? 0 : first;
}

int bw_sheet_scroll_past(const struct bw_sheet *sheet, int first, int rows, int past)
{
	int last = sheet->n_rows > rows ? sheet->n_rows - rows : 0;
	return first + past < last ? first + past : last > first ? last : first;
}

/* Draws the marks at the left of a row: selected, changed. The marks are letters, because colour must not
 * be the only sign. */
static void mark(struct bw_grid *grid, struct bw_rect rect, int y, const struct bw_row *row, bool selected)
{
	struct bw_pen pen = bw_pen_at(grid, rect, y);
	if (selected && !row->again)
		bw_pen_puts(&pen, BW_STYLE_STRONG, "▸");
	else if (row->changed)
		bw_pen_puts(&pen, BW_STYLE_MARK, "*");
}

int bw_sheet_show(const struct bw_sheet *sheet, struct bw_grid *grid, struct bw_rect rect,
		  const struct bw_sheet_look *look)
{
	*look->first = bw_sheet_scroll(sheet, *look->first, rect.rows, look->selected);
	int first = bw_sheet_scroll_past(sheet, *look->first, rect.rows, look->past), cursor = -1;
	bw_grid_copy(grid, rect, &sheet->grid, first);
	if (look->pan > 0)
		bw_grid_pan(grid, rect, &sheet->grid, first, sheet->margin, look->pan);
	for (int y = 0; y < rect.rows && first + y < sheet->n_rows; y++) {
		const struct bw_row *row = &sheet->rows[first + y];
		bool selected = look->selected >= 0 && same(row, &sheet->rows[look->selected]);
		if (selected && look->focused)
			bw_grid_flag(grid, rect, y, BW_CELL_SELECTED);
		else if (selected || (row->kind == BW_ROW_FUNC && row->index == look->linked))
			bw_grid_flag(grid, rect, y, BW_CELL_LINKED);
		mark(grid, rect, y, row, selected);
		if (first + y == look->selected)
			cursor = rect.y + y;
	}
	return cursor;
}

/* Returns the length of the next word in bytes. A word ends at a blank or after a bar. A command in
 * backquotes counts as one word if it fits in a row, so that it is not broken. */
static int word_length(const struct bw_pen *pen, int column, const char *text)
{
	int length = (int)strcspn(text, " \n|"), quote = (int)strcspn(text, "`");
	int end = quote < length ? quote + 1 + (int)strcspn(text + quote + 1, "`\n") : 0;
	if (end >= length && text[end] == '`') {
		end += (int)strcspn(text + end, " \n|");
		BW_SCOPED_MEMORY char *quoted = bw_format("%.*s", end, text);
		length = bw_glyph_columns(quoted) <= pen->right - pen->left - column ? end : length;
	}
	return length + (text[length] == '|');
}

const char *bw_sheet_go_on(struct bw_sheet *sheet, struct bw_pen *pen, int column, enum bw_style style,
			   const char *text)
{
	for (bool begins = pen->x - pen->left <= column; *text && *text != '\n'; begins = false) {
		int gap = (int)strspn(text, " "), length = word_length(pen, column, text + gap);
		char word[256];
		snprintf(word, sizeof word, "%.*s", length, text + gap);
		if (!begins && gap + bw_glyph_columns(word) > bw_pen_left(pen)) {
			*pen = bw_sheet_plain(sheet);
			bw_pen_to(pen, column);
		} else {
			pen->x += gap;
		}
		bw_pen_puts(pen, style, word);
		text += gap + length;
	}
	return text + (*text == '\n');
}

/* Appends one line of text, wrapped into rows; cuts words longer than a row. Returns the text after the
 * line. */
static const char *wrap_line(struct bw_sheet *sheet, enum bw_style style, const char *text)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	int indent = (int)strspn(text, " ");
	bw_pen_to(&pen, indent);
	return bw_sheet_go_on(sheet, &pen, indent ? indent + 2 : 0, style, text + indent);
}

void bw_sheet_wrap(struct bw_sheet *sheet, enum bw_style style, const char *text)
{
	while (*text)
		text = wrap_line(sheet, style, text);
}

void bw_sheet_say(struct bw_sheet *sheet, enum bw_style style, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	bw_sheet_wrap(sheet, style, text);
}
