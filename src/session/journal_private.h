/* Private to the files of the journal: the journal itself, its history as a tree, and the memory that its
 * searches take. */
#ifndef BW_SESSION_JOURNAL_PRIVATE_H
#define BW_SESSION_JOURNAL_PRIVATE_H
#include "session/core.h"

/* What a command that changes the search replaced, so that undo is an exchange. */
struct snapshot {
	struct bw_search *search; /* NULL: forgotten; what it is to be made from again: */
	struct bw_constraints constraints; /* its own; else none */
	int stood; /* where it is to stand then; it is run to its target before, as far as it was */
	struct bw_settings options;
	int cursor, target;
	struct bw_selection selection;
	struct bw_walk *walk; /* through another scheduler; NULL: there is none */
};

struct entry {
	char *line;
	int point;             /* its number in the history */
	bool new_point;        /* the history has got it with this entry */
	struct snapshot other; /* what was before it; where it is undone, what was after it */
};

struct point {
	char *line; /* NULL: forgotten */
	int parent; /* number of the one before it; 0: the beginning */
};

struct journal {
	struct bw_session *session;
	struct entry *entries; /* as many as session->n_journal; those undone last */
	int entries_capacity;
	struct bw_journal_entry *published;
	int n_done; /* entries that are not undone */
	struct entry *aside; /* entries that were undone when the newest was made: a conflict gives them back */
	int n_aside;
	int n_proven; /* of those done: their searches came back to where the user stood. Those after them may
			 still be conflicts */
	bool recalls; /* a search that was forgotten runs to where it stood, and then has the selection that
			 it had */
	int recalled_cursor;
	struct bw_selection recalled;
	int64_t history_limit;      /* BW_HISTORY_BYTES; tests have less */
	struct bw_search **leaving; /* to be given back when there is time for it */
	int n_leaving, leaving_capacity;
	struct bw_routine *gives_back; /* the last of these; NULL: none of them is being given back */
	struct point *points;          /* of the history: number 1 first */
	int n_points, points_capacity, n_forgotten;
	int *grafted; /* while a saved session is loaded: points by the numbers that its file gives them */
	int n_grafted, grafted_capacity;
};

static inline struct journal *bw_journal_of(const struct bw_session *session)
{
	return bw_part_data(session, BW_PART_JOURNAL);
}

/* Frees what a snapshot owns, and gives its search back when there is time for it. */
void bw_snapshot_end(struct journal *journal, struct snapshot *snapshot);
/* Gives a snapshot its search back if that was forgotten. Returns true if it was: the session then runs to
 * where it stood. */
bool bw_session_recall(struct bw_session *session, struct snapshot *snapshot);
/* Forgets searches of the journal, those farthest from where the session is first, until those remembered
 * keep their limit. */
void bw_session_forget(struct journal *journal);
/* Frees the searches that are still to be given back. */
void bw_leaving_end(struct journal *journal);
bool bw_leaving_wanted(const struct bw_session *session);
struct bw_routine *bw_leaving_work(struct bw_session *session);
void bw_leaving_take(struct bw_session *session, bool ended);
/* Returns the number of the point that a line leads to from where the session is; adds it if it is new. */
int bw_history_add(struct journal *journal, const char *line, bool *is_new);
/* Takes back the newest point, which a conflict has made as if it had never been. */
void bw_history_drop(struct journal *journal, int point);
/* Reads a point of a saved session that is being loaded. */
void bw_history_graft(struct bw_session *session, const char *line);
void bw_history_end(struct journal *journal);
#endif
