/* What goes on between commands: each part computes on a routine of its own (base/routine.h), and one of them
 * has the turn at a time. */
#include "session/core.h"

/* Returns the part with the most urgent work; NULL if there is none. */
static const struct bw_session_part *most_urgent(const struct bw_session *session)
{
	for (int i = 0; i < BW_N_PARTS; i++) {
		const struct bw_session_part *part = bw_session_part(session, (enum bw_part_id)i);
		if (part && part->wanted && part->wanted(session))
			return part;
	}
	return NULL;
}

/* Looks after what runs in other processes. */
static void poll_others(struct bw_session *session)
{
	for (int i = 0; i < BW_N_PARTS; i++) {
		const struct bw_session_part *part = bw_session_part(session, (enum bw_part_id)i);
		if (part && part->poll)
			part->poll(session);
	}
}

/* Finds what is to go on. Returns false if there is nothing. */
static bool choose(struct bw_session *session)
{
	struct own *own = own_of(session);
	own->released = NULL;
	own->before_work = session->generation;
	while (!own->released && (own->working = most_urgent(session))) {
		own->released = own->working->work(session);
		if (!own->released)
			own->working->take(session, true);
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
	const struct bw_session_part *part = own->working;
	uint64_t before = own->before_work;
	own->released = NULL;
	own->working = NULL;
	if (part)
		part->take(session, ended);
	poll_others(session);
	if (session->generation != before && session->target < 0)
		bw_parts_settled(session);
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
	const struct bw_session_part *part = most_urgent(session);
	return part && !part->unseen;
}

bool bw_session_busy(const struct bw_session *session)
{
	bool busy = runs(session);
	for (int i = 0; i < BW_N_PARTS && !busy; i++) {
		const struct bw_session_part *part = bw_session_part(session, (enum bw_part_id)i);
		busy = part && part->busy && part->busy(session);
	}
	return busy;
}

bool bw_session_under_way(const struct bw_session *session)
{
	return most_urgent(session);
}
