/* A session that uses every command, on the largest pipeline: undone completely it is at its start, done again at its end; saved and loaded it is the
 * same, and so it is with options that there were. Where there is
 * a device that is no CPU, measuring is part of a session too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "command/edit.h"
#include "base/mem.h"
#include "page/page.h"
#include "session_test.h"
#include "ui/screen.h"

/* Lines in turn; `%s` is the folder of this test. Those that end in ! are refused, since there is no generator here, or nothing to do. */
static const char *const lines[] = {
	"set beam=4", "set passes=2",
	"run stage30.where@1", "view decision", "why", "replay legal", "replay back", "unfold all", "fold A", "select option #0", "why",
	"select state 2", "accept", "run stage28.where@1", "reject A1", "undo", "redo", "step", "back", "step func", "step option", "back option",
	"run stage24.where", "pin stage24 root 1x1/32x4", "accept --here stage24 inline", "step pass", "run 2",
	"freeze stage16 root 1x4/32x8", "run end", "select state 1", "select func stage16", "view override", "select alternative 2", "override", "override stage16 unroll off",
	"whatif unfreeze stage16", "freeze {stage8 root | stage9 inline}", "undo", "freeze stage8 stage9", "unfreeze stage9", "save-schedule %s/all.schedule", "apply {stage4 root 1x2/32x8 | stage3 inline}",
	"hold except stage20 stage21", "set seed=3", "reject --pass 2 stage20 inline", "unfreeze stage10 stage11 stage12", "run end", "cost #0!", "back func", "run stage20.where@2",
	"unfold all", "jump start", "redo", "jump 16", "redo!", "run end",
	"time!", "compile!", "counters!", "code!", "verify!", "measured", "export %s/all.h", "report %s/all.html", "sweep gpus=A100,V100 beams=1,2", "view main", "screenshot %s/all.txt", "view statistics", "sort name", "sort cost", "filter stage", "filter inside stage16", "filter", "screenshot %s/all.svg", "copy command", "why search", "minimal", "play", "play step", "play stop", "lens wider", "lens", "improve 2 changes", "undo", "bookmark here", "jobs", "jump here", "compare 1 2", "view main", "view history", "help undo", "assert position 145", "save %s/half", "script %s/nothing",
	"load %s/half", "undo", "redo", "set beam=5", "edit", "scheduler greedy", "walk take 1 none", "view walk", "walk back", "walk why", "undo", "scheduler beam", "run end", "assert decisions 145",
};

/* A line with the folder in it. */
static char *line_of(const char *pattern)
{
	struct bw_text text = {0};
	const char *at = strstr(pattern, "%s");
	if (at) {
		bw_text_append(&text, pattern, (size_t)(at - pattern));
		bw_text_puts(&text, session_path(at + 3));
	} else {
		bw_text_puts(&text, pattern);
	}
	if (text.length && text.bytes[text.length - 1] == '!')
		text.bytes[--text.length] = 0;
	return bw_text_take(&text);
}

/* What one would do with an editor: takes out all but the first Funcs. */
static bool edit(struct bw_text *text, void *data, struct bw_error *error)
{
	(void)data;
	return bw_edit_text(&(struct bw_editing){"sed -i '/^stage28/,$d'", "/tmp"}, ".schedule", text, error);
}

static void do_all(struct bw_session *session, char **start)
{
	*start = NULL;
	bw_session_hooks(session)->edit = edit;
	bw_session_hooks(session)->draw = bw_screen_save;
	bw_session_hooks(session)->page = bw_page_write;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char *line = line_of(lines[i]);
		bool refused = lines[i][strlen(lines[i]) - 1] == '!';
		struct bw_error error;
		if (!*start)
			*start = session_fingerprint(session);
		if (refused)
			session_refuses(session, line, &error);
		else
			free(session_do(session, line));
		free(line);
	}
}

static bool is_used(const char *name)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strncmp(lines[i], name, length) && strchr(" !", lines[i][length]))
			return true;
	return !strcmp(name, "quit");
}

/* Goes on taking back, or doing again, until there is nothing left of it; how often. */
static int repeat(struct bw_session *session, const char *line)
{
	int n = 0;
	while (bw_session_run(session, line, NULL, NULL)) {
		session_settle(session);
		n++;
	}
	return n;
}

/* Fails with the first line that differs. */
static void assert_same(const char *what, const char *text, const char *expected)
{
	while (*text || *expected) {
		int a = (int)strcspn(text, "\n"), b = (int)strcspn(expected, "\n");
		if (a != b || strncmp(text, expected, (size_t)a))
			fail_msg("%s: \"%.*s\", expected \"%.*s\"", what, a, text, b, expected);
		text += a + (text[a] == '\n');
		expected += b + (expected[b] == '\n');
	}
}

/* What was saved is the screen as it stood: the panes at the end of the search, and the statistics. */
static void expect_screenshots(void)
{
	static const char *const shown[][3] = {{"all.html", "</html>", "<svg"}, {"all.txt", "STAGES of state 1", "LOOP NEST of state 1"}, {"all.svg", "<svg", "STATISTICS"}};
	for (int i = 0; i < 3; i++) {
		char *text = session_read(shown[i][0]);
		for (int k = 1; k < 3; k++)
			if (!strstr(text, shown[i][k]))
				fail_msg("%s has no %s: %s", shown[i][0], shown[i][k], text);
		free(text);
	}
}

static void a_session_with_every_command(void **state)
{
	int n_commands;
	const struct bw_command *commands = bw_commands(&n_commands);
	for (int i = 0; i < n_commands; i++)
		/* lesson takes a lesson (learn.test), tune a meter (tuned.test). */
		if (!is_used(commands[i].name) && strcmp(commands[i].name, "lesson") && strcmp(commands[i].name, "tune"))
			fail_msg("%s is not in the session", commands[i].name);
	session_write("nothing", "# nothing\n");
	struct bw_session *session = session_open_on("stencil_chain", 4);
	char *start;
	do_all(session, &start);
	char *end = session_fingerprint(session);
	assert_true(session->n_journal >= 15);
	expect_screenshots();
	assert_int_equal(repeat(session, "undo"), session->n_journal);
	char *undone = session_fingerprint(session);
	assert_same("undone", undone, start);
	assert_int_equal(repeat(session, "redo"), session->n_journal);
	free(session_do(session, "run end"));
	char *redone = session_fingerprint(session);
	assert_same("done again", redone, end);
	/* Saved, and loaded in another session. */
	struct bw_text line = {0};
	bw_text_printf(&line, "save %s", session_path("all"));
	free(session_do(session, bw_text_get(&line)));
	struct bw_session *other = session_open_on("stencil_chain", 4);
	bw_text_clear(&line);
	bw_text_printf(&line, "load %s", session_path("all"));
	free(session_do(other, bw_text_get(&line)));
	char *loaded = session_fingerprint(other);
	assert_same("loaded", loaded, end);
	bw_text_free(&line);
	session_close(other);
	session_close(session);
	free(start);
	free(end);
	free(undone);
	free(redone);
	free(loaded);
}

/* From the line of the beams on, a fingerprint without settings. */
static const char *beams_of(const char *fingerprint)
{
	return strstr(fingerprint, "\n0:");
}

static void options_that_there_were_make_no_difference(void **state)
{
	static const char *const options[] = {"", "set threads=3\nset memo_bytes=0\n", "set memo_bytes=100000\n"};
	char *saved = session_read("all"), *first = NULL;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		struct bw_text text = {0}, line = {0};
		int added = 0;
		for (char *at = saved, *next; *at; at = next) {
			next = at + strcspn(at, "\n");
			next += *next == '\n';
			bool here = !strncmp(at, "set sampling=", 13);
			bw_text_puts(&text, here ? options[i] : "");
			bw_text_append(&text, at, (size_t)(next - at));
			added += here;
		}
		assert_int_equal(added, 1);
		session_write("changed", bw_text_get(&text));
		struct bw_session *session = session_open_on("stencil_chain", 4);
		bw_text_printf(&line, "load %s", session_path("changed"));
		free(session_do(session, bw_text_get(&line)));
		assert_same(options[i], session->warning, "");
		char *fingerprint = session_fingerprint(session);
		if (!first)
			first = bw_strdup(beams_of(fingerprint));
		assert_same(options[i], beams_of(fingerprint), first);
		free(fingerprint);
		bw_text_free(&text);
		bw_text_free(&line);
		session_close(session);
	}
	free(first);
	free(saved);
}

/* `time` and `compile` among the others, where there is a device for them: they take what is selected, are no part of what undo takes back, and are not done
 * again when the session is loaded. */
static void measuring_changes_nothing(void **state)
{
	static const char *const commands[] = {"run end", "time", "freeze blur_x root", "run end", "compile", "time", "undo", "redo", "time best"};
	static const bool compiles[] = {false, true, false, false};
	struct bw_session *session = session_open_built("blur", 4), *other = session_open_built("blur", 4);
	if (!session_measures(session)) {
		session_close(session);
		session_close(other);
		skip_because("no GPU to measure on, and BW_TEST_CPU is not 1");
	}
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		free(session_do(session, commands[i]));
	assert_int_equal(session->n_timings, 4);
	for (int i = 0; i < session->n_timings; i++) {
		assert_int_equal(session->timings[i].phase, BW_JOB_DONE);
		assert_int_equal(session->timings[i].compiled, compiles[i]);
	}
	assert_true(session->timings[0].schedule != session->timings[2].schedule && session->timings[1].schedule == session->timings[2].schedule && session->timings[3].schedule == session->timings[2].schedule);
	struct bw_text line = {0};
	bw_text_printf(&line, "save %s", session_path("measured"));
	free(session_do(session, bw_text_get(&line)));
	bw_text_clear(&line);
	bw_text_printf(&line, "load %s", session_path("measured"));
	free(session_do(other, bw_text_get(&line)));
	char *end = session_fingerprint(session), *loaded = session_fingerprint(other);
	assert_same("loaded", loaded, end);
	assert_false(bw_session_busy(other));
	for (int i = 0; i < other->n_timings; i++)
		assert_true(other->timings[i].phase == BW_JOB_FAILED || *other->timings[i].stored);
	assert_int_equal(repeat(session, "undo"), 1);
	free(end);
	free(loaded);
	bw_text_free(&line);
	session_close(session);
	session_close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_with_every_command),
		cmocka_unit_test(options_that_there_were_make_no_difference),
		cmocka_unit_test(measuring_changes_nothing),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
