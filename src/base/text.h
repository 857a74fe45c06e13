/* Growable text. A zeroed struct bw_text is empty and ready for use. */
#pragma once
#include "base/mem.h"
#include <stdbool.h>
#include <stdint.h>

struct bw_text {
	char *bytes; /* NULL if nothing was written; else ends with a zero byte, which length excludes */
	size_t length, capacity;
};

void bw_text_append(struct bw_text *text, const char *bytes, size_t length);
void bw_text_puts(struct bw_text *text, const char *string);
void bw_text_printf(struct bw_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a word in single quotes for the shell (sh). */
void bw_text_quote(struct bw_text *text, const char *word);
/* Returns formatted text for the caller to free(). */
char *bw_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Empties the text and keeps its memory. */
void bw_text_clear(struct bw_text *text);
void bw_text_free(struct bw_text *text);
/* Declares a text that is freed when its block is left: `BW_SCOPED_TEXT name = {0};`. At a `return`, the
 * text is freed after the returned value is computed. */
#define BW_SCOPED_TEXT BW_SCOPED(bw_text_free) struct bw_text
/* Returns the text, never NULL. *text still owns it. */
const char *bw_text_get(const struct bw_text *text);
/* Returns the text for the caller to free(), and empties *text. */
char *bw_text_take(struct bw_text *text);
struct bw_arena;
/* Copies the text into the arena, frees *text, and returns the copy. */
char *bw_text_keep(struct bw_text *text, struct bw_arena *arena);
/* Returns true if a string ends with `ending`, and has something before it. */
bool bw_ends_with(const char *string, const char *ending);

/* Removes the white space at the end of a text, in place. Returns a pointer to the first character that is
 * not white space. */
char *bw_trim(char *text);
/* Returns a copy of the first word of *rest, for the caller to free(). A blank or tab ends a word. Moves
 * *rest past the word and the blanks that follow it. */
char *bw_take_word(const char **rest);
/* Reads a whole number. Returns false if the text contains anything else, or the number is not from
 * `least` to `most`. */
bool bw_read_number(const char *text, long least, long most, long *number);
/* Returns the bytes of the UTF-8 character at the beginning of a text of at most `most` bytes, and sets
 * *point, unless that is NULL, to its code point. Returns 0 if there is none: overlong forms, surrogates
 * and values beyond Unicode are invalid (RFC 3629, section 4). */
int bw_utf8(const char *text, size_t most, uint32_t *point);
/* Returns the largest number of bytes, at most `length`, after which the text can be cut without splitting
 * a character. */
static inline size_t bw_utf8_cut(const char *text, size_t length)
{
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* Select columns from the rows of an X macro table: one column, or all columns after the name in C.
 * Examples: `enum bw_fate { BW_FATE_TABLE(BW_FIRST) BW_N_FATES };` and `names[] =
 * {BW_FATE_TABLE(BW_SECOND)};`. */
#define BW_FIRST(first, ...) first,
#define BW_SECOND(first, second, ...) second,
#define BW_THIRD(first, second, third, ...) third,
#define BW_ROW(first, ...) {__VA_ARGS__},
/* Defines a function that returns the text of a value: `BW_WORDS(bw_fate_name, enum bw_fate,
 * BW_FATE_TABLE(BW_SECOND))`. */
#define BW_WORDS(name, type, ...) \
	const char *name(type value) \
	{ \
		static const char *const words[] = {__VA_ARGS__}; \
		return words[value]; \
	}

/* Suggestions for misspelt names. */

/* An unknown name and the nearest known name. A name is near if inserting, removing or changing at most
 * two letters, and at most half of its letters, turns one into the other. If several names are equally
 * near, the first one is taken. Begins with `.unknown` set; names are not copied. */
struct bw_suggestion {
	const char *unknown, *nearest; /* nearest: NULL if none is near enough */
	size_t away;                   /* letters that differ between `unknown` and `nearest` */
	struct bw_text names, said;
};
#define BW_SCOPED_SUGGESTION BW_SCOPED(bw_suggestion_free) struct bw_suggestion
void bw_suggestion_add(struct bw_suggestion *known, const char *name);
/* Returns `did you mean "NEAREST"?`, or `there are NAMES` if no name is near. lists: text that says what
 * lists the names, or NULL. It replaces `there are NAMES`, and follows `did you mean`. Valid until the
 * next call. */
const char *bw_suggestion_say(struct bw_suggestion *known, const char *lists);
void bw_suggestion_free(struct bw_suggestion *known);
/* Returns the nearest of the names of an array that ends with NULL, or NULL. */
const char *bw_nearest(const char *unknown, const char *const *names);
