/* Characters: UTF-8 to code points and back, how many columns one takes, and what stands for it where only ASCII can be shown. */
#ifndef BW_UI_GLYPH_H
#define BW_UI_GLYPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code point at *text, which moves past it. A byte that is no UTF-8 is U+FFFD and takes one byte. 0 at the end, and stays. */
uint32_t bw_glyph_next(const char **text);
/* Writes UTF-8 and a zero; returns the bytes without the zero, at most 4. */
int bw_glyph_utf8(uint32_t glyph, char out[5]);
/* Columns that it takes: 0, 1 or 2. What cannot be printed (control characters among them) takes 1 and is shown as `?`. */
int bw_glyph_width(uint32_t glyph);
/* What is really put into a cell: the glyph itself, `?` for what cannot be printed, or ASCII that stands for it. */
uint32_t bw_glyph_shown(uint32_t glyph, bool ascii);
/* Columns of a whole text. */
int bw_glyph_columns(const char *text);
/* A name in at most so many columns: of one that is longer the middle is left out, with `…` in its place, since names of a kind
 * differ at their ends. Writes at most `size` bytes with a zero; 4 a column and one more are enough. */
void bw_glyph_shorten(const char *name, int columns, char *out, size_t size);
#endif
