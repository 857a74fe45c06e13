/* `edit`, with a real editor (sed on the file): what is put in force, one command of the journal; errors by line and column; that a text which does not
 * read, or comes to a conflict, is offered again; editors that fail; who can read the file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/test.h"
#include "command/edit.h"
#include "session_test.h"

/* The editor that the test's session has: a command, and what it was offered last. */
struct editor {
	struct bw_editing editing;
	struct bw_text offered;
};

static bool edit(struct bw_text *text, void *data, struct bw_error *error)
{
	struct editor *editor = data;
	bw_text_clear(&editor->offered);
	bw_text_puts(&editor->offered, bw_text_get(text));
	return bw_edit_text(&editor->editing, ".schedule", text, error);
}

static struct bw_session *begin(struct editor *editor)
{
	struct bw_session *session = session_open();
	*editor = (struct editor){{"true", "/tmp"}, {0}};
	bw_session_hooks(session)->edit = edit;
	bw_session_hooks(session)->edit_data = editor;
	free(session_do(session, "freeze {output root 1x4/32x8 | blur_x at output.block 1x2}"));
	free(session_do(session, "run end"));
	return session;
}

static void end(struct bw_session *session, struct editor *editor)
{
	session_close(session);
	bw_text_free(&editor->offered);
}

/* Edits with a command; what it says. */
static void edits(struct bw_session *session, struct editor *editor, const char *command, const char *said)
{
	editor->editing.command = command;
	char *out = session_do(session, "edit");
	assert_string_equal(out, said);
	free(out);
}

static void refuses(struct bw_session *session, struct editor *editor, const char *command, const char *why)
{
	struct bw_error error;
	int n = session->n_journal;
	editor->editing.command = command;
	session_refuses(session, "edit", &error);
	assert_string_equal(error.text, why);
	assert_int_equal(session->n_journal, n);
}

/* The sixth line of the text is the first after a line of the state, one of advice, three of the header and an empty one: `output root`. */
static void what_stands_there_is_held(void **state)
{
	struct editor editor;
	struct bw_session *session = begin(&editor);
	int n = session->n_journal;
	edits(session, &editor, "true", "nothing was edited: nothing is changed\n");
	assert_int_equal(session->n_journal, n);
	edits(session, &editor, "sed -i -e 's/^output root/output root 1x2\\/64x4/' -e '/^    block y, x; thread y 8/d' -e '/^blur_x/,$d'", "1 Func held as edited\n");
	assert_int_equal(session->n_journal, n + 1);
	assert_string_equal(session->journal[n].line, "apply {output root 1x2/64x4}");
	free(session_do(session, "assert output root 1x2/64x4"));
	free(session_do(session, "undo"));
	free(session_do(session, "assert output root 1x4/32x8"));
	free(session_do(session, "redo"));
	free(session_do(session, "assert output root 1x2/64x4"));
	end(session, &editor);
}

static void what_does_not_read_is_offered_again(void **state)
{
	struct editor editor;
	struct bw_session *session = begin(&editor);
	refuses(session, &editor, "sed -i 's/^blur_x at/blur_x on/'", "edit:9:8: expected a site (inline, root, or at LEVEL), found \"on\"; `edit` goes on with the text");
	refuses(session, &editor, "true", "edit:9:8: expected a site (inline, root, or at LEVEL), found \"on\"; `edit` goes on with the text");
	assert_non_null(strstr(bw_text_get(&editor.offered), "\nblur_x on"));
	refuses(session, &editor, "sed -i '/^output/d'; exit 3; #", "the editor \"sed -i '/^output/d'; exit 3; #\" ended with status 3");
	edits(session, &editor, "sed -i 's/^blur_x on.*/blur_x inline/;/^blur_x/q'", "2 Funcs held as edited\n");
	assert_non_null(strstr(bw_text_get(&editor.offered), "\nblur_x on"));
	free(session_do(session, "assert blur_x inline"));
	edits(session, &editor, "true", "nothing was edited: nothing is changed\n");
	assert_non_null(strstr(bw_text_get(&editor.offered), "\nblur_x inline"));
	end(session, &editor);
}

/* A block has at most 1,024 threads. */
static void what_comes_to_a_conflict_is_offered_again(void **state)
{
	struct editor editor;
	struct bw_session *session = begin(&editor);
	struct bw_error error = {0};
	int n = session->n_journal;
	editor.editing.command = "sed -i -e 's/^output root/output root 1x1\\/2048x1/' -e '/^    block y, x; thread y 8/d' -e '/^blur_x/,$d'";
	assert_false(bw_session_do(session, "edit", -1, NULL, &error));
	assert_int_equal(error.kind, BW_ERROR_CONFLICT);
	assert_non_null(strstr(error.text, "output"));
	assert_non_null(strstr(error.text, "1024"));
	assert_int_equal(session->n_journal, n);
	edits(session, &editor, "sed -i 's/2048x1/512x1/'", "1 Func held as edited\n");
	assert_non_null(strstr(bw_text_get(&editor.offered), "2048x1"));
	free(session_do(session, "assert output root 1x1/512x1"));
	end(session, &editor);
}

static void new_begins_with_the_state_again(void **state)
{
	struct editor editor;
	struct bw_session *session = begin(&editor);
	refuses(session, &editor, "sed -i 's/^blur_x at/blur_x on/'", "edit:9:8: expected a site (inline, root, or at LEVEL), found \"on\"; `edit` goes on with the text");
	editor.editing.command = "true";
	free(session_do(session, "edit new"));
	assert_null(strstr(bw_text_get(&editor.offered), "blur_x on"));
	end(session, &editor);
}

static void editors_that_fail_change_nothing(void **state)
{
	struct editor editor;
	struct bw_session *session = begin(&editor);
	struct bw_error error;
	refuses(session, &editor, "/no/such/editor", "no editor \"/no/such/editor\"; VISUAL or EDITOR in the environment names another");
	refuses(session, &editor, "kill -9 $$ #", "the editor \"kill -9 $$ #\" was ended by signal 9");
	editor.editing.folder = "/no/such/folder";
	session_refuses(session, "edit", &error);
	assert_string_equal(error.text, "/no/such/folder: a file to be edited cannot be made there: No such file or directory");
	session_refuses(session, "edit output", &error);
	bw_session_hooks(session)->edit = NULL;
	session_refuses(session, "edit", &error);
	assert_string_equal(error.text, "edit needs a terminal; `save-schedule FILE` writes the schedule, and `apply FILE` takes one");
	end(session, &editor);
}

/* Whatever the process's mask of permissions: the file is the user's alone, with the text in it, and gone afterwards. */
static void nobody_else_reads_it(void **state)
{
	struct editor editor;
	struct bw_session *session = begin(&editor);
	char folder[] = "/tmp/bw-editing-XXXXXX";
	assert_non_null(mkdtemp(folder));
	mode_t mask = umask(0);
	editor.editing.folder = folder;
	edits(session, &editor, "sh -c 'test \"$(stat -c %a \"$1\")\" = 600 && grep -q \"^output root\" \"$1\"' sh", "nothing was edited: nothing is changed\n");
	umask(mask);
	assert_int_equal(rmdir(folder), 0);
	end(session, &editor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stands_there_is_held),
		cmocka_unit_test(what_does_not_read_is_offered_again),
		cmocka_unit_test(what_comes_to_a_conflict_is_offered_again),
		cmocka_unit_test(new_begins_with_the_state_again),
		cmocka_unit_test(editors_that_fail_change_nothing),
		cmocka_unit_test(nobody_else_reads_it),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
