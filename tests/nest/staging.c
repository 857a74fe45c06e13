/* Staging: what becomes of each producer that a stage loads, with loads and bytes worked out by hand; where a wrapper is computed and whose calls it
 * takes; what the kernel's bytes a thread are with it. */
#include <stdio.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "nest/staging.h"

#define IN INPUT("in", "float32", XY, "[-8,120],[-8,80]")
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)
#define READ_SAME(from) READ(from, SAME_XY, "1", EYE2)
#define CLAMPED(of) "['max',['min'," of ",100],0]"
#define READ_CLAMPED(from) READ(from, BOUND(CLAMPED(MIN("x")), CLAMPED(MAX("x"))) "," SAME("y"), "1", "[[null,0],[0,1]]")
#define G(reads) FUNC_XY("g", "9", "float32", "", reads, OUTPUT("[0,128],[0,64]"))

/* in -> e -> f (3 in x) -> g (3 in y). */
static const char chain[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," FUNC_XY("f", "1", "float32", "", READ_X3("e"), "") "," G(READ_Y3("f")));
/* The same, and g reads e too. */
static const char diamond[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," FUNC_XY("f", "1", "float32", "", READ_X3("e"), "") "," G(READ_Y3("f") "," READ_SAME("e")));
/* in -> e -> d (3 in x) -> f (3 in y) -> g, which reads d too. */
static const char twice[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," FUNC_XY("d", "1", "float32", "", READ_X3("e"), "") ","
	FUNC_XY("f", "2", "float32", "", READ_Y3("d"), "") "," G(READ_SAME("f") "," READ_SAME("d")));
/* in -> e -> b, at its border what is nearest -> g (3 in x). */
static const char border[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," FUNC_XY("b", "1", "float32", "", READ_CLAMPED("e"), "") "," G(READ_X3("b")));
/* in -> f (3 in x) -> g (3 in y): nothing hands the input on. */
static const char bare[] = DESCRIPTION(IN, FUNC_XY("f", "1", "float32", "", READ_X3("in"), "") "," G(READ_Y3("f")));
/* in -> e -> g (3 in x). */
static const char bare3[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," G(READ_X3("e")));
/* g = 3 of e in x, then an update that adds as many. */
static const char updated[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") ","
	FUNC("g", "9", "float32", XY, STAGE(LOOP_XY, EYE2, "", READ_X3("e")) "," STAGE(LOOP_XY, EYE2, "", READ_SAME("g") "," READ_X3("e")), OUTPUT("[0,128],[0,64]")));

/* g adds up in(k, y) over k. */
static const char sums[] = DESCRIPTION(IN, FUNC("g", "9", "float32", XY, STAGE(LOOP_XY, EYE2, "", "") ","
	STAGE(RLOOP("k", "0", "7", "") "," LOOP_XY, "[[0,1,0],[0,0,1]]", "", READ("g", SAME_XY, "1", "[[0,1,0],[0,0,1]]") "," READ("in", SAME("k") "," SAME("y"), "1", "[[1,0,0],[0,0,1]]")), OUTPUT("[0,128],[0,64]")));

/* in -> e -> g, which reads as many as a parameter says before and after: 1, by its estimate. */
static const char window[] = "{'beamwalk-pipeline':1,'name':'test','halide':'14.0.0','parameters':[{'name':'n','type':'int32','estimate':1}],'inputs':[" IN "],'funcs':["
	FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," G(READ("e", BOUND("['-'," MIN("x") ",{'param':'n'}]", "['+'," MAX("x") ",{'param':'n'}]") "," SAME("y"), "3", EYE2)) "]}";

/* in -> e -> m (3 in x) -> g, which reads m at x / 2. */
static const char halved[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," FUNC_XY("m", "1", "float32", "", READ_X3("e"), "") ","
	G(READ("m", BOUND("['/'," MIN("x") ",2]", "['/'," MAX("x") ",2]") "," SAME("y"), "1", "[[[1,2],0],[0,1]]")));

/* in -> e -> m (3 in x) -> g, which reads m at the nearest of columns 0 to 99. */
#define NEAREST(of) "['max',['min'," of ",99],0]"
static const char nearest[] = DESCRIPTION(IN, FUNC_XY("e", "0", "float32", "", READ_SAME("in"), "") "," FUNC_XY("m", "1", "float32", "", READ_X3("e"), "") ","
	G(READ("m", BOUND(NEAREST(MIN("x")), NEAREST(MAX("x"))) "," SAME("y"), "1", "[[null,0],[0,1]]")));

/* Of one stage and one producer: the verdict, the Func that it names or "", the Func that is wrapped or "", loads before and after, bytes, and the
 * Funcs whose calls are replaced. */
static void verdicts_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text, *entries[5], *func;
		int stage;
		const char *producer;
		enum bw_staging_verdict verdict;
		const char *named, *wrapped;
		double before, after;
		int64_t bytes;
		const char *readers, *site;
	} cases[] = {
		/* 4 points of 9 loads each; 3 x 6 values. */
		{chain, {"g root 1x4/32x8", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_STAGED, "", "e", 36, 18, 72, "f", "at g.thread"},
		{chain, {"g root 1x1/32x8", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_ONCE, "", "", 9, 9, 36, "", ""},
		/* In the first of two loops there is nothing unrolled: a pass is a point. */
		{chain, {"g root; block y, x; thread y 8, x 32; serial y 4", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_ONCE, "", "", 9, 9, 36, "", ""},
		/* f is stored by g's blocks: the compiler keeps what g loads of it. f loads 2 points of 3 in x: 4 values. */
		{chain, {"g root 1x4/32x8", "f at g.block 2x1", "e inline"}, "g", 0, "f", BW_STAGING_KEPT, "", "", 12, 6, 24, "", ""},
		{chain, {"g root 1x4/32x8", "f at g.block 2x1", "e inline"}, "f", 0, "in", BW_STAGING_STAGED, "", "e", 6, 4, 16, "f", "at f.thread"},
		{chain, {"g root 1x4/32x8", "f at g.block 1x2", "e inline"}, "f", 0, "in", BW_STAGING_ONCE, "", "", 6, 6, 24, "", ""},
		/* 32 points in steps of 3. */
		{chain, {"g root 1x4/32x8", "f at g.block 3x1", "e inline"}, "f", 0, "in", BW_STAGING_GUARD, "", "e", 9, 5, 20, "", ""},
		/* 64 columns of m are a whole number of fours, but Halide does not see where a half ends. */
		{halved, {"g root 1x1/32x8", "m root; block y, x; thread x 16 shift_inwards; unrolled x 4", "e root"}, "m", 0, "e", BW_STAGING_STAGED, "", "e", 12, 6, 24, "m", "at m.thread"},
		{halved, {"g root 1x1/32x8", "m root; block y, x; thread x 16 guard_with_if; unrolled x 4", "e root"}, "m", 0, "e", BW_STAGING_GUARD, "", "e", 12, 6, 24, "", ""},
		/* 100 columns of m are, too, but how many there are Halide does not know of where the output begins. */
		{nearest, {"g root 1x1/32x8", "m root; block y, x; thread x 16 shift_inwards; unrolled x 4", "e root"}, "m", 0, "e", BW_STAGING_STAGED, "", "e", 12, 6, 24, "m", "at m.thread"},
		{nearest, {"g root 1x1/32x8", "m root; block y, x; thread x 16 guard_with_if; unrolled x 4", "e root"}, "m", 0, "e", BW_STAGING_GUARD, "", "e", 12, 6, 24, "", ""},
		/* What a pair reads one column before ends in its second point where its first begins; of three, one later. Read at one place only, it ends nowhere else. */
		{bare3, {"g root; block y, x; thread x 16 guard_with_if; unrolled x 2", "e root"}, "g", 0, "e", BW_STAGING_GUARD, "", "e", 6, 4, 16, "", ""},
		{bare3, {"g root; block y, x; thread x 16 guard_with_if; unrolled x 4", "e root"}, "g", 0, "e", BW_STAGING_STAGED, "", "e", 12, 6, 24, "g", "at g.thread"},
		{bare3, {"g root; block y, x; thread x 16 shift_inwards; unrolled x 2", "e root"}, "g", 0, "e", BW_STAGING_STAGED, "", "e", 6, 4, 16, "g", "at g.thread"},
		{chain, {"g root; block y, x; thread y 8 guard_with_if, x 32; unrolled y 2", "f inline", "e root"}, "g", 0, "e", BW_STAGING_GUARD, "", "e", 18, 12, 48, "", ""},
		{chain, {"g root; block y, x; thread y 8, x 32 guard_with_if; unrolled y 2", "f inline", "e root"}, "g", 0, "e", BW_STAGING_STAGED, "", "e", 18, 12, 48, "f", "at g.thread"},
		/* f and e by g's blocks: f loads shared memory and stores it. */
		{chain, {"g root 1x4/32x8", "f at g.block 2x1", "e at g.block"}, "f", 0, "e", BW_STAGING_STAGED, "", "e", 6, 4, 16, "f", "at f.thread"},
		/* f in g's threads, all unrolled: 1 x 6 points of 3. In 2 x 2 threads, 2 x 4 points: 4 x 4 values. */
		{chain, {"g root 1x4/32x8", "f at g.thread", "e inline"}, "f", 0, "in", BW_STAGING_ONCE, "", "", 18, 18, 72, "", ""},
		{chain, {"g root 2x2/32x8", "f at g.thread", "e inline"}, "f", 0, "in", BW_STAGING_STAGED, "", "e", 24, 16, 64, "f", "at g.thread"},
		{chain, {"g root 2x2/32x8", "f at g.thread", "e root"}, "f", 0, "e", BW_STAGING_STAGED, "", "e", 24, 16, 64, "f", "at g.thread"},
		/* 3 x 17 values of 4 bytes. */
		{chain, {"g root 1x15/32x4", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_REGISTERS, "", "e", 135, 51, 204, "", ""},
		{chain, {"g root; block y, x; unrolled y 4", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_THREADS, "", "", 36, 18, 72, "", ""},
		/* f is not placed yet, and taken to be at root. */
		{chain, {"g root 1x4/32x8"}, "g", 0, "f", BW_STAGING_STAGED, "", "f", 12, 6, 24, "g", "at g.thread"},
		/* 10 calls of 9 values: through f and without it. */
		{diamond, {"g root 1x4/32x8", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_STAGED, "", "e", 36, 18, 72, "g f", "at g.thread"},
		/* e is g's, too, and yet f's calls of it are f's alone. */
		{diamond, {"g root 1x4/32x8", "f root 4x1/32x8", "e inline"}, "f", 0, "in", BW_STAGING_STAGED, "", "e", 12, 6, 24, "f", "at f.thread"},
		/* f's calls of e are those of d, which is inlined into g as well. */
		{twice, {"g root 1x4/32x8", "f root 1x4/32x8", "d inline", "e inline"}, "f", 0, "in", BW_STAGING_CHAIN, "d", "e", 36, 18, 72, "", ""},
		{twice, {"g root 1x4/32x8", "f inline", "d inline", "e inline"}, "g", 0, "in", BW_STAGING_STAGED, "", "e", 36, 18, 72, "d", "at g.thread"},
		/* What is clamped has no constant extents; what clamps it has. */
		{border, {"g root 4x1/32x8", "b inline", "e inline"}, "g", 0, "in", BW_STAGING_STAGED, "", "b", 12, 6, 24, "g", "at g.thread"},
		{border, {"g root 4x1/32x8", "b inline", "e root"}, "g", 0, "e", BW_STAGING_STAGED, "", "b", 12, 6, 24, "g", "at g.thread"},
		/* Nor has what depends on a parameter. */
		{window, {"g root 4x1/32x8", "e root"}, "g", 0, "e", BW_STAGING_EXTENTS, "", "e", 12, 6, 24, "", ""},
		{bare, {"g root 1x4/32x8", "f inline"}, "g", 0, "in", BW_STAGING_INPUT, "", "", 36, 18, 72, "", ""},
		{updated, {"g root 4x1/32x8", "e root"}, "g", 0, "e", BW_STAGING_STAGES, "", "e", 12, 6, 24, "", ""},
		/* 4 points of a vector, 4 vectors: 6 values each; a wrapper would load them one by one. */
		{chain, {"g root; block y, x; thread y 8, x 32; unrolled y 4; vector x 4", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_VECTORS, "", "", 72, 36, 144, "", ""},
		{chain, {"g root; block y, x; thread y 8, x 32; vector x 4", "f inline", "e inline"}, "g", 0, "in", BW_STAGING_ONCE, "", "", 18, 18, 72, "", ""},
		/* Sums that stay in registers over k, whose 8 iterations are unrolled, too; and those that stages of a block store there, beside what they load. */
		{sums, {"g root; block y, x; thread y 8, x 32; update 0: block y, x; thread y 8, x 32; serial k; unrolled x 2"}, "g", 1, "in", BW_STAGING_KEPT, "", "", 16, 8, 32, "", ""},
		{sums, {"g root; block y, x; thread y 8, x 32; update 0: block y, x; thread y 8, x 2; serial k; serial x 8; unrolled x 4"}, "g", 1, "in", BW_STAGING_INPUT, "", "", 4, 1, 4, "", ""},
		{updated, {"g root 4x1/32x8", "e root"}, "g", 1, "g", BW_STAGING_SELF, "", "", 4, 4, 16, "", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_stagings stagings = bw_nest_stagings(nest, description_func(pipeline, cases[i].func), cases[i].stage, arena);
		const struct bw_staging *staging = bw_stagings_of(&stagings, description_func(pipeline, cases[i].producer));
		struct bw_text readers = {0}, site = {0};
		if (!staging)
			fail_msg("case %zu: nothing is said of %s", i, cases[i].producer);
		const char *wrapped = staging->func >= 0 ? pipeline->funcs[staging->func].name : "", *named = staging->named >= 0 ? pipeline->funcs[staging->named].name : "";
		for (int r = 0; r < staging->n_readers; r++)
			bw_text_printf(&readers, "%s%s", r ? " " : "", pipeline->funcs[staging->readers[r]].name);
		if (staging->verdict == BW_STAGING_STAGED)
			bw_site_print(pipeline, &staging->site, &site);
		if (staging->verdict != cases[i].verdict || staging->before != cases[i].before || staging->after != cases[i].after || staging->bytes != cases[i].bytes)
			fail_msg("case %zu: %s, %g loads before and %g after, %lld bytes; expected %s, %g, %g, %lld", i, bw_staging_name(staging->verdict), staging->before, staging->after, (long long)staging->bytes,
				 bw_staging_name(cases[i].verdict), cases[i].before, cases[i].after, (long long)cases[i].bytes);
		if (strcmp(wrapped, cases[i].wrapped) != 0 || strcmp(named, cases[i].named) != 0)
			fail_msg("case %zu: %s is wrapped, %s named", i, wrapped, named);
		if (staging->verdict == BW_STAGING_STAGED && (strcmp(bw_text_get(&readers), cases[i].readers) != 0 || strcmp(bw_text_get(&site), cases[i].site) != 0))
			fail_msg("case %zu: for %s %s", i, bw_text_get(&readers), bw_text_get(&site));
		bw_text_free(&readers);
		bw_text_free(&site);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* A thread's bytes count what is staged; a nest that stages nothing has none, and says so. */
static void bytes_of_a_kernel_count_it(void **state)
{
	struct bw_pipeline *pipeline = description_read(chain);
	struct bw_nest *nest = nest_of(pipeline, (const char *const[]){"g root 2x2/32x8", "f at g.thread", "e inline", NULL}, NULL);
	struct bw_arena *arena = bw_arena_new();
	int g = description_func(pipeline, "g"), f = description_func(pipeline, "f");
	struct bw_kernel kernel = bw_nest_kernel(nest, g, 0, arena);
	/* 2 x 4 points of f; 4 x 4 values of e. */
	assert_int_equal(kernel.register_bytes, 32);
	assert_int_equal(bw_kernel_staged_bytes(nest, &kernel, arena), 64);
	nest->unstaged = true;
	assert_int_equal(bw_kernel_staged_bytes(nest, &kernel, arena), 0);
	struct bw_stagings stagings = bw_nest_stagings(nest, f, 0, arena);
	/* f stores nothing while it computes its points: the compiler then keeps what it loads. */
	assert_int_equal(stagings.n, 1);
	assert_int_equal(stagings.list[0].verdict, BW_STAGING_KEPT);
	assert_true(bw_staging_loads(&stagings.list[0]) == 16);
	bw_nest_drop(nest);
	nest = nest_of(pipeline, (const char *const[]){"g root 1x4/32x8", "f inline", "e inline", NULL}, NULL);
	nest->unstaged = true;
	stagings = bw_nest_stagings(nest, g, 0, arena);
	assert_int_equal(stagings.n, 1);
	assert_int_equal(stagings.list[0].verdict, BW_STAGING_OFF);
	assert_true(bw_staging_loads(&stagings.list[0]) == 36);
	bw_arena_free(arena);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_are_as_worked_out_by_hand),
		cmocka_unit_test(bytes_of_a_kernel_count_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
