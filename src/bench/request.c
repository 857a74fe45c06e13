/* Reads a request: a line of JSON, as described in PROTOCOL. */
#include <stdlib.h>
#include <string.h>

#include "bench/worker.h"

enum { MOST_REGISTERS = 255 }; /* of a thread, that any CUDA device has */

/* The members of each kind of request. Requests of all kinds have the members of no_keys. */
static const char *const no_keys[] = {"beamwalk-bench", "id", "do", NULL};
static const char *const have_keys[] = {"beamwalk-bench", "id", "do", "contents", NULL};
static const char *const put_keys[] = {"beamwalk-bench", "id", "do", "content", "size", "at", "bytes", NULL};
static const char *const measure_keys[] = {"beamwalk-bench", "id",        "do",     "objects",  "function",
					   "reference",      "seed",      "bound",  "seconds",  "limit",
					   "estimates",      "registers", "device", "launches", "check",
					   "counts",         "sample",         "slow",      NULL};
static const char *const cancel_keys[] = {"beamwalk-bench", "id", "do", "request", NULL};
static const char *const rates_keys[] = {"beamwalk-bench", "id", "do", "device", "seconds", "limit", NULL};
static const char *const *const keys[] = {
    [BW_DO_HELLO] = no_keys,    [BW_DO_DEVICES] = no_keys,      [BW_DO_HAVE] = have_keys,
    [BW_DO_PUT] = put_keys,     [BW_DO_MEASURE] = measure_keys, [BW_DO_CANCEL] = cancel_keys,
    [BW_DO_RATES] = rates_keys,
};

static bool read_content(const struct bw_json_at *at, const char **name, struct bw_error *error)
{
	if (!bw_json_string(at, name, error))
		return false;
	return (strlen(*name) == BW_CONTENT_NAME - 1 &&
		strspn(*name, "0123456789abcdef") == BW_CONTENT_NAME - 1) ||
	       bw_json_fail(at, error, "expected the %d hexadecimal digits of a content's hash",
			    BW_CONTENT_NAME - 1);
}

/* Reads an object's name: "PATH" or {"content": HASH}. */
static bool read_object(const struct bw_json_at *at, struct bw_object_name *object, struct bw_error *error)
{
	static const char *const object_keys[] = {"content", NULL};
	struct bw_json_at content;
	if (json_is_string(at->value))
		return bw_json_string(at, &object->path, error);
	return bw_json_get(at, "content", &content, error) && bw_json_only(at, object_keys, error) &&
	       read_content(&content, &object->content, error);
}

static bool read_objects(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	struct bw_json_at list;
	size_t n;
	if (!bw_json_get_list(root, "objects", &list, &n, error))
		return false;
	request->objects = BW_NEW_ARRAY(struct bw_object_name, n);
	request->n_objects = (int)n;
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at element = bw_json_element(&list, k);
		if (!read_object(&element, &request->objects[k], error))
			return false;
	}
	return true;
}

/* Reads an optional number, at least `least`. */
static bool read_number(const struct bw_json_at *root, const char *key, double least, double *value,
			struct bw_error *error)
{
	struct bw_json_at at;
	if (!bw_json_has(root, key, &at))
		return true;
	if (!bw_json_number(&at, value, error))
		return false;
	return *value >= least || bw_json_fail(&at, error, "expected a number of %g or more", least);
}

static bool read_bound(const struct bw_json_at *root, struct bw_bound_of_error *bound, struct bw_error *error)
{
	struct bw_json_at at;
	size_t n;
	if (!bw_json_has(root, "bound", &at))
		return true;
	if (json_is_string(at.value) && !strcmp(json_string_value(at.value), BW_BOUND_WORD)) {
		*bound = BW_BOUND_DEFAULT;
		return true;
	}
	if (!bw_json_length(&at, &n, error))
		return false;
	if (n != 2 && n != 3)
		return bw_json_fail(&at, error, "expected [ABSOLUTE, RELATIVE] or [ABSOLUTE, RELATIVE, POINTS]");
	struct bw_json_at absolute = bw_json_element(&at, 0), relative = bw_json_element(&at, 1);
	if (!bw_json_number(&absolute, &bound->absolute, error) ||
	    !bw_json_number(&relative, &bound->relative, error))
		return false;
	if (n == 3) {
		struct bw_json_at points = bw_json_element(&at, 2);
		if (!bw_json_int(&points, 0, INT64_MAX, &bound->points, error))
			return false;
	}
	return (bound->absolute >= 0 && bound->relative >= 0) ||
	       bw_json_fail(&at, error, "expected two numbers of 0 or more");
}

/* Reads [MIN, EXTENT]. Both must fit Halide's 32 bits. */
static bool read_interval(const struct bw_json_at *at, int64_t *min, int64_t *extent, struct bw_error *error)
{
	size_t n;
	if (!bw_json_length(at, &n, error))
		return false;
	if (n != 2)
		return bw_json_fail(at, error, "expected [MIN, EXTENT]");
	struct bw_json_at first = bw_json_element(at, 0), second = bw_json_element(at, 1);
	return bw_json_int(&first, INT32_MIN, INT32_MAX, min, error) &&
	       bw_json_int(&second, 1, INT32_MAX, extent, error);
}

static bool check_estimates(const struct bw_json_at *root, struct bw_error *error)
{
	struct bw_json_at at;
	if (!bw_json_has(root, "estimates", &at))
		return true;
	if (!json_is_object(at.value))
		return bw_json_fail(&at, error, "expected an object");
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)at.value, key, value) {
		struct bw_json_at member;
		size_t n;
		int64_t min, extent;
		bw_json_has(&at, key, &member);
		if (json_is_number(value))
			continue;
		if (!bw_json_length(&member, &n, error))
			return false;
		for (size_t d = 0; d < n; d++) {
			struct bw_json_at element = bw_json_element(&member, d);
			if (!read_interval(&element, &min, &extent, error))
				return false;
		}
	}
	return true;
}

/* Checks the launches of one object: null, or {"ENTRY": [THREADS, SHARED_BYTES], ...}. */
static bool check_launches_of(const struct bw_json_at *object, struct bw_error *error)
{
	if (json_is_null(object->value))
		return true;
	if (!json_is_object(object->value))
		return bw_json_fail(object, error, "expected null or {\"ENTRY\": [THREADS, SHARED_BYTES], ...}");
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)object->value, key, value) {
		struct bw_json_at launch;
		size_t n;
		int64_t number;
		bw_json_has(object, key, &launch);
		if (!bw_json_length(&launch, &n, error))
			return false;
		if (n != 2)
			return bw_json_fail(&launch, error, "expected [THREADS, SHARED_BYTES]");
		struct bw_json_at threads = bw_json_element(&launch, 0), shared = bw_json_element(&launch, 1);
		if (!bw_json_int(&threads, 1, INT32_MAX, &number, error) ||
		    !bw_json_int(&shared, 0, INT32_MAX, &number, error))
			return false;
	}
	return true;
}

/* Checks the launches of all objects, which are optional. */
static bool check_launches(const struct bw_json_at *root, int n_objects, struct bw_error *error)
{
	struct bw_json_at list;
	size_t n;
	if (!bw_json_has(root, "launches", &list))
		return true;
	if (!bw_json_length(&list, &n, error))
		return false;
	if (n != (size_t)n_objects)
		return bw_json_fail(&list, error, "expected one element per object, %d in all", n_objects);
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at object = bw_json_element(&list, k);
		if (!check_launches_of(&object, error))
			return false;
	}
	return true;
}

/* Reads an optional whole number. */
static bool read_whole(const struct bw_json_at *root, const char *key, int64_t least, int64_t most,
		       int64_t *value, struct bw_error *error)
{
	struct bw_json_at at;
	return !bw_json_has(root, key, &at) || bw_json_int(&at, least, most, value, error);
}

/* Reads the members of requests that run on a device: the device, the seconds to spend, the limit. */
static bool read_run(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	int64_t device = -1;
	if (!read_whole(root, "device", 0, INT32_MAX, &device, error))
		return false;
	request->device = (int)device;
	return read_number(root, "seconds", 0, &request->seconds, error) &&
	       read_number(root, "limit", 0.001, &request->limit, error);
}

/* Reads the members for the emulated device: the checks that it makes, whether it counts, and whether it
 * samples. */
static bool read_emulation(const struct bw_json_at *root, struct bw_emulation *emulation,
			   struct bw_error *error)
{
	struct bw_json_at at;
	const char *words;
	if (bw_json_has(root, "counts", &at) && !bw_json_bool(&at, &emulation->counts, error))
		return false;
	if (bw_json_has(root, "sample", &at) && !bw_json_bool(&at, &emulation->sampled, error))
		return false;
	if (!bw_json_has(root, "check", &at))
		return true;
	if (!bw_json_string(&at, &words, error))
		return false;
	if (strlen(words) >= sizeof emulation->check)
		return bw_json_fail(&at, error, "expected race, bounds, init with commas between");
	strcpy(emulation->check, words);
	return true;
}

static bool read_measure(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	struct bw_json_at at;
	int64_t seed = 0, registers = 0;
	if (!read_objects(root, request, error))
		return false;
	if (bw_json_has(root, "function", &at) && !bw_json_string(&at, &request->function, error))
		return false;
	if (bw_json_has(root, "reference", &at) && !read_object(&at, &request->reference, error))
		return false;
	if (!read_whole(root, "seed", 0, INT64_MAX, &seed, error) ||
	    !read_whole(root, "registers", 1, MOST_REGISTERS, &registers, error))
		return false;
	request->seed = (uint64_t)seed;
	request->registers = (int)registers;
	return read_number(root, "slow", 0, &request->slow, error) && read_bound(root, &request->bound, error) &&
	       read_emulation(root, &request->emulation, error) && read_run(root, request, error) &&
	       check_estimates(root, error) && check_launches(root, request->n_objects, error);
}

static bool read_have(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	struct bw_json_at list;
	size_t n;
	if (!bw_json_get_list(root, "contents", &list, &n, error))
		return false;
	request->contents = BW_NEW_ARRAY(const char *, n);
	request->n_contents = (int)n;
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at element = bw_json_element(&list, k);
		if (!read_content(&element, &request->contents[k], error))
			return false;
	}
	return true;
}

static bool read_put(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	struct bw_json_at content;
	return bw_json_get(root, "content", &content, error) &&
	       read_content(&content, &request->content, error) &&
	       bw_json_get_int(root, "size", 1, INT64_MAX, &request->size, error) &&
	       bw_json_get_int(root, "at", 0, request->size, &request->at, error) &&
	       bw_json_get_string(root, "bytes", &request->bytes, error);
}

static bool read_do(const struct bw_json_at *root, enum bw_do *what, struct bw_error *error)
{
	struct bw_json_at at;
	const char *name;
	if (!bw_json_get(root, "do", &at, error) || !bw_json_string(&at, &name, error))
		return false;
#define X(constant, text) \
	if (strcmp(name, text) == 0) { \
		*what = constant; \
		return true; \
	}
	BW_DO_TABLE(X)
#undef X
	return bw_json_fail(&at, error, "\"%.40s\" is nothing that this beamwalk-bench does", name);
}

/* Reads the members that only this kind of request has. */
static bool read_own(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	switch (request->what) {
	case BW_DO_HELLO:
	case BW_DO_DEVICES:
		break;
	case BW_DO_HAVE:
		return read_have(root, request, error);
	case BW_DO_PUT:
		return read_put(root, request, error);
	case BW_DO_MEASURE:
		return read_measure(root, request, error);
	case BW_DO_CANCEL:
		return bw_json_get_int(root, "request", 1, INT64_MAX, &request->request, error);
	case BW_DO_RATES:
		request->seconds = 10;
		return read_run(root, request, error);
	}
	return true;
}

static bool read_all(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	struct bw_json_at at;
	int64_t version;
	if (!bw_json_get(root, "beamwalk-bench", &at, error) || !bw_json_int(&at, 1, INT32_MAX, &version, error))
		return false;
	if (version != BW_BENCH_VERSION)
		return bw_json_fail(&at, error, "this beamwalk-bench speaks version %d, not %d",
				    BW_BENCH_VERSION, (int)version);
	return bw_json_get_int(root, "id", 1, INT64_MAX, &request->id, error) &&
	       read_do(root, &request->what, error) && bw_json_only(root, keys[request->what], error) &&
	       read_own(root, request, error);
}

bool bw_request_read(const char *line, size_t length, struct bw_request *request, struct bw_error *error)
{
	*request = (struct bw_request){.function = "bw_filter", .seconds = 0.5, .limit = 60, .device = -1};
	request->json = bw_json_parse("request", line, length, error);
	if (!request->json)
		return false;
	struct bw_json_at root = bw_json_root(request->json);
	if (read_all(&root, request, error))
		return true;
	bw_request_free(request);
	return false;
}

void bw_request_free(struct bw_request *request)
{
	free(request->objects);
	free(request->contents);
	bw_json_free(request->json);
	*request = (struct bw_request){.id = request->id};
}

/* Returns the estimate of an argument. The components of a tuple, NAME.0 and so on, have the estimate of
 * NAME. */
static const json_t *estimate(const struct bw_request *request, const char *argument)
{
	struct bw_json_at root = bw_json_root(request->json);
	const json_t *all = json_object_get(root.value, "estimates"), *found = json_object_get(all, argument);
	const char *dot = strrchr(argument, '.');
	BW_SCOPED_MEMORY char *tuple = !found && dot ? strndup(argument, (size_t)(dot - argument)) : NULL;
	if (tuple)
		found = json_object_get(all, tuple);
	return found;
}

bool bw_request_box(const struct bw_request *request, const char *argument, int output, int d, int64_t *min,
		    int64_t *extent)
{
	char key[BW_OUTPUT_KEY_SIZE];
	bw_output_key(output, key);
	const json_t *placed = output < 0 ? NULL : estimate(request, key);
	const json_t *interval = json_array_get(placed ? placed : estimate(request, argument), (size_t)d);
	if (!interval)
		return false;
	*min = json_integer_value(json_array_get(interval, 0));
	*extent = json_integer_value(json_array_get(interval, 1));
	return true;
}

bool bw_request_scalar(const struct bw_request *request, const char *argument, double *value)
{
	const json_t *number = estimate(request, argument);
	*value = json_number_value(number);
	return json_is_number(number);
}

bool bw_request_launch(const struct bw_request *request, int object, const char *entry, int *threads,
		       int *shared)
{
	struct bw_json_at root = bw_json_root(request->json);
	const json_t *launch =
	    json_object_get(json_array_get(json_object_get(root.value, "launches"), (size_t)object), entry);
	*threads = (int)json_integer_value(json_array_get(launch, 0));
	*shared = (int)json_integer_value(json_array_get(launch, 1));
	return launch;
}
