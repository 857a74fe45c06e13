/* What one schedule is beside another: compare, alternatives, what if. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/hash.h"
#include "cost/cost.h"
#include "session/alternatives.h"
#include "session/comparison.h"
#include "session/counters.h"
#include "session/measure.h"
#include "session_test.h"

/* Costs on both sides are those of the states, their terms add up to them, and what differs is told. */
static void schedules_are_compared(void **state)
{
	struct bw_session *session = session_open();
	free(session_do(session, "freeze {output root 1x2/32x8 | input_im inline}"));
	free(session_do(session, "run"));
	const struct bw_state *const *states;
	assert_true(bw_search_beam(session->search, session->cursor, &states) > 1);
	char *said = session_do(session, "compare 2 1");
	struct bw_text expected = {0};
	bw_text_printf(&expected, "state 2 %.4g ms, state 1 %.4g, %s; 1 of 3 Funcs differ: blur_x\n", states[1]->cost, states[0]->cost, bw_change_of(session->options.model, states[1]->cost, states[0]->cost).text);
	assert_string_equal(said, bw_text_get(&expected));
	assert_string_equal(session->view, "compare");
	const struct bw_comparison *comparison = bw_session_comparison(session);
	for (int i = 0; i < 2; i++) {
		double all = 0, terms[BW_MOST_TERMS];
		bw_cost_terms(session->pipeline, &comparison->costs[i], -1, terms);
		for (int t = 0; t < BW_MOST_TERMS; t++)
			all += terms[t];
		assert_ptr_equal(comparison->nests[i], states[1 - i]->nest);
		assert_true(all > 0.999999 * states[1 - i]->cost && all < 1.000001 * states[1 - i]->cost);
	}
	assert_true(bw_comparison_same(comparison, bw_pipeline_find(session->pipeline, "output")));
	assert_false(bw_comparison_same(comparison, bw_pipeline_find(session->pipeline, "blur_x")));
	free(said);
	bw_text_clear(&expected);
	/* With a schedule file: the state's own is the same. */
	bw_text_printf(&expected, "save-schedule %s", session_path("one.schedule"));
	free(session_do(session, bw_text_get(&expected)));
	bw_text_clear(&expected);
	bw_text_printf(&expected, "compare %s", session_path("one.schedule"));
	said = session_do(session, bw_text_get(&expected));
	assert_non_null(strstr(said, ", 0.0%; 0 of 3 Funcs differ\n"));
	free(said);
	bw_text_free(&expected);
	/* It stays while the search goes elsewhere, and costs follow the device. */
	free(session_do(session, "run blur_x"));
	said = session_do(session, "why #0 not #1");
	assert_non_null(strstr(said, "A1  blur_x inline: "));
	assert_non_null(strstr(said, "global load"));
	free(said);
	double before = bw_session_comparison(session)->costs[0].total;
	free(session_do(session, "set gpu=h100"));
	assert_true(bw_session_comparison(session)->costs[0].total < before);
	session_close(session);
}

/* Returns a code of one kernel with these instructions, a letter each. */
static struct bw_code *code_of(const char *letters, struct bw_arena *arena)
{
	struct bw_code *code = BW_ARENA_NEW(arena, struct bw_code);
	struct bw_code_kernel *kernel = BW_ARENA_NEW(arena, struct bw_code_kernel);
	*code = (struct bw_code){.n = 1, .kernels = kernel};
	*kernel = (struct bw_code_kernel){.n_loops = 1, .n_lines = (int)strlen(letters)};
	kernel->loops = BW_ARENA_NEW(arena, struct bw_code_loop);
	*kernel->loops = (struct bw_code_loop){.text = "kernel"};
	kernel->lines = BW_ARENA_ARRAY(arena, struct bw_code_line, kernel->n_lines + 1);
	for (int k = 0; k < kernel->n_lines; k++) {
		char *text = BW_ARENA_ARRAY(arena, char, 32);
		snprintf(text, 32, "  %c.u32 %%r%d, %%rd%d, 7;", letters[k], k, 3 * k);
		kernel->lines[k] = (struct bw_code_line){.text = text, .instruction = true};
	}
	return code;
}

/* Returns the length of the longest common subsequence. */
static int common(const char *a, const char *b)
{
	int most[64][64] = {{0}};
	for (int i = 1; a[i - 1]; i++)
		for (int j = 1; b[j - 1]; j++)
			most[i][j] = a[i - 1] == b[j - 1] ? most[i - 1][j - 1] + 1 : most[i - 1][j] > most[i][j - 1] ? most[i - 1][j] : most[i][j - 1];
	return most[strlen(a)][strlen(b)];
}

/* The difference has all lines of both sides in their order, as many equal ones as there can be, whatever their registers; what is left over on both sides has moved. */
static void code_is_compared(void **state)
{
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct bw_arena *arena = bw_arena_new();
		char sides[2][64] = {{0}};
		int same = 0, at[2] = {0}, left[2][4] = {{0}}, moved = 0, only[2] = {0};
		for (int i = 0; i < 2; i++)
			for (uint64_t k = 0, n = bw_random((uint64_t[]){seed, (uint64_t)i, 99}, 3) % 40; k < n; k++)
				sides[i][k] = "abcd"[bw_random((uint64_t[]){seed, (uint64_t)i, k}, 3) % (2 + seed % 3)];
		struct bw_code_diff diff = bw_code_diff_of(code_of(sides[0], arena), code_of(sides[1], arena), arena);
		const struct bw_diff *ptx = &diff.kernels[0].texts[BW_CODE_PTX];
		assert_int_equal(diff.n, 1);
		for (int k = 0; k < ptx->n; k++)
			for (int i = 0; i < 2; i++) {
				const struct bw_diff_line *line = &ptx->rows[k].side[i];
				if (!line->text)
					continue;
				assert_int_equal(line->text[0], sides[i][at[i]++]);
				same += ptx->rows[k].same;
				left[i][line->text[0] - 'a'] += !ptx->rows[k].same;
				only[i] += !ptx->rows[k].same && !line->moved;
			}
		for (int letter = 0; letter < 4; letter++)
			moved += left[0][letter] < left[1][letter] ? left[0][letter] : left[1][letter];
		assert_true(!sides[0][at[0]] && !sides[1][at[1]] && same == 2 * common(sides[0], sides[1]));
		assert_true(ptx->moved == moved && ptx->only[0] == only[0] && ptx->only[1] == only[1]);
		bw_arena_free(arena);
	}
	(void)state;
}

/* Each costs what the state does with the Func placed so; what it is itself comes first. */
static void alternatives_cost_what_the_state_would(void **state)
{
	static const char *const funcs[] = {"output", "blur_x"};
	struct bw_session *session = session_open();
	free(session_do(session, "freeze {output root 1x2/32x8 | blur_x at output.block 1x2}"));
	free(session_do(session, "run"));
	for (int k = 0; k < 2; k++) {
		int n, costed = 0, func = bw_pipeline_find(session->pipeline, funcs[k]), kinds[BW_N_OVERRIDES] = {0};
		session->selection.func = func;
		const struct bw_alternative *all = bw_session_alternatives(session, &n);
		assert_true(bw_session_busy(session));
		session_settle(session);
		const struct bw_nest *nest = bw_session_state(session)->nest;
		assert_ptr_equal(all[0].placement, nest->placed[func]->placement);
		assert_true(all[0].cost == bw_session_state(session)->cost);
		for (int i = 0; i < n; i++) {
			struct bw_arena *arena = bw_arena_new();
			const struct bw_placement *placements[16] = {0};
			assert_true(all[i].known);
			assert_true(all[i].cost > 0 || *all[i].reason);
			kinds[all[i].override]++;
			for (int f = 0; f < session->pipeline->n_funcs; f++)
				placements[f] = nest->placed[f] ? nest->placed[f]->placement : NULL;
			placements[func] = all[i].placement;
			struct bw_nest *with = all[i].cost > 0 ? bw_nest_build(session->pipeline, placements, session->pipeline->n_funcs, NULL) : NULL;
			if (with)
				assert_true(bw_search_cost(session->search, with, arena).total == all[i].cost);
			costed += with != NULL;
			bw_nest_drop(with);
			bw_arena_free(arena);
		}
		assert_true(costed > 8);
		/* Serial extents of the output: 1, 2, 4, 5 and 8 of 6400, 1 to 5 and 8 of 4800 (3 and 5, since they leave multiples of a warp), but for what they are. Of
		 * blur_x, 32 x 18 points of a block: 1, 2, 4, 8, and 1, 2, 4, 5, 6, 9. Threads 1 to 256 and 1 to 32 of the output. blur_x in shared memory is what it is. */
		assert_int_equal(kinds[BW_OVERRIDE_SERIAL], k ? 8 : 9);
		assert_int_equal(kinds[BW_OVERRIDE_THREAD], k ? 0 : 13);
		assert_int_equal(kinds[BW_OVERRIDE_MEMORY], k ? 1 : 0);
		assert_int_equal(kinds[BW_OVERRIDE_UNROLL], 1);
	}
	session_close(session);
}

/* A site that the other Funcs as they are rule out is refused with the reason, and what decides them anew is named; that holds it. */
static void what_cannot_be_is_refused(void **state)
{
	struct bw_session *session = session_open_on("harris", 32);
	struct bw_error error;
	struct bw_text hint = {0};
	int n, number = 0;
	free(session_do(session, "run end"));
	free(session_do(session, "select func Ix"));
	const struct bw_alternative *all = bw_session_alternatives(session, &n);
	session_settle(session);
	while (number < n && (all[number].cost > 0 || all[number].override != BW_OVERRIDE_SITE))
		number++;
	assert_true(number < n);
	bw_text_printf(&hint, "; `freeze Ix %s` decides them anew", all[number].value);
	char *reason = bw_format("as the other Funcs are, it cannot be: %s", all[number].reason), *line = bw_format("freeze Ix %s", all[number].value);
	free(session_do(session, "view override"));
	session->selection.alternative = number;
	session_refuses(session, "override", &error);
	assert_int_equal(strncmp(error.text, reason, strlen(reason)), 0);
	assert_non_null(strstr(error.text, bw_text_get(&hint)));
	assert_int_equal(session->n_journal, 0);
	free(session_do(session, line));
	assert_int_equal(session->n_journal, 1);
	free(reason);
	free(line);
	bw_text_free(&hint);
	session_close(session);
	(void)state;
}

/* What it says comes to pass when the command is given; a conflict is told, and is no error. */
static void whatif_changes_nothing(void **state)
{
	static const char *const lines[] = {"freeze blur_x root", "override output thread 16x2", "set seed=7", "reject blur_x inline", "hold except blur_x"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct bw_session *session = session_open();
		struct bw_text line = {0}, expected = {0};
		const struct bw_state *const *states;
		free(session_do(session, "run"));
		bw_search_beam(session->search, session->cursor, &states);
		double now = states[0]->cost;
		char *before = session_fingerprint(session);
		bw_text_printf(&line, "whatif %s", lines[i]);
		free(session_do(session, bw_text_get(&line)));
		char *after = session_fingerprint(session), *message = bw_strdup(session->message);
		assert_string_equal(before, after);
		assert_int_equal(session->n_journal, 0);
		free(session_do(session, lines[i]));
		bw_search_beam(session->search, session->cursor, &states);
		bw_text_printf(&expected, "best %.4g ms at the end, %s against %.4g, with ", states[0]->cost, bw_change_of(session->options.model, now, states[0]->cost).text, now);
		if (strncmp(message, bw_text_get(&expected), expected.length))
			fail_msg("%s: \"%s\", expected \"%s\"", lines[i], message, bw_text_get(&expected));
		free(before);
		free(after);
		free(message);
		bw_text_free(&line);
		bw_text_free(&expected);
		session_close(session);
	}
	struct bw_session *session = session_open();
	free(session_do(session, "run"));
	char *before = session_fingerprint(session);
	free(session_do(session, "whatif freeze output root 1x1/64x32"));
	char *after = session_fingerprint(session);
	assert_string_equal(before, after);
	assert_non_null(strstr(session->message, "it cannot be: output: "));
	assert_non_null(strstr(session->message, "64x32x1 = 2048 threads, limit 1024"));
	/* Stopped, nothing is left of it. */
	assert_true(bw_session_run(session, "whatif set seed=9", NULL, NULL));
	assert_true(session->tries && bw_session_busy(session));
	bw_session_stop(session);
	assert_false(session->tries);
	/* What changes the search meanwhile puts an end to it. */
	assert_true(bw_session_run(session, "whatif set seed=9", NULL, NULL));
	free(session_do(session, "freeze blur_x inline"));
	assert_false(session->tries);
	free(before);
	free(after);
	session_close(session);
}

static void changes_in_words(void **state)
{
	static const struct bw_cost_model model = {.tie = 0.25}, blind = {.tie = INFINITY};
	static const struct {
		const struct bw_cost_model *model;
		double before, after;
		const char *change, *excess;
	} cases[] = {
		{NULL, 2, 2, "0.0%", ""}, {NULL, 2, 1.99991, "0.0%", ""}, {NULL, 2, 2.00002, "0.0%", ""},
		{NULL, 2, 2.004, "+0.2%", "+0.2%"}, {NULL, 2, 1, "-50.0%", ""}, {NULL, 2, 3, "+50.0%", "+50%"},
		{NULL, 1, 9.99, "+899.0%", "+899%"}, {NULL, 1, 13.022, "13x", "13x"}, {NULL, 1, 3e7, "3e+07x", "30000000x"},
		{NULL, 0, 2, "infx", ""}, {&model, 2, 2, "0.0%", ""}, {&model, 2, 2.004, "~+0.2%", "~+0%"}, {&model, 4, 4.8, "~+20.0%", "~+20%"}, {&model, 4, 5, "+25.0%", "+25%"},
		{&model, 5, 4, "-20.0%", ""}, {&model, 5, 4.1, "~-18.0%", ""}, {&blind, 1, 13, "~13x", "~13x"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_string_equal(bw_change_of(cases[i].model, cases[i].before, cases[i].after).text, cases[i].change);
		assert_string_equal(bw_excess_of(cases[i].model, cases[i].after, cases[i].before).text, cases[i].excess);
	}
}

/* Without a selected line it is the hottest one of that loop of the selected Func whose own lines ran the most; if the Func has no code, of any loop. */
static void hottest_loop_is_selected(void **state)
{
	static const struct {
		int func, loop; /* in rows[] */
		double runs;
	} lines[] = {{0, 0, 900}, {0, 1, 30}, {0, 2, 20}, {0, 2, 25}, {0, 2, 25}, {1, 3, 50}, {1, 0, 60}, {0, 1, 1}};
	enum { N_LOOPS = 4, N_LINES = sizeof lines / sizeof *lines };
	struct bw_arena *arena = bw_arena_new();
	struct bw_session *session = session_open();
	struct bw_code *code = code_of("abcdefgh", arena);
	struct bw_code_kernel *kernel = code->kernels;
	kernel->n_loops = N_LOOPS;
	kernel->loops = BW_ARENA_ARRAY(arena, struct bw_code_loop, N_LOOPS);
	for (int k = 0; k < N_LINES; k++) {
		kernel->lines[k].loop = lines[k].loop;
		kernel->lines[k].runs = lines[k].runs;
		kernel->loops[lines[k].loop].own += lines[k].runs;
		kernel->loops[lines[k].loop].func = lines[k].loop ? lines[k].func : 0;
	}
	struct bw_timing timing = {.label = bw_strdup("one"), .schedule = 1, .code = code};
	bw_jobs_append(session, &timing);
	static const int expected[] = {3, 5, 3}; /* by the selected Func: loop 2 has 70, loop 1 has 31; the kernel's own 960 are told last */
	for (int func = 0; func < 3; func++) {
		struct bw_selection selection = {.func = func, .line = -1, .code = 1};
		bw_session_select(session, &selection);
		assert_int_equal(bw_session_line(session, NULL), expected[func]);
	}
	session->timings[session->n_timings - 1].code = NULL;
	session_close(session);
	bw_arena_free(arena);
}

/* Appends the lines that have a row, of one Func (-1: of all). */
static void put_rows(const struct bw_code_kernel *kernel, int func, struct bw_arena *arena, struct bw_text *out)
{
	int n;
	const int *rows = bw_code_rows(kernel, false, func, arena, &n);
	for (int k = 0; k < n; k++) {
		int loop = bw_code_row_loop(kernel, false, rows[k], func);
		bw_text_printf(out, "%s%d%s", k ? " " : "", rows[k], kernel->loops[loop].folded ? "+" : "");
	}
	bw_text_puts(out, ";");
}

/* Loops 1 (of Func 0), 2 in it (of Func 1) and 3 in that (of Func 0); line 5 is a directive, line 8 belongs to none. A folded loop has one row, of its first line. */
static void loops_are_folded(void **state)
{
	static const int loops[] = {1, 2, 3, 2, 1, 2, 3, 1, 0};
	static const struct {
		int folded[2];
		const char *rows; /* of all Funcs; of Func 0; of Func 1 */
	} cases[] = {
	    {{0, 0}, "0 1 2 3 4 6 7 8;0 2 4 6 7;1 3;"},
	    {{3, 0}, "0 1 2+ 3 4 7 8;0 2+ 4 7;1 3;"}, /* its two parts are one row */
	    {{2, 3}, "0 1+ 4 7 8;0 2+ 4 7;1+;"}, /* the outermost counts; of Func 0 its own loop; the whole of loop 2 with Func 1 */
	    {{1, 0}, "0+ 8;0+;1 3;"},
	};
	struct bw_arena *arena = bw_arena_new();
	struct bw_code_kernel *kernel = code_of("abcdefghi", arena)->kernels;
	kernel->n_loops = 4;
	kernel->loops = BW_ARENA_ARRAY(arena, struct bw_code_loop, kernel->n_loops);
	kernel->lines[5] = (struct bw_code_line){.text = ".loc 1"};
	for (int k = 0; k < kernel->n_lines; k++)
		kernel->lines[k].loop = loops[k];
	for (int k = 1; k < kernel->n_loops; k++) {
		kernel->loops[k].parent = k - 1;
		kernel->loops[k].func = k == 2;
	}
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text said = {0};
		for (int k = 1; k < kernel->n_loops; k++)
			kernel->loops[k].folded = k == cases[i].folded[0] || k == cases[i].folded[1];
		for (int func = -1; func < 2; func++)
			put_rows(kernel, func, arena, &said);
		assert_string_equal(bw_text_get(&said), cases[i].rows);
		bw_text_free(&said);
	}
	assert_int_equal(bw_code_row(kernel, false, 7, -1), 0); /* the case of loop 1 folded */
	assert_int_equal(bw_code_row(kernel, false, 5, 1), -1);
	assert_int_equal(bw_code_row(kernel, false, 8, 0), -1);
	bw_arena_free(arena);
}

/* Folds by commands: the loop of the selected line, and all but the one whose own lines ran the most. */
static void fold_commands(void **state)
{
	enum { N_LOOPS = 3 };
	static const int loops[] = {1, 1, 2, 2, 2, 2};
	struct bw_arena *arena = bw_arena_new();
	struct bw_session *session = session_open();
	struct bw_code *code = code_of("abcdef", arena);
	struct bw_code_kernel *kernel = code->kernels;
	kernel->n_loops = N_LOOPS;
	kernel->loops = BW_ARENA_ARRAY(arena, struct bw_code_loop, N_LOOPS);
	kernel->loops[1].own = 7;
	kernel->loops[2] = (struct bw_code_loop){.own = 5, .func = 1};
	for (int k = 0; k < kernel->n_lines; k++)
		kernel->lines[k].loop = loops[k];
	struct bw_timing timing = {.label = bw_strdup("one"), .schedule = 1, .code = code, .phase = BW_JOB_DONE};
	bw_jobs_append(session, &timing);
	struct bw_selection selection = {.line = 4, .code = 1};
	bw_session_select(session, &selection);
	free(session_do(session, "fold loop"));
	assert_true(kernel->loops[2].folded && !kernel->loops[1].folded);
	assert_int_equal(bw_session_line(session, NULL), 2); /* the row of the folded loop */
	free(session_do(session, "unfold loop"));
	assert_int_equal(bw_session_line(session, NULL), 4);
	for (int turn = 0; turn < 3; turn++) { /* again: none */
		free(session_do(session, "fold loops"));
		assert_true(kernel->loops[2].folded == (turn != 1) && !kernel->loops[1].folded);
	}
	bw_session_show_code_func(session, 0);
	assert_int_equal(bw_session_line(session, NULL), 0); /* line 4 is of Func 1 */
	session->timings[session->n_timings - 1].code = NULL;
	session_close(session);
	bw_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_are_folded),
		cmocka_unit_test(fold_commands),
		cmocka_unit_test(changes_in_words),
		cmocka_unit_test(schedules_are_compared),
		cmocka_unit_test(code_is_compared),
		cmocka_unit_test(hottest_loop_is_selected),
		cmocka_unit_test(alternatives_cost_what_the_state_would),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(whatif_changes_nothing),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
