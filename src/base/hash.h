/* Hashes: of content (names of cached files, of pipelines, of schedules) and of keys (random numbers, tables). */
#ifndef BW_BASE_HASH_H
#define BW_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

/* 64 bits of XXH3 over bytes; the same on every machine of the same byte order. */
uint64_t bw_hash_bytes(uint64_t seed, const void *bytes, size_t length);
uint64_t bw_hash_string(uint64_t seed, const char *string);
/* Mixes one value into a hash; order matters. */
uint64_t bw_hash_mix(uint64_t hash, uint64_t value);

/* A random number that depends on its keys alone, never on what was drawn before:
 * the same for any number of threads and any order of work. */
uint64_t bw_random(const uint64_t *keys, size_t n_keys);
/* Uniform in [0, below), below > 0, from one random number. */
uint64_t bw_random_below(uint64_t random, uint64_t below);
#endif
