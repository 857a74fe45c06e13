/* The roofline against times worked out by hand on a device with round numbers: 10 SMs of 64 warps; 1e12 bytes/s from memory, 4e12 through
 * the second-level cache, 1e13 through shared memory, 1e14 from registers; 1e13 operations/s; 5 us a launch, 10 ns a barrier. */
#include <math.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "cost/cost.h"
#include "cost/features.h"
#include "cost/least.h"

#define TWO "'add':{'float32':2}"
#define READ_SAME(from) READ(from, SAME_XY, "1", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)
#define READ_TURNED(from) READ(from, SAME("y") "," SAME("x"), "1", "[[0,1],[1,0]]")
#define G640(type, reads) FUNC_XY("g", "1", type, TWO, reads, OUTPUT("[0,640],[0,64]"))

static const char copy[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"), G640("float32", READ_SAME("in")));
static const char stencil[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[-1,66]"), G640("float32", READ_Y3("in")));
/* The same through a Func that hands the input on. */
static const char handed[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[-1,66]"), FUNC_XY("f", "0", "float32", "", READ_SAME("in"), "") "," G640("float32", READ_Y3("f")));
static const char turned[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,64],[0,640]"), G640("float32", READ_TURNED("in")));
static const char bytes[] = DESCRIPTION(INPUT("in", "uint8", XY, "[0,640],[0,64]"), G640("uint8", READ_SAME("in")));
/* f is a copy of in, g reads three rows of it. */
static const char fused[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[-1,66]"),
	FUNC_XY("f", "0", "float32", TWO, READ_SAME("in"), "") "," G640("float32", READ_Y3("f")));
/* g reads f turned. */
static const char fused_turned[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,64],[0,640]"),
	FUNC_XY("f", "0", "float32", TWO, READ_SAME("in"), "") "," G640("float32", READ_TURNED("f")));
/* g reads every second column of f. */
static const char fused_twice[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,1280],[0,64]"),
	FUNC_XY("f", "0", "float32", TWO, READ_SAME("in"), "") "," G640("float32", READ("f", BOUND("['*',2," MIN("x") "]", "['*',2," MAX("x") "]") "," SAME("y"), "1", "[[2,0],[0,1]]")));
/* g reads f turned, of which every second column is computed. */
static const char spread[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,1280],[0,640]"),
	FUNC_XY("f", "0", "float32", TWO, READ_SAME("in"), ",'computed':[" BOUND("['*',2," MIN("y") "]", "['*',2," MAX("y") "]") "," SAME("y") "]") "," G640("float32", READ_TURNED("f")));
static const char fused_double[] = DESCRIPTION(INPUT("in", "float64", XY, "[0,640],[0,64]"),
	FUNC_XY("f", "0", "float64", TWO, READ_SAME("in"), "") "," G640("float64", READ_SAME("f")));
/* Two components of 4 bytes, both loaded: two loads. */
static const char tuple[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"),
	FUNC_XY("f", "0", "float32','float32", TWO, READ_SAME("in"), "") "," G640("float32", READ("f", SAME_XY, "2", EYE2)));

#define N_CASES (sizeof cases / sizeof *cases)

static void assert_near(size_t i, const char *what, double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("case %zu: %s %.12g, expected %.12g", i, what, value, expected);
}

/* A nest and its costs, of one Func's pure stage. */
static struct bw_cost cost_of(const struct bw_nest *nest, struct bw_arena *arena)
{
	return bw_cost_of(&bw_roofline, nest, &round_device, arena);
}

/* Microseconds that each term would take alone. */
static void times_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *entries[4];
		const char *func;
		double arithmetic, global_load, global_store, shared_load, shared_store, registers, barrier, launch;
	} cases[] = {
		/* 20 x 8 blocks of 32 x 8 threads: 8 blocks, all 64 warps, on an SM; 16 blocks for each SM, two waves. 40960 points of two operations,
		 * the addresses of a load and a store, and two for a pass: 245760 operations. 163840 bytes are loaded and stored: what a block reads is 8 rows of 5 sectors, so the caches pass
		 * on 204800 bytes in 0.0512 us, memory 163840 in 0.16384. */
		{copy, {"g root 1x1/32x8"}, "g", .arithmetic = 0.024576, .global_load = 0.16384, .global_store = 0.16384, .launch = 5},
		/* 4 rows a thread: staged, of 12 loads 6 are issued and 6 come from registers. f costs nothing. 640 x 66 floats from memory; 6 of 320 warps' passes. The store
		 * is as it was. 20 x 16 blocks of one warp: 16 blocks fill an SM but only 16 of 64 warps; half of what hides latency of memory, but
		 * the 10 accesses of a pass hide sqrt(10) times as much. Two operations a point and 12 a pass, 5 a point. */
		{handed, {"g root 1x4/32x1", "f inline"}, "g", .arithmetic = 0.02048, .global_load = 0.16896, .global_store = 0.16384, .registers = 0.0024576, .launch = 5},
		/* Half of each warp idle: twice the time for arithmetic; half the sectors a warp, and twice the warps. 40 blocks of y, 16 on each SM: as
		 * before. What comes from registers goes through all lanes. */
		{handed, {"g root 1x4/16x1", "f inline"}, "g", .arithmetic = 0.04096, .global_load = 0.16896, .global_store = 0.16384, .registers = 0.0049152, .launch = 5},
		/* Without a Func to wrap nothing is staged, and all 12 are issued: 491520 bytes through the first-level cache in 0.049152 us, and memory is
		 * the slowest still. What is loaded again is an operand from a register all the same. 18 operations a pass. */
		{stencil, {"g root 1x4/32x1"}, "g", .arithmetic = 0.026624, .global_load = 0.16896, .global_store = 0.16384, .registers = 0.0024576, .launch = 5},
		/* Lanes 64 floats apart: a sector each, 8 times the bytes; 1310720 through the first-level cache in 0.131072 us. What a block reads is 32
		 * rows of 8 floats, 2 sectors each: 160 blocks of 2048 bytes in 0.08192 us. Memory is the slowest still. */
		{turned, {"g root 1x1/32x8"}, "g", .arithmetic = 0.024576, .global_load = 0.16384, .global_store = 0.16384, .launch = 5},
		/* A byte a lane is a sector a warp. 40960 bytes each. */
		{bytes, {"g root 1x1/32x8"}, "g", .arithmetic = 0.024576, .global_load = 0.04096, .global_store = 0.04096, .launch = 5},
		/* f of 32 x 10 points a block, in shared memory: 51200 points, of which 40 warps' threads; 307200 operations; stores 204800 bytes. 160
		 * blocks of 10 rows of 160 bytes through the cache in 0.064 us, 168960 bytes of memory in 0.16896. The block has 320 threads, 6 blocks
		 * and 60 warps an SM. A barrier in each of 160 / 60 waves. They take as long as 3: all but the barrier 9/8 times as long. */
		{fused, {"g root 1x1/32x8", "f at g.block 1x1"}, "f", .arithmetic = 0.03456, .global_load = 0.19008, .shared_store = 0.02304, .barrier = 0.026666666666666667},
		/* g takes 3 floats a point from there: 8 operations. */
		{fused, {"g root 1x1/32x8", "f at g.block 1x1"}, "g", .arithmetic = 0.036864, .global_store = 0.18432, .shared_load = 0.055296, .launch = 5},
		/* In a thread f's 3 points lie in registers: 122880 points, as many stores, and as many loads of g. Each of the 3 iterations loads: 5 operations
		 * for the 3 points of a pass, beside the two of each. 1280 warps load 3 times 128 bytes; blocks of 10 rows; memory is the slowest. */
		{fused, {"g root 1x1/32x8", "f at g.thread"}, "f", .arithmetic = 0.045056, .global_load = 0.16896, .registers = 0.0049152},
		{fused, {"g root 1x1/32x8", "f at g.thread"}, "g", .arithmetic = 0.02048, .global_store = 0.16384, .registers = 0.0049152, .launch = 5},
		/* f of 8 x 32 points a block: lanes read it 8 floats apart, 8 of them from the same bank: 163840 bytes as if 8 times. */
		{fused_turned, {"g root 1x1/32x8", "f at g.block 1x1"}, "g", .arithmetic = 0.024576, .global_store = 0.16384, .shared_load = 0.131072, .launch = 5},
		/* Lanes of 8 bytes side by side: two passes through the banks, 256 bytes, and no conflict. */
		{fused_double, {"g root 1x1/32x8", "f at g.block 1x1"}, "g", .arithmetic = 0.024576, .global_store = 0.32768, .shared_load = 0.032768, .launch = 5},
		/* Two loads of 4 bytes, and two stores of 4. */
		{tuple, {"g root 1x1/32x8", "f at g.block 1x1"}, "g", .arithmetic = 0.028672, .global_store = 0.16384, .shared_load = 0.032768, .launch = 5},
		{tuple, {"g root 1x1/32x8", "f at g.block 1x1"}, "f", .arithmetic = 0.028672, .global_load = 0.16384, .shared_store = 0.032768, .barrier = 0.02},
	};
	for (size_t i = 0; i < N_CASES; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(nest, arena);
		const struct bw_stage_cost *stage = &cost.stages[pipeline->funcs[description_func(pipeline, cases[i].func)].first_stage];
		const double expected[BW_N_TERMS] = {cases[i].arithmetic, cases[i].global_load, cases[i].global_store, cases[i].shared_load, cases[i].shared_store, cases[i].registers, cases[i].barrier, cases[i].launch};
		for (int t = 0; t < BW_N_TERMS; t++)
			assert_near(i, bw_roofline.terms[t].name, stage->alone[t] * 1e3, expected[t]);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* Figures that the times follow from. */
static void figures_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *entries[4];
		const char *func;
		double points, recompute, operations, load_bytes, load_efficiency, store_efficiency, occupancy, busy_sms, busy_lanes, waves, inlined_calls;
	} cases[] = {
		/* Two operations, two addresses, and two for a pass. */
		{copy, {"g root 1x1/32x8"}, "g", 40960, 1, 6, 163840, 1, 1, 1, 1, 1, 2, 0},
		/* 10 x 4 blocks of 64 x 16: 1024 threads, 2 on an SM. 4 blocks for each SM. */
		{copy, {"g root 1x1/64x16"}, "g", 40960, 1, 6, 163840, 1, 1, 1, 1, 1, 2, 0},
		/* 5 x 4 blocks of 128 x 8 threads: 1024 threads, 20 fit at once, all there are. */
		{copy, {"g root 1x2/128x8"}, "g", 40960, 1, 5, 163840, 1, 1, 1, 1, 1, 1, 0},
		/* 5 x 1 blocks: half of the SMs idle; one block of two that would fit. */
		{copy, {"g root 1x8/128x8"}, "g", 40960, 1, 4.25, 163840, 1, 1, 0.5, 0.5, 1, 0.25, 0},
		{turned, {"g root 1x1/32x8"}, "g", 40960, 1, 6, 1310720, 0.125, 1, 1, 1, 1, 2, 0},
		/* 8 rows of 4 lanes beside each other touch 8 sectors a warp. */
		{turned, {"g root 1x1/8x8"}, "g", 40960, 1, 6, 327680, 0.5, 1, 0.5, 1, 1, 4, 0},
		/* 8 lanes of a row of 640 bytes... four rows of 8 floats a warp: 4 x 1 sectors. */
		{copy, {"g root 1x1/8x8"}, "g", 40960, 1, 6, 163840, 1, 1, 0.5, 1, 1, 4, 0},
		/* A warp with one lane: a sector for 4 bytes. 640 x 64 blocks of a thread, 16 on an SM. */
		{copy, {"g root 1x1/1x1"}, "g", 40960, 1, 6, 1310720, 0.125, 0.125, 0.25, 1, 0.03125, 256, 0},
		{bytes, {"g root 1x1/32x8"}, "g", 40960, 1, 6, 40960, 1, 1, 1, 1, 1, 2, 0},
		/* 320 warps' passes of 4 rows: 12 loads of 128 bytes each, and 6 where they are staged; 16 of 64 warps. */
		{stencil, {"g root 1x4/32x1"}, "g", 40960, 1, 6.5, 491520, 1, 1, 0.25, 1, 1, 2, 0},
		{handed, {"g root 1x4/32x1", "f inline"}, "g", 40960, 1, 5, 245760, 1, 1, 0.25, 1, 1, 2, 3},
		/* 3 calls of f a point, of two operations each; 3 loads and a store. */
		{fused, {"g root 1x1/32x8", "f inline"}, "g", 40960, 1, 14, 491520, 1, 1, 1, 1, 1, 2, 3},
		{fused, {"g root 1x1/32x8", "f at g.thread"}, "f", 122880, 122880 / 42240.0, 11 / 3.0, 491520, 1, 0, 1, 1, 1, 2, 0},
		/* A lane's neighbour computes two columns further on, 8 sectors a warp; the next row of f where g reads it turned, 32. */
		{fused_twice, {"g root 1x1/32x8", "f at g.thread"}, "f", 40960, 40960 / 81856.0, 5, 327680, 0.5, 0, 1, 1, 1, 2, 0},
		{fused_turned, {"g root 1x1/32x8", "f at g.thread"}, "f", 40960, 1, 5, 1310720, 0.125, 0, 1, 1, 1, 2, 0},
	};
	for (size_t i = 0; i < N_CASES; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(nest, arena);
		const struct bw_stage_cost *stage = &cost.stages[pipeline->funcs[description_func(pipeline, cases[i].func)].first_stage];
		assert_near(i, "points", stage->points, cases[i].points);
		assert_near(i, "recompute", stage->recompute, cases[i].recompute);
		assert_near(i, "operations", stage->operations, cases[i].operations);
		assert_near(i, "load bytes", stage->global_load_bytes, cases[i].load_bytes);
		assert_near(i, "load efficiency", stage->global_load_efficiency, cases[i].load_efficiency);
		assert_near(i, "store efficiency", stage->global_store_efficiency, cases[i].store_efficiency);
		assert_near(i, "occupancy", stage->occupancy, cases[i].occupancy);
		assert_near(i, "busy SMs", stage->busy_sms, cases[i].busy_sms);
		assert_near(i, "busy lanes", stage->busy_lanes, cases[i].busy_lanes);
		assert_near(i, "waves", stage->waves, cases[i].waves);
		assert_near(i, "inlined calls", stage->inlined_calls, cases[i].inlined_calls);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* g's x moves what is computed of f by two columns. Its y moves what g reads of the same dimension; how far what
 * is computed moves with it is not known, and taken for 1. */
static void threads_move_by_their_own_loop(void **state)
{
	static const char *const entries[] = {"g root 1x1/32x8", "f at g.thread", NULL};
	struct bw_pipeline *pipeline = description_read(spread);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	const struct bw_placed *f = nest->placed[description_func(pipeline, "f")];
	(void)state;
	for (int t = 0; t < 2; t++) {
		assert_int_equal(f->along[t].dim, 0);
		assert_int_equal(f->along[t].far, 2 - t);
	}
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

/* Microseconds of a stage with all lanes and full occupancy, and its cost at several rates. */
static void least_is_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *entries[4];
		double arithmetic, load, store, accesses, lanes, occupancy;
	} cases[] = {
		/* As it stands nothing is idle. A store a point. */
		{copy, {"g root 1x1/32x8"}, 0.024576, 0.16384, 0.16384, 1, 1, 1},
		/* Half of the lanes are idle, in as few warps as possible: half the time for arithmetic if they were not, and no less traffic. */
		{handed, {"g root 1x4/16x1", "f inline"}, 0.02048, 0.16896, 0.16384, 1, 0.5, 0.25},
		/* 5 x 1 blocks: half of the SMs idle, at half the occupancy. 8 rows of 10 sectors for each of 5 blocks and 8 rows. */
		{copy, {"g root 1x8/128x8"}, 0.017408, 0.16384, 0.16384, 1, 1, 0.5},
	};
	for (size_t i = 0; i < N_CASES; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		int g = description_func(pipeline, "g");
		struct bw_context context = bw_context_of(nest, g, 0, arena);
		struct bw_stage_least least;
		bw_least_of(&context, &round_device, arena, &least);
		assert_near(i, "cost", least.ms, cost_of(nest, arena).total);
		assert_near(i, "arithmetic", least.arithmetic * 1e6, cases[i].arithmetic);
		assert_near(i, "load", least.load * 1e6, cases[i].load);
		assert_near(i, "store", least.store * 1e6, cases[i].store);
		assert_near(i, "accesses", least.accesses, cases[i].accesses);
		assert_near(i, "lanes", least.lanes, cases[i].lanes);
		assert_near(i, "occupancy", least.occupancy, cases[i].occupancy);
		const struct bw_placed_stage *own = &nest->placed[g]->stages[0];
		struct bw_least_rates any = bw_least_rates(&round_device, context.kernel.n_blocks, own, false),
				      now = bw_least_rates_now(&least, own);
		assert_near(i, "rate with any block", any.arithmetic, cases[i].lanes * any.memory);
		assert_true(any.arithmetic >= now.arithmetic && any.memory >= now.memory);
		assert_true(bw_least_ms(&least, &any) <= bw_least_ms(&least, &now) * (1 + 1e-12));
		assert_true(bw_least_ms(&least, &now) <= least.ms * (1 + 1e-12));
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
	/* 15 blocks on 10 SMs: two rounds, of which the second is half empty. */
	struct bw_least_rates rates = bw_least_rates(&round_device, 15, NULL, false);
	assert_near(0, "15 blocks", rates.memory, 0.75);
	/* 10 us for the slowest, an eighth of the others' 6. */
	struct bw_stage_least least = {.arithmetic = 3e-6, .load = 1e-6, .store = 4e-6, .shared_load = 2.25e-6, .alone = 0.005};
	assert_near(0, "together", bw_least_ms(&least, &(struct bw_least_rates){0.5, 0.5, 1}), 0.005 + 0.01 + 10.5e-3 / 8);
}

/* Of what does not bind an eighth shows; terms add up to the stage, stages to the whole. */
static void terms_add_up(void **state)
{
	static const char *const entries[] = {"g root 1x1/32x8", "f at g.block 1x1", NULL};
	struct bw_pipeline *pipeline = description_read(fused);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(nest, arena);
	double total = 0;
	for (int s = 0; s < cost.n; s++) {
		double sum = 0;
		for (int t = 0; t < BW_N_TERMS; t++)
			sum += cost.stages[s].terms[t];
		assert_near((size_t)s, "sum of terms", cost.stages[s].ms, sum);
		total += sum;
	}
	assert_near(0, "total", cost.total, total);
	const struct bw_stage_cost *f = &cost.stages[0], *g = &cost.stages[1];
	assert_near(0, "arithmetic of f", f->terms[BW_TERM_ARITHMETIC], f->alone[BW_TERM_ARITHMETIC] / 8);
	assert_near(0, "shared store of f", f->terms[BW_TERM_SHARED_STORE], f->alone[BW_TERM_SHARED_STORE] / 8);
	assert_near(0, "global load of f", f->terms[BW_TERM_GLOBAL_LOAD], f->alone[BW_TERM_GLOBAL_LOAD]);
	assert_near(0, "barrier of f", f->terms[BW_TERM_BARRIER], f->alone[BW_TERM_BARRIER]);
	assert_int_equal(f->bound, BW_TERM_GLOBAL_LOAD);
	assert_int_equal(g->bound, BW_TERM_LAUNCH);
	bw_arena_free(arena);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

/* What is not placed costs nothing, and is read from global memory. */
static void what_is_not_placed_costs_nothing(void **state)
{
	static const char *const entries[] = {"g root 1x1/32x8", NULL};
	struct bw_pipeline *pipeline = description_read(fused);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(nest, arena);
	assert_false(cost.stages[0].placed);
	assert_true(cost.stages[0].ms == 0);
	assert_near(0, "bytes", cost.stages[1].global_load_bytes, 3 * 163840);
	bw_arena_free(arena);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

/* Where a read can go anywhere each load is counted, and a second such read as much as the first. */
static void reads_without_a_bound_are_counted_apart(void **state)
{
#define READ_ANY(from) READ(from, "{'min':null,'max':null},{'min':null,'max':null}", "1", "[[null,null],[null,null]]")
#define TABLE(name) INPUT(name, "float32", XY, "[0,100000],[0,100000]")
	static const char *const texts[] = {DESCRIPTION(TABLE("a"), G640("float32", READ_ANY("a"))), DESCRIPTION(TABLE("a") "," TABLE("b"), G640("float32", READ_ANY("a") "," READ_ANY("b")))};
	static const char *const entries[] = {"g root 1x1/32x8", NULL};
	double loads[2];
	for (int i = 0; i < 2; i++) {
		struct bw_pipeline *pipeline = description_read(texts[i]);
		struct bw_nest *nest = nest_of(pipeline, entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		loads[i] = cost_of(nest, arena).stages[0].alone[BW_TERM_GLOBAL_LOAD];
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
	assert_near(0, "two", loads[1], 2 * loads[0]);
}

#define SUM(most, parallel) FUNC("sum", "1", "float32", "", STAGE("", "[]", "", "") "," STAGE(RLOOP("r", "0", most, parallel), "[]", "'add':{'float32':1}", \
	READ("f", SAME("r"), "1", "[[1]]") "," READ("sum", "", "1", "[]")), OUTPUT(""))
#define LINE_F FUNC("f", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", TWO, READ("in", SAME("x"), "1", "[[1]]")), "")

/* Sizes at the edge: every figure is a number, and costs are not negative. */
static void sizes_at_the_edge_have_costs(void **state)
{
	static const char point[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,1],[-1,3]"),
		FUNC_XY("f", "0", "float32", TWO, READ_SAME("in"), "") "," FUNC_XY("g", "1", "float32", TWO, READ_Y3("f"), OUTPUT("[0,1],[0,1]")));
	static const char empty[] = DESCRIPTION(INPUT("in", "float32", "'x'", "[0,1]"), LINE_F "," SUM("-1", ""));
	static const char empty_parallel[] = DESCRIPTION(INPUT("in", "float32", "'x'", "[0,1]"), LINE_F "," SUM("-1", ",'parallel':true"));
	static const char sum[] = DESCRIPTION(INPUT("in", "float32", "'x'", "[0,1000]"), LINE_F "," SUM("999", ""));
	static const char lone[] = DESCRIPTION("", FUNC("g", "0", "uint8", "", STAGE("", "[]", "", ""), OUTPUT("")));
	static const char wild[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"),
		FUNC_XY("f", "0", "float32", TWO, READ_SAME("in"), "") "," G640("float32", READ("f", "{'min':null,'max':null},{'min':null,'max':null}", "1", "[[null,null],[null,null]]")));
	static const struct {
		const char *text;
		const char *entries[4];
	} cases[] = {
		{point, {"g root 1x1/16x1", "f at g.block 1x1"}}, {point, {"g root 1x1/16x1", "f at g.thread"}}, {point, {"g root 1x1/64x16", "f root 8x8/64x16"}}, {point, {"g root", "f inline"}},
		/* A Func of which nothing is read is never at root, since nothing of it can be launched. */
		{empty, {"sum root", "f inline"}}, {empty, {"sum root", "f at sum.update0.serial0"}}, {empty, {"sum root; update 0: unrolled r", "f inline"}},
		{empty_parallel, {"sum root", "f at sum.update0.serial0"}}, {empty_parallel, {"sum root", "f inline"}},
		{sum, {"sum root", "f root 1/32"}}, {sum, {"sum root", "f at sum.update0.serial0"}}, {lone, {"g root"}}, {wild, {"g root 1x1/32x8", "f inline"}},
		/* A block that no SM holds: 40960 threads, and 160 kB of shared memory. */
		{copy, {"g root; block y; thread x, y 64"}}, {fused, {"g root; block y, x; serial x 640, y 64", "f at g.block 1x1"}},
	};
	for (size_t i = 0; i < N_CASES; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(nest, arena);
		if (!isfinite(cost.total) || cost.total <= 0)
			fail_msg("case %zu: costs %g", i, cost.total);
		for (int s = 0; s < cost.n; s++) {
			const struct bw_stage_cost *stage = &cost.stages[s];
			for (int t = 0; t < BW_N_TERMS; t++)
				if (!isfinite(stage->alone[t]) || stage->alone[t] < 0 || !isfinite(stage->terms[t]) || stage->terms[t] < 0)
					fail_msg("case %zu, stage %d: %s %g", i, s, bw_roofline.terms[t].name, stage->alone[t]);
#define X(name, key, unit, text) \
			if (!isfinite(stage->name) || stage->name < 0 || (!strcmp(unit, "0..1") && stage->name > 1)) \
				fail_msg("case %zu, stage %d: %s %g", i, s, key, stage->name);
			BW_FIGURE_TABLE(X)
#undef X
		}
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* A product of two 64 x 64 matrices, at root: sum over k of a(k, y) b(x, k). */
#define MATRIX(name) INPUT(name, "float32", XY, "[0,64],[0,64]")
#define PRODUCT(ops, reads) FUNC("g", "1", "float32", XY, STAGE(LOOP_XY, EYE2, "", "") "," \
	STAGE(RLOOP("k", "0", "63", "") "," LOOP_XY, "[[0,1,0],[0,0,1]]", ops, reads), OUTPUT("[0,64],[0,64]"))
static const char product[] = DESCRIPTION(MATRIX("a") "," MATRIX("b"),
	PRODUCT("'add':{'float32':1},'mul':{'float32':1}",
		READ("a", SAME("k") "," SAME("y"), "1", "[[1,0,0],[0,0,1]]") "," READ("b", SAME("x") "," SAME("k"), "1", "[[0,1,0],[1,0,0]]") ","
		READ("g", SAME_XY, "1", "[[0,1,0],[0,0,1]]")));

/* While k runs innermost a thread keeps its sums in registers: it loads and stores each once in 64 iterations. A multiplication and the
 * addition of its product are one operation. */
static void sums_stay_in_registers(void **state)
{
	static const struct {
		const char *entry;
		double stores, operations;
	} cases[] = {
		/* 4096 sums, stored once. A point: one fused operation, the addresses of two loads and of 2/64 accesses to the sum, two for a pass. */
		{"g root; block y, x; thread y 8, x 32; update 0: block y, x; thread y 8, x 32; serial k", 4096 * 4, 1 + 2 + 2 / 64.0 + 2},
		/* Two sums a thread, side by side, so that a store of a warp touches twice as many sectors. The load of a serves both: nothing is
		 * stored between them. */
		{"g root; block y, x; thread y 8, x 32; update 0: block y, x; thread y 8, x 32; serial k; unrolled x 2", 2 * 4096 * 4, 1 + 1.5 + 2 / 64.0 + 1},
		/* With k outside of a loop over x that stays a loop nothing is kept: 64 loads and stores of each sum. */
		{"g root; block y, x; thread y 8, x 32; update 0: block y, x; thread y 8, x 2; serial k; serial x 32", 64 * 4096 * 32, 1 + 4 + 2},
	};
	for (size_t i = 0; i < N_CASES; i++) {
		const char *const entries[] = {cases[i].entry, NULL};
		struct bw_pipeline *pipeline = description_read(product);
		struct bw_nest *nest = nest_of(pipeline, entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(nest, arena);
		assert_near(i, "stored bytes", cost.stages[1].global_store_bytes, cases[i].stores);
		assert_near(i, "operations", cost.stages[1].operations, cases[i].operations);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* out(x) = undef or 0; out(2 * r) = 1: of a stage that is undefined no kernel is launched, and no model has a cost. The other's stays, and so do
 * the features, which Halide finds before it removes the stage. */
#define SCATTER(undefined) DESCRIPTION("", FUNC("out", "0", "float32", "'x'", \
	"{'loops':[" LOOP("x") "],'store':[[1]],'ops':{'extern_call':{'float32':1}},'reads':[]" undefined "}," \
	STAGE(RLOOP("r", "0", "2047", ",'parallel':true"), "[[2]]", "'const':{'float32':1}", ""), OUTPUT("[0,4096]")))

static void undefined_stages_cost_nothing(void **state)
{
	static const char *const entries[] = {"out root 1x1/64x64", NULL};
	struct bw_pipeline *pipelines[] = {description_read(SCATTER("")), description_read(SCATTER(",'undefined':true"))};
	struct bw_nest *nests[2];
	struct bw_features *features[2];
	struct bw_feature_limits limits = bw_feature_limits_of(&round_device);
	struct bw_arena *arena = bw_arena_new();
	int n_models, n_kernels;
	const struct bw_cost_model *const *models = bw_cost_models(&n_models);
	for (int i = 0; i < 2; i++) {
		nests[i] = nest_of(pipelines[i], entries, NULL);
		features[i] = bw_nest_features(nests[i], &limits, arena);
		bw_nest_kernels(nests[i], arena, &n_kernels);
		assert_int_equal(n_kernels, 2 - i);
	}
	for (int m = 0; m < n_models; m++) {
		struct bw_cost both = bw_cost_of(models[m], nests[0], &round_device, arena), one = bw_cost_of(models[m], nests[1], &round_device, arena);
		assert_true(both.stages[0].placed && both.stages[0].ms > 0);
		assert_false(one.stages[0].placed);
		assert_true(one.stages[0].ms == 0 && one.stages[1].ms == both.stages[1].ms && one.total == one.stages[1].ms);
	}
	assert_memory_equal(features[0], features[1], 2 * sizeof *features[0]);
	bw_arena_free(arena);
	for (int i = 0; i < 2; i++) {
		bw_nest_drop(nests[i]);
		bw_pipeline_free(pipelines[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_as_worked_out_by_hand),
		cmocka_unit_test(figures_are_as_worked_out_by_hand),
		cmocka_unit_test(threads_move_by_their_own_loop),
		cmocka_unit_test(sums_stay_in_registers),
		cmocka_unit_test(least_is_as_worked_out_by_hand),
		cmocka_unit_test(terms_add_up),
		cmocka_unit_test(what_is_not_placed_costs_nothing),
		cmocka_unit_test(undefined_stages_cost_nothing),
		cmocka_unit_test(reads_without_a_bound_are_counted_apart),
		cmocka_unit_test(sizes_at_the_edge_have_costs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
