/* What is drawn on a canvas: outlines that join, shades, dots of braille, lines; that nothing is drawn outside, and ASCII stands in. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "figures/graph.h"
#include "ui/picture.h"

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
	bw_canvas_line(&canvas, 0, 3, 3, 0, BW_STYLE_NORMAL, false);
	expect(&canvas, false, "⡠⠊\n");
	struct bw_canvas flat = bw_canvas_new(2, 1, *state);
	bw_canvas_line(&flat, 3, 0, 0, 0, BW_STYLE_NORMAL, false);
	expect(&flat, false, "⠉⠉\n");
}

static void nothing_is_drawn_outside(void **state)
{
	struct bw_canvas canvas = bw_canvas_new(2, 2, *state);
	bw_canvas_box(&canvas, (struct bw_rect){-3, -3, 12, 12}, BW_STYLE_NORMAL);
	bw_canvas_line(&canvas, -5, -5, -1, 40, BW_STYLE_NORMAL, false);
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

/* Layered layouts: each node below all that lead to it, no two on the same cells, edges between their ends; of graphs at random, too. */

enum { MOST = 40 };

struct graph {
	struct bw_layered layered;
	struct bw_layered_node nodes[MOST];
	struct bw_layered_edge edges[MOST * MOST];
};

static void begin(struct graph *graph, int n)
{
	*graph = (struct graph){.layered = {.n = n, .gap_x = 2, .gap_y = 1}};
	graph->layered.nodes = graph->nodes;
	graph->layered.edges = graph->edges;
	for (int i = 0; i < n; i++)
		graph->nodes[i] = (struct bw_layered_node){.columns = 3 + i % 5, .rows = 1 + i % 3};
}

static void add(struct graph *graph, int from, int to)
{
	graph->edges[graph->layered.n_edges++] = (struct bw_layered_edge){.from = from, .to = to};
}

static void expect_laid(const struct graph *graph)
{
	const struct bw_layered *all = &graph->layered;
	for (int e = 0; e < all->n_edges; e++) {
		assert_true(graph->nodes[graph->edges[e].from].layer < graph->nodes[graph->edges[e].to].layer);
		assert_true(graph->nodes[graph->edges[e].from].y + graph->nodes[graph->edges[e].from].rows <= graph->nodes[graph->edges[e].to].y);
		for (int i = 0; i < graph->edges[e].n_bends; i++)
			assert_true(graph->edges[e].bends[i] >= 0 && graph->edges[e].bends[i] < all->columns);
	}
	for (int a = 0; a < all->n; a++) {
		const struct bw_layered_node *one = &graph->nodes[a];
		assert_true(one->x >= 0 && one->y >= 0 && one->x + one->columns <= all->columns && one->y + one->rows <= all->rows);
		for (int b = 0; b < a; b++) {
			const struct bw_layered_node *other = &graph->nodes[b];
			assert_true(one->y != other->y || one->x + one->columns + 2 <= other->x || other->x + other->columns + 2 <= one->x);
		}
	}
}

/* 0 leads to 1 and 2, these to 3, and 0 to 3: 3 is in layer 2, and the edge from 0 passes layer 1. */
static void a_diamond(void **state)
{
	struct graph graph;
	begin(&graph, 4);
	add(&graph, 0, 1);
	add(&graph, 0, 2);
	add(&graph, 1, 3);
	add(&graph, 2, 3);
	add(&graph, 0, 3);
	bw_layered_lay(&graph.layered, *state);
	expect_laid(&graph);
	assert_int_equal(graph.nodes[0].layer, 0);
	assert_int_equal(graph.nodes[1].layer, 1);
	assert_int_equal(graph.nodes[2].layer, 1);
	assert_int_equal(graph.nodes[3].layer, 2);
	assert_int_equal(graph.edges[4].n_bends, 1);
	assert_int_equal(graph.layered.n_layers, 3);
	/* Rows: 1 of node 0, 3 of node 2, 1 of node 3, and two gaps. */
	assert_int_equal(graph.layered.rows, 7);
}

/* What nothing leads to stands just above what it leads to. */
static void a_late_source(void **state)
{
	struct graph graph;
	begin(&graph, 4);
	add(&graph, 0, 1);
	add(&graph, 1, 2);
	add(&graph, 3, 2);
	bw_layered_lay(&graph.layered, *state);
	expect_laid(&graph);
	assert_int_equal(graph.nodes[3].layer, 1);
}

static void graphs_at_random(void **state)
{
	uint32_t seed = 7;
	for (int round = 0; round < 200; round++) {
		struct graph graph;
		begin(&graph, 1 + round % MOST);
		for (int a = 0; a < graph.layered.n; a++)
			for (int b = a + 1; b < graph.layered.n; b++)
				if ((seed = seed * 1664525 + 1013904223) >> 28 < 2)
					add(&graph, a, b);
		bw_layered_lay(&graph.layered, *state);
		expect_laid(&graph);
		bw_arena_reset(*state);
	}
}

/* A cycle ends, however it is laid out; so does nothing at all. */
static void a_cycle_ends(void **state)
{
	struct graph graph;
	begin(&graph, 3);
	add(&graph, 0, 1);
	add(&graph, 1, 2);
	add(&graph, 2, 0);
	bw_layered_lay(&graph.layered, *state);
	begin(&graph, 0);
	bw_layered_lay(&graph.layered, *state);
	assert_int_equal(graph.layered.rows, 0);
}

/* An axis has its labels beside and below; a name stands clear of both lines, and the dots go around a letter. */
static void a_picture_has_axes_and_names(void **state)
{
	struct bw_picture picture = {.arena = *state, .x = {.low = 0, .high = 10}, .y = {.low = 0, .high = 2, .up = true}};
	bw_picture_ticks(&picture, &picture.x, 2, bw_say_count);
	bw_picture_ticks(&picture, &picture.y, 2, bw_say_count);
	bw_picture_add(&picture, (struct bw_mark){.kind = BW_MARK_LINE, .at = {0, 1, 1, 0}, .text = "up"});
	bw_picture_add(&picture, (struct bw_mark){.kind = BW_MARK_LINE, .at = {0, 0.99, 1, 0.99}});
	bw_picture_add(&picture, (struct bw_mark){.kind = BW_MARK_DOT, .at = {0.5, 0.5}, .text = "A"});
	struct bw_canvas canvas = bw_canvas_new(18, 6, *state);
	bw_canvas_picture(&canvas, (struct bw_rect){0, 0, 18, 6}, &picture, 0, 0);
	expect(&canvas, false, "2┤             ⡠⠔⠊\n │         ⢀⡠⠔⠉\n1┤      ⢀⠤A⠁\n │ up ⠔⠊⠁\n0┤⣠⣔⣊⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀\n └0 ───── 5 ─── 10\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outlines_join), cmocka_unit_test(shades_are_told_apart),
		cmocka_unit_test(dots_are_braille), cmocka_unit_test(lines_have_both_ends),
		cmocka_unit_test(nothing_is_drawn_outside), cmocka_unit_test(a_diamond),
		cmocka_unit_test(a_late_source), cmocka_unit_test(graphs_at_random),
		cmocka_unit_test(a_cycle_ends), cmocka_unit_test(a_picture_has_axes_and_names),
	};
	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
