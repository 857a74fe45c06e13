/* Converts between measurements and stored results. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/result.h"

/* The fields of struct bw_kernel_use, by their names in JSON. */
#define KERNEL_TABLE(X) \
	X(registers) \
	X(local_bytes) X(spill_stores) X(spill_loads) X(shared_bytes) X(barriers) X(block_threads) \
	    X(blocks_per_sm) X(launches)

static char *kernels_text(const struct bw_kernel_uses *uses)
{
	json_auto_t *list = json_array();
	for (int k = 0; k < uses->n; k++) {
		const struct bw_kernel_use *use = &uses->list[k];
		json_t *kernel = json_object();
		json_object_set_new(kernel, "name", json_string(use->name));
#define X(field) json_object_set_new(kernel, #field, bw_json_count(use->field));
		KERNEL_TABLE(X)
#undef X
		json_object_set_new(kernel, "ms", use->ms < 0 ? json_null() : json_real(use->ms));
		json_array_append_new(list, kernel);
	}
	return json_dumps(list, JSON_COMPACT);
}

static void read_kernel(const json_t *kernel, struct bw_kernel_use *use)
{
	const json_t *value;
	const char *name = json_string_value(json_object_get(kernel, "name"));
	snprintf(use->name, sizeof use->name, "%s", name ? name : "");
#define X(field) \
	use->field = \
	    json_is_integer(value = json_object_get(kernel, #field)) ? (int)json_integer_value(value) : -1;
	KERNEL_TABLE(X)
#undef X
	use->ms = json_is_number(value = json_object_get(kernel, "ms")) ? json_number_value(value) : -1;
}

static void read_kernels(const char *text, struct bw_kernel_uses *uses)
{
	json_auto_t *list = text ? json_loads(text, 0, NULL) : NULL;
	for (size_t k = 0; k < json_array_size(list) && k < BW_MOST_KERNELS; k++)
		read_kernel(json_array_get(list, k), &uses->list[uses->n++]);
}

static const char *known(const char *text)
{
	return *text ? text : NULL;
}

static double finite_or_unknown(double value)
{
	return isfinite(value) ? value : NAN;
}

void bw_result_measured(struct bw_result *result, const struct bw_measurement *m, char **kernels)
{
	bool checked = m->verdict != BW_UNCHECKED;
	*kernels = m->kernels.n ? kernels_text(&m->kernels) : NULL;
	result->verdict = bw_verdict_name(m->verdict);
	result->minimum_ms = finite_or_unknown(m->minimum);
	result->median_ms = finite_or_unknown(m->median);
	result->spread = finite_or_unknown(m->spread);
	result->runs = m->runs;
	result->warm_ups = m->warm_ups;
	result->attempts = m->attempts;
	result->method = known(m->method);
	result->device = known(m->device);
	result->cpu = m->cpu;
	result->driver = known(m->driver);
	result->clock_hz = m->clock > 0 ? m->clock : NAN;
	if (m->kernels.register_limit > 0)
		result->register_limit = m->kernels.register_limit;
	result->kernels = *kernels;
	result->halide = known(m->halide);
	result->worst_over_bound = checked ? finite_or_unknown(m->worst) : NAN;
	result->worst_at = known(m->where);
	result->mismatches = checked ? m->mismatches : BW_RESULT_UNKNOWN;
	result->demand = known(m->demand);
}

static enum bw_verdict verdict_of(const char *name)
{
#define X(verdict, text) \
	if (name && !strcmp(name, text)) \
		return verdict;
	BW_VERDICT_TABLE(X)
#undef X
	return BW_UNCHECKED;
}

static int64_t or_none(int64_t value)
{
	return value == BW_RESULT_UNKNOWN ? 0 : value;
}

#define COPY(to, text) snprintf(to, sizeof(to), "%s", (text) ? (text) : "")

void bw_result_measurement(const struct bw_result *result, struct bw_measurement *m)
{
	*m = (struct bw_measurement){
		.verdict = verdict_of(result->verdict),
		.worst = isnan(result->worst_over_bound) ? 0 : result->worst_over_bound,
		.mismatches = or_none(result->mismatches),
		.minimum = result->minimum_ms,
		.median = result->median_ms,
		.spread = result->spread,
		.runs = (int)or_none(result->runs),
		.warm_ups = (int)or_none(result->warm_ups),
		.attempts = (int)or_none(result->attempts),
		.cpu = or_none(result->cpu) != 0,
		.clock = isnan(result->clock_hz) ? 0 : result->clock_hz,
	};
	COPY(m->where, result->worst_at);
	COPY(m->demand, result->demand);
	COPY(m->device, result->device);
	COPY(m->driver, result->driver);
	COPY(m->halide, result->halide);
	COPY(m->method, result->method);
	read_kernels(result->kernels, &m->kernels);
	m->kernels.register_limit = (int)or_none(result->register_limit);
}
