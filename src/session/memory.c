/* What the journal's searches take is bounded: those that are farthest from where the session is are
 * forgotten, and found again, the same bit for bit, when undo, redo or jump come to them. Searches that
 * nobody needs any more are given back on a routine, so that no key waits for it. */
#include <stdlib.h>

#include "session/journal_private.h"

void bw_session_leave(struct bw_session *session, struct bw_search *search)
{
	struct journal *journal = bw_journal_of(session);
	if (!search)
		return;
	bw_advance_leave(session, search);
	BW_GROW(journal->leaving, journal->n_leaving, journal->leaving_capacity);
	journal->leaving[journal->n_leaving++] = search;
}

static void give_back(const struct bw_yield *yield, void *data)
{
	bw_search_give_back(data, yield);
}

bool bw_leaving_wanted(const struct bw_session *session)
{
	return bw_journal_of(session)->n_leaving || bw_journal_of(session)->gives_back;
}

struct bw_routine *bw_leaving_work(struct bw_session *session)
{
	struct journal *journal = bw_journal_of(session);
	if (!journal->gives_back)
		journal->gives_back = bw_routine_new(give_back, journal->leaving[--journal->n_leaving]);
	return journal->gives_back;
}

void bw_leaving_take(struct bw_session *session, bool ended)
{
	struct journal *journal = bw_journal_of(session);
	if (!ended)
		return;
	bw_routine_end(journal->gives_back);
	journal->gives_back = NULL;
}

void bw_leaving_end(struct journal *journal)
{
	bw_routine_end(journal->gives_back);
	journal->gives_back = NULL;
	while (journal->n_leaving)
		bw_search_free(journal->leaving[--journal->n_leaving]);
	free(journal->leaving);
}

void bw_snapshot_end(struct journal *journal, struct snapshot *snapshot)
{
	bw_session_leave(journal->session, snapshot->search);
	bw_constraints_free(&snapshot->constraints);
	bw_walk_drop(snapshot->walk);
	*snapshot = (struct snapshot){0};
}

int64_t bw_session_history_bytes(const struct bw_session *session)
{
	const struct journal *journal = bw_journal_of(session);
	int64_t bytes = bw_search_bytes(session->search);
	for (int i = 0; i < session->n_journal; i++)
		bytes += journal->entries[i].other.search ? bw_search_bytes(journal->entries[i].other.search) : 0;
	for (int i = 0; i < journal->n_aside; i++)
		bytes += journal->aside[i].other.search ? bw_search_bytes(journal->aside[i].other.search) : 0;
	return bytes;
}

/* The entry whose search is remembered and most commands away; NULL: none. */
static struct entry *farthest(struct journal *journal)
{
	struct entry *found = NULL;
	int most = 0;
	for (int i = 0; i < journal->session->n_journal; i++) {
		int away = i < journal->n_done ? journal->n_done - i : i - journal->n_done + 1;
		if (journal->entries[i].other.search && away > most) {
			found = &journal->entries[i];
			most = away;
		}
	}
	return found;
}

static void forget(struct journal *journal, struct snapshot *snapshot)
{
	snapshot->constraints = bw_constraints_copy(bw_search_constraints(snapshot->search));
	snapshot->target = bw_search_reached(snapshot->search);
	snapshot->stood = snapshot->cursor;
	bw_session_leave(journal->session, snapshot->search);
	snapshot->search = NULL;
}

void bw_session_forget(struct journal *journal)
{
	struct entry *entry;
	while (bw_session_history_bytes(journal->session) > journal->history_limit && (entry = farthest(journal)))
		forget(journal, &entry->other);
}

void bw_session_stand(struct bw_session *session, int first)
{
	struct journal *journal = bw_journal_of(session);
	for (int i = first; i < session->n_journal; i++) {
		struct snapshot *snapshot = &journal->entries[i].other;
		if (!snapshot->search || snapshot->cursor >= session->cursor)
			continue;
		int end = bw_search_n_decisions(snapshot->search);
		forget(journal, snapshot);
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
