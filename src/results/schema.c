/* The tables, and migration from older versions. PRAGMA user_version counts the steps. */
#include <stdio.h>

#include "results/database.h"

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

/* Returns true if the file may be written to: it is beamwalk's, or empty. */
static bool is_ours(const struct bw_results *results, long version, struct bw_error *error)
{
	long id = bw_database_number(results, "PRAGMA application_id", error);
	long tables = id < 0 ? -1 : bw_database_number(results, "SELECT count(*) FROM sqlite_schema", error);
	if (tables < 0)
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
