/* Opens and closes the file. */
#include "results/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

bool bw_results_built(void)
{
	return true;
}

/* Creates the missing folders above a file. */
static bool make_folders(const char *path, struct bw_error *error)
{
	char *copy = bw_strdup(path);
	bool good = true;
	for (char *slash = copy + 1; good && (slash = strchr(slash, '/')); slash++) {
		struct stat info;
		*slash = 0;
		good =
		    stat(copy, &info) == 0 || mkdir(copy, 0700) == 0 || errno == EEXIST ||
		    bw_fail(error, BW_ERROR_IO, "%s: the folder cannot be made: %s", copy, strerror(errno));
		*slash = '/';
	}
	free(copy);
	return good;
}

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
	if (make && !make_folders(path, error))
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
