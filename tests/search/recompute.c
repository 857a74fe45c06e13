/* Which Funcs may be inlined where their points are computed many times over: those that are cheap, and those that map what they read, if anything, and
 * that one Func alone reads. t has 16 points, and g reads one of them, nobody knows which, for each of its 64 x 32. */
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "search/search_private.h"

#define TEN "'add':{'float32':9},'mul':{'float32':1}"
#define EIGHT "'add':{'float32':7},'mul':{'float32':1}"
#define IN INPUT("in", "float32", "'i'", "[-1,18]")
#define T(ops, reads) FUNC("t", "0", "float32", "'i'", STAGE(LOOP("i"), "[[1]]", ops, reads), "") ","
#define LOOK_UP READ("t", BOUND("0", "15"), "1", "[[null,null]]")
#define POINT READ("in", SAME("i"), "1", "[[1]]")
#define WINDOW READ("in", SPAN("i", "-1", "1"), "3", "[[1]]")
#define G(reads) FUNC_XY("g", "2", "float32", TEN, reads, OUTPUT("[0,64],[0,32]"))
#define F FUNC_XY("f", "1", "float32", TEN, LOOK_UP, "") ","
#define BOTH LOOK_UP "," READ("f", SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)

/* What became of t inline, all others being placed so. */
static const struct {
	const char *text, *schedule[3];
	const char *reason; /* NULL: it is not pruned */
} cases[] = {
	{DESCRIPTION(IN, T(TEN, "") G(LOOK_UP)), {"g root 1x1/16x4"}, NULL},
	{DESCRIPTION(IN, T(TEN, POINT) G(LOOK_UP)), {"g root 1x1/16x4"}, NULL},
	{DESCRIPTION(IN, T(TEN, WINDOW) G(LOOK_UP)), {"g root 1x1/16x4"}, "computed 128x, limit 10x"},
	{DESCRIPTION(IN, T(EIGHT, WINDOW) G(LOOK_UP)), {"g root 1x1/16x4"}, NULL},
	{DESCRIPTION(IN, T(TEN, "") F G(BOTH)), {"g root 1x1/16x4", "f inline"}, NULL},
	/* f, of 64 x 34 in its blocks, and g. */
	{DESCRIPTION(IN, T(TEN, "") F G(BOTH)), {"g root 1x1/16x4", "f root 1x1/16x2"}, "computed 264x, limit 10x"},
};

static void check(size_t c)
{
	struct bw_pipeline *pipeline = description_read(cases[c].text);
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_recall recall = {0};
	struct bw_nest *nest = nest_of(pipeline, cases[c].schedule, NULL);
	struct bw_state *state = bw_state_new(NULL, 0, -1, nest, 0);
	struct bw_question question = {.pipeline = pipeline, .options = &options, .parent = state, .alone = true, .beam = 1, .func = description_func(pipeline, "t"), .phase = BW_PHASE_WHERE, .pass = 1, .recall = &recall};
	struct bw_expanding expanding;
	bw_expanding_begin(&expanding, &question, NULL, false);
	assert_true(bw_expanding_run(&expanding));
	const struct bw_option *option = &expanding.expansion->options[0];
	assert_int_equal(option->placement->compute.kind, BW_SITE_INLINE);
	if ((option->rule == BW_RULE_RECOMPUTE) != (cases[c].reason != NULL) || strcmp(option->reason, cases[c].reason ? cases[c].reason : ""))
		fail_msg("%zu: %s, \"%s\"", c, bw_fate_name(option->fate), option->reason);
	bw_expanding_end(&expanding);
	bw_state_drop(state);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

static void what_is_computed_again(void **state)
{
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
		check(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_computed_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
