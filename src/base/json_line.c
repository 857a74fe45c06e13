#include "base/json_line.h"

#include <stdbool.h>
#include <string.h>

/* A position in well-formed JSON text. Every step stays before end. */
struct walk {
	const char *at, *end;
};

static void skip_space(struct walk *walk)
{
	while (walk->at < walk->end && memchr(" \t\r\n", *walk->at, 4))
		walk->at++;
}

/* Skips a string, from its opening quote to behind its closing one. */
static void skip_string(struct walk *walk)
{
	for (walk->at++; walk->at < walk->end && *walk->at != '"'; walk->at++)
		if (*walk->at == '\\')
			walk->at++;
	if (walk->at < walk->end)
		walk->at++;
}

/* Skips a value, up to the comma or closing bracket behind it. */
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
	json_t *string = json_loadb(start, length, JSON_DECODE_ANY, NULL);
	bool same = string && strcmp(json_string_value(string), key) == 0;
	json_decref(string);
	return same;
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

size_t bw_json_line(const char *text, size_t length, const struct bw_json_at *const *way, size_t n)
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
