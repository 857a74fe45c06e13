/* Writes results as lines of JSON. JSON must be UTF-8, but text from drivers and file names may not be, so it
 * goes through bw_json_words. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/worker.h"

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

/* Returns the members with which every answer begins. */
static json_t *answer(int64_t id)
{
	return json_pack("{s:i,s:I}", "beamwalk-bench", BW_BENCH_VERSION, "id", (json_int_t)id);
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

/* Returns a device as JSON: its names from the driver, and the record's fields that the driver knows, by
 * their keys. */
static json_t *device_object(const struct bw_present *present)
{
	const struct bw_device *device = &present->device;
	json_t *object = json_pack("{s:o,s:s,s:b,s:o,s:o,s:i}", "name", bw_json_words(present->name), "api", device->api == BW_API_CUDA ? "cuda" : "opencl", "cpu", device->cpu,
	                           "driver", bw_json_words(present->driver), "platform", bw_json_words(present->platform), "ordinal", present->ordinal);
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
	json_object_set_new(line, "trouble", bw_json_words(devices->trouble));
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
		json_object_set_new(object, "error", bw_json_words(rate->error));
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
	json_object_set_new(line, "rates", json_pack("{s:o,s:o,s:f,s:f,s:o}", "device", bw_json_words(rates->device), "driver", bw_json_words(rates->driver), "sms", rates->sms,
	                                             "seconds", rates->seconds, "list", list));
	return write_line(results, line);
}

bool bw_report_begin(int results, int64_t id, int object, int n, double waits, const char *holder)
{
	json_t *line = answer(id);
	json_object_set_new(line, "begin", json_pack("[i,i]", object, n));
	if (waits > 0)
		json_object_set_new(line, "waits", json_real(waits));
	if (*holder)
		json_object_set_new(line, "holder", bw_json_words(holder));
	return write_line(results, line);
}

bool bw_report_error(int results, int64_t id, int object, const struct bw_error *error)
{
	json_t *line = answer(id);
	if (object >= 0)
		json_object_set_new(line, "object", json_integer(object));
	json_object_set_new(line, "error", json_pack("{s:s,s:o}", "kind", bw_error_name(error->kind), "text",
						     bw_json_words(error->text)));
	return write_line(results, line);
}

static json_t *kernel_object(const struct bw_kernel_use *use)
{
	return json_pack("{s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:f}", "name", bw_json_words(use->name), "registers",
			 use->registers, "local_bytes", use->local_bytes, "shared_bytes", use->shared_bytes,
			 "block_threads", use->block_threads, "blocks_per_sm", use->blocks_per_sm, "launches",
			 use->launches, "ms", use->ms);
}

/* Converts lines of JSON to a list. */
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
	                           "where", bw_json_words(measurement->where), "mismatches", (json_int_t)measurement->mismatches, "demand", bw_json_words(measurement->demand),
	                           "device", bw_json_words(measurement->device), "cpu", measurement->cpu, "driver", bw_json_words(measurement->driver), "clock", measurement->clock);
	json_object_set_new(result, "differing", json_integer(measurement->differing));
	json_object_set_new(result, "points", json_integer(measurement->points));
	json_object_set_new(result, "skipped", json_real(measurement->skipped));
	json_object_set_new(result, "largest", json_real(fmin(measurement->largest, DBL_MAX)));
	json_object_set_new(result, "steps", json_real(fmin(measurement->steps, DBL_MAX)));
	json_object_set_new(result, "integers", json_real(measurement->integers));
	json_object_set_new(result, "region", bw_json_words(measurement->region));
	if (measurement->verdict != BW_OUTPUT_WRONG) {
		json_object_set_new(result, "minimum", json_real(measurement->minimum));
		json_object_set_new(result, "median", json_real(measurement->median));
		json_object_set_new(result, "spread", json_real(measurement->spread));
		json_object_set_new(result, "runs", json_integer(measurement->runs));
		json_object_set_new(result, "warm_ups", json_integer(measurement->warm_ups));
		json_object_set_new(result, "method", bw_json_words(measurement->method));
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
