/* Stored measurements: one SQLite file for all runs of the program, which may use it at once. It contains
 * each description and schedule once, by the hash of its content, so that old measurements can be
 * repeated. It has a rollback journal, because write-ahead logs do not work on network file systems. */
#pragma once

#include "results/result.h"

struct bw_results;

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
	const char *pipeline; /* the pipeline's name, the user's name for the pipeline, or a prefix of its
				 description's hash */
	const char *device; /* part of the device's name, or of its record's name; ignores case */
	const char *since; /* the earliest measured_utc, or a prefix of one */
	const char *verdict; /* the verdict's whole name */
	const char *description; /* the whole hash */
	const char *schedule; /* a prefix of the schedule's hash */
	const char *uid; /* a prefix of the uid */
	const char *target; /* the whole name of the device's record */
	bool best; /* only the fastest (minimum_ms) with a right output of each description and device; the
		      first of equals */
	long limit; /* only the `limit` newest results, or with best the first `limit`; 0: all */
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

/* Stores results in a thread of its own, so that nobody waits for the disk or for another program. Results
 * that cannot be stored stay in memory and are tried again. */
struct bw_recorder;
/* Returns a recorder for the file, which its thread opens when the first result arrives. busy_ms: how long
 * to wait for another program that writes before reporting a failure. again_ms: how long to wait before
 * trying a failed result again. */
struct bw_recorder *bw_recorder_new(const char *path, int busy_ms, int again_ms);
/* Stores a copy (bw_result_copy) soon, and takes ownership of it. */
void bw_recorder_add(struct bw_recorder *recorder, struct bw_result *result);
/* Appends news since the last call, one per line: failures to store with their reasons, and late
 * successes. Never waits. Returns the number of results that are not stored yet. */
int bw_recorder_poll(struct bw_recorder *recorder, struct bw_text *said);
/* Returns a file descriptor that is readable while there are news for bw_recorder_poll. */
int bw_recorder_fd(const struct bw_recorder *recorder);
/* Tries once more to store the rest, writes what remains beside the file for a later run to store, and
 * frees the recorder. Appends news to said, and results that cannot be written at all as one line of JSON
 * each. Accepts NULL. */
bool bw_recorder_end(struct bw_recorder *recorder, struct bw_text *said);

/* How well the predictions of a cost model agree with measurements of the same schedules of one pipeline. */

/* The prediction and the measurement of one schedule, each in its own unit. A pair counts if both are
 * finite and above 0. */
struct bw_pair {
	double predicted, measured;
};

struct bw_agreement {
	int n; /* pairs that count */
	double right;  /* share of the pairs of schedules measured more than 5 % apart that are in the right
			  order; NAN if there are none */
	double tau; /* Kendall's: pairs in the right order less those in the wrong one, over all; equal ones
		       count in neither. NAN if n < 2 */
	double rho; /* Spearman's rank correlation, ties averaged; NAN if n < 2 or one side is all equal */
	double regret; /* measurement of the schedule with the least prediction, over the least measurement:
			  at least 1; NAN if n is 0 */
	double regret5; /* like regret, for the best measurement among the five schedules with the least
			   predictions */
	double scale;   /* geometric mean of predicted over measured; NAN if n is 0 */
	int choice, best; /* indexes of the schedules with the least prediction and the least measurement, the
			     first of equals; -1 if n is 0 */
	int over, under; /* indexes of the pairs with the largest and the least predicted over measured; -1 if
			    n is 0 */
};

/* Returns the figures of n pairs. */
struct bw_agreement bw_agreement_of(const struct bw_pair *pairs, int n);
/* Returns true if a pair counts. */
bool bw_pair_counts(const struct bw_pair *pair);

/* A scatter plot as text: predictions against measurements, both axes logarithmic. */

struct bw_scatter {
	const char *across, *up; /* names of the axes with units: `measured, ms` */
	int columns, rows; /* character cells of the field between the axes, each with 2 x 4 dots of braille */
	bool diagonal; /* both axes have the same unit and range, and the line of equal values is marked */
};

/* Appends the plot of the pairs that count: measured across, predicted up, with the values at the ends of
 * both axes. Appends one line that says so if no pair counts. */
void bw_scatter_put(const struct bw_scatter *scatter, const struct bw_pair *pairs, int n,
                    struct bw_text *out);
