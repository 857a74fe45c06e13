/* Devices that schedules can be for: where their records are from, and the list of them. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"

#include "program/devices.h"

enum { ASK_SECONDS = 60 };

/* Puts the records of a file over those there are. */
static bool add_devices(struct bw_program *program, const char *path, struct bw_error *error)
{
	int n;
	struct bw_device *devices = bw_devices_read_over(program->devices, program->n_devices, path, &n, error);
	if (!devices)
		return false;
	free(program->devices);
	program->devices = devices;
	program->n_devices = n;
	return true;
}

bool bw_program_load_devices(struct bw_program *program, struct bw_error *error)
{
	struct bw_text own = {0};
	bw_text_printf(&own, "%s/devices.json", program->layout.config);
	bool good = add_devices(program, program->layout.devices, error);
	if (good && access(bw_text_get(&own), F_OK) == 0)
		good = add_devices(program, bw_text_get(&own), error);
	if (good && program->arguments.devices)
		good = add_devices(program, program->arguments.devices, error);
	bw_text_free(&own);
	return good;
}

json_t *bw_program_record(const struct bw_device *device)
{
	json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:b, s:s}", "name", device->name, "target", device->target, "ptxas", device->ptxas, "api", device->api == BW_API_CUDA ? "cuda" : "opencl", "cpu", device->cpu, "source", device->source);
#define X(field, key, unit, text) json_object_set_new(record, key, json_real(device->field));
	BW_DEVICE_TABLE(X)
#undef X
	return record;
}

static void print_device(const struct bw_device *device, struct bw_text *out)
{
	bw_text_printf(out, "%-16s %4.0f SMs  %5.0f GB/s  %6.1f Gop/s float  %3.0f KiB shared a block  %s\n",
		       device->name, device->sms, device->global_bandwidth / 1e9, device->float_rate / 1e9,
		       device->shared_per_block / 1024, device->target);
}

/* A device that is there: as it would be compiled for, then what its driver says of it. */
static void print_present(const struct bw_present *present, const struct bw_device *device, json_t *list,
			  struct bw_text *out)
{
	json_t *record = bw_program_record(device);
	json_object_set_new(record, "driver_name", json_string(present->name));
	json_object_set_new(record, "driver", json_string(present->driver));
	json_object_set_new(record, "memory", bw_json_real(present->memory));
	json_array_append_new(list, record);
	print_device(device, out);
	bw_text_printf(out, "%-16s %s%s, %s", "", present->name, bw_device_mark(&present->device), present->driver);
	if (!isnan(present->memory))
		bw_text_printf(out, ", %.1f GB", present->memory / 1e9);
	bw_text_puts(out, "\n");
}

/* The devices of the worker's machine, which is asked. */
static bool list_present(const struct bw_program *program, json_t *list, struct bw_text *out,
			 struct bw_error *error)
{
	struct bw_presents presents;
	struct bw_patience patience = {ASK_SECONDS, NULL};
	struct bw_bench *bench = bw_bench_new(&program->places, program->arguments.on, 0);
	bool good = bw_bench_devices_wait(bench, &patience, &presents, error);
	for (int k = 0; good && k < presents.n; k++) {
		struct bw_device device = bw_present_record(&presents.list[k], program->devices, program->n_devices);
		print_present(&presents.list[k], &device, list, out);
	}
	if (good && !presents.n)
		bw_text_printf(out, "none: neither CUDA's driver nor OpenCL has one%s%s\n",
			       *presents.trouble ? "; " : "", presents.trouble);
	bw_bench_drop(bench);
	return good;
}

/* The records that there are. */
static void list_records(const struct bw_program *program, json_t *list, struct bw_text *out)
{
	for (int i = 0; i < program->n_devices; i++) {
		json_array_append_new(list, bw_program_record(&program->devices[i]));
		print_device(&program->devices[i], out);
	}
}

/* With --on the devices of that machine; else the records, and for people those of this machine as well. */
static bool list_devices(const struct bw_program *program, json_t *list, struct bw_text *out,
			 struct bw_error *error)
{
	struct bw_error trouble = {0};
	if (program->arguments.rates)
		return bw_program_rates(program, list, out, error);
	if (program->arguments.on)
		return list_present(program, list, out, error);
	list_records(program, list, out);
	if (program->arguments.json)
		return true;
	bw_text_puts(out, "\nto run on, here:\n");
	if (!list_present(program, list, out, &trouble))
		bw_text_printf(out, "not known: %s\n", trouble.text);
	return true;
}

bool bw_program_devices(struct bw_program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	json_t *list = json_array();
	bool good = list_devices(program, list, &out, error);
	if (program->arguments.json) {
		bw_text_clear(&out);
		bw_json_put_line(&out, list, JSON_INDENT(2));
	} else {
		json_decref(list);
	}
	good = good && bw_program_put(program, &out, error);
	bw_text_free(&out);
	return good;
}
