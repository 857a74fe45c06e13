#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	BW_SCOPED_TEXT text = {0};
	struct bw_json *json = NULL;
	if (bw_file_read(path, FILE_LIMIT, &text, error))
		json = bw_json_parse(path, bw_text_get(&text), text.length, error);
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

/* A position in well-formed JSON text. Every step stays before end. */
struct walk {
	const char *at, *end;
};

static void skip_space(struct walk *walk)
{
	while (walk->at < walk->end && memchr(" \t\r\n", *walk->at, 4))
		walk->at++;
}

/* Skips a string, from its opening quote to the byte after its closing quote. */
static void skip_string(struct walk *walk)
{
	for (walk->at++; walk->at < walk->end && *walk->at != '"'; walk->at++)
		if (*walk->at == '\\')
			walk->at++;
	if (walk->at < walk->end)
		walk->at++;
}

/* Skips a value, up to the comma or closing bracket that follows it. */
static void skip_value(struct walk *walk)
{
	size_t depth = 0;
	while (walk->at < walk->end) {
		char c = *walk->at;
		if (c == '"') {
			skip_string(walk);
			continue;
		}
		if (depth == 0 && (c == ',' || c == ']' || c == '}'))
			return;
		if (c == '[' || c == '{')
			depth++;
		else if (c == ']' || c == '}')
			depth--;
		walk->at++;
	}
}

/* Returns true if the string that begins here means key. */
static bool is_key(struct walk walk, const char *key)
{
	const char *start = walk.at;
	skip_string(&walk);
	size_t length = (size_t)(walk.at - start);
	if (!memchr(start, '\\', length))
		return length == strlen(key) + 2 && memcmp(start + 1, key, length - 2) == 0;
	json_auto_t *string = json_loadb(start, length, JSON_DECODE_ANY, NULL);
	return string && strcmp(json_string_value(string), key) == 0;
}

/* Moves from the opening brace of an object to the value of a member. */
static void enter_member(struct walk *walk, const char *key)
{
	walk->at++;
	for (;;) {
		skip_space(walk);
		if (walk->at >= walk->end || *walk->at != '"')
			return;
		bool found = is_key(*walk, key);
		skip_string(walk);
		skip_space(walk);
		walk->at++;
		if (found)
			return;
		skip_value(walk);
		walk->at++;
	}
}

/* Moves from the opening bracket of an array to an element. */
static void enter_element(struct walk *walk, size_t index)
{
	walk->at++;
	for (; index > 0; index--) {
		skip_value(walk);
		walk->at++;
	}
}

/* Returns the line, from 1, on which the value of the last of n cursors begins, of which each but the
 * first is a member or element of the one before. jansson keeps no lines, so the text, which is
 * well-formed, is scanned again. */
static size_t line_of(const char *text, size_t length, const struct bw_json_at *const *way, size_t n)
{
	struct walk walk = {text, text + length};
	skip_space(&walk);
	for (size_t i = 1; i < n; i++) {
		if (way[i]->key)
			enter_member(&walk, way[i]->key);
		else
			enter_element(&walk, way[i]->index);
		skip_space(&walk);
	}
	size_t line = 1;
	for (const char *c = text; c < walk.at && c < walk.end; c++)
		line += *c == '\n';
	return line;
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
	else
		bw_text_printf(path, "[\"%.*s...\"]", (int)bw_utf8_cut(key, KEY_SHOWN), key);
}

/* Appends the path from the root to the last of n cursors: `funcs[3].stages[0]`. Keeps only the end of a
 * long path. */
static void put_path(struct bw_text *path, const struct bw_json_at *const *way, size_t n)
{
	BW_SCOPED_TEXT whole = {0};
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
	BW_SCOPED_TEXT path = {0};
	size_t n;
	BW_SCOPED_MEMORY const struct bw_json_at **way = way_to(at, &n);
	put_path(&path, way, n);
	size_t line = line_of(at->json->text, at->json->length, way, n);

	char what[sizeof error->text];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	bw_fail(error, BW_ERROR_INPUT, "%s:%zu: %s%s%s", at->json->name, line, bw_text_get(&path),
		path.length ? ": " : "", what);
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

bool bw_json_size(const struct bw_json_at *at, int least, int most, const char *what, size_t *length,
		  struct bw_error *error)
{
	char range[32];
	if (!bw_json_length(at, length, error))
		return false;
	if (*length >= (size_t)least && *length <= (size_t)most)
		return true;
	if (least && least < most)
		snprintf(range, sizeof range, "%d to %d", least, most);
	else
		snprintf(range, sizeof range, least < most ? "at most %d" : "%d", most);
	return bw_json_fail(at, error, "expected %s %s, found %zu", range, what, *length);
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

bool bw_json_get_string(const struct bw_json_at *at, const char *key, const char **string,
			struct bw_error *error)
{
	struct bw_json_at member;
	return bw_json_get(at, key, &member, error) && bw_json_string(&member, string, error);
}

bool bw_json_get_int(const struct bw_json_at *at, const char *key, int64_t least, int64_t most,
		     int64_t *value, struct bw_error *error)
{
	struct bw_json_at member;
	return bw_json_get(at, key, &member, error) && bw_json_int(&member, least, most, value, error);
}

bool bw_json_get_number(const struct bw_json_at *at, const char *key, double *value, struct bw_error *error)
{
	struct bw_json_at member;
	return bw_json_get(at, key, &member, error) && bw_json_number(&member, value, error);
}

bool bw_json_get_bool(const struct bw_json_at *at, const char *key, bool *value, struct bw_error *error)
{
	struct bw_json_at member;
	return bw_json_get(at, key, &member, error) && bw_json_bool(&member, value, error);
}

bool bw_json_get_list(const struct bw_json_at *at, const char *key, struct bw_json_at *list, size_t *length,
		      struct bw_error *error)
{
	return bw_json_get(at, key, list, error) && bw_json_length(list, length, error);
}

static bool unknown_key(const struct bw_json_at *member, const char *const *keys, struct bw_error *error)
{
	const char *hint = bw_nearest(member->key, keys);
	if (hint)
		return bw_json_fail(member, error, "unknown key; did you mean \"%s\"?", hint);
	BW_SCOPED_TEXT known = {0};
	for (size_t i = 0; keys[i]; i++)
		bw_text_printf(&known, "%s%s", i ? ", " : "", keys[i]);
	bw_json_fail(member, error, "unknown key; expected one of: %s", bw_text_get(&known));
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

json_t *bw_json_strings(const char *const *list, int n)
{
	json_t *array = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

void bw_json_put_line(struct bw_text *out, json_t *value, size_t flags)
{
	BW_SCOPED_MEMORY char *text = json_dumps(value, flags);
	bw_text_printf(out, "%s\n", text ? text : "null");
	json_decref(value);
}

const char *bw_json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

json_t *bw_json_words(const char *text)
{
	json_t *value = json_string(text);
	if (value)
		return value;
	BW_SCOPED_MEMORY char *plain = bw_strdup(text);
	for (char *byte = plain; *byte; byte++)
		if (*byte & 0x80)
			*byte = '?';
	return json_string(plain);
}

json_t *bw_json_real(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_t *bw_json_count(int number)
{
	return number < 0 ? json_null() : json_integer(number);
}
