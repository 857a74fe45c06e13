/* Results as lines of JSON. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
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
	BW_SCOPED_MEMORY char *line = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	if (!line)
		return false;
	size_t length = strlen(line);
	line[length++] = '\n';
	return bw_write_all(results, line, length);
}

/* What every line of an answer begins with. */
static json_t *answer(int64_t id)
{
	return json_pack("{s:i,s:I}", "beamwalk-bench", BW_BENCH_VERSION, "id", (json_int_t)id);
}

static json_t *error_object(const struct bw_error *error)
{
	return json_pack("{s:s,s:o}", "kind", bw_error_name(error->kind), "text", text(error->text));
}

bool bw_report_hello(int results, int64_t id)
{
	static const char *const does[] = {BW_DO_TABLE(BW_SECOND)};
	json_t *line = answer(id), *list = json_array();
	for (size_t k = 0; k < sizeof does / sizeof *does; k++)
		json_array_append_new(list, json_string(does[k]));
	json_object_set_new(line, "hello", json_pack("{s:s,s:o}", "version", PACKAGE_VERSION, "does", list));
	return write_line(results, line);
}

bool bw_report_number(int results, int64_t id, const char *key, int64_t number)
{
	json_t *line = answer(id);
	json_object_set_new(line, key, json_integer(number));
	return write_line(results, line);
}

bool bw_report_have(int results, const struct bw_request *request, struct bw_store *store)
{
	json_t *line = answer(request->id), *list = json_array();
	for (int k = 0; k < request->n_contents; k++)
		json_array_append_new(list, json_boolean(bw_store_path(store, request->contents[k])));
	json_object_set_new(line, "have", list);
	return write_line(results, line);
}

/* A device: names as the driver has them, and those fields of a record that it tells, by their keys. */
static json_t *device_object(const struct bw_present *present)
{
	const struct bw_device *device = &present->device;
	json_t *object = json_pack("{s:o,s:s,s:b,s:o,s:o,s:i}", "name", text(present->name), "api", device->api == BW_API_CUDA ? "cuda" : "opencl", "cpu", device->cpu,
	                           "driver", text(present->driver), "platform", text(present->platform), "ordinal", present->ordinal);
	if (!isnan(present->memory))
		json_object_set_new(object, "memory", json_real(present->memory));
#define X(field, key, unit, meaning) \
	if (!isnan(device->field)) \
		json_object_set_new(object, key, json_real(device->field));
	BW_DEVICE_TABLE(X)
#undef X
	return object;
}

bool bw_report_devices(int results, int64_t id, const struct bw_presents *devices)
{
	json_t *line = answer(id), *list = json_array();
	for (int k = 0; k < devices->n; k++)
		json_array_append_new(list, device_object(&devices->list[k]));
	json_object_set_new(line, "devices", list);
	json_object_set_new(line, "trouble", text(devices->trouble));
	return write_line(results, line);
}

static void set_number(json_t *object, const char *key, double number)
{
	json_object_set_new(object, key, bw_json_real(number));
}

static json_t *rate_object(const struct bw_rates *rates, enum bw_rate_key key)
{
	const struct bw_rate *rate = &rates->list[key];
	json_t *object = json_pack("{s:s}", "unit", bw_rate_unit(key));
	if (isnan(rate->value)) {
		json_object_set_new(object, "error", text(rate->error));
		return object;
	}
	set_number(object, "value", rate->value);
	set_number(object, "spread", rate->spread);
	json_object_set_new(object, "repeats", json_integer(rate->repeats));
	set_number(object, "clock", rate->clock);
	set_number(object, "per_sm_clock", bw_rate_per_clock(rates, key));
	return object;
}

bool bw_report_rates(int results, int64_t id, const struct bw_rates *rates)
{
	json_t *line = answer(id), *list = json_object();
	for (int k = 0; k < BW_N_RATES; k++)
		json_object_set_new(list, bw_rate_name(k), rate_object(rates, k));
	json_object_set_new(line, "rates", json_pack("{s:o,s:o,s:f,s:f,s:o}", "device", text(rates->device), "driver", text(rates->driver), "sms", rates->sms,
	                                             "seconds", rates->seconds, "list", list));
	return write_line(results, line);
}

bool bw_report_failure(int results, int64_t id, const struct bw_error *error)
{
	json_t *line = answer(id);
	json_object_set_new(line, "error", error_object(error));
	return write_line(results, line);
}

bool bw_report_waiting(int results, int64_t id, int object, int n, double seconds, const char *holder)
{
	json_t *line = answer(id);
	json_object_set_new(line, "begin", json_pack("[i,i]", object, n));
	json_object_set_new(line, "waits", json_real(seconds));
	if (*holder)
		json_object_set_new(line, "holder", text(holder));
	return write_line(results, line);
}

bool bw_report_begin(int results, int64_t id, int object, int n)
{
	json_t *line = answer(id);
	json_object_set_new(line, "begin", json_pack("[i,i]", object, n));
	return write_line(results, line);
}

bool bw_report_error(int results, int64_t id, int object, const struct bw_error *error)
{
	json_t *line = answer(id);
	json_object_set_new(line, "object", json_integer(object));
	json_object_set_new(line, "error", error_object(error));
	return write_line(results, line);
}

static json_t *kernel_object(const struct bw_kernel_use *use)
{
	return json_pack("{s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:f}", "name", text(use->name), "registers",
			 use->registers, "local_bytes", use->local_bytes, "shared_bytes", use->shared_bytes,
			 "block_threads", use->block_threads, "blocks_per_sm", use->blocks_per_sm, "launches",
			 use->launches, "ms", use->ms);
}

/* The lines as a list. */
static json_t *launches_list(const char *lines)
{
	json_t *list = json_array();
	for (const char *at = lines; *at;) {
		size_t length = strcspn(at, "\n");
		json_t *launch = json_loadb(at, length, 0, NULL);
		if (launch)
			json_array_append_new(list, launch);
		at += length + (at[length] == '\n');
	}
	return list;
}

bool bw_report(int results, int64_t id, int object, const struct bw_measurement *measurement,
	       const char *counts)
{
	json_t *line = answer(id);
	json_t *result = json_pack("{s:s,s:f,s:o,s:I,s:o,s:o,s:b,s:o,s:f}", "verdict", bw_verdict_name(measurement->verdict), "worst", fmin(measurement->worst, DBL_MAX),
	                           "where", text(measurement->where), "mismatches", (json_int_t)measurement->mismatches, "demand", text(measurement->demand),
	                           "device", text(measurement->device), "cpu", measurement->cpu, "driver", text(measurement->driver), "clock", measurement->clock);
	json_object_set_new(result, "differing", json_integer(measurement->differing));
	json_object_set_new(result, "points", json_integer(measurement->points));
	json_object_set_new(result, "skipped", json_real(measurement->skipped));
	json_object_set_new(result, "largest", json_real(fmin(measurement->largest, DBL_MAX)));
	json_object_set_new(result, "steps", json_real(fmin(measurement->steps, DBL_MAX)));
	json_object_set_new(result, "integers", json_real(measurement->integers));
	json_object_set_new(result, "region", text(measurement->region));
	if (measurement->verdict != BW_OUTPUT_WRONG) {
		json_object_set_new(result, "minimum", json_real(measurement->minimum));
		json_object_set_new(result, "median", json_real(measurement->median));
		json_object_set_new(result, "spread", json_real(measurement->spread));
		json_object_set_new(result, "runs", json_integer(measurement->runs));
		json_object_set_new(result, "warm_ups", json_integer(measurement->warm_ups));
		json_object_set_new(result, "method", text(measurement->method));
	}
	json_t *kernels = json_array();
	for (int k = 0; k < measurement->kernels.n; k++)
		json_array_append_new(kernels, kernel_object(&measurement->kernels.list[k]));
	json_object_set_new(result, "kernels", kernels);
	if (counts)
		json_object_set_new(result, "launches", launches_list(counts));
	json_object_set_new(result, "registers", json_integer(measurement->kernels.register_limit));
	json_object_set_new(line, "object", json_integer(object));
	json_object_set_new(line, "result", result);
	return write_line(results, line);
}
