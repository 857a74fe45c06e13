/* Private to the files of the journal: the journal itself, its history as a tree, and the memory for its
 * earlier searches. */
#pragma once
#include "session/core.h"

/* The session's state that a command replaced. Undo exchanges it with the present state. */
struct snapshot {
	struct bw_search *search; /* NULL: the search was forgotten, and is made again from `constraints` and
				     `options` */
	struct bw_constraints constraints; /* owned if `search` is NULL; else empty */
	int stood; /* the cursor's position to restore after a forgotten search has run again. While it runs,
		      its target is where it had been */
	struct bw_settings options;
	int cursor, target;
	struct bw_selection selection;
	struct bw_walk *walk; /* the walk through another scheduler; NULL: there is none */
};

struct entry {
	char *line;
	int point;             /* number of the entry's point in the history */
	bool new_point;        /* this entry added its point to the history */
	struct snapshot other; /* if the entry is done, the state before its command; if it is undone, the
				  state after it */
};

struct point {
	char *line; /* NULL: forgotten */
	int parent; /* number of the preceding point; 0: the beginning */
};

struct journal {
	struct bw_session *session;
	struct entry *entries; /* session->n_journal entries; undone entries are last */
	int entries_capacity;
	struct bw_journal_entry *published;
	int n_done; /* number of entries that are not undone */
	struct entry *aside; /* undone entries that the newest entry replaced; restored if the newest entry
				turns out to be a conflict */
	int n_aside;
	int n_proven; /* number of the first entries whose searches have returned to the user's position.
			 Later entries may still be conflicts */
	int floor; /* point of the history beyond which `undo` does not go back; 0: none */
	bool recalls; /* a forgotten search is running again to its former position; then its former selection
			 is restored */
	int recalled_cursor;
	struct bw_selection recalled;
	int64_t history_limit;      /* BW_HISTORY_BYTES; tests set a smaller limit */
	struct bw_search **leaving; /* searches to be freed when there is time */
	int n_leaving, leaving_capacity;
	struct point *points;       /* the points of the history, beginning with number 1 */
	int n_points, points_capacity, n_forgotten;
	int *grafted; /* while a saved session is loaded: the number of each point, indexed by its number in
			 the file */
	int n_grafted, grafted_capacity;
	struct bw_bookmark *bookmarks;
	int n_bookmarks, bookmarks_capacity;
};

static inline BW_PART_DATA(bw_journal_of, struct journal, JOURNAL)

/* Reads a comment of a saved session: a point of the history, or a bookmark. */
void bw_history_comment(struct bw_session *session, const char *line);
/* Frees a snapshot's data at once. Its search is freed later, when there is time. */
void bw_snapshot_end(struct journal *journal, struct snapshot *snapshot);
/* If a snapshot's search was forgotten, makes the search again and returns true. The session then runs it to
 * its former position. */
bool bw_session_recall(struct bw_session *session, struct snapshot *snapshot);
/* Forgets searches of the journal until the remaining ones fit the limit of memory. Those farthest from the
 * session's point are forgotten first. */
void bw_session_forget(struct journal *journal);
/* Returns the number of the point reached from the present point by a line. Adds the point if it is new. */
int bw_history_add(struct journal *journal, const char *line, bool *is_new);
/* Removes a point whose command led to a conflict. Its bookmarks move to its parent point. */
void bw_history_drop(struct journal *journal, int point);
void bw_history_end(struct journal *journal);
/* Frees the searches in `leaving`, the newest first (`run` of struct bw_session_part). */
void bw_leaving_run(const struct bw_yield *yield, void *data);
