#include "results/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

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

static json_t *value_of(const struct bw_result *result, const struct bw_result_field *field)
{
	const char *at = (const char *)result + field->offset;
	const char *text = field->kind <= BW_RESULT_OF_JSON ? *(const char *const *)at : NULL;
	double real = field->kind == BW_RESULT_OF_REAL ? *(const double *)at : (double)NAN;
	int64_t integer = field->kind >= BW_RESULT_OF_INTEGER ? *(const int64_t *)at : BW_RESULT_UNKNOWN;
	json_t *value = NULL;
	if (text && field->kind == BW_RESULT_OF_JSON)
		value = json_loads(text, JSON_DECODE_ANY, NULL);
	if (text && !value)
		value = json_string(text);
	if (!isnan(real))
		value = json_real(real);
	if (integer != BW_RESULT_UNKNOWN)
		value = field->kind == BW_RESULT_OF_BOOL ? json_boolean(integer) : json_integer(integer);
	return value ? value : json_null();
}

void bw_result_print_json(const struct bw_result *result, struct bw_text *out)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	json_t *object = json_object();
	for (int i = 0; i < n; i++)
		json_object_set_new(object, fields[i].name, value_of(result, &fields[i]));
	bw_json_put_line(out, object, JSON_COMPACT);
}

static void put_quoted(const char *text, struct bw_text *out)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		bw_text_puts(out, text);
		return;
	}
	bw_text_puts(out, "\"");
	for (; *text; text++)
		bw_text_append(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
	bw_text_puts(out, "\"");
}

void bw_result_print_csv_head(struct bw_text *out)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	for (int i = 0; i < n; i++)
		bw_text_printf(out, "%s%s", fields[i].name, i < n - 1 ? "," : "\n");
}

static void put_field(const struct bw_result *result, const struct bw_result_field *field,
		      struct bw_text *out)
{
	const char *at = (const char *)result + field->offset;
	switch (field->kind) {
	case BW_RESULT_OF_TEXT:
	case BW_RESULT_OF_JSON:
		if (*(const char *const *)at)
			put_quoted(*(const char *const *)at, out);
		break;
	case BW_RESULT_OF_REAL:
		if (!isnan(*(const double *)at))
			bw_text_printf(out, "%.17g", *(const double *)at);
		break;
	case BW_RESULT_OF_INTEGER:
		if (*(const int64_t *)at != BW_RESULT_UNKNOWN)
			bw_text_printf(out, "%lld", (long long)*(const int64_t *)at);
		break;
	case BW_RESULT_OF_BOOL:
		if (*(const int64_t *)at != BW_RESULT_UNKNOWN)
			bw_text_puts(out, *(const int64_t *)at ? "true" : "false");
		break;
	}
}

void bw_result_print_csv(const struct bw_result *result, struct bw_text *out)
{
	int n;
	const struct bw_result_field *fields = bw_result_fields(&n);
	for (int i = 0; i < n; i++) {
		put_field(result, &fields[i], out);
		bw_text_puts(out, i < n - 1 ? "," : "\n");
	}
}

void bw_result_print_table_head(struct bw_text *out)
{
	bw_text_printf(out, "%-16s  %-9s %-8s %8s %8s %6s  %-6s %s\n", "MEASURED (UTC)", "PIPELINE",
		       "SCHEDULE", "MIN. ms", "MED. ms", "SPREAD", "OUTPUT", "DEVICE");
}

/* Returns the number of bytes of the characters that fit, and sets *n to the number of these characters. */
static int fitting(const char *text, int most, int *n)
{
	int bytes = 0;
	for (*n = 0; text[bytes] && *n < most; ++*n) {
		int length = bw_utf8(text + bytes, SIZE_MAX, NULL);
		bytes += length ? length : 1;
	}
	return bytes;
}

static void put_text(const char *text, int width, struct bw_text *out)
{
	int n, bytes = fitting(text ? text : "", width, &n);
	bw_text_printf(out, "%.*s%*s", bytes, text ? text : "", width - n, "");
}

static void put_number(double number, double scale, const char *unit, int width, struct bw_text *out)
{
	char text[32] = "-";
	double value = number * scale;
	int decimals = value >= 1000 ? 1 : value >= 100 ? 2 : value >= 10 ? 3 : 4;
	if (!isnan(number))
		snprintf(text, sizeof text, "%.*f%s", *unit ? 1 : decimals, value, unit);
	bw_text_printf(out, "%*s", width, text);
}

/* Returns the verdict in at most six letters. */
static const char *short_verdict(const char *verdict)
{
	static const char *const names[][2] = {
	    {"right within bound", "bound"}, {"wrong", "WRONG"}, {"unstable", "UNSTAB"}, {"unchecked", "-"}};
	for (size_t i = 0; verdict && i < sizeof names / sizeof *names; i++)
		if (!strcmp(verdict, names[i][0]))
			return names[i][1];
	return verdict;
}

void bw_result_print_table(const struct bw_result *result, struct bw_text *out)
{
	char when[17] = "";
	size_t begin = out->length;
	snprintf(when, sizeof when, "%.16s", result->measured_utc ? result->measured_utc : "");
	char *letter = strchr(when, 'T');
	if (letter)
		*letter = ' ';
	put_text(when, 18, out);
	put_text(result->pipeline, 9, out);
	bw_text_puts(out, " ");
	put_text(result->label && !strcmp(result->label, BW_RESULT_HAND) ? result->label : result->schedule, 8, out);
	bw_text_puts(out, " ");
	put_number(result->minimum_ms, 1, "", 8, out);
	bw_text_puts(out, " ");
	put_number(result->median_ms, 1, "", 8, out);
	bw_text_puts(out, " ");
	put_number(result->spread, 100, "%", 6, out);
	bw_text_puts(out, "  ");
	put_text(short_verdict(result->verdict), 7, out);
	bool cpu = result->cpu == 1;
	int n;
	const char *device = result->target ? result->target : result->device ? result->device : "-";
	bw_text_printf(out, "%.*s%s", fitting(device, cpu ? 6 : 10, &n), device, cpu ? " cpu" : "");
	bw_one_line(out->bytes + begin);
	bw_text_puts(out, "\n");
}
