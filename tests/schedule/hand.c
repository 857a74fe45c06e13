/* Records of schedules by hand of blur (data/descriptions/blur.json), as Halide holds them, read into the text form: what it says in other
 * words, what it has no word for, and texts that are no records. tests/program/hand.test reads those of the bundled generators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/schedule.h"

#define CUT(old, outer, inner, factor, tail) \
	"{\"op\":\"split\",\"old\":\"" old "\",\"outer\":\"" outer "\",\"inner\":\"" inner "\",\"factor\":" #factor ",\"tail\":\"" tail "\"}"
#define FUSE(fused, outer, inner) "{\"op\":\"fuse\",\"old\":\"" fused "\",\"outer\":\"" outer "\",\"inner\":\"" inner "\"}"
#define LOOP(name, kind) "{\"name\":\"" name "\",\"kind\":\"" kind "\"}"
#define AT(func, stage, loop) "{\"func\":\"" func "\",\"loops\":[[" #stage ",\"" loop "\"]]}"
#define STAGE(splits, loops) "{\"splits\":[" splits "],\"loops\":[" loops "]}"
/* more: further members, each after a comma. */
#define FUNC(name, compute, stage, more) "{\"name\":\"" name "\",\"compute\":" compute ",\"store\":\"inline\",\"memory\":\"auto\",\"stages\":[" stage "]" more "}"
#define RECORD(funcs) "{\"beamwalk-hand\":1,\"funcs\":[" funcs "]}"
#define INLINE "\"inline\""
#define WHOLE STAGE("", LOOP("x", "serial") "," LOOP("y", "serial"))
#define INPUT FUNC("input_im", INLINE, STAGE("", ""), "")
#define BLUR_X FUNC("blur_x", INLINE, WHOLE, "")

/* Blocks of 32 x 8, a point a thread. */
#define TILE CUT("x", "x.bx", "x.tx", 32, "shift_inwards") "," CUT("y", "y.by", "y.ty", 8, "shift_inwards")
#define TILED LOOP("x.tx", "thread") "," LOOP("y.ty", "thread") "," LOOP("x.bx", "block") "," LOOP("y.by", "block")
/* An update of mat_mul's product. */
#define ATOMIC(x) "{\"splits\":[],\"loops\":[" LOOP("x", x) "," LOOP("y", "serial") "," LOOP("k$x", "serial") "],\"atomic\":true}"
#define OUTPUT FUNC("output", INLINE, STAGE(TILE, TILED), "")
#define ENTRY "output root; block y, x; thread y 8, x 32\n"

static const struct {
	const char *name, *record, *entries, *unsaid;
} cases[] = {
	{"a tile", RECORD(OUTPUT "," BLUR_X "," INPUT), ENTRY "blur_x inline\ninput_im inline\n", ""},
	{"points of a thread that lie side by side; a tail that is another than the usual one",
	 RECORD(FUNC("output", INLINE,
		     STAGE(CUT("y", "y.y", "y.row", 4, "guard_with_if") "," CUT("x", "x.bx", "x.tx", 32, "shift_inwards") "," CUT("y.y", "y.y.by", "y.y.ty", 8, "guard_with_if"),
			   LOOP("y.row", "unrolled") "," LOOP("x.tx", "thread") "," LOOP("y.y.ty", "thread") "," LOOP("x.bx", "block") "," LOOP("y.y.by", "block") "," LOOP("__outermost", "serial")),
		     "") "," BLUR_X "," INPUT),
	 "output root; block y, x; thread y 8 guard_with_if, x 32 shift_inwards; unrolled y 4\nblur_x inline\ninput_im inline\n", ""},
	{"two tails of a loop",
	 RECORD(FUNC("output", INLINE,
		     STAGE(CUT("x", "x.x", "x.column", 4, "shift_inwards") "," CUT("x.x", "x.x.bx", "x.x.tx", 32, "guard_with_if"),
			   LOOP("x.column", "vector") "," LOOP("x.x.tx", "thread") "," LOOP("x.x.bx", "block") "," LOOP("y", "block")),
		     "") "," BLUR_X "," INPUT),
	 "output root; block y, x; thread x 32 guard_with_if; vector x 4\nblur_x inline\ninput_im inline\n",
	 "output: two tails of x, shift_inwards inside of guard_with_if\n"},
	{"points of a thread that lie 32 apart",
	 RECORD(FUNC("output", INLINE,
		     STAGE(CUT("x", "x.bx", "x.x", 64, "shift_inwards") "," CUT("x.x", "x.x.column", "x.x.tx", 32, "shift_inwards"),
			   LOOP("x.x.column", "unrolled") "," LOOP("x.x.tx", "thread") "," LOOP("x.bx", "block") "," LOOP("y", "block")),
		     "") "," BLUR_X "," INPUT),
	 "output root; block y, x; thread x 32; unrolled x 2\nblur_x inline\ninput_im inline\n",
	 "output: loops of x nested as bx, tx, column and split as bx, column, tx\n"},
	{"fused blocks, and fused threads",
	 RECORD(FUNC("output", INLINE,
		     STAGE(TILE "," FUSE("x.bx.b", "y.by", "x.bx") "," FUSE("x.tx.t", "y.ty", "x.tx"), LOOP("x.tx.t", "thread") "," LOOP("x.bx.b", "block")),
		     "") "," BLUR_X "," INPUT),
	 ENTRY "blur_x inline\ninput_im inline\n", "output: fuse() of thread loops: t\n"},
	{"a small loop that stays serial, and a wrapper of an inlined Func at a loop that another one has",
	 RECORD(OUTPUT "," FUNC("blur_x", AT("output", 0, "x.tx"), WHOLE, "") "," FUNC("input_im", INLINE, STAGE("", ""), ",\"wrappers\":[{\"reader\":\"\",\"name\":\"in\"}]") "," FUNC(
	     "in", AT("blur_x", 0, "y"), STAGE("", LOOP("_0", "unrolled") "," LOOP("_1", "serial")), "")),
	 ENTRY "blur_x at output.thread; serial y, y 3, x\ninput_im at blur_x.serial1; serial _1; unrolled _0\n", ""},
	{"a wrapper of a Func that is stored, too",
	 RECORD(OUTPUT "," FUNC("blur_x", AT("output", 0, "x.bx"), STAGE("", LOOP("x", "thread") "," LOOP("y", "thread")),
				",\"wrappers\":[{\"reader\":\"\",\"name\":\"in\"}]") "," FUNC("in", AT("output", 0, "x.tx"), WHOLE, "") "," INPUT),
	 ENTRY "blur_x at output.block; thread y, x\ninput_im inline\n", "blur_x: in(): a second Func that holds a copy of its values\n"},
	{"directives that have no word",
	 RECORD(OUTPUT "," FUNC("blur_x", AT("output", 0, "x.bx"),
				"{\"splits\":[],\"loops\":[" LOOP("x", "thread") "," LOOP("y", "parallel") "],\"extras\":[\"atomic()\"]}",
				",\"extras\":[\"async()\"],\"bounds\":[{\"dim\":\"x\",\"min\":0,\"extent\":99,\"modulus\":2,\"remainder\":0}]") "," INPUT),
	 ENTRY "blur_x at output.block; serial y; thread x\ninput_im inline\n",
	 "blur_x: align_bounds(x, 2)\nblur_x: bound(x, 99)\nblur_x: async()\nblur_x: a parallel loop over y\nblur_x: atomic()\n"},
	{"a Func that cannot be where it is, and what it reads; a Func that a directive made",
	 RECORD(OUTPUT "," FUNC("blur_x", AT("output", 0, "nowhere"), WHOLE, "") "," INPUT "," FUNC("blur_x_intm", INLINE, WHOLE, "")), ENTRY,
	 "blur_x: computed or stored at a loop of output that the text form has not\ninput_im: not placed, as a Func that reads it was not\n"
	 "blur_x_intm: a Func that rfactor() made, or a constant that is stored\n"},
	{"what a thread's own Func cannot be: aligned",
	 RECORD(OUTPUT "," FUNC("g", AT("output", 0, "x.tx"), WHOLE, ",\"bounds\":[{\"dim\":\"x\",\"min\":null,\"extent\":null,\"modulus\":8,\"remainder\":0}]")),
	 ENTRY "g at output.thread; serial y, y 2, x, x 2\n",
	 "g: align_bounds(x, 8)\n"},
	{"and atomic",
	 RECORD(OUTPUT "," FUNC("product", AT("output", 0, "x.tx"), WHOLE "," ATOMIC("serial"), "") "," FUNC("a_im", INLINE, STAGE("", ""), "") "," FUNC("b_im", INLINE, STAGE("", ""), "")),
	 ENTRY "product at output.thread\n serial y, x\n update 0: serial k$x, y, x\na_im inline\nb_im inline\n",
	 "product.update0: atomic(): it is a thread's own, and no other thread adds to it: not atomic\n"},
	{"a vector that is atomic",
	 RECORD(OUTPUT "," FUNC("product", AT("output", 0, "x.bx"), STAGE("", LOOP("x", "thread") "," LOOP("y", "thread")) "," ATOMIC("vector"), "") "," FUNC("a_im", INLINE, STAGE("", ""), "") "," FUNC("b_im", INLINE, STAGE("", ""), "")),
	 ENTRY "product at output.block\n thread y, x\n update 0: serial k$x, y; vector x\na_im inline\nb_im inline\n",
	 "product.update0: atomic(): there is no atomic addition of a vector of x\n"},
};

static struct bw_pipeline *bundled(const char *name)
{
	struct bw_error error = {0};
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/data/descriptions/%s.json", getenv("BW_SRC"), name);
	struct bw_pipeline *pipeline = bw_pipeline_read(path.bytes, &error);
	bw_text_free(&path);
	if (!pipeline)
		fail_msg("%s", error.text);
	return pipeline;
}

static const char *description_of(const char *record)
{
	return strstr(record, "\"product\"") ? "mat_mul" : strstr(record, "\"g\"") ? "cs6120_roots" : "blur";
}

static void records(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = bundled(description_of(cases[i].record));
		struct bw_error error = {0};
		struct bw_text unsaid = {0}, text = {0};
		struct bw_schedule *read = bw_hand_read(pipeline, "record", cases[i].record, strlen(cases[i].record), &unsaid, &error);
		if (!read)
			fail_msg("%s: %s", cases[i].name, error.text);
		bw_text_printf(&text, "beamwalk-schedule 1\nstaging off\n%s", cases[i].entries);
		struct bw_schedule *expected = bw_schedule_parse(pipeline, "expected", text.bytes, text.length, NULL, &error);
		if (!expected)
			fail_msg("%s: %s", cases[i].name, error.text);
		if (!bw_schedule_equal(expected, read)) {
			bw_text_clear(&text);
			bw_schedule_print(pipeline, read, &text);
			fail_msg("%s: not %s but %s, and not said: %s", cases[i].name, cases[i].entries, text.bytes, bw_text_get(&unsaid));
		}
		if (strcmp(bw_text_get(&unsaid), cases[i].unsaid) != 0)
			fail_msg("%s: not %s but %s", cases[i].name, cases[i].unsaid, bw_text_get(&unsaid));
		bw_schedule_drop(expected);
		bw_schedule_drop(read);
		bw_text_free(&text);
		bw_text_free(&unsaid);
		bw_pipeline_free(pipeline);
	}
}

static void no_records(void **state)
{
	static const char *const texts[][2] = {
	    {"", "record:1: "},
	    {"[]", "record:1: "},
	    {"{}", "record:1: "},
	    {RECORD(OUTPUT "," INPUT), "record: a schedule of another pipeline than blur: it has no Func blur_x"},
	};
	(void)state;
	struct bw_pipeline *pipeline = bundled("blur");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct bw_error error = {0};
		struct bw_text unsaid = {0};
		assert_null(bw_hand_read(pipeline, "record", texts[i][0], strlen(texts[i][0]), &unsaid, &error));
		if (strncmp(error.text, texts[i][1], strlen(texts[i][1])) != 0)
			fail_msg("not %s but %s", texts[i][1], error.text);
		bw_text_free(&unsaid);
	}
	bw_pipeline_free(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(records), cmocka_unit_test(no_records)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
