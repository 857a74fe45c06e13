/* Deletes measurements. */
#include "results/database.h"

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
