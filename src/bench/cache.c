#include "bench/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"

/* Raise it when files of the same key would come out differently than before. */
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
	return got == 0 || bw_fail(error, saved == EISDIR ? BW_ERROR_INPUT : BW_ERROR_IO, "%s: %s", path, strerror(saved));
}

char *bw_cache_path(const char *cache, const struct bw_cache_key *key, const char *suffix)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%016" PRIx64 "%016" PRIx64 "%s", cache, key->hash[0], key->hash[1], suffix);
	return bw_text_take(&path);
}

bool bw_cache_has(const char *path)
{
	return access(path, R_OK) == 0;
}

/* Makes a directory and those above it. */
static bool make_directories(const char *path)
{
	char *copy = bw_strdup(path);
	bool good = true;
	for (char *slash = copy + 1; good && *slash; slash++) {
		if (*slash != '/')
			continue;
		*slash = 0;
		good = mkdir(copy, 0777) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
		*slash = '/';
	}
	good = good && (mkdir(copy, 0777) == 0 || errno == EEXIST);
	free(copy);
	return good;
}

static const char scratch_prefix[] = "making-";

/* Removes directories of processes that are no more. */
static void sweep(const char *cache)
{
	DIR *directory = opendir(cache);
	if (!directory)
		return;
	for (const struct dirent *entry; (entry = readdir(directory));) {
		size_t n = sizeof scratch_prefix - 1;
		if (strncmp(entry->d_name, scratch_prefix, n) != 0)
			continue;
		long pid = strtol(entry->d_name + n, NULL, 10);
		if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		bw_cache_scratch_free(bw_cache_scratch_file(cache, entry->d_name));
	}
	closedir(directory);
}

char *bw_cache_scratch(const char *cache, struct bw_error *error)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s%ld-XXXXXX", cache, scratch_prefix, (long)getpid());
	if (make_directories(cache) && mkdtemp(path.bytes)) {
		sweep(cache);
		return bw_text_take(&path);
	}
	bw_fail(error, BW_ERROR_IO, "the cache %s cannot be written: %s", cache, strerror(errno));
	bw_text_free(&path);
	return NULL;
}

void bw_cache_scratch_free(char *scratch)
{
	if (!scratch)
		return;
	DIR *directory = opendir(scratch);
	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	rmdir(scratch);
	free(scratch);
}

char *bw_cache_scratch_file(const char *scratch, const char *name)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s", scratch, name);
	return bw_text_take(&path);
}

bool bw_cache_publish(const char *file, const char *path, struct bw_error *error)
{
	if (rename(file, path) == 0)
		return true;
	return bw_fail(error, BW_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
}
