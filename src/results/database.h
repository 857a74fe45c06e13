/* Private to the files of this room that call SQLite. */
#pragma once
#include <sqlite3.h>

#include "results/results.h"

struct bw_results {
	sqlite3 *db;
	char *path;
	int busy_ms;
	int lock; /* the folder, locked (flock) while the file is open: shared, or exclusively to move the
		     file aside */
};

/* Sets *error from SQLite's last answer, as in `results.db: the disk is full`, and returns false. */
bool bw_database_fail(const struct bw_results *results, int answer, struct bw_error *error);
/* Prepares a statement. Returns NULL with an error. */
sqlite3_stmt *bw_database_prepare(const struct bw_results *results, const char *sql, struct bw_error *error);
/* Runs statements without result rows. */
bool bw_database_run(const struct bw_results *results, const char *sql, struct bw_error *error);
/* Steps a statement to its end and finalizes it. */
bool bw_database_finish(const struct bw_results *results, sqlite3_stmt *statement, struct bw_error *error);
/* Prepares a statement for the results of a filter (NULL: all), from its head, up to the columns, and its
 * tail. Returns NULL with an error. */
sqlite3_stmt *bw_database_select(const struct bw_results *results, const char *head,
				 const struct bw_results_filter *filter, const char *tail,
				 struct bw_error *error);
/* Returns the first column of a statement's first row, or -1 with an error, and finalizes the statement. NULL
 * is a statement that could not be prepared: its error is set. */
long bw_database_number(const struct bw_results *results, sqlite3_stmt *statement, struct bw_error *error);

/* Returns true if SQLite's answer says that the file is damaged. */
bool bw_database_damaged(int answer);
/* Moves the damaged file aside and opens a new one. */
bool bw_database_renew(struct bw_results *results, struct bw_text *notice, struct bw_error *error);

/* The schema. Step k migrates the tables from version k to k + 1; the program uses the last version.
 * Released steps never change: a change is a new step. */
extern const char *const bw_schema_steps[];
extern const int bw_schema_version;
/* Migrates the file to version n_steps in one transaction. Returns false with an error if its version is
 * newer, or it is not a file of beamwalk. */
bool bw_schema_migrate(const struct bw_results *results, const char *const *steps, int n_steps,
		       struct bw_error *error);
/* Opens the file as bw_results_open does, which also stores what earlier runs left. */
struct bw_results *bw_database_open(const char *path, bool make, int busy_ms, struct bw_text *notice,
				    struct bw_error *error);
/* Returns the folder of a file; free(). */
char *bw_database_folder(const char *path);
