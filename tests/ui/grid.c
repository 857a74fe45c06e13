/* The grid of cells: characters and their widths, pens that never leave their rectangle, fields, figures and bars, ASCII, text and SVG. */
#include <locale.h>
#include <string.h>

#include "../core/test.h"
#include "ui/glyph.h"
#include "ui/grid.h"
#include "ui/sheet.h"

static void assert_grid(const struct bw_grid *grid, const char *expected)
{
	struct bw_text text = {0};
	bw_grid_text(grid, &text);
	assert_string_equal(bw_text_get(&text), expected);
	bw_text_free(&text);
}

static void utf8_is_read_strictly(void **state)
{
	static const struct {
		const char *text;
		uint32_t glyphs[4];
	} cases[] = {
		{"a", {'a'}},
		{"\xc3\xa9x", {0xe9, 'x'}},
		{"\xe2\x94\x80", {0x2500}},
		{"\xf0\x9f\x98\x80", {0x1f600}},
		{"\xc3", {0xfffd}},             /* cut off */
		{"\xc0\xaf", {0xfffd, 0xfffd}}, /* not the shortest form */
		{"\xe0\x80\xaf", {0xfffd, 0xfffd, 0xfffd}},
		{"\xed\xa0\x80", {0xfffd, 0xfffd, 0xfffd}}, /* a surrogate */
		{"\xf4\x90\x80\x80", {0xfffd, 0xfffd, 0xfffd, 0xfffd}}, /* beyond Unicode */
		{"\x80z", {0xfffd, 'z'}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *at = cases[i].text;
		for (int j = 0; j < 4 && cases[i].glyphs[j]; j++)
			assert_int_equal(bw_glyph_next(&at), cases[i].glyphs[j]);
		assert_int_equal(bw_glyph_next(&at), 0);
	}
}

static void names_keep_both_ends(void **state)
{
	static const struct {
		const char *name;
		int columns;
		const char *expected;
	} cases[] = {
		{"output", 6, "output"},
		{"stencil_of_level_12", 9, "sten…l_12"},
		{"stencil_of_level_12", 8, "ste…l_12"},
		{"stencil_of_level_12", 2, "…2"},
		{"stencil_of_level_12", 1, "…"},
		{"stencil_of_level_12", 0, ""},
		{"\xc3\xa9t\xc3\xa9_h\xc3\xa9ros", 5, "\xc3\xa9t…os"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char shortened[64];
		bw_glyph_shorten(cases[i].name, cases[i].columns, shortened, sizeof shortened);
		assert_string_equal(shortened, cases[i].expected);
	}
}

static void what_is_written_is_read_back(void **state)
{
	static const uint32_t glyphs[] = {1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
	for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++) {
		char bytes[5];
		int length = bw_glyph_utf8(glyphs[i], bytes);
		assert_int_equal(length, strlen(bytes));
		const char *at = bytes;
		assert_int_equal(bw_glyph_next(&at), glyphs[i]);
	}
}

static void a_pen_stays_in_its_rectangle(void **state)
{
	struct bw_grid grid = bw_grid_new(10, 3, true);
	struct bw_rect rect = {2, 1, 5, 1};
	struct bw_pen pen = bw_pen_at(&grid, rect, 0);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "abc");
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "defg");
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "never");
	pen = bw_pen_at(&grid, rect, 1);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "below");
	pen = bw_pen_at(&grid, rect, -1);
	bw_pen_rule(&pen, BW_STYLE_NORMAL);
	pen = bw_pen_at(&grid, (struct bw_rect){50, 1, 5, 1}, 0);
	bw_pen_to(&pen, 3);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "right of it");
	pen = bw_pen_at(&grid, (struct bw_rect){0, 7, 5, 1}, 0);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "under it");
	assert_grid(&grid, "\n  abcd~\n\n");
	bw_grid_free(&grid);
}

static void fields_figures_and_bars(void **state)
{
	struct bw_grid grid = bw_grid_new(30, 4, true);
	struct bw_rect all = bw_grid_rect(&grid);
	struct bw_pen pen = bw_pen_at(&grid, all, 0);
	bw_pen_field(&pen, 6, BW_STYLE_NORMAL, "a_name_too_long");
	bw_pen_right(&pen, 12, BW_STYLE_NORMAL, "%.3f", 1.5);
	bw_pen_to(&pen, 14);
	bw_pen_bar(&pen, 10, BW_STYLE_HEAT_1, 0.5);
	pen = bw_pen_at(&grid, all, 1);
	bw_pen_right(&pen, 3, BW_STYLE_NORMAL, "12345");
	bw_pen_to(&pen, 2);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "next");
	bw_pen_right(&pen, 12, BW_STYLE_NORMAL, "100%%");
	pen = bw_pen_at(&grid, all, 2);
	bw_pen_bar(&pen, 10, BW_STYLE_HEAT_1, 0.0001);
	bw_pen_bar(&pen, 10, BW_STYLE_HEAT_1, 0);
	bw_pen_bar(&pen, 10, BW_STYLE_HEAT_1, -1);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "|");
	bw_pen_bar(&pen, 4, BW_STYLE_HEAT_1, 7);
	pen = bw_pen_at(&grid, all, 3);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "ab ");
	bw_pen_rule(&pen, BW_STYLE_RULE);
	assert_grid(&grid, "a_nam~ 1.500  #####\n12345 next 100%\n-|####\nab ---------------------------\n");
	bw_grid_free(&grid);
}

static void wide_characters_are_not_halved(void **state)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip_because("no locale C.UTF-8");
	struct bw_grid grid = bw_grid_new(4, 3, false);
	struct bw_pen pen = bw_pen_at(&grid, bw_grid_rect(&grid), 0);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "a日本x");
	pen = bw_pen_at(&grid, bw_grid_rect(&grid), 1);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "日本x");
	pen = bw_pen_at(&grid, bw_grid_rect(&grid), 2);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "e\xcc\x81\x07.");
	assert_grid(&grid, "a日…\n日 …\ne?.\n");
	assert_int_equal(bw_glyph_columns("a日本x"), 6);
	bw_grid_free(&grid);
	setlocale(LC_CTYPE, "C");
}

static void ascii_has_nothing_else(void **state)
{
	struct bw_grid grid = bw_grid_new(8, 1, true);
	struct bw_pen pen = bw_pen_at(&grid, bw_grid_rect(&grid), 0);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "▸2×3 é·");
	assert_grid(&grid, ">2x3 ?.\n");
	bw_grid_free(&grid);
}

static void svg_escapes_and_groups(void **state)
{
	struct bw_grid grid = bw_grid_new(12, 1, true);
	struct bw_pen pen = bw_pen_at(&grid, bw_grid_rect(&grid), 0);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "a<b & c");
	bw_pen_puts(&pen, BW_STYLE_ERROR, "no");
	bw_grid_flag(&grid, bw_grid_rect(&grid), 0, BW_CELL_SELECTED);
	struct bw_text text = {0};
	bw_grid_svg(&grid, &text);
	assert_non_null(strstr(bw_text_get(&text), ">a&lt;b &amp; c</text>"));
	assert_non_null(strstr(bw_text_get(&text), ">no</text>"));
	assert_non_null(strstr(bw_text_get(&text), "<rect x=\"12\" y=\"12\" width=\"108\" height=\"19\""));
	assert_null(strstr(bw_text_get(&text), "&c"));
	bw_text_free(&text);
	bw_grid_free(&grid);
}

/* Sheets: rows found and moved to by what they stand for, scrolled so that the selected one is seen, marked and highlighted. */

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
	static const struct {
		int columns;
		const char *text, *expected;
	} cases[] = {
		{12, "one two three four", "  one two\n  three four\n"},
		{12, "  set in and on\nnext", "    set in\n      and on\n  next\n"},
		{12, "immeasurably long", "  immeasura~\n  long\n"},
		{12, "trailing  \n\nlast", "  trailing\n\n  last\n"},
		{3, "ab cd", "  ~\n  ~\n"},
		{14, "then `run end`, go on", "  then\n  `run end`,\n  go on\n"},
		{14, "then (`run end`)", "  then\n  (`run end`)\n"},
		{10, "type `step on then`", "  type\n  `step on\n  then`\n"},
		{14, "a ` b and c d e", "  a ` b and c\n  d e\n"},
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
		cmocka_unit_test(utf8_is_read_strictly), cmocka_unit_test(names_keep_both_ends),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(a_pen_stays_in_its_rectangle), cmocka_unit_test(fields_figures_and_bars),
		cmocka_unit_test(wide_characters_are_not_halved), cmocka_unit_test(ascii_has_nothing_else),
		cmocka_unit_test(svg_escapes_and_groups), cmocka_unit_test(rows_are_found_and_moved_to),
		cmocka_unit_test(the_selected_row_is_seen), cmocka_unit_test(marks_are_letters),
		cmocka_unit_test(rows_are_moved_behind_their_marks),
		cmocka_unit_test(text_is_wrapped_between_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
