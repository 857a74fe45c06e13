/* The history: a tree of all commands that changed the search. The journal is the path from the root on which
 * the session is. If a new command replaces undone ones, these stay on a branch as lines, which `jump` runs
 * again. */

#include "session/journal_private.h"

enum { MOST_REMEMBERED = 1000 };

static struct point *point_of(const struct journal *journal, int number)
{
	return &journal->points[number - 1];
}

int bw_session_n_points(const struct bw_session *session)
{
	return bw_journal_of(session)->n_points;
}

int bw_session_point(const struct bw_session *session)
{
	struct journal *journal = bw_journal_of(session);
	return journal->n_done ? journal->entries[journal->n_done - 1].point : 0;
}

void bw_session_points(const struct bw_session *session, struct bw_point *points)
{
	struct journal *journal = bw_journal_of(session);
	points[0] = (struct bw_point){0};
	for (int i = 1; i <= journal->n_points; i++)
		points[i] = (struct bw_point){point_of(journal, i)->line, point_of(journal, i)->parent, BW_POINT_BRANCH};
	for (int i = 0; i < session->n_journal; i++)
		points[journal->entries[i].point].state = i < journal->n_done ? BW_POINT_DONE : BW_POINT_UNDONE;
}

/* Forgets the oldest leaf among the branches. */
static void forget_one(struct journal *journal)
{
	BW_SCOPED_MEMORY bool *stays = BW_NEW_ARRAY(bool, journal->n_points + 1);
	for (int i = 1; i <= journal->n_points; i++)
		if (point_of(journal, i)->line)
			stays[point_of(journal, i)->parent] = true;
	for (int i = 0; i < journal->session->n_journal; i++)
		stays[journal->entries[i].point] = true;
	for (int i = 1; i <= journal->n_points; i++)
		if (point_of(journal, i)->line && !stays[i]) {
			free(point_of(journal, i)->line);
			point_of(journal, i)->line = NULL;
			journal->n_forgotten++;
			break;
		}
}

/* Returns the point that is reached from `parent` by a line; 0: there is none yet. */
static int find_point(const struct journal *journal, int parent, const char *line)
{
	for (int i = 1; i <= journal->n_points; i++) {
		const struct point *point = point_of(journal, i);
		if (point->line && point->parent == parent && !strcmp(point->line, line))
			return i;
	}
	return 0;
}

static int append(struct journal *journal, int parent, const char *line)
{
	BW_PUSH(journal->points, journal->n_points, journal->points_capacity,
		(struct point){bw_strdup(line), parent});
	return journal->n_points;
}

int bw_history_add(struct journal *journal, const char *line, bool *is_new)
{
	int parent = bw_session_point(journal->session), found = find_point(journal, parent, line);
	*is_new = !found;
	if (found)
		return found;
	if (journal->n_points - journal->n_forgotten >= MOST_REMEMBERED)
		forget_one(journal);
	return append(journal, parent, line);
}

/* Returns true if the history has branches. Without branches it equals the journal, which is saved anyway. */
static bool has_branches(const struct journal *journal)
{
	return journal->n_points - journal->n_forgotten > journal->session->n_journal;
}

void bw_history_print(const struct bw_session *session, struct bw_text *out)
{
	struct journal *journal = bw_journal_of(session);
	int *numbers = BW_NEW_ARRAY(int, journal->n_points + 1), n = 0;
	for (int i = 1; i <= journal->n_points && (has_branches(journal) || journal->n_bookmarks); i++)
		if (point_of(journal, i)->line) {
			numbers[i] = ++n;
			bw_text_printf(out, BW_SAVED_POINT "%d %d %s\n", n, numbers[point_of(journal, i)->parent],
				       point_of(journal, i)->line);
		}
	for (int i = 0; i < journal->n_bookmarks; i++) {
		const struct bw_bookmark *bookmark = &journal->bookmarks[i];
		if (!bookmark->point || (bookmark->point <= journal->n_points && numbers[bookmark->point]))
			bw_text_printf(out, BW_SAVED_BOOKMARK "%s %d %d %d %d\n", bookmark->name,
				       numbers[bookmark->point], bookmark->position, bookmark->state, bookmark->func);
	}
	free(numbers);
}

void bw_history_begin_graft(struct bw_session *session)
{
	bw_journal_of(session)->n_grafted = 0;
}

static void graft_point(struct bw_session *session, const char *line)
{
	struct journal *journal = bw_journal_of(session);
	int number, parent, length = 0;
	if (sscanf(line, BW_SAVED_POINT "%d %d %n", &number, &parent, &length) != 2 || !length)
		return;
	line += length;
	const struct bw_command *command = bw_command_find(line, strcspn(line, " \t"));
	if (!command || !command->journaled || number != journal->n_grafted || parent < 0 || parent >= number ||
	    journal->n_points - journal->n_forgotten >= MOST_REMEMBERED)
		return;
	int found = find_point(journal, journal->grafted[parent], line),
	    point = found ? found : append(journal, journal->grafted[parent], line);
	BW_PUSH(journal->grafted, journal->n_grafted, journal->grafted_capacity, point);
}

/* Bookmarks. Bookmarks in a saved session refer to points by the numbers in its file. */

static void graft_bookmark(struct bw_session *session, const char *line)
{
	struct journal *journal = bw_journal_of(session);
	struct bw_bookmark bookmark;
	if (sscanf(line, BW_SAVED_BOOKMARK "%23s %d %d %d %d", bookmark.name, &bookmark.point, &bookmark.position,
		   &bookmark.state, &bookmark.func) != 5 ||
	    bookmark.point < 0 || bookmark.point >= journal->n_grafted || bookmark.position < 0 ||
	    bookmark.state < 0 || bookmark.func < -1 || bookmark.func >= session->pipeline->n_funcs)
		return;
	bookmark.point = journal->grafted[bookmark.point];
	bw_session_set_bookmark(session, &bookmark);
}

void bw_history_comment(struct bw_session *session, const char *line)
{
	struct journal *journal = bw_journal_of(session);
	if (!journal->n_grafted) {
		BW_PUSH(journal->grafted, journal->n_grafted, journal->grafted_capacity,
			bw_session_point(journal->session));
	}
	graft_point(session, line);
	graft_bookmark(session, line);
}

const struct bw_bookmark *bw_session_bookmarks(const struct bw_session *session, int *n)
{
	*n = bw_journal_of(session)->n_bookmarks;
	return bw_journal_of(session)->bookmarks;
}

const struct bw_bookmark *bw_session_bookmark(const struct bw_session *session, const char *name)
{
	int n;
	const struct bw_bookmark *list = bw_session_bookmarks(session, &n);
	for (int i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	return NULL;
}

bool bw_session_drop_bookmark(struct bw_session *session, const char *name)
{
	struct journal *journal = bw_journal_of(session);
	const struct bw_bookmark *bookmark = bw_session_bookmark(session, name);
	if (!bookmark)
		return false;
	BW_REMOVE(journal->bookmarks, journal->n_bookmarks, bookmark - journal->bookmarks);
	return true;
}

bool bw_session_set_bookmark(struct bw_session *session, const struct bw_bookmark *bookmark)
{
	enum { MOST_BOOKMARKS = 1000 };
	struct journal *journal = bw_journal_of(session);
	bw_session_drop_bookmark(session, bookmark->name);
	if (journal->n_bookmarks >= MOST_BOOKMARKS)
		return false;
	BW_PUSH(journal->bookmarks, journal->n_bookmarks, journal->bookmarks_capacity, *bookmark);
	return true;
}

void bw_history_drop(struct journal *journal, int point)
{
	for (int i = 0; i < journal->n_bookmarks; i++)
		if (journal->bookmarks[i].point == point)
			journal->bookmarks[i].point = point_of(journal, point)->parent;
	free(point_of(journal, point)->line);
	point_of(journal, point)->line = NULL;
	if (point == journal->n_points)
		journal->n_points--;
	else
		journal->n_forgotten++;
}

void bw_history_end(struct journal *journal)
{
	for (int i = 0; i < journal->n_points; i++)
		free(journal->points[i].line);
	free(journal->points);
	free(journal->grafted);
	free(journal->bookmarks);
}

const char *bw_history_line(const struct bw_session *session, int number)
{
	return point_of(bw_journal_of(session), number)->line;
}

int *bw_history_way(const struct bw_session *session, int number, int *n)
{
	struct journal *journal = bw_journal_of(session);
	*n = 0;
	for (int at = number; at; at = point_of(journal, at)->parent)
		++*n;
	int *way = BW_NEW_ARRAY(int, *n + 1), i = *n;
	for (int at = number; at; at = point_of(journal, at)->parent)
		way[--i] = at;
	return way;
}

/* Limits the memory of the journal's searches. Searches farthest from the session's point are forgotten; when
 * undo, redo or jump return to a forgotten search, it runs again with bit-for-bit equal results. Searches
 * that are no longer needed are freed on a routine, so that no key press waits for that. */

void bw_session_leave(struct bw_session *session, struct bw_search *search)
{
	struct journal *journal = bw_journal_of(session);
	if (!search)
		return;
	if (own_of(session)->advances == search)
		bw_part_halt(session, BW_PART_ADVANCE);
	BW_PUSH(journal->leaving, journal->n_leaving, journal->leaving_capacity, search);
}

void bw_leaving_run(const struct bw_yield *yield, void *data)
{
	struct journal *journal = data;
	while (journal->n_leaving && bw_yield(yield))
		bw_search_give_back(journal->leaving[--journal->n_leaving], yield);
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

/* Returns the entry that is the most commands away among those whose search is still in memory; NULL:
 * none. */
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
