/* Results as lines of JSON. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/worker.h"

/* Text from drivers and file names may be no UTF-8, which JSON must be. */
static json_t *text(const char *string)
{
	json_t *value = json_string(string);
	if (value)
		return value;
	char ascii[1024];
	size_t n = 0;
	for (; string[n] && n + 1 < sizeof ascii; n++)
		ascii[n] = (unsigned char)string[n] < 0x80 ? string[n] : '?';
	ascii[n] = 0;
	return json_string(ascii);
}

/* Writes the object as one line and frees it. */
static bool write_line(int results, json_t *object)
{
	char *line = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	if (!line)
		return false;
	size_t length = strlen(line), done = 0;
	line[length++] = '\n';
	while (done < length) {
		ssize_t put = write(results, line + done, length - done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			break;
		done += (size_t)put;
	}
	free(line);
	return done == length;
}

bool bw_report_error(int results, int object, const struct bw_error *error)
{
	return write_line(results, json_pack("{s:i,s:i,s:{s:s,s:o}}", "beamwalk-bench", BW_BENCH_VERSION, "object", object, "error", "kind",
	                                     bw_error_name(error->kind), "text", text(error->text)));
}

bool bw_report(int results, int object, const struct bw_measurement *measurement)
{
	json_t *line = json_pack("{s:i,s:i,s:s,s:f,s:o,s:I,s:s,s:o,s:b}", "beamwalk-bench", BW_BENCH_VERSION, "object", object, "verdict",
	                         bw_verdict_name(measurement->verdict), "worst", fmin(measurement->worst, DBL_MAX), "where", text(measurement->where),
	                         "mismatches", (json_int_t)measurement->mismatches, "demand", measurement->demand, "device", text(measurement->device), "cpu", measurement->cpu);
	if (measurement->verdict != BW_OUTPUT_WRONG) {
		json_object_set_new(line, "minimum", json_real(measurement->minimum));
		json_object_set_new(line, "median", json_real(measurement->median));
		json_object_set_new(line, "spread", json_real(measurement->spread));
		json_object_set_new(line, "runs", json_integer(measurement->runs));
		json_object_set_new(line, "warm_ups", json_integer(measurement->warm_ups));
		json_object_set_new(line, "method", json_string(measurement->method));
	}
	return write_line(results, line);
}
