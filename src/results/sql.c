/* Runs statements, and turns SQLite's answers into words. */
#include <errno.h>
#include <string.h>

#include "results/database.h"

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
