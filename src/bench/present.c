#include "bench/present.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns true if the text begins with the name and the name ends at the end of a word. Ignores case and all
 * characters that are neither letters nor digits. */
static bool begins_with(const char *text, const char *name)
{
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name))
			continue;
		while (*text && !isalnum((unsigned char)*text))
			text++;
		if (tolower((unsigned char)*text++) != tolower((unsigned char)*name))
			return false;
	}
	return !isalnum((unsigned char)*text);
}

/* Returns true if the driver's name contains the record's name as words, or if the driver's name is the end
 * of the record's name, as Xavier is. */
static bool same_name(const char *driver, const char *record)
{
	size_t n = strlen(driver), m = strlen(record);
	for (const char *at = driver; *at; at++)
		if ((at == driver || !isalnum((unsigned char)at[-1])) && begins_with(at, record))
			return true;
	return n >= 5 && m > n && begins_with(driver, record + m - n);
}

const struct bw_device *bw_present_find(const struct bw_present *present, const struct bw_device *records,
					int n_records)
{
	const struct bw_device *best = NULL;
	for (int k = 0; k < n_records; k++) {
		const struct bw_device *record = &records[k];
		if (record->api != present->device.api || record->cpu != present->device.cpu)
			continue;
		bool same =
		    record->cpu ||
		    (same_name(present->name, record->name) &&
		     (isnan(present->device.capability) || record->capability == present->device.capability));
		if (same && (!best || strlen(record->name) > strlen(best->name)))
			best = record;
	}
	return best;
}

/* Returns a record for a device that has none: of the same API, with the highest capability that does not
 * exceed the device's. */
static const struct bw_device *find_like(const struct bw_present *present, const struct bw_device *records,
					 int n_records)
{
	const struct bw_device *best = NULL;
	for (int k = 0; k < n_records; k++) {
		const struct bw_device *record = &records[k];
		if (record->api != present->device.api || record->capability > present->device.capability)
			continue;
		if (!best || record->capability > best->capability)
			best = record;
	}
	return best ? best : n_records ? &records[0] : NULL;
}

/* Sets the targets for Halide and ptxas if the record is another device's. */
static void name_targets(const struct bw_present *present, struct bw_device *device)
{
	static const int capabilities[] = {86, 80, 75, 70, 61, 50, 35, 32, 30};
	size_t k = 0;
	if (present->device.api == BW_API_OPENCL) {
		snprintf(device->target, sizeof device->target, "opencl");
		*device->ptxas = 0;
		return;
	}
	while (k + 1 < sizeof capabilities / sizeof *capabilities && capabilities[k] > present->device.capability)
		k++;
	snprintf(device->target, sizeof device->target, "cuda-cuda_capability_%d", capabilities[k]);
	snprintf(device->ptxas, sizeof device->ptxas, "sm_%.0f", present->device.capability);
}

/* Scales the rates, which no driver knows, by the number of SMs and their clock. */
static void scale_rates(const struct bw_device *from, struct bw_device *device)
{
	double scale = device->sms * device->clock / (from->sms * from->clock);
	device->l2_bandwidth = from->l2_bandwidth * scale;
	device->shared_bandwidth = from->shared_bandwidth * scale;
	device->register_bandwidth = from->register_bandwidth * scale;
	device->float_rate = from->float_rate * scale;
	device->int_rate = from->int_rate * scale;
	device->double_rate = from->double_rate * scale;
	device->special_rate = from->special_rate * scale;
}

struct bw_device bw_present_record(const struct bw_present *present, const struct bw_device *records,
				   int n_records)
{
	const struct bw_device *own = bw_present_find(present, records, n_records),
			       *from = own ? own : find_like(present, records, n_records);
	struct bw_device device = from ? *from : present->device;
#define X(field, key, unit, text) \
	if (!isnan(present->device.field)) \
		device.field = present->device.field;
	BW_DEVICE_TABLE(X)
#undef X
	device.api = present->device.api;
	device.cpu = present->device.cpu;
	if (from)
		scale_rates(from, &device);
	if (!own) {
		memcpy(device.name, present->device.name, sizeof device.name);
		name_targets(present, &device);
	}
	const char *rest = own ? "what it does not tell is as of the record"
			       : "what it does not tell is as of another device, not measured:";
	snprintf(device.source, sizeof device.source, "told by the driver, %s; %s %s; rates by SMs and clock",
		 present->driver, rest, from ? from->name : "none");
	return device;
}

int bw_presents_choose(const struct bw_presents *presents, const struct bw_device *wanted,
		       const struct bw_device *records, int n_records)
{
	int best = -1, best_rank = bw_device_emulated(wanted) ? 2 : -1;
	for (int k = 0; k < presents->n; k++) {
		const struct bw_present *present = &presents->list[k];
		const struct bw_device *record = bw_present_find(present, records, n_records);
		bool cuda = present->device.api == BW_API_CUDA, emulated = cuda && present->device.cpu,
		     same = wanted && record && strcmp(record->name, wanted->name) == 0;
		int rank = same && (!record->cpu || emulated) ? 3 : emulated ? -1 : cuda ? 2 : !present->device.cpu;
		if (rank > best_rank) {
			best = k;
			best_rank = rank;
		}
	}
	return best;
}
