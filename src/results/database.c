/* The SQLite file: opening, closing, moving it aside if it is damaged; its tables and their migration;
 * SQLite's errors in words. */
#include "results/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool open_file(struct bw_results *results, bool make, bool *damaged, struct bw_error *error)
{
	int flags = SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0);
	int answer = sqlite3_open_v2(results->path, &results->db, flags, NULL);
	*damaged = false;
	if (answer != SQLITE_OK)
		return bw_database_fail(results, answer, error);
	sqlite3_extended_result_codes(results->db, 1);
	sqlite3_busy_timeout(results->db, results->busy_ms);
	bool good = bw_database_run(results, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", error) &&
		    bw_schema_migrate(results, bw_schema_steps, bw_schema_version, error);
	*damaged = !good && bw_database_damaged(sqlite3_errcode(results->db));
	return good;
}

static void close_file(struct bw_results *results)
{
	sqlite3_close(results->db);
	results->db = NULL;
}

char *bw_database_folder(const char *path)
{
	char *folder = bw_strdup(path), *slash = strrchr(folder, '/');
	if (slash)
		*(slash == folder ? slash + 1 : slash) = 0;
	else
		strcpy(folder, ".");
	return folder;
}

/* Returns true if SQLite still finds the file damaged. Another program may have replaced the file
 * meanwhile. */
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

/* Waits until no other program has the file open, at most as long as for one of SQLite's locks. */
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

/* Moves a damaged file and its journal aside, unless another program has already done so, and says so in
 * *notice. Nobody may have the file open, because SQLite would apply the new file's journal to the old
 * one. So all users of the file hold a lock on the folder, and this function waits until no other does. */
static bool set_aside(const struct bw_results *results, struct bw_text *notice, struct bw_error *error)
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

bool bw_database_renew(struct bw_results *results, struct bw_text *notice, struct bw_error *error)
{
	bool damaged;
	close_file(results);
	return set_aside(results, notice, error) && open_file(results, true, &damaged, error);
}

struct bw_results *bw_database_open(const char *path, bool make, int busy_ms, struct bw_text *notice,
				   struct bw_error *error)
{
	if (make && !bw_folders_make(path, error))
		return NULL;
	struct bw_results *results = BW_NEW(struct bw_results);
	results->path = bw_strdup(path);
	results->busy_ms = busy_ms;
	BW_SCOPED_MEMORY char *folder = bw_database_folder(path);
	results->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (results->lock >= 0)
		flock(results->lock, LOCK_SH);
	struct bw_error first = {0};
	bool damaged, good = open_file(results, make, &damaged, &first);
	if (!good && make && damaged)
		good = bw_database_renew(results, notice, error);
	else if (!good && error)
		*error = first;
	if (good)
		return results;
	bw_results_close(results);
	return NULL;
}

void bw_results_close(struct bw_results *results)
{
	if (!results)
		return;
	close_file(results);
	if (results->lock >= 0)
		close(results->lock);
	free(results->path);
	free(results);
}

/* Runs statements, and turns SQLite's answers into words. */

/* Returns the system error behind SQLite's answer, or 0 if unknown. SQLite keeps the error of some calls
 * only; for the others errno may be stale. */
static int system_error(const struct bw_results *results)
{
	int now = errno, kept = results->db ? sqlite3_system_errno(results->db) : 0;
	bool is_of_writing =
	    now == EFBIG || now == EDQUOT || now == ENOSPC || now == EIO || now == EROFS || now == EACCES;
	return is_of_writing ? now : kept;
}

bool bw_database_fail(const struct bw_results *results, int answer, struct bw_error *error)
{
	int system = system_error(results);
	const char *path = results->path;
	switch (answer & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return bw_fail(error, BW_ERROR_IO, "%s: locked by another program for more than %g s", path,
			       results->busy_ms / 1000.);
	case SQLITE_FULL:
		return bw_fail(error, BW_ERROR_IO, "%s: the disk is full", path);
	case SQLITE_READONLY:
		return bw_fail(error, BW_ERROR_IO, "%s: it or its folder cannot be written", path);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return bw_fail(error, BW_ERROR_IO, "%s: the file is damaged", path);
	case SQLITE_CANTOPEN:
		return bw_fail(error, BW_ERROR_IO, "%s: cannot be opened: %s", path,
			       system ? strerror(system) : "it is not there");
	case SQLITE_IOERR:
		return bw_fail(error, BW_ERROR_IO, "%s: cannot be read or written: %s", path,
			       system ? strerror(system) : "input or output failed");
	default:
		return bw_fail(error, BW_ERROR_IO, "%s: %s", path,
			       results->db ? sqlite3_errmsg(results->db) : sqlite3_errstr(answer));
	}
}

sqlite3_stmt *bw_database_prepare(const struct bw_results *results, const char *sql, struct bw_error *error)
{
	sqlite3_stmt *statement = NULL;
	int answer = sqlite3_prepare_v2(results->db, sql, -1, &statement, NULL);
	if (answer != SQLITE_OK)
		bw_database_fail(results, answer, error);
	return statement;
}

bool bw_database_run(const struct bw_results *results, const char *sql, struct bw_error *error)
{
	int answer = sqlite3_exec(results->db, sql, NULL, NULL, NULL);
	return answer == SQLITE_OK || bw_database_fail(results, answer, error);
}

bool bw_database_finish(const struct bw_results *results, sqlite3_stmt *statement, struct bw_error *error)
{
	int answer;
	while ((answer = sqlite3_step(statement)) == SQLITE_ROW)
		;
	bool good = answer == SQLITE_DONE || bw_database_fail(results, answer, error);
	sqlite3_finalize(statement);
	return good;
}

long bw_database_number(const struct bw_results *results, sqlite3_stmt *statement, struct bw_error *error)
{
	if (!statement)
		return -1;
	int answer = sqlite3_step(statement);
	long number = answer == SQLITE_ROW ? (long)sqlite3_column_int64(statement, 0) : -1;
	if (answer != SQLITE_ROW)
		bw_database_fail(results, answer, error);
	sqlite3_finalize(statement);
	return number;
}

bool bw_database_damaged(int answer)
{
	return (answer & 0xff) == SQLITE_CORRUPT || (answer & 0xff) == SQLITE_NOTADB;
}

/* The tables, and migration from older versions. PRAGMA user_version counts the steps. */

/* application_id: BWLK. */
static const long application = 0x42574c4b;

const char *const bw_schema_steps[] = {
	"PRAGMA application_id = 1113017419;"
	"CREATE TABLE descriptions ("
	" id INTEGER PRIMARY KEY,"
	" hash TEXT NOT NULL UNIQUE,"
	" name TEXT NOT NULL,"
	" algorithm TEXT NOT NULL,"
	" content TEXT NOT NULL);"
	"CREATE TABLE schedules ("
	" id INTEGER PRIMARY KEY,"
	" description INTEGER NOT NULL REFERENCES descriptions (id),"
	" hash TEXT NOT NULL,"
	" content TEXT NOT NULL,"
	" UNIQUE (description, hash));"
	"CREATE TABLE measurements ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" schedule INTEGER NOT NULL REFERENCES schedules (id),"
	" uid TEXT NOT NULL UNIQUE,"
	" measured_utc TEXT NOT NULL,"
	" label TEXT,"
	" verdict TEXT NOT NULL,"
	" error TEXT,"
	" minimum_ms REAL,"
	" median_ms REAL,"
	" spread REAL,"
	" runs INTEGER,"
	" warm_ups INTEGER,"
	" attempts INTEGER,"
	" method TEXT,"
	" device TEXT,"
	" target TEXT,"
	" cpu INTEGER,"
	" driver TEXT,"
	" clock_hz REAL,"
	" register_limit INTEGER,"
	" kernels TEXT,"
	" halide TEXT,"
	" beamwalk TEXT NOT NULL,"
	" seed TEXT,"
	" cost_model TEXT,"
	" predicted_ms REAL,"
	" predicted_cost REAL,"
	" predicted_for TEXT,"
	" worst_over_bound REAL,"
	" worst_at TEXT,"
	" mismatches INTEGER,"
	" demand TEXT,"
	" host TEXT,"
	" ran_by TEXT,"
	" source TEXT,"
	" generator TEXT);"
	"CREATE INDEX measurements_of_schedule ON measurements (schedule);"
	"CREATE VIEW results AS SELECT measurements.*, descriptions.name AS pipeline, descriptions.hash AS description_hash,"
	" descriptions.algorithm AS algorithm, schedules.hash AS schedule_hash"
	" FROM measurements JOIN schedules ON measurements.schedule = schedules.id JOIN descriptions ON schedules.description = descriptions.id;",
	"ALTER TABLE measurements ADD COLUMN estimated_ms REAL;",
};

const int bw_schema_version = sizeof bw_schema_steps / sizeof *bw_schema_steps;

static long ask(const struct bw_results *results, const char *sql, struct bw_error *error)
{
	return bw_database_number(results, bw_database_prepare(results, sql, error), error);
}

/* Returns true if the file may be written to: it is beamwalk's, or empty. Another process may create the
 * tables between the two queries. It sets the application id with them, so the id is queried last. */
static bool is_ours(const struct bw_results *results, long version, struct bw_error *error)
{
	long tables = ask(results, "SELECT count(*) FROM sqlite_schema", error);
	long id = tables < 0 ? -1 : ask(results, "PRAGMA application_id", error);
	if (id < 0)
		return false;
	if (id == application || (id == 0 && version == 0 && tables == 0))
		return true;
	return bw_fail(error, BW_ERROR_IO, "%s: another program's database, which beamwalk leaves alone",
		       results->path);
}

static bool take_steps(const struct bw_results *results, const char *const *steps, int n_steps,
		       struct bw_error *error)
{
	long version = ask(results, "PRAGMA user_version", error);
	char stamp[64];
	if (version < 0)
		return false;
	for (; version < n_steps; version++)
		if (!bw_database_run(results, steps[version], error))
			return false;
	snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d", n_steps);
	return bw_database_run(results, stamp, error) && bw_database_run(results, "COMMIT", error);
}

bool bw_schema_migrate(const struct bw_results *results, const char *const *steps, int n_steps,
		       struct bw_error *error)
{
	long version = ask(results, "PRAGMA user_version", error);
	if (version < 0 || !is_ours(results, version, error))
		return false;
	if (version == n_steps)
		return true;
	if (version > n_steps)
		return bw_fail(
		    error, BW_ERROR_IO,
		    "%s: written by a newer beamwalk (its tables are version %ld, this program knows %d); it is left as it is",
		    results->path, version, n_steps);
	if (!bw_database_run(results, "BEGIN IMMEDIATE", error))
		return false;
	if (take_steps(results, steps, n_steps, error))
		return true;
	sqlite3_exec(results->db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}
