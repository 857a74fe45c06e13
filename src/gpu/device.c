#include "gpu/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"

/* Fields that may be 0: what a device has none of. */
static bool may_be_zero(const char *key)
{
	return !strcmp(key, "capability") || !strcmp(key, "shared_reserved");
}

static bool read_number(const struct bw_json_at *at, const char *key, double *value, struct bw_error *error)
{
	struct bw_json_at member;
	if (!bw_json_get(at, key, &member, error) || !bw_json_number(&member, value, error))
		return false;
	if (!(*value > 0 || (*value == 0 && may_be_zero(key))) || *value > 1e30)
		return bw_json_fail(&member, error, "expected a positive number");
	return true;
}

static bool read_text(const struct bw_json_at *at, const char *key, char *out, size_t size, struct bw_error *error)
{
	struct bw_json_at member;
	const char *text;
	if (!bw_json_get(at, key, &member, error) || !bw_json_string(&member, &text, error))
		return false;
	if (strlen(text) >= size)
		return bw_json_fail(&member, error, "longer than %zu bytes", size - 1);
	snprintf(out, size, "%s", text);
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
	struct bw_json_at member;
	char api[16];
	if (!bw_json_only(at, keys, error) || !read_text(at, "name", device->name, sizeof device->name, error) || !read_text(at, "target", device->target, sizeof device->target, error) ||
	    !read_text(at, "ptxas", device->ptxas, sizeof device->ptxas, error) || !read_text(at, "source", device->source, sizeof device->source, error) ||
	    !read_text(at, "api", api, sizeof api, error) || !bw_json_get(at, "cpu", &member, error) || !bw_json_bool(&member, &device->cpu, error))
		return false;
	if (strcmp(api, "cuda") && strcmp(api, "opencl") && bw_json_get(at, "api", &member, error))
		return bw_json_fail(&member, error, "expected \"cuda\" or \"opencl\"");
	device->api = strcmp(api, "cuda") ? BW_API_OPENCL : BW_API_CUDA;
#define X(field, key, unit, text) \
	if (!read_number(at, key, &device->field, error)) \
		return false;
	BW_DEVICE_TABLE(X)
#undef X
	return true;
}

struct bw_device *bw_devices_read(const char *path, int *n_devices, struct bw_error *error)
{
	struct bw_json *json = bw_json_read(path, error);
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json);
	struct bw_device *devices = NULL;
	size_t length = 0;
	bool good = bw_json_length(&root, &length, error);
	if (good && !length)
		good = bw_json_fail(&root, error, "no devices");
	if (good)
		devices = BW_NEW_ARRAY(struct bw_device, length);
	for (size_t i = 0; i < length && good; i++) {
		struct bw_json_at element = bw_json_element(&root, i);
		good = read_device(&element, &devices[i], error);
		if (good && bw_device_find(devices, (int)i, devices[i].name))
			good = bw_json_fail(&element, error, "two devices %s", devices[i].name);
	}
	bw_json_free(json);
	*n_devices = (int)length;
	if (good)
		return devices;
	free(devices);
	return NULL;
}

const struct bw_device *bw_device_find(const struct bw_device *devices, int n_devices, const char *name)
{
	for (int i = 0; i < n_devices; i++)
		if (!strcasecmp(devices[i].name, name))
			return &devices[i];
	return NULL;
}
