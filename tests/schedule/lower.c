/* Lists of directives that schedules are lowered to, compared with lists worked out by hand. */
#include <stdio.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "schedule/directive.h"

#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)

/* A sum as above, and what reads it. */
static const char summed[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC("sum", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", "") "," STAGE(RLOOP("r$x", "0", "59", "") "," LOOP("x"), "[[0,1]]", "",
		READ("in", SAME("x") "," SAME("r$x"), "1", "[[0,1],[1,0]]") "," READ("sum", SAME("x"), "1", "[[0,1]]")), "") ","
	FUNC("g", "1", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", READ("sum", SAME("x"), "1", "[[1]]")), OUTPUT("[0,100]")));

/* The same by 5. */
static const char summed5[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC("sum", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", "") "," STAGE(RLOOP("r$x", "0", "4", "") "," LOOP("x"), "[[0,1]]", "",
		READ("in", SAME("x") "," SAME("r$x"), "1", "[[0,1],[1,0]]") "," READ("sum", SAME("x"), "1", "[[0,1]]")), "") ","
	FUNC("g", "1", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", READ("sum", SAME("x"), "1", "[[1]]")), OUTPUT("[0,100]")));

/* in -> f (3 in x) -> g (3 in y). Handles are not the order of the Funcs. */
static const char stencils[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,102],[-1,62]"),
	FUNC_XY("f", "7", "float32", "", READ_X3("in"), "") "," FUNC_XY("g", "3", "float32", "", READ_Y3("f"), OUTPUT("[0,100],[0,60]")));
/* in -> e -> f (3 in x) -> g (3 in y), which reads e too. */
static const char diamond[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-8,130],[-8,80]"),
	FUNC_XY("e", "5", "float32", "", READ("in", SAME_XY, "1", EYE2), "") "," FUNC_XY("f", "7", "float32", "", READ_X3("e"), "") ","
	FUNC_XY("g", "3", "float32", "", READ_Y3("f") "," READ("e", SAME_XY, "1", EYE2), OUTPUT("[0,128],[0,64]")));
static const char four[] = DESCRIPTION("",
	FUNC("g", "0", "float32", XY ",'z','w'", STAGE(LOOP_XY "," LOOP("z") "," LOOP("w"), "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]", "", ""), OUTPUT("[0,64],[0,32],[0,6],[0,5]")));
static const char sums[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC("sum", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", "") "," STAGE(RLOOP("r$x", "0", "59", "") "," LOOP("x"), "[[0,1]]", "",
		READ("in", SAME("x") "," SAME("r$x"), "1", "[[0,1],[1,0]]") "," READ("sum", SAME("x"), "1", "[[0,1]]")), OUTPUT("[0,100]")));
static const char total[] = DESCRIPTION(
	INPUT("in", "float32", "'x'", "[0,1000]"),
	FUNC("sum", "0", "float32", "", STAGE("", "[]", "", "") "," STAGE(RLOOP("r", "0", "999", ""), "[]", "",
		READ("in", SAME("r"), "1", "[[1]]") "," READ("sum", "", "1", "[]")), OUTPUT("")));
/* Loops with the very names that pieces of x would have; f is computed inside a piece. */
static const char clash[] = DESCRIPTION("",
	FUNC("f", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", ""), "") ","
	FUNC("g", "1", "float32", "'x','x_block','x_in1'", STAGE(LOOP("x") "," LOOP("x_block") "," LOOP("x_in1"), "[[1,0,0],[0,1,0],[0,0,1]]", "", READ("f", SAME("x"), "1", "[[1,0,0]]")),
		OUTPUT("[0,64],[0,32],[0,8]")));

/* f in a thread of g, of 8 x 8 threads with n x 1 points each, that are `block` in x; the sum in one of g, of 8 threads with n points. */
#define STENCILS_IN_THREAD(n, block) \
	"compute_root 3.0\n" \
	"split 3.0 x x_block x_in1 " block " shift_inwards\nsplit 3.0 x_in1 x_thread x_unroll " n " round_up\nsplit 3.0 y y_block y_thread 8 shift_inwards\n" \
	"reorder 3.0 x_unroll x_thread y_thread x_block y_block\n" \
	"unroll 3.0 x_unroll\ngpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n" \
	"compute_at 7.0 at 3.0 x_thread\nstore_in 7.0 registers\nreorder 7.0 x y\n"
#define SUMMED_IN_THREAD(n, block) \
	"compute_root 1.0\nsplit 1.0 x x_block x_in1 " block " shift_inwards\nsplit 1.0 x_in1 x_thread x_unroll " n " round_up\n" \
	"reorder 1.0 x_unroll x_thread x_block\nunroll 1.0 x_unroll\ngpu_blocks 1.0 x_block\ngpu_threads 1.0 x_thread\n" \
	"compute_at 0.0 at 1.0 x_thread\nstore_in 0.0 stack\nunroll 0.0 x\nreorder 0.1 r$x x\n"

/* One directive in words: what it is, the Func's handle and the stage, then all that it uses. */
static void print(const struct bw_directive *directive, struct bw_text *out)
{
	bw_text_printf(out, "%s %d.%d", bw_directive_name(directive->op), directive->func, directive->stage);
	if (directive->at_func >= 0)
		bw_text_printf(out, " at %d.%d", directive->at_func, directive->at_stage);
	for (int i = 0; i < directive->n_also; i++)
		bw_text_printf(out, " and %d", directive->also[i]);
	if (directive->result >= 0)
		bw_text_printf(out, " gives %d", directive->result);
	for (int i = 0; i < directive->n_vars; i++)
		bw_text_printf(out, " %s", directive->vars[i]);
	if (directive->op == BW_DIRECTIVE_SPLIT)
		bw_text_printf(out, " %lld %s", (long long)directive->factor, bw_tail_name(directive->tail));
	if (directive->op == BW_DIRECTIVE_ALIGN_STORAGE)
		bw_text_printf(out, " by %lld", (long long)directive->factor);
	if (directive->op == BW_DIRECTIVE_STORE_IN)
		bw_text_printf(out, " %s", bw_memory_name(directive->memory));
	bw_text_puts(out, "\n");
}

static void lists_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *entries[4];
		const char *list;
	} cases[] = {
		{stencils, {"g root 1x1/32x8", "f inline"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 32 shift_inwards\nsplit 3.0 y y_block y_thread 8 shift_inwards\n"
			"reorder 3.0 x_thread y_thread x_block y_block\n"
			"gpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"},
		/* Three pieces: the first split takes the tail and the product of what is inside. At the block the outer pieces are threads. */
		{stencils, {"g root 1x2/32x4", "f at g.block 1x4"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 32 shift_inwards\n"
			"split 3.0 y y_block y_in1 8 shift_inwards\nsplit 3.0 y_in1 y_thread y_unroll 2 round_up\n"
			"reorder 3.0 y_unroll x_thread y_thread x_block y_block\n"
			"unroll 3.0 y_unroll\ngpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"compute_at 7.0 at 3.0 x_block\nstore_in 7.0 shared\n"
			"split 7.0 y y_thread y_unroll 4 guard_with_if\n"
			"reorder 7.0 y_unroll x y_thread\n"
			"unroll 7.0 y_unroll\ngpu_threads 7.0 x y_thread\n"},
		/* 8 points in x a thread are all of a block of 8: that thread loop has one iteration, and y is launched as x. */
		{stencils, {"g root 1x1/8x8", "f at g.block 8x1"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 8 shift_inwards\nsplit 3.0 y y_block y_thread 8 shift_inwards\n"
			"reorder 3.0 x_thread y_thread x_block y_block\n"
			"gpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"compute_at 7.0 at 3.0 x_block\nstore_in 7.0 shared\n"
			"split 7.0 x x_thread x_unroll 8 guard_with_if\n"
			"reorder 7.0 x_unroll x_thread y\n"
			"unroll 7.0 x_unroll\ngpu_threads 7.0 y\n"},
		/* In a thread, 1 x 3 points, stored at the block; y before x in memory. */
		{stencils, {"g root 1x1/32x8", "f at g.thread store g.block order y x"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 32 shift_inwards\nsplit 3.0 y y_block y_thread 8 shift_inwards\n"
			"reorder 3.0 x_thread y_thread x_block y_block\n"
			"gpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"compute_at 7.0 at 3.0 x_thread\nstore_at 7.0 at 3.0 x_block\nstore_in 7.0 shared\nreorder_storage 7.0 y x\n"
			"reorder 7.0 x y\nunroll 7.0 y\n"},
		/* In a thread: its 1 x 3 points are unrolled, so that no index is variable; registers are asked for, since what Halide takes for an allocation of unknown size would go to global memory. */
		{stencils, {"g root 1x1/32x8", "f at g.thread"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 32 shift_inwards\nsplit 3.0 y y_block y_thread 8 shift_inwards\n"
			"reorder 3.0 x_thread y_thread x_block y_block\n"
			"gpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"compute_at 7.0 at 3.0 x_thread\nstore_in 7.0 registers\n"
			"reorder 7.0 x y\nunroll 7.0 y\n"},
		/* With updates the stack is asked for: Halide would not find some of their sizes constant, and refuse. */
		{summed, {"g root 1/32", "sum at g.thread"},
			"compute_root 1.0\nsplit 1.0 x x_block x_thread 32 shift_inwards\nreorder 1.0 x_thread x_block\n"
			"gpu_blocks 1.0 x_block\ngpu_threads 1.0 x_thread\n"
			"compute_at 0.0 at 1.0 x_thread\nstore_in 0.0 stack\nreorder 0.1 r$x x\n"},
		/* In a serial loop of a thread, 4 x 3 points, on the stack; serial loops need no word. Names tell pieces of a kind apart. */
		{stencils, {"g root; block y, x; thread y 4, x 16; serial y 3, y 2, x 4", "f at g.serial1 in stack"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_in1 64 shift_inwards\nsplit 3.0 x_in1 x_thread x_serial 4 round_up\n"
			"split 3.0 y y_block y_in1 24 shift_inwards\nsplit 3.0 y_in1 y_thread y_in2 6 round_up\nsplit 3.0 y_in2 y_serial y_serial2 2 round_up\n"
			"reorder 3.0 x_serial y_serial2 y_serial x_thread y_thread x_block y_block\n"
			"gpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"compute_at 7.0 at 3.0 y_serial2\nstore_in 7.0 stack\n"
			"reorder 7.0 x y\nunroll 7.0 x\nunroll 7.0 y\n"},
		/* 10 x 3 points in a thread are unrolled, of 11 x 3 none: 33 are more than 32. */
		{stencils, {"g root 5x1/8x8", "f at g.thread"}, STENCILS_IN_THREAD("5", "40") "unroll 7.0 x\nunroll 7.0 y\n"},
		{stencils, {"g root 10x1/8x8", "f at g.thread"}, STENCILS_IN_THREAD("10", "80") "unroll 7.0 x\nunroll 7.0 y\n"},
		{stencils, {"g root 11x1/8x8", "f at g.thread"}, STENCILS_IN_THREAD("11", "88")},
		/* Of a sum in a thread the Var of each stage; the RVar too where 3 x 5 points are few enough, not where it is 4 x 5 or 4 x 60. */
		{summed5, {"g root 3/8", "sum at g.thread"}, SUMMED_IN_THREAD("3", "24") "unroll 0.1 r$x\nunroll 0.1 x\n"},
		{summed5, {"g root 4/8", "sum at g.thread"}, SUMMED_IN_THREAD("4", "32") "unroll 0.1 x\n"},
		{summed, {"g root 4/8", "sum at g.thread"}, SUMMED_IN_THREAD("4", "32") "unroll 0.1 x\n"},
		{stencils, {"g root 1x1/32x8", "f at g.block 1x1 store root"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 32 shift_inwards\nsplit 3.0 y y_block y_thread 8 shift_inwards\n"
			"reorder 3.0 x_thread y_thread x_block y_block\n"
			"gpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"compute_at 7.0 at 3.0 x_block\nstore_root 7.0\n"
			"reorder 7.0 x y\n"
			"gpu_threads 7.0 x y\n"},
		/* What 4 points of g load of e, itself and through f, is staged where they begin: 3 x 6 values, by a wrapper with an index behind all others. */
		{diamond, {"g root 1x4/32x8", "f inline", "e inline"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 32 shift_inwards\n"
			"split 3.0 y y_block y_in1 32 shift_inwards\nsplit 3.0 y_in1 y_thread y_unroll 4 round_up\n"
			"reorder 3.0 y_unroll x_thread y_thread x_block y_block\n"
			"unroll 3.0 y_unroll\ngpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"in 5.0 at 3.-1 and 7 gives 8\ncompute_at 8.0 at 3.0 x_thread\nstore_in 8.0 registers\nunroll 8.0 x\nunroll 8.0 y\n"},
		/* f's two points load 4 values of e in x, where they are stored in shared memory; g's 4 load it through no Func that is f's. */
		{diamond, {"g root 1x4/32x8", "f at g.block 2x1", "e inline"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_thread 32 shift_inwards\n"
			"split 3.0 y y_block y_in1 32 shift_inwards\nsplit 3.0 y_in1 y_thread y_unroll 4 round_up\n"
			"reorder 3.0 y_unroll x_thread y_thread x_block y_block\n"
			"unroll 3.0 y_unroll\ngpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"
			"compute_at 7.0 at 3.0 x_block\nstore_in 7.0 shared\n"
			"split 7.0 x x_thread x_unroll 2 guard_with_if\nreorder 7.0 x_unroll x_thread y\n"
			"unroll 7.0 x_unroll\ngpu_threads 7.0 x_thread y\n"
			"in 5.0 at 7.-1 gives 8\ncompute_at 8.0 at 7.0 x_thread\nstore_in 8.0 registers\nunroll 8.0 x\n"},
		/* Lanes and vectors stand in the list like any other. */
		{stencils, {"g root; block y, x; thread y 4; lane x 32; vector x 2", "f inline"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_in1 64 shift_inwards\nsplit 3.0 x_in1 x_lane x_vector 2 round_up\n"
			"split 3.0 y y_block y_thread 4 shift_inwards\n"
			"reorder 3.0 x_vector x_lane y_thread x_block y_block\n"
			"vectorize 3.0 x_vector\ngpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 y_thread\ngpu_lanes 3.0 x_lane\n"},
		/* In a warp: its lanes keep f in registers, and its rows are as many elements apart as a multiple of the lanes. */
		{stencils, {"g root; block y, x; thread y 4; unrolled x 2; lane x 32", "f at g.warp; unrolled y, x; lane x 32 guard_with_if"},
			"compute_root 3.0\n"
			"split 3.0 x x_block x_in1 64 shift_inwards\nsplit 3.0 x_in1 x_unroll x_lane 32 round_up\n"
			"split 3.0 y y_block y_thread 4 shift_inwards\n"
			"reorder 3.0 x_lane x_unroll y_thread x_block y_block\n"
			"unroll 3.0 x_unroll\ngpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 y_thread\ngpu_lanes 3.0 x_lane\n"
			"compute_at 7.0 at 3.0 y_thread\nstore_in 7.0 registers\nalign_storage 7.0 x by 32\n"
			"split 7.0 x x_unroll x_lane 32 guard_with_if\n"
			"reorder 7.0 x_lane x_unroll y\n"
			"unroll 7.0 x_unroll\nunroll 7.0 y\ngpu_lanes 7.0 x_lane\n"},
		/* Four block loops: the outer two are fused. */
		{four, {"g root 1x1x2x1/16x2x1x1"},
			"compute_root 0.0\n"
			"split 0.0 x x_block x_thread 16 shift_inwards\nsplit 0.0 y y_block y_thread 2 shift_inwards\nsplit 0.0 z z_block z_unroll 2 shift_inwards\n"
			"reorder 0.0 z_unroll x_thread y_thread x_block y_block z_block w\n"
			"unroll 0.0 z_unroll\n"
			"fuse 0.0 z_block w z_block_and_w\n"
			"gpu_blocks 0.0 x_block y_block z_block_and_w\ngpu_threads 0.0 x_thread y_thread\n"},
		/* A guard around serial loops: from the inside, each split with a guard of its own. */
		{stencils, {"g root; block y, x; thread y 4, x 16 guard_with_if; serial y 3, x 4", "f inline"},
			"compute_root 3.0\n"
			"split 3.0 x x_out1 x_serial 4 guard_with_if\nsplit 3.0 x_out1 x_block x_thread 16 guard_with_if\n"
			"split 3.0 y y_block y_in1 12 shift_inwards\nsplit 3.0 y_in1 y_thread y_serial 3 round_up\n"
			"reorder 3.0 x_serial y_serial x_thread y_thread x_block y_block\n"
			"gpu_blocks 3.0 x_block y_block\ngpu_threads 3.0 x_thread y_thread\n"},
		/* Halide refuses a split into a name that the stage has. */
		{clash, {"g root; block x_in1, x_block, x; thread x 8; serial x 4", "f at g.block"},
			"compute_root 1.0\n"
			"split 1.0 x x_block_ x_in1_ 32 shift_inwards\nsplit 1.0 x_in1_ x_thread x_serial 4 round_up\n"
			"reorder 1.0 x_serial x_thread x_block_ x_block x_in1\n"
			"gpu_blocks 1.0 x_block_ x_block x_in1\ngpu_threads 1.0 x_thread\n"
			"compute_at 0.0 at 1.0 x_block_\nstore_in 0.0 shared\n"
			"gpu_threads 0.0 x\n"},
		/* An update: GuardWithIf in all its splits, serial reduction, its own kernel. */
		{sums, {"sum root 2/16"},
			"compute_root 0.0\n"
			"split 0.0 x x_block x_in1 32 shift_inwards\nsplit 0.0 x_in1 x_thread x_unroll 2 round_up\n"
			"reorder 0.0 x_unroll x_thread x_block\n"
			"unroll 0.0 x_unroll\ngpu_blocks 0.0 x_block\ngpu_threads 0.0 x_thread\n"
			"split 0.1 x x_block x_in1 32 guard_with_if\nsplit 0.1 x_in1 x_thread x_unroll 2 guard_with_if\n"
			"reorder 0.1 x_unroll r$x x_thread x_block\n"
			"unroll 0.1 x_unroll\ngpu_blocks 0.1 x_block\ngpu_threads 0.1 x_thread\n"},
		{sums, {"sum root; block x; thread x 16; update 0: block x; serial r$x; unrolled r$x 4, r$x 2"},
			"compute_root 0.0\n"
			"split 0.0 x x_block x_thread 16 shift_inwards\n"
			"reorder 0.0 x_thread x_block\n"
			"gpu_blocks 0.0 x_block\ngpu_threads 0.0 x_thread\n"
			"split 0.1 r$x r$x_serial r$x_in1 8 guard_with_if\nsplit 0.1 r$x_in1 r$x_unroll r$x_unroll2 2 guard_with_if\n"
			"reorder 0.1 r$x_unroll2 r$x_unroll r$x_serial x\n"
			"unroll 0.1 r$x_unroll2\nunroll 0.1 r$x_unroll\ngpu_blocks 0.1 x\n"},
		/* No dimensions: a single thread for each stage. */
		{total, {"sum root"},
			"compute_root 0.0\n"
			"gpu_single_thread 0.0\n"
			"gpu_single_thread 0.1\n"},
		{total, {"sum root; update 0: serial r, r 8"},
			"compute_root 0.0\n"
			"gpu_single_thread 0.0\n"
			"split 0.1 r r_serial r_serial2 8 guard_with_if\nreorder 0.1 r_serial2 r_serial\n"
			"gpu_single_thread 0.1\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_error error = {0};
		struct bw_directives *directives = bw_lower(nest, &error);
		if (!directives)
			fail_msg("case %zu: %s", i, error.text);
		struct bw_text list = {0};
		for (int d = 0; d < directives->n; d++)
			print(&directives->list[d], &list);
		if (strcmp(bw_text_get(&list), cases[i].list))
			fail_msg("case %zu:\n%s\nexpected\n%s", i, bw_text_get(&list), cases[i].list);
		bw_text_free(&list);
		bw_directives_free(directives);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

static void what_is_not_complete_is_refused(void **state)
{
	static const struct {
		const char *entries[4];
		const char *error;
	} cases[] = {
		{{"g root 1x1/32x8"}, "f: it is not placed yet; only a complete schedule can be compiled"},
		{{"g root 1x1/32x8", "f root"}, "f: its tiling is not decided yet; only a complete schedule can be compiled"},
		{{"f inline"}, "g: it is not placed yet; only a complete schedule can be compiled"},
	};
	struct bw_pipeline *pipeline = description_read(stencils);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_error error = {0};
		assert_null(bw_lower(nest, &error));
		assert_string_equal(error.text, cases[i].error);
		bw_nest_drop(nest);
	}
	bw_pipeline_free(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_as_worked_out_by_hand),
		cmocka_unit_test(what_is_not_complete_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
