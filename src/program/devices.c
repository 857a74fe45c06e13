/* Devices that schedules can be for: where their records are from, and the list of them. */
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "program/program.h"

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

bool bw_program_devices(struct bw_program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	json_t *list = json_array();
	for (int i = 0; i < program->n_devices; i++) {
		const struct bw_device *device = &program->devices[i];
		json_t *record = json_pack("{s:s, s:s, s:s, s:b, s:s}", "name", device->name, "target", device->target, "ptxas", device->ptxas, "cpu", device->cpu, "source", device->source);
#define X(field, key, unit, text) json_object_set_new(record, key, json_real(device->field));
		BW_DEVICE_TABLE(X)
#undef X
		json_array_append_new(list, record);
		if (!program->arguments.json)
			bw_text_printf(&out, "%-16s %4.0f SMs  %5.0f GB/s  %6.1f Gop/s float  %3.0f KiB shared a block  %s\n", device->name, device->sms, device->global_bandwidth / 1e9, device->float_rate / 1e9, device->shared_per_block / 1024, device->target);
	}
	if (program->arguments.json) {
		char *text = json_dumps(list, JSON_INDENT(2));
		bw_text_printf(&out, "%s\n", text);
		free(text);
	}
	json_decref(list);
	bool good = bw_program_put(program, &out, error);
	bw_text_free(&out);
	return good;
}
