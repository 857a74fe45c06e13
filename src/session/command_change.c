/* Commands on an option of a decision, and on the journal. */
#include <string.h>

#include "session/commands.h"

/* Fixes a Func as an option has it, and steps past that decision. */
static void accept(struct call *call, const struct bw_placement *placement, bool sizes, int decision)
{
	struct bw_constraint constraint = {placement, sizes, BW_CONSTRAINT_ACCEPT};
	bw_command_constrain(call, "accept", &constraint);
	call->session->target = decision + 1;
}

/* An option in words, as the journal has it, names its decision too. */
static bool accept_words(struct call *call, const struct bw_placement *placement)
{
	const struct bw_search *search = call->session->search;
	enum bw_phase phase = placement->compute.kind == BW_SITE_ROOT && placement->tiled ? BW_PHASE_TILE : BW_PHASE_WHERE;
	accept(call, placement, placement->tiled && !bw_choice_site_alone(call->session, placement, call->rest), bw_search_find(search, placement->func, phase, bw_search_pass(search, call->session->cursor)));
	bw_placement_drop(placement);
	return true;
}

static bool accept_option(struct call *call, const struct bw_option *option)
{
	struct bw_session *session = call->session;
	int decision = session->cursor;
	if (option->fate == BW_FATE_PRUNED && bw_rule_hard(option->rule))
		return bw_fail(call->error, BW_ERROR_CONFLICT, "%s cannot be: %s (%s)", session->pipeline->funcs[bw_search_decision(session->search, decision)->func].name, option->reason, bw_rule_name(option->rule));
	if (!option->placement)
		return bw_command_step(call);
	const struct bw_placement *placement = bw_placement_keep(option->placement);
	accept(call, placement, placement->tiled, decision);
	bw_placement_drop(placement);
	return true;
}

bool bw_command_accept(struct call *call)
{
	struct bw_session *session = call->session;
	if (strpbrk(call->rest, " \t")) {
		const struct bw_placement *words = bw_choice_read(call, call->error);
		return words && accept_words(call, words);
	}
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int number = session->selection.option;
	if (!expansion)
		return bw_fail(call->error, BW_ERROR_FAILED, "every decision is made here; go back to the one to accept");
	if (*call->rest && !bw_select_option(session, call->rest, &number, call->error))
		return false;
	if (number < 0)
		number = bw_best_option(expansion);
	if (number < 0)
		return bw_fail(call->error, BW_ERROR_FAILED, "no option of this decision can be accepted from this state");
	return accept_option(call, &expansion->options[number]);
}

bool bw_command_undo(struct call *call)
{
	return bw_session_undo(call);
}

bool bw_command_redo(struct call *call)
{
	return bw_session_redo(call);
}
