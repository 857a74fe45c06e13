/* Commands on the view of the decision at the cursor: its stages, groups of its options, costs
 * outside the search. */

#include "command/commands.h"
#include "figures/graph.h"
#include "session/counters.h"
#include "session/opinions.h"

/* Returns the decision at the cursor with its options. Returns NULL with an error if there is no decision. */
static const struct bw_expansion *asked_here(struct call *call)
{
	const struct bw_session *session = call->session;
	bool asks = session->cursor < bw_search_n_decisions(session->search) &&
		    bw_search_decision(session->search, session->cursor)->phase != BW_PHASE_PASS;
	const struct bw_expansion *expansion = asks ? bw_session_expansion(call->session) : NULL;
	if (!expansion)
		bw_fail(call->error, BW_ERROR_FAILED, "every decision is made here; go back to one");
	return expansion;
}

/* Reports what a stage did to the options, with the figures known by then. */
static void say_stage(struct call *call, const struct bw_expansion *expansion, enum bw_replay stage)
{
	const struct bw_session *session = call->session;
	const struct bw_decision *decision = bw_search_decision(session->search, session->cursor);
	struct bw_funnel funnel = bw_expansion_funnel(expansion);
	const int *n = funnel.n;
	switch (stage) {
	case BW_REPLAY_ENUMERATED:
		bw_session_say(call,
			       "enumerated: %d options, every site and size that the search space has for %s",
			       n[stage], session->pipeline->funcs[decision->func].name);
		break;
	case BW_REPLAY_LEGAL:
		bw_session_say(call, "legal: rules prune %d of %d, %d are left",
			       n[BW_REPLAY_ENUMERATED] - n[stage], n[BW_REPLAY_ENUMERATED], n[stage]);
		break;
	case BW_REPLAY_BUCKETED:
		bw_session_say(
		    call,
		    "bucketed: %d in %d buckets by the structure that they make, hashed to depth %d; %d second choice",
		    n[stage], expansion->n_buckets, decision->pass, n[BW_REPLAY_LEGAL] - n[stage]);
		break;
	case BW_REPLAY_SAMPLED:
		if (bw_session_samples(session))
			bw_session_say(
			    call,
			    "sampled: of a bucket of B > 1 log2(B), rounded down, are drawn%s: %d of %d",
			    session->options.sampling == BW_SAMPLING_PAPER
				? ""
				: ", and more of a lone state where the beam keeps several",
			    n[stage], n[BW_REPLAY_BUCKETED]);
		else
			bw_session_say(call, "sampled: all %d, since %s", n[stage],
				       session->options.sampling && !session->options.random
					   ? "a constraint names the option"
					   : "sampling is off");
		break;
	case BW_REPLAY_COSTED:
		bw_session_say(call, "costed: %d from state %d", n[stage], session->selection.state + 1);
		break;
	default:
		bw_session_say(call, "kept: %d; the next beam has %ld of the %d children of all states",
			       n[stage], decision->kept, decision->n_children);
	}
}

/* Returns the stage that `replay` names; BW_N_REPLAYS for `next`, one more for `back`; -1: none of these. */
static int replay_word(const char *given)
{
	static const char *const words[] = {
		BW_REPLAY_TABLE(BW_SECOND)
		"next", "back",
	};
	return bw_word_find(words, BW_N_REPLAYS + 2, given, "stage", NULL);
}

bool bw_command_replay(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_expansion *expansion = asked_here(call);
	if (!expansion)
		return false;
	enum bw_replay now = bw_session_replay(session), last = bw_session_last_replay(session);
	int stage = *call->rest ? replay_word(call->rest) : BW_REPLAY_ENUMERATED;
	bool next = stage == BW_N_REPLAYS, back = stage == BW_N_REPLAYS + 1;
	if (stage < 0)
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "replay takes enumerated, legal, bucketed, sampled, costed, kept, next or back, not \"%s\"",
		    call->rest);
	if (next && now == last) {
		bw_session_say(call, "%s is the last stage%s", bw_replay_name(last),
			       last == BW_REPLAY_KEPT ? "" : ": the decision is not made yet");
		return true;
	}
	if (back && now == 0) {
		bw_session_say(call, "enumerated is the first stage");
		return true;
	}
	if (next || back)
		stage = (int)now + (next ? 1 : -1);
	if (stage > (int)last)
		return bw_fail(call->error, BW_ERROR_FAILED, "the decision is not made yet: nothing is kept");
	bw_option_list_show(session, (enum bw_replay)stage);
	if (stage < BW_REPLAY_BUCKETED)
		session->selection.group = -1;
	say_stage(call, expansion, (enum bw_replay)stage);
	return true;
}

/* Finds the group for a command: the one named, the one selected, or the group of the selected
 * option. */
static bool group_of_call(struct call *call, const struct bw_expansion *expansion, int *group)
{
	const struct bw_selection *selection = &call->session->selection;
	if (*call->rest)
		return bw_select_group(call->session, call->rest, group, call->error);
	*group = selection->group >= 0 || selection->option < 0
		     ? selection->group
		     : bw_option_group(&expansion->options[selection->option]);
	return *group >= 0 || bw_fail(call->error, BW_ERROR_USAGE, "%.8s which group? none is selected", call->line);
}

/* Moves the selection from an option in a folded group to the group. */
static void select_folded(struct bw_session *session, const struct bw_expansion *expansion)
{
	struct bw_selection *selection = &session->selection;
	int group = selection->option >= 0 ? bw_option_group(&expansion->options[selection->option]) : -1;
	if (group < 0 || !bw_session_folded(session, group))
		return;
	selection->option = -1;
	selection->group = group;
}

/* Folds or unfolds the family of a Func; `func` -1: all families. */
static bool fold_family(struct call *call, int func, bool folded)
{
	struct bw_session *session = call->session;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_families families = bw_families_of(session->pipeline, arena);
	bool good = func < 0 || families.size[func] > 1 ||
		    bw_fail(call->error, BW_ERROR_USAGE,
			    "%s is alone: no other Funcs have a name that differs in its numbers alone",
			    session->pipeline->funcs[func].name);
	for (int f = 0; good && f < session->pipeline->n_funcs; f++)
		if (families.size[f] > 1 && (func < 0 || families.of[f] == families.of[func]) &&
		    families.of[f] == f && bw_family_folded(session, &families, f) != folded)
			session->toggled[f] = !session->toggled[f];
	return good;
}

static bool fold(struct call *call, bool folded)
{
	struct bw_session *session = call->session;
	const struct bw_opinions *opinions = bw_session_opinions(session);
	bool is_func = bw_pipeline_find(session->pipeline, call->rest) >= 0;
	if (!is_func && !strcmp(call->rest, "loop"))
		return bw_session_fold_loop(session, folded, call->error);
	if (!is_func && !strcmp(call->rest, "loops"))
		return bw_session_fold_loops(session, folded, call->error);
	int row = opinions && !is_func ? bw_opinions_find(opinions, call->rest) : -1;
	if (row >= 0) {
		bw_opinion_set_open(session, row, !folded);
		return true;
	}
	int named = *call->rest && strcmp(session->view, "decision")
			? bw_pipeline_find(session->pipeline, call->rest)
			: -1;
	if (named >= 0 || !strcmp(call->rest, "stages"))
		return fold_family(call, named, folded);
	const struct bw_expansion *expansion = asked_here(call);
	bool all = !strcmp(call->rest, "all");
	int group;
	if (!expansion || (!all && !group_of_call(call, expansion, &group)))
		return false;
	for (int g = 0; all && g < BW_GROUP_BUCKETS + expansion->n_buckets; g++)
		bw_option_list_fold(session, g, folded);
	if (!all)
		bw_option_list_fold(session, group, folded);
	select_folded(session, expansion);
	return true;
}

bool bw_command_fold(struct call *call)
{
	return fold(call, true);
}

bool bw_command_unfold(struct call *call)
{
	return fold(call, false);
}

static void say_cost(struct call *call, const struct bw_option *option, double cost)
{
	const struct bw_session *session = call->session;
	const struct bw_decision *decision = bw_search_decision(session->search, session->cursor);
	BW_SCOPED_TEXT name = {0};
	int rank = decision->made ? bw_decision_rank(decision, cost) : -1;
	bw_option_name(option, &name);
	if (rank >= 0)
		bw_session_say(call, "%s: %.4g %s, outside the search: %d of %d children cost less",
			       bw_text_get(&name), cost, session->options.model->said, rank,
			       decision->n_children);
	else if (decision->made)
		bw_session_say(call, "%s: %.4g %s, outside the search: more than %d of %d children cost less",
			       bw_text_get(&name), cost, session->options.model->said, decision->n_recorded,
			       decision->n_children);
	else
		bw_session_say(call, "%s: %.4g %s, outside the search", bw_text_get(&name), cost,
			       session->options.model->said);
}

bool bw_command_cost(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_expansion *expansion = asked_here(call);
	int number = session->selection.option;
	if (!expansion || (*call->rest && !bw_select_option(session, call->rest, &number, call->error)))
		return false;
	if (number < 0)
		return bw_fail(call->error, BW_ERROR_USAGE, "cost which option? none is selected");
	const struct bw_option *option = &expansion->options[number];
	if (option->rank >= 0 || option->fate == BW_FATE_COSTED)
		return bw_fail(call->error, BW_ERROR_FAILED, "the search has costed it: %.4g %s",
			       option->cost, session->options.model->said);
	bool hard = option->fate == BW_FATE_PRUNED && bw_rule_hard(option->rule);
	BW_SCOPED_NEST *nest = hard || !option->placement
				   ? NULL
				   : bw_nest_place(bw_session_state(session)->nest, option->placement, NULL);
	if (!nest)
		return bw_fail(call->error, BW_ERROR_FAILED, "it cannot be, and has no cost: %s (%s)",
			       option->reason, bw_rule_name(option->rule));
	BW_SCOPED_ARENA *arena = bw_arena_new();
	double cost = bw_search_cost(session->search, nest, arena).total;
	bw_option_list_cost(session, number, cost);
	say_cost(call, option, cost);
	return true;
}
