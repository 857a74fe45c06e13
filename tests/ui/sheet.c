/* Sheets: rows found and moved to by what they stand for, scrolled so that the selected one is seen, marked and highlighted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/sheet.h"

/* A heading, then for each of n Funcs one row, and a second one for Func 1. */
static struct bw_sheet sheet_of(int n)
{
	struct bw_sheet sheet = bw_sheet_new(8, true);
	struct bw_pen pen = bw_sheet_plain(&sheet);
	bw_pen_puts(&pen, BW_STYLE_TITLE, "top");
	for (int i = 0; i < n; i++) {
		pen = bw_sheet_row(&sheet, (struct bw_row){BW_ROW_FUNC, i, false, i == 2});
		bw_pen_printf(&pen, BW_STYLE_NORMAL, "f%d", i);
		if (i == 1)
			bw_sheet_row(&sheet, (struct bw_row){BW_ROW_FUNC, i, true, false});
	}
	return sheet;
}

static void rows_are_found_and_moved_to(void **state)
{
	(void)state;
	struct bw_sheet sheet = sheet_of(4); /* rows: top f0 f1 f1' f2 f3 */
	assert_int_equal(bw_sheet_find(&sheet, BW_ROW_FUNC, 1), 2);
	assert_int_equal(bw_sheet_find(&sheet, BW_ROW_FUNC, 9), -1);
	assert_int_equal(bw_sheet_find(&sheet, BW_ROW_STATE, 1), -1);
	static const struct {
		int from, by, to;
	} moves[] = {{1, 1, 2}, {2, 1, 4}, {4, -1, 2}, {1, -1, 1}, {5, 1, 5}, {-1, 1, 1}, {1, 100, 5}, {5, -100, 1}, {2, 0, 2}, {0, 0, -1}, {6, -1, 5}};
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		assert_int_equal(bw_sheet_move(&sheet, moves[i].from, moves[i].by), moves[i].to);
	bw_sheet_free(&sheet);
	sheet = sheet_of(0);
	assert_int_equal(bw_sheet_move(&sheet, -1, 1), -1);
	bw_sheet_free(&sheet);
}

static void the_selected_row_is_seen(void **state)
{
	(void)state;
	struct bw_sheet sheet = sheet_of(100);
	struct bw_grid grid = bw_grid_new(8, 6, true);
	int first = 0;
	for (int selected = 1; selected < sheet.n_rows; selected += 13) {
		struct bw_sheet_look look = {selected, true, &first, -1, 0, 0};
		int y = bw_sheet_show(&sheet, &grid, (struct bw_rect){0, 1, 8, 4}, &look);
		assert_true(y >= 1 && y < 5);
		assert_int_equal(first + y - 1, selected);
		assert_int_equal(bw_grid_at(&grid, 0, y)->glyph, '>');
		assert_int_equal(bw_grid_at(&grid, 7, y)->flags, BW_CELL_SELECTED);
		bw_grid_clear(&grid);
	}
	first = 500;
	struct bw_sheet_look look = {-1, true, &first, -1, 0, 0};
	assert_int_equal(bw_sheet_show(&sheet, &grid, (struct bw_rect){0, 1, 8, 4}, &look), -1);
	assert_int_equal(first, sheet.n_rows - 4);
	bw_grid_free(&grid);
	bw_sheet_free(&sheet);
}

static void marks_are_letters(void **state)
{
	(void)state;
	struct bw_sheet sheet = sheet_of(4);
	struct bw_grid grid = bw_grid_new(8, 6, true);
	int first = 0;
	struct bw_sheet_look look = {2, false, &first, 3, 0, 0};
	bw_sheet_show(&sheet, &grid, bw_grid_rect(&grid), &look);
	struct bw_text text = {0};
	bw_grid_text(&grid, &text);
	assert_string_equal(bw_text_get(&text), "  top\n  f0\n> f1\n\n* f2\n  f3\n");
	static const int flags[] = {0, 0, BW_CELL_LINKED, BW_CELL_LINKED, 0, BW_CELL_LINKED};
	for (int y = 0; y < 6; y++)
		assert_int_equal(bw_grid_at(&grid, 4, y)->flags, flags[y]);
	bw_text_free(&text);
	bw_grid_free(&grid);
	bw_sheet_free(&sheet);
}

/* Rows that are moved to the left keep their marks. */
static void rows_are_moved_behind_their_marks(void **state)
{
	(void)state;
	struct bw_sheet sheet = sheet_of(4);
	struct bw_grid grid = bw_grid_new(6, 6, true);
	int first = 0;
	struct bw_sheet_look look = {2, false, &first, 3, 1, 0};
	bw_sheet_show(&sheet, &grid, bw_grid_rect(&grid), &look);
	struct bw_text text = {0};
	bw_grid_text(&grid, &text);
	assert_string_equal(bw_text_get(&text), "  op\n  0\n> 1\n\n* 2\n  3\n");
	bw_text_free(&text);
	bw_grid_free(&grid);
	bw_sheet_free(&sheet);
}

static void text_is_wrapped_between_words(void **state)
{
	(void)state;
	static const struct {
		int columns;
		const char *text, *expected;
	} cases[] = {
		{12, "one two three four", "  one two\n  three four\n"},
		{12, "  set in and on\nnext", "    set in\n      and on\n  next\n"},
		{12, "immeasurably long", "  immeasura~\n  long\n"},
		{12, "trailing  \n\nlast", "  trailing\n\n  last\n"},
		{3, "ab cd", "  ~\n  ~\n"},
		{1, "ab cd\n e", "\n\n\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_sheet sheet = bw_sheet_new(cases[i].columns, true);
		bw_sheet_wrap(&sheet, BW_STYLE_NORMAL, cases[i].text);
		struct bw_text text = {0};
		bw_grid_text(&sheet.grid, &text);
		assert_string_equal(bw_text_get(&text), cases[i].expected);
		bw_text_free(&text);
		bw_sheet_free(&sheet);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_and_moved_to),
		cmocka_unit_test(the_selected_row_is_seen),
		cmocka_unit_test(marks_are_letters),
		cmocka_unit_test(rows_are_moved_behind_their_marks),
		cmocka_unit_test(text_is_wrapped_between_words),
	};
	return cmocka_run_group_tests_name("sheet", tests, NULL, NULL);
}
