/* Commands on an option of a decision: accept, reject, pin. */

#include "command/commands.h"

/* Takes `--here` or `--pass N` off the front of the command's arguments. */
static bool take_pass(struct call *call, struct bw_constraint *constraint)
{
	const struct bw_session *session = call->session;
	const char *rest = call->rest;
	size_t length = strcspn(rest, " \t");
	bool here = length == 6 && !strncmp(rest, "--here", length),
	     named = length == 6 && !strncmp(rest, "--pass", length);
	if (!here && !named)
		return *rest != '-' || bw_fail(call->error, BW_ERROR_USAGE,
					       "%.*s is neither --here nor --pass N", (int)length, rest);
	rest += length + strspn(rest + length, " \t");
	constraint->here = true;
	constraint->pass = bw_search_pass(session->search, session->cursor);
	if (named) {
		char *end;
		long pass = strtol(rest, &end, 10), first = bw_search_first_pass(session->search),
		     last = bw_settings_passes(&session->options);
		if (end == rest || (*end && !strchr(" \t", *end)) || pass < first || pass > last)
			return bw_fail(call->error, BW_ERROR_USAGE, "--pass takes the number of a pass, %ld to %ld", first, last);
		constraint->pass = (int)pass;
		rest = end + strspn(end, " \t");
	}
	call->rest = rest;
	return true;
}

/* Returns the named option, else the selected one, else the best; NULL with an error. */
static const struct bw_option *chosen(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int number = session->selection.option;
	if (!expansion) {
		bw_fail(call->error, BW_ERROR_FAILED,
			"every decision is made here; go back to the one to %.*s",
			(int)strcspn(call->line, " \t"), call->line);
		return NULL;
	}
	if (*call->rest && !bw_select_option(session, call->rest, &number, call->error))
		return NULL;
	if (number < 0)
		number = bw_best_option(expansion);
	if (number >= 0)
		return &expansion->options[number];
	bw_fail(call->error, BW_ERROR_FAILED, "no option of this decision is left in this state");
	return NULL;
}

static bool fail_hard(struct call *call, const struct bw_option *option)
{
	const struct bw_session *session = call->session;
	const struct bw_decision *decision = bw_search_decision(session->search, session->cursor);
	return bw_fail(call->error, BW_ERROR_CONFLICT, "%s cannot be: %s (%s)",
		       session->pipeline->funcs[decision->func].name, option->reason,
		       bw_rule_name(option->rule));
}

static bool is_hard(const struct bw_option *option)
{
	return option->fate == BW_FATE_PRUNED && bw_rule_hard(option->rule);
}

/* Puts a constraint on a Func into force, and steps past the decision. */
static void accept(struct call *call, const struct bw_constraint *constraint, int decision)
{
	bw_command_constrain(call, "accept", constraint);
	call->session->target = decision + 1;
}

/* Accepts a choice written as in the journal, which also names the decision. */
static bool accept_words(struct call *call, struct bw_constraint *constraint)
{
	const struct bw_session *session = call->session;
	BW_SCOPED_PLACEMENT *placement = constraint->placement = bw_choice_read(call, call->error);
	if (!placement)
		return false;
	enum bw_phase phase =
	    placement->compute.kind == BW_SITE_ROOT && placement->tiled ? BW_PHASE_TILE : BW_PHASE_WHERE;
	int pass = constraint->here ? constraint->pass : bw_search_pass(session->search, session->cursor);
	constraint->sizes = placement->tiled && !bw_choice_site_alone(session, placement, call->rest);
	accept(call, constraint, bw_search_find(session->search, placement->func, phase, pass));
	return true;
}

bool bw_command_accept(struct call *call)
{
	struct bw_constraint constraint = {.source = BW_CONSTRAINT_ACCEPT};
	if (!take_pass(call, &constraint))
		return false;
	if (strpbrk(call->rest, " \t"))
		return accept_words(call, &constraint);
	const struct bw_option *option = chosen(call);
	if (!option)
		return false;
	if (is_hard(option))
		return fail_hard(call, option);
	if (!option->placement)
		return bw_command_step(call);
	constraint.placement = bw_placement_keep(option->placement);
	constraint.sizes = option->placement->tiled;
	accept(call, &constraint, call->session->cursor);
	bw_placement_drop(constraint.placement);
	return true;
}

/* Reads the placement to reject or pin, and whether its sizes count; the caller drops it. Returns false with
 * an error. */
static bool read_mark(struct call *call, struct bw_constraint *mark)
{
	struct bw_session *session = call->session;
	const char *verb = mark->source == BW_CONSTRAINT_PIN ? "pin" : "reject";
	if (strpbrk(call->rest, " \t")) {
		mark->placement = bw_choice_read(call, call->error);
		mark->sizes = mark->placement && mark->placement->tiled &&
			      !bw_choice_site_alone(session, mark->placement, call->rest);
		return mark->placement;
	}
	const struct bw_option *option = chosen(call);
	if (!option)
		return false;
	if (!option->placement)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing is decided here: there is nothing to %s", verb);
	if (mark->source == BW_CONSTRAINT_PIN && is_hard(option))
		return fail_hard(call, option);
	mark->placement = bw_placement_keep(option->placement);
	mark->sizes = option->placement->tiled;
	return true;
}

/* Returns true if the Func is not held. A held Func has only one option, so that marks on it are refused. */
static bool is_free(struct call *call, const struct bw_constraint *mark)
{
	const struct bw_session *session = call->session;
	int func = mark->placement->func, pass = mark->here ? mark->pass : BW_ALL_PASSES;
	const struct bw_constraint *held = bw_constraint_on(bw_search_constraints(session->search), func, pass);
	const char *name = session->pipeline->funcs[func].name;
	return !held || bw_fail(call->error, BW_ERROR_CONFLICT,
				"%s is %s, and nothing else is searched for it; `unfreeze %s` lets it go",
				name, bw_constraint_words(held), name);
}

/* Returns true if a mark leaves at least one option of the decision at the cursor, or concerns another
 * decision. */
static bool leaves_some(struct call *call, const struct bw_constraint *mark)
{
	struct bw_session *session = call->session;
	const struct bw_state *const *states;
	const struct bw_expansion *expansion = strpbrk(call->rest, " \t") ? NULL : bw_session_expansion(session);
	int left = 0;
	for (int i = 0; expansion && i < expansion->n; i++)
		left += expansion->options[i].fate != BW_FATE_PRUNED &&
			expansion->options[i].placement != mark->placement;
	return mark->source != BW_CONSTRAINT_REJECT || !expansion || left ||
	       bw_search_beam(session->search, session->cursor, &states) > 1 ||
	       bw_fail(call->error, BW_ERROR_CONFLICT,
		       "this is the only option that %s has here; without it the search would end",
		       session->pipeline->funcs[mark->placement->func].name);
}

static bool put_mark(struct call *call, enum bw_constraint_source source)
{
	struct bw_constraint mark = {.source = source};
	if (!take_pass(call, &mark) || !read_mark(call, &mark))
		return false;
	bool good = is_free(call, &mark) && leaves_some(call, &mark);
	if (good)
		bw_command_constrain(call, source == BW_CONSTRAINT_PIN ? "pin" : "reject", &mark);
	bw_placement_drop(mark.placement);
	return good;
}

bool bw_command_reject(struct call *call)
{
	return put_mark(call, BW_CONSTRAINT_REJECT);
}

bool bw_command_pin(struct call *call)
{
	return put_mark(call, BW_CONSTRAINT_PIN);
}

bool bw_command_undo(struct call *call)
{
	if (bw_journal_at_floor(call->session))
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "nothing of yours is left to undo: the rest is what the lesson's step begins with");
	return bw_session_undo(call);
}

bool bw_command_redo(struct call *call)
{
	return bw_session_redo(call);
}
