/* Reading a request: a line of JSON as PROTOCOL describes it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/worker.h"

static const char *const keys[] = {"beamwalk-bench", "objects", "function", "reference", "seed", "bound", "seconds", "limit", "estimates", NULL};

static bool read_objects(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	struct bw_json_at list;
	size_t n;
	if (!bw_json_get(root, "objects", &list, error) || !bw_json_length(&list, &n, error))
		return false;
	request->objects = BW_NEW_ARRAY(const char *, n);
	request->n_objects = (int)n;
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at element = bw_json_element(&list, k);
		if (!bw_json_string(&element, &request->objects[k], error))
			return false;
	}
	return true;
}

/* A number that may be left out, at least `least`. */
static bool read_number(const struct bw_json_at *root, const char *key, double least, double *value, struct bw_error *error)
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
	if (!bw_json_length(&at, &n, error))
		return false;
	if (n != 2)
		return bw_json_fail(&at, error, "expected [ABSOLUTE, RELATIVE]");
	struct bw_json_at absolute = bw_json_element(&at, 0), relative = bw_json_element(&at, 1);
	if (!bw_json_number(&absolute, &bound->absolute, error) || !bw_json_number(&relative, &bound->relative, error))
		return false;
	return (bound->absolute >= 0 && bound->relative >= 0) || bw_json_fail(&at, error, "expected two numbers of 0 or more");
}

/* [MIN, EXTENT] with both in Halide's 32 bits. */
static bool read_interval(const struct bw_json_at *at, int64_t *min, int64_t *extent, struct bw_error *error)
{
	size_t n;
	if (!bw_json_length(at, &n, error))
		return false;
	if (n != 2)
		return bw_json_fail(at, error, "expected [MIN, EXTENT]");
	struct bw_json_at first = bw_json_element(at, 0), second = bw_json_element(at, 1);
	return bw_json_int(&first, INT32_MIN, INT32_MAX, min, error) && bw_json_int(&second, 1, INT32_MAX, extent, error);
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

static bool read_all(const struct bw_json_at *root, struct bw_request *request, struct bw_error *error)
{
	struct bw_json_at at;
	int64_t version, seed = 0;
	if (!bw_json_get(root, "beamwalk-bench", &at, error) || !bw_json_int(&at, 1, INT32_MAX, &version, error))
		return false;
	if (version != BW_BENCH_VERSION)
		return bw_json_fail(&at, error, "this beamwalk-bench speaks version %d, not %d", BW_BENCH_VERSION, (int)version);
	if (!bw_json_only(root, keys, error) || !read_objects(root, request, error))
		return false;
	if (bw_json_has(root, "function", &at) && !bw_json_string(&at, &request->function, error))
		return false;
	if (bw_json_has(root, "reference", &at) && !bw_json_string(&at, &request->reference, error))
		return false;
	if (bw_json_has(root, "seed", &at) && !bw_json_int(&at, 0, INT64_MAX, &seed, error))
		return false;
	request->seed = (uint64_t)seed;
	return read_bound(root, &request->bound, error) && read_number(root, "seconds", 0, &request->seconds, error) &&
	       read_number(root, "limit", 0.001, &request->limit, error) && check_estimates(root, error);
}

bool bw_request_read(const char *line, size_t length, struct bw_request *request, struct bw_error *error)
{
	*request = (struct bw_request){.function = "bw_filter", .seconds = 0.5, .limit = 60};
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
	request->objects = NULL;
	bw_json_free(request->json);
	request->json = NULL;
}

/* The estimate of an argument; the components of a tuple, NAME.0 and so on, have that of NAME. */
static const json_t *estimate(const struct bw_request *request, const char *argument)
{
	struct bw_json_at root = bw_json_root(request->json);
	const json_t *all = json_object_get(root.value, "estimates"), *found = json_object_get(all, argument);
	const char *dot = strrchr(argument, '.');
	char *tuple = !found && dot ? strndup(argument, (size_t)(dot - argument)) : NULL;
	if (tuple)
		found = json_object_get(all, tuple);
	free(tuple);
	return found;
}

bool bw_request_box(const struct bw_request *request, const char *argument, int d, int64_t *min, int64_t *extent)
{
	const json_t *interval = json_array_get(estimate(request, argument), (size_t)d);
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
