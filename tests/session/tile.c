/* What a block of a kernel needs, on harris with a schedule written by hand: output in blocks of 32x32 points, which need 34x34 of the
 * derivatives Ix and Iy (sums of 3x3) and 36x36 of Y (derivatives of 3x3). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figures/tile.h"
#include "session/alternatives.h"
#include "session_test.h"

static const char schedule[] = "apply {output root 1x4/32x8 | trace inline | det inline | Sxx inline | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | "
			       "Ix at output.block 1x2 | Iy at output.block 1x2 | Y root 1x4/32x8 | input_im inline}";

static const struct bw_tile_part *part_of(const struct bw_session *session, const struct bw_block_tile *tile, const char *name)
{
	for (int i = 0; i < tile->n; i++)
		if (!strcmp(session->pipeline->funcs[tile->parts[i].func].name, name))
			return &tile->parts[i];
	fail_msg("no %s in the tile", name);
	return NULL;
}

static void expect_part(const struct bw_session *session, const struct bw_block_tile *tile, const char *name, enum bw_tile_part_kind kind, int64_t size, int64_t step)
{
	const struct bw_tile_part *part = part_of(session, tile, name);
	assert_int_equal(part->kind, kind);
	assert_true(part->bounded);
	for (int d = 0; d < 2; d++) {
		assert_int_equal(part->region.box[d].max - part->region.box[d].min + 1, size);
		assert_int_equal(part->region.step[d], step);
	}
	assert_true(part->points == (double)(size * size));
	/* Of 34 points 2 are in common with each block beside: 30 x 30 of 34 x 34 are this block's alone. */
	double own = step < size ? (double)(2 * step - size) / (double)size : 1;
	assert_true(fabs(part->shared - (1 - own * own)) < 1e-12);
}

static void a_block_of_harris(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	struct bw_block_tile tile;
	free(session_do(session, schedule));
	free(session_do(session, "run end"));
	const struct bw_nest *nest = bw_session_state(session)->nest;
	assert_true(bw_tile_of(nest, bw_pipeline_find(session->pipeline, "Ix"), arena, &tile));
	assert_int_equal(tile.func, bw_pipeline_find(session->pipeline, "output"));
	assert_int_equal(tile.parts[tile.selected].func, bw_pipeline_find(session->pipeline, "Ix"));
	expect_part(session, &tile, "output", BW_TILE_HOST, 32, 32);
	expect_part(session, &tile, "Ix", BW_TILE_INSIDE, 34, 32);
	expect_part(session, &tile, "Iy", BW_TILE_INSIDE, 34, 32);
	expect_part(session, &tile, "Ixx", BW_TILE_INLINED, 34, 32);
	expect_part(session, &tile, "trace", BW_TILE_INLINED, 32, 32);
	expect_part(session, &tile, "Y", BW_TILE_READ, 36, 32);
	assert_int_equal(tile.n, 12);
	const struct bw_tile_part *ix = part_of(session, &tile, "Ix"), *y = part_of(session, &tile, "Y");
	assert_int_equal(ix->each[0], 1);
	assert_int_equal(ix->each[1], 2);
	assert_int_equal(ix->threads[0], 34);
	assert_int_equal(ix->threads[1], 17);
	assert_int_equal(ix->memory, BW_MEMORY_SHARED);
	assert_true(ix->bytes == 34 * 34 * 4 && y->bytes == 36 * 36 * 4);
	assert_true(ix->again == nest->placed[ix->func]->points / nest->placed[ix->func]->minimum_points && ix->again > 1.1 && ix->again < 1.2);
	/* The 3x3 sum of the products is written out where it is inlined: nine calls of each derivative a point. */
	assert_true(part_of(session, &tile, "Ixx")->calls == nest->placed[part_of(session, &tile, "Ixx")->func]->calls);
	/* The other kernel; and through an inlined Func to the kernel that has it. */
	assert_true(bw_tile_of(nest, bw_pipeline_find(session->pipeline, "input_im"), arena, &tile));
	assert_int_equal(tile.func, bw_pipeline_find(session->pipeline, "Y"));
	expect_part(session, &tile, "Y", BW_TILE_HOST, 32, 32);
	bw_arena_free(arena);
	session_close(session);
}

/* The figures as JSON are those of the tile. */
static void a_tile_is_written_as_json(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	struct bw_block_tile tile;
	free(session_do(session, schedule));
	free(session_do(session, "run end"));
	free(session_do(session, "select func Ix"));
	char *text = session_do(session, "view --json tile");
	json_t *json = json_loads(text, 0, NULL), *parts = json_object_get(json, "funcs");
	assert_true(bw_tile_of(bw_session_state(session)->nest, session->selection.func, arena, &tile));
	assert_int_equal(json_array_size(parts), tile.n);
	/* 34 x 17 threads for the derivatives, more than the 32 x 8 of output. */
	assert_int_equal(tile.n_threads, 34 * 17);
	assert_int_equal(json_integer_value(json_object_get(json, "threads_per_block")), tile.n_threads);
	for (int i = 0; i < tile.n; i++) {
		const json_t *part = json_array_get(parts, (size_t)i);
		assert_string_equal(json_string_value(json_object_get(part, "func")), session->pipeline->funcs[tile.parts[i].func].name);
		assert_true(json_real_value(json_object_get(part, "points")) == tile.parts[i].points);
		assert_true(json_real_value(json_object_get(part, "computed")) == tile.parts[i].again);
		assert_true(json_real_value(json_object_get(part, "bytes")) == tile.parts[i].bytes);
		assert_int_equal(json_array_size(json_object_get(part, "box")), tile.parts[i].region.n_dims);
	}
	json_decref(json);
	free(text);
	bw_arena_free(arena);
	session_close(session);
}

/* With another size of the selected Func the block is that of the changed schedule, also if a limit forbids it. */
static void a_tile_with_an_alternative(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	const struct bw_alternative *taken;
	struct bw_block_tile tile;
	free(session_do(session, schedule));
	free(session_do(session, "run end"));
	free(session_do(session, "select func output"));
	bw_session_alternatives_all(session);
	int n, func = session->selection.func, compared = 0, too_large = 0;
	const struct bw_alternative *list = bw_session_alternatives(session, &n);
	for (int i = 0; i < n; i++) {
		char line[64];
		snprintf(line, sizeof line, "select alternative %d", i);
		free(session_do(session, line));
		list = bw_session_alternatives(session, &n);
		struct bw_nest *nest = bw_session_alternative_nest(session, &taken);
		assert_true(taken == (i ? &list[i] : NULL) || (!taken && !(list[i].cost > 0)));
		too_large += taken && !(taken->cost > 0) && *taken->reason;
		assert_true(bw_tile_of(nest, func, arena, &tile));
		if (list[i].override == BW_OVERRIDE_THREAD && !strcmp(list[i].value, "16x8")) {
			/* 16 threads in x: blocks of 16x32 points, which need 18x34 of the derivatives. */
			assert_int_equal(part_of(session, &tile, "output")->region.step[0], 16);
			const struct bw_interval *box = part_of(session, &tile, "Ix")->region.box;
			assert_int_equal(box[0].max - box[0].min + 1, 18);
			assert_int_equal(box[1].max - box[1].min + 1, 34);
			compared++;
		}
		bw_nest_drop(nest);
	}
	assert_int_equal(compared, 1);
	assert_true(too_large > 0);
	bw_arena_free(arena);
	session_close(session);
}

/* Nothing is told of what is not placed; other views have no picture. */
static void no_tile_without_a_placement(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_error error;
	free(session_do(session, "run Ix.where"));
	free(session_do(session, "select func Ix"));
	session_refuses(session, "view --json tile", &error);
	assert_string_equal(error.text, "no Func is selected that is placed; `select FUNC` selects one");
	session_refuses(session, "view --json beam", &error);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_of_harris),
		cmocka_unit_test(a_tile_is_written_as_json),
		cmocka_unit_test(a_tile_with_an_alternative),
		cmocka_unit_test(no_tile_without_a_placement),
	};
	return cmocka_run_group_tests_name("tile", tests, session_group_open, session_group_close);
}
