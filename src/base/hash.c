#include "base/hash.h"

#include <string.h>

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

uint64_t bw_random(const uint64_t *keys, size_t n_keys)
{
	return XXH3_64bits_withSeed(keys, n_keys * sizeof *keys, 0x6265616d77616c6bu);
}

uint64_t bw_random_below(uint64_t random, uint64_t below)
{
	return (uint64_t)(((unsigned __int128)random * below) >> 64);
}
