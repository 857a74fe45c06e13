/* Stores one measurement with its description and schedule. */
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
	struct bw_text sql = {0};
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
	bw_text_free(&sql);
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
