/* Text that grows as it is written. A struct bw_text of zeros is empty and ready. */
#ifndef BW_BASE_TEXT_H
#define BW_BASE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

struct bw_text {
	char *bytes; /* NULL while nothing was written; else ends with a zero that length does not count */
	size_t length, capacity;
};

void bw_text_append(struct bw_text *text, const char *bytes, size_t length);
void bw_text_puts(struct bw_text *text, const char *string);
void bw_text_printf(struct bw_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Empties it and keeps its memory. */
void bw_text_clear(struct bw_text *text);
void bw_text_free(struct bw_text *text);
/* What was written, never NULL; the text keeps it. */
const char *bw_text_get(const struct bw_text *text);
/* What was written, for the caller to free(); the text is empty afterwards. */
char *bw_text_take(struct bw_text *text);
#endif
