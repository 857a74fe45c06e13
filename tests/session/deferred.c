/* Lines that ask for options which are not made yet, as a screen gives them: they are kept, in their order with all that is typed meanwhile, and come to
 * the same as where one waits for each; stopping drops them, and nothing that asks for options makes them while it is typed. No clock is looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"
#include "session/core.h"
#include "session_test.h"

/* Appends what was told of each line. */
static void tell(const char *line, bool good, const struct bw_text *out, void *data)
{
	bw_text_printf(data, "%s: %s%s\n", line, good ? "done" : "refused", good && out->length ? " and said" : "");
}

/* At a decision whose options are not made; told NULL: a session that waits. */
static struct bw_session *open_at(const char *place, struct bw_text *told)
{
	struct bw_session *session = session_open();
	free(session_do(session, place));
	assert_null(bw_session_expansion_made(session));
	if (told)
		bw_session_set_deferred_done(session, tell, told, 0);
	return session;
}

/* Gives a line as a screen does. */
static void give(struct bw_session *session, const char *line)
{
	if (!bw_session_defer(session, line))
		bw_session_run(session, line, NULL, NULL);
}

static void assert_alike(struct bw_session *session, struct bw_session *waiting)
{
	char *a = session_fingerprint(session), *b = session_fingerprint(waiting);
	assert_string_equal(a, b);
	assert_int_equal(session->n_journal, waiting->n_journal);
	for (int i = 0; i < session->n_journal; i++)
		assert_string_equal(session->journal[i].line, waiting->journal[i].line);
	free(a);
	free(b);
}

static void lines_are_done_in_their_order(void **state)
{
	static const char *const cases[][4] = {
		{"accept", "step", "undo"},
		{"reject", "accept", "run end"},
		{"pin #1", "step", "cost #0", "back"},
		{"why", "accept #1", "run end"},
		{"step option", "accept", "freeze blur_x root"},
		{"select option #1", "reject", "step"},
		{"cost #99", "whatif accept", "accept"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text told = {0};
		struct bw_session *session = open_at("run blur_x.where", &told), *waiting = open_at("run blur_x.where", NULL);
		int cursor = session->cursor, n = 0;
		for (int k = 0; k < 4 && cases[i][k]; k++) {
			assert_true(bw_session_defer(session, cases[i][k]));
			assert_int_equal(session->waits, k + 1);
			bw_session_run(waiting, cases[i][k], NULL, NULL);
			n++;
		}
		/* Nothing has begun; what is looked at need not wait. */
		assert_true(bw_session_busy(session) && bw_session_under_way(session));
		assert_true(session->n_journal == 0 && session->cursor == cursor && session->selection.option == -1);
		assert_null(bw_session_expansion_made(session));
		assert_non_null(strstr(session->message, " waits for the options of blur_x.where"));
		assert_false(bw_session_defer(session, "view history"));
		assert_false(bw_session_defer(session, "help"));
		session_settle(session);
		session_settle(waiting);
		assert_int_equal(session->waits, 0);
		assert_alike(session, waiting);
		const char *at = bw_text_get(&told);
		for (int k = 0; k < n; k++) {
			assert_int_equal(strncmp(at, cases[i][k], strlen(cases[i][k])), 0);
			at += strcspn(at, "\n") + 1;
		}
		assert_string_equal(at, "");
		bw_text_free(&told);
		session_close(session);
		session_close(waiting);
	}
}

/* A run stands still while a line waits: it is for the decision that was seen when it was typed. */
static void a_run_stands_still(void **state)
{
	struct bw_text told = {0};
	struct bw_session *sessions[] = {open_at("run 0", &told), open_at("run 0", NULL)};
	for (int i = 0; i < 2; i++) {
		give(sessions[i], "run end");
		while (sessions[i]->cursor < 2)
			bw_session_work(sessions[i], 0);
		assert_true(sessions[i]->target > 2);
	}
	assert_int_equal(sessions[0]->cursor, sessions[1]->cursor);
	int cursor = sessions[0]->cursor;
	assert_true(bw_session_defer(sessions[0], "accept"));
	while (sessions[0]->waits) {
		assert_int_equal(sessions[0]->cursor, cursor);
		bw_session_work(sessions[0], 0);
	}
	assert_true(bw_session_run(sessions[1], "accept", NULL, NULL));
	for (int i = 0; i < 2; i++)
		session_settle(sessions[i]);
	assert_alike(sessions[0], sessions[1]);
	bw_text_free(&told);
	session_close(sessions[0]);
	session_close(sessions[1]);
}

static void leaving_waits_its_turn(void **state)
{
	struct bw_text told = {0};
	struct bw_session *session = open_at("run blur_x.where", &told);
	give(session, "accept");
	give(session, "quit");
	assert_false(session->quit);
	while (!session->quit)
		bw_session_work(session, 0);
	assert_int_equal(session->n_journal, 1);
	bw_text_free(&told);
	session_close(session);
}

static void stopping_drops_what_waits(void **state)
{
	struct bw_text told = {0};
	struct bw_session *session = open_at("run blur_x.where", &told);
	give(session, "accept");
	give(session, "step");
	bw_session_stop(session);
	assert_int_equal(session->waits, 0);
	assert_non_null(strstr(session->message, "not done: accept and what was behind it"));
	session_settle(session);
	assert_int_equal(session->n_journal, 0);
	assert_string_equal(bw_text_get(&told), "");
	/* It can be given again: its options are made by now, and it does not wait. */
	assert_false(bw_session_defer(session, "accept"));
	/* And a session is given back with lines that wait. */
	free(session_do(session, "back"));
	give(session, "accept");
	assert_int_equal(session->waits, 1);
	bw_text_free(&told);
	session_close(session);
}

/* Every command, with all that could name an option: none makes the options while it is typed. Those that take files are left out. */
static void nothing_is_made_while_one_types(void **state)
{
	static const char *const rests[] = {"", "option", "option #0", "group A", "#0", "A1", "A1 not A2", "1", "A1 A2", "--here", "options<3", "pass", "state 2"};
	int n, kept = 0;
	const struct bw_command *commands = bw_commands(&n);
	for (int c = 0; c < n; c++)
		for (size_t r = 0; r < sizeof rests / sizeof *rests; r++) {
			struct bw_text told = {0}, line = {0};
			if (!strcmp(commands[c].name, "script") || !strcmp(commands[c].name, "load") || !strncmp(commands[c].name, "save", 4) || !strcmp(commands[c].name, "export"))
				continue;
			struct bw_session *session = open_at("run blur_x.where", &told);
			uint64_t before = session->generation;
			bw_text_printf(&line, "%s %s", commands[c].name, rests[r]);
			if (bw_session_defer(session, bw_text_get(&line)))
				kept++;
			else
				bw_session_run(session, bw_text_get(&line), NULL, NULL);
			assert_true(session->generation > before);
			if (bw_session_expansion_made(session))
				fail_msg("%s: the options were made", bw_text_get(&line));
			bw_text_free(&told);
			bw_text_free(&line);
			session_close(session);
		}
	assert_true(kept > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_done_in_their_order),
		cmocka_unit_test(a_run_stands_still),
		cmocka_unit_test(leaving_waits_its_turn),
		cmocka_unit_test(stopping_drops_what_waits),
		cmocka_unit_test(nothing_is_made_while_one_types),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
