/* The scheduler of Jangda and Guha 2020: the worked examples of sections 3 and 4, the seven terms of Algorithm 2 by hand, members and
 * their overlap, the dynamic program against brute force over all partitions, and walks. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "base/hash.h"
#include "schedulers/dp_private.h"
#include "schedulers/walk.h"

static struct bw_device device_of(const char *name)
{
	int n;
	struct bw_device *devices = bundled_devices(&n), device = *bw_device_find(devices, n, name);
	free(devices);
	return device;
}

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * fabs(b) + 1e-12)
		fail_msg("%.15g is not %.15g", a, b);
}

/* Section 4: "if the tile size is (8, 4, 1), block size is (16, 8, 1), then the warp size will be (16, 2, 1) and the warp overlapped tile
 * size will be (128, 8, 1)". */
static void warp_sizes(void **state)
{
	int64_t warp[3];
	bw_jangda_warp((const int64_t[]){16, 8, 1}, 32, warp);
	assert_int_equal(warp[0], 16);
	assert_int_equal(warp[1], 2);
	assert_int_equal(warp[2], 1);
	assert_int_equal(8 * warp[0], 128);
	assert_int_equal(4 * warp[1], 8);
	bw_jangda_warp((const int64_t[]){64, 4, 1}, 32, warp);
	assert_int_equal(warp[0], 32);
	assert_int_equal(warp[1] * warp[2], 1);
	bool seen[DP_SHAPES][DP_SHAPES] = {{false}};
	for (int shape = 0; shape < DP_SHAPES; shape++) {
		dp_shape(shape, warp);
		assert_int_equal(warp[0] * warp[1] * warp[2], 32);
		assert_false(seen[warp[0] % DP_SHAPES][warp[1] % DP_SHAPES]);
		seen[warp[0] % DP_SHAPES][warp[1] % DP_SHAPES] = true;
	}
}

/* Section 3: blocks of 64x4 threads, 8 warps. With a tile of 16 each has a row of 16 * 32 + 2 floats: over 16 KB, and an occupancy of 62.5 %
 * on the GTX 1080 Ti. Half of it in registers, which begin at 24, makes it 100 %. */
static void occupancy_of_the_blur(void **state)
{
	struct bw_device device = device_of("GTX1080Ti");
	struct bw_jangda_group group = {
	    .threads = 256, .buffers = 8 * (16 * 32 + 2) * 4, .registers = 24, .transactions = 1, .size = 128, .compute = 1e-7};
	struct bw_jangda_cost whole = bw_jangda_cost(&group, &device);
	assert_true(whole.shared == 16448 && whole.shared > 16384);
	assert_true(whole.blocks_per_sm == 5 && whole.occupancy == 0.625);
	group.fraction = 0.5;
	struct bw_jangda_cost half = bw_jangda_cost(&group, &device);
	assert_true(half.shared == 8224 && half.occupancy == 1);
	assert_true(half.registers == 32);
}

/* Line 35 on the V100, worked out by hand: 80 SMs of 64 cores, 900 GB/s, 96 KiB. 4 warps with 12 KiB: 8 blocks, 32 of 64 warps. 40 registers:
 * 1638 threads, 51 warps. A warp's share of the bandwidth is 900e9 * 32 / 5120. 80 * 13 blocks are 13 for each SM, 5 more than a round. */
static void seven_terms(void **state)
{
	struct bw_device device = device_of("V100");
	device.float_rate = 80 * 64 * device.clock;
	struct bw_jangda_group group = {.threads = 128,
					.blocks = 80 * 13,
					.buffers = 12288,
					.registers = 40,
					.transactions = 3,
					.size = 128,
					.compute = 1e-7,
					.overlap = 0.25};
	struct bw_jangda_cost cost = bw_jangda_cost(&group, &device);
	double terms[BW_JANGDA_TERMS] = {50 * 3,
					 0.5 * 0.5,
					 60 * (128 * 3 / 5.625e9) / 1e-7,
					 10 * 0,
					 2 * (1 - 40.0 * 2048 * 0.5 / 65536),
					 100 * 0.25,
					 5},
	       sum = 0;
	for (int t = 0; t < BW_JANGDA_TERMS; t++) {
		assert_near(cost.terms[t], terms[t]);
		sum += terms[t];
	}
	assert_near(cost.cost, sum);
	assert_near(bw_jangda_bound(&group, &device), terms[0] + terms[2] + terms[5]);
	/* The weights of the GTX 1080 Ti: w3 45, w4 20. */
	struct bw_device older = device_of("GTX1080Ti");
	assert_true(bw_jangda_weights(&older)[2] == 45 && bw_jangda_weights(&older)[3] == 20);
	assert_true(bw_jangda_weights(&device)[2] == 60 && bw_jangda_weights(&device)[3] == 10);
	/* Lines 12 and 21. */
	group.buffers = 50000;
	cost = bw_jangda_cost(&group, &device);
	assert_true(isinf(cost.cost) && strstr(cost.refused, "line 12"));
	group.registers = 254;
	group.fraction = 0.5;
	cost = bw_jangda_cost(&group, &device);
	assert_true(isinf(cost.cost) && strstr(cost.refused, "line 21"));
}

/* Section 3's blur: blurx in x, then blury; in floats of 4096x4096. */
static const char blur[] = DESCRIPTION(
    INPUT("img", "float32", XY, "[0,4098],[0,4096]"),
    FUNC_XY("blurx", "0", "float32", "'add':{'float32':2}", READ("img", SPAN("x", "0", "2") "," SAME("y"), "3", EYE2), "") ","
    FUNC_XY("blury", "1", "float32", "'add':{'float32':2}", READ("blurx", SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2),
	    OUTPUT("[0,4096],[0,4096]")));

/* "This choice of tile size produces 0.8% redundant computations per warp", 16 makes it 0.4 %. */
static void overlap_of_the_blur(void **state)
{
	struct bw_device device = device_of("GTX1080Ti");
	struct bw_pipeline *pipeline = description_read(blur);
	struct dp *dp = dp_new(pipeline, &device, NULL);
	assert_int_equal(dp->n, 2);
	const struct dp_member *blurx = &dp_members(dp, 1)[0];
	assert_true(blurx->constant && blurx->axis[0] == 0 && blurx->axis[1] == 1);
	assert_true(blurx->scale[0] == 1 && blurx->more[0] == 2 && blurx->scale[1] == 1 && blurx->more[1] == 0);
	for (int tile = 8; tile <= 16; tile *= 2) {
		double points = blurx->scale[0] * tile * 32 + blurx->more[0];
		char text[16];
		snprintf(text, sizeof text, "%.1f", 100 * (points - tile * 32) / (tile * 32));
		assert_string_equal(text, tile == 8 ? "0.8" : "0.4");
	}
	/* A warp's row of 34 floats of the input is 2 transactions of 128 bytes, 5 of 32. */
	struct dp_member *alone = &dp_members(dp, 0)[0];
	dp_find_loads(dp, alone, 0);
	assert_int_equal(alone->n_loads, 1);
	assert_true(alone->loads[0].transactions[0][0] == 5 && alone->loads[0].transactions[0][1] == 2);
	/* Fused they cost less than apart. */
	struct bw_dp_set first = {{1}}, second = {{2}}, both = {{3}};
	assert_true(dp_price(dp, &both)->cost.cost < dp_price(dp, &first)->cost.cost + dp_price(dp, &second)->cost.cost);
	dp_free(dp);
	bw_pipeline_free(pipeline);
}

/* The least cost of a partition by trying all: stage s joins a group that has begun, or begins one. Groups end in their last stage, and all
 * that reads another member is one. */
static double all_partitions(const struct bw_dp_graph *graph, struct bw_dp_set *groups, int n, int s)
{
	double best = INFINITY, sum = 0;
	for (int g = 0; s < graph->n && g <= n; g++) {
		struct bw_dp_set before = groups[g];
		bw_dp_add(&groups[g], s);
		double cost = all_partitions(graph, groups, g == n ? n + 1 : n, s + 1);
		best = cost < best ? cost : best;
		groups[g] = before;
	}
	for (int g = 0; s == graph->n && g < n; g++) {
		int last = graph->n - 1;
		while (!bw_dp_has(&groups[g], last))
			last--;
		for (int m = 0; m < last; m++) {
			struct bw_dp_set outside = bw_dp_without(&graph->readers[m], &groups[g]);
			if (bw_dp_has(&groups[g], m) && (!graph->joins[m] || bw_dp_empty(&graph->readers[m]) || !bw_dp_empty(&outside)))
				return INFINITY;
		}
		sum += graph->cost(graph->data, &groups[g]);
	}
	return s == graph->n ? sum : best;
}

static void assert_optimum(const struct bw_dp_graph *graph)
{
	struct bw_dp dp;
	struct bw_dp_set groups[9] = {{{0}}};
	bw_dp_begin(&dp, graph);
	assert_true(bw_dp_work(&dp, NULL));
	assert_false(dp.cut);
	double best = all_partitions(graph, groups, 0, 0), sum = 0;
	assert_near(dp.entries[0].best, best);
	/* The table leads to it. */
	for (int e = 0; dp.entries[e].n; e = dp.entries[e].choices[0].then)
		sum += dp.entries[e].choices[0].cost;
	assert_near(sum, best);
	bw_dp_end(&dp);
}

static uint64_t drawn(uint64_t a, uint64_t b, uint64_t c, uint64_t below)
{
	return bw_random_below(bw_random((const uint64_t[]){a, b, c}, 3), below);
}

/* Costs of no meaning. A group that has two stages which cannot be together cannot be. */
static double drawn_cost(void *data, const struct bw_dp_set *group)
{
	uint64_t seed = *(const uint64_t *)data, set = group->words[0];
	for (int k = 0; k < 3; k++) {
		uint64_t pair = (uint64_t)1 << drawn(seed, 100 + (uint64_t)k, 0, 8) | (uint64_t)1 << drawn(seed, 100 + (uint64_t)k, 1, 8);
		if ((set & pair) == pair && (pair & (pair - 1)))
			return INFINITY;
	}
	return (double)drawn(seed, set, 7, 1000) * sqrt(__builtin_popcountll(set));
}

static void random_graphs(void **state)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct bw_dp_set readers[8] = {{{0}}};
		bool joins[8];
		int n = 1 + (int)drawn(seed, 1, 0, 8);
		for (int s = 0; s < n; s++) {
			joins[s] = drawn(seed, 2, (uint64_t)s, 5) > 0;
			for (int r = s + 1; r < n; r++)
				if (drawn(seed, 3, (uint64_t)(8 * s + r), 3) == 0 || (r == s + 1 && drawn(seed, 4, (uint64_t)s, 2)))
					bw_dp_add(&readers[s], r);
		}
		assert_optimum(&(struct bw_dp_graph){
		    .n = n, .readers = readers, .joins = joins, .cost = drawn_cost, .data = &seed, .limit = 8});
	}
}

static double price(void *data, const struct bw_dp_set *group)
{
	return dp_price(data, group)->cost.cost;
}

static void add_read(struct bw_text *text, uint64_t seed, int f, int from, bool first)
{
	bw_text_printf(text,
		       "%s{'from':'f%d','box':[{'min':['+',{'min':'x'},-%d],'max':{'max':'x'}},{'min':{'min':'y'},"
		       "'max':['+',{'max':'y'},%d]}],'loads':[{'count':3,'jacobian':" EYE2 "}]}",
		       first ? "" : ",", from, (int)drawn(seed, 6, (uint64_t)f, 3), (int)drawn(seed, 7, (uint64_t)f, 3));
}

/* A pipeline of up to eight stages that each read one or two of those before, a few points around; the output reads what nothing else
 * does. */
static struct bw_pipeline *random_pipeline(uint64_t seed)
{
	struct bw_text text = {0};
	int n = 3 + (int)drawn(seed, 1, 0, 6);
	bool read[9] = {false};
	bw_text_puts(&text, "{'beamwalk-pipeline':1,'name':'test','halide':'14.0.0','parameters':[],'inputs':[" INPUT(
			    "f0", "float32", XY, "[-50,600],[-50,600]") "],'funcs':[");
	for (int f = 1; f <= n; f++) {
		int from[2] = {f > 1 && drawn(seed, 2, (uint64_t)f, 4) ? f - 1 : (int)drawn(seed, 3, (uint64_t)f, (uint64_t)f),
			       (int)drawn(seed, 4, (uint64_t)f, (uint64_t)f)};
		bw_text_printf(&text, "%s{'name':'f%d','handle':%d,'definition':'0123456789abcdef','types':['float32'],'dims':['x','y'],"
				      "'stages':[{'loops':[" LOOP_XY "],'store':" EYE2 ",'ops':{'add':{'float32':%d}},'reads':[",
			       f > 1 ? "," : "", f, f - 1, 1 + (int)drawn(seed, 5, (uint64_t)f, 20));
		bool first = true;
		for (int r = 0; r < f; r++)
			if (r == from[0] || r == from[1] || (f == n && r && !read[r])) {
				add_read(&text, seed, f, r, first);
				first = false;
				read[r] = true;
			}
		bw_text_printf(&text, "]}]%s}", f == n ? OUTPUT("[0,511],[0,511]") : "");
	}
	bw_text_puts(&text, "]}");
	struct bw_pipeline *pipeline = description_read(bw_text_get(&text));
	bw_text_free(&text);
	return pipeline;
}

static void random_pipelines(void **state)
{
	struct bw_device device = device_of("V100");
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct bw_pipeline *pipeline = random_pipeline(seed);
		struct dp *dp = dp_new(pipeline, &device, NULL);
		assert_optimum(&(struct bw_dp_graph){
		    .n = dp->n, .readers = dp->readers, .joins = dp->joins, .cost = price, .data = dp, .limit = 8});
		dp_free(dp);
		bw_pipeline_free(pipeline);
	}
}

/* What stops after every question, and goes on. */
static bool stops(void *data)
{
	return (*(int *)data)++ % 2;
}

static void stopped(void **state)
{
	struct bw_device device = device_of("V100");
	struct bw_pipeline *pipeline = bundled_pipeline("unsharp");
	struct dp *dp = dp_new(pipeline, &device, NULL);
	struct bw_dp_graph graph = {.n = dp->n, .readers = dp->readers, .joins = dp->joins, .cost = price, .data = dp, .limit = 8};
	struct bw_dp whole, parts;
	int asked = 0, calls = 0;
	bw_dp_begin(&whole, &graph);
	bw_dp_begin(&parts, &graph);
	assert_true(bw_dp_work(&whole, NULL));
	for (bool done = false; !done && calls < 1000; calls++) {
		asked = calls > 30; /* later it goes on for longer */
		done = bw_dp_work(&parts, calls < 60 ? &(struct bw_yield){stops, &asked} : NULL);
	}
	assert_true(calls > 2 && parts.done && parts.n == whole.n);
	for (int e = 0; e < whole.n; e++)
		assert_true(parts.entries[e].best == whole.entries[e].best && parts.entries[e].n == whole.entries[e].n);
	bw_dp_end(&whole);
	bw_dp_end(&parts);
	dp_free(dp);
	bw_pipeline_free(pipeline);
}

static struct bw_walk *walk_of(const struct bw_pipeline *pipeline, const struct bw_device *device, const char *argument,
			       const struct bw_walk_mark *marks, int n, struct bw_error *error)
{
	struct bw_settings options = bw_settings_default(device);
	struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_scheduler_find("dp", error),
								     .argument = argument,
								     .pipeline = pipeline,
								     .options = &options,
								     .marks = marks,
								     .n_marks = n});
	if (bw_walk_work(walk, NULL, NULL, error) == BW_WALK_DONE)
		return walk;
	bw_walk_drop(walk);
	return NULL;
}

/* Groups of two, then of those: every Func is placed. */
static void all_pipelines(void **state)
{
	char path[4096];
	struct bw_device device = device_of("A100");
	snprintf(path, sizeof path, "%s/data/descriptions", getenv("BW_SRC"));
	DIR *folder = opendir(path);
	int n = 0;
	for (const struct dirent *entry; (entry = readdir(folder));) {
		char name[256];
		int length = 0;
		if (sscanf(entry->d_name, "%200[a-z_0-9].json%n", name, &length) != 1 || !length)
			continue;
		struct bw_pipeline *pipeline = bundled_pipeline(name);
		struct bw_error error = {0};
		struct bw_walk *walk = walk_of(pipeline, &device, "1", NULL, 0, &error);
		if (!walk)
			fail_msg("%s: %s", name, error.text);
		struct bw_schedule *schedule = bw_walk_schedule(walk, bw_walk_steps(walk));
		for (int f = 0; f < pipeline->n_funcs; f++)
			assert_true(pipeline->funcs[f].input || schedule->placements[f]);
		bw_schedule_drop(schedule);
		bw_walk_drop(walk);
		bw_pipeline_free(pipeline);
		n++;
	}
	closedir(folder);
	assert_true(n >= 24);
}

/* All but the wrapper of the input is one group; another one taken, one forbidden, a Func held. */
static void walk_by_hand(void **state)
{
	static const struct {
		struct bw_walk_mark mark;
		const char *then;
	} table[] = {
		{{BW_WALK_TAKE, 0, "{output ratio sharpen blur_x blur_y gray}"}, "{ratio sharpen blur_x blur_y gray} in output"},
		{{BW_WALK_TAKE, 0, "{output ratio}"}, "{ratio} in output"},
		{{BW_WALK_TAKE, 0, "none"}, "alone: output"},
		{{BW_WALK_FORBID, 0, "{output ratio sharpen blur_x blur_y gray}"}, "in output"},
		{{BW_WALK_HOLD, 0, "ratio"}, "alone: output"},
	};
	struct bw_device device = device_of("A100");
	struct bw_pipeline *pipeline = bundled_pipeline("unsharp");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_error error = {0};
		struct bw_walk *walk = walk_of(pipeline, &device, "", &table[i].mark, 1, &error);
		if (!walk)
			fail_msg("%s", error.text);
		const struct bw_walk_step *step = bw_walk_step(walk, 0);
		if (!strstr(step->then, table[i].then))
			fail_msg("%s: %s", table[i].mark.name, step->then);
		assert_true(step->candidates[0].figures[0] <= step->candidates[1].figures[0]);
		for (int c = 0; c < step->n; c++)
			assert_near(step->candidates[c].figures[0], step->candidates[c].figures[1] + step->candidates[c].figures[2]);
		bw_walk_drop(walk);
	}
	struct bw_error error = {0};
	static const char *const wrong[] = {"0", "eight", "513", "8 8", "shared registers", "registers 0", "register"};
	for (int i = 0; i < 7; i++) {
		assert_null(walk_of(pipeline, &device, wrong[i], NULL, 0, &error));
		assert_non_null(strstr(error.text, "dp takes the most stages of a group in the first round, 1 to 512 (default 8), and hybrid, registers or shared"));
	}
	bw_pipeline_free(pipeline);
}

/* A limit of 2 finds in rounds what one of 8 finds at once. */
static void rounds(void **state)
{
	struct bw_device device = device_of("A100");
	struct bw_pipeline *pipeline = bundled_pipeline("unsharp");
	struct bw_walk *walk = walk_of(pipeline, &device, "2", NULL, 0, NULL);
	const struct bw_walk_step *last = bw_walk_step(walk, bw_walk_steps(walk) - 1);
	assert_string_not_equal(last->phase, "fuse");
	assert_non_null(strstr(last->then, "{ratio sharpen blur_x blur_y gray} in output"));
	bw_walk_drop(walk);
	bw_pipeline_free(pipeline);
}

/* With all of a tile in shared memory, or in registers as far as Halide can, the optimum of the table is what the groups of the schedule cost. In registers
 * the members are in the warps of the output, and no kernel has shared memory unless a group could not be there. OpenCL has no lanes. */
static void held_as_priced(void **state)
{
	static const char *const names[] = {"unsharp", "harris", "cs6120_blur", "kwz"};
	static const char *const words[] = {"shared", "registers"};
	struct bw_device device = device_of("A100");
	for (size_t i = 0; i < 8; i++) {
		struct bw_pipeline *pipeline = bundled_pipeline(names[i / 2]);
		struct bw_walk *walk = walk_of(pipeline, &device, words[i % 2], NULL, 0, NULL);
		struct bw_schedule *schedule = bw_walk_schedule(walk, bw_walk_steps(walk));
		struct bw_text said = {0};
		int warps = 0;
		bw_walk_progress(walk, &said);
		assert_null(strstr(bw_text_get(&said), "partly in registers"));
		assert_null(strstr(bw_text_get(&said), "since Halide cannot"));
		for (int f = 0; f < pipeline->n_funcs; f++)
			warps += schedule->placements[f] && schedule->placements[f]->compute.kind == BW_SITE_AT &&
				 schedule->placements[f]->compute.role == BW_ROLE_WARP;
		assert_true(i % 2 ? warps > 0 : warps == 0);
		assert_true(!strstr(bw_text_get(&said), "in the registers of its lanes") == !warps);
		bw_text_free(&said);
		bw_schedule_drop(schedule);
		bw_walk_drop(walk);
		bw_pipeline_free(pipeline);
	}
	struct bw_pipeline *pipeline = bundled_pipeline("unsharp");
	struct bw_error error = {0};
	device = device_of("PoCL");
	assert_null(walk_of(pipeline, &device, "registers", NULL, 0, &error));
	assert_non_null(strstr(error.text, "dp registers needs CUDA: OpenCL has no lanes of a warp (gpu_lanes)"));
	bw_walk_drop(walk_of(pipeline, &device, "shared", NULL, 0, &error));
	bw_pipeline_free(pipeline);
}

/* Outside the paper's reach: reductions stand alone, and so does what they read; what is read where data says, too. */
static void out_of_reach(void **state)
{
	struct bw_device device = device_of("A100");
	struct bw_pipeline *pipeline = bundled_pipeline("hist_equalize");
	struct dp *dp = dp_new(pipeline, &device, NULL);
	int reductions = 0, unsteady = 0;
	for (int s = 0; s < dp->n; s++) {
		reductions += dp->alone[s] && strstr(dp->alone[s], "reduction");
		unsteady += dp->alone[s] && strstr(dp->alone[s], "not constant");
		assert_true(dp->joins[s] == !dp->alone[s]);
	}
	assert_true(reductions >= 2);
	assert_true(reductions + unsteady >= 3);
	dp_free(dp);
	bw_pipeline_free(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warp_sizes), cmocka_unit_test(occupancy_of_the_blur), cmocka_unit_test(seven_terms),
		cmocka_unit_test(overlap_of_the_blur), cmocka_unit_test(random_graphs), cmocka_unit_test(random_pipelines),
		cmocka_unit_test(stopped), cmocka_unit_test(all_pipelines), cmocka_unit_test(walk_by_hand), cmocka_unit_test(rounds),
		cmocka_unit_test(held_as_priced), cmocka_unit_test(out_of_reach),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
