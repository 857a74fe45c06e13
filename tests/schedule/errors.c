/* Texts that are no schedules: the one line that each error is, with line and column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "made.h"
#include "schedule/schedule.h"

static void expect_error(const char *text, size_t length, const char *expected)
{
	struct bw_error error = {0};
	bool stale = true;
	assert_null(bw_schedule_parse(&made, "my.schedule", text, length, &stale, &error));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	assert_string_equal(error.text, expected);
	assert_false(stale);
	assert_null(bw_schedule_parse(&made, "my.schedule", text, length, NULL, NULL));
}

static void headers(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "my.schedule:1:1: expected \"beamwalk-schedule 1\" on the first line, found the end"},
		{"\n\n# only this", "my.schedule:1:1: expected \"beamwalk-schedule 1\" on the first line, found the end"},
		{"output root", "my.schedule:1:1: expected \"beamwalk-schedule 1\" on the first line, found \"output\""},
		{" beamwalk-schedule 1", "my.schedule:1:1: expected \"beamwalk-schedule 1\" on the first line, found an indented line"},
		{"\"beamwalk-schedule\" 1", "my.schedule:1:1: expected \"beamwalk-schedule 1\" on the first line, found \"beamwalk-schedule\""},
		{"beamwalk-schedule", "my.schedule:1:18: expected the version, found the end"},
		{"beamwalk-schedule 2", "my.schedule:1:19: version \"2\" of the format is unknown here, which reads version 1"},
		{"beamwalk-schedule 1 x", "my.schedule:1:21: expected the end of the line, found \"x\""},
		{"beamwalk-schedule 1\n  Ix inline", "my.schedule:1:20: expected the end of the line, found an indented line"},
		{"beamwalk-schedule 1\npipeline\n", "my.schedule:2:9: expected the name of a pipeline, found the end"},
		{"beamwalk-schedule 1\npipeline a b\n", "my.schedule:2:12: expected the end of the line, found \"b\""},
		{"beamwalk-schedule 1\npipeline a\npipeline b\n", "my.schedule:3:1: \"pipeline\" stands twice"},
		{"beamwalk-schedule 1\nalgorithm 12\n", "my.schedule:2:11: expected a hash of 16 hexadecimal digits in lower case, found \"12\""},
		{"beamwalk-schedule 1\nalgorithm 0123456789abcdefa\n",
		 "my.schedule:2:11: expected a hash of 16 hexadecimal digits in lower case, found \"0123456789abcdefa\""},
		{"beamwalk-schedule 1\nalgorithm 0123456789abcdef\nalgorithm 0123456789abcdef\n", "my.schedule:3:1: \"algorithm\" stands twice"},
		{"beamwalk-schedule 1\nstaging maybe\n", "my.schedule:2:9: expected on or off, found \"maybe\""},
		{"beamwalk-schedule 1\nstaging off\nstaging on\n", "my.schedule:3:1: \"staging\" stands twice"},
		{"beamwalk-schedule 1\nrfactor hist 8\n", "my.schedule:2:14: expected \"update K\", found \"8\""},
		{"beamwalk-schedule 1\nrfactor hist update 0\n", "my.schedule:2:22: expected a factor, found the end"},
		{"beamwalk-schedule 1\nrfactor hist update 0 r$x 8\n", "my.schedule:2:27: expected / or % and a factor, found \"8\""},
		{"beamwalk-schedule 1\nrfactor hist update 0 r$x %\n", "my.schedule:2:28: expected a factor, found the end"},
		{"beamwalk-schedule 1\nrfactor hist update 0 0\n", "my.schedule:2:23: expected a factor from 1 to 1048576, found \"0\""},
		{"beamwalk-schedule 1\nrfactor hist update 0 8\nrfactor sum update 1 9\nIx inline\n",
		 "my.schedule: this schedule is for made as --rfactor hist.update0:8,sum.update1:9 describes it"},
		{"beamwalk-schedule 1\nIx inline\nalgorithm 0123456789abcdef\n",
		 "my.schedule:3:1: no Func \"algorithm\" in pipeline made; its Funcs are output, root, sum, f.update0, a b, hist, Ix, Y"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect_error(cases[i].text, strlen(cases[i].text), cases[i].error);
}

/* Each stands on the second line of a file, so that its column is that in the text here. */
static void entries(void **state)
{
	static const struct {
		const char *entry, *error;
	} cases[] = {
		/* What is placed. */
		{"outptu root", "2:1: no Func \"outptu\" in pipeline made; did you mean \"output\"?"},
		{"input root", "2:1: \"input\" is an input of the pipeline: it has no loops"},
		{"Ix inline\nY inline\n\"Ix\" root", "4:1: \"Ix\" is mentioned twice"},
		{"; Ix inline", "2:1: expected the name of a Func, found ';'"},
		{"Ix in Y root", "2:7: \"Y\" does not read \"Ix\""},
		{"Ix in Ix root", "2:7: \"Ix\" does not read \"Ix\""},
		{"Ix clone Outpt root", "2:10: no Func \"Outpt\" in pipeline made; did you mean \"output\"?"},
		{"Y in Ix root\nY clone Ix root\nY in output root\nY in Ix root", "5:1: \"Y\" is mentioned twice"},
		{"Ix rfactor update 0 r$x u root", "2:4: expected a site (inline, root, or at LEVEL), found \"rfactor\""},
		/* Sites. */
		{"Ix", "2:3: expected a site (inline, root, or at LEVEL), found the end"},
		{"Ix atop", "2:4: expected a site (inline, root, or at LEVEL), found \"atop\""},
		{"Ix \"root\"", "2:4: expected a site (inline, root, or at LEVEL), found \"root\""},
		{"Ix at", "2:6: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found the end"},
		{"Ix at output", "2:7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output\""},
		{"Ix at root", "2:7: root is no level of another Func: write it without at"},
		{"Ix at output.lane", "2:7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output.lane\""},
		{"Ix at output.serial", "2:7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output.serial\""},
		{"Ix at output.serial256", "2:7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output.serial256\""},
		{"Ix at .block", "2:7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \".block\""},
		{"Ix at \"output\"", "2:7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output\""},
		{"Ix at \"output\".x.block", "2:7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output\""},
		{"Ix at outpt.block", "2:7: no Func \"outpt\" in pipeline made; did you mean \"output\"?"},
		{"Ix at input.block", "2:7: \"input\" is an input of the pipeline: it has no loops"},
		{"Ix at output.update0.block", "2:7: no update 0 of \"output\": it has 0 of them, counted from 0"},
		{"Y at f.update0.block", "2:6: no Func \"f\" in pipeline made; its Funcs are output, root, sum, f.update0, a b, hist, Ix, Y"},
		{"Ix at Ix.block", "2:7: \"Ix\" cannot be at a level of its own loops"},
		/* The short form. */
		{"Ix at output.block 1", "2:20: expected sizes of 2 dimensions, x first, as in 1x2, found \"1\""},
		{"Ix at output.block 1x2x3", "2:20: expected sizes of 2 dimensions, x first, as in 1x2, found \"1x2x3\""},
		{"Ix at output.block 1x0", "2:20: expected sizes of 2 dimensions, x first, as in 1x2, found \"1x0\""},
		{"Ix at output.block 1x2147483648", "2:20: expected sizes of 2 dimensions, x first, as in 1x2, found \"1x2147483648\""},
		{"Ix at output.block 1x2/32x8", "2:20: expected sizes of 2 dimensions, x first, as in 1x2, found \"1x2/32x8\""},
		{"Ix root 1x2", "2:9: expected sizes, serial / thread, of 2 dimensions, x first, as in 1x2/32x8, found \"1x2\""},
		{"hist root 1x2", "2:11: expected sizes, serial / thread, of 1 dimension, x first, and of 1 parallel RVar, as in 8/32, found \"1x2\""},
		{"f.update0 root 1", "2:16: expected sizes, serial / thread, of 4 dimensions, x first, found \"1\""},
		{"Ix root 1x65536/1x65536", "2:9: the sizes of \"y\" multiply to more than 2147483647"},
		{"Ix inline 1x1", "2:11: sizes are for a Func with dimensions, at root or at a block"},
		{"sum root 1", "2:10: sizes are for a Func with dimensions, at root or at a block"},
		{"Ix at output.thread 1x1", "2:21: sizes are for a Func with dimensions, at root or at a block"},
		{"Y in Ix at Ix.block 1x1", "2:21: sizes are for a Func with dimensions, at root or at a block"},
		{"Ix at output.block 1x1; thread y, x", "2:25: loops are written out or given by sizes (\"1x1\"), not both"},
		{"Ix at output.block 1x4 ...", "2:24: expected a clause (store, in, order, align, untiled) or ';', found \"...\""},
		/* Clauses. */
		{"Ix inline in shared", "2:11: an inlined Func is not stored: nothing follows \"inline\""},
		{"Ix inline; block x", "2:12: an inlined Func has no loops of its own: nothing follows \"inline\""},
		{"Ix root thread x", "2:9: expected a clause (store, in, order, align, untiled) or ';', found \"thread\""},
		{"Ix root in shard", "2:12: no memory \"shard\"; did you mean \"shared\"?"},
		{"Ix root in", "2:11: expected a memory, found the end"},
		{"Ix root in tape", "2:12: no memory \"tape\"; memories are auto, global, shared, registers, stack"},
		{"Ix root in shared in shared", "2:19: \"in\" stands twice"},
		{"Ix root store output.block", "2:9: what is computed at root is stored at root"},
		{"Ix at output.thread store inline", "2:27: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"inline\""},
		{"Ix at output.thread store root store root", "2:32: \"store\" stands twice"},
		{"Ix at output.thread store Ix.block", "2:27: \"Ix\" cannot be at a level of its own loops"},
		{"Ix root order x", "2:15: \"order\" names each of the 2 dimensions of Ix once, innermost first"},
		{"Ix root order x x", "2:17: dimension \"x\" stands twice"},
		{"Ix root order x z", "2:17: no dimension \"z\" in Ix; its dimensions are x, y"},
		{"Ix root order x y order x y", "2:19: \"order\" stands twice"},
		{"sum root order", "2:10: \"order\" names each of the 0 dimensions of sum once, innermost first"},
		{"Ix root align", "2:9: \"align\" names dimensions of Ix, each with a multiple"},
		{"Ix root align x", "2:16: expected a multiple, found the end"},
		{"Ix root align x 1", "2:17: expected a multiple from 2 to 64, found \"1\""},
		{"Ix root align x 2 x 2", "2:19: dimension \"x\" stands twice"},
		{"Ix root align z 2", "2:15: no dimension \"z\" in Ix; its dimensions are x, y"},
		{"Ix root align x 2 align y 2", "2:19: \"align\" stands twice"},
		{"Ix inline align x 2", "2:11: an inlined Func is not stored: nothing follows \"inline\""},
		{"Ix at output.block untiled", "2:20: only a Func at root can be untiled"},
		{"Ix root untiled untiled", "2:17: \"untiled\" stands twice"},
		{"Ix root; serial y, x; in shared", "2:23: expected loops (block, thread, lane, serial, unrolled or vector), \"atomic\" or \"update K:\", found \"in\""},
		/* Loops. */
		{"Ix root; blok x", "2:10: expected loops (block, thread, lane, serial, unrolled or vector), \"atomic\" or \"update K:\", found \"blok\""},
		{"hist root; update 0: atomic; atomic", "2:30: \"atomic\" stands twice"},
		{"hist root; update 0: atomic serial r$x", "2:29: expected ',' or ';', found \"serial\""},
		{"Ix root; block", "2:15: expected the name of a loop, found the end"},
		{"Ix root; block x,", "2:18: expected the name of a loop, found the end"},
		{"Ix root; block x,\nY inline", "2:18: expected the name of a loop, found the end of the line"},
		{"Ix root; block x y", "2:18: expected an extent, found \"y\""},
		{"Ix root; block x: y", "2:17: expected ',' or ';', found ':'"},
		{"Ix root; block z", "2:16: no loop \"z\" in Ix; its loops are x, y"},
		{"hist root; update 0: serial z", "2:29: no loop \"z\" in hist.update0; its loops are r$x, r$y"},
		{"hist root; update 0: serial r$z", "2:29: no loop \"r$z\" in hist.update0; did you mean \"r$x\"?"},
		{"Ix root; block x; thread x 0", "2:28: expected an extent from 1 to 2147483647, found \"0\""},
		{"Ix root; block x; thread x 99999999999999999999", "2:28: expected an extent from 1 to 2147483647, found \"99999999999999999999\""},
		{"Ix root; block x; thread x 8x", "2:28: expected an extent from 1 to 2147483647, found \"8x\""},
		{"Ix root; block x; thread x 65536, x 65536", "2:35: the extents of \"x\" multiply to more than 2147483647"},
		{"Ix root; block x; thread x 8 roundup", "2:30: no tail \"roundup\"; did you mean \"round_up\"?"},
		{"Ix root; block x; thread x 8 up", "2:30: no tail \"up\"; tails are auto, round_up, shift_inwards, guard_with_if"},
		{"Ix root; block x; thread x 8 round_up, x 4 round_up", "2:40: the tail of \"x\" belongs to its first piece with an extent: those inside always divide it"},
		{"Ix root; block x, x", "2:19: \"x\" stands twice without an extent"},
		{"Ix root; thread x 8; block x", "2:17: \"x\" must first stand without an extent: its outermost piece is what the others leave"},
		{"Ix root; update 0: serial x", "2:10: \"Ix\" has no updates"},
		{"hist root; update 2: serial x", "2:19: expected the number of an update from 0 to 1, found \"2\""},
		{"hist root; update x: serial x", "2:19: expected the number of an update, found \"x\""},
		{"hist root; update 0 serial x", "2:21: expected ':', found \"serial\""},
		{"hist root; update 0: serial r$x; update 0: serial r$y", "2:34: update 0 of \"hist\" stands twice"},
		/* Bytes. */
		{"Ix in\x01line", "2:6: unexpected byte 0x01"},
		{"Ix \rinline", "2:4: unexpected byte 0x0d"},
		{"Ix\xff inline", "2:3: byte 0xff is no UTF-8 text"},
		{"Ix\xc0\xaf inline", "2:3: byte 0xc0 is no UTF-8 text"},
		{"Ix\xed\xa0\x80 inline", "2:3: byte 0xed is no UTF-8 text"},
		{"Ix\xe2\x82", "2:3: byte 0xe2 is no UTF-8 text"},
		{"Ix\xe2\x28\xa1", "2:3: byte 0xe2 is no UTF-8 text"},
		{"\"Ix inline", "2:11: expected '\"' at the end of the name"},
		{"\"Ix\n\" inline", "2:4: expected '\"' at the end of the name"},
		{"\"I\tx\" inline", "2:3: byte 0x09 in a name: write \\x09"},
		{"\"I\xff\" inline", "2:3: byte 0xff in a name is no UTF-8 text"},
		{"\"I\\n\" inline", "2:3: expected \\\", \\\\ or \\x01 to \\x7f"},
		{"\"I\\x00\" inline", "2:3: expected \\\", \\\\ or \\x01 to \\x7f"},
		{"\"I\\x8", "2:3: expected \\\", \\\\ or \\x01 to \\x7f"},
		{"\"Ix\"\"Y\" inline", "2:5: expected a blank before '\"'"},
		{"Ix\"Y\" inline", "2:3: expected a blank before '\"'"},
		{"\"Ix\"y inline", "2:1: expected a blank after the quotes"},
		/* Columns count characters, not bytes: the name before has six in nine bytes. */
		{"\"\xc3\xa9\xe2\x82\xac\" \x02", "2:6: unexpected byte 0x02"},
		/* What is long is cut, between characters. */
		{"abcdefghijklmnopqrstuvwxyzabcdefghijklm\xe2\x82\xac\xe2\x82\xac root",
		 "2:1: no Func \"abcdefghijklmnopqrstuvwxyzabcdefghijklm...\" in pipeline made; its Funcs are output, root, sum, f.update0, a b, hist, Ix, Y"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa root",
		 "2:1: no Func \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\" in pipeline made; its Funcs are output, root, sum, f.update0, a b, hist, Ix, Y"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text text = {0}, error = {0};
		bw_text_printf(&text, "beamwalk-schedule 1\n%s", cases[i].entry);
		bw_text_printf(&error, "my.schedule:%s", cases[i].error);
		expect_error(bw_text_get(&text), text.length, bw_text_get(&error));
		bw_text_free(&text);
		bw_text_free(&error);
	}
}

static void zero_bytes(void **state)
{
	static const char text[] = "beamwalk-schedule 1\nIx\0 inline";
	expect_error(text, sizeof text - 1, "my.schedule:2:3: unexpected byte 0x00");
	static const char quoted[] = "beamwalk-schedule 1\n\"I\0x\" inline";
	expect_error(quoted, sizeof quoted - 1, "my.schedule:2:3: byte 0x00 in a name");
}

static void one_choice(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "column 1: expected the name of a Func, found the end"},
		{"Ix", "column 3: expected a site (inline, root, or at LEVEL), found the end"},
		{"  Ix at outputs.block", "column 9: no Func \"outputs\" in pipeline made; did you mean \"output\"?"},
		{"Ix inline\nY inline", "column 10: expected one Func on one line"},
		{"beamwalk-schedule 1", "column 1: no Func \"beamwalk-schedule\" in pipeline made; its Funcs are output, root, sum, f.update0, a b, hist, Ix, Y"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		assert_null(bw_placement_parse(&made, cases[i].text, &error));
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		assert_string_equal(error.text, cases[i].error);
	}
}

static void more_than_the_limits(void **state)
{
	struct bw_text text = {0};
	bw_text_puts(&text, "beamwalk-schedule 1\nIx root; block x");
	for (int i = 0; i < 255; i++)
		bw_text_puts(&text, ", x 1");
	struct bw_error error = {0};
	struct bw_schedule *schedule = bw_schedule_parse(&made, "my.schedule", bw_text_get(&text), text.length, NULL, &error);
	assert_non_null(schedule);
	bw_schedule_drop(schedule);
	bw_text_puts(&text, ", x 1");
	expect_error(bw_text_get(&text), text.length, "my.schedule:2:1294: a stage has at most 256 pieces of loops");

	bw_text_clear(&text);
	bw_text_puts(&text, "beamwalk-schedule 1\n");
	while (text.length < (4 << 20) + 1)
		bw_text_puts(&text, "#");
	expect_error(bw_text_get(&text), text.length, "my.schedule: a schedule has at most 4194304 bytes, this has 4194305");
	bw_text_free(&text);
}

static void files(void **state)
{
	struct bw_error error = {0};
	assert_null(bw_schedule_read(&made, "/nowhere/x.schedule", NULL, &error));
	assert_string_equal(error.text, "/nowhere/x.schedule: No such file or directory");
	char path[] = "/tmp/beamwalk-test-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	static const char text[] = "beamwalk-schedule 1\nIx inline\nIy inline\n";
	assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
	close(file);
	assert_null(bw_schedule_read(&made, path, NULL, &error));
	struct bw_text expected = {0};
	bw_text_printf(&expected, "%s:3:1: no Func \"Iy\" in pipeline made; did you mean \"Ix\"?", path);
	assert_string_equal(error.text, bw_text_get(&expected));
	bw_text_free(&expected);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers),
		cmocka_unit_test(entries),
		cmocka_unit_test(zero_bytes),
		cmocka_unit_test(one_choice),
		cmocka_unit_test(more_than_the_limits),
		cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
