/* Loop nests as Halide's autoscheduler prints them are read: small ones by hand, errors with their lines, and those that it chose for the bundled
 * pipelines (tests/interop), where the loops that follow here iterate as often as there, and what is computed has the same size. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/file.h"
#include "made.h"
#include "schedule/halide_nest_private.h"

enum { LIMIT = 1 << 20 };

/* Whether a nest says the same of a pipeline as the entries of a schedule. */
static void expect_same_of(const struct bw_pipeline *pipeline, const char *nest, const char *entries)
{
	struct bw_error error = {0};
	struct bw_text text = {0};
	bool stale = true;
	bw_text_printf(&text, "beamwalk-schedule 1\n%s", entries);
	struct bw_schedule *expected = bw_schedule_parse(pipeline, "expected", text.bytes, text.length, NULL, &error);
	if (!expected)
		fail_msg("%s", error.text);
	struct bw_schedule *read = bw_schedule_parse(pipeline, "my.nest", nest, strlen(nest), &stale, &error);
	if (!read)
		fail_msg("%s", error.text);
	assert_false(stale);
	if (!bw_schedule_equal(expected, read)) {
		bw_text_clear(&text);
		bw_schedule_print(pipeline, read, &text);
		fail_msg("not %s but %s", entries, text.bytes);
	}
	bw_schedule_drop(expected);
	bw_schedule_drop(read);
	bw_text_free(&text);
}

static void expect_same(const char *nest, const char *entries)
{
	expect_same_of(&made, nest, entries);
}

#define SIMD1 " (0, 0) * gpu_simd\n"

static void by_hand(void **state)
{
	expect_same("# a comment\n\n gpu_none\nrealize: output [64, 64] with 1 stages\n"
		    "output 2 4 (0, 0) t gpu_block\n output 16c 4c (0, 0) t gpu_thread\n  output 1c 8c (0, 0) t gpu_serial\n   output 1vc 1c" SIMD1 "    inlined: Ix 3\r\n",
		    "output root; block y, x; thread y 4, x 16; unrolled y 8\nIx inline\n");
	/* 32 iterations are not unrolled; a loop whose iterations are not known is not either. */
	expect_same("output 2 4 (0, 0) gpu_block\n output 16c 4c (0, 0) gpu_thread\n  output 4c 8c (0, 0) gpu_serial\n   output 1vc 1c" SIMD1,
		    "output root; block y, x; thread y 4, x 16; serial y 8, x 4\n");
	expect_same("output 2 4 (0, 0) gpu_block\n output 16c 4c (0, 0) gpu_thread\n  output 1c 8 (0, 0) gpu_serial\n   output 1vc 1c" SIMD1,
		    "output root; block y, x; thread y 4, x 16; serial y 8\n");
	/* The vector dimension y: innermost in its loops and in storage. */
	expect_same("Ix 2 4 (1, 1) gpu_block\n Ix 4c 16c (1, 1) gpu_thread\n  Ix 1c 1c (1, 1) gpu_serial\n   Ix 1c 1vc (1, 1) * gpu_simd\n",
		    "Ix root order y x; block x, y; thread x 4, y 16\n");
	/* Hosts: at a block, in a thread, in the serial loops of one; the stages of one Func follow each other. */
	expect_same("output 2 4 (0, 0) gpu_block\n"
		    " realize: hist [8c] with 3 stages\n"
		    " hist 8c (0, 0) gpu_thread\n  hist 1c (0, 0) gpu_serial\n   hist 1vc (0, 0) * gpu_simd\n"
		    " hist 8c 1c (-1, 0) gpu_thread\n  hist 1c 3c (-1, 0) gpu_serial\n   hist 1c 1c (-1, 0) * gpu_simd\n"
		    " hist 1c 8c (1, 0) gpu_thread\n  hist 9c 1c (1, 0) gpu_serial\n   hist 1c 1vc (1, 0) * gpu_simd\n"
		    " output 16c 4c (0, 0) gpu_thread\n"
		    "  realize: Ix [3c, 3c] with 1 stages\n"
		    "  Ix 3c 3c (0, 0) gpu_serial\n   Ix 1vc 1c" SIMD1
		    "  output 1c 8c (0, 0) gpu_serial\n"
		    "   realize: Y [3c, 3c] with 1 stages\n"
		    "   Y 3c 3c (0, 0) gpu_serial\n    Y 1vc 1c" SIMD1
		    "   output 1vc 1c" SIMD1,
		    "output root; block y, x; thread y 4, x 16; unrolled y 8\n"
		    "hist at output.block; thread x; update 0: serial r$x; serial r$y; update 1: thread x; serial r$z\n"
		    "Ix at output.thread; serial y, x\nY at output.serial0; serial y, x\n");
	/* Stored further out than it is computed; a level of loops that iterate once is kept where somebody is computed in it. */
	expect_same("output 2 4 (0, 0) gpu_block\n"
		    " realize: Ix [18c, 34c] with 1 stages\n"
		    " output 16c 32c (0, 0) gpu_thread\n"
		    "  output 1c 1c (0, 0) gpu_serial\n   Ix 1c 3c (0, 0) gpu_serial\n    Ix 1vc 1c" SIMD1 "   output 1vc 1c" SIMD1,
		    "output root; block y, x; thread y 32, x 16; serial x 1\nIx at output.serial0 store output.block; serial y, x\n");
	/* Its tiling is still to be decided. */
	expect_same("Ix 100 100 (0, 0) t gpu_none\n Ix 1vc 1c" SIMD1, "Ix root 1x1/32x1 untiled\n");
}

/* Halide schedules Funcs that are folded here: their lines say nothing. */
static void folded(void **state)
{
	struct bw_pipeline with = made;
	with.n_folded = 1;
	with.folded = &(const struct bw_folded){.name = "kernel", .handle = 99};
	expect_same_of(&with,
		       "realize: kernel [4c] with 1 stages\nkernel 2c (0, 0) t gpu_block\n kernel 2c (0, 0) t gpu_thread\n  kernel 1c (0, 0) t gpu_serial\n"
		       "output 2 4 (0, 0) gpu_block\n realize: kernel [4c] with 1 stages\n kernel 4c (0, 0) gpu_thread\n"
		       " output 16c 4c (0, 0) gpu_thread\n  output 1c 8c (0, 0) gpu_serial\n   output 1vc 1c" SIMD1 "    inlined: kernel 3\n",
		       "output root; block y, x; thread y 4, x 16; unrolled y 8\n");
}

static void errors(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"output 2 4 (0, 0) gpu_block\nIX 1 1 (0, 0) gpu_block\n", "my.nest:2:1: no Func \"IX\" in pipeline made; did you mean \"Ix\"?"},
		{"realize: input [4]\n", "my.nest:1:1: \"input\" is an input of the pipeline: it has no loops"},
		{"realize: output [4]\ninlined:\n", "my.nest:2:1: expected the name of a Func after \"inlined:\""},
		{"output 2 4 (0, 0) gpu_block\n  output 1 1 (0, 0) gpu_thread\n", "my.nest:2:1: is indented by 2: at most 1, one more than the line that it is inside of"},
		{"realize: output [4]\noutput 2 4 (0, 0) t p\n", "my.nest:2:1: expected gpu_block, gpu_thread, gpu_serial, gpu_simd or gpu_none at its end, found \"p\""},
		{"output 2 (0, 0) t gpu_block\n", "my.nest:1:1: expected \"output\", the iterations of 2 loops, and \"(LOOP, DIMENSION)\""},
		{"output 2 0 (0, 0) t gpu_block\n", "my.nest:1:1: expected the iterations of a loop from 1 to 2147483647, found \"0\""},
		{"output 2 4x (0, 0) t gpu_block\n", "my.nest:1:1: expected the iterations of a loop, found \"4x\""},
		{"output 2 4 (0 0) t gpu_block\n", "my.nest:1:1: expected \"(LOOP, DIMENSION)\" with numbers below 32, found \"(0\""},
		{"output 2 4 (0, 2) t gpu_block\n", "my.nest:1:1: \"output\" has 2 loops and 2 dimensions: (0, 2) is beyond"},
		{"output 2 4 (0, 0) t gpu_block\noutput 2 4 (0, 0) t gpu_block\n", "my.nest:2:1: \"output\" has 1 stages, and they all stand there already"},
		{"hist 2 (0, 0) t gpu_block\n", "my.nest:1:1: \"hist\" has 3 stages, not all of them stand here"},
		{"output 2 4 (0, 0) t gpu_thread\n output 2 4 (0, 0) t gpu_block\n",
		 "my.nest:2:1: \"output\": blocks are at root, threads inside of blocks, serial loops inside of threads"},
		{"output 2 4 (0, 0) t gpu_simd\n Ix 2 4 (0, 0) t gpu_serial\n", "my.nest:2:1: \"Ix\" stands inside of gpu_simd loops, the innermost ones"},
		{"output 2 4 (0, 0) t gpu_block\n output 2 4 (0, 0) t gpu_thread\n output 2 4 (0, 0) t gpu_thread\n", "my.nest:3:1: the loops of \"output\" go on a second time"},
		{"output 2 4 (0, 0) t gpu_block\n Ix 2 4 (0, 0) t gpu_thread\nIx 2 4 (0, 0) t gpu_block\n", "my.nest:3:1: \"Ix\" is computed in two places"},
		{"output 2 4 (0, 0) t gpu_block\n inlined: Ix 1\nIx 2 4 (0, 0) t gpu_block\n", "my.nest:2:1: \"Ix\" is inlined, and computed elsewhere"},
		{"f.update0 1 1 1 1 (0, 0) t gpu_block\n f.update0 2 2 2 2 (0, 0) t gpu_thread\n", "my.nest:2:1: \"f.update0\" has 4 thread loops: at most 3"},
		{"output 2 4 (0, 0) gpu_block\n output 70000 4 (0, 0) gpu_thread\n  output 70000 4 (0, 0) gpu_serial\n",
		 "my.nest:1:1: the iterations of loop x of \"output\" multiply to more than 2147483647"},
		{"output 2 4 (0, 0) gpu_block\n realize: output [64, 64]\n", "my.nest:1:1: \"output\" is not computed inside of the loops where it is stored"},
		{"realize: out\tput\n", "my.nest:1:1: byte 9 is no printable character"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		assert_null(bw_schedule_parse(&made, "my.nest", cases[i].text, strlen(cases[i].text), NULL, &error));
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		assert_string_equal(error.text, cases[i].error);
	}
}

/* A nest that Halide chose, as a tree, as text, and as it was placed here. */
struct chosen {
	const char *path;
	struct bw_halide_nest tree;
	struct bw_text text;
	struct bw_nest *nest;
	bool *lessened; /* by Func */
};

/* Of a Func whose updates read what none of them stores Halide's autoscheduler takes less for computed than is (struct bw_func), and of all that
 * such a one reads, too: there can be more here than it says. */
static bool *find_lessened(const struct bw_pipeline *pipeline)
{
	bool *lessened = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		lessened[f] = func->stored != func->computed;
		for (int c = 0; c < func->n_consumers; c++)
			lessened[f] |= lessened[func->consumers[c]->func];
	}
	return lessened;
}

/* Iterations of one loop at the levels of a stage that are threads, or blocks, or neither. */
static int64_t iterations(const struct chosen *chosen, int from, int loop, bool blocks, bool threads)
{
	int64_t product = 1;
	for (int at = from; at >= 0; at = chosen->tree.levels[at].inner) {
		const struct bw_halide_level *level = &chosen->tree.levels[at];
		bool thread = level->label == BW_HALIDE_LABEL_THREAD;
		if ((level->label == BW_HALIDE_LABEL_BLOCK) == blocks && thread == threads)
			product *= level->sizes[loop];
	}
	return product;
}

static int64_t placed_iterations(const struct bw_placed *placed, int stage, int loop, bool blocks, bool threads)
{
	const struct bw_stage_plan *plan = &placed->placement->stages[stage];
	int64_t product = 1;
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].loop == loop && (plan->loops[i].kind == BW_LOOP_BLOCK) == blocks && (plan->loops[i].kind == BW_LOOP_THREAD) == threads)
			product *= placed->stages[stage].extents[i];
	return product;
}

/* Halide may ask for more threads than there are iterations; those that would idle are left out here. */
static void compare_loops(const struct chosen *chosen, int from)
{
	const struct bw_halide_level *level = &chosen->tree.levels[from];
	const struct bw_placed *placed = chosen->nest->placed[level->func];
	const struct bw_stage *stage = &chosen->nest->pipeline->funcs[level->func].stages[level->stage];
	for (int l = 0; l < stage->n_loops; l++)
		for (int kind = 0; kind < 3; kind++) {
			int64_t there = iterations(chosen, from, l, kind == 0, kind == 1), here = placed_iterations(placed, level->stage, l, kind == 0, kind == 1);
			if (there != here && !(kind == 1 && there > here) && !(chosen->lessened[level->func] && there < here))
				fail_msg("%s:%d: loop %s: %lld there, %lld here (%s)", chosen->path, level->line, stage->loops[l].name, (long long)there, (long long)here,
					 kind == 0 ? "blocks" : kind == 1 ? "threads" : "serial");
		}
}

/* "realize: FUNC [EXTENT, ...]": what is computed of a Func at the innermost level of those that say so; Halide does not count what RoundUp adds. */
static void compare_region(const struct chosen *chosen, const struct bw_halide_mark *mark)
{
	const struct bw_placed *placed = chosen->nest->placed[mark->func];
	const struct bw_func *func = &chosen->nest->pipeline->funcs[mark->func];
	const char *line = chosen->text.bytes;
	for (int i = 1; i < mark->line; i++)
		line = strchr(line, '\n') + 1;
	line = strchr(line, '[');
	const struct bw_region *region = placed->regions;
	for (int d = 0; d < func->n_dims; d++) {
		long long there = strtoll(line + 1, (char **)&line, 10), here = region->computed[d].max - region->computed[d].min + 1 - placed->growth[d];
		line += *line == 'c';
		if (there != here && !(chosen->lessened[mark->func] && there < here))
			fail_msg("%s:%d: dimension %s: %lld there, %lld here", chosen->path, mark->line, func->dims[d], there, here);
	}
}

static void compare(struct chosen *chosen)
{
	for (int i = 0; i < chosen->tree.n_levels; i++) {
		const struct bw_halide_level *level = &chosen->tree.levels[i];
		if (level->parent < 0 || chosen->tree.levels[level->parent].func != level->func)
			compare_loops(chosen, i);
	}
	for (int i = 0; i < chosen->tree.n_stored; i++) {
		bool last = true;
		for (int k = i + 1; k < chosen->tree.n_stored; k++)
			last &= chosen->tree.stored[k].func != chosen->tree.stored[i].func;
		if (last)
			compare_region(chosen, &chosen->tree.stored[i]);
	}
}

static void read_chosen(const char *folder, const char *path)
{
	struct bw_error error = {0};
	struct bw_text file = {0};
	bw_text_printf(&file, "%s/description.json", folder);
	struct bw_pipeline *pipeline = bw_pipeline_read(file.bytes, &error);
	struct bw_schedule *schedule = pipeline ? bw_schedule_read(pipeline, path, NULL, &error) : NULL;
	struct chosen chosen = {.path = path};
	chosen.nest = schedule ? bw_schedule_nest(pipeline, schedule, &error) : NULL;
	if (!chosen.nest)
		fail_msg("%s: %s", path, error.text);
	assert_true(bw_nest_complete(chosen.nest));
	assert_true(bw_file_read(path, LIMIT, &chosen.text, &error));
	chosen.tree.parser = (struct bw_parser){.lexer = {.name = path, .error = &error, .arena = bw_arena_new()}, .pipeline = pipeline};
	chosen.tree.parser.arena = chosen.tree.parser.lexer.arena;
	assert_true(bw_halide_nest_lines(&chosen.tree, chosen.text.bytes, chosen.text.length));
	chosen.lessened = find_lessened(pipeline);
	compare(&chosen);
	free(chosen.lessened);
	bw_arena_free(chosen.tree.parser.arena);
	bw_nest_drop(chosen.nest);
	bw_schedule_drop(schedule);
	bw_pipeline_free(pipeline);
	bw_text_free(&chosen.text);
	bw_text_free(&file);
}

static void chosen_by_halide(void **state)
{
	struct bw_text pattern = {0};
	glob_t found;
	bw_text_printf(&pattern, "%s/tests/interop/*/*.nest", getenv("BW_SRC"));
	assert_int_equal(glob(pattern.bytes, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *folder = bw_strdup(found.gl_pathv[i]);
		*strrchr(folder, '/') = 0;
		read_chosen(folder, found.gl_pathv[i]);
		free(folder);
	}
	globfree(&found);
	bw_text_free(&pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(folded),
		cmocka_unit_test(errors),
		cmocka_unit_test(chosen_by_halide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
