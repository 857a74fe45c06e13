/* Stored measurements: one SQLite file that every run of the program adds to. Descriptions and schedules stand in it once, by the
 * hash of their content, so that an old measurement can be run again. Several programs may use it at once. It keeps a rollback
 * journal and not a write-ahead log: that one does not work on the network file systems that home folders lie on. */
#ifndef BW_RESULTS_RESULTS_H
#define BW_RESULTS_RESULTS_H
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "results/result.h"

struct bw_results;

/* Whether this program was built with SQLite. Without, all that can fail here does, and says so. */
bool bw_results_built(void);

/* Opens the file, and takes in what a run could not store. With make it is made where it is missing, with its folder, and a file that
 * is damaged is moved aside and never removed. What was done is added to *notice (may be NULL), a line each. An older form
 * of the tables is brought up to date; a newer one, or another program's file, is left alone and is an error, of kind IO as all
 * of these. busy_ms: how long to wait for another program that writes. NULL with an error. */
struct bw_results *bw_results_open(const char *path, bool make, int busy_ms, struct bw_text *notice, struct bw_error *error);
void bw_results_close(struct bw_results *results);

/* Stores one measurement, wholly or not at all. One with the same uid is not stored twice, so that after an error it can be
 * tried again. Where the file turns out to be damaged it is moved aside as by bw_results_open. */
bool bw_results_add(struct bw_results *results, const struct bw_result *result, struct bw_text *notice, struct bw_error *error);

/* Which ones; NULL: all. */
struct bw_results_filter {
	const char *pipeline;    /* its name, what the user called it, or a beginning of its description's hash */
	const char *device;      /* part of its name, or of the name of its record, in any case */
	const char *since;       /* the least measured_utc, or a beginning of one */
	const char *verdict;     /* whole */
	const char *description; /* whole hash */
	const char *schedule;    /* beginning of its hash */
	const char *uid;         /* beginning of it */
	const char *target;      /* whole name of the device's record */
	bool best;               /* of these, of each description and device the fastest (minimum_ms) whose output is right; the first of several */
	long limit;              /* the newest so many, of the best the first so many; 0: all */
};
/* Visits them, the one stored last first: ids grow whatever the clock does; the best by pipeline and device. What is passed is the visitor's until it returns.
 * Returns how many, -1 with an error. */
typedef void bw_results_visit(const struct bw_result *result, void *data);
long bw_results_each(struct bw_results *results, const struct bw_results_filter *filter, bw_results_visit *visit, void *data, struct bw_error *error);
/* How many there are, whatever the limit; -1 with an error. */
long bw_results_count(struct bw_results *results, const struct bw_results_filter *filter, struct bw_error *error);

/* Visits those of a filter, whatever its limit, and forgets them, with the schedules and descriptions of which none is left then; wholly or not at all. Returns
 * how many, -1 with an error. */
long bw_results_forget(struct bw_results *results, const struct bw_results_filter *filter, bw_results_visit *visit, void *data, struct bw_error *error);

/* The text of the one schedule whose hash begins so (the same text for several descriptions is one), or of the one description; an error of kind INPUT where there is none, or
 * where there are several, which it names. */
bool bw_results_schedule(struct bw_results *results, const char *hash, struct bw_text *text, struct bw_error *error);
bool bw_results_description(struct bw_results *results, const char *hash, struct bw_text *text, struct bw_error *error);
#endif
