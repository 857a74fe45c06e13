/* Sorted lists of hashes. */
#include <stdlib.h>

#include "search/search_private.h"

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int bw_hashes_distinct(uint64_t *hashes, int n)
{
	int distinct = 0;
	if (n)
		qsort(hashes, (size_t)n, sizeof *hashes, by_value);
	for (int i = 0; i < n; i++)
		if (!i || hashes[i] != hashes[i - 1])
			hashes[distinct++] = hashes[i];
	return distinct;
}

bool bw_hashes_have(const uint64_t *hashes, int n, uint64_t hash)
{
	return n && bsearch(&hash, hashes, (size_t)n, sizeof hash, by_value);
}
