/* Remarks on schedules: what rounded-up tiles read beyond what is computed, what overlapping tiles compute twice, and what has no proof of its size, with figures
 * worked out by hand. */
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "nest/remarks.h"

#define CLAMPED(of) "['max',['min'," of ",99],0]"

/* in, at clamped places -> d -> c (3 in y) -> g of 100 x 60. */
static const char stored[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("d", "0", "float32", "", READ("in", BOUND(CLAMPED(MIN("x")), CLAMPED(MAX("x"))) "," BOUND("0", "59"), "1", EYE2), "") ","
	FUNC_XY("c", "1", "float32", "", READ("d", SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2), "") ","
	FUNC_XY("g", "2", "float32", "", READ("c", SAME_XY, "1", EYE2), OUTPUT("[0,100],[0,60]")));

/* The same of integers. */
static const char whole[] = DESCRIPTION(INPUT("in", "int32", XY, "[0,100],[0,60]"), FUNC_XY("g", "0", "int32", "", READ("in", SAME_XY, "1", EYE2), OUTPUT("[0,100],[0,60]")));

/* g reads f at x / 2 and (x + 1) / 2: one or two of it. */
static const char halves[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,100],[0,60]"), FUNC_XY("f", "0", "float32", "", READ("in", SAME_XY, "1", EYE2), "") ","
	FUNC_XY("g", "1", "float32", "", READ("f", BOUND("['/'," MIN("x") ",2]", "['/',['+'," MAX("x") ",1],2]") "," SAME("y"), "2", "[[[1,2],0],[0,1]]"), OUTPUT("[0,100],[0,60]")));

#define BEYOND "rounded-up tiles read more than is computed, and throw it away"
#define TWICE "overlapping tiles compute points twice, whose last bits may differ"
#define UNPROVEN "Halide may find no bound on what a thread keeps, and keep it in global memory"

static void remarks_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *entries[4];
		const char *said;
	} cases[] = {
		{stored, {"g root 1x1/20x4", "c root 1x1/20x4", "d root 1x1/20x2"}, ""},
		/* c is computed to column 111 and row 63, d to column 99 and row 60. */
		{stored, {"g root 1x1/20x4", "c root 1x1/16x8", "d root 1x1/20x2"}, BEYOND ": d (12 in x, 4 in y)\n"},
		/* d to column 111 and row 62. */
		{stored, {"g root 1x1/20x4", "c root 1x1/16x8", "d root 1x1/16x8"}, BEYOND ": d (2 in y)\n"},
		/* Nobody stores what is inlined. */
		{stored, {"g root 1x1/20x4", "c root 1x1/16x8", "d inline"}, ""},
		/* 112 columns and 64 rows of g. */
		{stored, {"g root 1x1/16x8", "c root 1x1/20x4", "d root 1x1/20x2"}, TWICE ": g (4 in y, 12 in x)\n"},
		{whole, {"g root 1x1/16x8"}, ""},
		{halves, {"g root 1x1/20x4", "f at g.thread"}, UNPROVEN ": f\n"},
		{halves, {"g root 1x1/16x4", "f at g.thread"}, TWICE ": g (12 in x)\n" UNPROVEN ": f\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_remarks remarks = bw_nest_remarks(nest, arena);
		struct bw_text said = {0};
		for (int kind = 0; kind < BW_N_REMARKS; kind++)
			if (bw_remarks_words(pipeline, &remarks, (enum bw_remark_kind)kind, &said))
				bw_text_puts(&said, "\n");
		if (strcmp(bw_text_get(&said), cases[i].said))
			fail_msg("case %zu: \"%s\"", i, bw_text_get(&said));
		bw_text_free(&said);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(remarks_are_as_worked_out_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
