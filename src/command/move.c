/* Commands that move or look: nothing that is known is discarded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "session/alternatives.h"
#include "session/decisions.h"
#include "session/explain.h"
#include "session/opinions.h"
#include "session/tuning.h"

bool bw_session_move(struct call *call, int position)
{
	struct bw_session *session = call->session;
	int n = bw_session_n_decisions(session), reached = bw_session_reached(session);
	bw_session_set_until(session, &(struct bw_until){0});
	position = position < 0 ? 0 : position > n ? n : position;
	if (position <= reached) {
		session->cursor = position;
		session->target = -1;
	} else {
		session->cursor = reached;
		session->target = position;
	}
	session->selection.option = session->selection.group = -1;
	session->selection.alternative = 0;
	if (position < n)
		session->selection.func = bw_session_decision(session, position)->func;
	struct bw_text name = {0};
	bw_session_decision_name(session, position, &name);
	bw_session_say(call, "at %d of %d: %s", position, n, bw_text_get(&name));
	bw_text_free(&name);
	return true;
}

/* Returns true if a decision leaves nothing to choose in every state: a tiling where no state has
 * the Func at root. */
static bool idle(const struct bw_session *session, int index)
{
	if (index >= bw_session_reached(session))
		return false;
	const struct bw_decision *decision = bw_session_decision(session, index);
	const struct bw_state *const *states;
	int n = bw_session_beam(session, index, &states);
	return decision->phase == BW_PHASE_TILE && decision->enumerated == n && decision->costed == n;
}

/* The end of the pass, forward, or its start; from there that of the next one in that direction. */
static int edge_of_pass(const struct bw_session *session, int position, int direction)
{
	struct bw_pass pass = bw_explain_pass_at(session, position);
	int first = bw_explain_first_pass(session), last = bw_explain_passes(session);
	int edge = direction > 0 ? pass.end : pass.begin;
	if (edge != position)
		return edge;
	if (direction > 0)
		return bw_explain_pass_number(session, pass.number < last ? pass.number + 1 : last).end;
	return bw_explain_pass_number(session, pass.number > first ? pass.number - 1 : first).begin;
}

/* The option after or before the selected one in the order of enumeration, and what became of it; past the
 * last the decision is left. */
static bool move_option(struct call *call, int direction)
{
	struct bw_session *session = call->session;
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int option = session->selection.option + direction;
	if (expansion && session->selection.option < 0)
		option = direction > 0 ? 0 : expansion->n - 1;
	if (!expansion || option < 0 || option >= expansion->n)
		return bw_session_move(call, session->cursor + direction);
	session->selection.option = option;
	session->selection.group = -1;
	struct bw_text text = {0};
	bw_why_option(session, &expansion->options[option], &text);
	bw_session_say(call, "%d of %d: %.*s", option + 1, expansion->n,
		       (int)strcspn(bw_text_get(&text), "\n"), bw_text_get(&text));
	bw_text_free(&text);
	return true;
}

static bool move_by(struct call *call, int direction)
{
	const struct bw_session *session = call->session;
	int n = bw_session_n_decisions(session),
	    at = direction > 0 && session->target > session->cursor ? session->target : session->cursor;
	char *end;
	long count = strtol(call->rest, &end, 10);
	if (*call->rest && !*end && count > 0)
		return bw_session_move(call, at + direction * (int)(count < n ? count : n));
	static const char *const units[] = {"decision", "func", "pass", "option"};
	int unit = *call->rest ? bw_word_find(units, 4, call->rest, "unit", NULL) : 0;
	if (unit == 1) {
		at += direction;
		while (at > 0 && at < n && bw_session_decision(session, at)->phase == BW_PHASE_TILE)
			at += direction;
		return bw_session_move(call, at);
	}
	if (unit == 2)
		return bw_session_move(call, edge_of_pass(session, at, direction));
	if (unit == 3)
		return move_option(call, direction);
	if (unit < 0)
		return bw_fail(call->error, BW_ERROR_USAGE,
			       "%s takes decision, func, pass, option or a number of decisions, not \"%s\"",
			       direction > 0 ? "step" : "back", call->rest);
	at += direction;
	while (at > 0 && at < n && idle(session, at))
		at += direction;
	return bw_session_move(call, at);
}

bool bw_command_step(struct call *call)
{
	const struct bw_session *session = call->session;
	if (session->cursor >= bw_session_n_decisions(session))
		return bw_fail(call->error, BW_ERROR_FAILED, "this is the end of the search");
	return move_by(call, 1);
}

bool bw_command_back(struct call *call)
{
	if (call->session->cursor <= 0)
		return bw_fail(call->error, BW_ERROR_FAILED, "this is the start of the search");
	return move_by(call, -1);
}

static bool select_func(struct bw_session *session, const char *name, struct bw_error *error)
{
	int before = session->selection.func;
	if (!bw_select_func(session, name, &session->selection.func, error))
		return false;
	session->selection.alternative = session->selection.func == before ? session->selection.alternative : 0;
	return true;
}

static bool select_state(struct bw_session *session, const char *name, struct bw_error *error)
{
	if (!bw_select_state(session, name, &session->selection.state, error))
		return false;
	session->selection.option = session->selection.group = -1;
	session->selection.alternative = 0;
	return true;
}

static bool select_option(struct bw_session *session, const char *name, struct bw_error *error)
{
	if (!bw_select_option(session, name, &session->selection.option, error))
		return false;
	session->selection.group = -1;
	return true;
}

static bool select_group(struct bw_session *session, const char *name, struct bw_error *error)
{
	if (!bw_select_group(session, name, &session->selection.group, error))
		return false;
	session->selection.option = -1;
	return true;
}

/* Of the Func that is selected; its numbers are those of the rows, from 0. */
static bool select_alternative(struct bw_session *session, const char *name, struct bw_error *error)
{
	char *end;
	int n;
	long number = strtol(name, &end, 10);
	if (!bw_session_alternatives(session, &n))
		return bw_fail(error, BW_ERROR_FAILED, "there are alternatives for a selected Func that is placed");
	if (end == name || *end || number < 0 || number >= n)
		return bw_fail(error, BW_ERROR_USAGE, "no alternative %s; there are 0 to %d", name, n - 1);
	session->selection.alternative = (int)number;
	return true;
}

static bool select_candidate(struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct bw_walk_step *step = bw_session_step(session);
	if (!step)
		return bw_fail(error, BW_ERROR_FAILED, "no decision of a walk is selected; `walk back` goes to one");
	int found = bw_walk_find(bw_session_walk(session), session->selection.step, name, error);
	if (found >= 0)
		session->selection.candidate = found;
	return found >= -1;
}

static bool select_scheduler(struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct bw_opinions *opinions = bw_session_opinions(session);
	int row = opinions ? bw_opinions_find(opinions, name) : -1;
	if (row < 0)
		return bw_fail(error, BW_ERROR_USAGE,
			       opinions ? "no scheduler \"%s\" there, as `scheduler` lists them"
					: "%s: no schedulers were compared; `compare --all` does", name);
	session->selection.opinion = row;
	return true;
}

static bool select_sample(struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct bw_tuning_figures *figures = bw_session_tuning_figures(session);
	char *end;
	long number = strtol(name, &end, 10);
	if (!figures || !figures->n)
		return bw_fail(error, BW_ERROR_FAILED, "nothing was measured by a tuning yet; `tune` begins one");
	if (end == name || *end || number < 1 || number > figures->n)
		return bw_fail(error, BW_ERROR_USAGE, "no sample %s; there are 1, the fastest, to %d", name, figures->n);
	session->selection.sample = (int)number - 1;
	return true;
}

bool bw_command_select(struct call *call)
{
	static const struct {
		const char *kind;
		bool (*select)(struct bw_session *session, const char *name, struct bw_error *error);
	} kinds[] = {{"func", select_func},
		     {"state", select_state},
		     {"option", select_option},
		     {"group", select_group},
		     {"alternative", select_alternative},
		     {"candidate", select_candidate},
		     {"scheduler", select_scheduler},
		     {"sample", select_sample}};
	size_t length = strcspn(call->rest, " \t");
	const char *name = call->rest + length + strspn(call->rest + length, " \t");
	if (bw_pipeline_find(call->session->pipeline, call->rest) >= 0)
		return select_func(call->session, call->rest, call->error);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (length && !strncmp(call->rest, kinds[i].kind, length))
			return kinds[i].select(call->session, name, call->error);
	return bw_fail(call->error, BW_ERROR_USAGE,
		       "select a Func by its name, or func NAME, state NUMBER, option NAME or group NAME");
}

/* Why the selection is as it is: the alternative that a view shows; the selected option; the Func that is
 * decided here, by its best option;
 * another selected Func; the selected state. */
static void why_selection(struct bw_session *session, struct bw_text *text)
{
	if (bw_why_alternative(session, text))
		return;
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int option = session->selection.option, func = session->selection.func;
	if (expansion && option < 0 &&
	    (func < 0 || func == bw_session_decision(session, session->cursor)->func))
		option = bw_best_option(expansion);
	if (expansion && option >= 0)
		bw_why_option(session, &expansion->options[option], text);
	else if (func >= 0)
		bw_why_func(session, func, text);
	else
		bw_why_state(session, session->selection.state, text);
}

/* Why what was named is as it is. Returns false if the name means nothing here. */
static bool why_named(struct bw_session *session, const char *name, struct bw_text *text)
{
	struct bw_error ignored;
	int index;
	if (bw_pipeline_find(session->pipeline, name) >= 0 && bw_select_func(session, name, &index, &ignored))
		bw_why_func(session, index, text);
	else if (bw_session_expansion(session) && bw_select_option(session, name, &index, &ignored))
		bw_why_option(session, &bw_session_expansion(session)->options[index], text);
	else if (bw_select_state(session, name, &index, &ignored))
		bw_why_state(session, index, text);
	else
		return false;
	return true;
}

/* `A3 not C9`: what sets two options of the decision at the cursor apart. */
static bool why_rather(struct call *call, struct bw_text *text)
{
	struct bw_session *session = call->session;
	const char *not = strstr(call->rest, " not ");
	char *first = bw_strdup(call->rest);
	const char *second = not + strlen(" not ");
	int a, b;
	first[not - call->rest] = 0;
	second += strspn(second, " \t");
	bool good = bw_select_option(session, first, &a, call->error) &&
		    bw_select_option(session, second, &b, call->error);
	if (good)
		bw_why_rather(session, &bw_session_expansion(session)->options[a],
			      &bw_session_expansion(session)->options[b], text);
	free(first);
	return good;
}

bool bw_command_why(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_text text = {0};
	if (!*call->rest)
		why_selection(session, &text);
	else if (strstr(call->rest, " not ")) {
		if (!why_rather(call, &text)) {
			bw_text_free(&text);
			return false;
		}
	} else if (!why_named(session, call->rest, &text))
		return bw_fail(call->error, BW_ERROR_USAGE,
			       "\"%s\" is no Func, no state here and no option of the decision at the cursor",
			       call->rest);
	if (call->out)
		bw_text_append(call->out, text.bytes, text.length);
	snprintf(session->message, sizeof session->message, "%.*s", (int)strcspn(text.bytes, "\n"), text.bytes);
	bw_text_free(&text);
	return true;
}
