/* The journal: what changed the search, line by line, with what each line replaced, so that undo and redo are
 * exchanges. */
#include <stdio.h>
#include <stdlib.h>

#include "session/session_private.h"

static void free_entry(struct own *own, struct entry *entry)
{
	free(entry->line);
	bw_snapshot_end(own, &entry->other);
}

static void truncate_journal(struct own *own, int n)
{
	while (own->session.n_journal > n)
		free_entry(own, &own->entries[--own->session.n_journal]);
}

static void drop_aside(struct own *own)
{
	while (own->n_aside)
		free_entry(own, &own->aside[--own->n_aside]);
	free(own->aside);
	own->aside = NULL;
}

/* Takes the entries that are undone out of the journal. */
static void set_aside(struct own *own)
{
	drop_aside(own);
	own->n_aside = own->session.n_journal - own->n_done;
	own->aside = BW_NEW_ARRAY(struct entry, own->n_aside);
	for (int i = 0; i < own->n_aside; i++)
		own->aside[i] = own->entries[own->n_done + i];
	own->session.n_journal = own->n_done;
}

/* Puts them back at its end. */
static void put_back(struct own *own)
{
	for (int i = 0; i < own->n_aside; i++) {
		BW_GROW(own->entries, own->session.n_journal, own->entries_capacity);
		own->entries[own->session.n_journal++] = own->aside[i];
	}
	own->n_aside = 0;
}

void bw_journal_end(struct own *own)
{
	truncate_journal(own, 0);
	drop_aside(own);
	free(own->entries);
	free(own->journal);
	bw_history_end(own);
}

static void publish_journal(struct own *own)
{
	own->expanded.search = NULL;
	bw_shown_stop(own);
	bw_whatif_end(&own->session);
	bw_alternatives_end(own);
	own->until.active = false;
	own->session.selection.alternative = 0;
	struct bw_session *session = &own->session;
	own->journal = bw_resize_array(own->journal, (size_t)session->n_journal, sizeof *own->journal);
	for (int i = 0; i < session->n_journal; i++)
		own->journal[i] = (struct bw_journal_entry){own->entries[i].line, i >= own->n_done};
	session->journal = own->journal;
	bw_session_touch(session);
}

static struct snapshot snapshot_of(const struct bw_session *session)
{
	return (struct snapshot){.search = session->search,
				 .options = session->options,
				 .cursor = session->cursor,
				 .target = session->target,
				 .selection = session->selection,
				 .walk = own_of(session)->walk};
}

/* Exchanges the session's search and place with the snapshot's. Returns true if that was forgotten:
 * then it is to be run again to where it stood. */
static bool exchange(struct bw_session *session, struct snapshot *other)
{
	bool forgotten = bw_session_recall(session, other);
	struct snapshot mine = snapshot_of(session);
	session->search = other->search;
	session->options = other->options;
	session->cursor = other->cursor;
	session->target = other->target;
	session->selection = other->selection;
	own_of(session)->walk = other->walk;
	own_of(session)->recalls = forgotten;
	own_of(session)->recalled_cursor = other->stood;
	own_of(session)->recalled = session->selection;
	*other = mine;
	return forgotten;
}

void bw_session_change(struct bw_session *session, const char *line, const struct bw_search_options *options,
		       const struct bw_constraints *constraints)
{
	struct own *own = own_of(session);
	if (bw_whatif_take(session, line, options, constraints))
		return;
	int stood = session->target > session->cursor ? session->target : session->cursor;
	bool new_point;
	int point = bw_history_add(own, line, &new_point);
	set_aside(own);
	BW_GROW(own->entries, session->n_journal, own->entries_capacity);
	struct entry *entry = &own->entries[session->n_journal++];
	own->n_done = session->n_journal;
	entry->line = bw_strdup(line);
	entry->point = point;
	entry->new_point = new_point;
	entry->other = snapshot_of(session);
	own->walk = bw_walk_keep(own->walking.given ? own->walking.next : own->walk);
	bool at_end = stood >= bw_search_n_decisions(session->search);
	session->search = bw_search_fork(session->search, options, constraints);
	int end = bw_search_n_decisions(session->search);
	stood = at_end || stood > end ? end : stood; /* another number of passes moves the end */
	if (options)
		session->options = *options;
	int reached = bw_search_reached(session->search);
	session->cursor = stood < reached ? stood : reached;
	session->target = stood;
	session->selection.option = session->selection.group = -1;
	own->recalls = false;
	bw_session_forget(own);
	publish_journal(own);
}

const struct bw_search_options *bw_session_first_options(const struct bw_session *session)
{
	const struct own *own = own_of(session);
	return own->n_done ? &own->entries[0].other.options : &session->options;
}

/* Takes the newest command back. One before it whose search had not come back yet goes on with that. */
static bool revert(struct own *own)
{
	bool forgotten = exchange(&own->session, &own->entries[--own->n_done].other);
	if (own->session.target < 0 || own->n_proven > own->n_done)
		own->n_proven = own->n_done;
	return forgotten;
}

void bw_session_take_back(struct bw_session *session, const struct bw_error *error)
{
	struct own *own = own_of(session);
	revert(own);
	bw_edited_taken_back(own, own->entries[own->n_done].line);
	if (own->entries[own->n_done].new_point)
		bw_history_drop(own, own->entries[own->n_done].point);
	truncate_journal(own, own->n_done);
	put_back(own);
	publish_journal(own);
	snprintf(session->message, sizeof session->message, "%.440s; nothing was changed", error->text);
	session->message_is_error = true;
}

bool bw_session_undo(struct call *call)
{
	struct own *own = own_of(call->session);
	if (!own->n_done)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing to undo");
	drop_aside(own);
	bool forgotten = revert(own);
	if (own->n_proven == own->n_done && !forgotten)
		call->session->target = -1;
	publish_journal(own);
	bw_session_say(call, "undone: %s", own->entries[own->n_done].line);
	return true;
}

void bw_session_return(struct bw_session *session, int n_done, int cursor,
		       const struct bw_selection *selection)
{
	struct own *own = own_of(session);
	while (own->n_done > n_done)
		exchange(session, &own->entries[--own->n_done].other);
	truncate_journal(own, own->n_done);
	int reached = bw_search_reached(session->search);
	session->cursor = cursor < reached ? cursor : reached;
	session->target = cursor > reached ? cursor : -1; /* where its search was forgotten */
	session->selection = *selection;
	own->recalls = false;
	own->n_proven = own->n_done;
	publish_journal(own);
}

bool bw_session_redo(struct call *call)
{
	struct own *own = own_of(call->session);
	if (own->n_done == call->session->n_journal)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing to redo");
	struct entry *entry = &own->entries[own->n_done++];
	drop_aside(own);
	exchange(call->session, &entry->other);
	if (call->session->target < 0)
		own->n_proven = own->n_done;
	publish_journal(own);
	bw_session_say(call, "done again: %s", entry->line);
	return true;
}
