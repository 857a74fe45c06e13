/* Regions of placed Funcs: required, computed and allocated, at every level that they have, against boxes worked out by hand; and the
 * tails of splits, those that are chosen and those that are refused. */
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"

#define MAD "'add':{'float32':2},'mul':{'float32':1}"
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)
#define READ_SAME(from) READ(from, SAME_XY, "1", EYE2)
#define CLAMPED(name, most) BOUND("['max',['min'," MIN(name) "," most "],0]", "['max',['min'," MAX(name) "," most "],0]")

/* in -> f (3 in x) -> g (3 in y), g of 100 x 60. */
static const char stencils[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,102],[-1,62]"),
	FUNC_XY("f", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("g", "1", "float32", MAD, READ_Y3("f"), OUTPUT("[0,100],[0,60]")));

/* in -> e -> f (3 in x) -> g (3 in y, and e). */
static const char diamond[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,102],[-1,62]"),
	FUNC_XY("e", "0", "float32", MAD, READ_SAME("in"), "") "," FUNC_XY("f", "1", "float32", MAD, READ_X3("e"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ_Y3("f") "," READ("e", SAME("x") "," SPAN("y", "0", "2"), "1", EYE2), OUTPUT("[0,100],[0,60]")));

/* f over in, at clamped places; g pointwise: f may compute more than is asked for. */
static const char clamped[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("f", "0", "float32", MAD, READ("in", CLAMPED("x", "99") "," CLAMPED("y", "59"), "1", EYE2), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ_SAME("f"), OUTPUT("[0,100],[0,60]")));

/* The same with x clamped alone. */
static const char clamped_in_x[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("f", "0", "float32", MAD, READ("in", CLAMPED("x", "99") "," SAME("y"), "1", EYE2), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ_SAME("f"), OUTPUT("[0,100],[0,60]")));

/* in, at clamped places -> f, of which the generator fixes x -> h -> g. */
static const char held[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("f", "0", "float32", MAD, READ("in", CLAMPED("x", "99") "," CLAMPED("y", "59"), "1", EYE2), ",'computed':[{'min':0,'max':99}," SAME("y") "]") ","
	FUNC_XY("h", "1", "float32", MAD, READ_SAME("f"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ_SAME("h"), OUTPUT("[0,100],[0,60]")));

/* in, at clamped places -> d -> c -> b -> g, each but d 3 in y. */
static const char deep[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("d", "0", "float32", MAD, READ("in", CLAMPED("x", "99") "," CLAMPED("y", "59"), "1", EYE2), "") ","
	FUNC_XY("c", "1", "float32", MAD, READ_Y3("d"), "") "," FUNC_XY("b", "2", "float32", MAD, READ_Y3("c"), "") ","
	FUNC_XY("g", "3", "float32", MAD, READ_Y3("b"), OUTPUT("[0,100],[0,60]")));

/* in, at clamped places -> rows -> mid (3 in y) -> g, which reads it at clamped places: where mid begins and ends is not affine. */
static const char behind[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("rows", "0", "float32", MAD, READ("in", CLAMPED("x", "99") "," CLAMPED("y", "59"), "1", EYE2), "") ","
	FUNC_XY("mid", "1", "float32", MAD, READ_Y3("rows"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ("mid", CLAMPED("x", "99") "," CLAMPED("y", "59"), "1", EYE2), OUTPUT("[0,100],[0,60]")));

/* g reads two columns of f, from where x is after a scaling in floating point: by 1, or by an eighth. */
#define SCALED(by, of) DESCRIPTION(INPUT("in", "float32", XY, "[0,129],[0,60]"), FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") "," \
	FUNC_XY("g", "1", "float32", MAD, READ("f", BOUND("['/',['*'," MIN("x") "," by "],{'estimate':" of "}]", "['+',['/',['*'," MAX("x") "," by "],{'estimate':" of "}],1]") "," SAME("y"), "2", EYE2), OUTPUT("[0,128],[0,60]")))
static const char scaled_by_1[] = SCALED("1", "1"), scaled_by_8th[] = SCALED("2", "16");

/* g reads f at x and at the nearest of columns 0 to 10. */
static const char nearest[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,128],[0,60]"),
	FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ("f", BOUND("['min'," MIN("x") ",['max',['min'," MIN("x") ",10],0]]", "['max'," MAX("x") ",['max',['min'," MAX("x") ",10],0]]") "," SAME("y"), "2", EYE2), OUTPUT("[0,128],[0,60]")));

/* o reads g where it is itself, at clamped rows, or three rows around it; g reads f at the turned place. */
#define TURNED_UNDER(of) DESCRIPTION(INPUT("in", "float32", XY, "[0,64],[0,64]"), FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","  \
	FUNC_XY("g", "1", "float32", "", READ("f", SAME("y") "," SAME("x"), "1", "[[0,1],[1,0]]"), "") ","  \
	FUNC_XY("o", "2", "float32", MAD, READ("g", SAME("x") "," of, "1", EYE2), OUTPUT("[0,64],[0,64]")))
static const char under_same[] = TURNED_UNDER(SAME("y")), under_clamp[] = TURNED_UNDER(CLAMPED("y", "63")), under_span[] = TURNED_UNDER(SPAN("y", "-1", "1"));

/* up reads down at x/2; down reads in at 2x and 2x + 1. */
#define HALF BOUND("['/'," MIN("x") ",2]", "['/',['+'," MAX("x") ",1],2]")
#define TWICE BOUND("['*',2," MIN("x") "]", "['+',['*',2," MAX("x") "],1]")
static const char pyramid[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,200],[0,8]"),
	FUNC_XY("down", "0", "float32", MAD, READ("in", TWICE "," SAME("y"), "2", "[[2,0],[0,1]]"), "") ","
	FUNC_XY("up", "1", "float32", MAD, READ("down", HALF "," SAME("y"), "2", "[[[1,2],0],[0,1]]"), OUTPUT("[0,101],[0,8]")));

#define LINEAR BOUND("['/',['-'," MIN("x") ",1],2]", "['/',['+'," MAX("x") ",1],2]")
/* up reads mid at (x - 1) / 2 to (x + 1) / 2, which reads rows at 2y, 2y + 1. */
static const char chain[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,50],[0,16]"),
	FUNC_XY("rows", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("mid", "1", "float32", MAD, READ("rows", SAME("x") "," BOUND("['*',2," MIN("y") "]", "['+',['*',2," MAX("y") "],1]"), "2", "[[1,0],[0,2]]"), "") ","
	FUNC_XY("up", "2", "float32", MAD, READ("mid", LINEAR "," SAME("y"), "2", "[[[1,2],0],[0,1]]"), OUTPUT("[0,96],[0,8]")));

/* up reads mid, and mid reads low, at (x - 1) / 2 to (x + 1) / 2. */
static const char twice_up[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,30],[0,8]"),
	FUNC_XY("low", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("mid", "1", "float32", MAD, READ("low", LINEAR "," SAME("y"), "2", "[[[1,2],0],[0,1]]"), "") ","
	FUNC_XY("up", "2", "float32", MAD, READ("mid", LINEAR "," SAME("y"), "2", "[[[1,2],0],[0,1]]"), OUTPUT("[0,96],[0,8]")));

/* g reads f where it is itself, in four dimensions. */
#define XYCN "'x','y','c','n'"
#define LOOP_XYCN LOOP_XY "," LOOP("c") "," LOOP("n")
#define EYE4 "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"
#define READ_XYCN(from) READ(from, SAME_XY "," SAME("c") "," SAME("n"), "1", EYE4)
static const char four[] = DESCRIPTION(
	INPUT("in", "float32", XYCN, "[0,64],[0,8],[0,6],[0,2]"),
	FUNC("f", "0", "float32", XYCN, STAGE(LOOP_XYCN, EYE4, MAD, READ_XYCN("in")), "") ","
	FUNC("g", "1", "float32", XYCN, STAGE(LOOP_XYCN, EYE4, MAD, READ_XYCN("f")), OUTPUT("[0,64],[0,8],[0,6],[0,2]")));

/* g reads f at x, y and, through t, at y, x. */
static const char turned[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,60],[0,60]"),
	FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("t", "1", "float32", "", READ("f", SAME("y") "," SAME("x"), "1", "[[0,1],[1,0]]"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ_SAME("f") "," READ_SAME("t"), OUTPUT("[0,60],[0,60]")));

/* g reads two of f, the first at x / 512. */
static const char slow[] = DESCRIPTION(INPUT("in", "float32", "'x'", "[0,7]"),
	FUNC("f", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", READ("in", SAME("x"), "1", "[[1]]")), "") ","
	FUNC("g", "1", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", READ("f", BOUND("['/'," MIN("x") ",512]", "['+',['/'," MAX("x") ",512],1]"), "2", "[[[1,512]]]")), OUTPUT("[0,640]")));

/* f computes column 0 whatever is asked of it; g is one column. */
static const char first_column[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,1],[0,60]"),
	FUNC_XY("f", "0", "float32", MAD, READ("in", BOUND("0", "0") "," SAME("y"), "1", EYE2), ",'computed':[" BOUND("['min'," MIN("x") ",0]", "['max'," MAX("x") ",0]") "," SAME("y") "]") ","
	FUNC_XY("g", "1", "float32", MAD, READ_SAME("f"), OUTPUT("[0,1],[0,60]")));

/* g reads f at n, 2 as is estimated, on either side in x. */
static const char window[] = "{'beamwalk-pipeline':1,'name':'test','halide':'14.0.0','parameters':[{'name':'n','type':'int32','estimate':2}],'inputs':["
	INPUT("in", "float32", XY, "[-2,104],[0,60]") "],'funcs':["
	FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ("f", BOUND("['-'," MIN("x") ",{'param':'n'}]", "['+'," MAX("x") ",{'param':'n'}]") "," SAME("y"), "3", EYE2), OUTPUT("[0,100],[0,60]")) "]}";

/* sum(x) = 0; sum(x) += f(x, r), r of 0..59; g(x) = sum(x). */
#define ADD_UP STAGE(RLOOP("r", "0", "59", "") "," LOOP("x"), "[[0,1]]", "'add':{'float32':1}", \
	READ("f", SAME("x") "," SAME("r"), "1", "[[0,1],[1,0]]") "," READ("sum", SAME("x"), "1", "[[0,1]]"))
#define ZERO_X STAGE(LOOP("x"), "[[1]]", "", "")
static const char sums[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,102],[-1,62]"),
	FUNC_XY("f", "0", "float32", MAD, READ_X3("in"), "") ","
	FUNC("sum", "1", "float32", "'x'", ZERO_X "," ADD_UP, "") ","
	FUNC("g", "2", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", MAD, READ("sum", SAME("x"), "1", "[[1]]")), OUTPUT("[0,100]")));

/* A histogram of 16 bins; its update may write any of them, so all are computed. */
static const char bins[] = DESCRIPTION(
	INPUT("in", "uint8", XY, "[0,100],[0,60]"),
	FUNC("hist", "0", "int32", "'i'", STAGE(LOOP("i"), "[[1]]", "", "") "," STAGE(RLOOP("rx", "0", "99", "") "," RLOOP("ry", "0", "59", ""), "[[null,null]]", "'add':{'int32':1}",
		READ("in", SAME("rx") "," SAME("ry"), "1", EYE2) "," READ("hist", BOUND("0", "15"), "1", "[[null,null]]")), ",'computed':[{'min':0,'max':15}]") ","
	FUNC("g", "1", "int32", "'i'", STAGE(LOOP("i"), "[[1]]", "", READ("hist", SAME("i"), "1", "[[1]]")), OUTPUT("[2,8]")));

/* wild reads in where its own values say; g clamps wild's coordinate, and h reads h's own place. */
static const char wild[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("lost", "1", "float32", MAD, READ("f", BOUND("['max',['min'," MIN("x") ",99],0]", "['max',['min'," MAX("x") ",99],0]") "," SAME("y"), "1", EYE2), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ("lost", "{'min':null,'max':null}," SAME("y"), "1", "[[null,0],[0,1]]"), OUTPUT("[0,100],[0,60]")));

/* g reads f at y / 8 and the next. */
static const char eighths[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,128],[0,9]"),
	FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ("f", SAME("x") "," BOUND("['/'," MIN("y") ",8]", "['+',['/'," MAX("y") ",8],1]"), "2", "[[1,0],[0,[1,8]]]"), OUTPUT("[0,128],[0,64]")));

/* The same in y; in x, column 3 as well. */
static const char column_3[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,4],[0,9]"),
	FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ("f", BOUND("['min'," MIN("x") ",3]", "['max'," MAX("x") ",3]") "," BOUND("['/'," MIN("y") ",8]", "['+',['/'," MAX("y") ",8],1]"), "2", "[[null,0],[0,[1,8]]]"), OUTPUT("[0,4],[0,64]")));

/* in -> f -> g, of four dimensions. */
#define XYZW "'x','y','z','w'"
#define FUNC_XYZW(name, handle, from, more) \
	FUNC(name, handle, "float32", XYZW, STAGE(LOOP_XY "," LOOP("z") "," LOOP("w"), EYE4, "", READ(from, SAME_XY "," SAME("z") "," SAME("w"), "1", EYE4)), more)
#define EYE4 "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"
static const char tensors[] = DESCRIPTION(INPUT("in", "float32", XYZW, "[0,32],[0,16],[0,48],[0,4]"), FUNC_XYZW("f", "0", "in", "") "," FUNC_XYZW("g", "1", "f", OUTPUT("[0,32],[0,16],[0,48],[0,4]")));
/* The same, but g reads z and z + 1. */
static const char halo[] = DESCRIPTION(INPUT("in", "float32", XYZW, "[0,32],[0,16],[0,49],[0,4]"), FUNC_XYZW("f", "0", "in", "") ","
	FUNC("g", "1", "float32", XYZW, STAGE(LOOP_XY "," LOOP("z") "," LOOP("w"), EYE4, "", READ("f", SAME_XY "," SPAN("z", "0", "1") "," SAME("w"), "2", EYE4)), OUTPUT("[0,32],[0,16],[0,48],[0,4]")));

struct region_case {
	const char *text;
	const char *entries[6];
	const char *func, *level;
	const char *required, *computed;
};

static const struct region_case region_cases[] = {
	/* Blocks of 16 x 4: 7 of them in x, 15 in y; the one in the middle is 3, 7. In it the thread in the middle is 8, 2. */
	{stencils, {"g root 1x1/16x4"}, "g", "root", "0..99 0..59", "0..99 0..59"},
	{stencils, {"g root 1x1/16x4", "f at g.block 1x1"}, "f", "g.block", "48..63 27..32", "48..63 27..32"},
	{stencils, {"g root 1x1/16x4", "f at g.block 1x1"}, "f", "root", "0..99 -1..60", "0..99 -1..60"},
	{stencils, {"g root 1x1/16x4", "f at g.thread"}, "f", "g.thread", "56..56 29..31", "56..56 29..31"},
	{stencils, {"g root 1x1/16x4", "f at g.thread"}, "f", "g.block", "48..63 27..32", "48..63 27..32"},
	/* Two points of y a thread: the block in the middle is y 32..39, 4 of 8, its thread 2 is 36..37, the second of these 37. */
	{stencils, {"g root 1x2/16x4", "f at g.thread"}, "f", "g.thread", "56..56 35..38", "56..56 35..38"},
	{stencils, {"g root 1x2/16x4", "f at g.serial0"}, "f", "g.serial0", "56..56 36..38", "56..56 36..38"},
	{stencils, {"g root 1x1/16x4", "f root 1x1/32x8"}, "f", "root", "0..99 -1..60", "0..99 -1..60"},
	{stencils, {"g root 1x1/16x4", "f inline"}, "f", "g.block", "48..63 27..32", "48..63 27..32"},
	{stencils, {"g root 1x1/16x4", "f inline"}, "f", "g.thread", "56..56 29..31", "56..56 29..31"},
	/* Larger than the image: the interior block is the whole. */
	{stencils, {"g root 1x1/128x64", "f at g.block 1x1"}, "f", "g.block", "0..99 -1..60", "0..99 -1..60"},
	/* Several consumers: f wants x 47..64, y 27..32 at the block, and g itself y 28..33. */
	{diamond, {"g root 1x1/16x4", "f at g.block 1x1", "e at g.block 1x1"}, "e", "g.block", "47..64 27..33", "47..64 27..33"},
	{diamond, {"g root 1x1/16x4", "f at g.block 1x1", "e at g.block 1x1"}, "e", "root", "-1..100 -1..61", "-1..100 -1..61"},
	/* Through an inlined Func the same. */
	{diamond, {"g root 1x1/16x4", "f inline", "e at g.block 1x1"}, "e", "g.block", "47..64 27..33", "47..64 27..33"},
	{diamond, {"g root 1x1/16x4", "f inline", "e at g.thread"}, "e", "g.thread", "55..57 29..32", "55..57 29..32"},
	{diamond, {"g root 1x1/16x4", "f at g.thread", "e at g.thread"}, "e", "g.thread", "55..57 29..32", "55..57 29..32"},
	{diamond, {"g root 1x1/16x4", "f root 1x1/32x8", "e root 1x1/32x8"}, "e", "root", "-1..100 -1..61", "-1..100 -1..61"},
	/* f at root computes 0..127, 0..63 by RoundUp, whose block of 32 x 8 in the middle is 2 of 4, 4 of 8. */
	{clamped, {"g root 1x1/16x4", "f root 1x1/32x8"}, "f", "root", "0..99 0..59", "0..127 0..63"},
	{clamped, {"g root 1x1/16x4", "f root 3x1/32x8"}, "f", "root", "0..99 0..59", "0..191 0..63"},
	/* Three points of x a thread, of 16: RoundUp makes them 18, at the root too. */
	{clamped, {"g root 1x1/16x4", "f at g.block 3x1"}, "f", "g.block", "48..63 28..31", "48..65 28..31"},
	{clamped, {"g root 1x1/16x4", "f at g.block 3x1"}, "f", "root", "0..99 0..59", "0..101 0..59"},
	/* The block in the middle, 3 of 7, is 48..63 of up; it reads 24..32 of down. */
	{pyramid, {"up root 1x1/16x4", "down at up.block 1x1"}, "down", "up.block", "24..32 4..7", "24..32 4..7"},
	{pyramid, {"up root 1x1/16x4", "down at up.block 1x1"}, "down", "root", "0..50 0..7", "0..50 0..7"},
	/* Thread 8 of the block: 56 / 2 .. 57 / 2. */
	{pyramid, {"up root 1x1/16x4", "down at up.thread"}, "down", "up.thread", "28..28 6..6", "28..28 6..6"},
	/* Threads of 3 points: blocks of 48, the one in the middle 1 of 3 is 48..95, its thread 8 is 72..74. */
	{pyramid, {"up root 3x1/16x4", "down at up.thread"}, "down", "up.thread", "36..37 6..6", "36..37 6..6"},
	/* At the update's thread: x 56 of block 48..63, all of r. At its serial loop: one r, the 30th. */
	{sums, {"g root 1/16", "sum root 1/16", "f at sum.update0.thread"}, "f", "sum.update0.thread", "56..56 0..59", "56..56 0..59"},
	{sums, {"g root 1/16", "sum root 1/16", "f at sum.update0.serial0"}, "f", "sum.update0.serial0", "56..56 30..30", "56..56 30..30"},
	{sums, {"g root 1/16", "sum root 1/16", "f root 1x1/16x4"}, "f", "root", "0..99 0..59", "0..99 0..59"},
	{sums, {"g root 1/16", "sum at g.block 1", "f at g.block 1x1"}, "f", "g.block", "48..63 0..59", "48..63 0..59"},
	/* The consumer wants bins 2 to 9, all 16 are computed. */
	{bins, {"g root 1/16", "hist root 1/16"}, "hist", "root", "2..9 ", "0..15"},
	{wild, {"g root 1x1/16x4", "lost inline", "f root 1x1/16x4"}, "f", "root", "0..99 0..59", "0..99 0..59"},
};

static void regions_are_as_worked_out_by_hand(void **state)
{
	for (size_t i = 0; i < sizeof region_cases / sizeof *region_cases; i++) {
		const struct region_case *c = &region_cases[i];
		struct bw_pipeline *pipeline = description_read(c->text);
		struct bw_nest *nest = nest_of(pipeline, c->entries, NULL);
		const struct bw_placed *placed = nest->placed[description_func(pipeline, c->func)];
		const struct bw_region *region = bw_placed_region(placed, level_of(pipeline, c->level));
		char required[256], computed[256];
		if (!region)
			fail_msg("case %zu: %s has no region at %s", i, c->func, c->level);
		box_words(region->required, placed->n_dims, required);
		box_words(region->computed, placed->n_dims, computed);
		if (strncmp(required, c->required, strlen(required)) || strcmp(computed, c->computed))
			fail_msg("case %zu: %s at %s: required %s, computed %s; expected %s, %s", i, c->func, c->level, required, computed, c->required, c->computed);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* Allocations: elements by dimension, bytes of all, whether they are the same at every iteration, memory. */
static void allocations_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *entries[6];
		const char *func;
		int64_t allocated[4];
		double bytes;
		bool constant;
		enum bw_memory memory;
	} cases[] = {
		{stencils, {"g root 1x1/16x4", "f root 1x1/32x8"}, "f", {100, 62}, 24800, true, BW_MEMORY_GLOBAL},
		{stencils, {"g root 1x1/16x4", "f at g.block 1x1"}, "f", {16, 6}, 384, true, BW_MEMORY_SHARED},
		{stencils, {"g root 1x1/16x4", "f at g.thread"}, "f", {1, 3}, 12, true, BW_MEMORY_REGISTERS},
		{stencils, {"g root 1x2/16x4", "f at g.serial0"}, "f", {1, 3}, 12, true, BW_MEMORY_REGISTERS},
		/* Computed in a thread, stored in the block, or at root. */
		{stencils, {"g root 1x1/16x4", "f at g.thread store g.block"}, "f", {16, 6}, 384, true, BW_MEMORY_SHARED},
		{stencils, {"g root 1x1/16x4", "f at g.block 1x1 store root"}, "f", {100, 62}, 24800, true, BW_MEMORY_GLOBAL},
		{stencils, {"g root 1x1/16x4", "f at g.thread in stack"}, "f", {1, 3}, 12, true, BW_MEMORY_STACK},
		{clamped, {"g root 1x1/16x4", "f root 1x1/32x8"}, "f", {128, 64}, 32768, true, BW_MEMORY_GLOBAL},
		{clamped, {"g root 1x1/16x4", "f at g.block 3x1"}, "f", {18, 4}, 288, true, BW_MEMORY_SHARED},
		/* A block or a thread of mid has a size wherever mid begins and ends, unless a guard cuts it off there. Behind the clamp there is none. */
		{behind, {"g root 1x1/16x4", "mid root 1x1/16x4", "rows at mid.block 1x1"}, "rows", {16, 6}, 384, true, BW_MEMORY_SHARED},
		{behind, {"g root 1x1/16x4", "mid root; block y, x; thread y 4, x 16 guard_with_if", "rows at mid.block 1x1"}, "rows", {16, 6}, 384, false, BW_MEMORY_SHARED},
		{behind, {"g root 1x1/16x4", "mid root 1x1/16x4", "rows at mid.thread"}, "rows", {1, 3}, 12, true, BW_MEMORY_REGISTERS},
		{behind, {"g root 1x1/16x4", "mid root; block y, x; thread y 4, x 16 guard_with_if", "rows at mid.thread"}, "rows", {1, 3}, 12, false, BW_MEMORY_REGISTERS},
		{behind, {"g root 1x1/16x4", "mid at g.block 1x1", "rows at g.block 1x1"}, "rows", {16, 6}, 384, false, BW_MEMORY_SHARED},
		/* The last block of g has columns 112 to 127, and f from column 10 on; none begins further on. */
		{nearest, {"g root 1x1/16x4", "f at g.block 1x1"}, "f", {118, 4}, 1888, false, BW_MEMORY_SHARED},
		/* 4 rows of g, 6 of b are rounded up to 8: 10 of c in all threads of b, and 12 of d are there to be read. */
		{deep, {"g root 1x1/16x4", "b at g.block 1x8", "c at b.thread", "d at g.block 1x1"}, "d", {16, 12}, 768, true, BW_MEMORY_SHARED},
		/* Blocks begin at multiples of 16 but the last, which is moved in to 85..100: 16 even, 42..50, 9 elements of down each. */
		{pyramid, {"up root 1x1/16x4", "down at up.block 1x1"}, "down", {9, 4}, 144, true, BW_MEMORY_SHARED},
		/* An even x reads one element, an odd one two. */
		{pyramid, {"up root 1x1/16x4", "down at up.thread"}, "down", {2, 1}, 8, false, BW_MEMORY_REGISTERS},
		/* Eight columns of up, from an even one on, read six of mid. Were they to begin at an odd one it would be five; then Halide does not see how many
		 * of rows there are, but where they are of one of mid's columns. */
		{chain, {"up root 8x1/2x8", "mid at up.thread"}, "mid", {6, 1}, 24, true, BW_MEMORY_REGISTERS},
		{chain, {"up root 8x1/2x8", "mid at up.thread", "rows at mid.serial0"}, "rows", {6, 2}, 48, false, BW_MEMORY_REGISTERS},
		{chain, {"up root 8x1/2x8", "mid at up.thread", "rows at up.thread"}, "rows", {6, 2}, 48, false, BW_MEMORY_REGISTERS},
		{chain, {"up root 8x1/2x8", "mid at up.thread", "rows at mid.serial1"}, "rows", {1, 2}, 8, true, BW_MEMORY_REGISTERS},
		{chain, {"up root 8x1/2x8", "mid at up.block 1x1", "rows at mid.thread"}, "rows", {1, 2}, 8, true, BW_MEMORY_REGISTERS},
		{chain, {"up root 8x1/2x8", "mid inline", "rows at up.thread"}, "rows", {6, 2}, 48, true, BW_MEMORY_REGISTERS},
		/* A point reads two of the Func below, wherever it is; Halide sees that of the first rounding, not of one of what was rounded and moved on. */
		{twice_up, {"up root 1x1/16x4", "mid at up.thread"}, "mid", {2, 1}, 8, true, BW_MEMORY_REGISTERS},
		{twice_up, {"up root 1x1/16x4", "mid root 1x1/16x4", "low at mid.thread"}, "low", {2, 1}, 8, false, BW_MEMORY_REGISTERS},
		{twice_up, {"up root 1x1/16x4", "mid at up.thread", "low at mid.serial1"}, "low", {2, 1}, 8, false, BW_MEMORY_REGISTERS},
		{twice_up, {"up root 1x1/16x4", "mid root 1x1/10x4", "low at mid.block 1x1"}, "low", {6, 4}, 96, true, BW_MEMORY_SHARED},
		/* 50 columns of mid, -1..48, are 5 of 10, and a guard leaves none out; of one at what was rounded Halide does not see that, of round_up there is none. */
		{chain, {"up root 1x1/16x4", "mid root; block y, x; thread x 5 guard_with_if; unrolled x 2", "rows at mid.thread"}, "rows", {2, 2}, 16, false, BW_MEMORY_REGISTERS},
		{chain, {"up root 1x1/16x4", "mid root; block y, x; thread x 5 round_up; unrolled x 2", "rows at mid.thread"}, "rows", {2, 2}, 16, true, BW_MEMORY_REGISTERS},
		/* Pairs of points, from an even one on, read three of mid; where a guard may end a pair early, Halide does not see that through the rounding. */
		{twice_up, {"up root; block y, x; thread x 16 guard_with_if; unrolled x 2", "mid at up.thread"}, "mid", {3, 1}, 12, false, BW_MEMORY_REGISTERS},
		{twice_up, {"up root; block y, x; thread x 16 shift_inwards; unrolled x 2", "mid at up.thread"}, "mid", {3, 1}, 12, true, BW_MEMORY_REGISTERS},
		{twice_up, {"up root; block y, x; thread x 16 guard_with_if", "mid at up.thread"}, "mid", {2, 1}, 8, true, BW_MEMORY_REGISTERS},
		/* The outer two of four loops over blocks are fused. Of what is left of a division Halide 14 knows no bounds, and so not that a guard, which
		 * leaves out none of 8 rows, ends no pair of them. */
		{four, {"g root; block n, c, y, x; thread y 2 guard_with_if, x 16; unrolled y 2", "f at g.thread"}, "f", {1, 2, 1, 1}, 8, true, BW_MEMORY_REGISTERS},
		{four, {"g root; block n, y, c, x; thread y 2 guard_with_if, x 16; unrolled y 2", "f at g.thread"}, "f", {1, 2, 1, 1}, 8, false, BW_MEMORY_REGISTERS},
		{four, {"g root; block n, y, c, x; thread y 2 guard_with_if, x 16", "f at g.thread"}, "f", {1, 1, 1, 1}, 4, true, BW_MEMORY_REGISTERS},
		{sums, {"g root 1/16", "sum at g.block 1"}, "sum", {16}, 64, true, BW_MEMORY_SHARED},
		{sums, {"g root 1/16", "sum at g.thread"}, "sum", {1}, 4, true, BW_MEMORY_REGISTERS},
		/* A guard that leaves out points makes the size of what has updates unknown to Halide 14, not that of what has none; one that leaves out pairs
		 * would, were 100 odd. */
		{sums, {"g root; block x; thread x 16 guard_with_if", "sum at g.thread"}, "sum", {1}, 4, false, BW_MEMORY_REGISTERS},
		{sums, {"g root; block x; thread x 16 guard_with_if; unrolled x 2", "sum at g.thread"}, "sum", {2}, 8, true, BW_MEMORY_REGISTERS},
		{stencils, {"g root; block y, x; thread y 4, x 16 guard_with_if", "f at g.thread"}, "f", {1, 3}, 12, true, BW_MEMORY_REGISTERS},
		{bins, {"g root 1/16", "hist root 1/16"}, "hist", {16}, 64, true, BW_MEMORY_GLOBAL},
		/* The thread in the middle is at 40, 30; sixteen threads further in x, what is read at x, y and at y, x spans 30 to 56. */
		{turned, {"g root 1x1/16x4", "t inline", "f at g.thread"}, "f", {27, 27}, 2916, false, BW_MEMORY_REGISTERS},
		/* Halide compiles for any n. */
		{window, {"g root 1x1/16x4", "f at g.thread"}, "f", {5, 1}, 20, false, BW_MEMORY_REGISTERS},
		/* Five points of g read two of f, but three where a multiple of 512 is among them: 510 to 514 is far from the thread that is
		 * looked at, whose points are 320 to 324. */
		{slow, {"g root; block x; thread x 16; unrolled x 5", "f at g.thread"}, "f", {3}, 12, false, BW_MEMORY_REGISTERS},
		{slow, {"g root; block x; thread x 16; unrolled x 5", "f at g.serial0"}, "f", {2}, 8, true, BW_MEMORY_REGISTERS},
		/* The block of 20 points that is looked at begins at 320, that of 512 is nine further. */
		{slow, {"g root; block x; thread x 4; unrolled x 5", "f at g.block"}, "f", {3}, 12, false, BW_MEMORY_SHARED},
		/* Halide takes the extents of an output for anything: sixteen columns further, f is computed from 0 to 16. */
		{first_column, {"g root; block y, x; thread y 16", "f at g.thread"}, "f", {17, 1}, 68, false, BW_MEMORY_REGISTERS},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		const struct bw_placed *placed = nest->placed[description_func(pipeline, cases[i].func)];
		for (int d = 0; d < placed->n_dims; d++)
			if (placed->allocated[d] != cases[i].allocated[d])
				fail_msg("case %zu: %lld elements of dimension %d", i, (long long)placed->allocated[d], d);
		if (placed->bytes != cases[i].bytes || (placed->proof >= BW_PROOF_BOUND) != cases[i].constant || placed->memory != cases[i].memory)
			fail_msg("case %zu: %g bytes in %s, %s", i, placed->bytes, bw_memory_name(placed->memory), placed->proof >= BW_PROOF_BOUND ? "constant" : "not constant");
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* The threads of what is computed in a block: those that have work, and those that Halide launches. */
static void blocks_are_launched_as_halide_bounds_them(void **state)
{
	static const struct {
		const char *text;
		const char *entries[4];
		int64_t threads[3], launched[3];
	} cases[] = {
		/* Rows 4k to 4k + 3 need eighths k / 2 and k / 2 + 1; from the sixth, seventh or eighth row on they would need another. */
		{eighths, {"g root 1x2/16x2", "f at g.block 1x1"}, {16, 2, 1}, {16, 3, 1}},
		{eighths, {"g root 1x1/16x1", "f at g.block 1x1"}, {16, 2, 1}, {16, 2, 1}},
		/* Nothing rounds columns: there are none but the four. */
		{column_3, {"g root; block y, x; thread y 4; unrolled x 4", "f at g.block; thread y, x"}, {4, 2, 1}, {4, 3, 1}},
		/* One end by the first block and one by the last: Halide does not see that both are of one. */
		{nearest, {"g root 1x1/16x4", "f at g.block 1x1"}, {70, 4, 1}, {128, 4, 1}},
		/* Halide rounds floats, and so cancels nothing of two of them: it bounds the last column of the last block, and the first of the first. */
		{scaled_by_1, {"g root 1x1/16x4", "f at g.block 1x1"}, {17, 4, 1}, {129, 4, 1}},
		{scaled_by_8th, {"g root 1x1/16x4", "f at g.block 1x1"}, {3, 4, 1}, {17, 4, 1}},
		/* The guard may end a block anywhere: all eighths of 64 rows, and the next. */
		{eighths, {"g root; block y, x; thread y 2 guard_with_if, x 16; unrolled y 2", "f at g.block 1x1"}, {16, 2, 1}, {16, 9, 1}},
		/* Of z, fused with w, a block needs three, and a thread of f has two: half of all 49. Where a thread has one or four, or no guard ends the block, those of a block. */
		{halo, {"g root; block w, z, y, x; thread x 16; unrolled z 2 guard_with_if", "f at g.block; thread z, x; serial w, y, z 2"}, {16, 2, 1}, {16, 25, 1}},
		{halo, {"g root; block w, z, y, x; thread x 16; unrolled z 2 shift_inwards", "f at g.block; thread z, x; serial w, y, z 2"}, {16, 2, 1}, {16, 2, 1}},
		/* f is as wide as a block of g is high, 16. If each of two nested splits has a guard, Halide bounds it over all blocks, unless the rows of g
		 * are as many as those of the output; with three splits, also if they are two more. */
		{under_clamp, {"o root 1x1/16x4", "g root; block y; serial x; thread y 4 guard_with_if, x 16; serial y 4", "f at g.block; serial y; thread x"}, {16, 1, 1}, {64, 1, 1}},
		{under_clamp, {"o root 1x1/16x4", "g root; block y; serial x; thread y 4 shift_inwards, x 16; serial y 4", "f at g.block; serial y; thread x"}, {16, 1, 1}, {16, 1, 1}},
		{under_clamp, {"o root 1x1/16x4", "g root; block y; serial x; thread y 4 guard_with_if, x 16; unrolled y 4", "f at g.block; serial y; thread x"}, {16, 1, 1}, {16, 1, 1}},
		{under_clamp, {"o root 1x1/16x4", "g root; block y; serial x; thread y 16 guard_with_if, x 16", "f at g.block; serial y; thread x"}, {16, 1, 1}, {16, 1, 1}},
		{under_same, {"o root 1x1/16x4", "g root; block y; serial x; thread y 4 guard_with_if, x 16; serial y 4", "f at g.block; serial y; thread x"}, {16, 1, 1}, {16, 1, 1}},
		{under_span, {"o root 1x1/16x4", "g root; block y; serial x; thread y 4 guard_with_if, x 16; serial y 4", "f at g.block; serial y; thread x"}, {16, 1, 1}, {16, 1, 1}},
		{under_span, {"o root 1x1/16x4", "g root; block y; serial x; thread y 4 guard_with_if, x 16; serial y 2; unrolled y 2", "f at g.block; serial y; thread x"}, {16, 1, 1}, {66, 1, 1}},
		{under_same, {"o root 1x1/16x4", "g root; block y; serial x; thread y 4 guard_with_if, x 16; serial y 2; unrolled y 2", "f at g.block; serial y; thread x"}, {16, 1, 1}, {16, 1, 1}},
		/* A thread loop of one iteration is not launched, so nothing raises it, and the next one takes its place. */
		{tensors, {"g root; block w, z, y, x; thread x 16; unrolled z 2 guard_with_if", "f at g.block; thread z, x; serial w, y, z 2"}, {16, 1, 1}, {16, 1, 1}},
		{tensors, {"g root; block w, z, y, x; thread y 4, x 16; unrolled z 2", "f at g.block; thread z, y, x; serial w, x 16"}, {4, 2, 1}, {4, 2, 1}},
		{tensors, {"g root; block w, z, y, x; thread x 16", "f at g.block; thread z, y, x; serial w, x 16"}, {1, 1, 1}, {1, 1, 1}},
		{tensors, {"g root; block w, z, y, x; thread x 16; unrolled z 2 guard_with_if", "f at g.block; thread z, x; serial w, y"}, {16, 2, 1}, {16, 2, 1}},
		{tensors, {"g root; block w, z, y, x; thread x 16; unrolled z 2 guard_with_if", "f at g.block; thread z, x; serial w, y, z 4"}, {16, 1, 1}, {16, 1, 1}},
		{tensors, {"g root; block w, z, y, x; thread x 16; unrolled z 4 guard_with_if", "f at g.block; thread z, x; serial w, y, z 2"}, {16, 2, 1}, {16, 2, 1}},
		{tensors, {"g root; block w, z, y, x; thread x 16; unrolled z 2 shift_inwards", "f at g.block; thread z, x; serial w, y, z 2"}, {16, 1, 1}, {16, 1, 1}},
		/* x and y are not fused, nor is z of three. */
		{tensors, {"g root; block w, z, y, x; thread x 16; unrolled y 2 guard_with_if", "f at g.block; thread y, x; serial w, z, y 2"}, {16, 1, 1}, {16, 1, 1}},
		{tensors, {"g root; block z, y, x; thread x 16; unrolled w, z 2 guard_with_if", "f at g.block; thread z, x; serial w, y, z 2"}, {16, 1, 1}, {16, 1, 1}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		const struct bw_placed_stage *f = &nest->placed[description_func(pipeline, "f")]->stages[0];
		struct bw_arena *arena = bw_arena_new();
		struct bw_kernel kernel = bw_nest_kernel(nest, description_func(pipeline, "g"), 0, arena);
		for (int d = 0; d < 3; d++)
			if (f->threads[d] != cases[i].threads[d] || f->launched[d] != cases[i].launched[d] || kernel.threads[d] < f->launched[d])
				fail_msg("case %zu: %lld threads in %c, %lld launched, %lld with the block", i, (long long)f->threads[d], "xyz"[d], (long long)f->launched[d], (long long)kernel.threads[d]);
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* The tail of the first split of a stage that has one. */
static void tails_are_chosen_by_their_rules(void **state)
{
	static const struct {
		const char *text;
		const char *entries[6];
		const char *func;
		int stage, loop;
		enum bw_tail tail;
	} cases[] = {
		/* An output: ShiftInwards where there is a block's worth, else GuardWithIf. */
		{stencils, {"g root 1x1/32x8"}, "g", 0, 0, BW_TAIL_SHIFT_INWARDS},
		{stencils, {"g root 1x1/128x8"}, "g", 0, 0, BW_TAIL_GUARD_WITH_IF},
		{stencils, {"g root 1x1/128x8"}, "g", 0, 1, BW_TAIL_SHIFT_INWARDS},
		/* RoundUp would read in outside of its estimate. */
		{stencils, {"g root 1x1/32x8", "f root 1x1/32x8"}, "f", 0, 0, BW_TAIL_SHIFT_INWARDS},
		{stencils, {"g root 1x1/32x8", "f root 1x1/128x8"}, "f", 0, 0, BW_TAIL_GUARD_WITH_IF},
		{stencils, {"g root 1x1/32x8", "f at g.block 3x1"}, "f", 0, 0, BW_TAIL_GUARD_WITH_IF},
		/* in is read at clamped places alone. */
		{clamped, {"g root 1x1/32x8", "f root 1x1/32x8"}, "f", 0, 0, BW_TAIL_ROUND_UP},
		{clamped, {"g root 1x1/32x8", "f at g.block 3x1"}, "f", 0, 0, BW_TAIL_ROUND_UP},
		/* More of f than the generator fixes is neither computed nor read. */
		{held, {"g root 1x1/32x8", "h root 1x1/32x8", "f root 1x1/32x8"}, "f", 0, 0, BW_TAIL_SHIFT_INWARDS},
		{held, {"g root 1x1/32x8", "h root 1x1/32x8", "f root 1x1/32x8"}, "h", 0, 0, BW_TAIL_SHIFT_INWARDS},
		{held, {"g root 1x1/32x8", "h at g.block 3x1", "f root 1x1/32x8"}, "h", 0, 0, BW_TAIL_GUARD_WITH_IF},
		/* Of a Func with updates the pure definition may shift, the update not. */
		{sums, {"g root 1/16", "sum root 1/16"}, "sum", 0, 0, BW_TAIL_SHIFT_INWARDS},
		{sums, {"g root 1/16", "sum root 1/16"}, "sum", 1, 1, BW_TAIL_GUARD_WITH_IF},
		{sums, {"g root 1/16", "sum root; block x; thread x 16; update 0: block x; thread x 16; serial r, r 7"}, "sum", 1, 0, BW_TAIL_GUARD_WITH_IF},
		/* What is said explicitly. */
		{stencils, {"g root; block y, x; thread x 32 guard_with_if; serial y 4 round_up"}, "g", 0, 0, BW_TAIL_GUARD_WITH_IF},
		/* Where x is clamped, more of it is read within the input, whatever is true of y. */
		{clamped_in_x, {"g root 1x1/16x4", "f root; block y, x; thread x 32 round_up"}, "f", 0, 0, BW_TAIL_ROUND_UP},
		{stencils, {"g root; block y, x; thread x 32 guard_with_if; serial y 4 round_up"}, "g", 0, 1, BW_TAIL_ROUND_UP},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, NULL);
		const struct bw_placed *placed = nest->placed[description_func(pipeline, cases[i].func)];
		const struct bw_stage_plan *plan = &placed->placement->stages[cases[i].stage];
		int first = 0;
		while (first < plan->n_loops && (plan->loops[first].loop != cases[i].loop || !plan->loops[first].extent))
			first++;
		assert_true(first < plan->n_loops);
		if (placed->stages[cases[i].stage].tails[first] != cases[i].tail)
			fail_msg("case %zu: %s, expected %s", i, bw_tail_name(placed->stages[cases[i].stage].tails[first]), bw_tail_name(cases[i].tail));
		bw_nest_drop(nest);
		bw_pipeline_free(pipeline);
	}
}

/* Two warps of a block, each with a row of 32 points for its lanes. */
#define WARPS "g root; block y, x; thread y 2; lane x 32"

/* in -> f (3 in x) -> g (3 in y) in doubles. */
static const char doubles[] = DESCRIPTION(
	INPUT("in", "float64", XY, "[-1,102],[-1,62]"),
	FUNC_XY("f", "0", "float64", "", READ("in", SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2), "") ","
	FUNC_XY("g", "1", "float64", "", READ("f", SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2), OUTPUT("[0,100],[0,60]")));

/* What cannot be placed: the error names the Func and the rule. */
static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *entries[6];
		const char *error;
	} cases[] = {
		{stencils, {"g root; block y, x; thread x 32 round_up"}, "g: round_up of x would write more of the output than there is (100 is no multiple of 32)"},
		{stencils, {"g root 1x1/16x4", "f root; block y, x; thread x 32 round_up"}, "f: round_up of x from 100 to a multiple of 32 would read an input or a Func of a fixed region out of bounds"},
		{clamped_in_x, {"g root 1x1/16x4", "f root; block y, x; thread y 32 round_up, x 32 round_up"}, "f: round_up of y from 60 to a multiple of 32 would read an input or a Func of a fixed region out of bounds"},
		{stencils, {"g root; block y, x; thread x 128 shift_inwards"}, "g: shift_inwards of x needs an extent of at least 128, there are 100"},
		{sums, {"g root 1/16", "sum root; block x; thread x 16; update 0: block x; thread x 16 shift_inwards; serial r"}, "sum: shift_inwards computes points of an update twice"},
		{sums, {"g root 1/16", "sum root; block x; update 0: block x; serial r, r 7 round_up"}, "sum: round_up of r in an update could change what it computes"},
		{sums, {"g root 1/16", "sum root; block x; update 0: block x; thread r"}, "sum: loop r carries a reduction and cannot be a thread loop"},
		{sums, {"g root 1/16", "sum inline"}, "sum: a Func with updates cannot be inlined"},
		{stencils, {"g inline"}, "g: an output of the pipeline is computed at root"},
		{diamond, {"g root 1x1/16x4", "f inline", "e at f.block 1x1"}, "e: f is inlined and has no loops to compute it in"},
		{diamond, {"g root 1x1/16x4", "f root 1x1/16x4", "e at f.block 1x1"}, "e: its consumer g is computed elsewhere, not at f.block"},
		{diamond, {"g root 1x1/16x4", "f at g.block 1x1", "e at f.thread"}, "e: its consumer g is computed elsewhere, not at f.thread"},
		{stencils, {"g root 1x1/16x4", "f at g.serial0"}, "f: g has no such loops to compute it in"},
		{sums, {"g root 1/16", "sum root 1/16", "f at sum.update0.serial1"}, "f: sum has no such loops to compute it in"},
		{stencils, {"g root 1x1/16x4", "f at g.block; block y, x"}, "f: block loops only at root"},
		{stencils, {"g root 1x1/16x4", "f at g.thread; thread y, x"}, "f: thread loops inside thread loops"},
		{stencils, {"g root; thread y, x"}, "g: thread loops at root need block loops around them"},
		{stencils, {"g root; serial y; block x"}, "g: a serial loop outside of block loops"},
		{wild, {"g root 1x1/16x4", "lost root 1x1/16x4"}, "lost: g reads lost without bounds in x: clamp the index there, or inline this"},
		{wild, {"g root 1x1/16x4", "lost at g.block 1x1"}, "lost: g reads lost without bounds in x: clamp the index there, or inline this"},
		/* A store that does not enclose the site, or that is not there. */
		{stencils, {"g root 1x1/16x4", "f at g.block 1x1 store g.thread"}, "f: it is not computed inside of the loop where it is stored"},
				{diamond, {"g root 1x1/16x4", "f inline", "e at g.block store f.block"}, "e: it is not computed inside of the loop where it is stored"},
		/* Memory that the place of the storage has not. */
		{stencils, {"g root 1x1/16x4", "f root 1x1/16x4 in shared"}, "f: no shared memory at root"},
		{stencils, {"g root 1x1/16x4", "f root 1x1/16x4 in registers"}, "f: no registers memory at root"},
		{stencils, {"g root 1x1/16x4", "f at g.block 1x1 in registers"}, "f: no registers memory at a block"},
		{stencils, {"g root 1x1/16x4", "f at g.block 1x1 in stack"}, "f: no stack memory at a block"},
		{stencils, {"g root 1x1/16x4", "f at g.thread in shared"}, "f: no shared memory in a thread"},
		/* Lanes: a single loop of constant extent, innermost of the thread loops. */
		{stencils, {"g root; block y; thread y 2; lane x"}, "g: lanes need an extent of 1 to 32: lane x 32"},
		{stencils, {"g root; block y, x; thread y 2; lane x 64"}, "g: lanes need an extent of 1 to 32: lane x 32"},
		{stencils, {"g root; block y, x; lane x 32; thread y 2"}, "g: a thread loop inside of the lanes of a warp"},
		{stencils, {"g root; block y, x; lane y 2; lane x 16"}, "g: a lane loop inside of the lanes of a warp"},
		/* What the lanes keep together: f is 1 x 3 points a row of y, so that each lane has a column of it. */
		{stencils, {WARPS, "f at g.block; serial y; thread x"}, "f: outside of the lanes of g, a Func is computed in a warp only"},
		{stencils, {"g root; block y, x; thread y 2; serial x 2; lane x 32", "f at g.serial0; serial y, x"}, "f: outside of the lanes of g, a Func is computed in a warp only"},
		{stencils, {WARPS, "f at g.warp; serial y, x"}, "f: what is computed in a warp needs a lane loop"},
		{stencils, {WARPS, "f at g.warp; serial x; thread y; lane x 32 guard_with_if"}, "f: thread loops inside thread loops"},
		{stencils, {WARPS, "f at g.warp store g.block; serial y, x; lane x 32 guard_with_if"}, "f: what is computed in a warp is stored there"},
		{stencils, {WARPS, "f at g.warp in shared; serial y, x; lane x 32 guard_with_if"}, "f: no shared memory in a thread"},
		{stencils, {WARPS, "f at g.warp in stack; serial y, x; lane x 32 guard_with_if"}, "f: the lanes of a warp keep it in registers, not on the stack"},
		{stencils, {WARPS, "f at g.warp; serial y, x; lane x 16 guard_with_if"}, "f: it has 16 lanes, and the warp of g 32: both need the same power of two"},
		{stencils, {WARPS, "f at g.warp; serial y, x; lane y 32 guard_with_if"}, "f: Halide keeps it in the lanes of a warp only if these walk its first dimension"},
		{stencils, {WARPS, "f at g.warp; serial y, x; lane x 32 guard_with_if; serial x 2"}, "f: Halide keeps it in the lanes of a warp only if these walk its first dimension"},
		{stencils, {WARPS, "f at g.warp; serial y, x; lane x 32 shift_inwards"}, "f: Halide keeps it in the lanes of a warp only if these walk its first dimension"},
		{stencils, {"g root; block y, x; thread y 2; unrolled x 4 guard_with_if; lane x 32", "f at g.warp; serial y, x; lane x 32 guard_with_if"}, "f: its size is not the same in all warps"},
		{stencils, {"g root 1x1/16x4", "f at g.warp; serial y, x; lane x 32"}, "f: g has no such loops to compute it in"},
		{stencils, {"g root 1x1/16x4", "f at g.block; serial y, x; lane x 32"}, "f: lanes are at root, or in a warp"},
		{doubles, {WARPS, "f at g.warp; serial y, x; lane x 32 guard_with_if"}, "f: Halide shuffles values of at most 32 bits between lanes"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_pipeline *pipeline = description_read(cases[i].text);
		struct bw_error error = {0};
		struct bw_nest *nest = nest_of(pipeline, cases[i].entries, &error);
		if (nest)
			fail_msg("case %zu: was placed, expected \"%s\"", i, cases[i].error);
		if (strncmp(error.text, cases[i].error, strlen(cases[i].error)))
			fail_msg("case %zu: \"%s\", expected \"%s\"", i, error.text, cases[i].error);
		bw_pipeline_free(pipeline);
	}
}

/* An inlined Func whose region has no bound leaves what it reads without one, unless its algorithm clamps. */
static void no_bound_goes_through_inlined_funcs(void **state)
{
	static const char text[] = DESCRIPTION(
		INPUT("in", "float32", XY, "[0,100],[0,60]"),
		FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
		FUNC_XY("lost", "1", "float32", MAD, READ_X3("f"), "") ","
		FUNC_XY("g", "2", "float32", MAD, READ("lost", "{'min':null,'max':null}," SAME("y"), "1", "[[null,0],[0,1]]"), OUTPUT("[0,100],[0,60]")));
	static const char *const entries[] = {"g root 1x1/16x4", "lost inline", "f root 1x1/16x4", NULL};
	struct bw_pipeline *pipeline = description_read(text);
	struct bw_error error = {0};
	struct bw_nest *nest = nest_of(pipeline, entries, &error);
	if (nest)
		fail_msg("f has region 0..0 by mistake");
	assert_non_null(strstr(error.text, "f: g reads lost without bounds in x: clamp the index there, or inline this"));
	bw_pipeline_free(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_are_as_worked_out_by_hand),
		cmocka_unit_test(allocations_are_as_worked_out_by_hand),
		cmocka_unit_test(blocks_are_launched_as_halide_bounds_them),
		cmocka_unit_test(tails_are_chosen_by_their_rules),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(no_bound_goes_through_inlined_funcs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
