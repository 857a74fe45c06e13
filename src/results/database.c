/* The SQLite file: opened and closed, its tables and their migration, its answers in words. */
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

bool bw_database_renew(struct bw_results *results, struct bw_text *notice, struct bw_error *error)
{
	bool damaged;
	close_file(results);
	return bw_database_set_aside(results, notice, error) && open_file(results, true, &damaged, error);
}

struct bw_results *bw_results_open(const char *path, bool make, int busy_ms, struct bw_text *notice,
				   struct bw_error *error)
{
	if (make && !bw_folders_make(path, error))
		return NULL;
	struct bw_results *results = BW_NEW(struct bw_results);
	results->path = bw_strdup(path);
	results->busy_ms = busy_ms;
	results->lock = bw_database_folder(path);
	if (results->lock >= 0)
		flock(results->lock, LOCK_SH);
	struct bw_error first = {0};
	bool damaged, good = open_file(results, make, &damaged, &first);
	if (!good && make && damaged)
		good = bw_database_renew(results, notice, error);
	else if (!good && error)
		*error = first;
	if (good)
		bw_database_take_in(results, notice);
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

long bw_database_number(const struct bw_results *results, const char *sql, struct bw_error *error)
{
	sqlite3_stmt *statement = bw_database_prepare(results, sql, error);
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

/* Returns true if the file may be written to: it is beamwalk's, or empty. Another process may make the
 * tables between two questions: the id comes with them, so it is asked for last. */
static bool is_ours(const struct bw_results *results, long version, struct bw_error *error)
{
	long tables = bw_database_number(results, "SELECT count(*) FROM sqlite_schema", error);
	long id = tables < 0 ? -1 : bw_database_number(results, "PRAGMA application_id", error);
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
	long version = bw_database_number(results, "PRAGMA user_version", error);
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
	long version = bw_database_number(results, "PRAGMA user_version", error);
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
