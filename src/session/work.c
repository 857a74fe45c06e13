/* What is under way beside commands: each kind of it is computed on a routine of its own (base/routine.h),
 * and one of them has the turn at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "session/session_private.h"

/* A search that was forgotten is as far as it was: the session stands where it stood. */
static void end_recall(struct own *own)
{
	if (own->recalls) {
		own->session.cursor = own->recalled_cursor;
		own->session.selection = own->recalled;
	}
	own->recalls = false;
}

static void advance(const struct bw_yield *yield, void *data)
{
	struct advancing *advancing = data;
	advancing->status = bw_search_advance(advancing->search, advancing->target, yield, &advancing->error);
}

void bw_advancing_end(struct own *own)
{
	bw_routine_end(own->advancing.routine);
	own->advancing.routine = NULL;
}

static bool is_to_advance(const struct bw_session *session)
{
	return session->target >= 0;
}

static struct bw_routine *begin_advance(struct bw_session *session)
{
	struct advancing *advancing = &own_of(session)->advancing;
	if (advancing->search != session->search || advancing->target != session->target)
		bw_advancing_end(own_of(session));
	if (!advancing->routine) {
		*advancing = (struct advancing){.search = session->search, .target = session->target};
		advancing->routine = bw_routine_new(advance, advancing);
	}
	return advancing->routine;
}

/* Moves the cursor to what was reached, or to where a run is to stop. */
static void follow(struct bw_session *session)
{
	struct own *own = own_of(session);
	int reached = bw_search_reached(session->search);
	int cursor = reached < session->target ? reached : session->target,
	    until = bw_until_reached(session, session->cursor);
	if (until >= 0) {
		cursor = until;
		bw_advancing_end(own);
		session->target = -1;
		own->n_proven = own->n_done;
	}
	if (cursor == session->cursor)
		return;
	session->cursor = cursor;
	session->selection.option = session->selection.group = -1;
	bw_session_clamp(session);
}

static void take_advance(struct bw_session *session, bool ended)
{
	struct own *own = own_of(session);
	struct advancing *advancing = &own->advancing;
	follow(session);
	bw_session_touch(session);
	if (!ended || !advancing->routine)
		return;
	bw_advancing_end(own);
	if (advancing->status == BW_SEARCH_DEAD && own->n_done > own->n_proven) {
		bw_session_take_back(session, &advancing->error);
	} else if (advancing->status == BW_SEARCH_DEAD) {
		session->target = -1;
		snprintf(session->message, sizeof session->message, "%.500s", advancing->error.text);
		session->message_is_error = true;
	} else if (advancing->status == BW_SEARCH_DONE) {
		session->target = -1;
		own->n_proven = own->n_done;
		end_recall(own);
		bw_session_forget(own);
	}
}

static bool is_to_expand(const struct bw_session *session)
{
	return own_of(session)->expands_with;
}

static struct bw_routine *begin_expand(struct bw_session *session)
{
	return own_of(session)->expands_with;
}

static void take_expand(struct bw_session *session, bool ended)
{
	if (ended && bw_session_expand_for(session, 0))
		bw_session_touch(session);
}

static bool is_to_give_back(const struct bw_session *session)
{
	return own_of(session)->n_leaving || own_of(session)->gives_back;
}

/* Kinds of work, the most urgent first. */
static const struct part {
	bool (*wanted)(const struct bw_session *session);
	/* Returns the routine, which it begins where there is none; NULL: there is nothing to compute. */
	struct bw_routine *(*begin)(struct bw_session *session);
	/* Takes over what was found. ended: the routine has, or there was none. */
	void (*take)(struct bw_session *session, bool ended);
	bool unseen; /* nobody waits for it */
} parts[] = {
    {bw_later_waits, bw_later_begin, bw_later_take, false},
    {bw_walking, bw_walking_routine, bw_walking_take, false},
    {is_to_advance, begin_advance, take_advance, false},
    {is_to_expand, begin_expand, take_expand, false},
    {bw_alternatives_pending, bw_alternatives_begin, bw_alternatives_take, false},
    {bw_whatif_tries, bw_whatif_begin, bw_whatif_take_end, false},
    {is_to_give_back, bw_leaving_begin, bw_leaving_take, true},
};
enum { N_PARTS = sizeof parts / sizeof *parts };

static const struct part *most_urgent(const struct bw_session *session)
{
	for (int i = 0; i < N_PARTS; i++)
		if (parts[i].wanted(session))
			return &parts[i];
	return NULL;
}

/* Looks after what runs in other processes. */
static void poll_others(struct bw_session *session)
{
	bw_session_poll_devices(session);
	bw_session_poll_jobs(session);
	bw_record_poll(session);
	bw_sweeping_poll(session);
}

/* Finds what is to go on. Returns false if there is nothing. */
static bool choose(struct bw_session *session)
{
	struct own *own = own_of(session);
	own->released = NULL;
	own->before_work = session->generation;
	while (!own->released && (own->part = most_urgent(session))) {
		own->released = own->part->begin(session);
		if (!own->released)
			own->part->take(session, true);
	}
	return own->released;
}

bool bw_session_release(struct bw_session *session)
{
	bool goes_on = choose(session);
	if (goes_on)
		bw_routine_release(own_of(session)->released);
	return goes_on;
}

/* Takes over what was found. ended: what had the turn has. Returns true if anything changed. */
static bool take_over(struct bw_session *session, bool ended)
{
	struct own *own = own_of(session);
	const struct part *part = own->part;
	uint64_t before = own->before_work;
	own->released = NULL;
	own->part = NULL;
	if (part)
		part->take(session, ended);
	poll_others(session);
	if (session->generation != before && session->target < 0)
		bw_session_keep_up(session);
	return session->generation != before;
}

bool bw_session_hold(struct bw_session *session)
{
	struct bw_routine *released = own_of(session)->released;
	return take_over(session, released && bw_routine_hold(released));
}

bool bw_session_work(struct bw_session *session, double seconds)
{
	bool goes_on = choose(session);
	return take_over(session, goes_on && bw_routine_go(own_of(session)->released, seconds));
}

static bool runs(const struct bw_session *session)
{
	const struct part *part = most_urgent(session);
	return part && !part->unseen;
}

bool bw_session_busy(const struct bw_session *session)
{
	return bw_session_has_job(session) || runs(session) || bw_sweeping_fd(own_of(session)) >= 0;
}

bool bw_session_under_way(const struct bw_session *session)
{
	return most_urgent(session);
}
