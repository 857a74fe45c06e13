/* Opens the file, stores one measurement with its description and schedule, and deletes measurements. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Opening stores the results that earlier runs could not store. */

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

static void take_in(struct bw_results *results, struct bw_text *notice)
{
	const char *slash = strrchr(results->path, '/'), *name = slash ? slash + 1 : results->path;
	BW_SCOPED_MEMORY char *folder = bw_database_folder(results->path);
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

struct bw_results *bw_results_open(const char *path, bool make, int busy_ms, struct bw_text *notice,
				   struct bw_error *error)
{
	struct bw_results *results = bw_database_open(path, make, busy_ms, notice, error);
	if (results)
		take_in(results, notice);
	return results;
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
