/* The options of a decision: its stages with the figures of each, groups that fold, and costs outside the search, which are those that the
 * search gives where it costs everything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/asks.h"
#include "../core/test.h"
#include "session/call.h"
#include "session/option_list.h"
#include "session_test.h"

static void assert_says(struct bw_session *session, const char *line, const char *expected)
{
	char *said = session_do(session, line);
	if (strcmp(said, expected))
		fail_msg("%s: says \"%s\", expected \"%s\"", line, said, expected);
	free(said);
}

static void assert_refuses(struct bw_session *session, const char *line, const char *expected)
{
	struct bw_error error;
	session_refuses(session, line, &error);
	if (strncmp(error.text, expected, strlen(expected)))
		fail_msg("%s: \"%s\", expected \"%s\"", line, error.text, expected);
}

static struct bw_session *at_first_tiling(bool made)
{
	struct bw_session *session = session_open();
	free(session_do(session, "set sampling=1"));
	free(session_do(session, "set beam=1"));
	free(session_do(session, made ? "run" : "run output.tile"));
	free(session_do(session, "run output.tile"));
	return session;
}

/* output of blur: serial extents 1 2 4 5 8 in x and 1 2 3 4 5 8 in y, 15 thread extents each: 450. Of the 30 pairs 21 have a product of at
 * most 16: 315. They are of one structure to depth 1: of these floor(log2 315) = 8 are drawn. */
static void stages_have_their_figures(void **state)
{
	struct bw_session *session = at_first_tiling(false);
	assert_int_equal(bw_session_replay(session), BW_REPLAY_COSTED);
	assert_says(session, "replay enumerated", "enumerated: 450 options, every site and size that the search space has for output\n");
	assert_int_equal(bw_session_replay(session), BW_REPLAY_ENUMERATED);
	assert_says(session, "replay next", "legal: rules prune 135 of 450, 315 are left\n");
	assert_says(session, "replay next", "bucketed: 315 in 1 buckets by the structure that they make, hashed to depth 1; 0 second choice\n");
	assert_says(session, "replay next", "sampled: of a bucket of B > 1 log2(B), rounded down, are drawn, and more of a lone state where the beam keeps several: 8 of 315\n");
	assert_says(session, "replay next", "costed: 8 from state 1\n");
	assert_says(session, "replay next", "costed is the last stage: the decision is not made yet\n");
	assert_refuses(session, "replay kept", "the decision is not made yet: nothing is kept");
	assert_refuses(session, "replay dropped", "replay takes enumerated, legal, ");
	session_close(session);
	session = at_first_tiling(true);
	assert_int_equal(bw_session_replay(session), BW_REPLAY_KEPT);
	assert_says(session, "replay back", "costed: 8 from state 1\n");
	assert_says(session, "replay kept", "kept: 1; the next beam has 1 of the 8 children of all states\n");
	assert_says(session, "replay next", "kept is the last stage\n");
	free(session_do(session, "replay"));
	assert_int_equal(bw_session_replay(session), BW_REPLAY_ENUMERATED);
	assert_says(session, "replay back", "enumerated is the first stage\n");
	free(session_do(session, "step"));
	assert_int_equal(bw_session_replay(session), BW_REPLAY_KEPT);
	free(session_do(session, "run"));
	assert_refuses(session, "replay", "every decision is made here");
	session_close(session);
}

static void looking_changes_nothing(void **state)
{
	static const char *const lines[] = {"replay enumerated", "fold all", "unfold all", "select option #2", "cost", "fold"};
	struct bw_session *session = at_first_tiling(true);
	char *before = session_fingerprint(session);
	int n_journal = session->n_journal;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		free(session_do(session, lines[i]));
	free(session_do(session, "select state 1"));
	char *after = session_fingerprint(session);
	assert_string_equal(before, after);
	assert_int_equal(session->n_journal, n_journal);
	free(before);
	free(after);
	session_close(session);
}

static void groups_fold(void **state)
{
	struct bw_session *session = at_first_tiling(true);
	assert_false(bw_session_folded(session, BW_GROUP_BUCKETS));
	assert_true(bw_session_folded(session, BW_RULE_UNROLLED));
	free(session_do(session, "fold A"));
	assert_true(bw_session_folded(session, BW_GROUP_BUCKETS));
	free(session_do(session, "unfold unrolled extent"));
	assert_false(bw_session_folded(session, BW_RULE_UNROLLED));
	free(session_do(session, "unfold all"));
	assert_false(bw_session_folded(session, BW_GROUP_BUCKETS));
	/* What is selected inside gives way to its group, and unfolding that is about the group. */
	free(session_do(session, "select option A3"));
	free(session_do(session, "fold"));
	assert_int_equal(session->selection.option, -1);
	assert_int_equal(session->selection.group, BW_GROUP_BUCKETS);
	free(session_do(session, "unfold"));
	assert_false(bw_session_folded(session, BW_GROUP_BUCKETS));
	free(session_do(session, "select group second"));
	assert_int_equal(session->selection.group, BW_GROUP_SECOND);
	assert_refuses(session, "select group Z", "no group \"Z\"; there are 1 buckets from A on, second, and the rules");
	free(session_do(session, "select option A3"));
	assert_int_equal(session->selection.group, -1);
	/* Elsewhere buckets are unfolded again; what rules pruned stays as it was. */
	free(session_do(session, "fold all"));
	free(session_do(session, "unfold unrolled extent"));
	free(session_do(session, "run blur_x"));
	assert_false(bw_session_folded(session, BW_GROUP_BUCKETS));
	assert_false(bw_session_folded(session, BW_RULE_UNROLLED));
	session_close(session);
}

/* Every option that was not drawn costs outside of the search what it costs in one that draws nothing. */
static void costs_outside_are_those_inside(void **state)
{
	struct bw_session *drawn = at_first_tiling(true), *all = session_open();
	free(session_do(all, "run output.tile"));
	int compared = 0;
	for (int i = 0; i < 40; i++) {
		const struct bw_option *option = &bw_session_expansion(drawn)->options[i];
		if (option->fate != BW_FATE_UNSAMPLED)
			continue;
		char line[32];
		snprintf(line, sizeof line, "cost #%d", i);
		assert_true(bw_session_cost_apart(drawn, option) == 0);
		free(session_do(drawn, line));
		assert_true(bw_session_cost_apart(drawn, option) == bw_session_expansion(all)->options[i].cost);
		assert_true(bw_session_cost_apart(drawn, option) > 0);
		compared++;
	}
	assert_in_range(compared, 20, 40);
	/* 4x4 is the third of the fourth: a rule of taste has pruned it, and it can be costed all the same. */
	free(session_do(drawn, "cost #255"));
	assert_true(bw_session_cost_apart(drawn, &bw_session_expansion(drawn)->options[255]) > 0);
	int costed = bw_search_decision(drawn->search, drawn->cursor)->children[0].option;
	char line[32];
	snprintf(line, sizeof line, "cost #%d", costed);
	assert_refuses(drawn, line, "the search has costed it: ");
	free(session_do(drawn, "run"));
	assert_refuses(drawn, "cost", "every decision is made here");
	session_close(drawn);
	session_close(all);
}

struct expanding {
	struct bw_session *session;
	struct bw_expansion *expansion;
};

static void expand(const struct bw_yield *yield, void *data)
{
	struct expanding *expanding = data;
	expanding->expansion = bw_search_expand(expanding->session->search, expanding->session->cursor, 0, yield);
}

/* Options looked up a little at a time are those looked up at once; who gives up half way is given nothing. */
static void a_little_at_a_time_gives_the_same(void **state)
{
	struct bw_session *session = at_first_tiling(true);
	struct bw_expansion *whole = bw_search_expand(session->search, session->cursor, 0, NULL);
	struct expanding expanding = {session, NULL};
	struct bw_routine *routine = bw_routine_new(expand, &expanding);
	while (!bw_routine_go(routine, 1e-6))
		;
	bw_routine_end(routine);
	struct bw_expansion *parts = expanding.expansion;
	assert_int_equal(parts->n, whole->n);
	assert_int_equal(parts->n_buckets, whole->n_buckets);
	for (int i = 0; i < whole->n; i++) {
		const struct bw_option *a = &parts->options[i], *b = &whole->options[i];
		assert_int_equal(a->fate, b->fate);
		assert_int_equal(a->rank, b->rank);
		assert_int_equal(a->bucket, b->bucket);
		assert_int_equal(a->member, b->member);
		assert_true(a->cost == b->cost && a->hash == b->hash && a->bucket_hash == b->bucket_hash);
	}
	bw_expansion_free(parts);
	bw_expansion_free(whole);
	for (long most = 1; most < 450; most += 7) {
		struct asks asks = {.most = most};
		assert_null(bw_search_expand(session->search, session->cursor, 0, &(struct bw_yield){asks_go_on, &asks}));
	}
	/* A screen is given nothing, or all. */
	free(session_do(session, "run blur_x"));
	const struct bw_expansion *soon = bw_session_expansion_soon(session);
	session_settle(session);
	assert_true(!soon || soon == bw_session_expansion(session));
	assert_non_null(bw_session_expansion_soon(session));
	session_close(session);
}

/* What is dropped ranks behind all that is kept, by the figure that the beam is chosen by: unless the next beam has it already. */
static void no_rank_contradicts_a_fate(void **state)
{
	struct bw_session *session = session_open();
	free(session_do(session, "set passes=3"));
	free(session_do(session, "set beam=6"));
	free(session_do(session, "run end"));
	int compared = 0, penalised = 0;
	for (int k = 0; k < bw_search_n_decisions(session->search); k++) {
		const struct bw_decision *decision = bw_search_decision(session->search, k);
		int last = -1;
		for (int i = 0; i < decision->n_recorded; i++)
			if (decision->children[i].kept >= 0 && bw_child_place(decision, &decision->children[i]) > last)
				last = bw_child_place(decision, &decision->children[i]);
		for (int i = 0; i < decision->n_recorded && decision->kept >= 6; i++) {
			const struct bw_child *child = &decision->children[i];
			penalised += child->penalty > 1;
			if (child->kept >= 0 || bw_child_place(decision, child) > last)
				continue;
			char line[64];
			snprintf(line, sizeof line, "run %d", k);
			free(session_do(session, line));
			snprintf(line, sizeof line, "select state %d", child->parent + 1);
			free(session_do(session, line));
			const struct bw_expansion *expansion = bw_session_expansion(session);
			for (int o = 0; o < expansion->n; o++)
				if (expansion->options[o].number == child->option) {
					assert_true(bw_option_twin(session, &expansion->options[o]) >= 0);
					compared++;
				}
		}
	}
	assert_true(compared > 0 && penalised > 0);
	session_close(session);
}

/* Options that are being made when the user goes to the end, where there is no decision, are given up: else the explorer would
 * wait for them for ever, without pause. */
static void options_left_behind_are_given_up(void **state)
{
	struct bw_session *session = session_open();
	free(session_do(session, "run end"));
	free(session_do(session, "run blur_x"));
	session_settle(session);
	assert_null(bw_session_expand_for(session, 0));
	assert_true(bw_session_under_way(session));
	assert_true(bw_session_run(session, "run end", NULL, NULL));
	for (int turns = 0; turns < 1000 && bw_session_under_way(session); turns++)
		bw_session_work(session, 0.01);
	assert_false(bw_session_under_way(session));
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_left_behind_are_given_up),
		cmocka_unit_test(no_rank_contradicts_a_fate),
		cmocka_unit_test(stages_have_their_figures),
		cmocka_unit_test(looking_changes_nothing),
		cmocka_unit_test(groups_fold),
		cmocka_unit_test(costs_outside_are_those_inside),
		cmocka_unit_test(a_little_at_a_time_gives_the_same),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
