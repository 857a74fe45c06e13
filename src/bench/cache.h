/* The cache: files whose names are hashes of everything that they were made from. Many processes may use it
 * at once. A file appears complete, by a rename. Two processes that make the same file do no harm, only
 * duplicate work; bw_cache_lock avoids that. */
#pragma once
#include <stdint.h>

#include "base/process.h"

/* The source of a file's name: a hash of 128 bits over all added items, in order. */
struct bw_cache_key {
	uint64_t hash[2];
};
/* Returns a key that depends on the file's purpose and on the cache's version (cache.c). */
struct bw_cache_key bw_cache_key(const char *purpose);
/* Adds a string, which may be NULL. The string's end is part of the key: "ab", "c" and "a", "bc" differ. */
void bw_cache_key_string(struct bw_cache_key *key, const char *string);
/* Adds a file's content; an error names the file. */
bool bw_cache_key_file(struct bw_cache_key *key, const char *path, struct bw_error *error);

/* Returns the path of the file with this key and suffix in the cache; free(). */
char *bw_cache_path(const char *cache, const struct bw_cache_key *key, const char *suffix);
/* Returns true if a file was published at the path and is unchanged since. Returns false if it is missing or
 * damaged, or if another user could have put it there: then make it again. */
bool bw_cache_has(const char *path);
/* Locks the file at `path` before it is made, so that only one of the threads and processes that need it
 * makes it. After locking, look again whether the file exists. Subtracts the waiting time from the patience.
 * Sets *lock to a descriptor that close() unlocks, or to -1 if locks do not work there; the caller may go on
 * without a lock. Returns false if another process keeps the lock for longer than the patience, or if the
 * patience was stopped. Leaves an empty file beside `path`. */
bool bw_cache_lock(const char *path, struct bw_patience *patience, int *lock);

/* A private directory of this process in the cache, locked while it is in use. */
struct bw_scratch {
	char *path; /* NULL: there is none */
	int lock;
};
/* Makes a scratch directory in the cache, and the cache itself if it is missing. Removes scratch directories
 * that killed processes left behind. Returns false with an error if the cache cannot be written or belongs to
 * another user. */
bool bw_cache_scratch(const char *cache, struct bw_scratch *scratch, struct bw_error *error);
/* Removes a scratch directory with its files. Accepts a struct of zeros. */
void bw_cache_scratch_free(struct bw_scratch *scratch);
/* Moves a finished file to its place in the cache, with its hash beside it. */
bool bw_cache_publish(const char *file, const char *path, struct bw_error *error);
