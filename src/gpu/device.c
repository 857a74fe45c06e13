/* Device records: reads them from JSON, checks them, and merges them into lists of known devices. */
#include "gpu/device.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* Known devices, followed by those of a file. */
struct bw_device_list {
	struct bw_device *devices;
	int n;
	int n_base; /* known devices, which are not from the file */
};

static const struct field {
	size_t offset;
	const char *key, *unit;
} fields[] = {
#define X(field, key, unit, text) {offsetof(struct bw_device, field), key, unit},
	BW_DEVICE_TABLE(X)
#undef X
};

/* Fields of a record of which the first never exceeds the second. */
static const struct pair {
	size_t small, large;
	const char *key, *most;
} pairs[] = {
#define AT_MOST(small, large) \
	{ \
		offsetof(struct bw_device, small), offsetof(struct bw_device, large), #small, #large \
	}
    AT_MOST(threads_per_block, threads_per_sm),
    AT_MOST(registers_per_block, registers_per_sm),
    AT_MOST(register_limit, registers_per_thread),
    AT_MOST(shared_per_block, shared_per_sm),
#undef AT_MOST
};

/* Fields that a record may omit, with their default values. These are those of an H100, as measured
 * (data/devices.json). The default for atomic operations at one address is one per clock: NVIDIA's
 * whitepaper on Kepler GK110. */
static const struct {
	const char *key;
	double value;
} defaults[] = {
    {"gap_seconds", 0.7e-6}, {"block_seconds", 0.62e-9}, {"l1_clocks", 41}, {"l2_clocks", 263}, {"memory_clocks", 479},
    {"atomic_clocks", 1},
};

static double figure(const struct bw_device *device, size_t offset)
{
	return *(const double *)((const char *)device + offset);
}

/* Returns true if a device may lack the feature. */
static bool may_be_zero(const char *key)
{
	return !strcmp(key, "capability") || !strcmp(key, "shared_reserved");
}

/* Returns true for times and rates, false for counts. */
static bool is_rate(const char *unit)
{
	size_t length = strlen(unit);
	return !strcmp(unit, "s") || (length >= 2 && !strcmp(unit + length - 2, "/s"));
}

/* A record that is being read: the JSON object, and the device named by `like`, or NULL if the record must
 * have all fields. */
struct record {
	const struct bw_json_at *at;
	const struct bw_device *like;
};

/* Returns true if the record lacks a key and takes its value from the `like` device. */
static bool left_out(const struct record *record, const char *key)
{
	struct bw_json_at member;
	return record->like && !bw_json_has(record->at, key, &member);
}

static bool read_figure(const struct record *record, const struct field *field, double *value,
			struct bw_error *error)
{
	struct bw_json_at member;
	if (left_out(record, field->key))
		return true;
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		if (!strcmp(field->key, defaults[i].key) && !bw_json_has(record->at, field->key, &member)) {
			*value = defaults[i].value;
			return true;
		}
	if (!bw_json_get(record->at, field->key, &member, error) || !bw_json_number(&member, value, error))
		return false;
	if (*value < 0 || (*value == 0 && !may_be_zero(field->key)))
		return bw_json_fail(&member, error, "expected a positive number");
	if (is_rate(field->unit) ? *value < 1e-30 || *value > 1e30 : *value > INT32_MAX || *value != floor(*value))
		return bw_json_fail(&member, error,
				    is_rate(field->unit) ? "expected a number from 1e-30 to 1e30"
							 : "expected a whole number up to 2147483647");
	return true;
}

/* Reads a text of one line that fits into `out`. */
static bool read_text(const struct record *record, const char *key, char *out, size_t size,
		      struct bw_error *error)
{
	struct bw_json_at member;
	const char *text;
	if (left_out(record, key))
		return true;
	if (!bw_json_get(record->at, key, &member, error) || !bw_json_string(&member, &text, error))
		return false;
	if (strlen(text) >= size)
		return bw_json_fail(&member, error, "longer than %zu bytes", size - 1);
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return bw_json_fail(&member, error, "has a control character");
	snprintf(out, size, "%s", text);
	return true;
}

static bool read_name(const struct bw_json_at *at, struct bw_device *device, struct bw_error *error)
{
	struct bw_json_at name;
	struct record record = {at, NULL};
	if (!read_text(&record, "name", device->name, sizeof device->name, error))
		return false;
	if (!*device->name && bw_json_get(at, "name", &name, error))
		return bw_json_fail(&name, error, "an empty name");
	return true;
}

static bool read_texts(const struct record *record, struct bw_device *device, struct bw_error *error)
{
	return read_text(record, "target", device->target, sizeof device->target, error) &&
	       read_text(record, "ptxas", device->ptxas, sizeof device->ptxas, error) &&
	       read_text(record, "source", device->source, sizeof device->source, error);
}

static bool read_kind(const struct record *record, struct bw_device *device, struct bw_error *error)
{
	struct bw_json_at member;
	const char *api;
	if (!left_out(record, "cpu") && (!bw_json_get_bool(record->at, "cpu", &device->cpu, error)))
		return false;
	if (left_out(record, "api"))
		return true;
	if (!bw_json_get(record->at, "api", &member, error) || !bw_json_string(&member, &api, error))
		return false;
	device->api = strcmp(api, "cuda") ? BW_API_OPENCL : BW_API_CUDA;
	if (device->api == BW_API_OPENCL && strcmp(api, "opencl"))
		return bw_json_fail(&member, error, "expected \"cuda\" or \"opencl\"");
	return true;
}

/* Fails at a key of a record, or at the record if it lacks the key. */
static bool fail_at(const struct bw_json_at *at, const char *key, struct bw_error *error, const char *text)
{
	struct bw_json_at member;
	return bw_json_has(at, key, &member) ? bw_json_fail(&member, error, "%s", text)
					     : bw_json_fail(at, error, "%s %s", key, text);
}

/* Checks the relations between the fields of a record. */
static bool check_figures(const struct bw_json_at *at, const struct bw_device *device, struct bw_error *error)
{
	bool cuda = device->api == BW_API_CUDA;
	char text[96];
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		snprintf(text, sizeof text, "more than %s, %.0f", pairs[i].most, figure(device, pairs[i].large));
		if (figure(device, pairs[i].small) > figure(device, pairs[i].large))
			return fail_at(at, pairs[i].key, error, text);
	}
	if (device->warps_per_sm * device->warp_size != device->threads_per_sm)
		return fail_at(at, "warps_per_sm", error, "times warp_size is not threads_per_sm");
	if ((device->capability > 0) != cuda)
		return fail_at(at, "capability", error,
			       cuda ? "expected that of a CUDA device"
				    : "expected 0: this is no CUDA device");
	if ((*device->ptxas != 0) != cuda)
		return fail_at(at, "ptxas", error,
			       cuda ? "expected an architecture" : "expected \"\": this is no CUDA device");
	return true;
}

/* Finds the device whose fields a record takes by default: the one that `like` names, else the known
 * device with the record's own name. *like is NULL if there is none. */
static bool find_like(const struct bw_json_at *at, const struct bw_device_list *list, const char *own,
		      const struct bw_device **like, struct bw_error *error)
{
	struct bw_json_at member;
	const char *name;
	*like = bw_device_find(list->devices, list->n_base, own);
	if (!bw_json_has(at, "like", &member))
		return true;
	if (!bw_json_string(&member, &name, error))
		return false;
	*like = bw_device_find(list->devices, list->n, name);
	return *like ? true : bw_json_fail(&member, error, "there is no device %s", name);
}

static bool read_fields(const struct bw_json_at *at, const struct bw_device_list *list, const char *file,
			struct bw_device *device, struct bw_error *error)
{
	static const char *const keys[] = {
		"name", "like", "target", "ptxas", "api", "cpu", "source", "measured",
		BW_DEVICE_TABLE(BW_SECOND)
		NULL,
	};
	struct record record = {at, NULL};
	char name[sizeof device->name];
	memcpy(name, device->name, sizeof name);
	struct bw_json_at measured;
	if (!bw_json_only(at, keys, error))
		return false;
	if (bw_json_has(at, "measured", &measured) && !json_is_object(measured.value))
		return bw_json_fail(&measured, error, "expected an object");
	if (!find_like(at, list, name, &record.like, error))
		return false;
	if (record.like) {
		*device = *record.like;
		memcpy(device->name, name, sizeof name);
		snprintf(device->source, sizeof device->source, "%s, with what %s says otherwise", record.like->name, file);
	}
	if (!read_texts(&record, device, error) || !read_kind(&record, device, error))
		return false;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!read_figure(&record, &fields[i], (double *)((char *)device + fields[i].offset), error))
			return false;
	return check_figures(at, device, error);
}

/* Reads one record over the device of the list that it is like. `file` is the default for the record's
 * source. Errors name the device if its name could be read. */
static bool read_record(const struct bw_json_at *at, const struct bw_device_list *list, const char *file,
		    struct bw_device *device, struct bw_error *error)
{
	if (!read_name(at, device, error))
		return false;
	if (read_fields(at, list, file, device, error))
		return true;
	size_t used = error ? strlen(error->text) : 0;
	if (error)
		snprintf(error->text + used, sizeof error->text - used, " (device %s)", device->name);
	return false;
}

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
		good = read_record(&element, list, file, &device, error) &&
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
	bool good = bw_json_size(&root, 1, BW_MAX_DEVICES, "devices", &length, error);
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

bool bw_device_unknown(const struct bw_device *devices, int n_devices, const char *of, const char *name,
		       struct bw_error *error)
{
	BW_SCOPED_SUGGESTION known = {.unknown = name};
	for (int i = 0; i < n_devices; i++)
		bw_suggestion_add(&known, devices[i].name);
	return bw_fail(error, BW_ERROR_USAGE, "%sno device \"%s\"; %s", of, name, bw_suggestion_say(&known, NULL));
}

const char *bw_device_mark(const struct bw_device *device)
{
	return !device->cpu ? "" : bw_device_emulated(device) ? " (emulated)" : " (cpu)";
}

bool bw_device_emulated(const struct bw_device *device)
{
	return device && device->cpu && device->api == BW_API_CUDA;
}

/* Occupancy by NVIDIA's rules: an SM holds as many blocks as the scarcest of its thread slots, block
 * slots, registers and shared memory allows (CUDA C++ programming guide, technical specifications by
 * compute capability; CUDA's cuda_occupancy.h). */

/* Returns the blocks per SM by thread slots, which are allocated to whole warps. */
static int64_t blocks_by_threads(const struct bw_device *device, int64_t threads, int64_t warps)
{
	if (threads > (int64_t)device->threads_per_block)
		return 0;
	return (int64_t)device->warps_per_sm / warps;
}

/* Returns the blocks per SM by registers. A warp's registers are rounded up to the unit and lie in one of
 * the SM's warp_unit equal parts. The check of one block's registers against the limit assumes the same
 * number of warps in all parts. */
static int64_t blocks_by_registers(const struct bw_device *device, int64_t registers, int64_t warps)
{
	if (registers <= 0)
		return INT64_MAX;
	if (registers > (int64_t)device->registers_per_thread)
		return 0;
	int64_t of_warp = bw_round_up(registers * (int64_t)device->warp_size, (int64_t)device->register_unit),
		parts = (int64_t)device->warp_unit;
	if (bw_round_up(warps, parts) > (int64_t)device->registers_per_block / of_warp)
		return 0;
	return (int64_t)device->registers_per_sm / parts / of_warp * parts / warps;
}

static int64_t blocks_by_shared(const struct bw_device *device, int64_t bytes)
{
	if (bytes > (int64_t)device->shared_per_block)
		return 0;
	int64_t given =
	    bw_round_up(bw_max(bytes, 0) + (int64_t)device->shared_reserved, (int64_t)device->shared_unit);
	return given ? (int64_t)device->shared_per_sm / given : INT64_MAX;
}

struct bw_occupancy bw_occupancy(const struct bw_device *device, const struct bw_block_needs *needs)
{
	int64_t threads = bw_max(needs->threads, 1), warp = (int64_t)device->warp_size,
		warps = bw_div_up(threads, warp);
	struct bw_occupancy occupancy = {.limiter = BW_LIMITED_BY_THREADS,
					 .lanes = (double)threads / ((double)warps * device->warp_size)};
	occupancy.blocks_per_sm = blocks_by_threads(device, threads, warps);
	if (!occupancy.blocks_per_sm)
		return occupancy;
	const int64_t blocks[BW_N_LIMITERS] = {
		[BW_LIMITED_BY_THREADS] = occupancy.blocks_per_sm,
		[BW_LIMITED_BY_BLOCKS] = (int64_t)device->blocks_per_sm,
		[BW_LIMITED_BY_REGISTERS] = blocks_by_registers(device, needs->registers, warps),
		[BW_LIMITED_BY_SHARED] = blocks_by_shared(device, needs->shared_bytes),
	};
	for (int i = 0; i < BW_N_LIMITERS; i++)
		if (blocks[i] < occupancy.blocks_per_sm) {
			occupancy.blocks_per_sm = blocks[i];
			occupancy.limiter = (enum bw_limiter)i;
		}
	occupancy.warps_per_sm = occupancy.blocks_per_sm * warps;
	occupancy.occupancy = (double)occupancy.warps_per_sm / device->warps_per_sm;
	return occupancy;
}

BW_WORDS(bw_limiter_name, enum bw_limiter, BW_LIMITER_TABLE(BW_SECOND))
