/* Names and hash tables of names: a description may have thousands, and a hostile one as many as it can. */
#include <string.h>

#include "base/hash.h"
#include "pipeline/pipeline_private.h"

struct bw_names bw_names_make(struct bw_arena *arena, size_t n)
{
	size_t size = 8;
	while (size < 2 * n)
		size *= 2;
	return (struct bw_names){size - 1, BW_ARENA_ARRAY(arena, struct bw_named, size)};
}

/* Returns the place of a name, or the free place where it belongs. */
static struct bw_named *place_of(const struct bw_names *names, const char *name)
{
	size_t place = bw_hash_string(0, name) & names->mask;
	while (names->places[place].name && strcmp(names->places[place].name, name))
		place = (place + 1) & names->mask;
	return &names->places[place];
}

int bw_names_find(const struct bw_names *names, const char *name)
{
	const struct bw_named *place = place_of(names, name);
	return place->name ? place->number : -1;
}

void bw_names_put(struct bw_names *names, const char *name, int number)
{
	*place_of(names, name) = (struct bw_named){name, number};
}

/* Returns true if a text has control characters of ASCII, or of Latin-1 in UTF-8 (0xc2, then 0x80 to
 * 0x9f), which could control the terminal. */
static bool has_control(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0))
			return true;
	return false;
}

/* Reads a name, 1 to BW_MAX_NAME bytes without control characters, into the arena. */
static bool read_name(struct bw_reading *reading, const struct bw_json_at *at, const char **name)
{
	const char *text;
	if (!bw_json_string(at, &text, reading->error))
		return false;
	size_t length = strlen(text);
	if (length < 1 || length > BW_MAX_NAME)
		return bw_json_fail(at, reading->error, "expected a name of 1 to %d bytes, found %zu", BW_MAX_NAME, length);
	if (has_control(text))
		return bw_json_fail(at, reading->error, "expected a name without control characters");
	*name = bw_arena_strdup(reading->arena, text);
	return true;
}

bool bw_read_name_of(struct bw_reading *reading, const struct bw_json_at *at, const char *key,
		     const char **name)
{
	struct bw_json_at member;
	return bw_json_get(at, key, &member, reading->error) && read_name(reading, &member, name);
}

bool bw_read_name_list(struct bw_reading *reading, const struct bw_json_at *at, int most,
		       const char *const **names, int *n)
{
	size_t length;
	if (!bw_json_length(at, &length, reading->error))
		return false;
	if (length > (size_t)most)
		return bw_json_fail(at, reading->error, "expected at most %d names, found %zu", most, length);
	const char **list = BW_ARENA_ARRAY(reading->arena, const char *, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(at, i);
		if (!read_name(reading, &element, &list[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(list[k], list[i]))
				return bw_json_fail(&element, reading->error, "\"%s\" stands here twice", list[i]);
	}
	*names = list;
	*n = (int)length;
	return true;
}
