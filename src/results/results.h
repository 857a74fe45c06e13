/* Stored measurements: one SQLite file for all runs of the program, which may use it at once. It contains
 * each description and schedule once, by the hash of its content, so that old measurements can be
 * repeated. It has a rollback journal, because write-ahead logs do not work on network file systems. */
#ifndef BW_RESULTS_RESULTS_H
#define BW_RESULTS_RESULTS_H
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "results/result.h"

struct bw_results;

/* Returns true if this program was built with SQLite. If not, the functions below fail with an error that
 * says so. */
bool bw_results_built(void);

/* Opens the file, and stores the results that earlier runs could not store. With make, creates the file
 * and its folder if missing, and moves a damaged file aside. Migrates older tables. Leaves newer ones, and
 * other programs' files, unchanged and fails. Appends a line per action to *notice unless that is NULL.
 * busy_ms: how long to wait for another program that writes. Returns NULL with an error of kind IO. */
struct bw_results *bw_results_open(const char *path, bool make, int busy_ms, struct bw_text *notice,
				   struct bw_error *error);
void bw_results_close(struct bw_results *results);

/* Stores one measurement, completely or not at all. A uid is stored only once, so that it can be tried
 * again after an error. Moves a damaged file aside like bw_results_open. */
bool bw_results_add(struct bw_results *results, const struct bw_result *result, struct bw_text *notice,
		    struct bw_error *error);

/* Selects results; NULL fields select all. */
struct bw_results_filter {
	const char *pipeline; /* its name, the user's name for it, or a beginning of its description's hash */
	const char *device; /* part of its name, or of its record's name, ignoring case */
	const char *since; /* the least measured_utc, or a beginning of one */
	const char *verdict; /* the whole name */
	const char *description; /* the whole hash */
	const char *schedule; /* a beginning of its hash */
	const char *uid; /* a beginning of it */
	const char *target; /* the whole name of the device's record */
	bool best; /* only the fastest (minimum_ms) with a right output of each description and device; the
		      first of equals */
	long limit; /* only the newest `limit`, or with best the first; 0: all */
};
/* Calls visit for the results of a filter, the last stored first (ids grow whatever the clock does), or
 * with best by pipeline and device. A result is valid until visit returns. Returns their number, or -1
 * with an error. */
typedef void bw_results_visit(const struct bw_result *result, void *data);
long bw_results_each(struct bw_results *results, const struct bw_results_filter *filter,
		     bw_results_visit *visit, void *data, struct bw_error *error);
/* Returns the number of results, ignoring the limit, or -1 with an error. */
long bw_results_count(struct bw_results *results, const struct bw_results_filter *filter,
		      struct bw_error *error);

/* Calls visit for the results of a filter, ignoring its limit, and deletes them with the schedules and
 * descriptions that no other result has, completely or not at all. Returns their number, or -1 with an
 * error. */
long bw_results_forget(struct bw_results *results, const struct bw_results_filter *filter,
		       bw_results_visit *visit, void *data, struct bw_error *error);

/* Return the text of the only schedule, or the only description, whose hash begins with `hash`. A
 * schedule's text for several descriptions counts once. Fail with an error of kind INPUT if there is none,
 * or several, which it names. */
bool bw_results_schedule(struct bw_results *results, const char *hash, struct bw_text *text,
			 struct bw_error *error);
bool bw_results_description(struct bw_results *results, const char *hash, struct bw_text *text,
			    struct bw_error *error);
#endif
