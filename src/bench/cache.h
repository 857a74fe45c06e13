/* The cache: files that are named by the content of all that went into them. Many processes may use it at
 * once: a file appears whole, by a rename, and two that make the same one do the same work twice and no harm;
 * bw_cache_lock spares them that. */
#pragma once
#include <stdint.h>

#include "base/process.h"

/* What a file's name is made of: 128 bits over all that was added, in order. */
struct bw_cache_key {
	uint64_t hash[2];
};
/* A key that depends on what the file is for and on the version of how it is made. */
struct bw_cache_key bw_cache_key(const char *purpose);
/* Adds a string, which may be NULL; what is added next is told apart from its end. */
void bw_cache_key_string(struct bw_cache_key *key, const char *string);
/* Adds a file's content; an error names the file. */
bool bw_cache_key_file(struct bw_cache_key *key, const char *path, struct bw_error *error);

/* The path of the file with this key and suffix in the cache; free(). */
char *bw_cache_path(const char *cache, const struct bw_cache_key *key, const char *suffix);
/* Returns true if a file was published there and is as it was then. False if it is missing or
 * damaged, or if another user could have put it there: it is to be made again. */
bool bw_cache_has(const char *path);
/* Locks the file that is to be made at `path`, so that one of all threads and processes that need it at once
 * makes it: look for it again after that. Takes the time that it waited off the patience. Sets *lock to a
 * descriptor that close() unlocks, or to -1 if nothing can be locked there: going on without is harmless.
 * Returns false if another one keeps the lock for longer than the patience, or if it was stopped. An empty
 * file stays beside `path`. */
bool bw_cache_lock(const char *path, struct bw_patience *patience, int *lock);

/* A directory of this process's own in the cache, locked while it is in use. */
struct bw_scratch {
	char *path; /* NULL: there is none */
	int lock;
};
/* Makes the cache where it is missing and such a directory in it. Returns false with an error where
 * the cache cannot be written, or is not this user's own. The directories that killed processes
 * left behind are removed. */
bool bw_cache_scratch(const char *cache, struct bw_scratch *scratch, struct bw_error *error);
/* Removes such a directory with the files in it. One of zeros is fine. */
void bw_cache_scratch_free(struct bw_scratch *scratch);
/* Moves a finished file to its place in the cache, with its hash beside it. */
bool bw_cache_publish(const char *file, const char *path, struct bw_error *error);
