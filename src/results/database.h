/* Shared by the files of this room that call SQLite. */
#ifndef BW_RESULTS_DATABASE_H
#define BW_RESULTS_DATABASE_H
#include <sqlite3.h>

#include "results/results.h"

struct bw_results {
	sqlite3 *db;
	char *path;
	int busy_ms;
	int lock; /* the folder, locked (flock) while the file is open: shared, but exclusively to move the file aside */
};

/* Sets *error from what SQLite just answered, as `results.db: the disk is full`, and returns false. */
bool bw_database_fail(const struct bw_results *results, int answer, struct bw_error *error);
/* Prepares a statement; NULL with an error. */
sqlite3_stmt *bw_database_prepare(const struct bw_results *results, const char *sql, struct bw_error *error);
/* Runs statements that give no rows. */
bool bw_database_run(const struct bw_results *results, const char *sql, struct bw_error *error);
/* Steps a statement to its end and finalizes it. */
bool bw_database_finish(const struct bw_results *results, sqlite3_stmt *statement, struct bw_error *error);
/* Prepares a statement of what goes by a filter (NULL: of all): its head, up to the columns, and its tail. NULL with an error. */
sqlite3_stmt *bw_database_select(const struct bw_results *results, const char *head, const struct bw_results_filter *filter, const char *tail, struct bw_error *error);
/* The first column of the one row of a statement; -1 with an error. */
long bw_database_number(const struct bw_results *results, const char *sql, struct bw_error *error);

/* Whether SQLite's answer is that the file is damaged. */
bool bw_database_damaged(int answer);
/* Moves the damaged file aside and opens a new one. */
bool bw_database_renew(struct bw_results *results, struct bw_text *notice, struct bw_error *error);

/* The tables. Step k brings them from version k to k + 1; the last step's result is what the program uses. A step that was in a
 * release is never changed: a change is a new step. */
extern const char *const bw_schema_steps[];
extern const int bw_schema_version;
/* Brings the file to version n_steps, in one transaction. False where it is newer, or not ours. */
bool bw_schema_migrate(const struct bw_results *results, const char *const *steps, int n_steps, struct bw_error *error);
/* Moves a damaged file and its journal aside, unless another program did so already, and says so in *notice. Nobody may have it open: SQLite
 * would take the journal of the new file for that of the old one. So all lock the folder, and this waits until no other does. */
bool bw_database_set_aside(const struct bw_results *results, struct bw_text *notice, struct bw_error *error);
/* The folder of a file, open to be locked; -1 where it cannot be. */
int bw_database_folder(const char *path);
/* Takes in what runs of the program could not store. */
void bw_database_take_in(struct bw_results *results, struct bw_text *notice);
#endif
