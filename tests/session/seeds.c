/* Schedules seeded by hand: ten partial ones, kept in tests/session/seeds, are honoured exactly in every state, and all else is searched; ten that cannot
 * be are refused with Func, rule and figures, and nothing changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"
#include "schedule/schedule.h"
#include "session_test.h"

static const struct {
	const char *pipeline, *name;
	int funcs; /* that it mentions */
} seeds[] = {
	{"blur", "blur-inlined", 2}, {"blur", "blur-shared", 2}, {"blur", "blur-odd", 1}, {"blur", "blur-serial", 1}, {"harris", "harris-derivatives", 2},
	{"harris", "harris-block", 11}, {"harris", "harris-brightness", 1}, {"unsharp", "unsharp-gray", 2}, {"unsharp", "unsharp-rows", 3}, {"stencil_chain", "stencil_chain-middle", 3},
};

/* Fails unless each state has what the schedule says, and all else too. */
static void assert_honoured(struct bw_session *session, const struct bw_schedule *schedule, const char *name)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(session->search, session->cursor, &states);
	assert_true(n > 0);
	for (int s = 0; s < n; s++) {
		assert_true(bw_nest_complete(states[s]->nest));
		for (int f = 0; f < session->pipeline->n_funcs; f++)
			if (schedule->placements[f] && !bw_placement_equal(schedule->placements[f], states[s]->nest->placed[f]->placement))
				fail_msg("%s: state %d has %s otherwise", name, s + 1, session->pipeline->funcs[f].name);
	}
}

static void seeds_are_honoured_exactly(void **state)
{
	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
		struct bw_session *session = session_open_on(seeds[i].pipeline, 8);
		struct bw_error error = {0};
		struct bw_text path = {0}, line = {0};
		int mentioned = 0, free_funcs = 0;
		bw_text_printf(&path, "%s/tests/session/seeds/%s.schedule", getenv("BW_SRC"), seeds[i].name);
		bw_text_printf(&line, "apply %s", bw_text_get(&path));
		struct bw_schedule *schedule = bw_schedule_read(session->pipeline, bw_text_get(&path), NULL, &error);
		if (!schedule)
			fail_msg("%s", error.text);
		for (int f = 0; f < session->pipeline->n_funcs; f++)
			mentioned += schedule->placements[f] != NULL;
		assert_int_equal(mentioned, seeds[i].funcs);
		/* In the middle of a search that went another way; then from its beginning. */
		free(session_do(session, "run end"));
		free(session_do(session, "back func"));
		free(session_do(session, bw_text_get(&line)));
		free(session_do(session, "run end"));
		assert_honoured(session, schedule, seeds[i].name);
		for (int d = 0; d < bw_search_n_decisions(session->search); d++) {
			const struct bw_decision *decision = bw_search_decision(session->search, d);
			free_funcs += !schedule->placements[decision->func] && decision->enumerated > decision->costed;
		}
		assert_true(free_funcs > 0 || mentioned + 1 >= session->pipeline->n_funcs - 1);
		bw_schedule_drop(schedule);
		bw_text_free(&path);
		bw_text_free(&line);
		session_close(session);
	}
}

static const struct {
	const char *pipeline, *line, *says[2];
} conflicts[] = {
	{"blur", "apply {output root 1x4/64x32}", {"output: ", "64x32x1 = 2048 threads, limit 1024"}},
	/* 32 rows of a block and two more, by 32. */
	{"blur", "apply {output root 1x4/32x8 | blur_x at output.block 1x1}", {"blur_x: ", "by threads (32x34x1 = 1088 threads, limit 1024)"}},
	{"blur", "freeze {blur_x inline | input_im at blur_x.block}", {"input_im: ", "input_im at blur_x.block 1x1: a site that no state has"}},
	{"harris", "apply {Ixx root 1x1/32x8 | Ix at output.block 1x1}", {"Ix: ", "its consumer Ixx is computed elsewhere, not at output.block"}},
	/* 4 x 64 and 4 x 16 points of a block need 258 x 66 of Ix: 65 x 17 threads of 4 x 4. */
	{"harris", "apply {output root 4x4/64x16 | det inline | trace inline | Sxx inline | Sxy inline | Syy inline | Ixx inline | Ixy inline | Iyy inline | Ix at output.block 4x4}",
	 {"Ix: ", "65x17x1 = 1105 threads, limit 1024"}},
	/* 8 x 64 and 8 x 8 points need 514 x 66 of 4 bytes, and 135,696 = 514 * 66 * 4. */
	{"harris", "apply {output root 8x8/64x8 | det inline | trace inline | Sxx inline | Sxy inline | Syy inline | Ixx inline | Ixy inline | Iyy inline | Ix at output.block 8x8}",
	 {"Ix: ", "135696 bytes of shared memory, limit 49152"}},
	{"harris", "override Sxx at det.block", {"Sxx: ", "a site that no state has"}},
	{"unsharp", "override output root 1x1x1/32x8x8", {"output: ", "32x8x8 = 2048 threads, limit 1024"}},
	{"unsharp", "pin blur_y root 1x1/2048x1", {"blur_y: ", "2048x1x1 = 2048 threads, limit 1024 (threads)"}},
	{"stencil_chain", "freeze {stage31 at output.block 1x1 | stage32 root}", {"stage31: ", "its consumer stage32 is computed elsewhere, not at output.block"}},
};

static void what_cannot_be_is_refused_with_figures(void **state)
{
	for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
		struct bw_session *session = session_open_on(conflicts[i].pipeline, 4);
		free(session_do(session, "run end"));
		char *before = session_fingerprint(session);
		assert_true(bw_session_run(session, conflicts[i].line, NULL, NULL));
		session_settle(session);
		char *after = session_fingerprint(session);
		assert_true(session->message_is_error);
		for (int k = 0; k < 2; k++)
			if (!strstr(session->message, conflicts[i].says[k]))
				fail_msg("%s: no \"%s\" in \"%s\"", conflicts[i].line, conflicts[i].says[k], session->message);
		assert_non_null(strstr(session->message, "; nothing was changed"));
		assert_string_equal(before, after);
		assert_int_equal(session->n_journal, 0);
		free(before);
		free(after);
		session_close(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_are_honoured_exactly),
		cmocka_unit_test(what_cannot_be_is_refused_with_figures),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
