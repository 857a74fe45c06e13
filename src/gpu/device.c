/* Lists of devices: the records of a file, put over known ones. */
#include "gpu/device.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/record.h"

/* Replaces the known device of the same name, or appends the device. */
static bool put_device(const struct bw_json_at *at, struct bw_device_list *list, bool *replaced,
		       const struct bw_device *device, struct bw_error *error)
{
	const struct bw_device *known = bw_device_find(list->devices, list->n, device->name);
	if (!known) {
		list->devices[list->n++] = *device;
		return true;
	}
	int place = (int)(known - list->devices);
	if (place >= list->n_base || replaced[place])
		return bw_json_fail(at, error, "there are two devices %s", device->name);
	list->devices[place] = *device;
	replaced[place] = true;
	return true;
}

static bool read_list(const struct bw_json_at *root, const char *file, struct bw_device_list *list,
		      size_t length, struct bw_error *error)
{
	bool *replaced = BW_NEW_ARRAY(bool, list->n_base + 1), good = true;
	for (size_t i = 0; i < length && good; i++) {
		struct bw_json_at element = bw_json_element(root, i);
		struct bw_device device = {0};
		good = bw_record_read(&element, list, file, &device, error) &&
		       put_device(&element, list, replaced, &device, error);
	}
	free(replaced);
	return good;
}

/* Reads the records of a document, and frees it. */
static struct bw_device *read_json(struct bw_json *json, const char *file, const struct bw_device *base,
				   int n_base, int *n_devices, struct bw_error *error)
{
	size_t length;
	*n_devices = 0;
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json);
	struct bw_device_list list = {.n = n_base, .n_base = n_base};
	bool good = bw_json_length(&root, &length, error);
	if (good && (length < 1 || length > BW_MAX_DEVICES))
		good = bw_json_fail(&root, error, "expected 1 to %d devices, found %zu", BW_MAX_DEVICES, length);
	if (good) {
		list.devices = BW_NEW_ARRAY(struct bw_device, (size_t)n_base + length);
		if (n_base)
			memcpy(list.devices, base, (size_t)n_base * sizeof *base);
		good = read_list(&root, file, &list, length, error);
	}
	bw_json_free(json);
	if (good) {
		*n_devices = list.n;
		return list.devices;
	}
	free(list.devices);
	return NULL;
}

struct bw_device *bw_devices_read(const char *path, int *n_devices, struct bw_error *error)
{
	return bw_devices_read_over(NULL, 0, path, n_devices, error);
}

struct bw_device *bw_devices_parse(const char *name, const char *text, size_t length, int *n_devices,
				   struct bw_error *error)
{
	return bw_devices_parse_over(NULL, 0, name, text, length, n_devices, error);
}

struct bw_device *bw_devices_read_over(const struct bw_device *base, int n_base, const char *path,
				       int *n_devices, struct bw_error *error)
{
	return read_json(bw_json_read(path, error), path, base, n_base, n_devices, error);
}

struct bw_device *bw_devices_parse_over(const struct bw_device *base, int n_base, const char *name,
					const char *text, size_t length, int *n_devices,
					struct bw_error *error)
{
	return read_json(bw_json_parse(name, text, length, error), name, base, n_base, n_devices, error);
}

/* Returns the next letter or digit of a name, in lower case, or 0 at its end. */
static int next_letter(const char **name)
{
	while (**name == ' ' || **name == '-' || **name == '_')
		++*name;
	return **name ? tolower((unsigned char)*(*name)++) : 0;
}

static bool same_name(const char *a, const char *b)
{
	for (;;) {
		int letter = next_letter(&a);
		if (letter != next_letter(&b))
			return false;
		if (!letter)
			return true;
	}
}

const struct bw_device *bw_device_find(const struct bw_device *devices, int n_devices, const char *name)
{
	for (int i = 0; i < n_devices; i++)
		if (same_name(devices[i].name, name))
			return &devices[i];
	return NULL;
}

const char *bw_device_mark(const struct bw_device *device)
{
	return !device->cpu ? "" : bw_device_emulated(device) ? " (emulated)" : " (cpu)";
}

bool bw_device_emulated(const struct bw_device *device)
{
	return device && device->cpu && device->api == BW_API_CUDA;
}
