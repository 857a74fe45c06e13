#include "gpu/device.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"

static const struct field {
	size_t offset;
	const char *key, *unit;
} fields[] = {
#define X(field, key, unit, text) {offsetof(struct bw_device, field), key, unit},
	BW_DEVICE_TABLE(X)
#undef X
};

/* Figures of one record of which the first is never more than the second. */
static const struct pair {
	size_t small, large;
	const char *key, *most;
} pairs[] = {
#define AT_MOST(small, large) {offsetof(struct bw_device, small), offsetof(struct bw_device, large), #small, #large}
	AT_MOST(threads_per_block, threads_per_sm),
	AT_MOST(registers_per_block, registers_per_sm),
	AT_MOST(register_limit, registers_per_thread),
	AT_MOST(shared_per_block, shared_per_sm),
#undef AT_MOST
};

static double figure(const struct bw_device *device, size_t offset)
{
	return *(const double *)((const char *)device + offset);
}

/* What a device may have none of. */
static bool may_be_zero(const char *key)
{
	return !strcmp(key, "capability") || !strcmp(key, "shared_reserved");
}

/* Times and rates; all else is counted. */
static bool is_rate(const char *unit)
{
	size_t length = strlen(unit);
	return !strcmp(unit, "s") || (length >= 2 && !strcmp(unit + length - 2, "/s"));
}

static bool read_figure(const struct bw_json_at *at, const struct field *field, double *value, struct bw_error *error)
{
	struct bw_json_at member;
	if (!bw_json_get(at, field->key, &member, error) || !bw_json_number(&member, value, error))
		return false;
	if (*value < 0 || (*value == 0 && !may_be_zero(field->key)))
		return bw_json_fail(&member, error, "expected a positive number");
	if (is_rate(field->unit) ? *value < 1e-30 || *value > 1e30 : *value > INT32_MAX || *value != floor(*value))
		return bw_json_fail(&member, error, is_rate(field->unit) ? "expected a number from 1e-30 to 1e30" : "expected a whole number up to 2147483647");
	return true;
}

/* A text of one line that fits into `out`. */
static bool read_text(const struct bw_json_at *at, const char *key, char *out, size_t size, struct bw_error *error)
{
	struct bw_json_at member;
	const char *text;
	if (!bw_json_get(at, key, &member, error) || !bw_json_string(&member, &text, error))
		return false;
	if (strlen(text) >= size)
		return bw_json_fail(&member, error, "longer than %zu bytes", size - 1);
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return bw_json_fail(&member, error, "has a control character");
	snprintf(out, size, "%s", text);
	return true;
}

static bool read_texts(const struct bw_json_at *at, struct bw_device *device, struct bw_error *error)
{
	struct bw_json_at name;
	if (!read_text(at, "name", device->name, sizeof device->name, error))
		return false;
	if (!*device->name && bw_json_get(at, "name", &name, error))
		return bw_json_fail(&name, error, "an empty name");
	return read_text(at, "target", device->target, sizeof device->target, error) && read_text(at, "ptxas", device->ptxas, sizeof device->ptxas, error) &&
	       read_text(at, "source", device->source, sizeof device->source, error);
}

static bool read_kind(const struct bw_json_at *at, struct bw_device *device, struct bw_error *error)
{
	struct bw_json_at member;
	const char *api;
	if (!bw_json_get(at, "cpu", &member, error) || !bw_json_bool(&member, &device->cpu, error) || !bw_json_get(at, "api", &member, error) || !bw_json_string(&member, &api, error))
		return false;
	device->api = strcmp(api, "cuda") ? BW_API_OPENCL : BW_API_CUDA;
	if (device->api == BW_API_OPENCL && strcmp(api, "opencl"))
		return bw_json_fail(&member, error, "expected \"cuda\" or \"opencl\"");
	return true;
}

/* What figures of one record say of each other. */
static bool check_figures(const struct bw_json_at *at, const struct bw_device *device, struct bw_error *error)
{
	bool cuda = device->api == BW_API_CUDA;
	struct bw_json_at member;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (figure(device, pairs[i].small) > figure(device, pairs[i].large) && bw_json_get(at, pairs[i].key, &member, error))
			return bw_json_fail(&member, error, "more than %s, %.0f", pairs[i].most, figure(device, pairs[i].large));
	if (device->warps_per_sm * device->warp_size != device->threads_per_sm && bw_json_get(at, "warps_per_sm", &member, error))
		return bw_json_fail(&member, error, "times warp_size is not threads_per_sm");
	if ((device->capability > 0) != cuda && bw_json_get(at, "capability", &member, error))
		return bw_json_fail(&member, error, cuda ? "expected that of a CUDA device" : "expected 0: this is no CUDA device");
	if ((*device->ptxas != 0) != cuda && bw_json_get(at, "ptxas", &member, error))
		return bw_json_fail(&member, error, cuda ? "expected an architecture" : "expected \"\": this is no CUDA device");
	return true;
}

static bool read_device(const struct bw_json_at *at, struct bw_device *device, struct bw_error *error)
{
	static const char *const keys[] = {
		"name", "target", "ptxas", "api", "cpu", "source",
#define X(field, key, unit, text) key,
		BW_DEVICE_TABLE(X)
#undef X
		NULL,
	};
	if (!bw_json_only(at, keys, error) || !read_texts(at, device, error) || !read_kind(at, device, error))
		return false;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!read_figure(at, &fields[i], (double *)((char *)device + fields[i].offset), error))
			return false;
	return check_figures(at, device, error);
}

static struct bw_device *read_devices(const struct bw_json_at *root, int *n_devices, struct bw_error *error)
{
	size_t length;
	if (!bw_json_length(root, &length, error))
		return NULL;
	if (length < 1 || length > BW_MAX_DEVICES) {
		bw_json_fail(root, error, "expected 1 to %d devices, found %zu", BW_MAX_DEVICES, length);
		return NULL;
	}
	struct bw_device *devices = BW_NEW_ARRAY(struct bw_device, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(root, i);
		bool good = read_device(&element, &devices[i], error);
		if (good && bw_device_find(devices, (int)i, devices[i].name))
			good = bw_json_fail(&element, error, "there are two devices %s", devices[i].name);
		if (!good) {
			free(devices);
			return NULL;
		}
	}
	*n_devices = (int)length;
	return devices;
}

static struct bw_device *read_json(struct bw_json *json, int *n_devices, struct bw_error *error)
{
	*n_devices = 0;
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json);
	struct bw_device *devices = read_devices(&root, n_devices, error);
	bw_json_free(json);
	return devices;
}

struct bw_device *bw_devices_read(const char *path, int *n_devices, struct bw_error *error)
{
	return read_json(bw_json_read(path, error), n_devices, error);
}

struct bw_device *bw_devices_parse(const char *name, const char *text, size_t length, int *n_devices, struct bw_error *error)
{
	return read_json(bw_json_parse(name, text, length, error), n_devices, error);
}

const struct bw_device *bw_device_find(const struct bw_device *devices, int n_devices, const char *name)
{
	for (int i = 0; i < n_devices; i++)
		if (!strcasecmp(devices[i].name, name))
			return &devices[i];
	return NULL;
}
