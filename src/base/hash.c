#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t bw_hash_bytes(uint64_t seed, const void *bytes, size_t length)
{
	return XXH3_64bits_withSeed(bytes, length, seed);
}

uint64_t bw_hash_string(uint64_t seed, const char *string)
{
	return bw_hash_bytes(seed, string, strlen(string));
}

uint64_t bw_hash_mix(uint64_t hash, uint64_t value)
{
	return XXH3_64bits_withSeed(&value, sizeof value, hash);
}

static const uint64_t random_seed = 0x6265616d77616c6bu;

uint64_t bw_random(const uint64_t *keys, size_t n_keys)
{
	return XXH3_64bits_withSeed(keys, n_keys * sizeof *keys, random_seed);
}

uint64_t bw_random_below(uint64_t random, uint64_t below)
{
	return (uint64_t)(((unsigned __int128)random * below) >> 64);
}

/* Sets of hashes by open addressing. The place of a hash follows from the hash. */

/* Returns the place of a hash other than 0, taken or free. */
static uint64_t *place_of(const struct bw_hashes *hashes, uint64_t hash)
{
	uint64_t mask = (uint64_t)hashes->capacity - 1, at = (hash ^ hash >> 32) & mask;
	while (hashes->places[at] && hashes->places[at] != hash)
		at = (at + 1) & mask;
	return &hashes->places[at];
}

static void grow(struct bw_hashes *hashes)
{
	enum { FIRST_PLACES = 64 };
	struct bw_hashes grown = *hashes;
	grown.capacity = hashes->capacity ? 2 * hashes->capacity : FIRST_PLACES;
	grown.places = BW_NEW_ARRAY(uint64_t, grown.capacity);
	for (int i = 0; i < hashes->capacity; i++)
		if (hashes->places[i])
			*place_of(&grown, hashes->places[i]) = hashes->places[i];
	free(hashes->places);
	*hashes = grown;
}

bool bw_hashes_add(struct bw_hashes *hashes, uint64_t hash)
{
	if (bw_hashes_have(hashes, hash))
		return false;
	if (4 * (hashes->n + 1) > 3 * hashes->capacity)
		grow(hashes);
	hashes->n++;
	if (hash)
		*place_of(hashes, hash) = hash;
	else
		hashes->zero = true;
	return true;
}

bool bw_hashes_have(const struct bw_hashes *hashes, uint64_t hash)
{
	return hash ? hashes->n && *place_of(hashes, hash) : hashes->zero;
}

void bw_hashes_end(struct bw_hashes *hashes)
{
	free(hashes->places);
	*hashes = (struct bw_hashes){0};
}
