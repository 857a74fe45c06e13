/* Stores one measurement with its description and schedule, deletes measurements, and moves a damaged
 * file aside. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "results/database.h"

static void bind(sqlite3_stmt *statement, int place, const struct bw_result *result,
		 const struct bw_result_field *field)
{
	const char *at = (const char *)result + field->offset;
	switch (field->kind) {
	case BW_RESULT_OF_TEXT:
	case BW_RESULT_OF_JSON:
		sqlite3_bind_text(statement, place, *(const char *const *)at, -1, SQLITE_STATIC);
		break;
	case BW_RESULT_OF_REAL:
		sqlite3_bind_double(statement, place, *(const double *)at);
		break;
	case BW_RESULT_OF_INTEGER:
	case BW_RESULT_OF_BOOL:
		if (*(const int64_t *)at != BW_RESULT_UNKNOWN)
			sqlite3_bind_int64(statement, place, *(const int64_t *)at);
		break;
	}
}

/* Binds texts to ?1, ?2, ... and runs the statement. */
static bool run_with(const struct bw_results *results, const char *sql, const char *const *texts, int n,
		     struct bw_error *error)
{
	sqlite3_stmt *statement = bw_database_prepare(results, sql, error);
	for (int i = 0; statement && i < n; i++)
		sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
	return statement && bw_database_finish(results, statement, error);
}

static bool add_description(const struct bw_results *results, const struct bw_result *result,
			    struct bw_error *error)
{
	const char *texts[] = {result->description, result->pipeline, result->algorithm, result->description_text};
	return run_with(
	    results,
	    "INSERT INTO descriptions (hash, name, algorithm, content) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO NOTHING",
	    texts, 4, error);
}

static bool add_schedule(const struct bw_results *results, const struct bw_result *result,
			 struct bw_error *error)
{
	const char *texts[] = {result->description, result->schedule, result->schedule_text};
	return run_with(
	    results,
	    "INSERT INTO schedules (description, hash, content) SELECT id, ?2, ?3 FROM descriptions WHERE hash = ?1 ON CONFLICT (description, hash) DO NOTHING",
	    texts, 3, error);
}

static bool add_measurement(const struct bw_results *results, const struct bw_result *result,
			    struct bw_error *error)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	BW_SCOPED_TEXT sql = {0};
	bw_text_puts(&sql, "INSERT INTO measurements (schedule");
	for (int i = 0; i < n; i++)
		if (fields[i].own)
			bw_text_printf(&sql, ", %s", fields[i].name);
	bw_text_puts(&sql, ") SELECT s.id");
	for (int i = 0; i < n; i++)
		if (fields[i].own)
			bw_text_printf(&sql, ", ?%d", i + 3);
	bw_text_puts(
	    &sql,
	    " FROM schedules AS s JOIN descriptions AS d ON s.description = d.id WHERE d.hash = ?1 AND s.hash = ?2 ON CONFLICT (uid) DO NOTHING");
	sqlite3_stmt *statement = bw_database_prepare(results, bw_text_get(&sql), error);
	if (!statement)
		return false;
	sqlite3_bind_text(statement, 1, result->description, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, result->schedule, -1, SQLITE_STATIC);
	for (int i = 0; i < n; i++)
		if (fields[i].own)
			bind(statement, i + 3, result, &fields[i]);
	return bw_database_finish(results, statement, error);
}

static bool add(const struct bw_results *results, const struct bw_result *result, bool *damaged,
		struct bw_error *error)
{
	bool begun = bw_database_run(results, "BEGIN IMMEDIATE", error);
	if (begun && add_description(results, result, error) && add_schedule(results, result, error) &&
	    add_measurement(results, result, error) && bw_database_run(results, "COMMIT", error))
		return true;
	*damaged = bw_database_damaged(sqlite3_errcode(results->db));
	sqlite3_exec(results->db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

bool bw_results_add(struct bw_results *results, const struct bw_result *result, struct bw_text *notice,
		    struct bw_error *error)
{
	struct bw_error first = {0};
	bool damaged;
	if (add(results, result, &damaged, &first))
		return true;
	if (damaged)
		return bw_database_renew(results, notice, error) && add(results, result, &damaged, error);
	if (error)
		*error = first;
	return false;
}

/* Moves a damaged file aside, and stores the results that runs could not store. */

static char *folder_of(const char *path)
{
	char *folder = bw_strdup(path), *slash = strrchr(folder, '/');
	if (slash)
		*(slash == folder ? slash + 1 : slash) = 0;
	else
		strcpy(folder, ".");
	return folder;
}

/* Returns true if SQLite still finds the file damaged: another program may have moved it aside by now. */
static bool is_damaged(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	bool sound = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
		     sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK;
	int answer = sound ? sqlite3_step(statement) : sqlite3_errcode(db);
	sound = answer == SQLITE_ROW && !strcmp((const char *)sqlite3_column_text(statement, 0), "ok");
	bool damaged = (answer == SQLITE_ROW && !sound) || answer == SQLITE_CORRUPT || answer == SQLITE_NOTADB;
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return damaged;
}

/* Returns an unused name beside the file. */
static char *name_aside(const char *path)
{
	struct bw_text name = {0};
	char when[BW_TIME_SIZE];
	bw_result_time(bw_result_now(), when);
	for (int k = 0; !name.length || access(bw_text_get(&name), F_OK) == 0; k++) {
		bw_text_clear(&name);
		bw_text_printf(&name, k ? "%s.damaged-%.10s-%d" : "%s.damaged-%.10s", path, when, k);
	}
	return bw_text_take(&name);
}

/* Moves a file aside, its journal first: SQLite would apply the journal to a new file. */
static bool move(const char *path, const char *aside)
{
	BW_SCOPED_MEMORY char *from = bw_format("%s-journal", path);
	BW_SCOPED_MEMORY char *to = bw_format("%s-journal", aside);
	bool good = rename(from, to) == 0 || errno == ENOENT;
	return good && rename(path, aside) == 0;
}

int bw_database_folder(const char *path)
{
	BW_SCOPED_MEMORY char *folder = folder_of(path);
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Waits until nobody else has the file open, but no longer than for one of SQLite's locks. */
static bool lock_alone(const struct bw_results *results)
{
	enum { STEP_MS = 10 };
	for (int waited = 0; flock(results->lock, LOCK_EX | LOCK_NB); waited += STEP_MS) {
		if (errno != EWOULDBLOCK || waited >= results->busy_ms)
			return false;
		usleep(STEP_MS * 1000);
	}
	return true;
}

bool bw_database_set_aside(const struct bw_results *results, struct bw_text *notice, struct bw_error *error)
{
	const char *path = results->path;
	BW_SCOPED_MEMORY char *aside = NULL;
	bool good = lock_alone(results);
	if (good && is_damaged(path)) {
		aside = name_aside(path);
		good = move(path, aside);
	}
	if (!good)
		bw_fail(error, BW_ERROR_IO, "%s: the file is damaged and cannot be moved aside: %s", path,
			errno == EWOULDBLOCK ? "another program has it open" : strerror(errno));
	else if (aside && notice)
		bw_text_printf(notice, "%s: the file was damaged; it is kept as %s, and a new one begun\n", path, aside);
	flock(results->lock, LOCK_SH);
	return good;
}

/* Returns the text of a description, or of one of its schedules, valid until the statement is finalized. */
static const char *text_of(const struct bw_results *from, const char *sql, const char *description,
			   const char *schedule, sqlite3_stmt **statement)
{
	*statement = bw_database_prepare(from, sql, NULL);
	if (!*statement)
		return NULL;
	sqlite3_bind_text(*statement, 1, description, -1, SQLITE_STATIC);
	if (schedule)
		sqlite3_bind_text(*statement, 2, schedule, -1, SQLITE_STATIC);
	return sqlite3_step(*statement) == SQLITE_ROW ? (const char *)sqlite3_column_text(*statement, 0) : NULL;
}

struct copying {
	struct bw_results *from, *to;
	long n;
	bool good;
};

static void copy_one(const struct bw_result *result, void *data)
{
	struct copying *copying = data;
	struct bw_result whole = *result;
	sqlite3_stmt *description, *schedule;
	whole.description_text = text_of(copying->from, "SELECT content FROM descriptions WHERE hash = ?1",
					 result->description, NULL, &description);
	whole.schedule_text = text_of(
	    copying->from,
	    "SELECT s.content FROM schedules AS s JOIN descriptions AS d ON s.description = d.id WHERE d.hash = ?1 AND s.hash = ?2",
	    result->description, result->schedule, &schedule);
	copying->good = copying->good && whole.description_text && whole.schedule_text &&
			bw_results_add(copying->to, &whole, NULL, NULL);
	copying->n++;
	sqlite3_finalize(description);
	sqlite3_finalize(schedule);
}

/* Stores the results of one file, and removes the file when all of them are stored. */
static void take_file(struct bw_results *results, const char *path, struct bw_text *notice)
{
	struct bw_results from = {.path = (char *)path, .busy_ms = results->busy_ms, .lock = -1};
	struct copying copying = {&from, results, 0, true};
	if (sqlite3_open_v2(path, &from.db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
	    bw_schema_migrate(&from, bw_schema_steps, bw_schema_version, NULL) &&
	    bw_results_each(&from, NULL, copy_one, &copying, NULL) >= 0 && copying.good) {
		unlink(path);
		if (notice)
			bw_text_printf(
			    notice, "%ld measurement%s that an earlier run could not store %s stored now\n",
			    copying.n, copying.n == 1 ? "" : "s", copying.n == 1 ? "is" : "are");
	}
	sqlite3_close(from.db);
}

void bw_database_take_in(struct bw_results *results, struct bw_text *notice)
{
	const char *slash = strrchr(results->path, '/'), *name = slash ? slash + 1 : results->path;
	BW_SCOPED_MEMORY char *folder = folder_of(results->path);
	DIR *entries = opendir(folder);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		size_t length = strlen(entry->d_name), stem = strlen(name);
		if (strncmp(entry->d_name, name, stem) || strncmp(entry->d_name + stem, ".unsaved-", 9) ||
		    length != stem + 9 + BW_UID_SIZE - 1)
			continue;
		BW_SCOPED_MEMORY char *path = bw_format("%s/%s", folder, entry->d_name);
		take_file(results, path, notice);
	}
	if (entries)
		closedir(entries);
}

/* Deletes measurements. */

/* Deletes schedules without measurements, and descriptions without schedules. */
static const char orphans[] =
	"DELETE FROM schedules WHERE id NOT IN (SELECT schedule FROM measurements);"
	"DELETE FROM descriptions WHERE id NOT IN (SELECT description FROM schedules)";

static bool forget(const struct bw_results *results, const struct bw_results_filter *filter,
		   struct bw_error *error)
{
	sqlite3_stmt *statement = bw_database_select(
	    results, "DELETE FROM measurements WHERE id IN (SELECT id", filter, ")", error);
	return statement && bw_database_finish(results, statement, error) &&
	       bw_database_run(results, orphans, error);
}

long bw_results_forget(struct bw_results *results, const struct bw_results_filter *filter,
		       bw_results_visit *visit, void *data, struct bw_error *error)
{
	struct bw_results_filter all = *filter;
	all.limit = 0;
	if (!bw_database_run(results, "BEGIN IMMEDIATE", error))
		return -1;
	long n = bw_results_each(results, &all, visit, data, error);
	if (n >= 0 && forget(results, &all, error) && bw_database_run(results, "COMMIT", error))
		return n;
	sqlite3_exec(results->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}
