#include "bench/estimate.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "bench/protocol.h"

/* A whole number in [least, most] up to `end`. */
static bool read_whole(const char *text, char end, long least, long most, long *value, const char **rest)
{
	char *stop;
	errno = 0;
	*value = strtol(text, &stop, 10);
	*rest = stop + 1;
	return stop != text && *stop == end && !errno && *value >= least && *value <= most;
}

static json_t *read_interval(const char *text)
{
	long min, extent;
	const char *rest;
	if (!read_whole(text, ',', INT32_MIN, INT32_MAX, &min, &rest) ||
	    !read_whole(rest, 0, 1, INT32_MAX, &extent, &rest))
		return NULL;
	return json_pack("[I,I]", (json_int_t)min, (json_int_t)extent);
}

static json_t *read_value(const char *text)
{
	char *stop;
	long whole;
	const char *rest;
	if (read_whole(text, 0, LONG_MIN, LONG_MAX, &whole, &rest))
		return json_integer(whole);
	double value = strtod(text, &stop);
	return stop != text && !*stop && isfinite(value) ? json_real(value) : NULL;
}

/* Adds `1536x2560x3` as the estimates NAME._0=0,1536 and so on. False if it is no list of two sizes or more.
 */
static bool add_sizes(json_t *object, const char *name, const char *text)
{
	for (int n = 0;; n++) {
		struct bw_text key = {0};
		long size;
		const char *rest;
		bool last = !strchr(text, 'x'),
		     good = read_whole(text, last ? 0 : 'x', 1, INT32_MAX, &size, &rest) && (n > 0 || !last);
		bw_text_printf(&key, "%s._%d", name, n);
		good = good && json_object_set_new(object, bw_text_get(&key), json_pack("[i,I]", 0, (json_int_t)size)) == 0;
		bw_text_free(&key);
		if (!good || last)
			return good;
		text = rest;
	}
}

/* Adds an estimate; false if it is none, or no valid UTF-8. */
static bool add_estimate(json_t *object, const char *text)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text)
		return false;
	json_t *value = strchr(equals, ',')   ? read_interval(equals + 1)
			: strchr(equals, 'x') ? NULL
					      : read_value(equals + 1);
	char *name = strndup(text, (size_t)(equals - text));
	bool good = value ? json_object_set(object, name, value) == 0 : add_sizes(object, name, equals + 1);
	json_decref(value);
	free(name);
	return good;
}

json_t *bw_estimates_read(const char *const *estimates, int n_estimates, struct bw_error *error)
{
	json_t *object = json_object();
	for (int k = 0; k < n_estimates; k++) {
		if (add_estimate(object, estimates[k]))
			continue;
		bw_fail(
		    error, BW_ERROR_USAGE,
		    "estimate %s: expected NAME.DIM=MIN,EXTENT, NAME=VALUE or, of all dimensions, NAME=SIZExSIZE",
		    estimates[k]);
		json_decref(object);
		return NULL;
	}
	return object;
}

/* The name without the suffix that Halide adds to make it unique: the argument of a filter does not have it.
 */
static void set_plain(json_t *into, const char *name, const json_t *value)
{
	const char *dollar = strchr(name, '$');
	char *plain = dollar ? strndup(name, (size_t)(dollar - name)) : NULL;
	if (plain && !json_object_get(into, plain))
		json_object_set(into, plain, (json_t *)value);
	free(plain);
}

/* Copies the estimate of each object of the list `members`, by its name; those without one are passed over.
 */
static bool collect(const struct bw_json_at *root, const char *members, json_t *into, struct bw_error *error)
{
	struct bw_json_at list, name, value;
	size_t n;
	const char *string;
	if (!bw_json_get(root, members, &list, error) || !bw_json_length(&list, &n, error))
		return false;
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at element = bw_json_element(&list, k);
		if (!bw_json_get(&element, "name", &name, error) || !bw_json_string(&name, &string, error))
			return false;
		if (!bw_json_has(&element, "estimate", &value))
			continue;
		json_object_set(into, string, (json_t *)value.value);
		set_plain(into, string, value.value);
	}
	return true;
}

/* The output at this place, alone or with its "place"; NULL: there is none. */
static const json_t *output_at(const json_t *funcs, int place)
{
	size_t i;
	const json_t *func;
	json_array_foreach(funcs, i, func) {
		const json_t *own = json_object_get(func, "place");
		if (json_is_true(json_object_get(func, "output")) && (own ? json_integer_value(own) == place : place == 0))
			return func;
	}
	return NULL;
}

/* The estimates of the outputs by their place among the filter's, because the filter may call them otherwise:
 * `output 0`. A tuple is as many. */
static void collect_outputs(const struct bw_json_at *root, json_t *into)
{
	const json_t *funcs = json_object_get(root->value, "funcs"), *func;
	int number = 0;
	for (int place = 0; (func = output_at(funcs, place)); place++)
		for (size_t t = 0; t < json_array_size(json_object_get(func, "types")); t++) {
			char key[BW_OUTPUT_KEY_SIZE];
			bw_output_key(number++, key);
			json_object_set(into, key, json_object_get(func, "estimate"));
		}
}

char *bw_estimates_described(const char *description, size_t length, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse("description", description, length, error);
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json);
	json_t *all = json_object();
	char *text = NULL;
	if (collect(&root, "parameters", all, error) && collect(&root, "inputs", all, error) &&
	    collect(&root, "funcs", all, error)) {
		collect_outputs(&root, all);
		text = json_dumps(all, JSON_COMPACT);
	}
	json_decref(all);
	bw_json_free(json);
	return text;
}
