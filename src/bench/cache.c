#include "bench/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"

/* Increase it when the same key would yield a different file than before. */
static const char version[] = "1";

static void add(struct bw_cache_key *key, const void *bytes, size_t length)
{
	key->hash[0] = bw_hash_bytes(key->hash[0], bytes, length);
	key->hash[1] = bw_hash_bytes(key->hash[1], bytes, length);
}

struct bw_cache_key bw_cache_key(const char *purpose)
{
	struct bw_cache_key key = {{1, 2}};
	bw_cache_key_string(&key, purpose);
	bw_cache_key_string(&key, version);
	return key;
}

void bw_cache_key_string(struct bw_cache_key *key, const char *string)
{
	uint64_t length = string ? strlen(string) : UINT64_MAX;
	add(key, &length, sizeof length);
	if (string)
		add(key, string, strlen(string));
}

bool bw_cache_key_file(struct bw_cache_key *key, const char *path, struct bw_error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return bw_fail(error, errno == ENOENT ? BW_ERROR_INPUT : BW_ERROR_IO, "%s: %s", path, strerror(errno));
	char buffer[65536];
	uint64_t length = 0;
	ssize_t got;
	while ((got = read(file, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		add(key, buffer, (size_t)got);
		length += (uint64_t)got;
	}
	int saved = errno;
	close(file);
	add(key, &length, sizeof length);
	return got == 0 || bw_fail(error, saved == EISDIR ? BW_ERROR_INPUT : BW_ERROR_IO, "%s: %s", path,
				   strerror(saved));
}

char *bw_cache_path(const char *cache, const struct bw_cache_key *key, const char *suffix)
{
	return bw_format("%s/%016" PRIx64 "%016" PRIx64 "%s", cache, key->hash[0], key->hash[1], suffix);
}

/* Adds the content of a file, which no other user may be able to write. */
static bool add_own_file(struct bw_cache_key *key, const char *path, struct bw_error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool good = file >= 0 ? bw_file_is_trusted(file, path, error)
			      : bw_fail(error, BW_ERROR_IO, "%s: %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	return good && bw_cache_key_file(key, path, error);
}

/* Prints the hash of a file's content, in the form of the .sum file beside a published file. */
static bool print_sum(const char *path, struct bw_text *sum, struct bw_error *error)
{
	struct bw_cache_key key = bw_cache_key("sum");
	bool good = add_own_file(&key, path, error);
	bw_text_printf(sum, "%016" PRIx64 "%016" PRIx64 "\n", key.hash[0], key.hash[1]);
	return good;
}

static char *sum_path(const char *path)
{
	return bw_format("%s.sum", path);
}

bool bw_cache_has(const char *path)
{
	enum { MOST_SUM = 256 };
	BW_SCOPED_TEXT is = {0}, was = {0};
	BW_SCOPED_MEMORY char *beside = sum_path(path);
	return bw_trusted_file_read(beside, MOST_SUM, &was, NULL) && print_sum(path, &is, NULL) &&
	       !strcmp(bw_text_get(&is), bw_text_get(&was));
}

static const char scratch_prefix[] = "making-";

/* Opens and locks a directory. Returns its descriptor, or -1 if another process has the lock. */
static int lock_directory(const char *path)
{
	int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
		close(file);
		return -1;
	}
	return file;
}

bool bw_cache_lock(const char *path, struct bw_patience *patience, int *lock)
{
	enum { STEP_US = 10000 };
	BW_SCOPED_MEMORY char *beside = bw_format("%s.lock", path);
	double limit = patience->seconds, start = bw_clock();
	*lock = open(beside, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	while (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB)) {
		bool waits = errno == EWOULDBLOCK || errno == EINTR,
		     on = bw_clock() - start < limit && !(patience->stop && atomic_load(patience->stop));
		patience->seconds = fmax(limit - (bw_clock() - start), 0);
		if (waits && on) {
			usleep(STEP_US);
			continue;
		}
		close(*lock);
		*lock = -1;
		if (waits)
			return false;
	}
	return true;
}

/* Returns true if a directory is so old that its process, if it still runs, must have locked it. */
static bool is_settled(int file)
{
	enum { SETTLED_SECONDS = 60 };
	struct stat info;
	return fstat(file, &info) == 0 && time(NULL) - info.st_mtime > SETTLED_SECONDS;
}

/* Removes the directories that no process has locked: their processes have ended. Process ids cannot tell
 * that, because containers with their own process ids may share the cache. */
static void sweep(const char *cache)
{
	DIR *directory = opendir(cache);
	if (!directory)
		return;
	for (const struct dirent *entry; (entry = readdir(directory));) {
		if (strncmp(entry->d_name, scratch_prefix, sizeof scratch_prefix - 1) != 0)
			continue;
		struct bw_scratch left = {.path = bw_format("%s/%s", cache, entry->d_name)};
		left.lock = lock_directory(left.path);
		if (left.lock >= 0 && is_settled(left.lock)) {
			bw_cache_scratch_free(&left);
			continue;
		}
		if (left.lock >= 0)
			close(left.lock);
		free(left.path);
	}
	closedir(directory);
}

bool bw_cache_scratch(const char *cache, struct bw_scratch *scratch, struct bw_error *error)
{
	BW_SCOPED_TEXT path = {0};
	*scratch = (struct bw_scratch){0};
	if (!bw_trusted_folder_make(cache, error))
		return bw_fail_in(error, "the cache cannot be used");
	bw_text_printf(&path, "%s/%s%ld-XXXXXX", cache, scratch_prefix, (long)getpid());
	if (mkdtemp(path.bytes)) {
		*scratch = (struct bw_scratch){bw_text_take(&path), -1};
		scratch->lock = lock_directory(scratch->path);
		sweep(cache);
		return true;
	}
	bw_fail(error, BW_ERROR_IO, "the cache %s cannot be written: %s", cache, strerror(errno));
	return false;
}

void bw_cache_scratch_free(struct bw_scratch *scratch)
{
	if (!scratch->path)
		return;
	DIR *directory = opendir(scratch->path);
	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	rmdir(scratch->path);
	if (scratch->lock >= 0)
		close(scratch->lock);
	free(scratch->path);
	*scratch = (struct bw_scratch){0};
}

bool bw_cache_publish(const char *file, const char *path, struct bw_error *error)
{
	BW_SCOPED_TEXT sum = {0};
	BW_SCOPED_MEMORY char *beside = sum_path(path);
	bool good = print_sum(file, &sum, error);
	good = good && bw_file_write(beside, bw_text_get(&sum), sum.length, error);
	return good && (rename(file, path) == 0 ||
			bw_fail(error, BW_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno)));
}
