/* The features of stages: blur's worked out by hand, the shapes of accesses, Strahler numbers, and for all nests that Halide 19's autoscheduler
 * chose (tests/interop) each feature of each stage as Halide wrote it. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "cost/features_private.h"
#include "schedule/schedule.h"

/* Halide's defaults, with 80 SMs. */
static const struct bw_feature_limits limits = {.parallelism = 80, .warp = 32, .block_threads = 1024, .shared_block = 48 << 10, .shared_sm = 96 << 10, .sm_blocks = 32, .sm_warps = 64, .sector = 32, .banks = 32};

#define BLUR \
	DESCRIPTION(INPUT("in", "int16", XY, "[0,66],[0,34]"), \
		FUNC_XY("in_im", "0", "int16", "", READ("in", SAME_XY, "1", EYE2), ",'wrapper':true,'branching':2") "," \
		FUNC_XY("a", "1", "int16", "'add':{'int32':2},'cast':{'int32':3}", READ("in_im", SPAN("x", "0", "2") "," SAME("y"), "3", EYE2), \
			",'branching':['both',['both',{'call':'in_im','else':2},{'call':'in_im','else':2}],1]") "," \
		FUNC_XY("b", "2", "int16", "", READ("a", SAME("x") "," SPAN("y", "0", "2"), "3", EYE2), ",'branching':{'call':'a','else':2}" OUTPUT("[0,64],[0,32]")))

/* apart: as in the limits. What is not placed is as deep as it can be. */
static const struct bw_features *features_of(const struct bw_pipeline *pipeline, const char *const *entries, bool apart, struct bw_arena *arena)
{
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_feature_limits here = limits;
	here.stored_apart = apart;
	here.open_deep = true;
	const struct bw_features *features = bw_nest_features(nest, &here, arena);
	bw_nest_drop(nest);
	return features;
}

struct expected {
	enum bw_schedule_feature feature;
	double value;
};

static void expect_schedule(const struct bw_features *features, const struct expected *expected, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fabs(features->schedule[expected[i].feature] - expected[i].value) > 1e-6 * fabs(expected[i].value))
			fail_msg("%s: %g, not %g", bw_schedule_feature_text(expected[i].feature)->name, (double)features->schedule[expected[i].feature], expected[i].value);
}

#define EXPECT(func, ...) \
	expect_schedule(&features[pipeline->funcs[description_func(pipeline, func)].first_stage], (const struct expected[]){__VA_ARGS__}, sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

/* b of 64x32 points in blocks of 16x4 threads with 4 rows each: 4x2 blocks. */
static void inlined_by_hand(void **state)
{
	struct bw_pipeline *pipeline = description_read(BLUR);
	struct bw_arena *arena = bw_arena_new();
	const struct bw_features *features = features_of(pipeline, (const char *const[]){"b root 1x4/16x4", "a inline", "in_im inline", NULL}, false, arena);
	EXPECT("b", {BW_FEATURE_num_blocks, 8}, {BW_FEATURE_num_threads_per_block, 64}, {BW_FEATURE_num_warps_per_block, 2}, {BW_FEATURE_points_computed_total, 64 * 32},
		{BW_FEATURE_points_computed_per_thread, 4}, {BW_FEATURE_unrolled_loop_extent, 4}, {BW_FEATURE_warp_lane_utilization, 1},
		/* The region of the input at root is 66x34 points of 2 bytes; a thread's is 3 columns by 6 rows, a block's 18 by 18. */
		{BW_FEATURE_unique_global_bytes_read_per_realization, 66 * 34 * 2}, {BW_FEATURE_unique_global_lines_read_per_realization, 34},
		{BW_FEATURE_unique_global_bytes_read_per_thread, 36}, {BW_FEATURE_unique_global_lines_read_per_thread, 6}, {BW_FEATURE_unique_bytes_read_per_task, 18 * 18 * 2},
		/* A warp is 2 rows of 16 threads, 32 bytes each, 4 rows apart: in the input of 66 columns 528 bytes, so that the second row lies in two
		 * sectors; in b of 64 columns 512, so in one. 18 points are loaded by a thread, 4 stored: times 2 warps. */
		{BW_FEATURE_num_global_mem_loads_per_block, 18 * 2 * 3}, {BW_FEATURE_global_mem_load_efficiency, 2 / 3.0},
		{BW_FEATURE_num_global_mem_stores_per_block, 4 * 2 * 2}, {BW_FEATURE_global_mem_store_efficiency, 1},
		/* 8 blocks on 80 SMs: one an SM at most, of 2 warps. */
		{BW_FEATURE_max_warp_occupancy, 2 / 64.0}, {BW_FEATURE_max_block_occupancy, 1 / 32.0}, {BW_FEATURE_block_occupancy, 64 / 1024.0},
		/* b's operand is a, whose operands are the input's two coordinates, of 2 each. */
		{BW_FEATURE_expr_branching, 3}, {BW_FEATURE_working_set_at_root, 64 * 32 * 2});
	EXPECT("a", {BW_FEATURE_inlined_calls, 3 * 64 * 32}, {BW_FEATURE_points_computed_minimum, 64 * 34}, {BW_FEATURE_num_realizations, 0}, {BW_FEATURE_outer_parallelism, 8},
		{BW_FEATURE_num_warps_per_block, 3 * 4 * 2 * 8}, {BW_FEATURE_block_occupancy, 1 / 1024.0});
	EXPECT("in_im", {BW_FEATURE_num_blocks, 0}, {BW_FEATURE_block_occupancy, 0});
	bw_arena_free(arena);
	bw_pipeline_free(pipeline);
}

/* a at b's blocks: 16x18 points of it, a thread of 16x9 two rows each. */
static void shared_by_hand(void **state)
{
	struct bw_pipeline *pipeline = description_read(BLUR);
	struct bw_arena *arena = bw_arena_new();
	const char *const entries[] = {"b root 1x4/16x4", "a at b.block 1x2", "in_im inline", NULL};
	const struct bw_features *features = features_of(pipeline, entries, true, arena);
	EXPECT("a", {BW_FEATURE_num_realizations, 8}, {BW_FEATURE_points_computed_per_realization, 16 * 18}, {BW_FEATURE_bytes_at_realization, 576}, {BW_FEATURE_shared_bytes_at_task, 576},
		{BW_FEATURE_global_bytes_at_task, 0}, {BW_FEATURE_num_warps_per_block, 5}, {BW_FEATURE_warp_lane_utilization, 144 / 160.0},
		/* Two stores a thread. A warp's two rows of 16 points lie 2 * 16 elements apart: 32 bytes each in banks 0 to 7 and 16 to 23, no conflict;
		 * five warps, the last of 16 threads with one row. */
		{BW_FEATURE_num_shared_mem_stores_per_block, 2 * 5}, {BW_FEATURE_shared_mem_store_efficiency, (2 * 4 * 64 + 2 * 32) / (10 * 128.0)});
	EXPECT("b", {BW_FEATURE_shared_mem_occupancy, 576 / 49152.0}, {BW_FEATURE_working_set_at_task, 576}, {BW_FEATURE_num_warps_per_block, 5}, {BW_FEATURE_num_active_warps_per_block, 2},
		{BW_FEATURE_unique_shared_bytes_read_per_thread, 6 * 2}, {BW_FEATURE_unique_global_bytes_read_per_thread, 0}, {BW_FEATURE_num_global_mem_loads_per_block, 0},
		/* 6 points a thread; rows of threads are 4 * 16 elements or 32 banks apart: two passes, by two warps. */
		{BW_FEATURE_num_shared_mem_loads_per_block, 6 * 2 * 2});
	/* The same as Halide 19 has it: all that is not inlined is taken for global memory. */
	features = features_of(pipeline, entries, false, arena);
	EXPECT("a", {BW_FEATURE_shared_bytes_at_task, 0}, {BW_FEATURE_global_bytes_at_task, 576}, {BW_FEATURE_num_shared_mem_stores_per_block, 0}, {BW_FEATURE_working_set_at_realization, 64 * 32 * 2 + 2 * 576});
	EXPECT("b", {BW_FEATURE_shared_mem_occupancy, 576 / 49152.0}, {BW_FEATURE_num_shared_mem_loads_per_block, 0});
	bw_arena_free(arena);
	bw_pipeline_free(pipeline);
}

/* a is not placed: all that reads it is b, of which each point needs 1x3 points of it, 6 bytes. It could be computed in b's serial loops: in registers, where
 * nothing is loaded from memory, and its lines are taken to lie along y. */
static void open_by_hand(void **state)
{
	struct bw_pipeline *pipeline = description_read(BLUR);
	struct bw_arena *arena = bw_arena_new();
	const struct bw_features *features = features_of(pipeline, (const char *const[]){"b root 1x4/16x4", NULL}, false, arena);
	EXPECT("b", {BW_FEATURE_unique_register_bytes_read_per_thread, 6}, {BW_FEATURE_unique_register_lines_read_per_thread, 1}, {BW_FEATURE_unique_global_bytes_read_per_thread, 0},
		{BW_FEATURE_num_global_mem_loads_per_block, 0}, {BW_FEATURE_num_shared_mem_loads_per_block, 0}, {BW_FEATURE_unique_bytes_read_per_task, 0}, {BW_FEATURE_shared_mem_occupancy, 0});
	bw_pipeline_free(pipeline);
	/* 81 points or 162 bytes are too much for registers, where 128 are kept. A block of 32x16 points needs 32x96 of a in shared memory, a thread of 1x4 points
	 * 1x84 of these. Of the input, which nothing reads that is placed, a block is not said to read anything. */
	pipeline = description_read(DESCRIPTION(INPUT("in", "int16", XY, "[0,66],[0,134]"),
		FUNC_XY("in_im", "0", "int16", "", READ("in", SAME_XY, "1", EYE2), ",'wrapper':true") "," FUNC_XY("a", "1", "int16", "'add':{'int32':2}", READ("in_im", SAME_XY, "1", EYE2), "") ","
		FUNC_XY("b", "2", "int16", "", READ("a", SAME("x") "," SPAN("y", "0", "80"), "81", EYE2), OUTPUT("[0,64],[0,32]"))));
	features = features_of(pipeline, (const char *const[]){"b root 1x4/32x4", NULL}, false, arena);
	EXPECT("b", {BW_FEATURE_unique_register_bytes_read_per_thread, 0}, {BW_FEATURE_unique_shared_bytes_read_per_thread, 84 * 2}, {BW_FEATURE_unique_shared_lines_read_per_thread, 1},
		{BW_FEATURE_unique_global_bytes_read_per_thread, 0}, {BW_FEATURE_shared_mem_occupancy, 32 * 96 * 2 / 49152.0}, {BW_FEATURE_unique_bytes_read_per_task, 0});
	/* Taken to be at root, that is what a block reads; a thread 84 points in one line, whatever the layout will be. */
	struct bw_nest *nest = nest_of(pipeline, (const char *const[]){"b root 1x4/32x4", NULL}, NULL);
	features = bw_nest_features(nest, &limits, arena);
	EXPECT("b", {BW_FEATURE_unique_shared_bytes_read_per_thread, 0}, {BW_FEATURE_unique_global_bytes_read_per_thread, 84 * 2}, {BW_FEATURE_unique_global_lines_read_per_thread, 1}, {BW_FEATURE_shared_mem_occupancy, 0},
		{BW_FEATURE_unique_bytes_read_per_task, 32 * 96 * 2}, {BW_FEATURE_unique_lines_read_per_task, 32});
	bw_nest_drop(nest);
	/* Placed there, too. */
	features = features_of(pipeline, (const char *const[]){"b root 1x4/32x4", "a root 1x1/32x4", NULL}, false, arena);
	EXPECT("b", {BW_FEATURE_unique_shared_bytes_read_per_thread, 0}, {BW_FEATURE_unique_global_bytes_read_per_thread, 84 * 2}, {BW_FEATURE_shared_mem_occupancy, 0}, {BW_FEATURE_unique_bytes_read_per_task, 32 * 96 * 2});
	bw_arena_free(arena);
	bw_pipeline_free(pipeline);
}

/* A Func without a bound, of 4 bytes: coordinates have 32 bits. And what a float cannot hold is the largest that it can. */
static void unbounded_by_hand(void **state)
{
	struct bw_pipeline *pipeline = description_read(DESCRIPTION(INPUT("in", "uint8", XY, "[0,8],[0,8]"),
		FUNC("f", "0", "int32", "'i'", STAGE(LOOP("i"), "[[1]]", "'mul':{'int32':1}", ""), "") ","
		FUNC_XY("g", "1", "int32", "'add':{'int32':1}", READ("f", "{'min':null,'max':null}", "1", "[[null,null]]"), OUTPUT("[0,64],[0,32]"))));
	struct bw_arena *arena = bw_arena_new();
	const struct bw_features *features = features_of(pipeline, (const char *const[]){"g root 1x1/16x4", "f inline", NULL}, false, arena);
	EXPECT("f", {BW_FEATURE_bytes_at_root, 4 * 4294967296.0}, {BW_FEATURE_inlined_calls, 64 * 32}, {BW_FEATURE_points_computed_minimum, 64 * 32});
	assert_true(bw_feature_float(1e300) < INFINITY && bw_feature_float(INFINITY) < INFINITY && bw_feature_float(-2) < 0);
	bw_arena_free(arena);
	bw_pipeline_free(pipeline);
}

/* f reads in at x/8 and at x/8 + 1, of which Halide's features know the first alone: an eighth. A predicate's load is not counted, and a tuple's loads
 * count by the types of their components. */
static void lost_and_found(void **state)
{
	struct bw_pipeline *pipeline = description_read(DESCRIPTION(INPUT("in", "uint8", XY, "[0,9],[0,8]"),
		"{'name':'pair','handle':0,'definition':'0123456789abcdef','types':['float32','int16'],'dims':['x','y'],'branching':1,'stages':[" STAGE(LOOP_XY, EYE2, "", "") "]},"
		FUNC_XY("f", "1", "float32", "'add':{'float32':5},'lt':{'bool':2}},'predicate_ops':{'lt':{'bool':1}",
			"{'from':'in','box':[{'min':['/',{'min':'x'},8],'max':['+',['/',{'max':'x'},8],1]}," SAME("y") "],'loads':[{'count':1,'jacobian':[[[1,8],0],[0,1]]},{'count':1,'jacobian':[[[1,8,'lost'],0],[0,1]]}]},"
			"{'from':'pair','box':[" SAME_XY "],'loads':[{'count':3,'jacobian':" EYE2 ",'types':{'int16':2,'float32':1}},{'count':4,'jacobian':" EYE2 ",'predicate':true,'types':{'int16':4}}]}",
			OUTPUT("[0,64],[0,8]"))));
	struct bw_arena *arena = bw_arena_new();
	float rows[BW_PIPELINE_FEATURES];
	bw_pipeline_features(pipeline, description_func(pipeline, "f"), 0, rows);
	for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++) {
		const char *name = bw_pipeline_feature_row(row);
		const float *types = &rows[row * BW_N_TYPES];
		if (!strcmp(name, "pointwise_load_func"))
			assert_true(types[BW_TYPE_INT16] == 2 && types[BW_TYPE_FLOAT32] == 1);
		if (!strcmp(name, "lt"))
			assert_true(types[BW_TYPE_BOOL] == 1);
	}
	const struct bw_stage *stage = &pipeline->funcs[description_func(pipeline, "f")].stages[0];
	struct bw_strides known = bw_strides_of(&stage->reads[0].loads[0], stage->reads[0].producer, arena), lost = bw_strides_of(&stage->reads[0].loads[1], stage->reads[0].producer, arena);
	assert_true(bw_strides_at(&known, 0, 0).num == 1 && bw_strides_at(&known, 0, 0).den == 8 && !bw_strides_at(&lost, 0, 0).den && bw_strides_at(&lost, 1, 1).den == 1);
	bw_arena_free(arena);
	bw_pipeline_free(pipeline);
}

static void rows_of_the_algorithm(void **state)
{
	struct bw_pipeline *pipeline = description_read(DESCRIPTION(INPUT("in", "uint8", XY, "[0,8],[0,8]"),
		FUNC_XY("f", "0", "float32", "'add':{'float32':5},'cast':{'float32':3}",
			"{'from':'in','box':[" SAME_XY "],'loads':[{'count':4,'jacobian':[[0,1],[1,0]]},{'count':2,'jacobian':[[1,0],[0,0]]},{'count':1,'jacobian':[[2,0],[0,null]]},{'count':1,'jacobian':[[1,0],[0,1]]}]}",
			OUTPUT("[0,8],[0,8]"))));
	static const struct {
		const char *row;
		int type;
		double value;
	} cases[] = {
		{"add", BW_TYPE_FLOAT32, 5}, {"cast", BW_TYPE_FLOAT32, 0}, {"pointwise_load_image", BW_TYPE_INT8, 1}, {"transpose_load_image", BW_TYPE_INT8, 5},
		{"broadcast_load_image", BW_TYPE_INT8, 5}, {"slice_load_image", BW_TYPE_INT8, 5}, {"pointwise_store", BW_TYPE_FLOAT32, 1}, {"pointwise_load_func", BW_TYPE_INT8, 0},
	};
	float features[BW_PIPELINE_FEATURES];
	bw_pipeline_features(pipeline, description_func(pipeline, "f"), 0, features);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++)
			if (!strcmp(bw_pipeline_feature_row(row), cases[i].row) && fabs((double)features[row * BW_N_TYPES + cases[i].type] - cases[i].value) > 0)
				fail_msg("%s: %g, not %g", cases[i].row, (double)features[row * BW_N_TYPES + cases[i].type], cases[i].value);
	bw_pipeline_free(pipeline);
}

/* What is different for a reason: Halide's nest has more threads than the split that it writes leaves: 32 for 38 points in twos (19), 64 for 130 in threes (44). Func or, inlined into it, those of
 * which it has the threads and the calls. */
static bool is_known(const char *path, const char *func, enum bw_schedule_feature feature)
{
	static const enum bw_schedule_feature own[] = {BW_FEATURE_points_computed_per_production, BW_FEATURE_block_occupancy, BW_FEATURE_warp_lane_utilization, BW_FEATURE_idle_lane_wastage, BW_FEATURE_num_global_mem_loads_per_block, BW_FEATURE_num_global_mem_stores_per_block, BW_FEATURE_global_mem_store_efficiency, BW_FEATURE_global_mem_load_efficiency, BW_FEATURE_num_threads_per_block};
	static const enum bw_schedule_feature inlined[] = {BW_FEATURE_inlined_calls, BW_FEATURE_num_threads_per_block};
	static const char *const within[] = {"curve", "corrected", "matrix", "full_colour"};
	bool whole = false, part = false, inside = false;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		whole |= own[i] == feature;
	for (size_t i = 0; i < sizeof inlined / sizeof *inlined; i++)
		part |= inlined[i] == feature;
	for (size_t i = 0; i < sizeof within / sizeof *within; i++)
		inside |= !strcmp(within[i], func);
	if (strstr(path, "camera_pipe/2."))
		return (whole && !strcmp(func, "curved")) || (part && inside);
	return whole && strstr(path, "unsharp/5.") && !strcmp(func, "blur_y");
}

static int compare_line(const char *path, const char *func, int stage, const struct bw_features *features, char *line)
{
	int wrong = 0;
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++) {
		char *end;
		double theirs = strtod(line, &end), ours = (double)features->schedule[i];
		assert_true(end > line);
		line = end;
		if (fabs(ours - theirs) <= 1e-5 * fmax(fabs(ours), fabs(theirs)) || is_known(path, func, (enum bw_schedule_feature)i))
			continue;
		fprintf(stderr, "# %s: %s %d: %s is %g, Halide's %g\n", path, func, stage, bw_schedule_feature_text((enum bw_schedule_feature)i)->name, ours, theirs);
		wrong++;
	}
	return wrong;
}

static int compare_schedule(const struct bw_pipeline *pipeline, const char *nest_path, int *n_stages)
{
	char path[4096], line[4096], func[256];
	struct bw_error error = {0};
	struct bw_arena *arena = bw_arena_new();
	struct bw_schedule *schedule = bw_schedule_read(pipeline, nest_path, NULL, &error);
	struct bw_nest *nest = schedule ? bw_schedule_nest(pipeline, schedule, &error) : NULL;
	if (!nest)
		fail_msg("%s", error.text);
	struct bw_feature_limits halides = limits;
	halides.busy_block = true;
	const struct bw_features *features = bw_nest_features(nest, &halides, arena);
	int stage, wrong = 0;
	snprintf(path, sizeof path, "%.*s.features", (int)(strlen(nest_path) - strlen(".nest")), nest_path);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "stage %255s %d", func, &stage) == 2) {
			int f = bw_pipeline_find(pipeline, func);
			assert_true(f >= 0 && fgets(line, sizeof line, file));
			wrong += compare_line(path, func, stage, &features[pipeline->funcs[f].first_stage + stage], line);
			++*n_stages;
		}
	fclose(file);
	bw_nest_drop(nest);
	bw_schedule_drop(schedule);
	bw_arena_free(arena);
	return wrong;
}

/* Theirs are called pointwise.func, ours pointwise_load_func. */
static int row_of(const char *name)
{
	char ours[64];
	const char *dot = strchr(name, '.');
	if (dot)
		snprintf(ours, sizeof ours, "%.*s_%s%s", (int)(dot - name), name, strcmp(dot, ".store") ? "load_" : "", dot + 1);
	for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++)
		if (!strcmp(bw_pipeline_feature_row(row), dot ? ours : name))
			return row;
	return -1;
}

/* Rows that are left out are all 0. */
static int compare_algorithm(const struct bw_pipeline *pipeline, const char *path)
{
	char line[4096], func[256], name[256];
	int stage, wrong = 0, n = 0;
	float ours[BW_PIPELINE_FEATURES], theirs[BW_N_TYPES];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	for (bool more = true; more;) {
		more = fgets(line, sizeof line, file);
		if (!more || !strncmp(line, "stage", 5)) {
			for (int i = 0; i < BW_PIPELINE_FEATURES && n; i++)
				wrong += ours[i] > 0;
			n += more && sscanf(line, "stage %255s %d", func, &stage) == 2;
			if (more)
				bw_pipeline_features(pipeline, bw_pipeline_find(pipeline, func), stage, ours);
		} else if (sscanf(line, "%255s %f %f %f %f %f %f %f", name, &theirs[0], &theirs[1], &theirs[2], &theirs[3], &theirs[4], &theirs[5], &theirs[6]) == 8 && row_of(name) >= 0) {
			for (int t = 0; t < BW_N_TYPES; t++) {
				float *here = &ours[row_of(name) * BW_N_TYPES + t];
				wrong += fabsf(*here - theirs[t]) > 0;
				*here = 0;
			}
		}
	}
	fclose(file);
	assert_true(n > 0);
	if (wrong)
		fprintf(stderr, "# %s: %d numbers differ\n", path, wrong);
	return wrong;
}

static void as_halide_has_them(void **state)
{
	char pattern[4096], path[4200];
	glob_t folders, nests;
	int wrong = 0, n_stages = 0;
	snprintf(pattern, sizeof pattern, "%s/tests/interop/*/description.json", getenv("BW_SRC"));
	assert_int_equal(glob(pattern, 0, NULL, &folders), 0);
	for (size_t i = 0; i < folders.gl_pathc; i++) {
		struct bw_error error = {0};
		struct bw_pipeline *pipeline = bw_pipeline_read(folders.gl_pathv[i], &error);
		if (!pipeline)
			fail_msg("%s", error.text);
		int length = (int)(strlen(folders.gl_pathv[i]) - strlen("description.json"));
		snprintf(path, sizeof path, "%.*spipeline.features", length, folders.gl_pathv[i]);
		wrong += compare_algorithm(pipeline, path);
		snprintf(path, sizeof path, "%.*s*.nest", length, folders.gl_pathv[i]);
		assert_int_equal(glob(path, 0, NULL, &nests), 0);
		for (size_t k = 0; k < nests.gl_pathc; k++)
			wrong += compare_schedule(pipeline, nests.gl_pathv[k], &n_stages);
		globfree(&nests);
		bw_pipeline_free(pipeline);
	}
	globfree(&folders);
	assert_int_equal(wrong, 0);
	assert_true(n_stages > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(inlined_by_hand), cmocka_unit_test(shared_by_hand), cmocka_unit_test(open_by_hand), cmocka_unit_test(unbounded_by_hand), cmocka_unit_test(lost_and_found), cmocka_unit_test(rows_of_the_algorithm), cmocka_unit_test(as_halide_has_them)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
