/* The scheduler of Sioutas et al. 2020: bounds of tiles, the stages K, H, W and Z of section 3 step by step, costs worked out by hand, and
 * that it schedules every bundled pipeline. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "schedulers/sioutas.h"
#include "schedulers/walk.h"

/* The columns of its walk. */
enum { BENEFIT, COST, THREADS, FOOTPRINT, OCCUPANCY, ACTIVE, SMS, ARITHMETIC, MEMORY };

struct fixture {
	struct bw_device *devices;
	struct bw_settings options;
	struct bw_pipeline *pipeline;
	struct bw_walk *walk;
};

static struct fixture open_fixture(const char *name, const char *device, const struct bw_walk_mark *marks, int n)
{
	int n_devices;
	struct fixture fixture = {.devices = bundled_devices(&n_devices), .pipeline = bundled_pipeline(name)};
	fixture.options = bw_settings_default(bw_device_find(fixture.devices, n_devices, device));
	struct bw_error error = {0};
	fixture.walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_scheduler_find("sioutas", &error),
							     .pipeline = fixture.pipeline,
							     .options = &fixture.options,
							     .marks = marks,
							     .n_marks = n});
	if (bw_walk_work(fixture.walk, NULL, NULL, &error) != BW_WALK_DONE)
		fail_msg("%s: %s", name, error.text);
	return fixture;
}

static void close_fixture(struct fixture *fixture)
{
	bw_walk_drop(fixture->walk);
	bw_pipeline_free(fixture->pipeline);
	free(fixture->devices);
}

static const struct bw_walk_candidate *taken(const struct fixture *fixture, int step)
{
	const struct bw_walk_step *of = bw_walk_step(fixture->walk, step);
	assert_true(of->taken >= 0);
	return &of->candidates[of->taken];
}

static const struct bw_walk_candidate *named(const struct fixture *fixture, int step, const char *name)
{
	int found = bw_walk_find(fixture->walk, step, name, &(struct bw_error){0});
	assert_true(found >= 0);
	return &bw_walk_step(fixture->walk, step)->candidates[found];
}

/* Both equations of section 4.2. */
static void tile_bounds(void **state)
{
	static const struct {
		int64_t extent, least, most;
		int n_tiled;
	} table[] = {
		{1536, 8, 48, 2}, {2560, 8, 80, 2},   {1023, 8, 511, 2}, {1024, 8, 32, 2}, {1024, 8, 8, 1},
		{4096, 8, 32, 1}, {1023, 8, 511, 1}, {64, 8, 32, 3},    {63, 2, 31, 1},   {4, 2, 2, 1},
	};
	int64_t least, most;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		assert_true(sioutas_tile_bounds(table[i].extent, table[i].n_tiled, &least, &most));
		assert_int_equal(least, table[i].least);
		assert_int_equal(most, table[i].most);
	}
	assert_false(sioutas_tile_bounds(3, 1, &least, &most));
}

/* Powers of two while groups are merged, steps of two at the end; a block has 1,024 threads. */
static void tiles(void **state)
{
	struct fixture fixture = open_fixture("kwz", "RTX2080Ti", NULL, 0);
	struct bw_arena *arena = bw_arena_new();
	struct sioutas *sioutas = sioutas_new(fixture.pipeline, fixture.options.device, NULL);
	assert_non_null(sioutas);
	int n, output = bw_pipeline_find(fixture.pipeline, "output"), k = bw_pipeline_find(fixture.pipeline, "K"), steps = 0;
	const int64_t *few = sioutas_tiles(sioutas, output, false, arena, &n);
	assert_int_equal(n, 3 * 4 - 1); /* 32x64 is too large */
	for (int i = 0; i < n; i++)
		assert_true((few[2 * i] & (few[2 * i] - 1)) == 0 && few[2 * i] >= 8 && few[2 * i] <= 32 && few[2 * i + 1] <= 64);
	for (int x = 8; x <= 48; x += 2)
		for (int y = 8; y <= 80; y += 2)
			steps += x * y <= 1024;
	sioutas_tiles(sioutas, output, true, arena, &n);
	assert_int_equal(n, steps);
	/* The three channels of K are too few to be tiled. */
	assert_int_equal(sioutas_tiled(sioutas, k), 3);
	const int64_t *whole = sioutas_tiles(sioutas, k, false, arena, &n);
	assert_true(n == 11 && whole[2] == 3);
	bw_arena_free(arena);
	bw_grouping_end(sioutas);
	close_fixture(&fixture);
}

/* Section 3: H is inlined; K is not, in its figures, but the model would inline it, too, so it is forbidden here. K, W and Z become one kernel.
 * Z's tile of 32x12 makes a block of 32x16 threads, since W is needed at four more rows. K in W's threads leaves 32x16 values of W, 2,048
 * bytes, in shared memory; and 512 threads fill an SM (tests/cost/sioutas). */
static void section_3(void **state)
{
	static const struct bw_walk_mark marks[] = {{BW_WALK_FORBID, 0, "inline K"}, {BW_WALK_TAKE, 5, "tile 32x12"}};
	struct fixture fixture = open_fixture("kwz", "RTX2080Ti", marks, 2);
	static const char *const steps[] = {"inline input_im", "inline H", NULL, "merge W into output", "merge K into output", "tile 32x12", "nest K in W", NULL};
	assert_int_equal(bw_walk_steps(fixture.walk), sizeof steps / sizeof *steps);
	for (int s = 0; s < bw_walk_steps(fixture.walk); s++) {
		if (steps[s])
			assert_string_equal(taken(&fixture, s)->name, steps[s]);
		else
			assert_int_equal(bw_walk_step(fixture.walk, s)->taken, -1);
	}
	assert_string_equal(taken(&fixture, 1)->how, "read point by point");
	const double *tile = taken(&fixture, 5)->figures, *nested = taken(&fixture, 6)->figures;
	assert_true(tile[THREADS] == 512 && tile[FOOTPRINT] == 4 * 2048 && tile[SMS] == 68);
	assert_true(nested[THREADS] == 512 && nested[FOOTPRINT] == 2048 && nested[BENEFIT] > 0);
	assert_string_equal(named(&fixture, 7, "nest W in output")->refused, "neighbouring threads need the same values of it");
	assert_string_equal(bw_walk_step(fixture.walk, 6)->then, "{W K} in output, tile 32x12; inlined: H input_im; nested: K in W");
	struct bw_schedule *schedule = bw_walk_schedule(fixture.walk, 8);
	struct bw_text words = {0};
	bw_schedule_print(fixture.pipeline, schedule, &words);
	assert_non_null(strstr(bw_text_get(&words), "output root\n    block y, x; thread y 12, x 32\nW at output.block\n    thread y, x\nK at W.thread\n"));
	bw_text_free(&words);
	bw_schedule_drop(schedule);
	close_fixture(&fixture);
}

/* The two-pass blur of 6400x4800, 2 bytes a value, on the A100. A point has 8 operations and 3 loads. In a tile of 32x16 blur_x has 32x18 points, in
 * 18 warps, of which the registers of an SM (64 each) hold one block; the output has 16 warps, two blocks. A load from global memory is 200
 * operations over 32 consecutive ones. */
static void blur_by_hand(void **state)
{
	struct fixture fixture = open_fixture("blur", "A100", NULL, 0);
	int step = 0;
	while (strcmp(bw_walk_step(fixture.walk, step)->phase, "merge") != 0)
		step++;
	const struct bw_walk_candidate *merge = taken(&fixture, step);
	double tiles = 200 * 300, load = 200 / 32.0, alone = 200 * 601 * 256;
	double memory = tiles * (32 * 18 * 3 * load + 32 * 16 * 3),
	       arithmetic = tiles * (32 * 18 * 8 / (18 / 64.0 * 576) + 32 * 16 * 8 / (32 / 64.0 * 1024));
	assert_string_equal(merge->how, "tile 32x16");
	assert_float_equal(merge->figures[MEMORY], memory, 1);
	assert_float_equal(merge->figures[ARITHMETIC], arithmetic, 1);
	assert_float_equal(merge->figures[COST], memory + arithmetic, 1);
	assert_true(merge->figures[THREADS] == 32 * 18 && merge->figures[FOOTPRINT] == 32 * 18 * 2);
	assert_true(merge->figures[OCCUPANCY] == 18 / 64.0 && merge->figures[ACTIVE] == 576 && merge->figures[SMS] == 108);
	/* Apart, tiles of 32x8 cover both: 601 of them the rows of blur_x and 600 those of the output. Eight warps, four blocks. */
	double apart = (alone + 200 * 600 * 256) * (3 * load + 8 / (0.5 * 1024));
	assert_float_equal(merge->figures[BENEFIT], apart - memory - arithmetic, 1e3);
	close_fixture(&fixture);
}

/* The scheduler finds from the algorithm what the cost model finds in the nest. */
static void the_model_agrees(void **state)
{
	static const char *const names[] = {"kwz", "blur"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct fixture fixture = open_fixture(names[i], "RTX2080Ti", NULL, 0);
		int step = bw_walk_steps(fixture.walk) - 1;
		while (strcmp(bw_walk_step(fixture.walk, step)->phase, "tile") != 0)
			step--;
		struct bw_arena *arena = bw_arena_new();
		struct bw_schedule *schedule = bw_walk_schedule(fixture.walk, step + 1);
		struct bw_nest *nest = bw_schedule_nest(fixture.pipeline, schedule, NULL);
		double found = taken(&fixture, step)->figures[COST],
		       priced = bw_cost_of(&bw_sioutas_model, nest, fixture.options.device, arena).total;
		assert_float_equal(priced / found, 1, 1e-6);
		bw_nest_drop(nest);
		bw_schedule_drop(schedule);
		bw_arena_free(arena);
		close_fixture(&fixture);
	}
}

/* Inlined, W leaves one kernel; held, it stays one; forbidden, a merge is not done. */
static void by_hand(void **state)
{
	static const struct {
		struct bw_walk_mark mark;
		const char *then;
	} table[] = {
		{{BW_WALK_TAKE, 2, "inline W"}, "{K} in output, tile 16x60; inlined: W H input_im"},
		{{BW_WALK_HOLD, 0, "W"}, "alone: output W; inlined: K H input_im"},
		{{BW_WALK_FORBID, 4, "merge W into output"}, "alone: output W; inlined: K H input_im"},
		{{BW_WALK_TAKE, 0, "none"}, NULL},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fixture fixture = open_fixture("kwz", "RTX2080Ti", &table[i].mark, 1);
		int last = bw_walk_steps(fixture.walk) - 1;
		if (table[i].then)
			assert_string_equal(bw_walk_step(fixture.walk, last)->then, table[i].then);
		else
			assert_string_equal(bw_walk_step(fixture.walk, 0)->then, "alone: output W K H input_im");
		close_fixture(&fixture);
	}
	struct fixture fixture = open_fixture("kwz", "RTX2080Ti", NULL, 0);
	struct bw_error error = {0};
	struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_walk_scheduler_of(fixture.walk),
								     .argument = "3",
								     .pipeline = fixture.pipeline,
								     .options = &fixture.options});
	assert_int_equal(bw_walk_work(walk, NULL, NULL, &error), BW_WALK_FAILED);
	assert_string_equal(error.text, "sioutas takes nothing after it, not \"3\"");
	bw_walk_drop(walk);
	close_fixture(&fixture);
}

/* Best first, and each step takes what saves most; a merge has a valid tile; a final one, too, unless none is. */
static void check_steps(const struct fixture *fixture)
{
	const struct bw_device *device = fixture->options.device;
	for (int s = 0; s < bw_walk_steps(fixture->walk); s++) {
		const struct bw_walk_step *step = bw_walk_step(fixture->walk, s);
		bool merges = !strcmp(step->phase, "merge"), final = !strcmp(step->phase, "tile");
		for (int c = 1; c < step->n && merges; c++)
			assert_true(step->candidates[c - 1].figures[BENEFIT] >= step->candidates[c].figures[BENEFIT] ||
				    step->candidates[c].refused || step->candidates[c - 1].refused);
		if (step->taken < 0 || !(merges || final))
			continue;
		const double *figures = step->candidates[step->taken].figures;
		assert_true(figures[THREADS] <= device->threads_per_block && figures[FOOTPRINT] <= device->shared_per_block);
		if (!*step->candidates[step->taken].how || merges)
			assert_true(figures[OCCUPANCY] >= 0.1 && figures[SMS] == device->sms);
	}
}

static void all_pipelines(void **state)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/data/descriptions", getenv("BW_SRC"));
	DIR *folder = opendir(path);
	int n = 0;
	for (const struct dirent *entry; (entry = readdir(folder));) {
		char name[256];
		int length = 0;
		if (sscanf(entry->d_name, "%200[a-z_0-9].json%n", name, &length) != 1 || !length)
			continue;
		struct fixture fixture = open_fixture(name, "A100", NULL, 0);
		struct bw_arena *arena = bw_arena_new();
		struct bw_schedule *schedule = bw_walk_schedule(fixture.walk, bw_walk_steps(fixture.walk));
		struct bw_nest *nest = bw_schedule_nest(fixture.pipeline, schedule, NULL);
		check_steps(&fixture);
		for (int f = 0; f < fixture.pipeline->n_funcs; f++)
			assert_true(fixture.pipeline->funcs[f].input || schedule->placements[f]);
		double total = bw_cost_of(&bw_sioutas_model, nest, fixture.options.device, arena).total;
		assert_true(isfinite(total) && total > 0);
		bw_nest_drop(nest);
		bw_schedule_drop(schedule);
		bw_arena_free(arena);
		close_fixture(&fixture);
		n++;
	}
	closedir(folder);
	assert_true(n >= 24);
}

/* What the options of the search exclude is refused by name; they cannot exclude where all begins. */
static void excluded(void **state)
{
	static const struct {
		const char *space, *refused, *phase;
	} table[] = {
		{"root,block,thread", "search_space has no inline", "inline"},
		{"root,inline,thread", "search_space has no block", "merge"},
		{"inline,block", NULL, NULL},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fixture fixture = open_fixture("kwz", "RTX2080Ti", NULL, 0);
		struct bw_error error = {0};
		struct bw_assignment space = {bw_setting_find("search_space", 12, NULL), table[i].space};
		assert_true(bw_settings_assign(&space, fixture.devices, 1, &fixture.options, &error));
		struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_walk_scheduler_of(fixture.walk),
									     .pipeline = fixture.pipeline,
									     .options = &fixture.options});
		enum bw_walk_status status = bw_walk_work(walk, NULL, NULL, &error);
		if (!table[i].refused) {
			assert_int_equal(status, BW_WALK_FAILED);
			assert_string_equal(error.text, "sioutas begins with every Func at root, which search_space must have; it can do without inline, block and thread");
		}
		for (int s = 0; s < bw_walk_steps(walk) && table[i].refused; s++)
			if (!strcmp(bw_walk_step(walk, s)->phase, table[i].phase))
				assert_string_equal(bw_walk_step(walk, s)->candidates[0].refused, table[i].refused);
		bw_walk_drop(walk);
		close_fixture(&fixture);
	}
}

/* What the paper does not reach is said. */
static void out_of_reach(void **state)
{
	struct fixture fixture = open_fixture("hist_equalize", "A100", NULL, 0);
	struct bw_text text = {0};
	bw_walk_progress(fixture.walk, &text);
	assert_string_equal(bw_text_get(&text), "not tiled, since the paper does not reach it: cumulated has a stage of RVars alone");
	bw_text_free(&text);
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tile_bounds),	  cmocka_unit_test(tiles),   cmocka_unit_test(section_3),     cmocka_unit_test(blur_by_hand),
		cmocka_unit_test(the_model_agrees), cmocka_unit_test(by_hand), cmocka_unit_test(all_pipelines), cmocka_unit_test(out_of_reach),
		cmocka_unit_test(excluded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
