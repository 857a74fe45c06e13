/* What one key costs a slow line: for every key that is bound, in every view and pane, at several places of a search, with colours and without,
 * at most 4 KB are written to a terminal of 100x30, and for ^L, which draws all of it again, two bytes a cell. The screen is drawn by the explorer's own parts on a terminal of a process of its
 * own, which writes a mark after each frame: so bytes are counted and no clock is looked at. */
#include <locale.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/test.h"
#include "made.h"
#include "ui/terminal.h"

enum { COLUMNS = 100, ROWS = 30, KEY_LIMIT = 4096, REDRAW_LIMIT = 2 * COLUMNS * ROWS, MOST_BINDINGS = 200 };

/* Ends a frame: an operating system command that no terminal has and curses never writes, then what the frame was. */
static const char mark[] = "\033]7777;", mark_end[] = "\007";

/* Where keys are pressed: lines that go there, and the panes that have the keys. */
static const struct place {
	const char *lines[4];
	int n_panes;
} places[] = {
	{{"run end", "view main"}, BW_N_PANES},
	{{"run 9", "view main"}, BW_N_PANES},
	{{"run 0", "view main"}, 1},
	{{"run 6", "view decision"}, 1},
	{{"run 11", "view decision", "unfold all"}, 1},
	{{"run end", "view statistics"}, 1},
	{{"run end", "select func output", "view features"}, 1},
	{{"run end", "view timings"}, 1},
	{{"run 9", "set seed=3", "freeze", "view history"}, 1},
	{{"run end", "compare 2", "view compare"}, 1},
	{{"run end", "view override"}, 1},
	{{"run end", "view help"}, 1},
	{{"run end", "view start"}, 1},
};
enum { N_PLACES = sizeof places / sizeof *places };

/* In the process with the terminal. */
static void show(struct made *made, struct bw_terminal *terminal, const char *what)
{
	int x, y;
	char words[256];
	made->screen->columns = COLUMNS;
	made->screen->rows = ROWS;
	bw_session_expansion(made->session);
	bw_screen_draw(made->screen, &made->grid, &x, &y);
	bw_terminal_show(terminal, &made->grid, x, y);
	int n = snprintf(words, sizeof words, "%s%s%s", mark, what, mark_end);
	if (write(STDOUT_FILENO, words, (size_t)n) != n)
		_exit(3);
}

static void go_to(struct made *made, const struct place *place, int pane)
{
	struct bw_session *session = made->session;
	bw_screen_request(made->screen, (struct bw_binding){.request = BW_REQUEST_CANCEL, .command = ""});
	while (session->n_journal && !session->journal[0].undone)
		made_run(made, "undo");
	for (int i = 0; i < 4 && place->lines[i]; i++)
		if (strcmp(place->lines[i], "view start"))
			made_run(made, place->lines[i]);
		else
			snprintf(session->view, sizeof session->view, "start");
	made->screen->focus = (enum bw_sheet_id)pane;
	memset(made->screen->first, 0, sizeof made->screen->first);
	session->quit = false;
}

/* Waits for what a key began. The key of the opinions has all schedulers work, for 10 s if the best schedule
 * cannot be proven before: it is stopped, and what is there at once is drawn. */
static void await(struct made *made, const struct bw_binding *binding)
{
	if (!strcmp(binding->command, "compare --all"))
		bw_session_stop(made->session);
	made_finish(made);
}

/* Presses every key that does not leave the screen, at one place. */
static void press_all(struct made *made, struct bw_terminal *terminal, int place, int pane)
{
	struct bw_binding bindings[MOST_BINDINGS];
	int n = bw_bindings(bindings, MOST_BINDINGS);
	for (int i = 0; i < n; i++) {
		char what[128];
		if (bindings[i].request == BW_REQUEST_SUSPEND)
			continue;
		go_to(made, &places[place], pane);
		show(made, terminal, "");
		bw_screen_before_key(made->screen);
		if (bindings[i].request == BW_REQUEST_REDRAW)
			bw_terminal_redraw(terminal);
		bw_screen_never_waits(made->screen, 0);
		bw_screen_request(made->screen, bindings[i]);
		await(made, &bindings[i]);
		bw_session_set_deferred_done(made->session, NULL, NULL, 0);
		snprintf(what, sizeof what, "%s at place %d, pane %d", bindings[i].keys, place, pane);
		show(made, terminal, what);
	}
}

static void draw_in_child(const char *type, const char *pipeline)
{
	struct bw_error error = {0};
	struct made *made = made_new(pipeline, "A100", false);
	struct bw_terminal *terminal = bw_terminal_open(&(struct bw_terminal_options){.type = type}, &error);
	if (!terminal) {
		printf("%s\n", error.text);
		exit(4);
	}
	for (int place = 0; place < N_PLACES; place++)
		for (int pane = 0; pane < places[place].n_panes; pane++)
			press_all(made, terminal, place, pane);
	bw_terminal_close(terminal);
	made_free(made);
	exit(0);
}

/* Takes frames from what was written; returns what is left of it. */
static size_t take_frames(char *bytes, size_t n, int *frames, size_t *most)
{
	size_t at = 0;
	for (char *end; (end = memmem(bytes + at, n - at, mark, sizeof mark - 1));) {
		char *words = end + sizeof mark - 1, *after = memchr(words, *mark_end, n - (size_t)(words - bytes));
		if (!after)
			break;
		size_t wrote = (size_t)(end - bytes) - at;
		if (after > words) {
			++*frames;
			*most = wrote > *most ? wrote : *most;
			if (wrote > (strncmp(words, "^L ", 3) ? KEY_LIMIT : REDRAW_LIMIT))
				fail_msg("%.*s wrote %zu bytes", (int)(after - words), words, wrote);
		}
		at = (size_t)(after + 1 - bytes);
	}
	memmove(bytes, bytes + at, n - at);
	return n - at;
}

static void keys_write_little_on(const char *type, const char *pipeline)
{
	enum { ROOM = 1 << 17 };
	struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
	char *bytes = BW_NEW_ARRAY(char, ROOM);
	size_t n = 0, most = 0;
	int terminal, frames = 0, status = 0;
	pid_t child = forkpty(&terminal, NULL, NULL, &size);
	if (child == 0) {
		setlocale(LC_ALL, "C.UTF-8");
		draw_in_child(type, pipeline);
	}
	for (ssize_t got; (got = read(terminal, bytes + n, ROOM - n)) > 0;)
		n = take_frames(bytes, n + (size_t)got, &frames, &most);
	waitpid(child, &status, 0);
	printf("# %s, %s: %d frames, at most %zu bytes\n", type, pipeline, frames, most);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("drawing ended with status %d: %.*s", status, (int)n, bytes);
	assert_true(frames > 300);
	assert_true(most > 1000);
	free(bytes);
	close(terminal);
}

static void a_key_writes_little(void **state)
{
	keys_write_little_on("xterm-256color", "harris");
	keys_write_little_on("xterm-256color", "stencil_chain");
	keys_write_little_on("xterm-256color", "unsharp");
	keys_write_little_on("vt100", "harris");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_key_writes_little)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
