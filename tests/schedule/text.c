/* The text form of schedules: what each text means, by the one form in which a schedule is printed; files however they end their
 * lines; staleness; the short form. */
#include <string.h>

#include "../core/test.h"
#include "made.h"
#include "schedule/schedule.h"

/* A placement on one line is read back as the same, whatever its loops. */
static void expect_one_line(const struct bw_placement *placement)
{
	struct bw_text line = {0};
	struct bw_error error = {0};
	bw_placement_print(&made, placement, &line);
	const struct bw_placement *same = bw_placement_parse(&made, bw_text_get(&line), &error);
	if (!same || !bw_placement_equal(placement, same))
		fail_msg("%s: %s", bw_text_get(&line), error.text);
	bw_placement_drop(same);
	bw_text_free(&line);
}

/* The entries of a schedule as printed, after the header; the text must be read without an error. */
static void print_entries(const char *text, size_t length, struct bw_text *out)
{
	static const char header[] = "beamwalk-schedule 1\npipeline made\n\n";
	struct bw_error error = {0};
	bool stale = true;
	struct bw_schedule *schedule = bw_schedule_parse(&made, "t", text, length, &stale, &error);
	if (!schedule)
		fail_msg("%s\n%s", error.text, text);
	assert_false(stale);
	for (int i = 0; i < schedule->n; i++)
		if (schedule->placements[i])
			expect_one_line(schedule->placements[i]);
	struct bw_text whole = {0};
	bw_schedule_print(&made, schedule, &whole);
	assert_int_equal(strncmp(bw_text_get(&whole), header, sizeof header - 1), 0);
	bw_text_puts(out, bw_text_get(&whole) + sizeof header - 1);
	bw_text_free(&whole);
	bw_schedule_drop(schedule);
}

static void expect_entries(const char *entries, const char *expected)
{
	struct bw_text text = {0}, printed = {0};
	bw_text_printf(&text, "beamwalk-schedule 1\n%s", entries);
	print_entries(bw_text_get(&text), text.length, &printed);
	assert_string_equal(bw_text_get(&printed), expected);
	bw_text_clear(&text);
	bw_text_printf(&text, "beamwalk-schedule 1\n%s", expected);
	bw_text_clear(&printed);
	print_entries(bw_text_get(&text), text.length, &printed);
	assert_string_equal(bw_text_get(&printed), expected);
	bw_text_free(&text);
	bw_text_free(&printed);
}

static void entries_mean_what_the_manual_says(void **state)
{
	static const struct {
		const char *entries, *printed;
	} cases[] = {
		{"", ""},
		{"Ix inline", "Ix inline\n"},
		{"Ix inline;\n", "Ix inline\n"},
		/* Loops over several lines, kinds repeated, comments, blank lines; a line may end after a comma. */
		{"output root\n    block y, x; thread y 8, x 32 shift_inwards; unrolled y 2\n",
		 "output root\n    block y, x; thread y 8, x 32 shift_inwards; unrolled y 2\n"},
		{"output root\n\tblock y # the rows\n\tblock x;;\n\n# no entry\n\tthread y 8,\n\t\tx 32\n", "output root\n    block y, x; thread y 8, x 32\n"},
		{"output\n root;block y,x;thread x 32", "output root\n    block y, x; thread x 32\n"},
		/* All printed consumers first. */
		{"Y inline\noutput root; block y, x\nIx inline\n", "output root\n    block y, x\nIx inline\nY inline\n"},
		/* Loops left out of a stage: serial, outermost among those. */
		{"output root; thread x; unrolled x 2", "output root\n    thread x; serial y; unrolled x 2\n"},
		{"output root; serial x", "output root\n    serial y, x\n"},
		{"hist root; block x\n  update 1: thread x\n", "hist root\n    block x\n    update 0: serial r$y, r$x\n    update 1: thread x; serial r$z\n"},
		{"hist root; update 1: vector x; update 0: lane r$x", "hist root\n    serial x\n    update 0: lane r$x; serial r$y\n    update 1: serial r$z; vector x\n"},
		/* No loops at all: the plan with all sizes 1; at root the tiling stays undecided. */
		{"output root", "output root untiled\n    block y, x\n"},
		{"output root in global", "output root in global untiled\n    block y, x\n"},
		{"output root untiled; serial y, x", "output root untiled\n    serial y, x\n"},
		{"hist root", "hist root untiled\n    block x\n    update 0: block r$x; serial r$y\n    update 1: block x; serial r$z\n"},
		{"sum root", "sum root\n    update 0: serial r$x\n"},
		{"sum root untiled", "sum root untiled\n    update 0: serial r$x\n"},
		{"Ix at output.block", "Ix at output.block\n    thread y, x\n"},
		{"Ix at output.thread", "Ix at output.thread\n    serial y, x\n"},
		{"Ix at output.serial1", "Ix at output.serial1\n    serial y, x\n"},
		/* The short form. 4 * 4 is at most 16, 8 * 4 is not. */
		{"Ix at output.block 1x4", "Ix at output.block\n    thread y, x; unrolled y 4\n"},
		{"Ix at output.block 2x4", "Ix at output.block\n    thread y, x; unrolled y 4, x 2\n"},
		{"Ix at output.block 4x4", "Ix at output.block\n    thread y, x; unrolled y 4, x 4\n"},
		{"Ix at output.block 8x4 in registers", "Ix at output.block in registers\n    thread y, x; serial y 4, x 8\n"},
		{"Ix root 1x2/32x8", "Ix root\n    block y, x; thread y 8, x 32; unrolled y 2\n"},
		{"Ix root 1x1/1x1", "Ix root\n    block y, x\n"},
		{"Ix root 1x2/32x8 untiled", "Ix root untiled\n    block y, x; thread y 8, x 32; unrolled y 2\n"},
		{"hist root 4/64", "hist root\n    block x; thread x 64; unrolled x 4\n    update 0: block r$x; serial r$y\n"
				   "    update 1: block x; thread x 64; serial r$z; unrolled x 4\n"},
		{"hist at output.block 4", "hist at output.block\n    thread x; unrolled x 4\n    update 0: serial r$y, r$x\n    update 1: thread x; serial r$z; unrolled x 4\n"},
		/* Three thread dimensions at most: the fourth piece, and the fourth loop at a block, are serial. */
		{"f.update0 root 1x1x1x2/8x4x2x2", "f.update0 root\n    block w, z, y, x; thread z 2, y 4, x 8; unrolled w 4\n"},
		{"f.update0 root 1x1x1x8/8x1x2x2", "f.update0 root\n    block w, z, y, x; thread w 2, z 2, x 8; unrolled w 8\n"},
		{"f.update0 at output.block 2x1x1x1", "f.update0 at output.block\n    thread z, y, x; serial w; unrolled x 2\n"},
		/* Storage: any order, each once; on the line of the site or its own. */
		{"Ix at output.thread store output.block in shared order y x; serial y, x",
		 "Ix at output.thread store output.block in shared order y x\n    serial y, x\n"},
		{"Ix at output.thread\n  order y x in shared\n  store root\n  serial y, x", "Ix at output.thread store root in shared order y x\n    serial y, x\n"},
		{"Ix at output.thread store output.thread in auto order x y", "Ix at output.thread\n    serial y, x\n"},
		{"Ix root align y 4 x 2 order y x; block y, x", "Ix root order y x align x 2 y 4\n    block y, x\n"},
		{"Ix at output.block 1x4 align x 2", "Ix at output.block align x 2\n    thread y, x; unrolled y 4\n"},
		/* Names in quotes; the last dots of a level separate. */
		{"\"a b\" inline", "\"a b\" inline\n"},
		{"\"Ix\" at \"output\".block 1x1", "Ix at output.block\n    thread y, x\n"},
		{"Y at \"a b\".serial0", "Y at \"a b\".serial0\n    serial y, x\n"},
		{"Y at hist.update1.thread", "Y at hist.update1.thread\n    serial y, x\n"},
		{"Y at \"f.update0\".block 1x1", "Y at \"f.update0\".block\n    thread y, x\n"},
		{"root root order \"y:1\" \"in\"; block \"y:1\", in", "\"root\" root order \"y:1\" \"in\"\n    block \"y:1\", \"in\"\n"},
		{"Y at root.block 1x1", "Y at \"root\".block\n    thread y, x\n"},
		{"\"\\x49x\" inline", "Ix inline\n"},
		/* Derived Funcs stand after the Func that they come from. */
		{"Y in Ix at Ix.block in shared; thread y, x\nY root; block y, x", "Y root\n    block y, x\nY in Ix at Ix.block in shared\n    thread y, x\n"},
		{"hist clone output root; block x", "hist clone output root\n    block x\n    update 0: serial r$y, r$x\n    update 1: serial x, r$z\n"},
		{"Y in output at output.thread", "Y in output at output.thread\n    serial y, x\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect_entries(cases[i].entries, cases[i].printed);
}

static void lines_may_end_as_they_like(void **state)
{
	static const char plain[] = "beamwalk-schedule 1\n\npipeline made\n# c\nIx at output.block\n  in shared\n  thread y, x\nY inline\n";
	static const char expected[] = "Ix at output.block in shared\n    thread y, x\nY inline\n";
	struct bw_text text = {0}, printed = {0};
	bw_text_puts(&text, "\xef\xbb\xbf");
	for (const char *at = plain; *at; at++)
		bw_text_puts(&text, *at == '\n' ? "\r\n" : (const char[]){*at, 0});
	print_entries(bw_text_get(&text), text.length, &printed);
	assert_string_equal(bw_text_get(&printed), expected);
	bw_text_clear(&printed);
	print_entries(plain, sizeof plain - 2, &printed);
	assert_string_equal(bw_text_get(&printed), expected);
	bw_text_free(&text);
	bw_text_free(&printed);
}

static void long_lines_are_read(void **state)
{
	enum { LONG = 1 << 20 };
	struct bw_text text = {0}, printed = {0};
	bw_text_puts(&text, "beamwalk-schedule 1\noutput root; block y");
	for (int i = 0; i < LONG; i++)
		bw_text_puts(&text, " ");
	bw_text_puts(&text, ", x;");
	for (int i = 0; i < LONG; i++)
		bw_text_puts(&text, ";");
	bw_text_puts(&text, " #");
	for (int i = 0; i < LONG; i++)
		bw_text_puts(&text, "#");
	print_entries(bw_text_get(&text), text.length, &printed);
	assert_string_equal(bw_text_get(&printed), "output root\n    block y, x\n");
	bw_text_free(&text);
	bw_text_free(&printed);
}

static void a_text_for_another_algorithm_is_stale(void **state)
{
	static const struct {
		const char *header;
		bool stale;
		uint64_t algorithm;
	} cases[] = {
		{"", false, 0},
		{"pipeline made\n", false, 0},
		{"pipeline other\n", true, 0},
		{"pipeline made\nalgorithm 0123456789abcdef\n", false, 0x0123456789abcdef},
		{"algorithm 0123456789abcdee\npipeline made\n", true, 0x0123456789abcdee},
		{"staging off\npipeline made\n", false, 0},
		/* One algorithm may have several names: the hash says more. */
		{"pipeline other\nalgorithm 0123456789abcdef\n", false, 0x0123456789abcdef},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text text = {0};
		struct bw_error error = {0};
		bool stale = !cases[i].stale;
		bw_text_printf(&text, "beamwalk-schedule 1\n%sIx inline\n", cases[i].header);
		struct bw_schedule *schedule = bw_schedule_parse(&made, "t", bw_text_get(&text), text.length, &stale, &error);
		if (!schedule)
			fail_msg("%s", error.text);
		assert_int_equal(stale, cases[i].stale);
		assert_int_equal(schedule->algorithm, cases[i].algorithm);
		bw_schedule_drop(schedule);
		bw_text_free(&text);
	}
}

static void the_header_is_printed(void **state)
{
	struct bw_schedule *schedule = bw_schedule_new(&made);
	struct bw_text text = {0};
	bw_schedule_print(&made, schedule, &text);
	assert_string_equal(bw_text_get(&text), "beamwalk-schedule 1\npipeline made\nalgorithm 0123456789abcdef\n\n");
	bw_text_free(&text);
	bw_schedule_drop(schedule);
}

/* The factored updates of a pipeline stand in the header, and are those that a schedule must fit. */
static void factored_updates_stand_in_the_header(void **state)
{
	struct bw_error error = {0};
	const struct bw_rfactor rfactors[] = {{.func = MADE_HIST, .stage = 1, .factor = 8}, {.func = MADE_A_B, .stage = 2, .factor = 64},
					      {.func = MADE_HIST, .stage = 1, .factor = 4, .rvar = "r$y", .named = true},
					      {.func = MADE_HIST, .stage = 1, .factor = 32, .rvar = "r x", .named = true, .apart = true}};
	struct bw_pipeline factored = made;
	factored.n_rfactors = 4;
	factored.rfactors = rfactors;
	struct bw_schedule *schedule = bw_schedule_new(&factored);
	struct bw_text text = {0};
	bw_schedule_print(&factored, schedule, &text);
	assert_string_equal(bw_text_get(&text), "beamwalk-schedule 1\npipeline made\nalgorithm 0123456789abcdef\nrfactor hist update 0 8\nrfactor \"a b\" update 1 64\nrfactor hist update 0 r$y / 4\nrfactor hist update 0 \"r x\" % 32\n\n");
	struct bw_schedule *again = bw_schedule_parse(&factored, "t", bw_text_get(&text), text.length, NULL, &error);
	assert_non_null(again);
	assert_true(bw_schedule_equal(schedule, again));
	bw_schedule_drop(again);
	factored.n_rfactors = 1;
	assert_null(bw_schedule_parse(&factored, "t", bw_text_get(&text), text.length, NULL, &error));
	assert_string_equal(error.text, "t: this schedule is for made as --rfactor hist.update0:8,a b.update1:64,hist.update0:r$y/4,hist.update0:r x%32 describes it");
	bw_schedule_drop(schedule);
	bw_text_free(&text);
}

/* That nothing is staged is part of a schedule: of its text, and of what it is told apart by. */
static void what_stages_nothing_says_so(void **state)
{
	struct bw_error error = {0};
	struct bw_schedule *schedule = bw_schedule_new(&made);
	uint64_t staged = bw_schedule_hash(schedule);
	struct bw_text text = {0};
	schedule->unstaged = true;
	bw_schedule_print(&made, schedule, &text);
	assert_string_equal(bw_text_get(&text), "beamwalk-schedule 1\npipeline made\nalgorithm 0123456789abcdef\nstaging off\n\n");
	struct bw_schedule *again = bw_schedule_parse(&made, "t", bw_text_get(&text), text.length, NULL, &error);
	assert_non_null(again);
	assert_true(bw_schedule_equal(schedule, again));
	assert_int_equal(bw_schedule_hash(schedule), bw_schedule_hash(again));
	assert_int_not_equal(bw_schedule_hash(schedule), staged);
	again->unstaged = false;
	assert_false(bw_schedule_equal(schedule, again));
	bw_schedule_drop(again);
	bw_schedule_drop(schedule);
	bw_text_free(&text);
}

/* What bw_placement_words says of each, and whether that is all: then it is read back as the same placement. */
static void words_are_the_short_form(void **state)
{
	static const struct {
		const char *entry, *words;
		bool whole;
	} cases[] = {
		{"Ix inline", "Ix inline", true},
		{"Ix at output.block; thread y, x; unrolled y 4", "Ix at output.block 1x4", true},
		{"Ix at output.block in shared order y x; thread y, x; unrolled y 4", "Ix at output.block 1x4 in shared order y x", true},
		{"Ix at output.block; thread y, x; serial y 4", "Ix at output.block 1x4 ...", false},
		{"Ix at output.block; thread x, y", "Ix at output.block 1x1 ...", false},
		{"Ix root; block y, x; thread y 8, x 32; unrolled y 2", "Ix root 1x2/32x8", true},
		{"Ix root; block y, x; thread y 8, x 32 round_up; unrolled y 2", "Ix root 1x2/32x8 ...", false},
		{"Ix root; block y, x", "Ix root 1x1/1x1", true},
		{"Ix root", "Ix root", true},
		{"Ix root in global", "Ix root in global", true},
		{"Ix at output.thread", "Ix at output.thread", true},
		{"Ix at output.thread store output.block", "Ix at output.thread store output.block", true},
		{"Ix at output.thread; unrolled x, y", "Ix at output.thread ...", false},
		{"hist root 4/64", "hist root 4/64", true},
		{"hist root 4x2/64x8", "hist root 4x2/64x8", true},
		{"hist root 4x1/64x1", "hist root 4/64", true},
		{"hist root; block x; thread x 64; update 0: block r$x; thread r$x 8; serial r$y; unrolled r$x 2; update 1: block x; thread x 64; serial r$z", "hist root 1x2/64x8", true},
		{"hist at output.block 4", "hist at output.block 4", true},
		{"hist at output.block 4x0", "hist at output.block 4", true},
		{"hist at output.block 4x1", "hist at output.block 4x1", true},
		{"sum root", "sum root", true},
		{"sum root untiled", "sum root untiled", true},
		{"sum at output.block", "sum at output.block", true},
		{"f.update0 root 1x1x1x2/8x4x2x2", "f.update0 root 1x1x1x4/8x4x2x1", true},
		{"\"a b\" at root.block 1x2x3", "\"a b\" at \"root\".block 1x2x3", true},
		{"Y in Ix at Ix.block; thread y, x", "Y in Ix at Ix.block ...", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		struct bw_text words = {0};
		const struct bw_placement *placement = bw_placement_parse(&made, cases[i].entry, &error);
		if (!placement)
			fail_msg("%s: %s", cases[i].entry, error.text);
		bw_placement_words(&made, placement, &words);
		assert_string_equal(bw_text_get(&words), cases[i].words);
		const struct bw_placement *again = bw_placement_parse(&made, bw_text_get(&words), &error);
		assert_int_equal(again != NULL, cases[i].whole);
		assert_true(!again || bw_placement_equal(placement, again));
		bw_placement_drop(placement);
		bw_placement_drop(again);
		bw_text_free(&words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_mean_what_the_manual_says),
		cmocka_unit_test(lines_may_end_as_they_like),
		cmocka_unit_test(long_lines_are_read),
		cmocka_unit_test(a_text_for_another_algorithm_is_stale),
		cmocka_unit_test(factored_updates_stand_in_the_header),
		cmocka_unit_test(what_stages_nothing_says_so),
		cmocka_unit_test(the_header_is_printed),
		cmocka_unit_test(words_are_the_short_form),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
