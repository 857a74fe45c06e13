/* How the address of a load moves with the loops of the stage that it is inlined into: products and sums of rational Jacobians, in lowest
 * terms, and not known where 64 bits do not hold them. What is left of selects where the compiler knows of which kind each point is. */
#include <math.h>
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
		struct bw_readings readings = bw_readings_of(&context, description_func(pipeline, "g"), 0, 0, arena);
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

/* f(x, y, c) is a(x, y), three operations, at even x of c = 0, and elsewhere b(x, y), one; out reads it from x - 1 on, and so from an odd place. */
#define LOOP_XYC LOOP_XY "," LOOP("c")
#define ROWS "[[1,0,0],[0,1,0]]"
#define CLASS(adds, a, b) "{'ops':{'add':{'float32':" adds "}},'loads':{'a':[" a "],'b':[" b "]}}"
#define EYE3 "[[1,0,0],[0,1,0],[0,0,1]]"
static const char by_parity[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,64],[0,64]"),
	FUNC_XY("a", "0", "float32", "", "", "") "," FUNC_XY("b", "1", "float32", "", "", "") ","
	FUNC("f", "2", "float32", XY ",'c'", "{'loops':[" LOOP_XYC "],'store':" EYE3 ",'ops':{'add':{'float32':4}},"
		"'parity':[{'loops':[{'loop':'x','modulus':2},{'loop':'c','values':[0]}],'classes':[" CLASS("3", "1", "0") "," CLASS("1", "0", "1") "," CLASS("1", "0", "1") "," CLASS("1", "0", "1") "]}],"
		"'reads':[" READ("a", SAME_XY, "1", ROWS) "," READ("b", SAME_XY, "1", ROWS) "]}", "") ","
	FUNC("out", "3", "float32", XY, STAGE(LOOP_XY, EYE2, "", READ("f", SPAN("x", "-1", "0") "," SAME("y") "," BOUND("0", "2"), "3", "[[1,0],[0,1],[0,0]]")), OUTPUT("[0,64],[0,64]")));

static void selects_fold_where_parity_is_known(void **state)
{
	static const struct {
		const char *f, *a;
		double calls, adds, needed; /* loads of a and operations a point of f, realizations of a that are needed */
	} cases[] = {
		{"f root align x 2; block y, x; thread x 16; unrolled c, x 2", "a root 1x1/32x1", 1.0 / 6, 4.0 / 3, 1},
		{"f root align x 4; block y, x; thread x 16; unrolled c, x 2", "a root 1x1/32x1", 1.0 / 6, 4.0 / 3, 1},
		{"f root align x 2; block y, x; thread x 8; unrolled x 4, c", "a at f.serial1; serial y, x", 1.0 / 6, 4.0 / 3, 1.0 / 6},
		/* Of a copy for each x alone the class is not known, but a inlined is asked all the same. */
		{"f root align x 2; block y, x; thread x 16; unrolled x 2, c", "a at f.serial0; serial y, x", 1.0 / 6, 4.0 / 3, 1},
		{"f root align x 2; block y, x; thread x 16; unrolled c, x 2", "a inline", 0, 4.0 / 3, 1},
		/* Nothing says where it begins; the points of a thread are no multiple; they are no copies; nor are those of c. */
		{"f root; block y, x; thread x 16; unrolled c, x 2", "a root 1x1/32x1", 1, 4, 1},
		{"f root align x 2; block y, x; thread x 16; unrolled c, x 3", "a root 1x1/32x1", 1, 4, 1},
		{"f root align x 2; block y, x; thread x 16; unrolled c; serial x 2", "a root 1x1/32x1", 1, 4, 1},
		{"f root align x 2; block c, y, x; thread x 16; unrolled x 2", "a root 1x1/32x1", 1, 4, 1},
		{"f root align x 2; block c, y, x; thread x 16; unrolled x 2", "a at f.serial0; serial y, x", 1, 4, 1},
	};
	struct bw_pipeline *pipeline = description_read(by_parity);
	const int a = description_func(pipeline, "a"), f = description_func(pipeline, "f");
	assert_int_equal(pipeline->funcs[f].constant, 4);
	assert_int_equal(pipeline->funcs[a].least_needed * 6, 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_nest *nest = nest_of(pipeline, (const char *const[]){"out root 1x1/32x1", cases[i].f, cases[i].a, "b inline", NULL}, NULL);
		struct bw_arena *arena = bw_arena_new();
		const struct bw_context context = bw_context_of(nest, f, 0, arena);
		const struct bw_readings readings = bw_readings_of(&context, f, 0, BW_READ_PARITY, arena);
		double calls = 0;
		for (int r = 0; r < readings.n; r++)
			calls += readings.list[r].func == a ? readings.list[r].calls : 0;
		const double whole = bw_readings_of(&context, f, 0, 0, arena).work[BW_WORK_FLOAT];
		const struct bw_interval *box = nest->placed[f]->regions[0].computed;
		if (fabs(calls - cases[i].calls) > 1e-9 || fabs(readings.work[BW_WORK_FLOAT] - cases[i].adds) > 1e-9 || fabs(nest->placed[a]->needed - cases[i].needed) > 1e-9)
			fail_msg("case %zu: %g loads, %g operations, %g needed", i, calls, readings.work[BW_WORK_FLOAT], nest->placed[a]->needed);
		assert_true(whole == 4);
		assert_int_equal(box[0].min, strstr(cases[i].f, "align x 4") ? -4 : strstr(cases[i].f, "align") ? -2 : -1);
		bw_arena_free(arena);
		bw_nest_drop(nest);
	}
	bw_pipeline_free(pipeline);
}

enum { LAYERS = 5, WIDE = 64, MANY = LAYERS * WIDE };

/* Appends reads of a layer, from 1 on; layer 0 is `a`. */
static void print_reads(int layer, const char *jacobian, struct bw_text *out)
{
	for (int k = layer ? (layer - 1) * WIDE + 1 : 0; k <= layer * WIDE; k++) {
		bw_text_printf(out, "%s{'from':'", k > 0 && k > (layer - 1) * WIDE + 1 ? "," : "");
		bw_text_printf(out, k ? "g%d" : "a", k);
		bw_text_printf(out, "','box':[" SAME_XY "],'loads':[{'count':1,'jacobian':%s}]}", jacobian);
	}
}

/* Between `a`, in the copies of f's points, and f lie layers of inlined Funcs, each of which reads all of the layer before: a thousand million ways. */
static void dense_layers_are_asked_once(void **state)
{
	static char lines[MANY][24];
	static const char *entries[MANY + 4] = {"out root 1x1/32x1", "f root align x 2; block y, x; thread x 8; unrolled x 4, c", "a at f.serial1; serial y, x"};
	struct bw_text text = {0};
	(void)state;
	bw_text_puts(&text, "{'beamwalk-pipeline':1,'name':'test','halide':'14.0.0','parameters':[],'inputs':[" INPUT("in", "float32", XY, "[0,64],[0,64]") "],'funcs':[" FUNC_XY("a", "0", "float32", "", "", ""));
	for (int i = 1; i <= MANY; i++) {
		bw_text_printf(&text, ",{'name':'g%d','handle':%d,'definition':'0123456789abcdef','types':['float32'],'dims':['x','y'],'stages':[{'loops':[" LOOP_XY "],'store':" EYE2 ",'ops':{},'reads':[", i, i);
		print_reads((i - 1) / WIDE, EYE2, &text);
		bw_text_puts(&text, "]}]}");
		snprintf(lines[i - 1], sizeof *lines, "g%d inline", i);
		entries[2 + i] = lines[i - 1];
	}
	bw_text_puts(&text, ",{'name':'f','handle':900,'definition':'0123456789abcdef','types':['float32'],'dims':['x','y','c'],'stages':[{'loops':[" LOOP_XYC "],'store':" EYE3 ",'ops':{'add':{'float32':1}},"
		"'parity':[{'loops':[{'loop':'x','modulus':2}],'classes':[{},{'loads':{'g257':[0]}}]}],'reads':[");
	print_reads(LAYERS, ROWS, &text);
	bw_text_puts(&text, "]}]}," FUNC("out", "901", "float32", XY, STAGE(LOOP_XY, EYE2, "", READ("f", SAME_XY "," BOUND("0", "2"), "3", "[[1,0],[0,1],[0,0]]")), OUTPUT("[0,64],[0,64]")) "]}");
	struct bw_pipeline *pipeline = description_read(bw_text_get(&text));
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	assert_true(fabs(nest->placed[description_func(pipeline, "a")]->needed - 1) < 1e-9);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
	bw_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(jacobians_are_composed), cmocka_unit_test(selects_fold_where_parity_is_known), cmocka_unit_test(dense_layers_are_asked_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
