/* The scheduler of the CS 6120 report: its example of extents, the six transformers and what makes a tree well-formed, its three benchmarks
 * in both configurations with costs by hand, its example of directives, and walks. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "schedulers/cs6120.h"
#include "schedulers/walk.h"

/* The columns of its walk. */
enum { LEADS_TO, COST, MEM, LOADS, STORES, ARITHMETIC, MATH };

/* A tree of a pipeline, and what it is changed with. */
struct fixture {
	struct bw_device *devices;
	struct bw_settings options;
	struct bw_pipeline *pipeline;
	struct cs6120 *of;
	struct bw_arena *arena;
	struct cs6120_tree tree;
	struct bw_text text;
};

static struct fixture open_fixture(struct bw_pipeline *pipeline)
{
	int n;
	struct fixture fixture = {.devices = bundled_devices(&n), .pipeline = pipeline, .arena = bw_arena_new()};
	fixture.options = bw_settings_default(bw_device_find(fixture.devices, n, "A100"));
	fixture.of = cs6120_new(pipeline, &fixture.options);
	fixture.tree = cs6120_default(fixture.of, fixture.arena);
	return fixture;
}

static void close_fixture(struct fixture *fixture)
{
	bw_text_free(&fixture->text);
	cs6120_free(fixture->of);
	bw_arena_free(fixture->arena);
	bw_pipeline_free(fixture->pipeline);
	free(fixture->devices);
}

static const char *described(struct fixture *fixture)
{
	bw_text_clear(&fixture->text);
	cs6120_describe(fixture->of, &fixture->tree, &fixture->text);
	return bw_text_get(&fixture->text);
}

static struct cs6120_cost cost_of(struct fixture *fixture)
{
	struct cs6120_cost cost;
	assert_true(cs6120_price(fixture->of, &fixture->tree, &cost));
	return cost;
}

static void change(struct fixture *fixture, enum cs6120_transformer transformer, const char *func)
{
	struct cs6120_move move = {transformer, bw_pipeline_find(fixture->pipeline, func), 0};
	assert_true(cs6120_apply(fixture->of, &fixture->tree, &move));
}

static bool refused(struct fixture *fixture, enum cs6120_transformer transformer, const char *func)
{
	struct cs6120_tree tree = cs6120_copy(fixture->of, &fixture->tree, fixture->arena);
	return !cs6120_apply(fixture->of, &tree, &(struct cs6120_move){transformer, bw_pipeline_find(fixture->pipeline, func), 0});
}

#define PLUS_XY BOUND(MIN("x"), "['+'," MAX("x") ",1]") "," BOUND(MIN("y"), "['+'," MAX("y") ",1]")
#define BOTH "{'from':'g','box':[" PLUS_XY "],'loads':[{'count':2,'jacobian':" EYE2 "}]}"
/* "g(x, y) = x * y, f(x, y) = g(x, y) + g(x+1, y+1)", f realized from (1, 1) to (512, 512). */
static const char example[] =
	DESCRIPTION("", FUNC_XY("g", "0", "float32", "'mul':{'float32':1}", "", "") ","
			FUNC_XY("f", "1", "float32", "'add':{'float32':1}", BOTH, OUTPUT("[1,512],[1,512]")));

static const struct bw_interval *region(const struct fixture *fixture, const struct bw_interval *regions, int func)
{
	(void)fixture;
	return &regions[func * BW_MAX_DIMS];
}

static void assert_region(const struct fixture *fixture, const struct bw_interval *regions, const char *func, int width, int height)
{
	const struct bw_interval *box = region(fixture, regions, bw_pipeline_find(fixture->pipeline, func));
	assert_int_equal(box[0].max - box[0].min + 1, width);
	assert_int_equal(box[1].max - box[1].min + 1, height);
}

/* "Thus we can determine the extent of g to be 513x513"; per row it is 513x2, per point 2x2. Costs by hand. */
static void extents(void **state)
{
	struct fixture fixture = open_fixture(description_read(example));
	const double points = 512 * 512, whole = 513 * 513;
	assert_string_equal(described(&fixture), "f y x; inlined: g");
	assert_float_equal(cost_of(&fixture).total, points * 3, 0);
	change(&fixture, CS6120_DEINLINE, "g");
	assert_string_equal(described(&fixture), "f y x; g y x at f.x");
	assert_float_equal(cost_of(&fixture).total, points * (1 + 2 * 0.5 + 4 * (1 + 0.5)) + 0.1 * 16, 1e-6);
	assert_region(&fixture, fixture.of->computed, "g", 2, 2);
	change(&fixture, CS6120_HOIST_COMPUTE, "g");
	assert_float_equal(cost_of(&fixture).total, points * 2 + 512 * 513 * 2 * 1.5 + 0.1 * 4 * 513 * 2, 1e-6);
	assert_region(&fixture, fixture.of->computed, "g", 513, 2);
	change(&fixture, CS6120_HOIST_COMPUTE, "g");
	assert_string_equal(described(&fixture), "f y x; g y x");
	struct cs6120_cost cost = cost_of(&fixture);
	assert_region(&fixture, fixture.of->computed, "g", 513, 513);
	assert_float_equal(cost.terms[BW_CS6120_MEM], 0.1 * 4 * whole, 1e-6);
	assert_float_equal(cost.terms[BW_CS6120_STORES], 0.5 * whole, 0);
	assert_float_equal(cost.terms[BW_CS6120_LOADS], 0.5 * 2 * points, 0);
	assert_float_equal(cost.terms[BW_CS6120_ARITHMETIC], whole + points, 0);
	assert_float_equal(cost.terms[BW_CS6120_MATH], 0, 0);
	close_fixture(&fixture);
}

/* The six transformers, and what they leave well-formed. */
static void transformers(void **state)
{
	struct fixture fixture = open_fixture(description_read(example));
	assert_true(refused(&fixture, CS6120_LOWER_COMPUTE, "f"));
	change(&fixture, CS6120_DEINLINE, "g");
	uint64_t innermost = fixture.tree.hash;
	assert_true(refused(&fixture, CS6120_LOWER_COMPUTE, "g"));
	change(&fixture, CS6120_HOIST_STORAGE, "g");
	assert_string_equal(described(&fixture), "f y x; g y x at f.x stored at f.y");
	assert_region(&fixture, (cost_of(&fixture), fixture.of->stored), "g", 513, 2);
	assert_region(&fixture, fixture.of->computed, "g", 2, 2);
	change(&fixture, CS6120_HOIST_STORAGE, "g");
	change(&fixture, CS6120_HOIST_COMPUTE, "g");
	/* The report's example: stored at root, computed per row. */
	assert_string_equal(described(&fixture), "f y x; g y x at f.y stored at root");
	assert_region(&fixture, (cost_of(&fixture), fixture.of->stored), "g", 513, 513);
	bw_text_clear(&fixture.text);
	cs6120_print_halide(fixture.of, &fixture.tree, &fixture.text);
	assert_string_equal(bw_text_get(&fixture.text), "f.reorder(x, y);\ng.store_root(); g.compute_at(f, y); g.reorder(x, y);\n");
	change(&fixture, CS6120_LOWER_COMPUTE, "g");
	assert_string_equal(described(&fixture), "f y x; g y x at f.x stored at root");
	/* Loops are not exchanged across what is computed between them. */
	change(&fixture, CS6120_REORDER, "f");
	assert_string_equal(described(&fixture), "f x y; g y x at f.y stored at root");
	change(&fixture, CS6120_HOIST_COMPUTE, "g");
	assert_true(refused(&fixture, CS6120_REORDER, "f"));
	change(&fixture, CS6120_HOIST_COMPUTE, "g");
	change(&fixture, CS6120_REORDER, "g");
	change(&fixture, CS6120_INLINE, "g");
	assert_string_equal(described(&fixture), "f x y; inlined: g");
	change(&fixture, CS6120_REORDER, "f");
	change(&fixture, CS6120_DEINLINE, "g");
	assert_true(fixture.tree.hash == innermost);
	close_fixture(&fixture);
}

/* A caller cannot leave the loop in which its callee is computed, nor be inlined while it has one in its loops. */
static void well_formed(void **state)
{
	struct fixture fixture = open_fixture(bundled_pipeline("harris"));
	change(&fixture, CS6120_DEINLINE, "Ix");
	change(&fixture, CS6120_DEINLINE, "Y");
	change(&fixture, CS6120_HOIST_COMPUTE, "Y");
	change(&fixture, CS6120_HOIST_COMPUTE, "Ix");
	assert_true(refused(&fixture, CS6120_HOIST_COMPUTE, "Ix"));
	change(&fixture, CS6120_HOIST_COMPUTE, "Y");
	change(&fixture, CS6120_HOIST_COMPUTE, "Ix");
	change(&fixture, CS6120_DEINLINE, "Ixx");
	change(&fixture, CS6120_LOWER_COMPUTE, "Ix");
	assert_string_equal(described(&fixture), "output y x; Ixx y x at output.x; Ix y x at output.y stored at root; Y y x; inlined: trace det Sxx Syy Sxy Iyy Ixy Iy input_im");
	close_fixture(&fixture);
}

/* A walk through a bundled pipeline. */
struct walked {
	struct bw_device *devices;
	struct bw_settings options;
	struct bw_pipeline *pipeline;
	struct bw_walk *walk;
};

static struct walked walk_of(const char *name, const char *argument, const struct bw_walk_mark *marks, int n)
{
	int n_devices;
	struct walked walked = {.devices = bundled_devices(&n_devices), .pipeline = bundled_pipeline(name)};
	walked.options = bw_settings_default(bw_device_find(walked.devices, n_devices, "A100"));
	struct bw_error error = {0};
	walked.walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_scheduler_find("cs6120", &error),
							     .argument = argument,
							     .pipeline = walked.pipeline,
							     .options = &walked.options,
							     .marks = marks,
							     .n_marks = n});
	if (bw_walk_work(walked.walk, NULL, NULL, &error) != BW_WALK_DONE)
		fail_msg("%s: %s", name, error.text);
	return walked;
}

static void end_walk(struct walked *walked)
{
	bw_walk_drop(walked->walk);
	bw_pipeline_free(walked->pipeline);
	free(walked->devices);
}

/* The schedule of a walk in words; free it. */
static char *words_of(const struct walked *walked, int step)
{
	struct bw_text words = {0};
	struct bw_schedule *schedule = bw_walk_schedule(walked->walk, step);
	bw_schedule_print(walked->pipeline, schedule, &words);
	bw_schedule_drop(schedule);
	return bw_text_take(&words);
}

/* What the cost model says of a schedule of a walk. */
static struct bw_cost model_cost(const struct walked *walked, int step, struct bw_arena *arena)
{
	struct bw_schedule *schedule = bw_walk_schedule(walked->walk, step);
	struct bw_nest *nest = bw_schedule_nest(walked->pipeline, schedule, NULL);
	struct bw_cost cost = bw_cost_of(&bw_cs6120_model, nest, walked->options.device, arena);
	bw_nest_drop(nest);
	bw_schedule_drop(schedule);
	return cost;
}

/* The three benchmarks, 2048x2048: the default schedule (DEF) and what the search ends with (OPT). A root has 3 functions, 2 remainders
 * and a sum; the output 3 sums and 4 on indices. A point of either blur has 2 sums, a division, and 2 sums on indices. */
static void benchmarks(void **state)
{
	const double points = 2048.0 * 2048, roots = 2049.0 * 2049, row = 2050;
	const struct {
		const char *name;
		int steps;
		const char *then;
		double def, opt, nest; /* nest: OPT as the cost model prices it, where threads make columns of roots up to 9 * 256 */
	} table[] = {
		{"cs6120_roots", 3, "output y x; g y x", points * (7 + 4 * 33), roots * 33.5 + points * (7 + 4 * 0.5) + 0.1 * 4 * roots,
		 2049 * 2304.0 * (33.5 + 0.1 * 4) + points * (7 + 4 * 0.5)},
		{"cs6120_blur", 2, "output y x; blur_x y x at output.y; inlined: input_im", points * (5 + 3 * 5),
		 2048 * row * 5.5 + points * (5 + 3 * 0.5) + 0.1 * 4 * row, 2048 * 2304 * 5.5 + points * (5 + 3 * 0.5) + 0.1 * 4 * row},
		{"cs6120_sum", 0, "output y x", points, points, points},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct walked walked = walk_of(table[i].name, "", NULL, 0);
		struct bw_arena *arena = bw_arena_new();
		assert_int_equal(bw_walk_steps(walked.walk), table[i].steps + 1);
		const struct bw_walk_step *last = bw_walk_step(walked.walk, table[i].steps);
		assert_int_equal(last->taken, -1);
		assert_string_equal(last->then, table[i].then);
		double first = model_cost(&walked, 0, arena).total, end = model_cost(&walked, table[i].steps, arena).total;
		assert_float_equal(first, table[i].def, 1e-3);
		assert_float_equal(end, table[i].nest, 1e-3);
		if (table[i].steps) {
			const struct bw_walk_step *step = bw_walk_step(walked.walk, table[i].steps - 1);
			const double *figures = step->candidates[step->taken].figures;
			assert_float_equal(figures[COST], table[i].opt, 1e-3);
			assert_float_equal(figures[LEADS_TO], table[i].opt, 1e-3);
			assert_float_equal(figures[MEM] + figures[LOADS] + figures[STORES] + figures[ARITHMETIC] + figures[MATH], table[i].opt, 1e-3);
		}
		bw_arena_free(arena);
		end_walk(&walked);
	}
}

/* Why it loses: the order of loops has no cost. Of the blur over rows and columns it takes the order in which neighbouring threads store a column apart. */
static void no_locality(void **state)
{
	struct walked walked = walk_of("cs6120_sum", "", (const struct bw_walk_mark[]){{BW_WALK_TAKE, 0, "reorder output x y"}}, 1);
	struct bw_arena *arena = bw_arena_new();
	const struct bw_walk_step *step = bw_walk_step(walked.walk, 0);
	assert_true(step->by_hand && step->own == -1);
	assert_float_equal(model_cost(&walked, 0, arena).total, model_cost(&walked, 1, arena).total, 0);
	char *words = words_of(&walked, 1);
	assert_non_null(strstr(words, "output root\n    block x, y; thread y 256\n"));
	free(words);
	end_walk(&walked);
	walked = walk_of("blur", "", NULL, 0);
	words = words_of(&walked, bw_walk_steps(walked.walk));
	assert_non_null(strstr(words, "output root\n    block x; serial y; thread y 256\nblur_x at output.block\n"));
	free(words);
	bw_arena_free(arena);
	end_walk(&walked);
}

/* Taken, forbidden, held; and what the GPU cannot hold leaves the schedule as it was. */
static void by_hand(void **state)
{
	static const struct {
		int n;
		struct bw_walk_mark marks[3];
		const char *then; /* at the end */
	} table[] = {
		{1, {{BW_WALK_TAKE, 0, "none"}}, "output y x; inlined: blur_x input_im"},
		{1, {{BW_WALK_HOLD, 0, "blur_x"}}, "output y x; inlined: blur_x input_im"},
		{1, {{BW_WALK_FORBID, 1, "hoist compute blur_x"}}, "output y x; blur_x y x at output.x; inlined: input_im"},
		{2, {{BW_WALK_TAKE, 0, "reorder output x y"}, {BW_WALK_HOLD, 1, "output"}}, "output x y; blur_x y x; inlined: input_im"},
		{3,
		 {{BW_WALK_TAKE, 0, "deinline blur_x"}, {BW_WALK_TAKE, 1, "hoist storage blur_x"}, {BW_WALK_TAKE, 2, "none"}},
		 "output y x; blur_x y x at output.x stored at output.y; inlined: input_im; scheduled as before, since the GPU cannot hold blur_x: it is stored outside of loops that run at once, and computed inside"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct walked walked = walk_of("cs6120_blur", "", table[i].marks, table[i].n);
		int n = bw_walk_steps(walked.walk);
		assert_string_equal(bw_walk_step(walked.walk, n - 1)->then, table[i].then);
		if (strstr(table[i].then, "before")) {
			char *before = words_of(&walked, n - 1), *after = words_of(&walked, n);
			assert_string_equal(before, after);
			assert_non_null(strstr(after, "blur_x at output.thread"));
			free(before);
			free(after);
		}
		end_walk(&walked);
	}
}

/* Depth bounds the steps; a search that is stopped after so many trees is the same each time; a wider one finds no less. */
static void arguments(void **state)
{
	static const char *const wrong[] = {"0", "101", "ten", "10 0", "10 300 0", "10 300 5 5", "10x", "-1"};
	struct walked walked = walk_of("cs6120_roots", "2", NULL, 0);
	assert_int_equal(bw_walk_steps(walked.walk), 2);
	assert_string_equal(bw_walk_step(walked.walk, 1)->then, "output y x; g y x at output.y");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct bw_error error = {0};
		char text[300];
		snprintf(text, sizeof text,
			 "cs6120 takes the depth of its beam search, 1 to 100 (default 10), the width, 1 to 10000 (default 300), and the number of trees "
			 "after which it stops, not \"%s\"",
			 wrong[i]);
		struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_walk_scheduler_of(walked.walk),
									     .argument = wrong[i],
									     .pipeline = walked.pipeline,
									     .options = &walked.options});
		assert_int_equal(bw_walk_work(walk, NULL, NULL, &error), BW_WALK_FAILED);
		assert_string_equal(error.text, text);
		bw_walk_drop(walk);
	}
	end_walk(&walked);
	double cost[3];
	static const char *const widths[] = {"10 1", "10 300", "10 300 200"};
	for (int i = 0; i < 3; i++) {
		struct bw_arena *arena = bw_arena_new();
		walked = walk_of("unsharp", widths[i], NULL, 0);
		cost[i] = model_cost(&walked, bw_walk_steps(walked.walk), arena).total;
		bw_arena_free(arena);
		end_walk(&walked);
	}
	assert_true(cost[1] < cost[0] && cost[1] < cost[2]);
}

/* Every bundled pipeline: a schedule that the GPU can hold, by steps that a smaller cost is worth. */
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
		struct walked walked = walk_of(name, "10 10", NULL, 0);
		struct bw_arena *arena = bw_arena_new();
		int steps = bw_walk_steps(walked.walk);
		double first = model_cost(&walked, 0, arena).total, end = model_cost(&walked, steps, arena).total;
		assert_true(isfinite(end) && end > 0 && end <= first * 1.01);
		for (int s = 0; s < steps; s++) {
			const struct bw_walk_step *step = bw_walk_step(walked.walk, s);
			assert_true(step->taken < 0 || (step->candidates[step->taken].figures[LEADS_TO] < first && step->taken == step->own));
		}
		bw_arena_free(arena);
		end_walk(&walked);
		n++;
	}
	closedir(folder);
	assert_true(n >= 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extents), cmocka_unit_test(transformers), cmocka_unit_test(well_formed), cmocka_unit_test(benchmarks),
		cmocka_unit_test(no_locality), cmocka_unit_test(by_hand), cmocka_unit_test(arguments), cmocka_unit_test(all_pipelines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
