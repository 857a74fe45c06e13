/* The greedy scheduler of Mullapudi et al. 2016: benefits worked out by hand for the two-pass blur, the
 * limits of tiles, which groups may merge, and that it schedules every bundled pipeline. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "schedulers/greedy.h"
#include "schedulers/table.h"

/* A pipeline and how it is scheduled for the A100. */
struct fixture {
	struct bw_device *devices;
	struct bw_pipeline *pipeline;
	struct bw_greedy_options options;
	struct bw_greedy greedy;
};

static struct fixture open_fixture(const char *name)
{
	struct fixture fixture = {.devices = bundled_devices(NULL), .pipeline = bundled_pipeline(name)};
	fixture.options = bw_greedy_options_default(bw_device_find(fixture.devices, 1, fixture.devices->name));
	return fixture;
}

static void run(struct fixture *fixture)
{
	struct bw_error error = {0};
	if (!bw_greedy_run(fixture->pipeline, fixture->devices, &fixture->options, &fixture->greedy, &error))
		fail_msg("%s", error.text);
}

static void close_fixture(struct fixture *fixture)
{
	bw_greedy_free(&fixture->greedy);
	bw_pipeline_free(fixture->pipeline);
	free(fixture->devices);
}

static const struct bw_greedy_candidate *taken(const struct fixture *fixture, int step)
{
	const struct bw_greedy_step *of = &fixture->greedy.steps[step];
	assert_true(step < fixture->greedy.n_steps && of->taken >= 0);
	return &of->candidates[of->taken];
}

static int func(const struct fixture *fixture, const char *name)
{
	return bw_pipeline_find(fixture->pipeline, name);
}

/* input_im -> blur_x -> output, 6400x4800 of 2 bytes. A blur adds three values (2), at coordinates that it
 * adds (2), and divides (4): 8 operations; a value loaded costs 10. */
static const double outputs = 6400.0 * 4800, inputs = 6402.0 * 4802, blurs = 6400.0 * 4802, blur_cost = 8;

static double apart(void)
{
	return (blurs + outputs) * (blur_cost + 3 * 10);
}

/* One tile: a halo of 2 rows of blur_x, and of 2 rows and columns of the input. */
static double merged(double tiles, double x, double y)
{
	return tiles * (x * (y + 2) * blur_cost + x * y * blur_cost + (x + 2) * (y + 2) * 10);
}

static void two_pass_blur(void **state)
{
	struct fixture fixture = open_fixture("blur");
	run(&fixture);
	assert_int_equal(fixture.greedy.n_steps, 4);
	/* The wrapper of the input is loaded, and stored, for nothing. */
	assert_int_equal(taken(&fixture, 0)->producer, func(&fixture, "input_im"));
	assert_true(taken(&fixture, 0)->benefit == inputs * 10);
	/* Inline, blur_x would be computed three times and read nine inputs. */
	const struct bw_greedy_step *ends = &fixture.greedy.steps[1];
	assert_int_equal(ends->taken, -1);
	assert_int_equal(ends->candidates[0].producer, func(&fixture, "blur_x"));
	assert_true(ends->candidates[0].benefit == apart() - outputs * (4 * blur_cost + 9 * 10));
	const struct bw_greedy_candidate *merge = taken(&fixture, 2);
	assert_int_equal(merge->producer, func(&fixture, "blur_x"));
	assert_int_equal(merge->consumer, func(&fixture, "output"));
	assert_int_equal(merge->tile[0], 32);
	assert_int_equal(merge->tile[1], 32);
	assert_true(merge->benefit == apart() - merged(200.0 * 150, 32, 32));
	assert_int_equal(fixture.greedy.group[func(&fixture, "blur_x")], func(&fixture, "output"));
	const struct bw_placement *blur_x = fixture.greedy.schedule->placements[func(&fixture, "blur_x")];
	assert_int_equal(blur_x->compute.kind, BW_SITE_AT);
	assert_int_equal(blur_x->compute.role, BW_ROLE_BLOCK);
	close_fixture(&fixture);
}

/* 34x34 inputs and 32x34 values of blur_x are 4488 bytes; 32x32 tiles are 30000. */
static void limits(void **state)
{
	for (int k = 0; k < 3; k++) {
		struct fixture fixture = open_fixture("blur");
		if (k == 0)
			fixture.options.cache_size = 4487;
		else if (k == 1)
			fixture.options.parallelism_threshold = 30001;
		else
			fixture.options.max_threads_per_block = 1023;
		run(&fixture);
		const struct bw_greedy_candidate *merge = taken(&fixture, 2);
		assert_int_equal(merge->tile[0], 32);
		assert_int_equal(merge->tile[1], 16);
		assert_true(merge->benefit == apart() - merged(200.0 * 300, 32, 16));
		close_fixture(&fixture);
	}
	struct fixture fixture = open_fixture("blur");
	fixture.options.cache_size = 100;
	run(&fixture);
	const struct bw_greedy_step *last = &fixture.greedy.steps[fixture.greedy.n_steps - 1];
	assert_int_equal(last->taken, -1);
	assert_non_null(last->candidates[0].refused);
	assert_null(last->candidates[0].tile);
	close_fixture(&fixture);
}

/* A group that two groups read cannot merge: Ix, Iy and Y wait until the Funcs that read them are one group.
 */
static void one_reader(void **state)
{
	static const char *const first[] = {"Sxx", "Syy", "Ixy"};
	struct fixture fixture = open_fixture("harris");
	run(&fixture);
	int step = 0;
	while (step < fixture.greedy.n_steps && fixture.greedy.steps[step].candidates[0].consumer < 0)
		step++;
	const struct bw_greedy_step *merges = &fixture.greedy.steps[step];
	assert_int_equal(merges->n, 3);
	for (int i = 0; i < 3; i++) {
		bool is = false;
		for (int k = 0; k < 3; k++)
			is |= merges->candidates[i].producer == func(&fixture, first[k]);
		assert_true(is);
		assert_int_equal(merges->candidates[i].consumer, func(&fixture, "output"));
	}
	assert_int_equal(fixture.greedy.group[func(&fixture, "Y")], func(&fixture, "output"));
	close_fixture(&fixture);
}

/* Each step takes the candidate of the largest benefit that is not refused, and ends where none is positive.
 */
static void check_steps(const struct bw_greedy *greedy)
{
	for (int s = 0; s < greedy->n_steps; s++) {
		const struct bw_greedy_step *step = &greedy->steps[s];
		for (int c = 1; c < step->n; c++)
			assert_true(step->candidates[c - 1].benefit >= step->candidates[c].benefit);
		for (int c = 0; c < (step->taken >= 0 ? step->taken : step->n); c++)
			assert_true(step->candidates[c].refused || step->candidates[c].benefit <= 0);
		assert_true(step->taken < 0 || step->candidates[step->taken].benefit > 0);
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
		struct fixture fixture = open_fixture(name);
		run(&fixture);
		check_steps(&fixture.greedy);
		for (int f = 0; f < fixture.pipeline->n_funcs; f++)
			assert_true(fixture.pipeline->funcs[f].input || fixture.greedy.schedule->placements[f]);
		close_fixture(&fixture);
		n++;
	}
	closedir(folder);
	assert_true(n >= 24);
}

static struct bw_walk *walk_of(const struct fixture *fixture, const struct bw_walk_mark *marks, int n)
{
	struct bw_error error = {0};
	struct bw_settings options = bw_settings_default(fixture->devices);
	struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_scheduler_find("greedy", &error),
								     .pipeline = fixture->pipeline,
								     .options = &options,
								     .marks = marks,
								     .n_marks = n});
	if (bw_walk_work(walk, NULL, NULL, &error) != BW_WALK_DONE)
		fail_msg("%s", error.text);
	return walk;
}

static void assert_taken(const struct bw_walk *walk, int step, const char *name)
{
	const struct bw_walk_step *of = bw_walk_step(walk, step);
	assert_string_equal(of->taken < 0 ? "none" : of->candidates[of->taken].name, name);
}

/* The blur's three decisions: the input's wrapper is inlined, blur_x is not, and is merged. */
static void walk_of_the_blur(void **state)
{
	struct fixture fixture = open_fixture("blur");
	struct bw_walk *walk = walk_of(&fixture, NULL, 0);
	assert_int_equal(bw_walk_steps(walk), 3);
	assert_taken(walk, 0, "inline input_im");
	assert_taken(walk, 1, "none");
	assert_taken(walk, 2, "merge blur_x into output");
	const struct bw_walk_candidate *merge = bw_walk_step(walk, 2)->candidates;
	assert_string_equal(merge->how, "tile 32x32");
	assert_true(merge->figures[1] == apart() && merge->figures[2] == merged(200.0 * 150, 32, 32));
	assert_true(merge->figures[0] == merge->figures[1] - merge->figures[2]);
	assert_true(merge->figures[3] == 200.0 * 150 && merge->figures[4] == 4488);
	assert_int_equal(merge->n_funcs, 1);
	assert_int_equal(merge->funcs[0], func(&fixture, "blur_x"));
	assert_int_equal(merge->others[0], func(&fixture, "output"));
	assert_string_equal(bw_walk_step(walk, 1)->then, "alone: output blur_x; inlined: input_im");
	assert_string_equal(bw_walk_step(walk, 2)->then, "{blur_x} in output, tile 32x32; inlined: input_im");
	struct bw_schedule *before = bw_walk_schedule(walk, 2, NULL), *end = bw_walk_schedule(walk, 3, NULL);
	assert_int_equal(before->placements[func(&fixture, "blur_x")]->compute.kind, BW_SITE_ROOT);
	assert_int_equal(end->placements[func(&fixture, "blur_x")]->compute.kind, BW_SITE_AT);
	bw_schedule_drop(before);
	bw_schedule_drop(end);
	bw_walk_drop(walk);
	bw_pipeline_free(fixture.pipeline);
	free(fixture.devices);
}

/* Another candidate taken, one forbidden, a Func held: the scheduler decides otherwise from there on. */
static void walk_by_hand(void **state)
{
	static const struct {
		struct bw_walk_mark mark;
		int steps;
		const char *taken, *then;
	} table[] = {
		/* Inlined, blur_x leaves nothing to decide. */
		{{BW_WALK_TAKE, 1, "inline blur_x"}, 2, "inline blur_x", "alone: output; inlined: blur_x input_im"},
		{{BW_WALK_TAKE, 2, "none"}, 3, "none", "alone: output blur_x; inlined: input_im"},
		{{BW_WALK_FORBID, 2, "merge blur_x into output"}, 3, "none", "alone: output blur_x; inlined: input_im"},
		{{BW_WALK_HOLD, 1, "blur_x"}, 3, "none", "alone: output blur_x; inlined: input_im"},
	};
	struct fixture fixture = open_fixture("blur");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_walk *walk = walk_of(&fixture, &table[i].mark, 1);
		int last = bw_walk_steps(walk) - 1;
		assert_int_equal(last + 1, table[i].steps);
		assert_taken(walk, last, table[i].taken);
		assert_string_equal(bw_walk_step(walk, last)->then, table[i].then);
		assert_int_equal(bw_walk_step(walk, table[i].mark.step)->by_hand, table[i].mark.verb == BW_WALK_TAKE);
		bw_walk_drop(walk);
	}
	struct bw_error error = {0};
	struct bw_settings options = bw_settings_default(fixture.devices);
	struct bw_walk_mark wrong = {BW_WALK_TAKE, 2, "inline blur_x"};
	struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_scheduler_find("greedy", &error),
								     .pipeline = fixture.pipeline,
								     .options = &options,
								     .marks = &wrong,
								     .n_marks = 1});
	assert_int_equal(bw_walk_work(walk, NULL, NULL, &error), BW_WALK_FAILED);
	assert_string_equal(error.text, "decision 3 of greedy has no candidate \"inline blur_x\"");
	bw_walk_drop(walk);
	bw_pipeline_free(fixture.pipeline);
	free(fixture.devices);
}

static void names(void **state)
{
	int n;
	struct bw_error error = {0};
	const struct bw_scheduler *all = bw_schedulers(&n);
	for (int i = 0; i < n; i++)
		assert_ptr_equal(bw_scheduler_find(all[i].name, &error), &all[i]);
	assert_null(bw_scheduler_find("greedi", &error));
	assert_non_null(strstr(error.text, "there is no scheduler \"greedi\"; there are beam, greedy"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_pass_blur), cmocka_unit_test(limits), cmocka_unit_test(one_reader),
		cmocka_unit_test(all_pipelines), cmocka_unit_test(names),
		cmocka_unit_test(walk_of_the_blur), cmocka_unit_test(walk_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
