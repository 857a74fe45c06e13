#include "base/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_line.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/file.h"

enum { FILE_LIMIT = 64 << 20, KEY_SHOWN = 64, PATH_SHOWN = 400 };

struct bw_json {
	char *name;
	char *text;
	size_t length;
	json_t *value;
};

struct bw_json *bw_json_parse(const char *name, const char *text, size_t length, struct bw_error *error)
{
	json_error_t why;
	json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
	if (!value) {
		bw_fail(error, BW_ERROR_INPUT, "%s:%d: not JSON: %s", name, why.line > 0 ? why.line : 1, why.text);
		return NULL;
	}
	struct bw_json *json = BW_NEW(struct bw_json);
	json->name = bw_strdup(name);
	json->text = memcpy(bw_new_array(length, 1), text, length);
	json->length = length;
	json->value = value;
	return json;
}

struct bw_json *bw_json_read(const char *path, struct bw_error *error)
{
	struct bw_text text = {0};
	struct bw_json *json = NULL;
	if (bw_file_read(path, FILE_LIMIT, &text, error))
		json = bw_json_parse(path, bw_text_get(&text), text.length, error);
	bw_text_free(&text);
	return json;
}

void bw_json_free(struct bw_json *json)
{
	if (!json)
		return;
	json_decref(json->value);
	free(json->text);
	free(json->name);
	free(json);
}

struct bw_json_at bw_json_root(const struct bw_json *json)
{
	return (struct bw_json_at){.json = json, .value = json->value};
}

/* Appends a key as in a path: .key, or ["key"] if it is not a plain name. Truncates long keys. */
static void put_key(struct bw_text *path, const char *key)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$";
	size_t length = strlen(key);
	if (length > 0 && length <= KEY_SHOWN && strspn(key, plain) == length)
		bw_text_printf(path, "%s%s", path->length ? "." : "", key);
	else if (length <= KEY_SHOWN)
		bw_text_printf(path, "[\"%s\"]", key);
	else {
		size_t cut = KEY_SHOWN;
		while (((unsigned char)key[cut] & 0xc0) == 0x80)
			cut--;
		bw_text_printf(path, "[\"%.*s...\"]", (int)cut, key);
	}
}

/* Appends the path from the root to the last of n cursors: `funcs[3].stages[0]`. Keeps only the end of a
 * long path. */
static void put_path(struct bw_text *path, const struct bw_json_at *const *way, size_t n)
{
	struct bw_text whole = {0};
	for (size_t i = 1; i < n; i++)
		if (way[i]->key)
			put_key(&whole, way[i]->key);
		else
			bw_text_printf(&whole, "[%zu]", way[i]->index);
	const char *shown = bw_text_get(&whole);
	if (whole.length > PATH_SHOWN) {
		shown += whole.length - PATH_SHOWN;
		shown += strcspn(shown, ".[");
		bw_text_puts(path, "...");
	}
	bw_text_puts(path, shown);
	bw_text_free(&whole);
}

/* Returns the cursors from the root to at. Free with free(). */
static const struct bw_json_at **way_to(const struct bw_json_at *at, size_t *n)
{
	*n = 0;
	for (const struct bw_json_at *up = at; up; up = up->parent)
		++*n;
	const struct bw_json_at **way = BW_NEW_ARRAY(const struct bw_json_at *, *n);
	size_t place = *n;
	for (const struct bw_json_at *up = at; up; up = up->parent)
		way[--place] = up;
	return way;
}

bool bw_json_fail(const struct bw_json_at *at, struct bw_error *error, const char *format, ...)
{
	if (!error)
		return false;
	struct bw_text path = {0};
	size_t n;
	const struct bw_json_at **way = way_to(at, &n);
	put_path(&path, way, n);
	size_t line = bw_json_line(at->json->text, at->json->length, way, n);
	free(way);

	char what[sizeof error->text];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	bw_fail(error, BW_ERROR_INPUT, "%s:%zu: %s%s%s", at->json->name, line, bw_text_get(&path),
		path.length ? ": " : "", what);
	bw_text_free(&path);
	return false;
}

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "an array",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "an integer",
		[JSON_REAL] = "a number with a fraction",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};
	return names[json_typeof(value)];
}

static bool expected(const struct bw_json_at *at, struct bw_error *error, const char *what)
{
	return bw_json_fail(at, error, "expected %s, found %s", what, type_name(at->value));
}

bool bw_json_has(const struct bw_json_at *at, const char *key, struct bw_json_at *member)
{
	json_t *value = json_object_get(at->value, key);
	if (!value)
		return false;
	*member = (struct bw_json_at){.json = at->json, .value = value, .parent = at, .key = key};
	return true;
}

bool bw_json_get(const struct bw_json_at *at, const char *key, struct bw_json_at *member,
		 struct bw_error *error)
{
	if (!json_is_object(at->value))
		return expected(at, error, "an object");
	return bw_json_has(at, key, member) ||
	       bw_json_fail(at, error, "expected the key \"%s\" in this object", key);
}

bool bw_json_length(const struct bw_json_at *at, size_t *length, struct bw_error *error)
{
	if (!json_is_array(at->value))
		return expected(at, error, "an array");
	*length = json_array_size(at->value);
	return true;
}

struct bw_json_at bw_json_element(const struct bw_json_at *at, size_t index)
{
	json_t *value = json_array_get(at->value, index);
	assert(value);
	return (struct bw_json_at){.json = at->json, .value = value, .parent = at, .index = index};
}

bool bw_json_string(const struct bw_json_at *at, const char **string, struct bw_error *error)
{
	if (!json_is_string(at->value))
		return expected(at, error, "a string");
	*string = json_string_value(at->value);
	return true;
}

bool bw_json_int(const struct bw_json_at *at, int64_t least, int64_t most, int64_t *value,
		 struct bw_error *error)
{
	if (!json_is_integer(at->value))
		return expected(at, error, "an integer");
	long long found = json_integer_value(at->value);
	if (found >= least && found <= most) {
		*value = found;
		return true;
	}
	if (most == INT64_MAX)
		return bw_json_fail(at, error, "expected an integer of at least %lld, found %lld", (long long)least, found);
	if (least == INT64_MIN)
		return bw_json_fail(at, error, "expected an integer of at most %lld, found %lld", (long long)most, found);
	return bw_json_fail(at, error, "expected an integer from %lld to %lld, found %lld", (long long)least,
			    (long long)most, found);
}

bool bw_json_number(const struct bw_json_at *at, double *value, struct bw_error *error)
{
	if (!json_is_number(at->value))
		return expected(at, error, "a number");
	*value = json_number_value(at->value);
	return true;
}

bool bw_json_bool(const struct bw_json_at *at, bool *value, struct bw_error *error)
{
	if (!json_is_boolean(at->value))
		return expected(at, error, "true or false");
	*value = json_is_true(at->value);
	return true;
}

static bool unknown_key(const struct bw_json_at *member, const char *const *keys, struct bw_error *error)
{
	const char *hint = bw_nearest(member->key, keys);
	if (hint)
		return bw_json_fail(member, error, "unknown key; did you mean \"%s\"?", hint);
	struct bw_text known = {0};
	for (size_t i = 0; keys[i]; i++)
		bw_text_printf(&known, "%s%s", i ? ", " : "", keys[i]);
	bw_json_fail(member, error, "unknown key; expected one of: %s", bw_text_get(&known));
	bw_text_free(&known);
	return false;
}

bool bw_json_only(const struct bw_json_at *at, const char *const *keys, struct bw_error *error)
{
	if (!json_is_object(at->value))
		return expected(at, error, "an object");
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)at->value, key, value) {
		size_t i = 0;
		while (keys[i] && strcmp(keys[i], key) != 0)
			i++;
		if (keys[i])
			continue;
		struct bw_json_at member = {.json = at->json, .value = value, .parent = at, .key = key};
		return unknown_key(&member, keys, error);
	}
	return true;
}
