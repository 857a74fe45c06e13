#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct bw_text *text, size_t more)
{
	size_t need = text->length + more + 1;
	if (need <= text->capacity)
		return;
	size_t capacity = text->capacity ? text->capacity : 64;
	while (capacity < need)
		capacity *= 2;
	text->bytes = bw_resize_array(text->bytes, capacity, 1);
	text->capacity = capacity;
}

void bw_text_append(struct bw_text *text, const char *bytes, size_t length)
{
	reserve(text, length);
	if (length)
		memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = 0;
}

void bw_text_puts(struct bw_text *text, const char *string)
{
	bw_text_append(text, string, strlen(string));
}

static void print(struct bw_text *text, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	if (length > 0) {
		reserve(text, (size_t)length);
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

void bw_text_printf(struct bw_text *text, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print(text, format, args);
	va_end(args);
}

char *bw_format(const char *format, ...)
{
	struct bw_text text = {0};
	va_list args;
	va_start(args, format);
	print(&text, format, args);
	va_end(args);
	return bw_text_take(&text);
}

void bw_text_clear(struct bw_text *text)
{
	text->length = 0;
	if (text->bytes)
		text->bytes[0] = 0;
}

void bw_text_free(struct bw_text *text)
{
	free(text->bytes);
	*text = (struct bw_text){0};
}

const char *bw_text_get(const struct bw_text *text)
{
	return text->bytes ? text->bytes : "";
}

char *bw_text_keep(struct bw_text *text, struct bw_arena *arena)
{
	char *kept = bw_arena_strdup(arena, bw_text_get(text));
	bw_text_free(text);
	return kept;
}

char *bw_take_word(const char **rest)
{
	size_t length = strcspn(*rest, " \t");
	char *word = bw_format("%.*s", (int)length, *rest);
	*rest += length + strspn(*rest + length, " \t");
	return word;
}

bool bw_read_number(const char *text, long least, long most, long *number)
{
	char *end;
	*number = strtol(text, &end, 10);
	return end > text && !*end && *number >= least && *number <= most;
}

int bw_utf8(const char *text, size_t most, uint32_t *point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t first = (unsigned char)*text, value = first;
	int n = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
	if (n > 1)
		value &= 0x7fu >> n;
	for (int i = 1; i < n; i++) {
		if ((size_t)i >= most || ((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (point)
		*point = value;
	return value < least[n] || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff ? 0 : n;
}

void bw_text_quote(struct bw_text *text, const char *word)
{
	bw_text_puts(text, "'");
	for (; *word; word++)
		bw_text_printf(text, *word == '\'' ? "'\\''" : "%c", *word);
	bw_text_puts(text, "'");
}

char *bw_trim(char *text)
{
	size_t length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

bool bw_ends_with(const char *string, const char *ending)
{
	size_t length = strlen(string), last = strlen(ending);
	return length > last && !strcmp(string + length - last, ending);
}

char *bw_text_take(struct bw_text *text)
{
	char *bytes = text->bytes ? text->bytes : bw_strdup("");
	*text = (struct bw_text){0};
	return bytes;
}

enum { HINT_LONGEST = 64 };

/* Returns the number of letters to insert, remove or change to turn a into b, both of at most HINT_LONGEST
 * letters. */
static size_t distance(const char *a, const char *b)
{
	size_t length = strlen(b), row[HINT_LONGEST + 1];
	for (size_t k = 0; k <= length; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t k = 0; k < length; k++) {
			size_t changed = diagonal + (a[i] != b[k]);
			size_t shorter = row[k] < row[k + 1] ? row[k] + 1 : row[k + 1] + 1;
			diagonal = row[k + 1];
			row[k + 1] = changed < shorter ? changed : shorter;
		}
	}
	return row[length];
}

void bw_suggestion_add(struct bw_suggestion *known, const char *name)
{
	size_t length = strlen(known->unknown), most = length / 2 < 2 ? length / 2 : 2;
	bw_text_printf(&known->names, "%s%s", known->names.length ? ", " : "", name);
	if (length > HINT_LONGEST || strlen(name) > HINT_LONGEST)
		return;
	size_t away = distance(known->unknown, name);
	if (known->nearest ? away < known->away : away <= most) {
		known->away = away;
		known->nearest = name;
	}
}

const char *bw_suggestion_say(struct bw_suggestion *known, const char *lists)
{
	bw_text_clear(&known->said);
	if (known->nearest)
		bw_text_printf(&known->said, "did you mean \"%s\"?%s%s", known->nearest, lists ? " " : "", lists ? lists : "");
	else
		bw_text_printf(&known->said, "%s%s", lists ? lists : "there are ", lists ? "" : bw_text_get(&known->names));
	return bw_text_get(&known->said);
}

void bw_suggestion_free(struct bw_suggestion *known)
{
	bw_text_free(&known->names);
	bw_text_free(&known->said);
}

const char *bw_nearest(const char *unknown, const char *const *names)
{
	BW_SCOPED_SUGGESTION known = {.unknown = unknown};
	for (; *names; names++)
		bw_suggestion_add(&known, *names);
	return known.nearest;
}
