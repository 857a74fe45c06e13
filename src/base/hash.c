#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* With a constant length, the compiler reduces XXH3 to a few multiplications. Most keys have four words,
 * and random draws six. */
__attribute__((flatten)) static inline uint64_t hash_four_words(uint64_t seed, const void *words)
{
	return XXH3_64bits_withSeed(words, 4 * sizeof(uint64_t), seed);
}

uint64_t bw_hash_bytes(uint64_t seed, const void *bytes, size_t length)
{
	return length == 4 * sizeof(uint64_t) ? hash_four_words(seed, bytes)
					      : XXH3_64bits_withSeed(bytes, length, seed);
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

__attribute__((flatten)) static inline uint64_t random_of_six(const uint64_t *keys)
{
	return XXH3_64bits_withSeed(keys, 6 * sizeof *keys, random_seed);
}

uint64_t bw_random(const uint64_t *keys, size_t n_keys)
{
	return n_keys == 6 ? random_of_six(keys) : XXH3_64bits_withSeed(keys, n_keys * sizeof *keys, random_seed);
}

uint64_t bw_random_below(uint64_t random, uint64_t below)
{
	return (uint64_t)(((unsigned __int128)random * below) >> 64);
}
