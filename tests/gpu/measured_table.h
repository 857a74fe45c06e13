/* The tables of data/measured: one line per schedule that was run on a device. Tab-separated, sorted, the
 * first line names the columns with their units; "-" is what is not known. Beside DEVICE.tsv lie
 * DEVICE/VARIANT/LABEL.schedule, and DEVICE/VARIANT/description.json if it is not that of data/descriptions.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"

/* Columns: kind, name in C, heading. */
#define COLUMN_TABLE(X) \
	X(TEXT, pipeline, "pipeline") \
	X(TEXT, size, "size_points") \
	X(TEXT, variant, "variant") \
	X(TEXT, label, "label") \
	X(TEXT, kind, "kind") \
	X(TEXT, schedule, "schedule_hash") \
	X(TEXT, predicted_for, "predicted_for") \
	X(REAL, roofline, "roofline_ms") \
	X(REAL, learned, "learned_cost") \
	X(REAL, latency, "latency_ms") \
	X(REAL, minimum, "minimum_ms") \
	X(REAL, median, "median_ms") \
	X(REAL, spread, "spread_of_median") \
	X(TEXT, verdict, "verdict") \
	X(TEXT, device, "device") \
	X(TEXT, driver, "driver") \
	X(REAL, clock, "sm_clock_mhz") \
	X(TEXT, date, "date_utc")

#define COLUMN_TEXT const char *
#define COLUMN_REAL double
struct row {
#define X(kind, name, heading) COLUMN_##kind name;
	COLUMN_TABLE(X)
#undef X
};

struct table {
	struct bw_arena *arena; /* of the texts */
	struct row *rows;
	int n, capacity;
};

/* Returns a row of which nothing is known: "-" and NAN. */
struct row row_unknown(void);
/* Reads a table; an error names file, line and column. Free it with table_free, also after an error. */
bool table_read(struct table *table, const char *path, struct bw_error *error);
/* Adds a row in place of that of the same pipeline, size and label; its texts are copied, tabs and line ends
 * in them become blanks. */
void table_put(struct table *table, const struct row *row);
/* Sorts by pipeline, variant and label (random-2 before random-10) and writes. */
bool table_write(struct table *table, const char *path, struct bw_error *error);
void table_free(struct table *table);
