/* What a block of a kernel needs, on harris with a schedule written by hand: output in blocks of 32x32 points, which need 34x34 of the
 * derivatives Ix and Iy (sums of 3x3) and 36x36 of Y (derivatives of 3x3). */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "figures/rooflines.h"
#include "figures/tile.h"
#include "schedule/schedule.h"
#include "session/advice.h"
#include "session/alternatives.h"
#include "session/call.h"
#include "session/lens.h"
#include "session/explain.h"
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

/* A block of 64x16 in place of 32x32: 68x20 points of Y are read, and 66x18 of each derivative computed, of 1534x2558 that are needed for
 * 1532x2556 of output. Its cost,
 * occupancy and bytes are those of the schedule that has it, in the models that other views show. */
static void a_block_with_moved_edges(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	struct bw_text line = {0};
	struct bw_error error;
	free(session_do(session, schedule));
	free(session_do(session, "run end"));
	session_refuses(session, "lens wider", &error);
	free(session_do(session, "select func Ix"));
	char *said = session_do(session, "lens 64x16");
	const struct bw_lens *lens = bw_session_lens(session);
	assert_non_null(strstr(said, "block of output 64x16, was 32x32: cost "));
	assert_true(lens->moved.loaded == 68 * 20 * 4 && lens->now.loaded == 36 * 36 * 4);
	double all = 1532.0 * 2556, needed = all + 2 * 1534.0 * 2558, computed = all + 2 * 3840.0 * 66 * 18;
	assert_true(fabs(lens->moved.recompute - (computed / needed - 1)) < 1e-9);
	struct bw_lens_side moved = lens->moved;
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	bw_plan_sizes(session->pipeline, moved.placement, serial, threads);
	assert_true(serial[0] * threads[0] == 64 && serial[1] * threads[1] == 16);
	bw_text_printf(&line, "apply {output root %dx%d/%dx%d |%s", (int)serial[0], (int)serial[1], (int)threads[0], (int)threads[1], strchr(schedule, '|') + 1);
	free(session_do(session, "view tile"));
	free(said);
	said = session_do(session, "view --json tile");
	json_t *json = json_loads(said, 0, NULL);
	assert_true(json_real_value(json_object_get(json_array_get(json_object_get(json, "funcs"), 0), "points")) == 64 * 16);
	json_decref(json);
	free(said);
	free(session_do(session, bw_text_get(&line)));
	assert_null(bw_session_lens(session));
	free(session_do(session, "run end"));
	assert_true(fabs(bw_session_state(session)->cost / moved.cost - 1) < 1e-9);
	struct bw_rooflines rooflines = bw_rooflines_of(bw_session_state(session)->nest, session->options.device, session->options.model, NULL, arena);
	const struct bw_roofline_kernel *kernel = rooflines.kernels;
	while (strcmp(session->pipeline->funcs[kernel->func].name, "output"))
		kernel++;
	assert_true(kernel->occupancy.occupancy == moved.occupancy.occupancy && kernel->occupancy.limiter == moved.occupancy.limiter);
	assert_true(fabs(kernel->bytes[BW_ROOF_L2] - all * 4 - moved.loaded * moved.n_blocks) < 1);
	/* What cannot be has its rule. */
	free(session_do(session, "select func Ix"));
	said = session_do(session, "lens 256x128");
	assert_non_null(strstr(said, "cannot be: "));
	assert_non_null(strstr(said, "limit "));
	session_refuses(session, "lens 64x", &error);
	session_refuses(session, "lens 1x2x3", &error);
	free(said);
	said = session_do(session, "lens off");
	assert_null(bw_session_lens(session));
	free(said);
	bw_text_free(&line);
	bw_arena_free(arena);
	session_close(session);
}

/* Nothing is told of what is not placed; other views have no picture. */
static void no_tile_without_a_placement(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_error error;
	free(session_do(session, "run Ix.where"));
	free(session_do(session, "select func Ix"));
	session_refuses(session, "view --json tile", &error);
	assert_string_equal(error.text, "no Func is selected that is placed; `select FUNC` selects one");
	session_refuses(session, "view --json beam", &error);
	session_close(session);
}

/* Steps of the occupancy worked out by hand for the A100 (64 warps, 32 blocks, 65,536 registers and 164 KiB of shared memory an SM); the
 * kernels of harris under their ceilings. */

static void steps_of_the_occupancy(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	const struct bw_device *device = session->options.device;
	static const struct {
		struct bw_block_needs needs;
		struct bw_occupancy_step threads, registers, shared;
	} cases[] = {
		/* 32 blocks of 1 warp are 32 of 64 warps; of 2 warps all 64. */
		{{32, 0, 0}, {64, 1}, {-1, 0}, {-1, 0}},
		/* 2 blocks of 32 warps. */
		{{1024, 0, 0}, {-1, 0}, {-1, 0}, {-1, 0}},
		/* 4 blocks of 13 warps are 52; of 14 warps 56. */
		{{396, 0, 0}, {448, 56.0 / 64}, {-1, 0}, {-1, 0}},
		/* A warp takes 40 x 32 = 1,280 registers: 12 warps in each of 4 parts, 48 in all; from 32 registers on 16. No block holds more with 40. */
		{{128, 40, 0}, {-1, 0}, {32, 1}, {-1, 0}},
		/* 40,000 B and 1,024 reserved are 41,088 B in units of 128: 4 blocks of 4 warps. 5 blocks have 33,587 B, 33,536 in units: 32,512. */
		{{128, 0, 40000}, {160, 20.0 / 64}, {-1, 0}, {32512, 20.0 / 64}},
	};
	assert_string_equal(device->name, "A100");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_occupancy_step steps[] = {bw_step_threads(device, &cases[i].needs), bw_step_registers(device, &cases[i].needs), bw_step_shared(device, &cases[i].needs)};
		const struct bw_occupancy_step *expected[] = {&cases[i].threads, &cases[i].registers, &cases[i].shared};
		for (int s = 0; s < 3; s++) {
			assert_int_equal(steps[s].value, expected[s]->value);
			assert_true(steps[s].occupancy == expected[s]->occupancy);
		}
	}
	session_close(session);
}

static void kernels_under_their_ceilings(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	free(session_do(session, "apply {output root 1x4/32x8 | trace inline | det inline | Sxx inline | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | Ix at output.block 1x2 | Iy at output.block 1x2 | Y root 1x4/32x8 | input_im inline}"));
	free(session_do(session, "run end"));
	const struct bw_cost *cost = bw_session_cost(session);
	struct bw_rooflines all = bw_rooflines_of(bw_session_state(session)->nest, session->options.device, session->options.model, NULL, arena);
	assert_int_equal(all.n, 2);
	assert_string_equal(session->pipeline->funcs[all.kernels[0].func].name, "output");
	double ms = 0, share = 0;
	for (int k = 0; k < all.n; k++) {
		const struct bw_roofline_kernel *kernel = &all.kernels[k];
		ms += kernel->ms;
		share += kernel->share;
		assert_true(fabs(kernel->rate * kernel->ms * 1e-3 / kernel->operations - 1) < 1e-9);
		assert_true(kernel->rate <= kernel->ceiling && kernel->ceiling <= session->options.device->float_rate);
		assert_int_equal(kernel->needs.threads, k ? 256 : 34 * 17);
	}
	assert_true(fabs(ms / cost->total - 1) < 1e-12 && fabs(share - 1) < 1e-12);
	/* Y: three colours of a byte make a float, all of 1536x2560 points, which the L2 of 40 MB then has. output: blocks of 32x32, of which 3,840
	 * read 36x36 points of Y. */
	const struct bw_stage_cost *y = &cost->stages[session->pipeline->funcs[all.kernels[1].func].first_stage];
	assert_true(all.kernels[1].operations == y->points * y->operations);
	assert_true(all.kernels[1].bytes[BW_ROOF_DRAM] == 1536.0 * 2560 * 3);
	assert_true(all.kernels[1].bytes[BW_ROOF_L2] == 1536.0 * 2560 * (3 + 4));
	const struct bw_placed *output = bw_session_state(session)->nest->placed[all.kernels[0].func];
	assert_true(all.kernels[0].bytes[BW_ROOF_DRAM] == output->bytes);
	assert_true(all.kernels[0].bytes[BW_ROOF_L2] == output->bytes + 3840.0 * 36 * 36 * 4);
	char *text = session_do(session, "view --json roofline");
	json_t *json = json_loads(text, 0, NULL), *kernels = json_object_get(json, "kernels");
	assert_int_equal(json_array_size(kernels), 2);
	for (size_t k = 0; k < 2; k++) {
		assert_true(json_real_value(json_object_get(json_array_get(kernels, k), "ms")) == all.kernels[k].ms);
		assert_true(json_real_value(json_object_get(json_array_get(kernels, k), "dram_bytes")) == all.kernels[k].bytes[BW_ROOF_DRAM]);
		assert_true(json_real_value(json_object_get(json_array_get(kernels, k), "occupancy")) == all.kernels[k].occupancy.occupancy);
	}
	json_decref(json);
	free(text);
	bw_arena_free(arena);
	session_close(session);
}

/* Of output's 3 loads of the inlined blur_x, which lie below one another, each computes a point of it again: 3 times 6400x4800 points where 4802 rows
 * are needed. What binds the kernel names it, and `why` lists the terms of output from the greatest to the least, with blur_x's part. */
static void what_binds_names_what_is_inlined(void **state)
{
	struct bw_session *session = session_open_on("blur", 4);
	struct bw_arena *arena = bw_arena_new();
	struct bw_text cause = {0};
	free(session_do(session, "apply {output root 1x1/32x8 | blur_x inline}"));
	free(session_do(session, "run end"));
	struct bw_rooflines all = bw_rooflines_of(bw_session_state(session)->nest, session->options.device, session->options.model, NULL, arena);
	struct bw_roofline_kernel *kernel = all.kernels;
	assert_int_equal(all.n, 1);
	assert_string_equal(session->pipeline->funcs[kernel->inlined].name, "blur_x");
	assert_true(fabs(kernel->inlined_again - 3 * 4800 / 4802.0) < 1e-9);
	while (strcmp(all.model->terms[kernel->bound].key, "arithmetic_ms"))
		kernel->bound = (kernel->bound + 1) % all.model->n_terms;
	bw_roofline_cause(session->pipeline, &all, kernel, &cause);
	assert_non_null(strstr(bw_text_get(&cause), " of its time; blur_x, inlined, takes "));
	assert_non_null(strstr(bw_text_get(&cause), " of its time, computed 3.00x"));
	assert_int_equal(bw_roofline_again(&all, kernel), kernel->inlined);
	kernel->inlined_again = 1.05;
	bw_text_clear(&cause);
	bw_roofline_cause(session->pipeline, &all, kernel, &cause);
	assert_null(strstr(bw_text_get(&cause), "inlined"));
	assert_int_equal(bw_roofline_again(&all, kernel), -1);
	char *said = session_do(session, "why output");
	assert_non_null(strstr(said, " in blur_x, inlined: 3 calls a point, computed 3.00x\n"));
	double before = INFINITY, term;
	char *at = strstr(said, " of all: ");
	for (int n; sscanf(at, "%*[^0-9]%lf ms%n", &term, &n) == 1 && at < strstr(said, "\n  bound by"); at += n, before = term)
		assert_true(term <= before);
	assert_true(before < INFINITY);
	free(said);
	bw_text_free(&cause);
	bw_arena_free(arena);
	session_close(session);
}

static struct bw_rooflines kernels_of(struct bw_session *session, struct bw_arena *arena)
{
	return bw_rooflines_of(bw_session_state(session)->nest, session->options.device, session->options.model, NULL, arena);
}

/* Advice is the cheapest change of a Func in the kernel: the schedule with it costs what the advice says, and less than before. Where all is polished
 * there is none; what it costs to store an inlined Func is what the cheapest row of `view override` says. */
static void advice_is_priced(void **state)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_text words = {0}, line = {0};
	int n, compared = 0;
	free(session_do(session, schedule));
	free(session_do(session, "run end"));
	double before = bw_session_state(session)->cost;
	struct bw_rooflines all = kernels_of(session, arena);
	assert_null(bw_advice_of(session, all.kernels));
	bw_session_trials_all(session);
	const struct bw_trials *advice = bw_advice_of(session, all.kernels);
	bw_advice_words(session, &all, all.kernels, &words);
	assert_true(advice && advice->cost < before);
	assert_int_equal(strncmp(bw_text_get(&words), "to try: ", 8), 0);
	double cost = advice->cost;
	BW_SCOPED_SCHEDULE *changed = bw_nest_schedule(bw_session_state(session)->nest);
	bw_schedule_set(changed, advice->best);
	bw_text_puts(&line, "apply ");
	bw_schedule_print_line(session->pipeline, changed, &line);
	free(session_do(session, bw_text_get(&line)));
	free(session_do(session, "run end"));
	assert_true(fabs(bw_session_state(session)->cost / cost - 1) < 1e-9);
	session_close(session);
	session = session_open_on("harris", 32);
	free(session_do(session, "run end"));
	all = kernels_of(session, arena);
	bw_session_trials_all(session);
	for (int f = 0; f < session->pipeline->n_funcs; f++) {
		const struct bw_trials *trial = &bw_session_trials(session)[f];
		double least = INFINITY;
		if (!bw_is_inlined(bw_session_state(session)->nest, f))
			continue;
		session->selection.func = f;
		bw_session_alternatives_all(session);
		const struct bw_alternative *list = bw_session_alternatives(session, &n);
		for (int i = 1; i < n; i++)
			if (list[i].override == BW_OVERRIDE_SITE && list[i].cost > 0)
				least = fmin(least, list[i].cost);
		assert_true(trial->known && (trial->stored ? trial->stored_cost == least : least == INFINITY));
		compared += trial->stored != NULL;
	}
	assert_true(compared > 2);
	for (int k = 0; k < all.n; k++) {
		assert_null(bw_advice_of(session, &all.kernels[k]));
		bw_text_clear(&words);
		bw_advice_words(session, &all, &all.kernels[k], &words);
		assert_non_null(strstr(bw_text_get(&words), "nothing cheaper was found in "));
	}
	bw_text_free(&words);
	bw_text_free(&line);
	bw_arena_free(arena);
	session_close(session);
}

/* The nest, the roofline, the costs and the report in JSON say the same of a kernel under the model that steers: its occupancy, with the
 * registers that the model estimates, and its share. */
static void views_agree(void **state)
{
	static const char *const pipelines[] = {"harris", "local_laplacian", "unsharp", "camera_pipe", "mat_mul", "bilateral_grid"};
	for (size_t p = 0; p < sizeof pipelines / sizeof *pipelines; p++) {
		struct bw_session *session = session_open_on(pipelines[p], 4);
		struct bw_arena *arena = bw_arena_new();
		free(session_do(session, "set cost_model=latency"));
		free(session_do(session, "run end"));
		const struct bw_nest *nest = bw_session_state(session)->nest;
		const struct bw_cost *cost = bw_session_cost(session);
		struct bw_rooflines all = bw_rooflines_of(nest, session->options.device, session->options.model, NULL, arena);
		int n;
		const struct bw_kernel_facts *facts = bw_kernel_facts(nest, session->options.device, NULL, cost, arena, &n);
		double ms = 0;
		assert_int_equal(all.n, n);
		assert_ptr_equal(all.model, session->options.model);
		for (int k = 0; k < n; k++) {
			const struct bw_roofline_kernel *kernel = &all.kernels[k];
			const struct bw_kernel_facts *of = facts;
			while (of->kernel.func != kernel->func || of->kernel.stage != kernel->stage)
				of++;
			const struct bw_stage_cost *stage = &cost->stages[session->pipeline->funcs[kernel->func].first_stage + kernel->stage];
			ms += kernel->ms;
			assert_true(stage->registers > 0 && kernel->needs.registers == stage->registers && of->registers == stage->registers);
			assert_true(kernel->occupancy.occupancy == of->occupancy.occupancy && kernel->occupancy.limiter == of->occupancy.limiter);
			/* A grid of fewer blocks than fit at once does not achieve it. */
			assert_true(stage->waves >= 1 ? fabs(kernel->occupancy.occupancy - stage->occupancy) < 1e-9 : kernel->occupancy.occupancy >= stage->occupancy);
			assert_true(kernel->rate <= kernel->ceiling * (1 + 1e-9));
		}
		assert_true(fabs(ms / cost->total - 1) < 1e-9);
		bw_arena_free(arena);
		session_close(session);
	}
}

/* On a screen the regrets are found in the background, without a word, between the keys. */
static void told(const char *line, bool good, const struct bw_text *out, void *data)
{
}

static void regrets_are_found_beside(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	bw_session_set_deferred_done(session, told, NULL, 0);
	struct bw_text jobs = {0};
	assert_true(bw_session_run(session, "run end", NULL, NULL));
	assert_true(bw_session_run(session, "jobs", &jobs, NULL));
	assert_non_null(strstr(bw_text_get(&jobs), "run: decision 0 of 26"));
	int n, all, turns = 0;
	while (bw_session_under_way(session)) {
		bw_session_work(session, 0.005);
		turns++;
		assert_false(bw_regrets_sought(session));
	}
	bw_text_clear(&jobs);
	assert_true(bw_session_run(session, "jobs", &jobs, NULL));
	assert_string_equal(bw_text_get(&jobs), "nothing is under way\n");
	bw_text_free(&jobs);
	assert_true(turns > 3 && bw_regrets_progress(session, &all) == all && all > 0);
	assert_true(bw_regrets(session, &n) && n > 3 && !strstr(session->message, "decided at"));
	session_close(session);
}

/* A runner-up that ends below the best is said first, and taking it ends at what was said or below; where none does, that is said. */
static void a_better_runner_up_is_taken(void **state)
{
	struct bw_session *session = session_open_on("camera_pipe", 32);
	struct bw_text words = {0};
	int n;
	free(session_do(session, "set cost_model=latency"));
	free(session_do(session, "run end"));
	bw_regrets_finish(session, INT_MAX);
	const struct bw_regret *list = bw_regrets(session, &n);
	double best = bw_session_state(session)->cost, least = best;
	for (int i = 0; i < n; i++)
		least = list[i].cost > 0 ? fmin(least, list[i].cost) : least;
	assert_true(least < 0.9 * best && bw_regret_better(session));
	bw_decided_words(session, &words);
	assert_int_equal(strncmp(strstr(bw_text_get(&words), ": its runner-up"), ": its runner-up ends at ", 24), 0);
	assert_true(fabs(atof(strstr(bw_text_get(&words), " ends at ") + 9) / least - 1) < 1e-3);
	assert_non_null(strstr(bw_text_get(&words), "below the best; `improve runner-up` takes it; decided at "));
	free(session_do(session, "improve runner-up"));
	free(session_do(session, "run end"));
	assert_true(bw_session_state(session)->cost <= least * (1 + 1e-9));
	bw_text_free(&words);
	session_close(session);

	struct bw_error error;
	session = session_open_on("blur", 32);
	free(session_do(session, "run end"));
	assert_false(bw_session_do(session, "improve runnerup", -1, NULL, &error));
	assert_non_null(strstr(error.text, "did you mean \"runner-up\"?"));
	assert_false(bw_session_do(session, "improve runner-up", -1, NULL, &error));
	assert_string_equal(error.text, "no runner-up ends below the best");
	free(session_do(session, "run 0"));
	assert_false(bw_session_do(session, "improve runner-up", -1, NULL, &error));
	session_close(session);
}

/* What a runner-up costs is the same if three are asked for, as the report does, and if all are, as the explorer
 * does; and none of the three costs less than any other one. */
static void regrets_are_the_same_for_all_who_ask(void **state)
{
	struct bw_session *three = session_open_on("harris", 8), *all = session_open_on("harris", 8);
	int n, n_all;
	free(session_do(three, "run end"));
	free(session_do(all, "run end"));
	bw_regrets_finish(three, 3);
	bw_regrets_finish(all, INT_MAX);
	BW_SCOPED_MEMORY struct bw_regret *few = bw_regrets_sorted(three, &n);
	BW_SCOPED_MEMORY struct bw_regret *sorted = bw_regrets_sorted(all, &n_all);
	assert_true(n >= 3 && n < n_all);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(few[i].decision, sorted[i].decision);
		assert_true(few[i].cost == sorted[i].cost && few[i].cost > bw_regret_best(three));
	}
	session_close(three);
	session_close(all);
}

/* `why search` of a script ends when the line is stopped, says so, and goes on when it is asked again. */
static void a_line_that_waits_is_stopped(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_text out = {0};
	int all, ends[2];
	assert_int_equal(pipe(ends), 0);
	free(session_do(session, "run end"));
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(bw_session_do(session, "why search", ends[0], &out, NULL));
	assert_true(bw_regrets_progress(session, &all) < all && !bw_regrets_go_on(session));
	assert_non_null(strstr(bw_text_get(&out), "looked at, stopped"));
	assert_null(strstr(bw_text_get(&out), "ask again"));
	free(session_do(session, "why search"));
	assert_true(bw_regrets_found(session, 10) && !bw_regrets_go_on(session));
	close(ends[0]);
	close(ends[1]);
	bw_text_free(&out);
	session_close(session);
}

/* Returns the cost at the end with the entries of a line held, and no others. */
static double cost_with(const char *entries)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_text line = {0};
	bw_text_printf(&line, "apply %s", entries);
	if (*entries)
		free(session_do(session, bw_text_get(&line)));
	free(session_do(session, "run end"));
	double cost = bw_session_state(session)->cost;
	bw_text_free(&line);
	session_close(session);
	return cost;
}

/* Of a schedule with two Funcs held otherwise than the search would have them: those that `minimal` names give its cost, and without any one
 * of them it costs something else. Stopped at once, it knows that all suffice, or nothing. */
static void the_fewest_funcs(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	free(session_do(session, "freeze {Ix root 1x2/32x8 | det root}"));
	free(session_do(session, "run end"));
	double cost = bw_session_state(session)->cost;
	free(session_do(session, "minimal"));
	char *said = bw_strdup(session->message), *line = strstr(said, "apply {");
	assert_non_null(line);
	line[strcspn(line, "\n")] = 0;
	line += strlen("apply ");
	assert_true(cost_with(line) == cost && cost_with("") != cost);
	int n = 1;
	for (const char *at = line; (at = strchr(at, '|')); at++)
		n++;
	assert_true(n <= 6);
	for (int without = 0; without < n; without++) {
		struct bw_text rest = {0};
		char *copy = bw_strdup(line + 1), *at = copy, *entry;
		copy[strlen(copy) - 1] = 0;
		for (int i = 0; (entry = strsep(&at, "|")); i++)
			if (i != without)
				bw_text_printf(&rest, "%s%s", rest.length ? "|" : "{", entry);
		bw_text_puts(&rest, rest.length ? "}" : "");
		assert_true(cost_with(bw_text_get(&rest)) != cost);
		bw_text_free(&rest);
		free(copy);
	}
	free(said);
	said = session_do(session, "minimal");
	assert_non_null(strstr(said, "beamwalk-schedule 1"));
	assert_null(strstr(said, "finding"));
	assert_non_null(strstr(session->message, "the search ends in it"));
	free(said);
	session_close(session);
}

/* Returns the cost of the best state at the end of the search. */
static double best_cost(struct bw_session *session)
{
	free(session_do(session, "run end"));
	return bw_session_state(session)->cost;
}

/* A schedule is bettered change by change: each is a command, costs what its line says, and is taken back by itself, also after the session was
 * saved and loaded. What a person holds stays; what contradicts that, or was rejected, is refused. Beginning with the middle is the beginning. */
static void a_schedule_is_bettered(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_error error;
	char line[512], start[512];
	session_write("given", "beamwalk-schedule 1\noutput root 1x2/32x8\nIx root 1x1/32x8\nY root 1x1/32x8\n");
	snprintf(start, sizeof start, "improve %s", session_path("given"));
	snprintf(line, sizeof line, "%s 2 changes", start);
	free(session_do(session, "run end"));
	free(session_do(session, "freeze Y root 1x1/32x8"));
	char *said = session_do(session, line);
	assert_non_null(strstr(said, "by 2 changes, and there are more"));
	assert_non_null(strstr(said, "kept: Y, frozen by hand"));
	assert_non_null(strstr(said, ": unfreeze Y"));
	free(said);
	assert_int_equal(session->n_journal, 4);
	double two = best_cost(session);
	free(session_do(session, "undo"));
	assert_int_equal(session->cursor, bw_search_n_decisions(session->search));
	double one = best_cost(session);
	free(session_do(session, "undo"));
	double none = best_cost(session);
	assert_true(two < one && one < none);
	free(session_do(session, "redo"));
	assert_true(best_cost(session) == one);
	free(session_do(session, "assert Y root 1x1/32x8"));
	snprintf(line, sizeof line, "save %s", session_path("better"));
	free(session_do(session, line));
	/* From all Funcs held, as they are now: nothing is left to change but what improve holds itself. */
	said = session_do(session, "improve best");
	double all = best_cost(session);
	assert_true(all < one && strstr(said, "kept: Y, frozen by hand"));
	free(said);
	free(session_do(session, "improve best"));
	assert_non_null(strstr(session->message, "and no change costs less"));
	said = session_do(session, "whatif improve best");
	assert_non_null(strstr(session->message, "improve best"));
	assert_true(best_cost(session) == all);
	free(said);
	free(session_do(session, "freeze Ix inline"));
	session_refuses(session, start, &error);
	assert_non_null(strstr(error.text, "has \"Ix root 1x1/32x8\", and \"Ix inline\" is frozen by hand: `unfreeze Ix`"));
	free(session_do(session, "unfreeze Ix"));
	free(session_do(session, "reject Ix root 1x1/32x8"));
	session_refuses(session, start, &error);
	assert_non_null(strstr(error.text, "is rejected by hand"));
	session_refuses(session, "improve hand", &error);
	session_refuses(session, "improve best free nobody", &error);
	session_refuses(session, "improve best 0 changes", &error);
	session_refuses(session, "improve {Ix root", &error);
	session_close(session);
	session = session_open_on("harris", 4);
	snprintf(line, sizeof line, "load %s", session_path("better"));
	free(session_do(session, line));
	assert_true(best_cost(session) == one);
	free(session_do(session, "undo"));
	assert_true(best_cost(session) == none);
	free(session_do(session, "undo"));
	free(session_do(session, "pin Ix root 1x1/32x8"));
	said = session_do(session, start);
	assert_non_null(strstr(said, "kept: Ix, pinned by hand"));
	assert_non_null(strstr(said, "kept: Y, frozen by hand"));
	free(said);
	session_close(session);
}

/* On a screen it goes on beside, is told of, and is stopped with nothing changed. */
static void a_schedule_is_bettered_beside(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_text words = {0};
	free(session_do(session, "run end"));
	bw_session_set_deferred_done(session, told, NULL, 0);
	free(session_do(session, "freeze Ix root 1x1/32x8"));
	session_settle(session);
	int before = session->n_journal;
	assert_true(bw_session_run(session, "improve best", NULL, NULL));
	assert_true(bw_session_jobs(session, &words) > 0 && strstr(bw_text_get(&words), "improve: placing state 1"));
	bw_session_stop(session);
	assert_int_equal(session->n_journal, before);
	assert_non_null(strstr(session->message, "stopped; nothing was changed"));
	assert_true(bw_session_run(session, "improve best", NULL, NULL));
	session_settle(session);
	assert_true(session->n_journal > before);
	bw_text_free(&words);
	session_close(session);
}

/* A bookmark leads back to its point of the history, decision, state and Func, also after that was undone and replaced, and in a session that
 * was saved and loaded. */
static void bookmarks_lead_back(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_error error;
	char line[512];
	free(session_do(session, "freeze Ix root"));
	free(session_do(session, "run Y.where"));
	free(session_do(session, "select state 2"));
	free(session_do(session, "select Iy"));
	uint64_t hash = bw_session_state(session)->hash;
	int cursor = session->cursor, func = session->selection.func;
	session_refuses(session, "bookmark 7", &error);
	session_refuses(session, "bookmark two words", &error);
	session_refuses(session, "jump there", &error);
	free(session_do(session, "bookmark there"));
	free(session_do(session, "undo"));
	free(session_do(session, "bookmark bare"));
	free(session_do(session, "freeze Iy inline"));
	free(session_do(session, "run end"));
	snprintf(line, sizeof line, "save %s", session_path("marked"));
	free(session_do(session, line));
	for (int loaded = 0; loaded < 2; loaded++) {
		free(session_do(session, "jump there"));
		assert_int_equal(session->cursor, cursor);
		assert_int_equal(session->selection.func, func);
		assert_true(bw_session_state(session)->hash == hash);
		free(session_do(session, "jump bare"));
		assert_int_equal(bw_search_constraints(session->search)->n, 0);
		char *list = session_do(session, "bookmark");
		assert_true(strstr(list, "there ") && strstr(list, "after freeze Ix root") && strstr(list, "bare "));
		free(list);
		if (loaded)
			break;
		session_close(session);
		session = session_open_on("harris", 4);
		snprintf(line, sizeof line, "load %s", session_path("marked"));
		free(session_do(session, line));
	}
	free(session_do(session, "bookmark drop there"));
	session_refuses(session, "bookmark drop there", &error);
	session_refuses(session, "jump there", &error);
	session_close(session);
}

/* A script that a screen runs keeps its keys waiting no longer than its own lines take. */
static void a_script_does_not_wait_for_regrets(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	int all;
	bw_session_set_deferred_done(session, told, NULL, 0);
	assert_true(bw_session_do(session, "run end", -1, NULL, NULL));
	assert_true(bw_session_under_way(session) && !bw_session_busy(session));
	assert_true(bw_regrets_progress(session, &all) < all);
	struct bw_text words = {0};
	assert_int_equal(bw_session_jobs(session, &words), 1);
	bw_session_stop(session);
	bw_session_stop(session);
	assert_int_equal(bw_session_jobs(session, &words), 0);
	bw_decided_words(session, &words);
	assert_true(strstr(bw_text_get(&words), " looked at, stopped"));
	bw_text_free(&words);
	free(session_do(session, "why search"));
	assert_true(bw_regrets_progress(session, &all) == all && strstr(session->message, "decided at"));
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_of_harris), cmocka_unit_test(a_tile_is_written_as_json),
		cmocka_unit_test(a_tile_with_an_alternative), cmocka_unit_test(a_block_with_moved_edges),
		cmocka_unit_test(no_tile_without_a_placement), cmocka_unit_test(steps_of_the_occupancy),
		cmocka_unit_test(kernels_under_their_ceilings), cmocka_unit_test(what_binds_names_what_is_inlined), cmocka_unit_test(advice_is_priced), cmocka_unit_test(views_agree),
		cmocka_unit_test(regrets_are_found_beside), cmocka_unit_test(a_script_does_not_wait_for_regrets), cmocka_unit_test(regrets_are_the_same_for_all_who_ask), cmocka_unit_test(a_better_runner_up_is_taken),
		cmocka_unit_test(a_line_that_waits_is_stopped), cmocka_unit_test(the_fewest_funcs), cmocka_unit_test(a_schedule_is_bettered), cmocka_unit_test(a_schedule_is_bettered_beside), cmocka_unit_test(bookmarks_lead_back),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
