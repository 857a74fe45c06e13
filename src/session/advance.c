/* Runs of the search to a target: a decision at which the user wants to be, or a cost. */

#include "session/core.h"

struct advancing {
	struct bw_search *search;
	int target;
	enum bw_search_status status;
	struct bw_error error;
};

static BW_PART_DATA(advancing_of, struct advancing, ADVANCE)

/* Returns true if the best state at a position meets the condition of `until`. With `less`: the state is
 * complete and costs less than the condition's cost. Without: it costs more. */
static bool is_met(const struct bw_search *search, const struct bw_until *until, int position)
{
	const struct bw_state *best = bw_search_state(search, position, 0);
	return until->less ? bw_nest_complete(best->nest) && best->cost < until->cost : best->cost > until->cost;
}

static void say(struct bw_session *session, const char *what, int position)
{
	BW_SCOPED_TEXT name = {0};
	bw_session_decision_name(session, position, &name);
	bw_session_tell(session, false, "%s%d of %d: %s, best %.4g %s", what, position,
			bw_search_n_decisions(session->search), bw_text_get(&name),
			bw_search_state(session->search, position, 0)->cost, session->options.model->said);
}

/* Returns the first position after `before` at which a run is to stop. Returns -1 if it is not known yet or
 * no condition is set. */
static int until_reached(struct bw_session *session, int before)
{
	struct bw_until *until = &own_of(session)->until;
	int reached = bw_search_reached(session->search), n = bw_search_n_decisions(session->search);
	for (int p = before + 1; until->active && p <= reached; p++)
		if (is_met(session->search, until, p)) {
			until->active = false;
			say(session, "at ", p);
			return p;
		}
	if (until->active && reached == n) {
		until->active = false;
		say(session, until->less ? "no schedule costs less; at " : "no state costs more; at ", n);
	}
	return -1;
}

int bw_until_position(struct bw_session *session, int before, bool *active)
{
	int found = until_reached(session, before);
	*active = own_of(session)->until.active;
	return found;
}

static void advance(const struct bw_yield *yield, void *data)
{
	struct advancing *advancing = data;
	advancing->status = bw_search_advance(advancing->search, advancing->target, yield, &advancing->error);
}

void bw_advance_end(struct bw_session *session)
{
	bw_part_halt(session, BW_PART_ADVANCE);
}

static bool is_wanted(const struct bw_session *session)
{
	return session->target >= 0;
}

static struct bw_routine *work(struct bw_session *session)
{
	struct advancing *advancing = advancing_of(session);
	if (advancing->search != session->search || advancing->target != session->target)
		bw_advance_end(session);
	own_of(session)->advances = advancing->search = session->search;
	advancing->target = session->target;
	return bw_part_routine(session, BW_PART_ADVANCE);
}

/* Moves the cursor as far as the search has come, but not beyond the run's target or the position at which
 * the run stops. */
static void follow(struct bw_session *session)
{
	int reached = bw_search_reached(session->search);
	int cursor = reached < session->target ? reached : session->target,
	    until = until_reached(session, session->cursor);
	if (until >= 0) {
		cursor = until;
		bw_advance_end(session);
		session->target = -1;
		bw_journal_prove(session);
	}
	if (cursor == session->cursor)
		return;
	session->cursor = cursor;
	session->selection.option = session->selection.group = -1;
	bw_session_clamp(session);
}

/* Takes back the newest command, which left a Func without legal options. If this Func was held before that
 * command, adds a hint that freeing it may help. */
static void take_back(struct bw_session *session, const struct bw_error *error)
{
	int func = bw_search_decision(session->search, bw_search_reached(session->search))->func;
	bw_session_take_back(session, error);
	const struct bw_constraint *held = func < 0 ? NULL : bw_session_constraint(session, func);
	size_t length = strlen(session->message);
	if (!held || !bw_constraint_holds(held))
		return;
	const char *name = session->pipeline->funcs[func].name;
	snprintf(session->message + length, sizeof session->message - length,
		 "; %s is held where it was: `unfreeze %s` frees it", name, name);
}

static void take(struct bw_session *session, bool ended)
{
	struct advancing *advancing = advancing_of(session);
	follow(session);
	bw_session_touch(session);
	if (!ended || session->target < 0)
		return;
	if (advancing->status == BW_SEARCH_DEAD && bw_journal_unproven(session)) {
		take_back(session, &advancing->error);
	} else if (advancing->status == BW_SEARCH_DEAD) {
		session->target = -1;
		bw_session_tell(session, true, "%.500s", advancing->error.text);
	} else if (advancing->status == BW_SEARCH_DONE) {
		bw_journal_arrived(session);
	}
}

static void forget(struct bw_session *session)
{
	own_of(session)->until.active = false;
}

static void stop(struct bw_session *session)
{
	if (!own_of(session)->stopping.runs)
		return;
	bw_advance_end(session);
	session->target = -1;
	bw_journal_prove(session);
	bw_session_tell(session, false, "stopped at decision %d of %d%s", session->cursor,
			bw_search_n_decisions(session->search), own_of(session)->stopping.waits ? "; what waited is not done" : "");
	bw_parts_settled(session);
}

const struct bw_session_part bw_part_advance = {
    .size = sizeof(struct advancing),
    .run = advance,
    .wanted = is_wanted,
    .work = work,
    .take = take,
    .changed = forget,
    .stop = stop,
    .end = bw_advance_end,
};
