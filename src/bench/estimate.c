#include "bench/estimate.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

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
	if (!read_whole(text, ',', INT32_MIN, INT32_MAX, &min, &rest) || !read_whole(rest, 0, 1, INT32_MAX, &extent, &rest))
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

json_t *bw_estimates_read(const char *const *estimates, int n_estimates, struct bw_error *error)
{
	json_t *object = json_object();
	for (int k = 0; k < n_estimates; k++) {
		const char *text = estimates[k], *equals = strchr(text, '=');
		json_t *value = !equals || equals == text ? NULL : strchr(equals, ',') ? read_interval(equals + 1) : read_value(equals + 1);
		char *name = value ? strndup(text, (size_t)(equals - text)) : NULL;
		bool good = name && json_object_set(object, name, value) == 0;
		json_decref(value);
		free(name);
		if (good)
			continue;
		bw_fail(error, BW_ERROR_USAGE, "estimate %s: expected NAME.DIM=MIN,EXTENT or NAME=VALUE", text);
		json_decref(object);
		return NULL;
	}
	return object;
}

/* Copies the member `key` of each object of the list `members`, by its name; those without one are passed over. */
static bool collect(const struct bw_json_at *root, const char *members, const char *key, json_t *into, struct bw_error *error)
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
		if (bw_json_has(&element, key, &value))
			json_object_set(into, string, (json_t *)value.value);
	}
	return true;
}

char *bw_estimates_described(const char *description, size_t length, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse("description", description, length, error);
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json);
	json_t *all = json_object();
	char *text = NULL;
	if (collect(&root, "parameters", "estimate", all, error) && collect(&root, "inputs", "estimate", all, error) && collect(&root, "funcs", "estimate", all, error))
		text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	bw_json_free(json);
	return text;
}
