/* Nests: how often each Func is computed, kernels, the sites that there are, lanes with work, hashes; and that placing a Func changes
 * nothing of the nest that it is placed in. */
#include <stdio.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "nest/plan.h"
#include "schedule/schedule.h"

#define MAD "'add':{'float32':2},'mul':{'float32':1}"
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)
#define READ_SAME(from) READ(from, SAME_XY, "1", EYE2)

/* in -> e -> f (3 in x) -> g (3 in y). */
static const char chain[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,102],[-1,62]"),
	FUNC_XY("e", "0", "float32", MAD, READ_SAME("in"), "") "," FUNC_XY("f", "1", "float32", MAD, READ_X3("e"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ_Y3("f"), OUTPUT("[0,100],[0,60]")));

/* The same, and g reads e too. */
static const char diamond[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,102],[-1,62]"),
	FUNC_XY("e", "0", "float32", MAD, READ_SAME("in"), "") "," FUNC_XY("f", "1", "float32", MAD, READ_X3("e"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ_Y3("f") "," READ_SAME("e"), OUTPUT("[0,100],[0,60]")));

/* A tuple of uint8 and float32; a sum over r without dimensions; four dimensions. */
static const char total[] = DESCRIPTION(
	INPUT("in", "float32", "'x'", "[0,1000]"),
	FUNC("part", "0", "uint8','float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", READ("in", SAME("x"), "1", "[[1]]")), "") ","
	FUNC("sum", "1", "float32", "", STAGE("", "[]", "", "") "," STAGE(RLOOP("r", "0", "999", ""), "[]", "'add':{'float32':1}",
		READ("part", SAME("r"), "1", "[[1]]") "," READ("sum", "", "1", "[]")), "") ","
	FUNC("g", "2", "float32", "", STAGE("", "[]", "", READ("sum", "", "1", "[]")), OUTPUT("")));
static const char four[] = DESCRIPTION("",
	FUNC("g", "0", "float32", XY ",'z','w'", STAGE(LOOP_XY "," LOOP("z") "," LOOP("w"), "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]", MAD, ""), OUTPUT("[0,64],[0,32],[0,6],[0,5]")));

/* Points of the Func that are computed in all, points that are needed, times that its site is reached, calls of an inlined Func; and the points
 * without the idle iterations of the tails of those that call it: 3 x 6,000 where 3 x 6,720 lanes run. */
static void points_are_counted(void **state)
{
	static const struct {
		const char *text;
		const char *entries[5];
		const char *func;
		double points, minimum, realizations, calls, busy;
	} cases[] = {
		/* 7 x 15 blocks of 16 x 4 threads, 112 x 60: those of the tail that are idle do not count. */
		{chain, {"g root 1x1/16x4"}, "g", 6000, 6000, 1, 0, 6000},
		{chain, {"g root 1x1/16x4", "f root 1x1/16x4"}, "f", 6200, 6200, 1, 0, 6200},
		/* 105 blocks of 16 x 6 points; 6720 threads of 3. */
		{chain, {"g root 1x1/16x4", "f at g.block 1x1"}, "f", 10080, 6200, 105, 0, 10080},
		{chain, {"g root 1x1/16x4", "f at g.thread"}, "f", 20160, 6200, 6720, 0, 20160},
		/* Four points a thread, of 6 rows. */
		{chain, {"g root 1x1/16x4", "f at g.block 1x4"}, "f", 10080, 6200, 105, 0, 10080},
		/* One serial iteration of a thread's two. */
		{chain, {"g root 1x2/16x4", "f at g.serial0"}, "f", 21504, 6200, 7168, 0, 21504},
		{chain, {"g root 1x1/16x4", "f inline"}, "f", 20160, 6200, 1, 3, 18000},
		{chain, {"g root 1x1/16x4", "f inline", "e inline"}, "e", 60480, 6324, 1, 9, 54000},
		/* In a thread of f's, of 16 x 6 threads in 105 blocks. */
		{chain, {"g root 1x1/16x4", "f at g.block 1x1", "e at f.thread"}, "e", 30240, 6324, 10080, 0, 30240},
		{diamond, {"g root 1x1/16x4", "f at g.block 1x1", "e inline"}, "e", 36960, 6324, 1, 4, 36240},
		{diamond, {"g root 1x1/16x4", "f inline", "e inline"}, "e", 67200, 6324, 1, 10, 60000},
		{total, {"g root", "sum root", "part inline"}, "part", 1000, 1000, 1, 1, 1000},
		{total, {"g root", "sum root"}, "sum", 1, 1, 1, 0, 1},
		/* Blocks of 16 x 2 x 1 x 1 with 2 in z a thread: 4 x 16 x 3 x 5. */
		{four, {"g root 1x1x2x1/16x2x1x1"}, "g", 61440, 61440, 1, 0, 61440},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		const struct bw_placed *placed = nest->placed[description_func(pipeline, cases[i].func)];
		double realizations = cases[i].calls ? placed->realizations : cases[i].realizations;
		if (placed->points != cases[i].points || placed->minimum_points != cases[i].minimum || placed->realizations != realizations || placed->calls != cases[i].calls)
			fail_msg("case %zu: %g points of %g, %g realizations, %g calls", i, placed->points, placed->minimum_points, placed->realizations, placed->calls);
		double busy = bw_busy_points(nest, description_func(pipeline, cases[i].func));
		if (busy != cases[i].busy)
			fail_msg("case %zu: %g points without idle iterations", i, busy);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

static void kernels_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *entries[5];
		const char *func;
		int stage;
		int64_t blocks[3], threads[3], shared, registers;
		int kernels, members;
	} cases[] = {
		{chain, {"g root 1x1/16x4"}, "g", 0, {7, 15, 1}, {16, 4, 1}, 0, 0, 1, 0},
		/* The block is as large as its largest stage: f's 16 x 6. e's 18 x 6 floats are 432 bytes, f's 16 x 6 are 384. */
		{chain, {"g root 1x1/16x4", "f at g.block 1x1"}, "g", 0, {7, 15, 1}, {16, 6, 1}, 384, 0, 1, 1},
		{chain, {"g root 1x1/16x4", "f at g.block 1x1", "e at g.block 1x1"}, "g", 0, {7, 15, 1}, {18, 6, 1}, 816, 0, 1, 2},
		{chain, {"g root 1x1/16x4", "f at g.block 1x1", "e at f.thread"}, "g", 0, {7, 15, 1}, {16, 6, 1}, 384, 12, 1, 2},
		{chain, {"g root 1x1/16x4", "f at g.block 1x1", "e inline"}, "g", 0, {7, 15, 1}, {16, 6, 1}, 384, 0, 1, 1},
		{chain, {"g root 1x1/16x4", "f at g.thread", "e at g.thread"}, "g", 0, {7, 15, 1}, {16, 4, 1}, 0, 48, 1, 2},
		{chain, {"g root 1x1/16x4", "f root 1x1/32x8", "e at f.block 1x1"}, "f", 0, {4, 8, 1}, {34, 8, 1}, 1088, 0, 2, 1},
		{chain, {"g root 1x1/16x4", "f root 1x1/32x8", "e root 2x2/8x8"}, "e", 0, {7, 4, 1}, {8, 8, 1}, 0, 0, 3, 0},
		/* Components lie apart: 1 byte and 4. The sum is one thread. */
		{total, {"g root", "sum root", "part at sum.update0.serial0"}, "sum", 1, {1, 1, 1}, {1, 1, 1}, 0, 5, 3, 1},
		{total, {"g root", "sum root", "part root 1/32"}, "part", 0, {32, 1, 1}, {32, 1, 1}, 0, 0, 4, 0},
		/* Block loops beyond the third are fused into z: 3 x 5. */
		{four, {"g root 1x1x2x1/16x2x1x1"}, "g", 0, {4, 16, 15}, {16, 2, 1}, 0, 0, 1, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_kernel kernel = bw_nest_kernel(nest, description_func(pipeline, cases[i].func), cases[i].stage, arena);
		int n;
		bw_nest_kernels(nest, arena, &n);
		for (int d = 0; d < 3; d++)
			if (kernel.blocks[d] != cases[i].blocks[d] || kernel.threads[d] != cases[i].threads[d])
				fail_msg("case %zu: %lld blocks, %lld threads in %c", i, (long long)kernel.blocks[d], (long long)kernel.threads[d], "xyz"[d]);
		if (kernel.shared_bytes != cases[i].shared || kernel.register_bytes != cases[i].registers || n != cases[i].kernels || kernel.n_members != cases[i].members)
			fail_msg("case %zu: %lld bytes shared, %lld a thread, %d kernels, %d members", i, (long long)kernel.shared_bytes, (long long)kernel.register_bytes, n, kernel.n_members);
		assert_true(kernel.n_blocks == (double)(kernel.blocks[0] * kernel.blocks[1] * kernel.blocks[2]));
		assert_true(kernel.n_threads == kernel.threads[0] * kernel.threads[1] * kernel.threads[2]);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* g of 64 x 64 x 64 reads f up to 2 * 10^9 points further on in each dimension: 8 * 10^27 points, in shared memory, a thread, a thread's loops or
 * as threads more than any count holds. What cannot be is not taken for little. */
static void sizes_beyond_all_are_not_taken_for_little(void **state)
{
#define FAR(name) BOUND(MIN(name), "['+'," MAX(name) ",2000000000]")
#define LOOP_XYZ LOOP_XY "," LOOP("z")
#define EYE3 "[[1,0,0],[0,1,0],[0,0,1]]"
	static const char far[] = DESCRIPTION("",
		FUNC("f", "0", "float64", XY ",'z'", STAGE(LOOP_XYZ, EYE3, "", ""), "") ","
		FUNC("g", "1", "float64", XY ",'z'", STAGE(LOOP_XYZ, EYE3, "", READ("f", FAR("x") "," FAR("y") "," FAR("z"), "1", EYE3)), OUTPUT("[0,64],[0,64],[0,64]")));
	static const struct {
		const char *entries[4];
		bool shared, registers, threads, serial;
	} cases[] = {
		{{"g root 1x1x1/8x8x1", "f at g.block"}, true, false, true, false},
		{{"g root 1x1x1/8x8x1", "f at g.thread store g.block"}, true, false, false, true},
		{{"g root 1x1x1/8x8x1", "f at g.thread"}, false, true, false, true},
		{{"g root 1x1x1/8x8x1", "f at g.thread in stack"}, false, true, false, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(far);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_kernel kernel = bw_nest_kernel(nest, description_func(pipeline, "g"), 0, arena);
		const int64_t much = (int64_t)1 << 50;
		if ((kernel.shared_bytes > much) != cases[i].shared || (kernel.register_bytes > much) != cases[i].registers || (kernel.n_threads > much) != cases[i].threads ||
		    (nest->placed[description_func(pipeline, "f")]->stages[0].serial > much) != cases[i].serial)
			fail_msg("case %zu: %lld bytes shared, %lld a thread, %lld threads", i, (long long)kernel.shared_bytes, (long long)kernel.register_bytes, (long long)kernel.n_threads);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

static void shared_components_lie_together(void **state)
{
	static const char text[] = DESCRIPTION(
		INPUT("in", "float32", XY, "[0,100],[0,60]"),
		FUNC_XY("pair", "0", "uint8','float32", MAD, READ_SAME("in"), "") ","
		FUNC_XY("g", "1", "float32", MAD, READ_SAME("pair"), OUTPUT("[0,100],[0,60]")));
	static const char *const entries[] = {"g root 1x1/10x3", "pair at g.block 1x1", NULL};
	struct bw_pipeline *pipeline = description_read(text);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_arena *arena = bw_arena_new();
	/* 30 points: 120 bytes of floats, then 30 bytes, rounded up to whole floats. */
	assert_int_equal(bw_nest_kernel(nest, description_func(pipeline, "g"), 0, arena).shared_bytes, 152);
	bw_arena_free(arena);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

/* in -> a -> b -> c -> d -> g, point by point but for a: 12 points of a, of 2 bytes, for 10 of the others; of 4, 1, 2 and 4 bytes. d reads
 * whatever `more` says too. */
#define LINE(name, handle, type, reads, more) FUNC(name, handle, type, "'x'", STAGE(LOOP("x"), "[[1]]", MAD, reads), more)
#define AT(from) READ(from, SAME("x"), "1", "[[1]]")
#define LINES(reads_of_d) DESCRIPTION(INPUT("in", "float32", "'x'", "[-1,102]"), \
	LINE("a", "0", "int16", AT("in"), "") "," LINE("b", "1", "float32", READ("a", SPAN("x", "-1", "1"), "3", "[[1]]"), "") "," \
	LINE("c", "2", "uint8", AT("b"), "") "," LINE("d", "3", "int16", reads_of_d, "") "," \
	LINE("e", "4", "float32", AT("d"), "") "," LINE("g", "5", "float32", AT("e"), OUTPUT("[0,100]")))

/* The kernel of g has so many bytes of shared memory under these entries. */
static void takes_shared(const char *text, const char *const *entries, int64_t bytes)
{
	struct bw_pipeline *pipeline = description_read(text);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_arena *arena = bw_arena_new();
	int64_t shared = bw_nest_kernel(nest, description_func(pipeline, "g"), 0, arena).shared_bytes;
	if (shared != bytes)
		fail_msg("%s ...: %lld bytes, not %lld", entries[1], (long long)shared, (long long)bytes);
	bw_arena_free(arena);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

/* What is read no more gives its place to what comes after. Threads meet after each Func: a is there from stage 0 to 1, where b reads it, b from 1
 * to 2, and so on. */
static void shared_allocations_follow_each_other(void **state)
{
	static const struct {
		const char *text;
		const char *entries[7];
		int64_t shared;
	} cases[] = {
		/* Two: a's 24 bytes and b's 40 are there at once. */
		{LINES(AT("c")), {"g root 1/10", "e inline", "d inline", "c inline", "b at g.block 1", "a at g.block 1"}, 64},
		/* c's 10 bytes take a's place: 12 of 2, and 40. */
		{LINES(AT("c")), {"g root 1/10", "e inline", "d inline", "c at g.block 1", "b at g.block 1", "a at g.block 1"}, 64},
		/* d's 20 take b's place, which is the one that is free. */
		{LINES(AT("c")), {"g root 1/10", "e inline", "d at g.block 1", "c at g.block 1", "b at g.block 1", "a at g.block 1"}, 64},
		/* e's 40 take that of a and c: it grows to 10 of 4 bytes. */
		{LINES(AT("c")), {"g root 1/10", "e at g.block 1", "d at g.block 1", "c at g.block 1", "b at g.block 1", "a at g.block 1"}, 80},
		/* d reads a, through b that is inlined, and c: nothing is free until e comes, which fits a's 24 bytes best. 40 + 10 + 20, in whole floats. */
		{LINES(AT("b") "," AT("c")), {"g root 1/10", "e at g.block 1", "d at g.block 1", "c at g.block 1", "b inline", "a at g.block 1"}, 72},
		/* d reads b and c: then a gives its place to c. b is there from 1 to 3 and c from 2 to 3, so that e at 4 finds both places, of 40 bytes
		 * (its own size) and 24; d at 3 finds none. 40 + 24 + 20. */
		{LINES(AT("b") "," AT("c")), {"g root 1/10", "e at g.block 1", "d at g.block 1", "c at g.block 1", "b at g.block 1", "a at g.block 1"}, 84},
		/* c in a thread of d reads b there: the threads do not meet in between. d takes a's place and e that of b. */
		{LINES(AT("c")), {"g root 1/10", "e at g.block 1", "d at g.block 1", "c at d.thread", "b at g.block 1", "a at g.block 1"}, 64},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		takes_shared(cases[i].text, cases[i].entries, cases[i].shared);
}

/* g reads p, which reads o, and q; 10 points of each are 20, 40 and 10 bytes. What g calls is made in the order of names, whatever order the
 * description has: where that of p comes first, o is read no more when q comes, which takes its place; else all are there at once. */
#define FORK(o, p, q) DESCRIPTION(INPUT("in", "float32", "'x'", "[0,100]"), \
	LINE(o, "0", "float32", AT("in"), "") "," LINE(q, "2", "uint8", AT("in"), "") "," LINE(p, "1", "int16", AT(o), "") "," \
	LINE("g", "3", "float32", AT(p) "," AT(q), OUTPUT("[0,100]")))
static void shared_allocations_are_made_in_halides_order(void **state)
{
	static const struct {
		const char *text;
		const char *entries[5];
		int64_t shared;
	} cases[] = {
		/* o, p, q: 40 and 20. */
		{FORK("o", "p", "q"), {"g root 1/10", "p at g.block 1", "q at g.block 1", "o at g.block 1"}, 60},
		/* a, o, p: 40, 20 and 10, in whole floats. */
		{FORK("o", "p", "a"), {"g root 1/10", "p at g.block 1", "a at g.block 1", "o at g.block 1"}, 72},
		/* z comes with p, the first of g's. */
		{FORK("z", "p", "q"), {"g root 1/10", "p at g.block 1", "q at g.block 1", "z at g.block 1"}, 60},
		/* p10 is before p2. */
		{FORK("o", "p2", "p10"), {"g root 1/10", "p2 at g.block 1", "p10 at g.block 1", "o at g.block 1"}, 72},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		takes_shared(cases[i].text, cases[i].entries, cases[i].shared);
}

/* All sites of a Func, outermost first. */
static void sites_are_those_that_enclose_all_consumers(void **state)
{
	static const struct {
		const char *text;
		const char *entries[5];
		const char *func, *sites;
	} cases[] = {
		{chain, {"g root 1x1/16x4"}, "f", "at g.block, at g.thread"},
		{chain, {"g root 1x2/16x4"}, "f", "at g.block, at g.thread, at g.serial0"},
		{chain, {"g root 2x2/16x4"}, "f", "at g.block, at g.thread, at g.serial0, at g.serial1"},
		{chain, {"g root 1x1/16x4"}, "g", ""},
		{chain, {"g root 1x1/16x4", "f inline"}, "e", "at g.block, at g.thread"},
		{chain, {"g root 1x1/16x4", "f root 1x1/16x4"}, "e", "at f.block, at f.thread"},
		{chain, {"g root 1x1/16x4", "f at g.block 1x1"}, "e", "at g.block, at f.thread"},
		{chain, {"g root 2x1/16x4", "f at g.block 1x2"}, "e", "at g.block, at f.thread, at f.serial0"},
		{chain, {"g root 2x1/16x4", "f at g.thread"}, "e", "at g.block, at g.thread, at f.serial0, at f.serial1"},
		{diamond, {"g root 1x1/16x4", "f root 1x1/16x4"}, "e", ""},
		{diamond, {"g root 2x1/16x4", "f at g.block 1x1"}, "e", "at g.block"},
		{diamond, {"g root 2x1/16x4", "f at g.thread"}, "e", "at g.block, at g.thread"},
		{diamond, {"g root 2x1/16x4", "f at g.serial0"}, "e", "at g.block, at g.thread, at g.serial0"},
		{diamond, {"g root 2x1/16x4", "f inline"}, "e", "at g.block, at g.thread, at g.serial0"},
		{total, {"g root", "sum root"}, "part", "at sum.update0.serial0"},
		{total, {"g root"}, "sum", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_site sites[16];
		struct bw_text text = {0};
		int n = bw_nest_sites(nest, description_func(pipeline, cases[i].func), sites, 16);
		for (int s = 0; s < n; s++) {
			bw_text_puts(&text, s ? ", " : "");
			bw_site_print(pipeline, &sites[s], &text);
		}
		if (strcmp(bw_text_get(&text), cases[i].sites))
			fail_msg("case %zu: %s; expected %s", i, bw_text_get(&text), cases[i].sites);
		for (int most = 0; most <= n; most++)
			assert_in_range(bw_nest_sites(nest, description_func(pipeline, cases[i].func), sites, most), 0, most);
		bw_text_free(&text);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* Every site that is there can be placed at. */
static void sites_can_be_placed_at(void **state)
{
	static const char *const entries[] = {"g root 2x2/16x4", "f at g.block 1x2", NULL};
	struct bw_pipeline *pipeline = description_read(chain);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_site sites[16];
	int e = description_func(pipeline, "e"), n = bw_nest_sites(nest, e, sites, 16);
	assert_int_equal(n, 3);
	for (int s = 0; s < n; s++) {
		struct bw_error error = {0};
		const struct bw_placement *placement = sites[s].role == BW_ROLE_BLOCK ? bw_plan_at_block(pipeline, e, &sites[s], NULL) : bw_plan_in_thread(pipeline, e, &sites[s]);
		struct bw_nest *child = bw_nest_place(nest, placement, &error);
		if (!child)
			fail_msg("%s", error.text);
		bw_nest_drop(child);
		bw_placement_drop(placement);
	}
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

/* All that is known of a placed Func, as bytes. */
static uint64_t fingerprint(const struct bw_nest *nest)
{
	uint64_t hash = (uint64_t)nest->n_placed;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (!placed)
			continue;
		hash = hash * 31 + placed->hash + (uint64_t)placed->bytes + (uint64_t)placed->points + (uint64_t)placed->realizations;
		for (int r = 0; r < placed->n_regions; r++)
			for (int d = 0; d < placed->n_dims; d++)
				hash = hash * 31 + (uint64_t)(placed->regions[r].required[d].min ^ placed->regions[r].computed[d].max << 20);
	}
	return hash;
}

static void placing_changes_nothing_of_the_parent(void **state)
{
	static const char *const entries[] = {"g root 2x2/16x4", NULL}, *const children[] = {"f inline", "f root 1x1/32x8", "f at g.block 3x1", "f at g.serial1"};
	struct bw_pipeline *pipeline = description_read(chain);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL), *child[4];
	int f = description_func(pipeline, "f"), g = description_func(pipeline, "g");
	uint64_t before = fingerprint(nest), own[4];
	for (int i = 0; i < 4; i++) {
		struct bw_error error = {0};
		const struct bw_placement *placement = bw_placement_parse(pipeline, children[i], &error);
		child[i] = bw_nest_place(nest, placement, &error);
		bw_placement_drop(placement);
		if (!child[i])
			fail_msg("%s", error.text);
		own[i] = fingerprint(child[i]);
		assert_ptr_equal(child[i]->placed[g], nest->placed[g]);
		assert_int_equal(child[i]->n_placed, 2);
		assert_null(nest->placed[f]);
	}
	assert_true(fingerprint(nest) == before);
	bw_nest_drop(nest);
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < i; k++)
			assert_false(own[k] == own[i]);
		assert_true(fingerprint(child[i]) == own[i]);
		bw_nest_drop(child[i]);
	}
	bw_pipeline_free(pipeline);
}

/* What stands in a schedule without its consumers, and a nest that lacks something. */
static void nests_are_complete_when_all_is_placed_and_tiled(void **state)
{
	static const struct {
		const char *entries[5];
		int placed;
		bool complete;
	} cases[] = {
		{{"g root 1x1/16x4", "f inline", "e inline"}, 3, true},
		{{"g root 1x1/16x4", "f inline"}, 2, false},
		{{"g root 1x1/16x4", "f inline", "e root"}, 3, false},
		{{"g root 1x1/16x4", "f root 1x1/16x4", "e root 1x1/16x4"}, 3, true},
		{{"f inline", "e inline"}, 0, false},
		{{"g root 1x1/16x4", "e inline"}, 1, false},
	};
	struct bw_pipeline *pipeline = description_read(chain);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		if (nest->n_placed != cases[i].placed || bw_nest_complete(nest) != cases[i].complete)
			fail_msg("case %zu: %d placed", i, nest->n_placed);
		bw_nest_drop(nest);
	}
	bw_pipeline_free(pipeline);
}

static void lanes_with_work(void **state)
{
	static const struct {
		int64_t block[3], threads[3];
		double busy;
	} cases[] = {
		{{32, 1, 1}, {32, 1, 1}, 1},
		{{32, 8, 1}, {32, 8, 1}, 1},
		{{16, 4, 1}, {16, 4, 1}, 1},
		{{100, 1, 1}, {100, 1, 1}, 100.0 / 128},
		{{16, 6, 1}, {16, 6, 1}, 1},
		{{18, 6, 1}, {18, 6, 1}, 108.0 / 128},
		/* 16 of a row of 18 in 4 of 6 rows: threads 0..15, 18..33, 36..51, 54..69 touch the warps 0, 1, 2. */
		{{18, 6, 1}, {16, 4, 1}, 64.0 / 96},
		/* Half a warp of each row of 64: a warp a row. */
		{{64, 4, 1}, {16, 4, 1}, 0.5},
		{{32, 8, 1}, {1, 8, 1}, 1.0 / 32},
		{{32, 8, 1}, {1, 1, 1}, 1.0 / 32},
		/* Rows of 8: two of 32 in z apart by 64, all of a warp each. */
		{{8, 8, 2}, {8, 4, 2}, 1},
		{{8, 8, 2}, {8, 4, 1}, 1},
		{{8, 8, 2}, {4, 8, 2}, 0.5},
		/* Many rows: as many warps as rows of 33 that begin anywhere: 33 * 32 threads are 33 warps, 32 of each 33 in them work. */
		{{33, 64, 1}, {32, 64, 1}, 2048.0 / (66 * 32)},
		{{48, 1000000, 1000}, {48, 1000000, 1000}, 1},
		{{48, 1000000, 1000}, {16, 1000000, 1000}, 0.5},
		{{32, 1000000, 1000000}, {16, 500000, 1000000}, 0.5},
		/* Nothing to do: no lane is idle. */
		{{32, 8, 1}, {0, 8, 1}, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double busy = bw_busy_lanes(cases[i].block, cases[i].threads, 32);
		if (busy != cases[i].busy)
			fail_msg("case %zu: %g, expected %g", i, busy, cases[i].busy);
	}
}

/* Each Func is read by the next two, all inlined: paths double from one to the next, work must not. */
static void a_long_chain_of_inlined_funcs_takes_no_time(void **state)
{
	enum { N = 60 };
	struct bw_text text = {0}, funcs = {0};
	bw_text_puts(&funcs, FUNC("f0", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", READ("in", SAME("x"), "1", "[[1]]")), ""));
	for (int i = 1; i <= N; i++) {
		bw_text_printf(&funcs, ",{'name':'f%d','handle':%d,'definition':'0123456789abcdef','types':['float32'],'dims':['x'],'stages':[{'loops':[%s],'store':[[1]],'reads':[%s",
			i, i, LOOP("x"), "");
		for (int p = i - 1; p >= 0 && p >= i - 2; p--)
			bw_text_printf(&funcs, "%s{'from':'f%d','box':[%s],'loads':[{'count':1,'jacobian':[[1]]}]}", p == i - 1 ? "" : ",", p, SAME("x"));
		bw_text_printf(&funcs, "]}]%s}", i == N ? OUTPUT("[0,100]") : "");
	}
	bw_text_printf(&text, "{'beamwalk-pipeline':1,'name':'test','halide':'14.0.0','parameters':[],'inputs':[%s],'funcs':[%s]}", INPUT("in", "float32", "'x'", "[0,100]"), bw_text_get(&funcs));
	struct bw_pipeline *pipeline = description_read(bw_text_get(&text));
	char entries[N + 1][32];
	const char *list[N + 2] = {NULL};
	for (int i = 0; i < N; i++)
		snprintf(entries[i], sizeof entries[i], "f%d inline", i);
	snprintf(entries[0], sizeof entries[0], "f0 at f%d.block 1", N);
	snprintf(entries[N], sizeof entries[N], "f%d root 1/32", N);
	for (int i = 0; i <= N; i++)
		list[i] = entries[i];
	struct bw_nest *nest = nest_of(pipeline, list, NULL);
	assert_int_equal(nest->n_placed, N + 1);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
	bw_text_free(&text);
	bw_text_free(&funcs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_counted),
		cmocka_unit_test(kernels_are_as_worked_out_by_hand),
		cmocka_unit_test(sizes_beyond_all_are_not_taken_for_little),
		cmocka_unit_test(shared_components_lie_together),
		cmocka_unit_test(shared_allocations_follow_each_other),
		cmocka_unit_test(shared_allocations_are_made_in_halides_order),
		cmocka_unit_test(sites_are_those_that_enclose_all_consumers),
		cmocka_unit_test(sites_can_be_placed_at),
		cmocka_unit_test(placing_changes_nothing_of_the_parent),
		cmocka_unit_test(nests_are_complete_when_all_is_placed_and_tiled),
		cmocka_unit_test(a_long_chain_of_inlined_funcs_takes_no_time),
		cmocka_unit_test(lanes_with_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
