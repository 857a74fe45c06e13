/* The greedy scheduler of Mullapudi et al. 2016: benefits worked out by hand for the two-pass blur, the
 * limits of tiles, which groups may merge, and that it schedules every bundled pipeline. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "schedulers/greedy.h"
#include "schedulers/walk.h"

/* A pipeline, scheduled for the A100. */
struct fixture {
	struct bw_device *devices;
	struct bw_pipeline *pipeline;
};

static struct fixture open_fixture(const char *name)
{
	return (struct fixture){bundled_devices(NULL), bundled_pipeline(name)};
}

static void close_fixture(struct fixture *fixture)
{
	bw_pipeline_free(fixture->pipeline);
	free(fixture->devices);
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

/* Takes the first candidate of each decision that is wanted and legal, and returns the last decision of all. */
static struct bw_walk_step decide(struct greedy *greedy)
{
	struct bw_walk_step step;
	while (bw_greedy_walk.next(greedy, &step)) {
		struct bw_error error = {0};
		step.taken = -1;
		for (int c = 0; c < step.n && step.taken < 0 && step.candidates[c].wanted; c++)
			if (bw_greedy_walk.take(greedy, c, &error))
				step.taken = c;
		if (step.taken < 0)
			bw_greedy_walk.take(greedy, -1, &error);
	}
	return step;
}

/* 34x34 inputs and 32x34 values of blur_x are 4488 bytes; 32x32 tiles are 30000. */
static void limits(void **state)
{
	struct fixture fixture = open_fixture("blur");
	for (int k = 0; k < 4; k++) {
		struct bw_greedy_options options = bw_greedy_options_default(bw_device_find(fixture.devices, 1, fixture.devices->name));
		if (k == 0)
			options.cache_size = 4487;
		else if (k == 1)
			options.parallelism_threshold = 30001;
		else if (k == 2)
			options.max_threads_per_block = 1023;
		else
			options.cache_size = 100;
		struct greedy *greedy = greedy_new(fixture.pipeline, fixture.devices, &options, NULL);
		struct bw_walk_step last = decide(greedy);
		assert_string_equal(last.candidates[0].name, "merge blur_x into output");
		assert_string_equal(last.candidates[0].how, k < 3 ? "tile 32x16" : "");
		assert_int_equal(last.taken, k < 3 ? 0 : -1);
		assert_true(k == 3 ? last.candidates[0].refused != NULL : last.candidates[0].figures[0] == apart() - merged(200.0 * 300, 32, 16));
		bw_grouping_end(greedy);
	}
	close_fixture(&fixture);
}

/* A group that two groups read cannot merge: Ix, Iy and Y wait until the Funcs that read them are one group.
 */
static void one_reader(void **state)
{
	static const char *const first[] = {"merge Sxx into output", "merge Syy into output", "merge Ixy into output"};
	struct fixture fixture = open_fixture("harris");
	struct bw_walk *walk = walk_of(&fixture, NULL, 0);
	int step = 0;
	while (step < bw_walk_steps(walk) && strcmp(bw_walk_step(walk, step)->phase, "merge") != 0)
		step++;
	const struct bw_walk_step *merges = bw_walk_step(walk, step);
	assert_int_equal(merges->n, 3);
	for (int i = 0; i < 3; i++) {
		bool is = false;
		for (int k = 0; k < 3; k++)
			is |= !strcmp(merges->candidates[i].name, first[k]);
		assert_true(is);
	}
	struct bw_schedule *end = bw_walk_schedule(walk, bw_walk_steps(walk));
	const struct bw_site *site = &end->placements[func(&fixture, "Y")]->compute;
	assert_true(site->kind == BW_SITE_AT && site->func == func(&fixture, "output"));
	bw_schedule_drop(end);
	bw_walk_drop(walk);
	close_fixture(&fixture);
}

/* Each step takes the candidate of the largest benefit that is not refused, and ends where none is positive. What has
 * no benefit stands after what saves something. */
static void check_steps(const struct bw_walk *walk)
{
	for (int s = 0; s < bw_walk_steps(walk); s++) {
		const struct bw_walk_step *step = bw_walk_step(walk, s);
		double before = INFINITY;
		for (int c = 0; c < step->n; c++) {
			double benefit = isnan(step->candidates[c].figures[0]) ? 0 : step->candidates[c].figures[0];
			assert_true(before >= benefit);
			assert_int_equal(step->candidates[c].wanted, benefit > 0);
			before = benefit;
		}
		for (int c = 0; c < (step->taken >= 0 ? step->taken : step->n); c++)
			assert_true(step->candidates[c].refused || !step->candidates[c].wanted);
		assert_true(step->taken < 0 || step->candidates[step->taken].wanted);
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
		struct bw_walk *walk = walk_of(&fixture, NULL, 0);
		check_steps(walk);
		struct bw_schedule *end = bw_walk_schedule(walk, bw_walk_steps(walk));
		for (int f = 0; f < fixture.pipeline->n_funcs; f++)
			assert_true(fixture.pipeline->funcs[f].input || end->placements[f]);
		bw_schedule_drop(end);
		bw_walk_drop(walk);
		close_fixture(&fixture);
		n++;
	}
	closedir(folder);
	assert_true(n >= 24);
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
	/* The wrapper of the input is loaded, and stored, for nothing. */
	assert_taken(walk, 0, "inline input_im");
	assert_true(bw_walk_step(walk, 0)->candidates->figures[0] == inputs * 10);
	/* Inline, blur_x would be computed three times and read nine inputs. */
	assert_taken(walk, 1, "none");
	assert_string_equal(bw_walk_step(walk, 1)->candidates->name, "inline blur_x");
	assert_true(bw_walk_step(walk, 1)->candidates->figures[0] == apart() - outputs * (4 * blur_cost + 9 * 10));
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
	struct bw_schedule *before = bw_walk_schedule(walk, 2), *end = bw_walk_schedule(walk, 3);
	assert_int_equal(before->placements[func(&fixture, "blur_x")]->compute.kind, BW_SITE_ROOT);
	assert_int_equal(end->placements[func(&fixture, "blur_x")]->compute.kind, BW_SITE_AT);
	assert_int_equal(end->placements[func(&fixture, "blur_x")]->compute.role, BW_ROLE_BLOCK);
	bw_schedule_drop(before);
	bw_schedule_drop(end);
	bw_walk_drop(walk);
	close_fixture(&fixture);
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
	close_fixture(&fixture);
}

static void names(void **state)
{
	int n;
	struct bw_error error = {0};
	const struct bw_scheduler *all = bw_schedulers(&n);
	for (int i = 0; i < n; i++)
		assert_ptr_equal(bw_scheduler_find(all[i].name, &error), &all[i]);
	assert_null(bw_scheduler_find("greedi", &error));
	assert_non_null(strstr(error.text, "there is no scheduler \"greedi\"; did you mean \"greedy\"?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits), cmocka_unit_test(one_reader),
		cmocka_unit_test(all_pipelines), cmocka_unit_test(names),
		cmocka_unit_test(walk_of_the_blur), cmocka_unit_test(walk_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
