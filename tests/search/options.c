/* Options of decisions: how many there are, what each rule says of them, worked out by hand for a small pipeline on a device with round
 * numbers (10 SMs, so 20 blocks are wanted; warps of 32). */
#include <stdio.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "schedule/schedule.h"
#include "search/search_private.h"

#define MAD "'add':{'float32':9},'mul':{'float32':1}"
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)
#define READ_SAME(from) READ(from, SAME_XY, "1", EYE2)

/* in -> f (3 in x) -> g (3 in y), g of 64 x 32. */
static const char stencils[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,66],[-1,34]"),
	FUNC_XY("f", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("g", "1", "float32", MAD, READ_Y3("f"), OUTPUT("[0,64],[0,32]")));
/* p is read point by point by g alone. */
static const char pointwise[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,66],[-1,34]"),
	FUNC_XY("p", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("g", "1", "float32", MAD, READ_SAME("p"), OUTPUT("[0,64],[0,32]")));
/* The same, but that three Funcs meet in p. */
static const char meeting[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,66],[-1,34]"),
	FUNC_XY("a", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("b", "1", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("c", "2", "float32", MAD, READ_X3("in"), "") ","
	FUNC_XY("p", "3", "float32", MAD, READ_SAME("a") "," READ_SAME("b") "," READ_SAME("c"), "") "," FUNC_XY("g", "4", "float32", MAD, READ_SAME("p"), OUTPUT("[0,64],[0,32]")));
/* As stencils, of 1000 x 1000; of 64 x 200000. */
static const char large[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-1,1002],[-1,1002]"),
	FUNC_XY("f", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("g", "1", "float32", MAD, READ_Y3("f"), OUTPUT("[0,1000],[0,1000]")));
static const char tall[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,64],[0,200000]"),
	FUNC_XY("g", "0", "float32", MAD, READ_SAME("in"), OUTPUT("[0,64],[0,200000]")));
/* g reads f at x / 2 and (x + 1) / 2; at places that nobody knows, where f has an update. */
static const char halves[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,66],[0,34]"),
	FUNC_XY("f", "0", "float32", MAD, READ_X3("in"), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ("f", BOUND("['/'," MIN("x") ",2]", "['/',['+'," MAX("x") ",1],2]") "," SAME("y"), "2", "[[[1,2],0],[0,1]]"), OUTPUT("[0,64],[0,32]")));
static const char unbounded[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,66],[0,34]"),
	FUNC("f", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", "") "," STAGE(LOOP("x"), "[[1]]", "", READ("f", SAME("x"), "1", "[[1]]")), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ("f", BOUND("null", "null"), "1", "[[1,0]]"), OUTPUT("[0,64],[0,32]")));
/* A sum without dimensions: its kernel is a single thread. */
static const char total[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,32],[0,64]"),
	FUNC_XY("f", "0", "float32", MAD, READ_SAME("in"), "") ","
	FUNC("sum", "1", "float32", "", STAGE("", "[]", "", "") "," STAGE(RLOOP("rx", "0", "63", "") "," RLOOP("ry", "0", "31", ""), "[]", "'add':{'float32':1}",
		READ("f", SAME("ry") "," SAME("rx"), "1", "[[0,1],[1,0]]") "," READ("sum", "", "1", "[]")), "") ","
	FUNC("g", "2", "float32", "", STAGE("", "[]", "", READ("sum", "", "1", "[]")), OUTPUT("")));
/* f may compute more than is asked for: g reads it at 90 x 30, in is clamped. */
static const char clamped[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,90],[0,30]"),
	FUNC_XY("f", "0", "float32", MAD, READ("in", BOUND("0", "89") "," BOUND("0", "29"), "1", EYE2), "") ","
	FUNC_XY("g", "1", "float32", MAD, READ_X3("f"), OUTPUT("[0,88],[0,30]")));

/* w hands on in, and is called 41 x 41 times. */
static const char wide[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-20,104],[-20,72]"),
	FUNC_XY("w", "0", "float32", MAD, READ_SAME("in"), ",'wrapper':true") ","
	FUNC_XY("f", "1", "float32", MAD, READ("w", SPAN("x", "-20", "20") "," SAME("y"), "41", EYE2), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ("f", SAME("x") "," SPAN("y", "-20", "20"), "41", EYE2), OUTPUT("[0,64],[0,32]")));

struct fixture {
	struct bw_pipeline *pipeline;
	const struct bw_placement *placements[4];
	struct bw_constraint list[4];
	struct bw_constraints constraints;
	struct bw_settings options;
	struct bw_search *search;
};

/* A search at the decision of that Func and phase, under constraints in words: `g root 1x1/16x4`. */
static void fixture_open(struct fixture *fixture, const char *text, const char *const *constraints, const char *func, enum bw_phase phase)
{
	struct bw_error error = {0};
	*fixture = (struct fixture){.pipeline = description_read(text), .options = bw_settings_default(&round_device)};
	fixture->options.sampling = 0;
	for (int i = 0; constraints[i]; i++) {
		const struct bw_placement *placement = fixture->placements[i] = bw_placement_parse(fixture->pipeline, constraints[i], &error);
		if (!placement)
			fail_msg("%s: %s", constraints[i], error.text);
		fixture->list[fixture->constraints.n++] = (struct bw_constraint){.placement = placement, .sizes = placement->tiled, .source = BW_CONSTRAINT_FREEZE};
	}
	fixture->constraints.list = fixture->list;
	fixture->search = bw_search_new(fixture->pipeline, &fixture->options, &fixture->constraints);
	int position = bw_search_find(fixture->search, description_func(fixture->pipeline, func), phase, 1);
	if (bw_search_advance(fixture->search, position, NULL, &error) != BW_SEARCH_DONE)
		fail_msg("%s", error.text);
	assert_int_equal(bw_search_reached(fixture->search), position);
}

static void fixture_close(struct fixture *fixture)
{
	bw_search_free(fixture->search);
	for (int i = 0; i < fixture->constraints.n; i++)
		bw_placement_drop(fixture->placements[i]);
	bw_pipeline_free(fixture->pipeline);
}

struct counts {
	int enumerated, costed, second, pruned[BW_N_RULES], second_by[BW_N_RULES];
};

static struct counts count(const struct bw_expansion *expansion)
{
	struct counts counts = {.enumerated = expansion->n};
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		assert_int_equal(option->number, i);
		if (option->fate == BW_FATE_PRUNED) {
			counts.pruned[option->rule]++;
			assert_true(option->reason[0]);
		} else if (option->fate == BW_FATE_SECOND_CHOICE) {
			counts.second++;
			counts.second_by[option->rule]++;
		} else {
			assert_int_equal(option->fate, BW_FATE_COSTED);
			counts.costed++;
		}
	}
	return counts;
}

/* The decision at hand from the best state. */
static void options_are_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *text;
		const char *constraints[4];
		const char *func;
		enum bw_phase phase;
		struct counts counts;
	} cases[] = {
		{stencils, {NULL}, "g", BW_PHASE_WHERE, {.enumerated = 1, .costed = 1}},
		/* Serial extents 1, 2, 4, 8 in both. With 1, 2, 4 in x there are 3, 2, 1 thread extents in x (of 64, 32, 16), and with 1, 2, 4, 8 in y
		 * 6 (32 the last), 5, 4, 3 in y: 6 x 18. With 8 in x the first extent of at least 16 is y's: 2 x 4, 1 x 4, and of none x's, 1 x 4, 1 x 3.
		 * Unrolled more than 16 are 4x8, 8x4, 8x8: 3 + 4 + 3. 64 x 32 threads are too many. Of the other 116 these have 20 blocks:
		 * 1x1 of 16x1, 16x2, 16x4, 32x1, 32x2, 64x1; 1x2 of 16x1, 16x2, 32x1; 1x4 of 16x1; 2x1 of 16x1, 16x2, 32x1; 2x2 and 4x1 of 16x1. */
		{stencils, {NULL}, "g", BW_PHASE_TILE, {.enumerated = 127, .costed = 15, .second = 101, .pruned[BW_RULE_UNROLLED] = 10, .pruned[BW_RULE_THREADS] = 1, .second_by[BW_RULE_IDLE_SMS] = 101}},
		/* Inline, root, at the thread; at the block f has 16 x 6 points: 1, 2, 4, 8 in x and 1, 2, 3, 6 in y (1 thread leaves 6, 2 leave 3), of which 8x3,
		 * 4x6, 8x6 are too large. In a block of 16 x 4 or x 6 threads more than half of the lanes are idle with 4 and 8 in x (4, 2 of rows of 16): 4x1,
		 * 4x2, 4x3, 8x1, 8x2; and with 2x2 (8 x 3 threads in two warps) and 2x6 (8 in one). */
		{stencils, {"g root 1x1/16x4"}, "f", BW_PHASE_WHERE, {.enumerated = 19, .costed = 9, .second = 7, .pruned[BW_RULE_UNROLLED] = 3, .second_by[BW_RULE_IDLE_LANES] = 7}},
		/* 8 blocks of 32 x 8: too few for the SMs, which is nothing that f decides. At the block 32 x 10 points: 1, 2, 4, 8 in x and 1, 2, 4, 5, 10 in y,
		 * of which 4x5, 2x10, 4x10, 8x4, 8x5, 8x10 are too large; 8 or 4 threads in rows of 32 leave more than half of the lanes idle: 4x1, 4x2, 4x4,
		 * 8x1, 8x2. Thread and one serial loop. */
		{stencils, {"g root 1x2/32x4"}, "f", BW_PHASE_WHERE, {.enumerated = 24, .costed = 13, .second = 5, .pruned[BW_RULE_UNROLLED] = 6, .second_by[BW_RULE_IDLE_LANES] = 5}},
		/* Nothing to tile. */
		{stencils, {"g root 1x1/16x4", "f inline"}, "f", BW_PHASE_TILE, {.enumerated = 1, .costed = 1}},
		{stencils, {"g root 1x1/16x4"}, "g", BW_PHASE_TILE, {.enumerated = 1, .costed = 1}},
		/* The site alone: its options are those there are, the others are pruned; and what a soft rule says is a second choice. */
		{stencils, {"g root 1x1/16x4", "f root"}, "f", BW_PHASE_WHERE, {.enumerated = 19, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 18}},
		/* Site and sizes that the enumerators have too: nothing is added. */
		{stencils, {"g root 1x1/16x4", "f at g.block 1x2"}, "f", BW_PHASE_WHERE, {.enumerated = 19, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 18}},
		/* A pruned one that is pinned is costed: a soft limit is none for the user. */
		{stencils, {"g root 1x1/16x4", "f at g.block 4x6"}, "f", BW_PHASE_WHERE, {.enumerated = 19, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 18}},
		/* One that no enumerator proposes is an option all the same. */
		{stencils, {"g root 1x1/16x4", "f at g.block 3x1"}, "f", BW_PHASE_WHERE, {.enumerated = 20, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 19}},
		{stencils, {"g root 1x1/16x4", "f root 5x1/32x4"}, "f", BW_PHASE_WHERE, {.enumerated = 20, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 19}},
		/* 8 x 33 blocks of 8 x 1 threads leave 3/4 of the lanes idle, and are taken. */
		{stencils, {"g root 1x1/8x1"}, "g", BW_PHASE_WHERE, {.enumerated = 2, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 1}},
		/* Pointwise to one consumer: inlined, unless somebody says otherwise. */
		{pointwise, {"g root 1x1/16x4"}, "p", BW_PHASE_WHERE, {.enumerated = 1, .costed = 1}},
		{pointwise, {"g root 1x1/16x4", "p root"}, "p", BW_PHASE_WHERE, {.enumerated = 15, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 14}},
		/* It is asked where it is to be if three Funcs meet in it: the same options as when somebody says so. */
		{meeting, {"g root 1x1/16x4"}, "p", BW_PHASE_WHERE, {.enumerated = 15, .costed = 8, .second = 6, .pruned[BW_RULE_UNROLLED] = 1, .second_by[BW_RULE_IDLE_LANES] = 6}},
		{meeting, {"g root 1x1/16x4", "p root"}, "p", BW_PHASE_WHERE, {.enumerated = 15, .costed = 1, .pruned[BW_RULE_CONSTRAINT] = 14}},
		/* Called 1681 times a point, and there is no other option: it is not pruned. */
		{wide, {"g root 1x1/16x4", "f inline"}, "w", BW_PHASE_WHERE, {.enumerated = 1, .costed = 1}},
		/* Of a single thread's loops: inline, root, and each of the two serial loops once, of which the outer one needs 64 points; one block and one lane are its host's doing. */
		{total, {NULL}, "f", BW_PHASE_WHERE, {.enumerated = 4, .costed = 3, .pruned[BW_RULE_UNROLLED] = 1}},
		/* What RoundUp adds to a tiling that is only assumed is no extent: 90 x 30 have the serial extents 1, 2, 4, 8 (3 of 90 leaves 30, no
		 * warp; of 96 it would). Threads with 1, 2, 4, 8 in x: 3, 3 (16, 32, 45), 2 (16, 23) and (12: y is the first) as said; in y 6, 5 (15 the last), 4, 3.
		 * (3 + 3 + 2) x 18; with 8 in x: y of 30: 16, 30 x 5 (1, 2, 4, 8, 12), y of 15, 8, 4: x is innermost, 12 x (5 + 4 + 3).
		 * Unrolled more than 16: 6 with 4x8, 4 + 3 with 8x4, 8x8. 64 x 30 and 45 x 30 threads are too many. */
		{clamped, {"g root 1x1/16x4", "f root"}, "f", BW_PHASE_TILE, {.enumerated = 166, .costed = 34, .second = 117, .pruned[BW_RULE_UNROLLED] = 13, .pruned[BW_RULE_THREADS] = 2, .second_by[BW_RULE_IDLE_SMS] = 117}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture fixture;
		fixture_open(&fixture, cases[i].text, cases[i].constraints, cases[i].func, cases[i].phase);
		struct bw_expansion *expansion = bw_search_expand(fixture.search, bw_search_reached(fixture.search), 0, NULL);
		struct counts counts = count(expansion);
		const struct counts *expected = &cases[i].counts;
		if (counts.enumerated != expected->enumerated || counts.costed != expected->costed || counts.second != expected->second)
			fail_msg("case %zu: %d options, %d costed, %d second choice", i, counts.enumerated, counts.costed, counts.second);
		for (int r = 0; r < BW_N_RULES; r++)
			if (counts.pruned[r] != expected->pruned[r] || counts.second_by[r] != expected->second_by[r])
				fail_msg("case %zu: %s: %d pruned, %d second choice", i, bw_rule_name((enum bw_rule)r), counts.pruned[r], counts.second_by[r]);
		for (int a = 0; a < expansion->n; a++)
			for (int b = 0; b < a; b++)
				if (expansion->options[a].placement && bw_placement_equal(expansion->options[a].placement, expansion->options[b].placement))
					fail_msg("case %zu: options %d and %d are the same", i, b, a);
		bw_expansion_free(expansion);
		fixture_close(&fixture);
	}
}

/* Of the options of f: what they are called, in order, and what the rules measured. */
static void options_say_what_they_are(void **state)
{
	static const char *const constraints[] = {"g root 1x1/16x4", NULL};
	static const struct {
		int number;
		const char *words, *reason;
		int bucket, member;
	} cases[] = {
		{0, "f inline", "", 0, 1},
		{1, "f root", "", 1, 1},
		{2, "f at g.block 1x1", "", 2, 1},
		{3, "f at g.block 2x1", "", 2, 2},
		{4, "f at g.block 4x1", "75% of lanes idle, limit 50%", -1, 0},
		{6, "f at g.block 1x2", "", 2, 3},
		{7, "f at g.block 2x2", "62% of lanes idle, limit 50%", -1, 0},
		{9, "f at g.block 8x2", "91% of lanes idle, limit 50%", -1, 0},
		{13, "f at g.block 8x3", "unrolled 8x3 = 24, limit 16", -1, 0},
		{18, "f at g.thread", "", 3, 1},
	};
	struct fixture fixture;
	fixture_open(&fixture, stencils, constraints, "f", BW_PHASE_WHERE);
	struct bw_expansion *expansion = bw_search_expand(fixture.search, bw_search_reached(fixture.search), 0, NULL);
	assert_int_equal(expansion->n_buckets, 4);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_option *option = &expansion->options[cases[i].number];
		struct bw_text words = {0};
		bw_placement_words(fixture.pipeline, option->placement, &words);
		if (strcmp(bw_text_get(&words), cases[i].words) || strcmp(option->reason, cases[i].reason) || option->bucket != cases[i].bucket || option->member != cases[i].member)
			fail_msg("#%d: %s, \"%s\", %d.%d", option->number, bw_text_get(&words), option->reason, option->bucket, option->member);
		bw_text_free(&words);
	}
	bw_expansion_free(expansion);
	fixture_close(&fixture);
}

/* What a host's thread computes for itself leaves no lanes idle, wherever it is stored. */
static void a_thread_own_funcs_have_no_idle_lanes(void **state)
{
	static const char chain[] = DESCRIPTION(
		INPUT("in", "float32", XY, "[-2,68],[-1,34]"),
		FUNC_XY("e", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("f", "1", "float32", MAD, READ_X3("e"), "") ","
		FUNC_XY("g", "2", "float32", MAD, READ_Y3("f"), OUTPUT("[0,64],[0,32]")));
	static const char *const stored[][3] = {{"g root 1x1/16x4", "f at g.thread"}, {"g root 1x1/16x4", "f at g.thread in stack"}, {"g root 1x1/16x4", "f at g.thread store g.block"}};
	for (int i = 0; i < 3; i++) {
		struct fixture fixture;
		fixture_open(&fixture, chain, stored[i], "e", BW_PHASE_WHERE);
		struct bw_expansion *expansion = bw_search_expand(fixture.search, bw_search_reached(fixture.search), 0, NULL);
		struct counts counts = count(expansion);
		/* Inline, root, the thread, two serial loops of f; at the block e has 18 x 6 points: 1, 2, 4, 6 in x and 1, 2, 3, 6 in y, of which 4x6, 6x3, 6x6
		 * are too large; more than half of the lanes are idle with 4 and 6 in x, with 2x2 (9 x 3 threads in two warps) and 2x6. */
		assert_int_equal(counts.enumerated, 21);
		assert_int_equal(counts.pruned[BW_RULE_UNROLLED], 3);
		if (counts.second_by[BW_RULE_IDLE_LANES] != 7)
			fail_msg("%s: %d with idle lanes", stored[i][1], counts.second_by[BW_RULE_IDLE_LANES]);
		bw_expansion_free(expansion);
		fixture_close(&fixture);
	}
}

/* What follows from a tiling that is only assumed prunes nothing: of 3 x 1 points of f, 32 x 8 that RoundUp makes of them are not computed again;
 * and 2100000 rows have more than 65535 blocks of 8 rows, but not of 64. */
static void assumed_tilings_prune_nothing(void **state)
{
	static const char tiny[] = DESCRIPTION(
		INPUT("in", "float32", XY, "[0,90],[0,30]"),
		FUNC_XY("f", "0", "float32", MAD, READ("in", BOUND("0", "89") "," BOUND("0", "29"), "1", EYE2), "") ","
		FUNC_XY("g", "1", "float32", MAD, READ_X3("f"), OUTPUT("[0,1],[0,1]")));
	static const char rows[] = DESCRIPTION(
		INPUT("in", "float32", XY, "[0,3],[0,2100000]"), FUNC_XY("g", "0", "float32", MAD, READ_SAME("in"), OUTPUT("[0,3],[0,2100000]")));
	static const struct {
		const char *text, *func, *constraints[2];
		enum bw_rule rule;
	} cases[] = {{tiny, "f", {"g root 1x1/16x4"}, BW_RULE_RECOMPUTE}, {rows, "g", {NULL}, BW_RULE_GRID}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture fixture;
		fixture_open(&fixture, cases[i].text, cases[i].constraints, cases[i].func, BW_PHASE_WHERE);
		struct bw_expansion *expansion = bw_search_expand(fixture.search, bw_search_reached(fixture.search), 0, NULL);
		for (int o = 0; o < expansion->n; o++)
			if (expansion->options[o].rule == cases[i].rule && expansion->options[o].placement->compute.kind == BW_SITE_ROOT)
				fail_msg("%s: #%d: %s", cases[i].func, o, expansion->options[o].reason);
		struct bw_error error;
		if (bw_search_advance(fixture.search, bw_search_n_decisions(fixture.search), NULL, &error) != BW_SEARCH_DONE)
			fail_msg("%s", error.text);
		bw_expansion_free(expansion);
		fixture_close(&fixture);
	}
}

static void assert_sizes(const struct bw_sizes *sizes, const char *expected, const char *what, int64_t extent)
{
	struct bw_text text = {0};
	for (int i = 0; i < sizes->n; i++)
		bw_text_printf(&text, i ? " %lld" : "%lld", (long long)sizes->list[i]);
	if (strcmp(bw_text_get(&text), expected))
		fail_msg("%s of %lld: %s, expected %s", what, (long long)extent, bw_text_get(&text), expected);
	bw_text_free(&text);
}

/* Serial extents of one dimension: section 4.1's 1, 2, 4, 8, and 3, 5, 7 where whole warps are left; of 3, 5 and 7 all or one. 8 of 17 leave 3
 * threads, for which 6 are enough. */
static void serial_extents(void **state)
{
	static const struct {
		int64_t extent, warp;
		const char *sizes;
	} cases[] = {
		{0, 32, "1"}, {1, 32, "1"}, {2, 32, "1 2"}, {3, 32, "1 3"}, {4, 32, "1 2 4"}, {5, 32, "1 5"}, {7, 32, "1 7"}, {8, 32, "1 2 4 8"}, {64, 32, "1 2 4 8"},
		{96, 32, "1 2 3 4 8"}, {160, 32, "1 2 4 5 8"}, {224, 32, "1 2 4 7 8"}, {192, 32, "1 2 3 4 8"}, {3360, 32, "1 2 3 4 5 7 8"}, {3, 1, "1 3"}, {48, 16, "1 2 3 4 8"}, {48, 32, "1 2 4 8"},
		{17, 32, "1 2 4 6"}, {20, 32, "1 2 4 7"}, {9, 32, "1 2 3 5"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_sizes sizes;
		bw_sizes_serial(cases[i].extent, cases[i].warp, &sizes);
		assert_sizes(&sizes, cases[i].sizes, "serial extents", cases[i].extent);
	}
}

/* At a block there are those that 1, 2, 4, 8 and 16 threads leave, too, up to 16: of 17 points 9 and 9, with 1 idle of 18; 4 threads do 5 each, and 3 of 20 are
 * too many to be idle. In the dimension of consecutive threads it is 16, 32 and 64 of them, whatever is idle. */
static void serial_extents_at_a_block(void **state)
{
	static const struct {
		int64_t extent;
		bool innermost;
		const char *sizes;
	} cases[] = {
		{1, false, "1"}, {3, false, "1 3"}, {6, false, "1 2 3 6"}, {10, false, "1 2 4 5 10"}, {16, false, "1 2 4 8 16"}, {17, false, "1 2 4 6 9"}, {34, false, "1 2 4 7 9"},
		{64, false, "1 2 4 8 16"}, {300, false, "1 2 4 8"}, {66, true, "1 2 3 4 5 8"}, {12, true, "1 2 4 6"}, {16, true, "1 2 4 8"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_sizes sizes;
		bw_sizes_serial_at_block(cases[i].extent, 32, cases[i].innermost, &sizes);
		assert_sizes(&sizes, cases[i].sizes, "serial extents", cases[i].extent);
	}
}

/* Powers of two, and as many as there are iterations below 64: 50 of 50. */
static void thread_extents(void **state)
{
	static const struct {
		int64_t extent;
		bool innermost;
		const char *sizes;
	} cases[] = {
		{0, true, "1"}, {10, true, "10"}, {16, true, "16"}, {41, true, "16 32 41"}, {63, true, "16 32 63"}, {64, true, "16 32 64"}, {65, true, "16 32 64"}, {1920, true, "16 32 64"},
		{0, false, "1"}, {1, false, "1"}, {3, false, "1 2 3"}, {16, false, "1 2 4 8 16"}, {17, false, "1 2 4 8 16 17"}, {50, false, "1 2 4 8 16 50"}, {64, false, "1 2 4 8 16"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_sizes sizes;
		bw_sizes_threads(cases[i].extent, cases[i].innermost, &sizes);
		assert_sizes(&sizes, cases[i].sizes, "threads", cases[i].extent);
	}
}

/* The fourth dimension has serial extents as those before it, and 1 or all threads up to 16, unless it is that of consecutive threads; a fifth one has 1, or
 * all of it up to 16. */
static void sizes_of_several_dimensions(void **state)
{
	static const struct {
		int64_t extents[5];
		int n_dims, serials, threads; /* threads: of the first serial extents, which are 1 */
	} cases[] = {
		{{0}, 0, 1, 1},
		/* 1 2 4 8, 1 2 4, 1 2, 1 2 4 8. Threads: 16 32 64 of the fourth; 1 2 4 8, 1 2 4, 1 2 of the others. */
		{{8, 4, 2, 64}, 4, 4 * 3 * 2 * 4, 4 * 3 * 2 * 3},
		{{8, 4, 2, 1}, 4, 4 * 3 * 2, 1 * 3 * 2},
		/* 1 3, 1, 1, 1 7, 1 7; threads 3, 1, 1, 1 7, 1 7. */
		{{3, 1, 1, 7, 7}, 5, 2 * 2 * 2, 2 * 2},
		/* 17 is too much for a fifth. */
		{{16, 1, 1, 1, 17}, 5, 4, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_combinations combinations;
		int64_t sizes[5], ones[5] = {1, 1, 1, 1, 1};
		int n = 0;
		for (bw_serials_begin(&combinations, cases[i].extents, cases[i].n_dims, 32, false); bw_combinations_next(&combinations, sizes); n++)
			assert_true(cases[i].n_dims < 5 || sizes[4] < 17);
		assert_int_equal(n, cases[i].serials);
		n = 0;
		for (bw_threads_begin(&combinations, cases[i].extents, ones, cases[i].n_dims); bw_combinations_next(&combinations, sizes); n++)
			;
		if (n != cases[i].threads)
			fail_msg("case %zu: %d combinations of threads", i, n);
	}
}

/* Where no legal option is left the search says for which Func and by which rules, and stands where it stood. */
static void conflicts_name_func_rules_and_counts(void **state)
{
	static const struct {
		const char *text;
		const char *constraints[4];
		int reached;
		const char *error;
	} cases[] = {
		{stencils, {"g root 1x1/16x4", "f at g.block 1x1"}, 4, NULL},
		/* One block, f has 64 x 34 threads in it: inline, root, 4 x 5 serial extents at the block, two serial loops. */
		{stencils, {"g root 64x32/1x1", "f at g.block 1x1"}, 2, "f: no legal option for where: of 24 enumerated, pruned 23 by constraint (f at g.block 1x1), 1 by threads (64x34x1 = 2176 threads, limit 1024)"},
		/* g has no serial loop. */
		{stencils, {"g root 1x1/16x4", "f at g.serial0"}, 2, "f: no legal option for where: of 20 enumerated, pruned 20 by constraint (f: g has no such loops to compute it in)"},
		/* 2048 threads do not fit. */
		{stencils, {"g root 1x1/64x32"}, 0, "g: no legal option for where: of 2 enumerated, pruned 1 by constraint (g root 1x1/64x32), 1 by threads (64x32x1 = 2048 threads, limit 1024)"},
		/* f has 256 x 66 floats in a block. Inline, root, 5 x 5 serial extents (16 of 256, 9 of 66), thread and two serial loops. */
		{large, {"g root 8x8/32x8", "f at g.block 8x8"}, 2, "f: no legal option for where: of 30 enumerated, pruned 29 by constraint (f at g.block 8x8), 1 by shared memory (67584 bytes of shared memory, limit 49152)"},
		/* 200000 rows of blocks. */
		{tall, {"g root 1x1/32x1"}, 0, "g: no legal option for where: of 2 enumerated, pruned 1 by constraint (g root 1x1/32x1), 1 by grid (200000 blocks in y, limit 65535)"},
		/* One element of f or two: no option of the search's, and yet Halide may find that it is no more. */
		{halves, {"g root 1x1/16x4", "f at g.thread"}, 4, NULL},
		/* Nobody knows where f is read, and it cannot be inlined: root and thread. */
		{unbounded, {"g root 1x1/16x4"}, 2, "f: no legal option for where: of 2 enumerated, pruned 2 by site (first: f: g reads f without bounds in x: clamp the index there)"},
		{total, {"g root", "sum root", "f at sum.update0.block"}, 4, "f: no legal option for where: of 5 enumerated, pruned 5 by constraint (f: sum has no such loops to compute it in)"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture fixture;
		struct bw_error error = {0};
		static const char *const none[] = {NULL};
		fixture_open(&fixture, cases[i].text, none, "g", BW_PHASE_WHERE);
		fixture_close(&fixture);
		fixture_open(&fixture, cases[i].text, cases[i].constraints, "g", BW_PHASE_WHERE);
		int n = bw_search_n_decisions(fixture.search);
		for (int again = 0; again < 2; again++) {
			enum bw_search_status status = bw_search_advance(fixture.search, n, NULL, &error);
			if (status != (cases[i].error ? BW_SEARCH_DEAD : BW_SEARCH_DONE))
				fail_msg("case %zu: status %d, %s", i, status, error.text);
			if (cases[i].error && strcmp(error.text, cases[i].error))
				fail_msg("case %zu: \"%s\"", i, error.text);
			if (cases[i].error)
				assert_int_equal(error.kind, BW_ERROR_CONFLICT);
			assert_int_equal(bw_search_reached(fixture.search), cases[i].reached);
		}
		fixture_close(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_as_worked_out_by_hand),
		cmocka_unit_test(options_say_what_they_are),
		cmocka_unit_test(a_thread_own_funcs_have_no_idle_lanes),
		cmocka_unit_test(assumed_tilings_prune_nothing),
		cmocka_unit_test(serial_extents),
		cmocka_unit_test(serial_extents_at_a_block),
		cmocka_unit_test(thread_extents),
		cmocka_unit_test(sizes_of_several_dimensions),
		cmocka_unit_test(conflicts_name_func_rules_and_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
