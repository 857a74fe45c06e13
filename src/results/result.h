/* One stored measurement, and the table of its fields, from which columns, CSV and JSON come. */
#pragma once

#include "bench/measurement.h"
#include "schedule/schedule.h"

/* Fields: kind, name with unit, own, meaning. own: true if the field is a column of the measurement's table;
 * false if it is the key or belongs to the description or schedule. Unknown values are NULL,
 * BW_RESULT_UNKNOWN or NAN. */
#define BW_RESULT_TABLE(X) \
	X(INTEGER, id, false, "grows with each one that is stored, whatever the clock does") \
	X(TEXT, uid, true, "names it, in every file that it is copied to") \
	X(TEXT, measured_utc, true, "when, by the clock of the machine") \
	X(TEXT, pipeline, false, "the pipeline's name") \
	X(TEXT, description, false, "hash of its description") \
	X(TEXT, algorithm, false, "hash of its algorithm, without the estimates") \
	X(TEXT, schedule, false, "hash of its schedule") \
	X(TEXT, label, true, "what the schedule was called") \
	X(TEXT, verdict, true, "right, right within bound, wrong, unchecked, failed") \
	X(TEXT, error, true, "why it failed") \
	X(REAL, minimum_ms, true, "fastest run") \
	X(REAL, median_ms, true, "median run") \
	X(REAL, estimated_ms, true, "by the counts of the emulated device, not measured") \
	X(REAL, spread, true, "half the distance between the quartiles, over the median") \
	X(INTEGER, runs, true, "timed runs") \
	X(INTEGER, warm_ups, true, "runs before these") \
	X(INTEGER, attempts, true, "workers that it took: 2 where the first one ended while it ran this schedule") \
	X(TEXT, method, true, "how it was timed") \
	X(TEXT, device, true, "as its runtime calls it") \
	X(TEXT, target, true, "the record of the device that it was compiled for") \
	X(BOOL, cpu, true, "whether that is a CPU: its times say nothing of a GPU") \
	X(TEXT, driver, true, "name and version") \
	X(REAL, clock_hz, true, "of an SM at the end of the timed runs") \
	X(INTEGER, register_limit, true, "registers a thread that it was compiled for") \
	X(JSON, kernels, true, "what each kernel takes of the device") \
	X(TEXT, halide, true, "version that compiled it") \
	X(TEXT, beamwalk, true, "version that searched and timed it") \
	X(TEXT, seed, true, "of the search and of the inputs") \
	X(TEXT, cost_model, true, "what predicted it") \
	X(REAL, predicted_ms, true, "by a model that predicts times") \
	X(REAL, predicted_cost, true, "by a model whose costs have no unit") \
	X(TEXT, predicted_for, true, "the device that the prediction is for") \
	X(REAL, worst_over_bound, true, "largest error of an output over what is allowed") \
	X(TEXT, worst_at, true, "where") \
	X(INTEGER, mismatches, true, "points that are not allowed") \
	X(TEXT, demand, true, "the input of which more is read than the estimates say") \
	X(TEXT, host, true, "the machine that ran beamwalk") \
	X(TEXT, ran_by, true, "the command that reached the device's machine; not known: none, it was this one") \
	X(TEXT, source, true, "the pipeline as it was named to beamwalk") \
	X(JSON, generator, true, "its generator, with -g, -G and --estimate")

#define BW_RESULT_TEXT const char *
#define BW_RESULT_JSON const char *
#define BW_RESULT_REAL double
#define BW_RESULT_INTEGER int64_t
#define BW_RESULT_BOOL int64_t
#define BW_RESULT_UNKNOWN INT64_MIN
/* Stands for the verdict if there is no measurement. */
#define BW_RESULT_FAILED "failed"
/* Label and text of a generator's own schedule, which exists in C++ alone. */
#define BW_RESULT_HAND "hand"

struct bw_result {
#define X(kind, name, own, text) BW_RESULT_##kind name;
	BW_RESULT_TABLE(X)
#undef X
	const char *description_text,
	    *schedule_text; /* the texts of the two hashes; NULL if it was read from the file */
};

/* Kind, name and offset of each field, in order. */
enum bw_result_kind {
	BW_RESULT_OF_TEXT,
	BW_RESULT_OF_JSON,
	BW_RESULT_OF_REAL,
	BW_RESULT_OF_INTEGER,
	BW_RESULT_OF_BOOL
};
struct bw_result_field {
	enum bw_result_kind kind;
	const char *name;
	bool own;
	size_t offset;
};
const struct bw_result_field *bw_result_fields(int *n);

/* Returns a result with all fields unknown. */
struct bw_result bw_result_unknown(void);
/* Returns a copy that owns its strings. Free with bw_result_free. */
struct bw_result *bw_result_copy(const struct bw_result *result);
void bw_result_free(struct bw_result *result);

enum { BW_UID_SIZE = 17, BW_TIME_SIZE = 32 };
/* Makes a new uid: 16 random hexadecimal digits. */
void bw_result_uid(char uid[BW_UID_SIZE]);
/* Formats a time, in ms since 1970, as 2026-11-21T12:30:05.123Z. */
void bw_result_time(int64_t ms, char text[BW_TIME_SIZE]);
/* Returns the time in ms since 1970. */
int64_t bw_result_now(void);

/* Sets the fields of a result from a measurement, which must outlive it. *kernels is a text that the
 * result refers to, NULL if the kernels are unknown; free() it after copying the result. */
void bw_result_measured(struct bw_result *result, const struct bw_measurement *measurement, char **kernels);
/* Restores the measurement of a result. An unknown verdict becomes `unchecked`. */
void bw_result_measurement(const struct bw_result *result, struct bw_measurement *measurement);

/* The subject of a result: a pipeline's description and one of its schedules, as texts and hashes. */
/* Formats a hash as in results: 16 hexadecimal digits. */
void bw_result_hash(uint64_t hash, char text[BW_UID_SIZE]);

/* Strings that a result of bw_result_of refers to. Free with bw_subject_free. */
struct bw_subject {
	char description[BW_UID_SIZE], algorithm[BW_UID_SIZE], schedule[BW_UID_SIZE];
	struct bw_text text; /* the text of the schedule, or `hand` if it exists in C++ alone */
};
/* Sets the fields of *result for the pipeline (description: the text that it was read from) and for the
 * schedule (NULL: the generator's own) with its hash. The fields refer to the pipeline, to the caller's
 * text and to *subject, which must outlive it. */
void bw_result_of(struct bw_result *result, struct bw_subject *subject, const struct bw_pipeline *pipeline,
                  const char *description, const struct bw_schedule *schedule, uint64_t hash);
void bw_subject_free(struct bw_subject *subject);

/* Results as JSON and CSV for other programs, and as a table of 80 columns. */

/* Appends all fields as one JSON object on a line; unknown fields are null. */
void bw_result_print_json(const struct bw_result *result, struct bw_text *out);
/* Append the names of all fields, or the fields, as a line of CSV (RFC 4180, but with LF line ends);
 * unknown fields are empty. */
void bw_result_print_csv_head(struct bw_text *out);
void bw_result_print_csv(const struct bw_result *result, struct bw_text *out);
/* Append the head, or a row, of a table that fits into 80 columns. */
void bw_result_print_table_head(struct bw_text *out);
void bw_result_print_table(const struct bw_result *result, struct bw_text *out);
