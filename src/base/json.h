/* Reads and prints JSON. jansson parses; a cursor adds errors that name file, line and key, as in
 * `harris.json:12: funcs[3].stages[0].loops: expected an array`. */
#pragma once
#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* A parsed document. It owns the values; cursors point into it. */
struct bw_json;
/* Parses text (length bytes of UTF-8, no duplicate keys). Errors call it name, which is copied. Returns
 * NULL on error. */
struct bw_json *bw_json_parse(const char *name, const char *text, size_t length, struct bw_error *error);
/* Reads and parses a file of at most 64 MiB. */
struct bw_json *bw_json_read(const char *path, struct bw_error *error);
void bw_json_free(struct bw_json *json);

/* A cursor: a value of the document and its path from the root. Made on the stack, valid while its parent
 * is. */
struct bw_json_at {
	const struct bw_json *json;
	const json_t *value;
	const struct bw_json_at *parent;
	const char *key; /* in an object; NULL in an array */
	size_t index;    /* in an array */
};

struct bw_json_at bw_json_root(const struct bw_json *json);
/* Sets an error of kind INPUT that begins with file, line and key, and returns false. */
bool bw_json_fail(const struct bw_json_at *at, struct bw_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Finds the member `key` of an object. Returns false with an error if `at` is not an object or lacks it. */
bool bw_json_get(const struct bw_json_at *at, const char *key, struct bw_json_at *member,
		 struct bw_error *error);
/* Finds an optional member `key`. Returns false without an error if it is missing; `at` must be an object. */
bool bw_json_has(const struct bw_json_at *at, const char *key, struct bw_json_at *member);
/* Finds the number of elements of an array. Returns false with an error if `at` is not an array. */
bool bw_json_length(const struct bw_json_at *at, size_t *length, struct bw_error *error);
/* Finds the number of elements of an array that must have `least` to `most` elements. `what` names the
 * elements in the error. */
bool bw_json_size(const struct bw_json_at *at, int least, int most, const char *what, size_t *length,
		  struct bw_error *error);
struct bw_json_at bw_json_element(const struct bw_json_at *at, size_t index);
/* Read the cursor's value as a value of the given type. The document owns the strings. */
bool bw_json_string(const struct bw_json_at *at, const char **string, struct bw_error *error);
bool bw_json_int(const struct bw_json_at *at, int64_t least, int64_t most, int64_t *value,
		 struct bw_error *error);
bool bw_json_number(const struct bw_json_at *at, double *value, struct bw_error *error);
bool bw_json_bool(const struct bw_json_at *at, bool *value, struct bw_error *error);
/* Find the member `key` of an object, and read it as a value of the given type. For an array, also set its
 * length. */
bool bw_json_get_string(const struct bw_json_at *at, const char *key, const char **string,
			struct bw_error *error);
bool bw_json_get_int(const struct bw_json_at *at, const char *key, int64_t least, int64_t most,
		     int64_t *value, struct bw_error *error);
bool bw_json_get_number(const struct bw_json_at *at, const char *key, double *value, struct bw_error *error);
bool bw_json_get_bool(const struct bw_json_at *at, const char *key, bool *value, struct bw_error *error);
bool bw_json_get_list(const struct bw_json_at *at, const char *key, struct bw_json_at *list, size_t *length,
		      struct bw_error *error);
/* Checks that an object has no members other than keys, a list that ends with NULL. The error suggests the
 * nearest known key. */
bool bw_json_only(const struct bw_json_at *at, const char *const *keys, struct bw_error *error);

/* Returns an array of n strings. */
json_t *bw_json_strings(const char *const *list, int n);
/* Appends a value as one or more lines of text, and drops the reference to it. flags are those of
 * json_dumps. */
void bw_json_put_line(struct bw_text *out, json_t *value, size_t flags);
/* Returns the string value of a member of an object; "" if the object has no such member. */
const char *bw_json_text(const json_t *object, const char *key);
/* Returns a new JSON string. If the text is not valid UTF-8, each byte that is not ASCII becomes a
 * question mark. */
json_t *bw_json_words(const char *text);
/* Return a new JSON number. Return JSON null, which means unknown, for a number that is not finite or a
 * count below 0. */
json_t *bw_json_real(double number);
json_t *bw_json_count(int number);
