#include "ui/key.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ui/glyph.h"

static const char *const names[] = {
#define X(name, text) text,
	BW_KEY_TABLE(X)
#undef X
};
enum { N_NAMES = sizeof names / sizeof *names };

const char *bw_key_name(enum bw_key_code code)
{
	return code > BW_KEY_FIRST ? names[code - BW_KEY_FIRST - 1] : "";
}

void bw_key_print(struct bw_key key, char name[BW_KEY_NAME_SIZE])
{
	char plain[BW_KEY_NAME_SIZE] = "";
	if (key.code > BW_KEY_FIRST)
		snprintf(plain, sizeof plain, "%s", bw_key_name(key.code));
	else if (key.code && key.code < ' ')
		snprintf(plain, sizeof plain, "^%c", (char)(key.code + '@'));
	else if (key.code)
		bw_glyph_utf8(key.code, plain);
	snprintf(name, BW_KEY_NAME_SIZE, "%s%.12s", key.alt && *plain ? "M-" : "", plain);
}

/* Returns the key of a name, other than a character, except for keys that only terminals send and the two
 * keys that always stop. */
static uint32_t named(const char *name)
{
	for (int i = 0; i < N_NAMES; i++) {
		uint32_t code = BW_KEY_FIRST + 1 + (uint32_t)i;
		if (*names[i] && !strcasecmp(names[i], name) && code < BW_KEY_MOUSE && code != BW_KEY_ESCAPE)
			return code;
	}
	return BW_KEY_NONE;
}

/* Returns the key `^R` and the like, if terminals distinguish it from other keys. ^C, ^L and ^Z do the
 * same everywhere. */
static uint32_t control(const char *name)
{
	int letter = name[0] == '^' ? toupper((unsigned char)name[1]) : 0;
	return letter >= 'A' && letter <= '_' && !name[2] && !strchr("CHIJLMZ[", letter)
		   ? (uint32_t)(letter & 31)
		   : (uint32_t)BW_KEY_NONE;
}

struct bw_key bw_key_parse(const char *name)
{
	struct bw_key key = {.alt = !strncmp(name, "M-", 2) && name[2]};
	name += key.alt ? 2 : 0;
	const char *end = name;
	uint32_t glyph = bw_glyph_next(&end);
	key.code = named(name);
	if (!key.code)
		key.code = control(name);
	if (!key.code && glyph > ' ' && glyph != 127 && glyph != 0xfffd && glyph < BW_KEY_FIRST && !*end)
		key.code = glyph;
	return key.code ? key : (struct bw_key){.code = BW_KEY_NONE};
}
