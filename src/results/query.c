/* Reads stored results. */
#include <math.h>
#include <string.h>

#include "results/database.h"

/* Returns the field's column in the SQL view "results". The view has description_hash and schedule_hash
 * because the tables have columns "description" and "schedule" (row ids). */
static const char *column_of(const struct bw_result_field *field)
{
	return !strcmp(field->name, "description") ? "description_hash"
	       : !strcmp(field->name, "schedule")  ? "schedule_hash"
						   : field->name;
}

static const char conditions[] =
	" FROM results WHERE (?1 IS NULL OR pipeline = ?1 OR source = ?1 OR substr(description_hash, 1, length(?1)) = ?1)"
	" AND (?2 IS NULL OR instr(lower(device), lower(?2)) > 0 OR instr(lower(target), lower(?2)) > 0)"
	" AND (?3 IS NULL OR measured_utc >= ?3)"
	" AND (?4 IS NULL OR verdict = ?4)"
	" AND (?5 IS NULL OR description_hash = ?5)"
	" AND (?6 IS NULL OR substr(schedule_hash, 1, length(?6)) = ?6)"
	" AND (?7 IS NULL OR substr(uid, 1, length(?7)) = ?7)"
	" AND (?8 IS NULL OR target = ?8)";

/* Appends the query after its columns. ?9 and ?10 are the verdicts that count as right. */
static void put_from(const struct bw_results_filter *filter, struct bw_text *sql)
{
	if (filter && filter->best)
		bw_text_printf(
		    sql,
		    " FROM (SELECT *, row_number() OVER (PARTITION BY description_hash, device, target ORDER BY minimum_ms, id) AS place%s AND verdict IN (?9, ?10) AND minimum_ms > 0) WHERE place = 1",
		    conditions);
	else
		bw_text_puts(sql, conditions);
}

sqlite3_stmt *bw_database_select(const struct bw_results *results, const char *head,
				 const struct bw_results_filter *filter, const char *tail,
				 struct bw_error *error)
{
	struct bw_text sql = {0};
	bw_text_puts(&sql, head);
	put_from(filter, &sql);
	bw_text_puts(&sql, tail);
	sqlite3_stmt *statement = bw_database_prepare(results, bw_text_get(&sql), error);
	bw_text_free(&sql);
	if (!statement || !filter)
		return statement;
	const char *texts[] = {filter->pipeline,
			       filter->device,
			       filter->since,
			       filter->verdict,
			       filter->description,
			       filter->schedule,
			       filter->uid,
			       filter->target,
			       bw_verdict_name(BW_RIGHT),
			       bw_verdict_name(BW_RIGHT_WITHIN_BOUND)};
	for (int i = 0; i < sqlite3_bind_parameter_count(statement); i++)
		sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
	return statement;
}

static void read_field(sqlite3_stmt *statement, int column, const struct bw_result_field *field,
		       struct bw_result *result)
{
	char *at = (char *)result + field->offset;
	bool known = sqlite3_column_type(statement, column) != SQLITE_NULL;
	switch (field->kind) {
	case BW_RESULT_OF_TEXT:
	case BW_RESULT_OF_JSON:
		*(const char **)at = (const char *)sqlite3_column_text(statement, column);
		break;
	case BW_RESULT_OF_REAL:
		*(double *)at = known ? sqlite3_column_double(statement, column) : (double)NAN;
		break;
	case BW_RESULT_OF_INTEGER:
	case BW_RESULT_OF_BOOL:
		*(int64_t *)at = known ? sqlite3_column_int64(statement, column) : BW_RESULT_UNKNOWN;
		break;
	}
}

/* Visits the rows of a statement and finalizes it. */
static long visit_rows(const struct bw_results *results, sqlite3_stmt *statement, bw_results_visit *visit,
		       void *data, struct bw_error *error)
{
	int n, answer;
	long rows = 0;
	const struct bw_result_field *fields = bw_result_fields(&n);
	while ((answer = sqlite3_step(statement)) == SQLITE_ROW) {
		struct bw_result result = {0};
		for (int i = 0; i < n; i++)
			read_field(statement, i, &fields[i], &result);
		visit(&result, data);
		rows++;
	}
	if (answer != SQLITE_DONE)
		bw_database_fail(results, answer, error);
	sqlite3_finalize(statement);
	return answer == SQLITE_DONE ? rows : -1;
}

long bw_results_each(struct bw_results *results, const struct bw_results_filter *filter,
		     bw_results_visit *visit, void *data, struct bw_error *error)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	BW_SCOPED_TEXT columns = {0}, order = {0};
	bw_text_puts(&columns, "SELECT");
	for (int i = 0; i < n; i++)
		bw_text_printf(&columns, "%s %s", i ? "," : "", column_of(&fields[i]));
	bw_text_puts(&order, filter && filter->best ? " ORDER BY pipeline, device, id" : " ORDER BY id DESC");
	if (filter && filter->limit > 0)
		bw_text_printf(&order, " LIMIT %ld", filter->limit);
	sqlite3_stmt *statement =
	    bw_database_select(results, bw_text_get(&columns), filter, bw_text_get(&order), error);
	return statement ? visit_rows(results, statement, visit, data, error) : -1;
}

long bw_results_count(struct bw_results *results, const struct bw_results_filter *filter,
		      struct bw_error *error)
{
	return bw_database_number(results, bw_database_select(results, "SELECT count(*)", filter, "", error), error);
}

/* Finds a text by a prefix of its hash. sql returns the whole hashes, the texts, and other columns that
 * distinguish them. */
static bool find_text(const struct bw_results *results, const char *what, const char *sql, const char *hash,
		      struct bw_text *text, struct bw_error *error)
{
	enum { NAMED = 4 };
	if (!*hash || strlen(hash) > 16 || hash[strspn(hash, "0123456789abcdef")])
		return bw_fail(error, BW_ERROR_USAGE, "\"%s\" is no hash: 1 to 16 of the digits 0-9 and a-f", hash);
	sqlite3_stmt *statement = bw_database_prepare(results, sql, error);
	if (!statement)
		return false;
	sqlite3_bind_text(statement, 1, hash, -1, SQLITE_STATIC);
	int n = 0, answer;
	BW_SCOPED_TEXT names = {0};
	while ((answer = sqlite3_step(statement)) == SQLITE_ROW) {
		if (!n)
			bw_text_append(text, (const char *)sqlite3_column_text(statement, 1),
				       (size_t)sqlite3_column_bytes(statement, 1));
		if (n++ < NAMED)
			bw_text_printf(&names, "%s%s (%s)", n > 1 ? ", " : "",
				       sqlite3_column_text(statement, 0), sqlite3_column_text(statement, 2));
	}
	sqlite3_finalize(statement);
	bool good = answer == SQLITE_DONE ? n == 1 : bw_database_fail(results, answer, error);
	if (answer == SQLITE_DONE && !n)
		bw_fail(error, BW_ERROR_INPUT, "no stored %s's hash begins with %s", what, hash);
	else if (answer == SQLITE_DONE && n > 1)
		bw_fail(error, BW_ERROR_INPUT, "%s could be %d %ss: %s%s", hash, n, what, bw_text_get(&names),
			n > NAMED ? ", ..." : "");
	if (!good)
		bw_text_clear(text);
	return good;
}

bool bw_results_schedule(struct bw_results *results, const char *hash, struct bw_text *text,
			 struct bw_error *error)
{
	return find_text(
	    results, "schedule",
	    "SELECT s.hash, s.content, min(d.name) FROM schedules AS s JOIN descriptions AS d ON s.description = d.id WHERE substr(s.hash, 1, length(?1)) = ?1 GROUP BY s.hash, s.content ORDER BY s.hash",
	    hash, text, error);
}

bool bw_results_description(struct bw_results *results, const char *hash, struct bw_text *text,
			    struct bw_error *error)
{
	return find_text(
	    results, "description",
	    "SELECT hash, content, name FROM descriptions WHERE substr(hash, 1, length(?1)) = ?1 ORDER BY hash",
	    hash, text, error);
}
