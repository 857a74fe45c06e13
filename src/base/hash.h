/* Hashes of content (names of cached files, pipelines, schedules) and of keys (random numbers, tables). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the 64-bit XXH3 hash of the bytes. The value is the same on all machines with the same byte
 * order. */
uint64_t bw_hash_bytes(uint64_t seed, const void *bytes, size_t length);
uint64_t bw_hash_string(uint64_t seed, const char *string);
/* Mixes a value into a hash. The order of values matters. */
uint64_t bw_hash_mix(uint64_t hash, uint64_t value);

/* Returns a random number that depends on the keys alone and not on earlier draws, so that it is the same
 * for any number of threads and any order of work. */
uint64_t bw_random(const uint64_t *keys, size_t n_keys);
/* Maps a random number to a uniform one in [0, below), below > 0. */
uint64_t bw_random_below(uint64_t random, uint64_t below);

/* Sets of hashes. */

/* A set of hashes. All zero is an empty set. */
struct bw_hashes {
	int n, capacity;  /* capacity: number of places, a power of two; at most 3/4 of them are in use */
	uint64_t *places; /* 0: free */
	bool zero;        /* the hash 0 is in the set */
};
/* Adds a hash. Returns true if it was not in the set. */
bool bw_hashes_add(struct bw_hashes *hashes, uint64_t hash);
bool bw_hashes_have(const struct bw_hashes *hashes, uint64_t hash);
void bw_hashes_end(struct bw_hashes *hashes);
