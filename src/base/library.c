#include "base/library.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number at the beginning of a text, 0 if there is none, and the text behind it in *rest. */
static int number(const char *text, const char **rest)
{
	char *end = (char *)text;
	long value = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
	*rest = end;
	return value > 0 && value < 10000 ? (int)value : 0;
}

int bw_library_version(const char *path, const char *stem)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *rest;
	size_t length = strlen(stem);
	if (strncmp(name, "lib", 3) != 0 || strncmp(name + 3, stem, length) != 0)
		return BW_LIBRARY_OTHER;
	int in_stem = number(name + 3 + length, &rest);
	if (strncmp(rest, ".so", 3) != 0 || (rest[3] && rest[3] != '.'))
		return BW_LIBRARY_OTHER;
	return in_stem ? in_stem : rest[3] ? number(rest + 4, &rest) : BW_LIBRARY_UNNUMBERED;
}
