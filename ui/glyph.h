/* Characters: UTF-8 to code points and back, widths in columns, and ASCII replacements. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the code point at *text and advances *text. An invalid UTF-8 byte is U+FFFD. At the end
 * returns 0 and does not advance. */
uint32_t bw_glyph_next(const char **text);
/* Writes UTF-8 and a zero byte. Returns the number of bytes without the zero, at most 4. */
int bw_glyph_utf8(uint32_t glyph, char out[5]);
/* Returns the width in columns: 0, 1 or 2. Unprintable characters, such as control characters, have width
 * 1 and are shown as `?`. */
int bw_glyph_width(uint32_t glyph);
/* Returns the character to put into a cell: the glyph itself, `?` if it is unprintable, or its ASCII
 * replacement if `ascii`. */
uint32_t bw_glyph_printable(uint32_t glyph, bool ascii);
/* Returns the width of a whole text in columns. */
int bw_glyph_columns(const char *text);
/* Shortens a name to `columns` columns by replacing its middle with `…`, since similar names differ at
 * their ends. Writes at most `size` bytes, including a zero byte; 4 per column and 1 more suffice. */
void bw_glyph_shorten(const char *name, int columns, char *out, size_t size);
