/* What keys and commands do to views: where the cursor goes, what is listed and in which order, what is said. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/say.h"
#include "made.h"
#include "command/film.h"
#include "session/lens.h"
#include "session/measure.h"
#include "ui/print.h"

static void keys_are_commands(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	int end = made->session->cursor;
	/* At the end Enter opens the decision of the selected Func, of an output its tiling; a decision opens as it ended, the first one too. */
	made_run(made, "select func Ix");
	made_press(made, BW_KEY_ENTER);
	assert_int_equal(made->session->cursor, 18);
	assert_string_equal(made->session->view, "decision");
	made_run(made, "run end");
	char *text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, " options enumerated, "));
	free(text);
	made_run(made, "run 0");
	text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, "→[kept 1]"));
	free(text);
	made_run(made, "view main");
	made_run(made, "run end");
	made_run(made, "select func output");
	made_press(made, BW_KEY_ENTER);
	assert_int_equal(made->session->cursor, 1);
	made_run(made, "view main");
	made_run(made, "run end");
	made_press(made, BW_KEY_BACKSPACE);
	assert_true(made->session->cursor < end);
	made_press(made, 'j');
	assert_int_equal(made->session->selection.state, 1);
	made_press(made, 'G');
	assert_int_equal(made->session->selection.state, made->session->options.beam - 1);
	made_press(made, 'g');
	assert_int_equal(made->session->selection.state, 0);
	/* The options are there once they have been drawn. */
	free(made_draw(made, 100, 30));
	made_press(made, BW_KEY_BACKTAB);
	assert_int_equal(made->screen->focus, BW_SHEET_OPTIONS);
	assert_true(made->session->selection.option >= 0);
	made_press(made, '?');
	assert_string_equal(made->session->view, "help");
	made_press(made, 'q');
	assert_string_equal(made->session->view, "main");
	made_press(made, '{');
	assert_int_equal(made->session->cursor, 0);
	made_press(made, '}');
	assert_int_equal(made->session->cursor, end);
	assert_false(made->session->quit);
	made_press(made, 'q');
	assert_true(made->session->quit);
	made_free(made);
}

/* What waits for options comes to the same screen as what does not: answers are shown, the tour goes on. */
static void waiting_lines_are_answered(void **state)
{
	static const char keys[] = "waT{]wx";
	char *texts[2];
	for (int waits = 0; waits < 2; waits++) {
		struct made *made = made_new("harris", "A100", false);
		if (waits)
			bw_screen_never_waits(made->screen, 0);
		made_run(made, "set beam=4");
		made_run(made, "run Ix.where");
		struct bw_text all = {0};
		for (const char *key = keys; *key; key++) {
			made_press(made, (uint32_t)*key);
			bw_text_printf(&all, "%c at %d, tour %d: %s: %s\n", *key, made->session->cursor, made->screen->tour.step, made->screen->answer.title, bw_text_get(&made->screen->answer.text));
		}
		char *text = made_draw(made, 100, 40);
		made_without_times(text);
		bw_text_puts(&all, text);
		free(text);
		assert_int_equal(made->session->n_journal, 3);
		texts[waits] = bw_text_take(&all);
		made_free(made);
	}
	assert_string_equal(texts[1], texts[0]);
	free(texts[0]);
	free(texts[1]);
}

static void the_tour_waits_for_each_step(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	made_press(made, 'T');
	assert_int_equal(made->screen->tour.step, 1);
	made_press(made, 'w');
	assert_int_equal(made->screen->tour.step, 1);
	for (int i = 0; i < 26 && made->screen->tour.step == 1; i++)
		made_press(made, BW_KEY_BACKSPACE);
	assert_int_equal(made->screen->tour.step, 2);
	assert_true(made->session->cursor > 0);
	made_press(made, 'w');
	assert_int_equal(made->screen->tour.step, 3);
	made_press(made, BW_KEY_BACKTAB);
	made_press(made, 'a');
	assert_int_equal(made->screen->tour.step, 4);
	assert_int_equal(made->session->n_journal, 1);
	char *text = made_draw(made, 80, 24);
	assert_non_null(strstr(text, "TOUR: done"));
	free(text);
	made_press(made, BW_KEY_ESCAPE);
	assert_int_equal(made->screen->tour.step, 0);
	made_free(made);
}

/* In the nest of mat_mul b_im stands in the update of product, and that in output: Down goes from rows to rows, those
 * behind what is computed inside among them, and Up goes back. */
static void down_goes_through_the_nest(void **state)
{
	static const char *const rows[] = {"output", "product", "b_im", "product", "output"};
	struct made *made = made_new("mat_mul", "A100", false);
	made_run(made, "set beam=4");
	made_run(made, "run end");
	made_run(made, "view nest");
	made_run(made, "select func output");
	for (int i = 1; i < 10; i++) {
		const char *expected = rows[i < 5 ? i : 8 - i < 0 ? 0 : 8 - i];
		free(made_draw(made, 80, 24));
		made_press(made, i < 5 ? 'j' : 'k');
		free(made_draw(made, 80, 24));
		assert_string_equal(made->session->pipeline->funcs[made->session->selection.func].name, expected);
	}
	made_free(made);
}

/* A Func, its kernel and a group of Funcs have shares of their own: each says which it is. What is held says what it costs. */
static void shares_say_of_what(void **state)
{
	struct made *made = made_new("local_laplacian", "A100", false);
	made_run(made, "set beam=2");
	made_run(made, "run end");
	made_run(made, "view start");
	char *text = made_draw(made, 80, 24);
	assert_non_null(strstr(text, " more kernels "));
	free(text);
	made_run(made, "view stages");
	text = made_draw(made, 80, 40);
	assert_non_null(strstr(text, "Func, +group "));
	free(text);
	struct bw_text why = {0};
	assert_true(bw_session_run(made->session, "why remapped0_half", &why, NULL));
	assert_non_null(strstr(bw_text_get(&why), "% of all, its kernel remapped1 "));
	bw_text_free(&why);
	made_free(made);
}

static void holding_says_what_it_costs(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "set beam=4");
	made_run(made, "run end");
	made_run(made, "freeze Iy root");
	assert_non_null(strstr(made->session->message, " ms, was 0.0735, +"));
	assert_non_null(strstr(made->session->message, ": freeze Iy root"));
	assert_null(strstr(made->session->message, "though"));
	made_run(made, "select func Iy");
	made_run(made, "view override");
	char *text = made_draw(made, 132, 40);
	assert_non_null(strstr(text, "betters the best as held"));
	free(text);
	made_run(made, "undo");
	text = made_draw(made, 132, 40);
	assert_null(strstr(text, " as held"));
	free(text);
	made_run(made, "select func output");
	made_run(made, "freeze");
	assert_non_null(strstr(made->session->message, "0.0735 ms, as before: freeze output root"));
	made_run(made, "undo");
	/* Held as it is, a Func can lead a wider search past the best, which keeps to the hold. */
	made_run(made, "set beam=32");
	made_run(made, "run end");
	made_run(made, "freeze");
	assert_non_null(strstr(made->session->message, "%, though the best before keeps to it: freeze output root"));
	made_run(made, "undo");
	made_run(made, "set beam=4");
	made_run(made, "run end");
	/* Two schedules that were state 1 when they were timed are told apart. */
	struct bw_timing timings[2], *before = made->session->timings;
	for (int i = 0; i < 2; i++)
		timings[i] = (struct bw_timing){.label = "state 1", .phase = BW_JOB_DONE, .schedule = i ? 0xfedcba0987654321 : 0x1234567890abcdef,
						.measurement = {.verdict = BW_RIGHT, .minimum = 1, .median = 1, .device = "a GPU", .method = "by hand"}};
	made_run(made, "view timings");
	made->session->timings = timings;
	made->session->n_timings = 2;
	struct bw_text both = {0}, one = {0};
	bw_print_view(made->session, "timings", &both);
	assert_true(strstr(bw_text_get(&both), "state 1 1234") && strstr(bw_text_get(&both), "state 1 fedc"));
	made->session->n_timings = 1;
	bw_print_view(made->session, "timings", &one);
	assert_true(strstr(bw_text_get(&one), "state 1 ") && !strstr(bw_text_get(&one), "1234"));
	bw_text_free(&both);
	bw_text_free(&one);
	made->session->timings = before;
	made->session->n_timings = 0;
	made_free(made);
}

/* The statistics: their figures are those of the search; a row is a decision, and selecting it goes there. */
static void statistics_are_those_of_the_search(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	char expected[64];
	made_run(made, "set cost_model=roofline");
	made_run(made, "set freezing=off");
	made_run(made, "set passes=2");
	made_run(made, "run end");
	made_run(made, "freeze Iyy inline");
	made_press(made, 'S');
	struct bw_search_totals totals = bw_search_totals(made->session->search);
	char *text = made_draw(made, 100, 120);
	snprintf(expected, sizeof expected, "%s states evaluated in ", bw_say_count((double)totals.evaluated).text);
	assert_non_null(strstr(text, expected));
	snprintf(expected, sizeof expected, "%s whole schedules costed", bw_say_count((double)totals.complete).text);
	assert_non_null(strstr(text, expected));
	snprintf(expected, sizeof expected, " unrolled extent %14s ", bw_say_count((double)totals.pruned[BW_RULE_UNROLLED]).text);
	assert_non_null(strstr(text, expected));
	snprintf(expected, sizeof expected, " all %24s", bw_say_count((double)totals.enumerated).text);
	assert_non_null(strstr(text, expected));
	assert_non_null(strstr(text, "  frozen by hand 1:\n   Iyy inline\n"));
	assert_null(strstr(text, "↑"));
	free(text);
	/* The first row is the decision that took the most time; the last the least. */
	double most = 0;
	for (int i = 0; i < bw_search_n_decisions(made->session->search); i++)
		most = bw_search_decision(made->session->search, i)->seconds > most ? bw_search_decision(made->session->search, i)->seconds : most;
	const int end = made->session->cursor;
	made_press(made, 'g');
	assert_true(bw_search_decision(made->session->search, bw_session_listed(made->session))->seconds == most);
	made_press(made, 'G');
	assert_true(bw_search_decision(made->session->search, bw_session_listed(made->session))->seconds < most);
	/* Reading a list moves nothing else: neither the search nor what is seen of it behind the list. */
	assert_int_equal(made->session->cursor, end);
	free(made_draw(made, 100, 30));
	assert_true(made->screen->first[BW_SHEET_STATISTICS] > 0);
	made_press(made, 'g');
	free(made_draw(made, 100, 30));
	assert_int_equal(made->screen->first[BW_SHEET_STATISTICS], 0);
	made_press(made, 'j');
	const int listed = bw_session_listed(made->session);
	made_press(made, BW_KEY_ENTER);
	assert_string_equal(made->session->view, "decision");
	assert_true(made->session->cursor == listed && listed < end);
	/* Of the list of decisions that mattered, too; its picture is of the one that is selected. */
	made_run(made, "run end");
	made_press(made, 'B');
	made_press(made, 'g');
	text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, "  0  output.where"));
	assert_int_equal(made->session->cursor, end);
	free(text);
	made_press(made, 'q');
	assert_int_equal(made->session->cursor, end);
	made_free(made);
}

/* Keys of the decision view are its commands. */
static void a_decision_is_replayed_by_keys(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	made_run(made, "run Ix.where");
	made_press(made, 'd');
	int cursor = made->session->cursor;
	for (int stage = BW_REPLAY_KEPT; stage > 0; stage--) {
		assert_int_equal(bw_session_replay(made->session), stage);
		made_press(made, BW_KEY_LEFT);
	}
	made_press(made, BW_KEY_RIGHT);
	assert_int_equal(bw_session_replay(made->session), BW_REPLAY_LEGAL);
	assert_int_equal(made->session->cursor, cursor);
	made_press(made, 'l');
	/* Up from the first option is the head of its bucket; Enter folds that, and its options are passed over. */
	made_press(made, 'g');
	assert_int_equal(made->session->selection.group, BW_GROUP_BUCKETS);
	made_press(made, BW_KEY_ENTER);
	assert_true(bw_session_folded(made->session, BW_GROUP_BUCKETS));
	made_press(made, 'j');
	assert_int_equal(made->session->selection.group, BW_GROUP_BUCKETS + 1);
	made_press(made, 'k');
	made_press(made, 'z');
	assert_false(bw_session_folded(made->session, BW_GROUP_BUCKETS));
	made_press(made, 'j');
	assert_true(made->session->selection.option >= 0);
	made_press(made, 'z');
	assert_int_equal(made->session->selection.group, BW_GROUP_BUCKETS);
	made_press(made, BW_KEY_SPACE);
	assert_true(made->session->cursor > cursor);
	made_free(made);
}

/* Lines that are refused, and all of what is said: at 40x12 too, where it takes several rows. */
static void what_is_refused_is_said_in_full(void **state)
{
	static const char *const cases[][2] = {
		{"step 1 2", "step takes decision, func, pass, option or a number of decisions from 1 on, not \"1 2\""},
		{"freeze Ix at output.blck 1x2", "column 7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output.blck\""},
		{"screenshot a.png", "screenshot takes FILE.txt or FILE.svg, not \"a.png\""},
	};
	struct made *made = made_new("harris", "A100", false);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_false(bw_session_run(made->session, cases[i][0], NULL, NULL));
		assert_string_equal(made->session->message, cases[i][1]);
		char *text = made_draw(made, 40, 12), word[64];
		for (const char *at = cases[i][1]; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
			snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
			assert_non_null(strstr(text, word));
		}
		free(text);
		for (int size = 1; size < 12; size++)
			free(made_draw(made, 2 * size - 1, size));
	}
	made_free(made);
}

static bool shows(struct made *made, const char *words)
{
	char *text = made_draw(made, 80, 24);
	bool found = strstr(text, words) != NULL;
	free(text);
	return found;
}

/* The most expensive stage stands first, and is the first row of a long list; other orders on demand. */
static void stages_are_sorted(void **state)
{
	struct made *made = made_new("local_laplacian", "A100", false);
	made_run(made, "set beam=4");
	made_run(made, "run end");
	const struct bw_cost *cost = bw_session_cost(made->session);
	const struct bw_pipeline *pipeline = made->session->pipeline;
	const char *costliest = NULL, *first = NULL;
	double most = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		double sum = 0;
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			sum += cost->stages[pipeline->funcs[f].first_stage + s].ms;
		if (sum > most) {
			most = sum;
			costliest = pipeline->funcs[f].name;
		}
		if (!pipeline->funcs[f].input && (!first || strcmp(pipeline->funcs[f].name, first) < 0))
			first = pipeline->funcs[f].name;
	}
	made_run(made, "unfold stages");
	const char *const names[] = {costliest, first, "output"};
	for (int i = 0; i < 3; i++) {
		char *text = made_draw(made, 150, 40), *at = strstr(strstr(text, "Func "), "\n");
		at += strspn(at, "\n *");
		at += strncmp(at, "▸", 3) ? 0 : 4;
		if (strncmp(at, names[i], strlen(names[i])))
			fail_msg("%s is not first in %.200s", names[i], at);
		free(text);
		made_press(made, 'o');
	}
	made_run(made, "fold stages");
	made_run(made, "select gray3");
	made_run(made, "sort name");
	assert_true(shows(made, "+gray* 8"));
	assert_false(shows(made, "gray4"));
	made_press(made, 'z');
	assert_true(shows(made, "gray4"));
	made_press(made, 'z');
	assert_false(shows(made, "gray4"));
	made_run(made, "sort cost");
	assert_int_equal(made->session->sort, BW_SORT_COST);
	made_free(made);
}

/* Text is read page by page with the key that else steps; keys without a meaning say so; help and the list of views go back to where they were
 * opened, one in the other, too. */
static void the_help_is_read_in_pages(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run 4");
	made_press(made, 'd');
	made_press(made, '?');
	char *text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, "WHAT THE VIEW decision SHOWS"));
	free(text);
	made_press(made, BW_KEY_SPACE);
	assert_int_equal(made->session->cursor, 4);
	assert_int_equal(made->screen->first[BW_SHEET_HELP], 23);
	made_press(made, BW_KEY_BACKSPACE);
	assert_int_equal(made->screen->first[BW_SHEET_HELP], 0);
	made_press(made, 'v');
	made_press(made, 'q');
	assert_string_equal(made->session->view, "help");
	made_press(made, 'q');
	assert_string_equal(made->session->view, "decision");
	static const char *const back[] = {"views", "decision", "main"};
	made_press(made, 'v');
	made_press(made, '?');
	text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, "WHAT THE VIEW views SHOWS"));
	free(text);
	for (size_t i = 0; i < sizeof back / sizeof *back; i++) {
		made_press(made, 'q');
		assert_string_equal(made->session->view, back[i]);
	}
	assert_false(made->session->quit);
	bw_screen_unknown_key(made->screen, (struct bw_key){.code = 'Z'});
	text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, " Z does nothing here; ? lists the keys"));
	free(text);
	made_free(made);
}

/* The list of views is a menu: it begins at the view that it was opened from, the keys that move go through it, and Enter shows the selected
 * view. Each view but a pane has a key. */
static void views_are_chosen_from_a_menu(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	made_run(made, "view roofline");
	made_press(made, 'v');
	free(made_draw(made, 80, 24));
	made_press(made, BW_KEY_DOWN);
	made_press(made, BW_KEY_ENTER);
	assert_string_equal(made->session->view, "search");
	made_press(made, 'v');
	made_press(made, 'g');
	made_press(made, BW_KEY_ENTER);
	assert_string_equal(made->session->view, "main");
	made_run(made, "view views");
	char *text = made_draw(made, 160, 60);
	for (int i = 0; i < n; i++) {
		char row[64];
		snprintf(row, sizeof row, "  %-10s%-12s", "", infos[i].name);
		assert_non_null(strstr(text, infos[i].name));
		assert_null(strstr(text, row));
	}
	free(text);
	made_free(made);
}

/* `/` goes on from one pane into the next, and back around to the first; N goes the other way. */
static void the_search_goes_through_the_panes(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	struct bw_screen *screen = made->screen;
	made_run(made, "run end");
	made_run(made, "view main");
	free(made_draw(made, 160, 40));
	strcpy(screen->pattern, "input_im");
	bw_screen_search(screen, 1);
	assert_int_not_equal(screen->focus, BW_SHEET_BEAM);
	assert_string_equal(screen->notice, "");
	bw_screen_search(screen, -1);
	assert_int_equal(screen->focus, BW_SHEET_BEAM);
	strcpy(screen->pattern, "Ix");
	bw_screen_find(screen);
	assert_string_equal(made->session->pipeline->funcs[made->session->selection.func].name, "Ix");
	assert_int_equal(screen->focus, BW_SHEET_STAGES);
	screen->focus = BW_SHEET_BEAM;
	made_run(made, "filter Ix");
	strcpy(screen->pattern, "Syy");
	bw_screen_find(screen);
	assert_string_equal(made->session->pipeline->funcs[made->session->selection.func].name, "Syy");
	strcpy(screen->pattern, "no such text");
	bw_screen_find(screen);
	assert_string_equal(screen->notice, "nothing here has \"no such text\"");
	assert_int_equal(screen->focus, BW_SHEET_BEAM);
	made_free(made);
}

/* Enter on a Func goes to that of its decisions which mattered more, once that is known: the taller bar of its two. */
static void enter_goes_to_the_taller_bar(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	const struct bw_search *search = made->session->search;
	int y = bw_pipeline_find(made->session->pipeline, "Y");
	for (int known = 0; known < 2; known++) {
		made_run(made, "run end");
		made_run(made, known ? "view --json search" : "view main");
		made_run(made, "view main");
		made_run(made, "select func Y");
		made_press(made, BW_KEY_ENTER);
		assert_string_equal(made->session->view, "decision");
		assert_int_equal(made->session->cursor, bw_search_find(search, y, known ? BW_PHASE_TILE : BW_PHASE_WHERE, 1));
	}
	made_free(made);
}

/* Panes that there is no room for are counted, with the key that leads to them. */
static void hidden_panes_are_told_of(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	char *text = made_draw(made, 60, 20);
	assert_non_null(strstr(text, " Space  Bksp  r  v  w  a  f  Tab 2 more panes  :  ? help  q"));
	assert_null(strstr(text, "STAGES of"));
	free(text);
	made_free(made);
}

/* The figures of a measurement and the longest verdict stand whole on a narrow screen. */
static void timings_are_whole(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	struct bw_timing timing = {.label = bw_strdup("state 1 at 24"), .predicted = 0.0562, .phase = BW_JOB_DONE};
	timing.measurement = (struct bw_measurement){.verdict = BW_RIGHT_WITHIN_BOUND, .minimum = 60.59, .median = 68.71, .spread = 0.045,
								  .device = "a GPU", .method = "by hand"};
	struct bw_timing *before = made->session->timings;
	made_run(made, "view timings");
	made->session->timings = &timing;
	made->session->n_timings = 1;
	for (int columns = 60, x, y; columns <= 120; columns += 20) {
		BW_SCOPED_TEXT text = {0};
		made->screen->columns = columns;
		made->screen->rows = 20;
		bw_screen_draw(made->screen, &made->grid, &x, &y);
		bw_grid_text(&made->grid, &text);
		assert_non_null(strstr(bw_text_get(&text), "60.59     68.71    4.5%   right within bound"));
	}
	made->session->timings = before;
	made->session->n_timings = 0;
	free(timing.label);
	made_free(made);
}

/* In 80 columns the line of keys has every key of its view, if need be without its word. */
static void words_go_before_keys(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	int n, n_keys;
	const struct bw_view_info *infos = bw_view_infos(&n);
	made_run(made, "run end");
	for (int i = 0; i < n; i++) {
		snprintf(made->session->view, sizeof made->session->view, "%s", infos[i].kind == BW_VIEW_PANE ? "main" : infos[i].name);
		const struct bw_view_key *keys = bw_view_keys(made->session->view, &n_keys);
		char *text = made_draw(made, 80, 24), *line = strrchr(text, '\n');
		*line = 0;
		line = strrchr(text, '\n') + 1;
		for (int k = 0; k < n_keys; k++) {
			char key[BW_KEY_NAME_SIZE], shown[BW_KEY_NAME_SIZE + 1];
			bw_key_of(NULL, keys[k].command, key);
			snprintf(shown, sizeof shown, " %s", key);
			if (!strstr(line, shown))
				fail_msg("%s has no key %s: %s", made->session->view, key, line);
		}
		free(text);
	}
	made_free(made);
}

/* A film plays by itself, pauses, goes by decisions, and ends with any other key, which does nothing else. */
static void a_film_plays(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, "run end");
	made_press(made, 'B');
	made_press(made, BW_KEY_SPACE);
	assert_true(shows(made, "decision 1 of 26") && shows(made, "2 a second"));
	for (int i = 0; i < 5; i++)
		made_press(made, '+');
	assert_true(bw_session_film(made->session)->rate == 32);
	for (int i = 0; i < 400 && bw_session_film(made->session)->shown < 4; i++) {
		usleep(10000);
		bw_session_work(made->session, 0.001);
	}
	assert_true(bw_session_film(made->session)->shown >= 4 && bw_session_film(made->session)->plays);
	made_press(made, BW_KEY_SPACE);
	assert_true(!bw_session_film(made->session)->plays && shows(made, "paused"));
	int at = bw_session_film(made->session)->shown;
	made_press(made, BW_KEY_RIGHT);
	made_press(made, BW_KEY_RIGHT);
	made_press(made, BW_KEY_LEFT);
	assert_int_equal(bw_session_film(made->session)->shown, at + 1);
	int journal = made->session->n_journal;
	made_press(made, 'F');
	assert_null(bw_session_film(made->session));
	assert_true(made->session->n_journal == journal && shows(made, "how the best came about"));
	/* Another search has no film of the one before; another view ends it. */
	made_press(made, BW_KEY_SPACE);
	made_run(made, "set beam=4");
	assert_null(bw_session_film(made->session));
	made_free(made);
}

/* No key is named twice in the line of keys, also while a film runs beside a search, where the key that stops ends the film. */
static void a_key_is_named_once(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	struct bw_error error;
	made_run(made, "run Ix.where");
	made_run(made, "view search");
	made_run(made, "play");
	assert_true(bw_session_run(made->session, "run end", NULL, &error) && made->session->target >= 0);
	assert_non_null(bw_session_film(made->session));
	char *text = made_draw(made, 80, 24), *keys = text;
	for (char *at = text; (at = strchr(at, '\n')) && at[1]; at++)
		keys = at + 1;
	char *first = strstr(keys, "Esc ");
	assert_non_null(first);
	assert_null(strstr(first + 1, "Esc "));
	free(text);
	made_free(made);
}

/* What does not fit is turned page by page by the keys of `step` and `back`, which do nothing else meanwhile; past its end it closes. */
static void long_answers_are_paged(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, "run end");
	int cursor = made->session->cursor, pages = 0;
	made_press(made, BW_KEY_BACKSPACE);
	assert_true(made->session->cursor < cursor);
	made_run(made, "run end");
	made_run(made, "why best");
	bw_screen_run(made->screen, "why best");
	assert_true(shows(made, "Space next page, Esc closes") && shows(made, "decided at "));
	made_press(made, BW_KEY_SPACE);
	assert_false(shows(made, "decided at "));
	made_press(made, BW_KEY_BACKSPACE);
	assert_true(shows(made, "decided at ") && made->session->cursor == cursor);
	for (; made->screen->answer.text.length && pages < 20; pages++) {
		made_press(made, BW_KEY_SPACE);
		shows(made, "");
	}
	assert_true(pages > 1 && pages < 20 && made->session->cursor == cursor);
	/* What fits closes at any key, which does what it always does. */
	bw_screen_run(made->screen, "why best");
	free(made_draw(made, 200, 200));
	made_press(made, BW_KEY_BACKSPACE);
	assert_true(!made->screen->answer.text.length && made->session->cursor < cursor);
	made_free(made);
}

/* A compiled schedule that spills is marked wherever its cost stands: in the beam, over the stages and at the kernel. */
static void spills_mark_the_cost(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, "run end");
	const struct bw_nest *nest = bw_session_state(made->session)->nest;
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	for (int stores = 0; stores < 2; stores++) {
		struct bw_timing timing = bw_session_timing(made->session, nest, schedule, "state 1", BW_TO_ASSEMBLE);
		timing.phase = BW_JOB_DONE;
		timing.measurement.kernels = (struct bw_kernel_uses){.n = 1, .register_limit = bw_settings_registers(&made->session->options)};
		timing.measurement.kernels.list[0] = (struct bw_kernel_use){.name = "_kernel_output_s0_y_", .registers = 64, .spill_stores = 84 * stores, .spill_loads = 84 * stores};
		bw_jobs_append(made->session, &timing);
		char *text = made_draw(made, 80, 24);
		assert_int_equal(strstr(text, "0.0638!  ") != NULL, stores);
		assert_int_equal(strstr(text, "0.0638! ms") != NULL, stores);
		assert_int_equal(strstr(text, "SPILLS 84 B a thread") != NULL, stores);
		free(text);
	}
	bw_schedule_drop(schedule);
	made_free(made);
}

/* The rows of the beam that differ from the best by sizes alone are told apart in 80 columns, too. */
static void rows_of_the_beam_differ(void **state)
{
	static const char *const pipelines[] = {"two_stencils", "blur", "harris"};
	for (size_t p = 0; p < sizeof pipelines / sizeof *pipelines; p++) {
		struct made *made = made_new(pipelines[p], "A100", true);
		made_run(made, "run end");
		for (int position = 2; position <= bw_search_n_decisions(made->session->search); position += 2) {
			char line[32], rows[32][24];
			int n = 0;
			snprintf(line, sizeof line, "run %d", position);
			made_run(made, line);
			char *text = made_draw(made, 80, 24);
			for (char *at = strstr(text, "told apart by"); n < 5 && (at = strchr(at, '\n')); at++)
				snprintf(rows[n++], sizeof rows[0], "%.18s", at + 19);
			for (int i = 1; i < n; i++)
				for (int k = 0; k < i; k++)
					if (strchr(rows[i] + 8, '~') && !strcmp(rows[i], rows[k]))
						fail_msg("%s at %d: rows %d and %d are \"%s\"", pipelines[p], position, k + 1, i + 1, rows[i]);
			free(text);
		}
		made_free(made);
	}
}

/* Each letter of line 3 at 80 columns is explained on the same screen, and the marks of it and of the panes; a message takes the row. */
static void marks_are_explained_where_they_stand(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, "run end");
	made->session->message[0] = 0;
	char *text = made_draw(made, 80, 24), *letters = strstr(text, "state 1"), *legend = strstr(text, "K kernel b block t thread s serial i inline");
	assert_non_null(legend);
	assert_non_null(strstr(legend, "* changed"));
	assert_non_null(strstr(legend, "~ tie"));
	for (letters += strlen("state 1"); strncmp(letters, "beam", 4); letters++) {
		char explained[4];
		snprintf(explained, sizeof explained, "%c ", *letters);
		if (isalpha((unsigned char)*letters))
			assert_non_null(strstr(legend, explained));
	}
	free(text);
	made_run(made, "set beam=4");
	assert_false(shows(made, "K kernel b block"));
	made_free(made);
}

/* What to try stands whole in the roofline at 80x24, before the figures of the occupancy. */
static void advice_is_whole_on_a_small_screen(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, "run end");
	made_run(made, "view roofline");
	char *text = made_draw(made, 80, 24), *bound = strstr(text, "bound by arithmetic: "), *advice = strstr(text, "tried: Iy at output.block"), *end = strstr(text, "nothing cheaper was found");
	assert_true(bound && advice && end && bound < advice && advice < end && end < strstr(text, "occupancy 56%"));
	free(text);
	made_free(made);
}

/* Rows below the last one that can be selected are scrolled to, and the next command shows the selection again. */
static void rows_below_the_selection_are_reached(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, "run end");
	made_run(made, "view history");
	assert_true(shows(made, "the beginning"));
	assert_false(shows(made, "polished by "));
	for (int i = 0; i < 3; i++) {
		made_press(made, BW_KEY_DOWN);
		shows(made, "");
	}
	assert_true(shows(made, "polished by "));
	made_press(made, BW_KEY_UP);
	assert_false(shows(made, "polished by "));
	made_press(made, 'G');
	made_press(made, 'G');
	assert_true(shows(made, "polished by "));
	made_run(made, "sort name");
	assert_true(shows(made, "the beginning"));
	made_free(made);
}

/* Presses a key of the lens until it says that this is the end. Returns the number of moves: each changes the block in one direction, always to
 * larger sizes or always to smaller ones, and what cannot be is drawn with its reason. */
static int move_edge(struct made *made, uint32_t key, int axis, bool larger, int *impossible)
{
	int steps = 0;
	int64_t before[2];
	for (;; steps++) {
		struct bw_text words = {0};
		struct bw_error error;
		made_press(made, key);
		if (made->session->message_is_error)
			return steps;
		const struct bw_lens *lens = bw_session_lens(made->session);
		assert_true(lens && steps < 64);
		const int64_t *sizes = lens->moved.sizes, *from = steps ? before : lens->now.sizes;
		assert_true(larger ? sizes[axis] > from[axis] : sizes[axis] < from[axis]);
		assert_true(sizes[!axis] == from[!axis]);
		memcpy(before, sizes, sizeof before);
		assert_true(bw_session_run(made->session, "why", &words, &error));
		assert_non_null(strstr(bw_text_get(&words), " in place of "));
		assert_non_null(strstr(bw_text_get(&words), lens->moved.cost > 0 ? "  the whole would cost " : "  cannot be: "));
		assert_int_equal(shows(made, "cannot be: "), !(lens->moved.cost > 0));
		*impossible += !(lens->moved.cost > 0);
		bw_text_free(&words);
	}
}

/* In the tile's view the arrows move the edges of the kernel's block, whichever of its Funcs is selected, up to the ends; Esc shows it as it is,
 * Enter holds it. */
static void edges_of_a_block_move(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, HARRIS_TILED);
	made_run(made, "run end");
	made_run(made, "select func Ix");
	made_press(made, 'b');
	int impossible = 0;
	/* 32 to 1536 points: 32, 64, 96, 128, 192 ... of 32 threads. */
	assert_int_equal(move_edge(made, BW_KEY_RIGHT, 0, true, &impossible), 10);
	assert_true(impossible > 0 && shows(made, "a block of output has all points in x: it cannot be larger"));
	made_press(made, BW_KEY_ESCAPE);
	assert_null(bw_session_lens(made->session));
	assert_true(shows(made, "Ix  at output"));
	/* 24, 16, 12, 8, 6, 4, 3, 2 and 1. */
	assert_int_equal(move_edge(made, BW_KEY_LEFT, 0, false, &impossible), 9);
	assert_true(shows(made, "a block of output is one point in x: it cannot be smaller"));
	made_press(made, BW_KEY_ESCAPE);
	assert_true(move_edge(made, BW_KEY_DOWN, 1, true, &impossible) > 8);
	made_press(made, BW_KEY_ESCAPE);
	assert_true(move_edge(made, BW_KEY_UP, 1, false, &impossible) > 4);
	made_press(made, BW_KEY_ESCAPE);
	made_press(made, BW_KEY_TAB);
	assert_string_equal(made->session->pipeline->funcs[made->session->selection.func].name, "Iy");
	made_press(made, BW_KEY_UP);
	made_press(made, BW_KEY_ENTER);
	assert_string_equal(made->session->message_is_error ? made->session->message : "", "");
	assert_non_null(strstr(made->session->journal[made->session->n_journal - 1].line, "override output root "));
	made_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_commands),
		cmocka_unit_test(stages_are_sorted),
		cmocka_unit_test(the_help_is_read_in_pages),
		cmocka_unit_test(views_are_chosen_from_a_menu),
		cmocka_unit_test(the_search_goes_through_the_panes),
		cmocka_unit_test(enter_goes_to_the_taller_bar),
		cmocka_unit_test(hidden_panes_are_told_of),
		cmocka_unit_test(timings_are_whole), cmocka_unit_test(shares_say_of_what), cmocka_unit_test(down_goes_through_the_nest), cmocka_unit_test(holding_says_what_it_costs),
		cmocka_unit_test(words_go_before_keys),
		cmocka_unit_test(rows_below_the_selection_are_reached),
		cmocka_unit_test(edges_of_a_block_move), cmocka_unit_test(a_film_plays), cmocka_unit_test(a_key_is_named_once), cmocka_unit_test(advice_is_whole_on_a_small_screen), cmocka_unit_test(marks_are_explained_where_they_stand),
		cmocka_unit_test(long_answers_are_paged), cmocka_unit_test(spills_mark_the_cost), cmocka_unit_test(rows_of_the_beam_differ),
		cmocka_unit_test(waiting_lines_are_answered),
		cmocka_unit_test(the_tour_waits_for_each_step),
		cmocka_unit_test(statistics_are_those_of_the_search),
		cmocka_unit_test(a_decision_is_replayed_by_keys),
		cmocka_unit_test(what_is_refused_is_said_in_full),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}
