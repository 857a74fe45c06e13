#include "bench/answer.h"

#include <math.h>
#include <stdlib.h>

#include "bench/protocol.h"

static bool read_text(const struct bw_json_at *root, const char *key, char *text, size_t size,
		      struct bw_error *error)
{
	const char *string;
	if (!bw_json_get_string(root, key, &string, error))
		return false;
	snprintf(text, size, "%s", string);
	return true;
}

static bool read_count(const struct bw_json_at *root, const char *key, int *count, struct bw_error *error)
{
	int64_t value;
	if (!bw_json_get_int(root, key, -1, INT32_MAX, &value, error))
		return false;
	*count = (int)value;
	return true;
}

static bool read_verdict(const struct bw_json_at *root, enum bw_verdict *verdict, struct bw_error *error)
{
	struct bw_json_at at;
	const char *name;
	if (!bw_json_get(root, "verdict", &at, error) || !bw_json_string(&at, &name, error))
		return false;
#define X(constant, text) \
	if (strcmp(name, text) == 0) { \
		*verdict = constant; \
		return true; \
	}
	BW_VERDICT_TABLE(X)
#undef X
	return bw_json_fail(&at, error, "expected a verdict");
}

static bool read_kernels(const struct bw_json_at *root, struct bw_kernel_uses *kernels,
			 struct bw_error *error)
{
	struct bw_json_at list, at;
	size_t n;
	if (!read_count(root, "registers", &kernels->register_limit, error) ||
	    !bw_json_get_list(root, "kernels", &list, &n, error))
		return false;
	for (size_t k = 0; k < n && k < BW_MOST_KERNELS; k++) {
		struct bw_json_at kernel = bw_json_element(&list, k);
		struct bw_kernel_use *use = &kernels->list[kernels->n++];
		*use = BW_KERNEL_UNKNOWN;
		if (!read_text(&kernel, "name", use->name, sizeof use->name, error) ||
		    !read_count(&kernel, "registers", &use->registers, error) ||
		    !read_count(&kernel, "local_bytes", &use->local_bytes, error) ||
		    !read_count(&kernel, "shared_bytes", &use->shared_bytes, error) ||
		    !read_count(&kernel, "block_threads", &use->block_threads, error) ||
		    (bw_json_has(&kernel, "blocks_per_sm", &at) &&
		     !read_count(&kernel, "blocks_per_sm", &use->blocks_per_sm, error)) ||
		    (bw_json_has(&kernel, "ms", &at) && (!read_count(&kernel, "launches", &use->launches, error) ||
							 !bw_json_number(&at, &use->ms, error))))
			return false;
	}
	return true;
}

static bool read_times(const struct bw_json_at *root, struct bw_measurement *measurement,
		       struct bw_error *error)
{
	struct bw_json_at at;
	if (!bw_json_get_number(root, "minimum", &measurement->minimum, error) ||
	    !bw_json_get_number(root, "median", &measurement->median, error) ||
	    !bw_json_get_number(root, "spread", &measurement->spread, error) ||
	    !read_count(root, "runs", &measurement->runs, error) ||
	    !read_count(root, "warm_ups", &measurement->warm_ups, error) ||
	    !read_text(root, "method", measurement->method, sizeof measurement->method, error))
		return false;
	bw_json_get(root, "minimum", &at, NULL);
	return (measurement->minimum >= 0 && measurement->median >= measurement->minimum &&
		measurement->spread >= 0) ||
	       bw_json_fail(&at, error, "expected times of 0 or more, the minimum not above the median");
}

/* Reads how much the outputs differ. Older workers do not report it. */
static bool read_difference(const struct bw_json_at *root, struct bw_measurement *measurement,
			    struct bw_error *error)
{
	struct bw_json_at at;
	if (!bw_json_has(root, "differing", &at))
		return true;
	if (bw_json_has(root, "skipped", &at) && !bw_json_number(&at, &measurement->skipped, error))
		return false;
	if (bw_json_has(root, "steps", &at) && (!bw_json_number(&at, &measurement->steps, error) ||
						!bw_json_get_number(root, "integers", &measurement->integers, error)))
		return false;
	return bw_json_get_int(root, "differing", 0, INT64_MAX, &measurement->differing, error) &&
	       bw_json_get_int(root, "points", 0, INT64_MAX, &measurement->points, error) &&
	       bw_json_get_number(root, "largest", &measurement->largest, error) &&
	       read_text(root, "region", measurement->region, sizeof measurement->region, error);
}

static bool read_result(const struct bw_json_at *root, struct bw_measurement *measurement,
			struct bw_error *error)
{
	*measurement = (struct bw_measurement){
	    .minimum = (double)NAN, .median = (double)NAN, .spread = (double)NAN, .attempts = 1};
	if (!read_verdict(root, &measurement->verdict, error) ||
	    !bw_json_get_number(root, "worst", &measurement->worst, error) ||
	    !read_text(root, "where", measurement->where, sizeof measurement->where, error) ||
	    !read_text(root, "demand", measurement->demand, sizeof measurement->demand, error) ||
	    !read_text(root, "device", measurement->device, sizeof measurement->device, error) ||
	    !bw_json_get_bool(root, "cpu", &measurement->cpu, error) ||
	    !read_text(root, "driver", measurement->driver, sizeof measurement->driver, error) ||
	    !bw_json_get_number(root, "clock", &measurement->clock, error) ||
	    !bw_json_get_int(root, "mismatches", 0, INT64_MAX, &measurement->mismatches, error) ||
	    !read_difference(root, measurement, error) || !read_kernels(root, &measurement->kernels, error))
		return false;
	return measurement->verdict == BW_OUTPUT_WRONG || read_times(root, measurement, error);
}

/* Reads the worker's error that says why there is no measurement. */
static bool read_error(const struct bw_json_at *at, struct bw_error *said, struct bw_error *error)
{
	char kind[32];
	char text[sizeof said->text];
	if (!read_text(at, "kind", kind, sizeof kind, error) || !read_text(at, "text", text, sizeof text, error))
		return false;
	bw_fail(said, BW_ERROR_DEVICE, "%s", text);
#define X(constant, status, meaning) \
	if (strcmp(kind, #constant) == 0 && BW_ERROR_##constant != BW_ERROR_NONE) \
		said->kind = BW_ERROR_##constant;
	BW_ERROR_TABLE(X)
#undef X
	return true;
}

/* Reads a number from a driver; NAN if the driver does not know it. */
static bool read_figure(const struct bw_json_at *root, const char *key, double *figure,
			struct bw_error *error)
{
	struct bw_json_at at;
	*figure = (double)NAN;
	if (!bw_json_has(root, key, &at))
		return true;
	return bw_json_number(&at, figure, error) &&
	       (*figure >= 0 || bw_json_fail(&at, error, "expected a number of 0 or more"));
}

static bool read_present(const struct bw_json_at *root, struct bw_present *present, struct bw_error *error)
{
	struct bw_device *device = &present->device;
	char api[16];
	if (!read_text(root, "name", present->name, sizeof present->name, error) ||
	    !read_text(root, "api", api, sizeof api, error) || !bw_json_get_bool(root, "cpu", &device->cpu, error) ||
	    !read_text(root, "driver", present->driver, sizeof present->driver, error) ||
	    !read_text(root, "platform", present->platform, sizeof present->platform, error) ||
	    !read_count(root, "ordinal", &present->ordinal, error) ||
	    !read_figure(root, "memory", &present->memory, error))
		return false;
#define X(field, key, unit, text) \
	if (!read_figure(root, key, &device->field, error)) \
		return false;
	BW_DEVICE_TABLE(X)
#undef X
	device->api = strcmp(api, "cuda") == 0 ? BW_API_CUDA : BW_API_OPENCL;
	memcpy(device->name, present->name, sizeof device->name - 1);
	return true;
}

static bool read_devices(const struct bw_json_at *root, const struct bw_json_at *list,
			 struct bw_presents **devices, struct bw_error *error)
{
	size_t n;
	*devices = BW_NEW(struct bw_presents);
	if (!bw_json_length(list, &n, error) ||
	    !read_text(root, "trouble", (*devices)->trouble, sizeof(*devices)->trouble, error))
		return false;
	for (size_t k = 0; k < n && k < BW_MOST_PRESENT; k++) {
		struct bw_json_at element = bw_json_element(list, k);
		if (!read_present(&element, &(*devices)->list[k], error))
			return false;
		(*devices)->n++;
	}
	return true;
}

static bool read_rate(const struct bw_json_at *list, const char *key, struct bw_rate *rate,
		      struct bw_error *error)
{
	struct bw_json_at at, why;
	if (!bw_json_has(list, key, &at))
		return true;
	if (bw_json_has(&at, "error", &why))
		return read_text(&at, "error", rate->error, sizeof rate->error, error);
	*rate->error = 0;
	if (!bw_json_get_number(&at, "value", &rate->value, error) ||
	    !bw_json_get_number(&at, "spread", &rate->spread, error) ||
	    !read_count(&at, "repeats", &rate->repeats, error) ||
	    !bw_json_get_number(&at, "clock", &rate->clock, error))
		return false;
	return (rate->value >= 0 && rate->spread >= 0) ||
	       bw_json_fail(&at, error, "expected a value and a spread of 0 or more");
}

static bool read_rates(const struct bw_json_at *at, struct bw_rates **rates, struct bw_error *error)
{
	struct bw_json_at list;
	*rates = BW_NEW(struct bw_rates);
	**rates = bw_rates_none("the worker does not take this rate");
	if (!read_text(at, "device", (*rates)->device, sizeof(*rates)->device, error) ||
	    !read_text(at, "driver", (*rates)->driver, sizeof(*rates)->driver, error) ||
	    !bw_json_get_number(at, "sms", &(*rates)->sms, error) ||
	    !bw_json_get_number(at, "seconds", &(*rates)->seconds, error) || !bw_json_get(at, "list", &list, error))
		return false;
	if (!json_is_object(list.value))
		return bw_json_fail(&list, error, "expected an object");
	for (int k = 0; k < BW_N_RATES; k++)
		if (!read_rate(&list, bw_rate_name(k), &(*rates)->list[k], error))
			return false;
	return true;
}

static bool read_have(const struct bw_json_at *list, struct bw_answer *answer, struct bw_error *error)
{
	size_t n;
	if (!bw_json_length(list, &n, error))
		return false;
	answer->have = BW_NEW_ARRAY(bool, n);
	answer->n_have = (int)n;
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at element = bw_json_element(list, k);
		if (!bw_json_bool(&element, &answer->have[k], error))
			return false;
	}
	return true;
}

static bool read_object(const struct bw_json_at *at, int *object, struct bw_error *error)
{
	int64_t number;
	if (!bw_json_int(at, -1, INT32_MAX, &number, error))
		return false;
	*object = (int)number;
	return true;
}

/* Reads the members that only this kind of answer has. */
static bool read_own(const struct bw_json_at *root, const struct bw_json_at *member, struct bw_answer *answer,
		     struct bw_error *error)
{
	struct bw_json_at at;
	size_t n;
	answer->object = -1;
	switch (answer->kind) {
	case BW_ANSWER_HELLO:
		return read_text(member, "version", answer->version, sizeof answer->version, error);
	case BW_ANSWER_DEVICES:
		return read_devices(root, member, &answer->devices, error);
	case BW_ANSWER_HAVE:
		return read_have(member, answer, error);
	case BW_ANSWER_PUT:
	case BW_ANSWER_CANCELLED:
	case BW_ANSWER_DONE:
		return bw_json_int(member, 0, INT64_MAX, &answer->number, error);
	case BW_ANSWER_BEGIN:
		if (!bw_json_length(member, &n, error))
			return false;
		at = bw_json_element(member, 0);
		if (n != 2)
			return bw_json_fail(member, error, "expected [OBJECT, OBJECTS]");
		return read_object(&at, &answer->object, error) &&
		       (!bw_json_has(root, "waits", &at) || bw_json_number(&at, &answer->waits, error)) &&
		       (!bw_json_has(root, "holder", &at) ||
			read_text(root, "holder", answer->holder, sizeof answer->holder, error));
	case BW_ANSWER_RESULT:
		return bw_json_get(root, "object", &at, error) && read_object(&at, &answer->object, error) &&
		       read_result(member, &answer->measurement, error) &&
		       (!bw_json_has(member, "launches", &at) ||
			(answer->counted = bw_counted_read(&at, error)));
	case BW_ANSWER_RATES:
		return read_rates(member, &answer->rates, error);
	case BW_ANSWER_ERROR:
		return (!bw_json_has(root, "object", &at) || read_object(&at, &answer->object, error)) &&
		       read_error(member, &answer->error, error);
	}
	return false;
}

static bool read_all(const struct bw_json_at *root, struct bw_answer *answer, struct bw_error *error)
{
	struct bw_json_at member;
	int64_t version;
	if (!bw_json_get_int(root, "beamwalk-bench", 1, INT32_MAX, &version, error))
		return false;
	if (version != BW_BENCH_VERSION)
		return bw_fail(
		    error, BW_ERROR_DEVICE,
		    "it speaks version %d of the bench protocol, this beamwalk speaks version %d: both are to be of one release",
		    (int)version, BW_BENCH_VERSION);
	if (!bw_json_get_int(root, "id", 0, INT64_MAX, &answer->id, error))
		return false;
#define X(name, key) \
	if (bw_json_has(root, key, &member)) { \
		answer->kind = name; \
		return read_own(root, &member, answer, error); \
	}
	BW_ANSWER_TABLE(X)
#undef X
	return bw_json_fail(root, error, "is an answer to nothing");
}

bool bw_answer_read(const char *line, size_t length, struct bw_answer *answer, struct bw_error *error)
{
	*answer = (struct bw_answer){0};
	struct bw_json *json = bw_json_parse("answer", line, length, error);
	bool good = false;
	if (json) {
		struct bw_json_at root = bw_json_root(json);
		good = read_all(&root, answer, error);
	}
	if (!good && error)
		error->kind = BW_ERROR_DEVICE;
	bw_json_free(json);
	return good;
}

void bw_answer_free(struct bw_answer *answer)
{
	free(answer->have);
	free(answer->devices);
	free(answer->rates);
	bw_counted_free(answer->counted);
	answer->counted = NULL;
	answer->have = NULL;
	answer->devices = NULL;
	answer->rates = NULL;
}

bool bw_answer_is(const char *line)
{
	return strncmp(line, "{\"beamwalk-bench\":", 18) == 0;
}
