/* A folder for a test's files, and results that are made by hand. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "../core/test.h"
#include "results/results.h"

struct made {
	char folder[64], path[96];
	char uid[BW_UID_SIZE];
};

static inline int made_open(void **state)
{
	struct made *made = calloc(1, sizeof *made);
	snprintf(made->folder, sizeof made->folder, "/tmp/beamwalk-results-XXXXXX");
	*state = made;
	if (!mkdtemp(made->folder))
		return -1;
	snprintf(made->path, sizeof made->path, "%s/results.db", made->folder);
	return 0;
}

static inline int made_close(void **state)
{
	struct made *made = *state;
	char command[128];
	snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", made->folder, made->folder);
	free(made);
	return system(command);
}

/* A right measurement of 0.25 ms, its uid new in made->uid. */
static inline struct bw_result made_result(struct made *made)
{
	struct bw_result result = bw_result_unknown();
	bw_result_uid(made->uid);
	result.uid = made->uid;
	result.measured_utc = "2026-11-21T12:00:00.000Z";
	result.pipeline = "blur";
	result.description = "0123456789abcdef";
	result.description_text = "{\"name\": \"blur\"}";
	result.algorithm = "00000000000000aa";
	result.schedule = "fedcba9876543210";
	result.schedule_text = "output root\n";
	result.verdict = "right";
	result.minimum_ms = 0.25;
	result.device = "NVIDIA A100-SXM4-80GB";
	result.target = "A100";
	result.cpu = 0;
	result.beamwalk = "0.1.0";
	return result;
}

static inline struct bw_results *made_file(const struct made *made)
{
	struct bw_error error = {0};
	struct bw_results *results = bw_results_open(made->path, true, 5000, NULL, &error);
	if (!results)
		fail_msg("%s", error.text);
	return results;
}

static inline void made_add(struct bw_results *results, const struct bw_result *result)
{
	struct bw_error error = {0};
	if (!bw_results_add(results, result, NULL, &error))
		fail_msg("%s", error.text);
}

static inline long made_count(const struct made *made)
{
	struct bw_error error = {0};
	struct bw_results *results = bw_results_open(made->path, false, 5000, NULL, &error);
	long n = results ? bw_results_count(results, NULL, &error) : -1;
	if (n < 0)
		fail_msg("%s", error.text);
	bw_results_close(results);
	return n;
}

/* SQLite finds the file sound. */
static inline void made_sound(const char *path)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ok");
	sqlite3_finalize(statement);
	sqlite3_close(db);
}
