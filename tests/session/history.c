/* What sessions remember: undo and redo restore to the bit, conflicts change nothing, a session that cannot be loaded leaves the old one, scripts
 * stop at their first error and say where. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"
#include "session/journal_private.h"
#include "session_test.h"

static void assert_same(const char *what, char *is, char *was)
{
	size_t at = 0;
	while (is[at] && is[at] == was[at])
		at++;
	if (is[at] || was[at])
		fail_msg("%s: from \"%.80s\" on, was \"%.80s\"", what, is + at, was + at);
	free(is);
	free(was);
}

/* limit: bytes that the session remembers at most. */
static void undo_and_redo_with(int64_t limit)
{
	static const char *const lines[] = {
		"run", "select state 2", "freeze blur_x at output.block", "set unrolled-limit=8", "run 3", "set gpu=H100", "run blur_x", "select state 2", "accept A1", "run",
		"unfreeze blur_x", "freeze output root 1x4/32x8", "select func output", "freeze", "unfreeze all", "set seed=7",
	};
	enum { N = sizeof lines / sizeof *lines };
	struct bw_session *session = session_open();
	char *before[N], *after[N];
	int n = 0;
	bw_journal_of(session)->history_limit = limit;
	for (int i = 0; i < N; i++) {
		int journaled = session->n_journal;
		char *was = session_fingerprint(session);
		free(session_do(session, lines[i]));
		if (session->n_journal == journaled) {
			free(was);
			continue;
		}
		before[n] = was;
		after[n++] = session_fingerprint(session);
	}
	assert_int_equal(session->n_journal, n);
	for (int round = 0; round < 2; round++) {
		for (int i = n - 1; i >= 0; i--) {
			free(session_do(session, "undo"));
			assert_same(session->journal[i].line, session_fingerprint(session), bw_strdup(before[i]));
			assert_true(session->journal[i].undone);
		}
		for (int i = 0; i < n; i++) {
			free(session_do(session, "redo"));
			/* What was there when it was undone: the moves after it too. */
			assert_same(session->journal[i].line, session_fingerprint(session), bw_strdup(i + 1 < n ? before[i + 1] : after[i]));
			assert_false(session->journal[i].undone);
		}
	}
	int forgotten = 0;
	for (int i = 0; i < n; i++)
		forgotten += !bw_journal_of(session)->entries[i].other.search;
	assert_int_equal(forgotten > n / 2, limit == 0);
	assert_true(limit == 0 || bw_session_history_bytes(session) <= limit);
	while (bw_session_under_way(session))
		bw_session_work(session, 1);
	assert_int_equal(bw_journal_of(session)->n_leaving, 0);
	for (int i = 0; i < n; i++) {
		free(before[i]);
		free(after[i]);
	}
	session_close(session);
}

static void undo_and_redo_restore_exactly(void **state)
{
	undo_and_redo_with(BW_HISTORY_BYTES);
}

/* Where nothing but the present search is kept, all others are found again. */
static void what_is_forgotten_is_found_again(void **state)
{
	undo_and_redo_with(0);
}

/* As much is kept as there is room for, what is nearest first. */
static void what_is_remembered_keeps_its_limit(void **state)
{
	enum { CHANGES = 12 };
	struct bw_session *session = session_open();
	struct journal *own = bw_journal_of(session);
	free(session_do(session, "run"));
	int64_t one = bw_session_history_bytes(session);
	own->history_limit = 4 * one;
	for (int seed = 1; seed <= CHANGES; seed++) {
		char line[32];
		snprintf(line, sizeof line, "set seed=%d", seed);
		free(session_do(session, line));
		free(session_do(session, "run"));
		assert_in_range(bw_session_history_bytes(session), one / 2, own->history_limit);
		bool kept = false;
		for (int i = 0; i < seed; i++) {
			assert_false(kept && !own->entries[i].other.search);
			kept |= own->entries[i].other.search != NULL;
		}
		assert_true(kept);
	}
	assert_null(own->entries[0].other.search);
	session_close(session);
}

/* A line that is done, but whose search then finds nothing. */
static void conflicts(struct bw_session *session, const char *line, const char *fragment)
{
	struct bw_error error = {0};
	if (!bw_session_run(session, line, NULL, &error))
		fail_msg("%s: %s", line, error.text);
	session_settle(session);
	if (!session->message_is_error || !strstr(session->message, fragment) || !strstr(session->message, "; nothing was changed"))
		fail_msg("%s: \"%s\"", line, session->message);
}

static void conflicts_change_nothing(void **state)
{
	static const struct {
		const char *line, *fragment;
	} cases[] = {
		{"freeze blur_x at output.serial3", "blur_x: no legal option for where: of "},
		{"freeze output root 1x1/1024x2", "output: no legal option for where: of 2 enumerated, pruned 1 by constraint (output root 1x1/1024x2), 1 by threads (1024x2x1 = 2048 threads, limit 1024)"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_session *session = session_open();
		free(session_do(session, "run"));
		free(session_do(session, "select state 3"));
		free(session_do(session, "set seed=5"));
		free(session_do(session, "freeze input_im inline"));
		free(session_do(session, "undo"));
		char *was = session_fingerprint(session);
		conflicts(session, cases[i].line, cases[i].fragment);
		assert_same(cases[i].line, session_fingerprint(session), was);
		assert_int_equal(session->n_journal, 2);
		assert_false(session->journal[0].undone);
		assert_true(session->journal[1].undone);
		/* What was undone before can still be redone. */
		free(session_do(session, "redo"));
		assert_non_null(bw_session_constraint(session, bw_pipeline_find(session->pipeline, "input_im")));
		session_close(session);
	}
}

/* Where a Func has been held since before, the way out is said. */
static void conflicts_name_what_is_held(void **state)
{
	struct bw_session *session = session_open();
	free(session_do(session, "freeze blur_x at output.block 1x1"));
	free(session_do(session, "run"));
	conflicts(session, "freeze output root 8x8/32x16", "; nothing was changed; blur_x is held where it was: `unfreeze blur_x` frees it");
	free(session_do(session, "unfreeze blur_x"));
	free(session_do(session, "freeze output root 8x8/32x16"));
	session_settle(session);
	assert_false(session->message_is_error);
	session_close(session);
}

static void a_scheduler_names_what_it_replaces(void **state)
{
	struct bw_session *session = session_open();
	free(session_do(session, "freeze output root"));
	free(session_do(session, "freeze blur_x root"));
	free(session_do(session, "scheduler greedy"));
	assert_non_null(strstr(session->message, "; in place of what was held by hand: blur_x (`undo` brings it back)"));
	free(session_do(session, "scheduler greedy"));
	assert_null(strstr(session->message, "by hand"));
	session_close(session);
}

/* Commands that follow each other faster than the search: what was a conflict goes, and what was said after it. */
static void conflicts_in_haste_change_nothing(void **state)
{
	static const struct {
		const char *lines[4];
		int journal;
	} cases[] = {
		{{"freeze output root 1x1/1024x2", "freeze blur_x inline"}, 0},
		{{"freeze blur_x at output.serial3", "set seed=3", "freeze input_im inline"}, 0},
		{{"freeze blur_x at output.serial3", "set seed=3", "undo"}, 0},
		{{"freeze blur_x at output.serial3", "undo", "redo"}, 0},
		{{"freeze blur_x at output.serial3", "undo"}, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_session *session = session_open();
		struct bw_error error;
		free(session_do(session, "run"));
		char *was = session_fingerprint(session);
		for (int k = 0; k < 4 && cases[i].lines[k]; k++)
			assert_true(bw_session_run(session, cases[i].lines[k], NULL, &error));
		session_settle(session);
		assert_same(cases[i].lines[0], session_fingerprint(session), was);
		assert_int_equal(session->n_journal, cases[i].journal);
		session_close(session);
	}
}

/* A conflict while a run to the end is under way: the run goes on. */
static void a_conflict_does_not_stop_a_run(void **state)
{
	struct bw_session *session = session_open();
	struct bw_error error;
	assert_true(bw_session_run(session, "run", NULL, &error));
	bw_session_work(session, 0);
	assert_true(bw_session_busy(session));
	conflicts(session, "freeze output root 1x1/1024x2", "output: no legal option");
	assert_int_equal(session->cursor, 6);
	session_close(session);
}

static void a_stop_leaves_what_was_done(void **state)
{
	struct bw_session *session = session_open();
	struct bw_error error;
	assert_true(bw_session_run(session, "run", NULL, &error));
	while (session->cursor < 2)
		bw_session_work(session, 0);
	bw_session_stop(session);
	assert_false(bw_session_busy(session));
	assert_in_range(session->cursor, 2, 6);
	char said[64];
	snprintf(said, sizeof said, "stopped at decision %d of 6", session->cursor);
	if (session->cursor < 6)
		assert_string_equal(session->message, said);
	free(session_do(session, "run"));
	assert_int_equal(session->cursor, 6);
	session_close(session);
}

static void sessions_come_back_from_files(void **state)
{
	char line[512];
	struct bw_session *session = session_open();
	static const char *const lines[] = {"set beam=3", "freeze output root; block y, x; thread y 4, x 32; serial y 5, x 3", "run blur_x", "accept B1", "set recompute-limit=3.3", "freeze input_im inline", "run"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		free(session_do(session, lines[i]));
	snprintf(line, sizeof line, "save %s", session_path("session"));
	free(session_do(session, line));
	char *was = session_fingerprint(session);
	struct bw_session *other = session_open();
	free(session_do(other, "set beam=1"));
	free(session_do(other, "freeze blur_x root"));
	snprintf(line, sizeof line, "load %s", session_path("session"));
	free(session_do(other, line));
	assert_same("load", session_fingerprint(other), was);
	session_close(session);
	session_close(other);
}

static void schedules_come_back_from_files(void **state)
{
	char line[512];
	struct bw_session *session = session_open();
	free(session_do(session, "run"));
	free(session_do(session, "select state 2"));
	uint64_t hash = bw_session_state(session)->hash;
	snprintf(line, sizeof line, "save-schedule %s", session_path("two.schedule"));
	free(session_do(session, line));
	session_close(session);
	session = session_open();
	snprintf(line, sizeof line, "apply %s", session_path("two.schedule"));
	free(session_do(session, line));
	assert_int_equal(bw_search_constraints(session->search)->n, 3);
	free(session_do(session, "run"));
	const struct bw_state *const *states;
	assert_int_equal(bw_search_beam(session->search, 6, &states), 1);
	assert_true(states[0]->hash == hash);
	session_close(session);
}

/* A schedule that derives Funcs cannot be held or timed yet: it is refused, not held in part. */
static void derived_funcs_are_refused(void **state)
{
	char line[512];
	struct bw_error error;
	struct bw_session *session = session_open();
	session_write("derived.schedule", "beamwalk-schedule 1\npipeline blur\noutput root 1x4/32x8\nblur_x root 1x1/32x8\nblur_x in output at output.block; thread y, x\n");
	char *was = session_fingerprint(session);
	snprintf(line, sizeof line, "apply %s", session_path("derived.schedule"));
	session_refuses(session, line, &error);
	if (!strstr(error.text, ": blur_x in output "))
		fail_msg("\"%s\"", error.text);
	assert_same("apply", session_fingerprint(session), was);
	session_close(session);
}

static void scripts_stop_at_their_first_error(void **state)
{
	static const struct {
		const char *text, *error; /* after the name of the file */
		int cursor;
	} cases[] = {
		{"run blur_x\n\n# a comment\nfly\nrun\n", ":4: no command \"fly\"; `help` lists them", 2},
		{"run\nfreeze blur_x at output.serial3\nback 6\n", ":2: blur_x: no legal option for where", 6},
		{"run\r\nback 1", NULL, 5},
		{"", NULL, 0},
		{"run 2\nquit\nrun\n", NULL, 2},
		{"run 99\n", ":1: no decision 99", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char line[512];
		struct bw_error error;
		struct bw_session *session = session_open();
		session_write("script", cases[i].text);
		snprintf(line, sizeof line, "script %s", session_path("script"));
		if (cases[i].error) {
			session_refuses(session, line, &error);
			const char *path = session_path("script");
			if (strncmp(error.text, path, strlen(path)) || strncmp(error.text + strlen(path), cases[i].error, strlen(cases[i].error)))
				fail_msg("case %zu: \"%s\"", i, error.text);
		} else {
			free(session_do(session, line));
		}
		assert_int_equal(session->cursor, cases[i].cursor);
		session_close(session);
	}
}

static void scripts_that_run_themselves_end(void **state)
{
	char text[512];
	struct bw_error error;
	struct bw_session *session = session_open();
	snprintf(text, sizeof text, "script %s\n", session_path("itself"));
	session_write("itself", text);
	session_refuses(session, text, &error);
	assert_non_null(strstr(error.text, "scripts run each other too deeply"));
	snprintf(text, sizeof text, "load %s\n", session_path("loads-itself"));
	session_write("loads-itself", text);
	session_refuses(session, text, &error);
	assert_non_null(strstr(error.text, "scripts run each other too deeply"));
	free(session_do(session, "run"));
	session_close(session);
}

static void what_cannot_be_loaded_leaves_the_old_session(void **state)
{
	char line[512];
	struct bw_error error;
	struct bw_session *session = session_open();
	free(session_do(session, "set seed=3"));
	free(session_do(session, "freeze blur_x inline"));
	free(session_do(session, "run"));
	free(session_do(session, "select state 2"));
	char *was = session_fingerprint(session);
	session_write("broken", "set beam=2\nfreeze output root 1x4/32x8\nrun\nfly\n");
	snprintf(line, sizeof line, "load %s", session_path("broken"));
	session_refuses(session, line, &error);
	assert_non_null(strstr(error.text, "broken:4: no command \"fly\""));
	assert_int_equal(session->n_journal, 2);
	assert_same("load", session_fingerprint(session), was);
	session_close(session);
}

/* Every point of the history, on a branch or not, is come to as it was; what is jumped to is no command of its own. */
static void every_point_is_jumped_to(void **state)
{
	static const char *const lines[] = {"freeze blur_x at output.block", "set beam=3", "undo", "undo", "freeze blur_x inline", "set beam=3", "undo", "set unrolled_limit=8"};
	/* Points: 1 freeze at block, 2 beam=3 behind it; 3 freeze inline, 4 beam=3 again and 5 unrolled_limit=8 behind that. */
	static const int parents[] = {0, 0, 1, 0, 3, 3}, at[] = {1, 2, 1, 0, 3, 4, 3, 5};
	enum { N = sizeof lines / sizeof *lines, POINTS = 5 };
	struct bw_session *session = session_open();
	struct bw_point points[POINTS + 1];
	char *was[POINTS + 1], line[32];
	free(session_do(session, "run end"));
	was[0] = session_fingerprint(session);
	for (int i = 0; i < N; i++) {
		free(session_do(session, lines[i]));
		assert_int_equal(bw_session_point(session), at[i]);
		if (strncmp(lines[i], "undo", 4))
			was[at[i]] = session_fingerprint(session);
	}
	assert_int_equal(bw_session_n_points(session), POINTS);
	bw_session_points(session, points);
	for (int i = 1; i <= POINTS; i++)
		assert_int_equal(points[i].parent, parents[i]);
	assert_int_equal(points[5].state, BW_POINT_DONE);
	assert_int_equal(points[4].state, BW_POINT_BRANCH);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i <= POINTS; i++) {
			int to = (i * 3 + round) % (POINTS + 1);
			snprintf(line, sizeof line, "jump %d", to);
			free(session_do(session, line));
			assert_int_equal(bw_session_point(session), to);
			assert_int_equal(bw_session_n_points(session), POINTS);
			assert_same(line, session_fingerprint(session), bw_strdup(was[to]));
		}
	free(session_do(session, "jump 5"));
	free(session_do(session, "jump"));
	bw_session_points(session, points);
	assert_int_equal(points[3].state, BW_POINT_UNDONE);
	assert_int_equal(points[5].state, BW_POINT_UNDONE);
	assert_int_equal(points[1].state, BW_POINT_BRANCH);
	struct bw_error error;
	session_refuses(session, "jump 6", &error);
	assert_non_null(strstr(error.text, "no command \"6\" in the history; there are 0, the beginning, to 5"));
	session_refuses(session, "jump here", &error);
	for (int i = 0; i <= POINTS; i++)
		free(was[i]);
	session_close(session);
}

/* Every point of `is` from `first` on is one of `was`: number for number where `first` is 1. */
static void assert_same_points(struct bw_session *is, struct bw_session *was, int first)
{
	struct bw_point *points = BW_NEW_ARRAY(struct bw_point, bw_session_n_points(is) + 1), *others = BW_NEW_ARRAY(struct bw_point, bw_session_n_points(was) + 1);
	bw_session_points(is, points);
	bw_session_points(was, others);
	assert_int_equal(bw_session_n_points(is) - first + 1, bw_session_n_points(was));
	for (int i = 1; i <= bw_session_n_points(was); i++) {
		const struct bw_point *point = &points[first - 1 + i];
		assert_string_equal(point->line, others[i].line);
		assert_int_equal(point->parent, first - 1 + others[i].parent);
		assert_int_equal(point->state, others[i].state);
	}
	assert_int_equal(bw_session_point(is), first - 1 + bw_session_point(was));
	free(points);
	free(others);
}

/* A saved session has its branches too: with their numbers where it is loaded first, behind what was done where it is not. */
static void branches_are_saved(void **state)
{
	static const char *const lines[] = {"run end", "freeze blur_x at output.block", "set beam=3", "undo", "undo", "freeze blur_x inline", "set beam=3", "undo", "set unrolled_limit=8"};
	static const char *const places[] = {"jump 5", "jump 3", "jump start", "jump 2"};
	struct bw_session *session = session_open();
	struct bw_text save = {0}, load = {0};
	bw_text_printf(&save, "save %s", session_path("branches"));
	bw_text_printf(&load, "load %s", session_path("branches"));
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		free(session_do(session, lines[i]));
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		free(session_do(session, places[i]));
		free(session_do(session, bw_text_get(&save)));
		struct bw_session *other = session_open();
		free(session_do(other, bw_text_get(&load)));
		assert_same_points(other, session, 1);
		assert_same(places[i], session_fingerprint(other), session_fingerprint(session));
		/* What was given at the beginning of the search is taken back where the session stands. */
		free(session_do(other, "jump 4"));
		assert_int_equal(other->cursor, bw_search_n_decisions(other->search));
		free(session_do(other, "assert blur_x inline"));
		free(session_do(other, "assert commands 2"));
		assert_int_equal(other->options.beam, 3);
		session_close(other);
		other = session_open();
		free(session_do(other, "set seed=5"));
		free(session_do(other, "set seed=0"));
		free(session_do(other, bw_text_get(&load)));
		assert_same_points(other, session, 3);
		session_close(other);
	}
	bw_text_free(&save);
	bw_text_free(&load);
	session_close(session);
}

/* What is no point, and what cannot be one, is passed over with all that follows it. */
static void points_that_are_none_are_passed_over(void **state)
{
	struct bw_session *session = session_open();
	struct bw_text load = {0};
	session_write("points", "# journal\n# point 1 0 set beam=3\n# point\n# point 2 1 quit\n# point 2 2 set beam=4\n# point 2 -1 set beam=4\n# point 7 1 set beam=4\n# point 2 1\n"
				"# point 2 1 set beam=2\nset seed=3\n# point 3 2 set beam=1\n");
	bw_text_printf(&load, "load %s", session_path("points"));
	free(session_do(session, bw_text_get(&load)));
	struct bw_point points[5];
	assert_int_equal(bw_session_n_points(session), 4);
	bw_session_points(session, points);
	assert_string_equal(points[2].line, "set beam=2");
	assert_string_equal(points[3].line, "set seed=3");
	assert_int_equal(points[3].state, BW_POINT_DONE);
	assert_int_equal(points[4].parent, 2);
	assert_false(session->quit);
	bw_text_clear(&load);
	bw_text_printf(&load, "script %s", session_path("points"));
	struct bw_session *other = session_open();
	free(session_do(other, bw_text_get(&load)));
	assert_int_equal(bw_session_n_points(other), 1);
	session_close(other);
	session_close(session);
	bw_text_free(&load);
}

/* A bookmark at a command that turns out to be a conflict leads to where that was given, whatever is said next. */
static void a_conflict_moves_its_bookmarks(void **state)
{
	struct bw_session *session = session_open();
	free(session_do(session, "run"));
	assert_true(bw_session_run(session, "freeze output root 1x1/1024x2", NULL, NULL));
	assert_true(bw_session_run(session, "bookmark here", NULL, NULL));
	session_settle(session);
	assert_true(session->message_is_error && bw_session_n_points(session) == 0);
	free(session_do(session, "set seed=3"));
	free(session_do(session, "jump here"));
	assert_int_equal(bw_session_point(session), 0);
	free(session_do(session, "run"));
	assert_true(bw_session_run(session, "freeze output root 1x1/1024x2", NULL, NULL));
	assert_true(bw_session_run(session, "freeze blur_x inline", NULL, NULL));
	assert_true(bw_session_run(session, "bookmark there", NULL, NULL));
	session_settle(session);
	free(session_do(session, "jump there"));
	assert_int_equal(bw_session_point(session), 0);
	session_close(session);
}

/* A conflict leaves no point; of branches the newest thousand commands are remembered. */
static void the_history_is_bounded(void **state)
{
	struct bw_session *session = session_open();
	char line[64];
	free(session_do(session, "run end"));
	conflicts(session, "freeze output inline", "output");
	assert_int_equal(bw_session_n_points(session), 0);
	free(session_do(session, "run 0"));
	for (int i = 1; i <= 1010; i++) {
		snprintf(line, sizeof line, "set seed=%d", i);
		free(session_do(session, line));
		free(session_do(session, "undo"));
	}
	struct bw_point points[1011];
	bw_session_points(session, points);
	int remembered = 0;
	for (int i = 1; i <= 1010; i++)
		remembered += points[i].line != NULL;
	assert_int_equal(remembered, 1000);
	assert_null(points[10].line);
	assert_string_equal(points[11].line, "set seed=11");
	struct bw_error error;
	session_refuses(session, "jump 10", &error);
	free(session_do(session, "jump 11"));
	assert_int_equal(session->options.seed, 11);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_point_is_jumped_to), cmocka_unit_test(a_conflict_moves_its_bookmarks),
		cmocka_unit_test(branches_are_saved),
		cmocka_unit_test(points_that_are_none_are_passed_over),
		cmocka_unit_test(the_history_is_bounded),
		cmocka_unit_test(undo_and_redo_restore_exactly),
		cmocka_unit_test(what_is_forgotten_is_found_again),
		cmocka_unit_test(what_is_remembered_keeps_its_limit),
		cmocka_unit_test(conflicts_change_nothing),
		cmocka_unit_test(conflicts_name_what_is_held),
		cmocka_unit_test(a_scheduler_names_what_it_replaces),
		cmocka_unit_test(conflicts_in_haste_change_nothing),
		cmocka_unit_test(a_conflict_does_not_stop_a_run),
		cmocka_unit_test(a_stop_leaves_what_was_done),
		cmocka_unit_test(sessions_come_back_from_files),
		cmocka_unit_test(schedules_come_back_from_files),
		cmocka_unit_test(derived_funcs_are_refused),
		cmocka_unit_test(scripts_stop_at_their_first_error),
		cmocka_unit_test(scripts_that_run_themselves_end),
		cmocka_unit_test(what_cannot_be_loaded_leaves_the_old_session),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
