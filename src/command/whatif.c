/* What a command that changes the search would make of the best cost: it runs on a copy, which is given back,
 * and nothing is changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "figures/change.h"

enum { LONG_LINE = 80 /* bytes: it is told as it was typed then */ };

void bw_whatif_end(struct bw_session *session)
{
	struct whatif *whatif = &own_of(session)->whatif;
	bw_routine_end(whatif->routine);
	bw_session_leave(own_of(session), whatif->now);
	bw_session_leave(own_of(session), whatif->search);
	free(whatif->line);
	*whatif = (struct whatif){0};
	session->tries = false;
}

bool bw_whatif_take(struct bw_session *session, const char *line, const struct bw_search_options *options,
		    const struct bw_constraints *constraints)
{
	struct whatif *whatif = &own_of(session)->whatif;
	if (!whatif->takes)
		return false;
	whatif->now = bw_search_fork(session->search, NULL, NULL);
	whatif->search = bw_search_fork(session->search, options, constraints);
	whatif->line = bw_strdup(line);
	return true;
}

static double best_at_end(const struct bw_search *search)
{
	const struct bw_state *const *states;
	bw_search_beam(search, bw_search_n_decisions(search), &states);
	return states[0]->cost;
}

/* What the best cost at the end becomes. */
static void tell(struct bw_session *session, const struct whatif *whatif)
{
	double before = best_at_end(whatif->now), after = best_at_end(whatif->search);
	snprintf(session->message, sizeof session->message,
		 "best %.4g %s at the end, %s against %.4g, with %.300s", after,
		 bw_search_options_of(whatif->search)->model->said, bw_change_of(before, after).text, before,
		 whatif->line);
}

/* Brings both searches to their ends. */
static void run(const struct bw_yield *yield, void *data)
{
	struct whatif *whatif = data;
	struct bw_search *searches[] = {whatif->search, whatif->now};
	for (int i = 0; i < 2; i++) {
		whatif->dead = i ? "the search as it is comes to no end" : "it cannot be";
		whatif->status =
		    bw_search_advance(searches[i], bw_search_n_decisions(searches[i]), yield, &whatif->error);
		if (whatif->status != BW_SEARCH_DONE)
			return;
	}
}

bool bw_whatif_tries(const struct bw_session *session)
{
	return session->tries;
}

struct bw_routine *bw_whatif_begin(struct bw_session *session)
{
	struct whatif *whatif = &own_of(session)->whatif;
	if (!whatif->routine)
		whatif->routine = bw_routine_new(run, whatif);
	return whatif->routine;
}

void bw_whatif_take_end(struct bw_session *session, bool ended)
{
	struct whatif *whatif = &own_of(session)->whatif;
	if (!ended)
		return;
	session->message_is_error = false;
	if (whatif->status == BW_SEARCH_DEAD)
		snprintf(session->message, sizeof session->message, "%s: %.470s", whatif->dead, whatif->error.text);
	else
		tell(session, whatif);
	bw_whatif_end(session);
	bw_session_touch(session);
}

/* Runs the command up to where it would change the search. */
static bool take(struct call *call)
{
	struct bw_session *session = call->session;
	struct own *own = own_of(session);
	const struct bw_selection selection = session->selection;
	int cursor = session->cursor, target = session->target;
	own->whatif.takes = true;
	bool good = bw_call_run(call);
	own->whatif.takes = false;
	session->selection = selection;
	session->cursor = cursor;
	session->target = target;
	return good;
}

bool bw_command_whatif(struct call *call)
{
	struct bw_session *session = call->session;
	size_t length = strcspn(call->rest, " \t");
	const char *rest = call->rest + length + strspn(call->rest + length, " \t");
	const struct bw_command *command = length ? bw_command_find(call->rest, length) : NULL;
	if (!command || !command->journaled)
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "whatif takes a command that changes the search, as `whatif freeze Ix inline`, not \"%s\"",
		    call->rest);
	if (!strcmp(command->name, "set") && (!*rest || !strncmp(rest, "on=", 3)))
		return bw_fail(call->error, BW_ERROR_USAGE, "`%s` changes nothing of the search", call->rest);
	bw_whatif_end(session);
	struct call inner = {session, call->rest, rest, NULL, call->error};
	if (!take(&inner))
		return false;
	if (!own_of(session)->whatif.search)
		return bw_fail(call->error, BW_ERROR_FAILED, "`%s` changes nothing", call->rest);
	struct whatif *whatif = &own_of(session)->whatif;
	if (strlen(whatif->line) > LONG_LINE) {
		free(whatif->line);
		whatif->line = bw_strdup(call->rest);
	}
	session->tries = true;
	bw_session_say(call, "searching with %s", whatif->line);
	return true;
}
