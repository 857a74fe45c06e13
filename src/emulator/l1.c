#include "emulator/l1.h"

#include <stdlib.h>
#include <string.h>

enum { SECTORS = BW_L1_LINE / BW_L1_SECTOR };

bool bw_l1_make(struct bw_l1 *l1, unsigned bytes)
{
	uint32_t n = bytes / BW_L1_LINE, hashes = 1;
	n = n ? n : 1;
	while (hashes < n)
		hashes *= 2;
	*l1 = (struct bw_l1){.n_lines = n, .mask = hashes - 1};
	l1->lines = calloc((size_t)n + 1, sizeof *l1->lines);
	l1->first = calloc(hashes, sizeof *l1->first);
	return l1->lines && l1->first;
}

void bw_l1_free(struct bw_l1 *l1)
{
	free(l1->lines);
	free(l1->first);
}

void bw_l1_clear(struct bw_l1 *l1)
{
	l1->n_used = 0;
	l1->lines[0] = (struct bw_l1_line){0};
	memset(l1->first, 0, ((size_t)l1->mask + 1) * sizeof *l1->first);
}

static uint32_t *bucket_of(struct bw_l1 *l1, uint64_t number)
{
	return &l1->first[(uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & l1->mask];
}

/* Takes a line out of the order. */
static void unlink_line(struct bw_l1 *l1, uint32_t line)
{
	struct bw_l1_line *lines = l1->lines;
	lines[lines[line].newer].older = lines[line].older;
	lines[lines[line].older].newer = lines[line].newer;
}

/* Makes a line the one that was used last. */
static void link_line(struct bw_l1 *l1, uint32_t line)
{
	struct bw_l1_line *lines = l1->lines;
	lines[line].newer = 0;
	lines[line].older = lines[0].older;
	lines[lines[0].older].newer = line;
	lines[0].older = line;
}

/* Returns a line for another number: a new one, or the one that was used the longest ago. */
static uint32_t free_line(struct bw_l1 *l1)
{
	if (l1->n_used < l1->n_lines)
		return ++l1->n_used;
	uint32_t oldest = l1->lines[0].newer, *at = bucket_of(l1, l1->lines[oldest].number);
	while (*at != oldest)
		at = &l1->lines[*at].next;
	*at = l1->lines[oldest].next;
	unlink_line(l1, oldest);
	return oldest;
}

bool bw_l1_load(struct bw_l1 *l1, uint64_t sector)
{
	uint64_t number = sector / SECTORS;
	uint32_t bit = 1u << sector % SECTORS, *bucket = bucket_of(l1, number), line = *bucket;
	while (line && l1->lines[line].number != number)
		line = l1->lines[line].next;
	if (line) {
		bool had = l1->lines[line].sectors & bit;
		l1->lines[line].sectors |= bit;
		if (l1->lines[0].older != line) {
			unlink_line(l1, line);
			link_line(l1, line);
		}
		return had;
	}
	line = free_line(l1);
	l1->lines[line].number = number;
	l1->lines[line].sectors = bit;
	l1->lines[line].next = *bucket;
	*bucket = line;
	link_line(l1, line);
	return false;
}
