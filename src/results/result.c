#include "results/result.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"

const struct bw_result_field *bw_result_fields(int *n)
{
	static const struct bw_result_field fields[] = {
#define X(kind, name, own, text) {BW_RESULT_OF_##kind, #name, own, offsetof(struct bw_result, name)},
		BW_RESULT_TABLE(X)
#undef X
	};
	*n = sizeof fields / sizeof *fields;
	return fields;
}

struct bw_result bw_result_unknown(void)
{
	struct bw_result result = {0};
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	for (int i = 0; i < n; i++) {
		char *at = (char *)&result + fields[i].offset;
		if (fields[i].kind == BW_RESULT_OF_REAL)
			*(double *)at = NAN;
		else if (fields[i].kind == BW_RESULT_OF_INTEGER || fields[i].kind == BW_RESULT_OF_BOOL)
			*(int64_t *)at = BW_RESULT_UNKNOWN;
	}
	return result;
}

static char *copy_text(const char *text)
{
	return text ? bw_strdup(text) : NULL;
}

static bool is_text(const struct bw_result_field *field)
{
	return field->kind == BW_RESULT_OF_TEXT || field->kind == BW_RESULT_OF_JSON;
}

struct bw_result *bw_result_copy(const struct bw_result *result)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	struct bw_result *copy = BW_NEW(struct bw_result);
	*copy = *result;
	for (int i = 0; i < n; i++)
		if (is_text(&fields[i])) {
			const char **text = (const char **)((char *)copy + fields[i].offset);
			*text = copy_text(*text);
		}
	copy->description_text = copy_text(result->description_text);
	copy->schedule_text = copy_text(result->schedule_text);
	return copy;
}

void bw_result_free(struct bw_result *result)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	if (!result)
		return;
	for (int i = 0; i < n; i++)
		if (is_text(&fields[i]))
			free(*(char **)((char *)result + fields[i].offset));
	free((char *)result->description_text);
	free((char *)result->schedule_text);
	free(result);
}

void bw_result_uid(char uid[BW_UID_SIZE])
{
	uint64_t drawn;
	if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) {
		struct timespec now;
		clock_gettime(CLOCK_BOOTTIME, &now);
		drawn = bw_random((const uint64_t[]){(uint64_t)getpid(), (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec}, 3);
	}
	snprintf(uid, BW_UID_SIZE, "%016llx", (unsigned long long)drawn);
}

void bw_result_time(int64_t ms, char text[BW_TIME_SIZE])
{
	int64_t part = (ms % 1000 + 1000) % 1000;
	time_t seconds = (time_t)((ms - part) / 1000);
	struct tm utc = {0};
	gmtime_r(&seconds, &utc);
	size_t length = strftime(text, BW_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + length, BW_TIME_SIZE - length, ".%03dZ", (int)part);
}

int64_t bw_result_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void bw_result_hash(uint64_t hash, char text[BW_UID_SIZE])
{
	snprintf(text, BW_UID_SIZE, "%016llx", (unsigned long long)hash);
}

void bw_result_of(struct bw_result *result, struct bw_subject *subject, const struct bw_pipeline *pipeline,
                  const char *description, const struct bw_schedule *schedule, uint64_t hash)
{
	*subject = (struct bw_subject){0};
	if (schedule)
		bw_schedule_print(pipeline, schedule, &subject->text);
	else
		bw_text_puts(&subject->text, BW_RESULT_HAND);
	bw_result_hash(pipeline->content, subject->description);
	bw_result_hash(pipeline->algorithm, subject->algorithm);
	bw_result_hash(hash, subject->schedule);
	result->pipeline = pipeline->name;
	result->description = subject->description;
	result->algorithm = subject->algorithm;
	result->schedule = subject->schedule;
	result->description_text = description;
	result->schedule_text = bw_text_get(&subject->text);
}

void bw_subject_free(struct bw_subject *subject)
{
	bw_text_free(&subject->text);
}
