/* `whatif`: finds how a command would change the best cost. The command runs on a copy of the search, which
 * is then dropped; the session stays unchanged. */

#include "session/core.h"

enum { LONG_LINE = 80 /* bytes; a longer line is reported as it was typed */ };

struct whatif {
	char *line;               /* the line of the command that is tried */
	struct bw_search *search; /* the search with the command's change; NULL: nothing is tried */
	struct bw_search *now;    /* the search without the change */
	enum bw_search_status status;
	const char *dead; /* the message if one of the two searches leaves no state alive; else NULL */
	struct bw_error error;
};

static BW_PART_DATA(whatif_of, struct whatif, WHATIF)

static void end(struct bw_session *session)
{
	struct whatif *whatif = whatif_of(session);
	bw_part_halt(session, BW_PART_WHATIF);
	bw_session_leave(session, whatif->now);
	bw_session_leave(session, whatif->search);
	free(whatif->line);
	*whatif = (struct whatif){0};
	session->tries = false;
}

static void take_change(struct bw_session *session, const char *line, const struct bw_settings *options,
			const struct bw_constraints *constraints)
{
	struct whatif *whatif = whatif_of(session);
	whatif->now = bw_search_fork(session->search, NULL, NULL);
	whatif->search = bw_search_fork(session->search, options, constraints);
	whatif->line = bw_strdup(line);
}

static double best_at_end(const struct bw_search *search)
{
	return bw_search_state(search, bw_search_n_decisions(search), 0)->cost;
}

/* Puts into the message how the best cost at the end changes. */
static void tell(struct bw_session *session, const struct whatif *whatif)
{
	const struct bw_cost_model *model = bw_search_settings(whatif->search)->model;
	double before = best_at_end(whatif->now), after = best_at_end(whatif->search);
	bw_session_tell(session, false, "best %.4g %s at the end, %s against %.4g, with %.300s", after, model->said,
			bw_change_of(model, before, after).text, before, whatif->line);
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

static bool is_wanted(const struct bw_session *session)
{
	return session->tries;
}

static void take_end(struct bw_session *session, bool ended)
{
	struct whatif *whatif = whatif_of(session);
	if (!ended)
		return;
	if (whatif->status == BW_SEARCH_DEAD)
		bw_session_tell(session, false, "%s: %.470s", whatif->dead, whatif->error.text);
	else
		tell(session, whatif);
	end(session);
}

/* Runs the command up to the point where it would change the search. */
static bool take(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_selection selection = session->selection;
	int cursor = session->cursor, target = session->target;
	own_of(session)->trial = take_change;
	bool good = bw_call_run(call);
	own_of(session)->trial = NULL;
	session->selection = selection;
	session->cursor = cursor;
	session->target = target;
	return good;
}

bool bw_whatif_try(struct call *call)
{
	struct bw_session *session = call->session;
	struct whatif *whatif = whatif_of(session);
	end(session);
	if (!take(call))
		return false;
	if (!whatif->search)
		return bw_fail(call->error, BW_ERROR_FAILED, "`%s` changes nothing", call->line);
	if (strlen(whatif->line) > LONG_LINE) {
		free(whatif->line);
		whatif->line = bw_strdup(call->line);
	}
	session->tries = true;
	return true;
}

const char *bw_whatif_line(const struct bw_session *session)
{
	return whatif_of(session)->line;
}

static void stop(struct bw_session *session)
{
	if (!session->tries || own_of(session)->stopping.runs)
		return;
	end(session);
	bw_session_tell(session, false, "stopped; nothing was changed");
}

const struct bw_session_part bw_part_whatif = {
    .size = sizeof(struct whatif),
    .run = run,
    .wanted = is_wanted,
    .take = take_end,
    .changed = end,
    .stop = stop,
    .end = end,
};
