#include "base/nearest.h"

#include <stddef.h>
#include <string.h>

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

const char *bw_nearest(const char *unknown, const char *const *known)
{
	size_t length = strlen(unknown), least = length / 2 < 2 ? length / 2 : 2;
	const char *best = NULL;
	if (length > HINT_LONGEST)
		return NULL;
	for (; *known; known++) {
		size_t away = strlen(*known) <= HINT_LONGEST ? distance(unknown, *known) : least + 1;
		if (away < least || (away == least && !best)) {
			least = away;
			best = *known;
		}
	}
	return best;
}
