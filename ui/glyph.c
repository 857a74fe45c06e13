#include "ui/glyph.h"

#include <stdio.h>
#include <wchar.h>

#include "base/text.h"

enum { REPLACEMENT = 0xfffd };

/* Characters beyond ASCII that the views draw, one column each in every locale, and their replacements. */
static const struct {
	uint32_t glyph;
	char ascii;
} own[] = {
	{0x2500, '-'}, /* ─ */
	{0x2501, '='}, /* ━ */
	{0x2502, '|'}, /* │ */
	{0x2588, '#'}, /* █ */
	{0x2589, '#'}, {0x258a, '#'}, {0x258b, '#'}, {0x258c, '#'}, /* ▉ ▊ ▋ ▌ */
	{0x258d, '-'}, {0x258e, '-'}, {0x258f, '-'}, /* ▍ ▎ ▏ */
	{0x00b7, '.'}, /* · */
	{0x2026, '~'}, /* … */
	{0x00d7, 'x'}, /* × */
	{0x2192, '>'}, /* → */
	{0x2190, '<'}, /* ← */
	{0x2191, '^'}, /* ↑ */
	{0x2193, 'v'}, /* ↓ */
	{0x25b8, '>'}, /* ▸ */
	{0x25be, 'v'}, /* ▾ */
	{0x25cf, '*'}, /* ● */
	{0x25cb, 'o'}, /* ○ */
	{0x2039, '<'}, /* ‹ */
	{0x203a, '>'}, /* › */
	{0x2713, '+'}, /* ✓ */
	{0x250c, '+'}, {0x2510, '+'}, {0x2514, '+'}, {0x2518, '+'}, /* ┌ ┐ └ ┘ */
	{0x251c, '+'}, {0x2524, '+'}, {0x252c, '+'}, {0x2534, '+'}, {0x253c, '+'}, /* ├ ┤ ┬ ┴ ┼ */
	{0x2581, '_'}, {0x2582, '_'}, {0x2583, '_'}, {0x2584, '_'}, {0x2585, '#'}, {0x2586, '#'}, {0x2587, '#'}, /* ▁ to ▇ */
	{0x2591, '.'}, {0x2592, ':'}, {0x2593, '%'}, /* ░ ▒ ▓ */
};

/* Returns the ASCII replacement of braille dots, chosen by the rows of the cell that have dots. */
static char ascii_of_dots(uint32_t dots)
{
	bool upper = dots & 0x1b, lower = dots & 0xe4;
	if (!upper || !lower)
		return upper ? '\'' : lower ? '.' : ' ';
	return dots == 0xff ? '#' : ':';
}

static char ascii_of(uint32_t glyph)
{
	if (glyph >= 0x2800 && glyph <= 0x28ff)
		return ascii_of_dots(glyph - 0x2800);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i].glyph == glyph)
			return own[i].ascii;
	return 0;
}

uint32_t bw_glyph_next(const char **text)
{
	uint32_t glyph = 0;
	int length = **text ? bw_utf8(*text, SIZE_MAX, &glyph) : 0;
	if (!**text)
		return 0;
	*text += length ? length : 1;
	return length ? glyph : REPLACEMENT;
}

int bw_glyph_utf8(uint32_t glyph, char out[5])
{
	int length = glyph < 0x80 ? 1 : glyph < 0x800 ? 2 : glyph < 0x10000 ? 3 : 4;
	static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (int i = length - 1; i > 0; i--, glyph >>= 6)
		out[i] = (char)(0x80 | (glyph & 0x3f));
	out[0] = (char)(marks[length] | glyph);
	out[length] = 0;
	return length;
}

int bw_glyph_width(uint32_t glyph)
{
	if (glyph >= 0x20 && glyph < 0x7f)
		return 1;
	if (glyph < 0x20 || ascii_of(glyph))
		return 1;
	int width = wcwidth((wchar_t)glyph);
	return width < 0 ? 1 : width;
}

uint32_t bw_glyph_printable(uint32_t glyph, bool ascii)
{
	if (glyph >= 0x20 && glyph < 0x7f)
		return glyph;
	char stands = glyph < 0x20 ? '?' : ascii_of(glyph);
	if (ascii || glyph < 0x20)
		return (uint32_t)(stands ? stands : '?');
	return stands || wcwidth((wchar_t)glyph) >= 0 ? glyph : '?';
}

int bw_glyph_columns(const char *text)
{
	int columns = 0;
	for (uint32_t glyph; (glyph = bw_glyph_next(&text));)
		columns += bw_glyph_width(glyph);
	return columns;
}

/* Returns a pointer to the last `columns` columns of a text. */
static const char *last_columns(const char *text, int columns)
{
	for (int left = bw_glyph_columns(text); left > columns;)
		left -= bw_glyph_width(bw_glyph_next(&text));
	return text;
}

void bw_glyph_shorten(const char *name, int columns, char *out, size_t size)
{
	int head = (columns - 1) / 2, used = 0;
	const char *end = name;
	if (bw_glyph_columns(name) <= columns || columns < 1) {
		snprintf(out, size, "%s", columns < 1 ? "" : name);
		return;
	}
	for (const char *next = name; used <= head; used += bw_glyph_width(bw_glyph_next(&next)))
		end = next;
	snprintf(out, size, "%.*s…%s", (int)(end - name), name, last_columns(name, columns - 1 - head));
}
