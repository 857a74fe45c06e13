/* Private to the files of the journal: the journal itself, its history as a tree, and the memory that its
 * searches take. */
#pragma once
#include "session/core.h"

/* What a command that changes the search replaced, so that undo is an exchange. */
struct snapshot {
	struct bw_search *search; /* NULL: forgotten, to be made again from: */
	struct bw_constraints constraints; /* owned if `search` is NULL; else empty */
	int stood; /* the cursor after it was made again; before that, it runs to its target, as far as
		      it had come */
	struct bw_settings options;
	int cursor, target;
	struct bw_selection selection;
	struct bw_walk *walk; /* through another scheduler; NULL: there is none */
};

struct entry {
	char *line;
	int point;             /* its number in the history */
	bool new_point;        /* the history has got it with this entry */
	struct snapshot other; /* the state before the command; once it is undone, the state after it */
};

struct point {
	char *line; /* NULL: forgotten */
	int parent; /* number of the preceding point; 0: the beginning */
};

struct journal {
	struct bw_session *session;
	struct entry *entries; /* session->n_journal of them, undone ones last */
	int entries_capacity;
	struct bw_journal_entry *published;
	int n_done; /* entries that are not undone */
	struct entry *aside; /* entries that were undone when the newest was made: a conflict gives them back */
	int n_aside;
	int n_proven; /* entries done, from the first on, whose searches came back to the user's place.
			 Later ones may still be conflicts */
	int floor; /* point of the history that the command undo does not leave; 0: none */
	bool recalls; /* a forgotten search runs again to its former position, and then gets its former
			 selection */
	int recalled_cursor;
	struct bw_selection recalled;
	int64_t history_limit;      /* BW_HISTORY_BYTES; tests have less */
	struct bw_search **leaving; /* to be given back when there is time for it */
	int n_leaving, leaving_capacity;
	struct point *points;       /* of the history: number 1 first */
	int n_points, points_capacity, n_forgotten;
	int *grafted; /* while a saved session is loaded: points by the numbers that its file gives them */
	int n_grafted, grafted_capacity;
	struct bw_bookmark *bookmarks;
	int n_bookmarks, bookmarks_capacity;
};

static inline BW_PART_DATA(bw_journal_of, struct journal, JOURNAL)

/* Reads a comment of a saved session: a point of the history, or a bookmark. */
void bw_history_comment(struct bw_session *session, const char *line);
/* Frees the data of a snapshot, and later its search, when there is time for it. */
void bw_snapshot_end(struct journal *journal, struct snapshot *snapshot);
/* Makes a snapshot's search anew if it was forgotten. Returns true if so: the session then runs it to
 * its former position. */
bool bw_session_recall(struct bw_session *session, struct snapshot *snapshot);
/* Forgets searches of the journal, the farthest from the session's point first, until the others fit
 * the limit. */
void bw_session_forget(struct journal *journal);
/* Returns the number of the point that a line leads to from the present point; adds it if it is new. */
int bw_history_add(struct journal *journal, const char *line, bool *is_new);
/* Removes a point, whose command led to a conflict. Its bookmarks move to where that was given. */
void bw_history_drop(struct journal *journal, int point);
void bw_history_end(struct journal *journal);
/* Frees the searches that were left, the newest first (const struct bw_session_part, run). */
void bw_leaving_run(const struct bw_yield *yield, void *data);
