/* What the journal's searches take is bounded: those that are farthest from where the session is are
 * forgotten, and found again, the same bit for bit, when undo, redo or jump come to them. Searches that
 * nobody needs any more are given back on a routine, so that no key waits for it. */
#include <stdlib.h>

#include "session/session_private.h"

void bw_session_leave(struct own *own, struct bw_search *search)
{
	if (!search)
		return;
	if (own->advancing.search == search)
		bw_advancing_end(own);
	BW_GROW(own->leaving, own->n_leaving, own->leaving_capacity);
	own->leaving[own->n_leaving++] = search;
}

static void give_back(const struct bw_yield *yield, void *data)
{
	bw_search_give_back(data, yield);
}

struct bw_routine *bw_leaving_begin(struct bw_session *session)
{
	struct own *own = own_of(session);
	if (!own->gives_back)
		own->gives_back = bw_routine_new(give_back, own->leaving[--own->n_leaving]);
	return own->gives_back;
}

void bw_leaving_take(struct bw_session *session, bool ended)
{
	struct own *own = own_of(session);
	if (!ended)
		return;
	bw_routine_end(own->gives_back);
	own->gives_back = NULL;
}

void bw_leaving_end(struct own *own)
{
	bw_routine_end(own->gives_back);
	own->gives_back = NULL;
	while (own->n_leaving)
		bw_search_free(own->leaving[--own->n_leaving]);
	free(own->leaving);
}

void bw_snapshot_end(struct own *own, struct snapshot *snapshot)
{
	bw_session_leave(own, snapshot->search);
	bw_constraints_free(&snapshot->constraints);
	bw_walk_drop(snapshot->walk);
	*snapshot = (struct snapshot){0};
}

int64_t bw_session_history_bytes(const struct bw_session *session)
{
	const struct own *own = own_of(session);
	int64_t bytes = bw_search_bytes(session->search);
	for (int i = 0; i < session->n_journal; i++)
		bytes += own->entries[i].other.search ? bw_search_bytes(own->entries[i].other.search) : 0;
	for (int i = 0; i < own->n_aside; i++)
		bytes += own->aside[i].other.search ? bw_search_bytes(own->aside[i].other.search) : 0;
	return bytes;
}

/* The entry whose search is remembered and most commands away; NULL: none. */
static struct entry *farthest(struct own *own)
{
	struct entry *found = NULL;
	int most = 0;
	for (int i = 0; i < own->session.n_journal; i++) {
		int away = i < own->n_done ? own->n_done - i : i - own->n_done + 1;
		if (own->entries[i].other.search && away > most) {
			found = &own->entries[i];
			most = away;
		}
	}
	return found;
}

static void forget(struct own *own, struct snapshot *snapshot)
{
	snapshot->constraints = bw_constraints_copy(bw_search_constraints(snapshot->search));
	snapshot->target = bw_search_reached(snapshot->search);
	snapshot->stood = snapshot->cursor;
	bw_session_leave(own, snapshot->search);
	snapshot->search = NULL;
}

void bw_session_forget(struct own *own)
{
	struct entry *entry;
	while (bw_session_history_bytes(&own->session) > own->history_limit && (entry = farthest(own)))
		forget(own, &entry->other);
}

void bw_session_stand(struct own *own, int first)
{
	const struct bw_session *session = &own->session;
	for (int i = first; i < session->n_journal; i++) {
		struct snapshot *snapshot = &own->entries[i].other;
		if (!snapshot->search || snapshot->cursor >= session->cursor)
			continue;
		int end = bw_search_n_decisions(snapshot->search);
		forget(own, snapshot);
		snapshot->target = snapshot->stood = session->cursor < end ? session->cursor : end;
		snapshot->selection.func = session->selection.func;
	}
}

bool bw_session_recall(struct bw_session *session, struct snapshot *snapshot)
{
	if (snapshot->search)
		return false;
	snapshot->search = bw_search_fork(session->search, &snapshot->options, &snapshot->constraints);
	bw_constraints_free(&snapshot->constraints);
	snapshot->constraints = (struct bw_constraints){0};
	int reached = bw_search_reached(snapshot->search);
	snapshot->cursor = reached < snapshot->target ? reached : snapshot->target;
	return true;
}
