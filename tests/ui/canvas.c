/* What is drawn on a canvas: outlines that join, shades, dots of braille, lines; that nothing is drawn outside, and ASCII stands in. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/canvas.h"

static char *drawn(const struct bw_canvas *canvas, bool ascii)
{
	struct bw_grid grid = bw_grid_new(canvas->columns, canvas->rows, ascii);
	struct bw_text text = {0};
	for (int y = 0; y < canvas->rows; y++) {
		struct bw_pen pen = bw_pen_at(&grid, bw_grid_rect(&grid), y);
		bw_canvas_write(canvas, y, &pen);
	}
	bw_grid_text(&grid, &text);
	bw_grid_free(&grid);
	return bw_text_take(&text);
}

static void expect(const struct bw_canvas *canvas, bool ascii, const char *expected)
{
	char *text = drawn(canvas, ascii);
	assert_string_equal(text, expected);
	free(text);
}

static void outlines_join(void **state)
{
	struct bw_canvas canvas = bw_canvas_new(8, 4, *state);
	bw_canvas_box(&canvas, (struct bw_rect){0, 0, 5, 3}, BW_STYLE_NORMAL);
	bw_canvas_box(&canvas, (struct bw_rect){4, 0, 4, 4}, BW_STYLE_NORMAL);
	bw_canvas_text(&canvas, 1, 1, 4, BW_STYLE_NORMAL, "abcd");
	expect(&canvas, false, "┌───┬──┐\n│abc│  │\n└───┤  │\n    └──┘\n");
	expect(&canvas, true, "+---+--+\n|abc|  |\n+---+  |\n    +--+\n");
	bw_canvas_down(&canvas, 2, 0, 2, BW_STYLE_NORMAL);
	expect(&canvas, false, "┌─┬─┬──┐\n│a│c│  │\n└─┴─┤  │\n    └──┘\n");
}

static void shades_are_told_apart(void **state)
{
	struct bw_canvas canvas = bw_canvas_new(5, 1, *state);
	for (int shade = 0; shade < BW_N_SHADES; shade++)
		bw_canvas_shade(&canvas, (struct bw_rect){shade - 1, 0, 1, 9}, BW_STYLE_NORMAL, (enum bw_shade)shade);
	bw_canvas_put(&canvas, 4, 0, BW_STYLE_NORMAL, '.');
	expect(&canvas, false, "░▒▓█.\n");
	expect(&canvas, true, ".:%#.\n");
}

static void dots_are_braille(void **state)
{
	struct bw_canvas canvas = bw_canvas_new(3, 2, *state);
	/* All eight dots of the first cell; one of the second, over which text goes; none over text. */
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 2; x++)
			bw_canvas_dot(&canvas, x, y, BW_STYLE_NORMAL);
	bw_canvas_dot(&canvas, 2, 0, BW_STYLE_NORMAL);
	bw_canvas_put(&canvas, 2, 0, BW_STYLE_NORMAL, 'x');
	bw_canvas_dot(&canvas, 4, 1, BW_STYLE_NORMAL);
	bw_canvas_dot(&canvas, 0, 7, BW_STYLE_NORMAL);
	expect(&canvas, false, "⣿⠁x\n⡀\n");
	expect(&canvas, true, "#'x\n.\n");
}

static void lines_have_both_ends(void **state)
{
	struct bw_canvas canvas = bw_canvas_new(2, 1, *state);
	bw_canvas_line(&canvas, 0, 3, 3, 0, BW_STYLE_NORMAL);
	expect(&canvas, false, "⡠⠊\n");
	struct bw_canvas flat = bw_canvas_new(2, 1, *state);
	bw_canvas_line(&flat, 3, 0, 0, 0, BW_STYLE_NORMAL);
	expect(&flat, false, "⠉⠉\n");
}

static void nothing_is_drawn_outside(void **state)
{
	struct bw_canvas canvas = bw_canvas_new(2, 2, *state);
	bw_canvas_box(&canvas, (struct bw_rect){-3, -3, 12, 12}, BW_STYLE_NORMAL);
	bw_canvas_line(&canvas, -5, -5, -1, 40, BW_STYLE_NORMAL);
	bw_canvas_text(&canvas, 2, 0, 9, BW_STYLE_NORMAL, "text");
	bw_canvas_dot(&canvas, 4, 0, BW_STYLE_NORMAL);
	bw_canvas_dot(&canvas, 0, 8, BW_STYLE_NORMAL);
	expect(&canvas, false, "\n\n");
	struct bw_canvas none = bw_canvas_new(-1, 3, *state);
	bw_canvas_put(&none, 0, 0, BW_STYLE_NORMAL, 'x');
	assert_int_equal(none.columns, 0);
}

static int open_arena(void **state)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	*state = bw_arena_new();
	return 0;
}

static int close_arena(void **state)
{
	bw_arena_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outlines_join),
		cmocka_unit_test(shades_are_told_apart),
		cmocka_unit_test(dots_are_braille),
		cmocka_unit_test(lines_have_both_ends),
		cmocka_unit_test(nothing_is_drawn_outside),
	};
	return cmocka_run_group_tests_name("canvas", tests, open_arena, close_arena);
}
