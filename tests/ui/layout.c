/* The layout at every size from 1x1 to 260x90: all inside, no overlap, the pane with the keys always there; and that the sizes people
 * have show what they should. */
#include <string.h>

#include "../core/test.h"
#include "ui/screen.h"

enum { MOST_COLUMNS = 260, MOST_ROWS = 90 };

/* Marks the cells of a rectangle; fails where one is outside or marked already. */
static void cover(char *cells, int columns, int rows, struct bw_rect rect)
{
	assert_true(rect.columns >= 0 && rect.rows >= 0);
	if (rect.columns == 0 || rect.rows == 0)
		return;
	assert_true(rect.x >= 0 && rect.y >= 0 && rect.x + rect.columns <= columns && rect.y + rect.rows <= rows);
	for (int y = rect.y; y < rect.y + rect.rows; y++)
		for (int x = rect.x; x < rect.x + rect.columns; x++) {
			assert_int_equal(cells[y * columns + x], 0);
			cells[y * columns + x] = 1;
		}
}

static void check_size(int columns, int rows, enum bw_sheet_id focus, int band)
{
	static char cells[MOST_COLUMNS * MOST_ROWS];
	memset(cells, 0, sizeof cells);
	struct bw_layout layout = bw_layout_make(columns, rows, focus, band, band % 3);
	cover(cells, columns, rows, layout.header);
	cover(cells, columns, rows, layout.detail);
	cover(cells, columns, rows, layout.band);
	cover(cells, columns, rows, layout.message);
	cover(cells, columns, rows, layout.keys);
	for (int pane = 0; pane < BW_N_PANES; pane++) {
		struct bw_rect rect = layout.panes[pane];
		cover(cells, columns, rows, rect);
		assert_true(rect.rows == 0 || (rect.y >= layout.body.y && rect.y + rect.rows <= layout.body.y + layout.body.rows));
	}
	if (columns >= 40 && rows >= 12 && band == 0) {
		assert_true(layout.panes[focus].columns >= 30 && layout.panes[focus].rows >= 7);
		assert_int_equal(layout.header.rows, 3);
		assert_int_equal(layout.keys.rows, 1);
		assert_int_equal(layout.message.rows, 1);
	}
}

static void nothing_overlaps_at_any_size(void **state)
{
	for (int rows = 1; rows <= MOST_ROWS; rows += rows < 40 ? 1 : 3)
		for (int columns = 1; columns <= MOST_COLUMNS; columns += columns < 120 ? 1 : 7)
			for (int focus = 0; focus < BW_N_PANES; focus++)
				check_size(columns, rows, focus, focus == 1 ? 4 : 0);
}

static int panes_shown(const struct bw_layout *layout)
{
	int n = 0;
	for (int pane = 0; pane < BW_N_PANES; pane++)
		n += layout->panes[pane].rows > 0;
	return n;
}

static void known_sizes_show_enough(void **state)
{
	static const struct {
		int columns, rows, panes, detail;
	} cases[] = {
		{40, 12, 1, 0}, {60, 24, 2, 0}, {80, 24, 4, 0}, {100, 30, 4, 2}, {132, 43, 4, 2}, {200, 60, 4, 2},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_layout layout = bw_layout_make(cases[i].columns, cases[i].rows, BW_SHEET_BEAM, 0, 0);
		assert_int_equal(panes_shown(&layout), cases[i].panes);
		assert_int_equal(layout.detail.rows, cases[i].detail);
	}
}

static void a_cell_belongs_to_the_pane_drawn_there(void **state)
{
	struct bw_layout layout = bw_layout_make(100, 30, BW_SHEET_BEAM, 0, 0);
	for (int pane = 0; pane < BW_N_PANES; pane++) {
		struct bw_rect rect = layout.panes[pane];
		assert_int_equal(bw_layout_pane_at(&layout, rect.x, rect.y), pane);
		assert_int_equal(bw_layout_pane_at(&layout, rect.x + rect.columns - 1, rect.y + rect.rows - 1), pane);
	}
	assert_int_equal(bw_layout_pane_at(&layout, 0, 0), BW_N_PANES);
	assert_int_equal(bw_layout_pane_at(&layout, 99, 29), BW_N_PANES);
}

/* 100x40: of 33 rows the beam has 14 and the stages 19, the nest 16 and the decision 17. */
static void rows_go_where_they_are_needed(void **state)
{
	static const struct {
		int needs[BW_N_PANES], rows[BW_N_PANES];
	} cases[] = {
		{{0}, {14, 16, 19, 17}},
		{{50, 50, 50, 50}, {14, 16, 19, 17}},
		{{50, 50, 12, 10}, {21, 23, 12, 10}},
		{{5, 9, 50, 50}, {5, 9, 28, 24}},
		{{15, 20, 18, 3}, {15, 20, 18, 13}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_layout layout = bw_layout_make(100, 40, BW_SHEET_BEAM, 0, 0);
		bw_layout_share(&layout, cases[i].needs);
		for (int pane = 0; pane < BW_N_PANES; pane++)
			assert_int_equal(layout.panes[pane].rows, cases[i].rows[pane]);
		for (int pane = 0; pane < 2; pane++)
			assert_int_equal(layout.panes[pane].y + layout.panes[pane].rows, layout.panes[pane + 2].y);
	}
}

/* Columns that the nest does not need go to the options beside it, which has sentences. */
static void spare_columns_are_given(void **state)
{
	(void)state;
	struct bw_layout layout = bw_layout_make(200, 60, BW_SHEET_BEAM, 0, 0);
	struct bw_rect *nest = &layout.panes[BW_SHEET_NEST], *options = &layout.panes[BW_SHEET_OPTIONS];
	int both = nest->columns + options->columns, end = options->x + options->columns;
	assert_int_equal(nest->y, options->y);
	bw_layout_share_columns(&layout, 50, 44);
	assert_int_equal(nest->columns, 50);
	assert_int_equal(options->columns, both - 50);
	assert_int_equal(options->x + options->columns, end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spare_columns_are_given),
		cmocka_unit_test(nothing_overlaps_at_any_size),
		cmocka_unit_test(known_sizes_show_enough),
		cmocka_unit_test(rows_go_where_they_are_needed),
		cmocka_unit_test(a_cell_belongs_to_the_pane_drawn_there),
	};
	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
