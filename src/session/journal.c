/* The journal: a line for each command that changed the search, with the state that the command replaced.
 * Undo and redo exchange this state with the present one. */

#include "base/say.h"
#include "session/journal_private.h"

static void free_entry(struct journal *journal, struct entry *entry)
{
	free(entry->line);
	bw_snapshot_end(journal, &entry->other);
}

static void truncate_journal(struct journal *journal, int n)
{
	while (journal->session->n_journal > n)
		free_entry(journal, &journal->entries[--journal->session->n_journal]);
}

static void drop_aside(struct journal *journal)
{
	while (journal->n_aside)
		free_entry(journal, &journal->aside[--journal->n_aside]);
	free(journal->aside);
	journal->aside = NULL;
}

/* Moves the undone entries from the journal to `aside`. */
static void set_aside(struct journal *journal)
{
	drop_aside(journal);
	journal->n_aside = journal->session->n_journal - journal->n_done;
	journal->aside = BW_NEW_ARRAY(struct entry, journal->n_aside);
	for (int i = 0; i < journal->n_aside; i++)
		journal->aside[i] = journal->entries[journal->n_done + i];
	journal->session->n_journal = journal->n_done;
}

/* Moves the entries of `aside` back to the end of the journal. */
static void put_back(struct journal *journal)
{
	for (int i = 0; i < journal->n_aside; i++) {
		BW_PUSH(journal->entries, journal->session->n_journal, journal->entries_capacity, journal->aside[i]);
	}
	journal->n_aside = 0;
}

static void publish_journal(struct journal *journal)
{
	struct bw_session *session = journal->session;
	bw_parts_changed(session);
	session->selection.alternative = 0;
	journal->published =
	    bw_resize_array(journal->published, (size_t)session->n_journal, sizeof *journal->published);
	for (int i = 0; i < session->n_journal; i++)
		journal->published[i] = (struct bw_journal_entry){journal->entries[i].line, i >= journal->n_done};
	session->journal = journal->published;
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

/* Exchanges the session's search and place with the snapshot's. Returns true if the snapshot's search was
 * forgotten; the search then has to run again to its former position. */
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
	bw_journal_of(session)->recalls = forgotten;
	bw_journal_of(session)->recalled_cursor = other->stood;
	bw_journal_of(session)->recalled = session->selection;
	*other = mine;
	return forgotten;
}

void bw_session_change(struct bw_session *session, const char *line, const struct bw_settings *options,
		       const struct bw_constraints *constraints)
{
	struct own *own = own_of(session);
	struct journal *journal = bw_journal_of(session);
	if (own->trial) {
		own->trial(session, line, options, constraints);
		return;
	}
	int stood = session->target > session->cursor ? session->target : session->cursor;
	bool new_point;
	int point = bw_history_add(journal, line, &new_point);
	set_aside(journal);
	BW_GROW(journal->entries, session->n_journal, journal->entries_capacity);
	struct entry *entry = &journal->entries[session->n_journal++];
	journal->n_done = session->n_journal;
	entry->line = bw_strdup(line);
	entry->point = point;
	entry->new_point = new_point;
	entry->other = snapshot_of(session);
	own->walk = bw_walk_keep(own->walk_given ? own->next_walk : own->walk);
	bool at_end = stood >= bw_search_n_decisions(session->search);
	session->search = bw_search_fork(session->search, options, constraints);
	int end = bw_search_n_decisions(session->search);
	stood = at_end || stood > end ? end : stood; /* the end has moved if the number of passes changed */
	if (options)
		session->options = *options;
	int reached = bw_search_reached(session->search);
	session->cursor = stood < reached ? stood : reached;
	session->target = stood;
	session->selection.option = session->selection.group = -1;
	journal->recalls = false;
	bw_session_forget(journal);
	publish_journal(journal);
}

const struct bw_settings *bw_session_first_options(const struct bw_session *session)
{
	const struct journal *journal = bw_journal_of(session);
	return journal->n_done ? &journal->entries[0].other.options : &session->options;
}

/* Takes back the newest command. If an earlier command's search had not returned to the user's position yet,
 * that search continues. */
static bool revert(struct journal *journal)
{
	bool forgotten = exchange(journal->session, &journal->entries[--journal->n_done].other);
	if (journal->session->target < 0 || journal->n_proven > journal->n_done)
		journal->n_proven = journal->n_done;
	return forgotten;
}

void bw_session_take_back(struct bw_session *session, const struct bw_error *error)
{
	struct journal *journal = bw_journal_of(session);
	revert(journal);
	bw_parts_taken_back(session, journal->entries[journal->n_done].line);
	if (journal->entries[journal->n_done].new_point)
		bw_history_drop(journal, journal->entries[journal->n_done].point);
	truncate_journal(journal, journal->n_done);
	put_back(journal);
	publish_journal(journal);
	bw_session_tell(session, true, "%.440s; nothing was changed", error->text);
}

bool bw_session_undo(struct call *call)
{
	struct journal *journal = bw_journal_of(call->session);
	if (!journal->n_done)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing to undo");
	drop_aside(journal);
	bool forgotten = revert(journal);
	bool arrived = call->session->target <= bw_search_reached(call->session->search);
	if (journal->n_proven == journal->n_done && !forgotten && arrived)
		call->session->target = -1;
	publish_journal(journal);
	bw_session_say(call, "undone: %s", journal->entries[journal->n_done].line);
	return true;
}

void bw_session_return(struct bw_session *session, int n_done, int cursor,
		       const struct bw_selection *selection)
{
	struct journal *journal = bw_journal_of(session);
	while (journal->n_done > n_done)
		exchange(session, &journal->entries[--journal->n_done].other);
	truncate_journal(journal, journal->n_done);
	int reached = bw_search_reached(session->search);
	session->cursor = cursor < reached ? cursor : reached;
	session->target = cursor > reached ? cursor : -1; /* the search was forgotten, and has to run to
							     `cursor` again */
	session->selection = *selection;
	journal->recalls = false;
	journal->n_proven = journal->n_done;
	publish_journal(journal);
}

bool bw_session_redo(struct call *call)
{
	struct journal *journal = bw_journal_of(call->session);
	if (journal->n_done == call->session->n_journal)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing to redo");
	struct entry *entry = &journal->entries[journal->n_done++];
	drop_aside(journal);
	exchange(call->session, &entry->other);
	if (call->session->target < 0)
		journal->n_proven = journal->n_done;
	publish_journal(journal);
	bw_session_say(call, "done again: %s", entry->line);
	return true;
}

/* Returns the nest of the state that was selected before the newest command or, if there is no such state, of
 * the best one. */
const struct bw_nest *bw_nest_before(struct call *call)
{
	const struct journal *journal = bw_journal_of(call->session);
	const struct snapshot *before = journal->n_done ? &journal->entries[journal->n_done - 1].other : NULL;
	const struct bw_state *const *states;
	if (!before || !before->search) {
		bw_fail(
		    call->error, BW_ERROR_FAILED,
		    before
			? "what was before the newest command is no longer remembered; `undo` finds it again"
			: "nothing was changed yet: there is nothing before it");
		return NULL;
	}
	int reached = bw_search_reached(before->search), cursor = call->session->cursor,
	    position = cursor < reached ? cursor : reached;
	int n = bw_search_beam(before->search, position, &states),
	    rank = position == before->cursor && before->selection.state < n ? before->selection.state : 0;
	return states[rank]->nest;
}

bool bw_journal_at_floor(const struct bw_session *session)
{
	return bw_journal_of(session)->floor && bw_session_point(session) == bw_journal_of(session)->floor;
}

void bw_journal_set_floor(struct bw_session *session, int point)
{
	bw_journal_of(session)->floor = point;
}

int bw_journal_done(const struct bw_session *session)
{
	return bw_journal_of(session)->n_done;
}

int bw_journal_point(const struct bw_session *session, int entry)
{
	return bw_journal_of(session)->entries[entry].point;
}

void bw_journal_prove(struct bw_session *session)
{
	bw_journal_of(session)->n_proven = bw_journal_of(session)->n_done;
}

bool bw_journal_unproven(const struct bw_session *session)
{
	return bw_journal_of(session)->n_done > bw_journal_of(session)->n_proven;
}

/* Adds to the message of the command that has just run how it changed the cost of the whole schedule. */
static void say_cost(struct journal *journal)
{
	struct bw_session *session = journal->session;
	bool fresh = journal->n_done > journal->n_proven;
	const struct entry *entry = fresh ? &journal->entries[journal->n_done - 1] : NULL;
	const struct bw_search *before = entry ? entry->other.search : NULL;
	const struct bw_state *const *were, *const *are;
	if (!before || journal->recalls || strcmp(session->message, entry->line) != 0 ||
	    entry->other.options.model != session->options.model)
		return;
	int end = bw_search_n_decisions(before), now = bw_search_n_decisions(session->search);
	if (bw_search_reached(before) < end || session->cursor < now || !bw_search_beam(before, end, &were) ||
	    !bw_search_beam(session->search, now, &are))
		return;
	double was = were[0]->cost, cost = are[0]->cost;
	bool same = cost == was,
	     missed = cost > was && bw_state_allowed(session->search, were[0], session->options.passes);
	snprintf(session->message, sizeof session->message, "%s %s, %s%s%s%s%s: %s", bw_say_cost(cost).text,
		 session->options.model->said, same ? "as before" : "was ", same ? "" : bw_say_cost(was).text,
		 same ? "" : ", ", same ? "" : bw_change_of(session->options.model, was, cost).text,
		 missed ? ", though the best before keeps to it" : "", entry->line);
}

/* Ends a run that has reached its target. If the search had been forgotten, restores its former cursor and
 * selection. */
void bw_journal_arrived(struct bw_session *session)
{
	struct journal *journal = bw_journal_of(session);
	session->target = -1;
	say_cost(journal);
	bw_journal_prove(session);
	if (journal->recalls) {
		session->cursor = journal->recalled_cursor;
		session->selection = journal->recalled;
	}
	journal->recalls = false;
	bw_session_forget(journal);
}

void bw_session_stand_at(struct bw_session *session, int position, const struct bw_selection *selection)
{
	struct journal *journal = bw_journal_of(session);
	int reached = bw_search_reached(session->search), n = bw_search_n_decisions(session->search);
	position = position < n ? position : n;
	bw_session_set_until(session, &(struct bw_until){0});
	session->target = position > reached ? position : -1;
	session->cursor = position > reached ? reached : position;
	session->selection = *selection;
	journal->recalls = position > reached;
	journal->recalled_cursor = position;
	journal->recalled = *selection;
	bw_session_clamp(session);
}

static void begin(struct bw_session *session)
{
	bw_journal_of(session)->session = session;
	bw_journal_of(session)->history_limit = BW_HISTORY_BYTES;
}

static void end(struct bw_session *session)
{
	struct journal *journal = bw_journal_of(session);
	truncate_journal(journal, 0);
	drop_aside(journal);
	free(journal->entries);
	free(journal->published);
	bw_history_end(journal);
}

static void free_all(struct bw_session *session)
{
	struct journal *journal = bw_journal_of(session);
	while (journal->n_leaving)
		bw_search_free(journal->leaving[--journal->n_leaving]);
	free(journal->leaving);
}

static bool is_wanted(const struct bw_session *session)
{
	return bw_journal_of(session)->n_leaving || bw_part_runs(session, BW_PART_JOURNAL);
}

static bool unseen(const struct bw_session *session)
{
	(void)session;
	return true;
}

const struct bw_session_part bw_part_journal = {
    .size = sizeof(struct journal),
    .begin = begin,
    .run = bw_leaving_run,
    .wanted = is_wanted,
    .unseen = unseen,
    .comment = bw_history_comment,
    .end = end,
    .free = free_all,
};
