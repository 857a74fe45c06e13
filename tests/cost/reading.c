/* How the address of a load moves with the loops of the stage that it is inlined into: products and sums of rational Jacobians, in lowest
 * terms, and not known where 64 bits do not hold them. */
#include <stdio.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "base/text.h"
#include "cost/reading.h"

/* in(x) is read by a(x, y), moving by the row; a by g(x), moving by the column. */
static void print_pipeline(const char *row, const char *column, struct bw_text *out)
{
	bw_text_printf(out, DESCRIPTION(INPUT("in", "float32", "'x'", "[0,64]"),
		FUNC("a", "0", "float32", XY, STAGE(LOOP_XY, EYE2, "", READ("in", SAME("x"), "1", "[[%s]]")), "") ","
		FUNC("g", "1", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", READ("a", SAME("x") "," SAME("x"), "1", "[%s]")), OUTPUT("[0,64]"))), row, column);
}

static void jacobians_are_composed(void **state)
{
	static const struct {
		const char *row, *column;
		int64_t num, den;
	} cases[] = {
		{"1,0", "[1],[0]", 1, 1},
		{"2,3", "[5],[7]", 31, 1},
		{"2,0", "[[1,2]],[0]", 1, 1},
		{"[2,3],0", "[[3,2]],[7]", 1, 1},
		{"[1,2],1", "[[1,3]],[[1,3]]", 1, 2},
		{"1,-1", "[5],[5]", 0, 1},
		/* Of what does not count nothing need be known. */
		{"null,2", "[0],[3]", 6, 1},
		{"0,2", "[null],[3]", 6, 1},
		{"null,2", "[1],[3]", 0, 0},
		/* 31 bits each: products fit, and sums of these where the denominators are small; else it is not known. */
		{"2147483647,0", "[2147483647],[0]", 4611686014132420609, 1},
		{"2147483647,2147483647", "[2147483647],[2147483647]", 9223372028264841218, 1},
		{"[200000001,100003],[1,2147483647]", "[[200000001,100019]],[[1,2147483629]]", 0, 0},
		{"[200000001,100003],0", "[[200000001,100019]],[0]", 40000000400000001, 10002200057},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text text = {0};
		print_pipeline(cases[i].row, cases[i].column, &text);
		struct bw_pipeline *pipeline = description_read(bw_text_get(&text));
		struct bw_nest *nest = nest_of(pipeline, (const char *const[]){"g root 1/32", "a inline", NULL}, NULL);
		struct bw_arena *arena = bw_arena_new();
		struct bw_context context = bw_context_of(nest, description_func(pipeline, "g"), 0, arena);
		struct bw_readings readings = bw_readings_of(&context, description_func(pipeline, "g"), 0, false, arena);
		assert_int_equal(readings.n, 1);
		assert_int_equal(readings.list[0].n_shapes, 1);
		const struct bw_ratio *entry = &readings.list[0].shapes[0].entries[0];
		if (entry->num != cases[i].num || entry->den != cases[i].den)
			fail_msg("case %zu: %lld/%lld", i, (long long)entry->num, (long long)entry->den);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
		bw_text_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(jacobians_are_composed)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
