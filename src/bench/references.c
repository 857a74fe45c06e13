#include "bench/references.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"

/* Bytes of all outputs together that are kept. */
static const int64_t most_bytes = INT64_C(1) << 30;

uint64_t bw_references_key(const struct bw_request *request)
{
	const struct bw_object_name *reference = &request->reference;
	uint64_t key = bw_hash_string(request->seed, request->function);
	struct stat info;
	if (reference->content) {
		key = bw_hash_string(key, reference->content);
	} else if (stat(reference->path, &info) == 0) {
		key = bw_hash_mix(bw_hash_mix(key, (uint64_t)info.st_dev), (uint64_t)info.st_ino);
		key = bw_hash_mix(bw_hash_mix(key, (uint64_t)info.st_size), (uint64_t)info.st_mtim.tv_sec);
		key = bw_hash_mix(key, (uint64_t)info.st_mtim.tv_nsec);
	}
	struct bw_json_at root = bw_json_root(request->json), estimates;
	char *text = bw_json_has(&root, "estimates", &estimates)
			 ? json_dumps(estimates.value, JSON_COMPACT | JSON_SORT_KEYS)
			 : NULL;
	key = bw_hash_string(key, text ? text : "");
	free(text);
	return key;
}

/* Writes the path of a file in the folder: while it is made, and once it is whole. */
static void path_of(const struct bw_references *references, uint64_t key, bool whole, char path[PATH_MAX])
{
	if (whole)
		snprintf(path, PATH_MAX, "%s/%016" PRIx64, references->folder, key);
	else
		snprintf(path, PATH_MAX, "%s/%016" PRIx64 ".%ld", references->folder, key, (long)getpid());
}

static void drop(struct bw_references *references, struct bw_reference *reference)
{
	munmap((void *)reference->expected, (size_t)reference->bytes);
	references->bytes -= reference->bytes;
	*reference = references->list[--references->n];
}

/* Drops what was not used for longest until `bytes` more have room. */
static void make_room(struct bw_references *references, int64_t bytes)
{
	while (references->n && references->bytes + bytes > most_bytes) {
		struct bw_reference *oldest = references->list;
		for (int k = 1; k < references->n; k++)
			if (references->list[k].used < oldest->used)
				oldest = &references->list[k];
		drop(references, oldest);
	}
}

/* Maps a whole file and closes it. */
static const struct bw_expected *take(struct bw_references *references, uint64_t key, int file)
{
	struct stat info;
	void *expected = fstat(file, &info)
			     ? MAP_FAILED
			     : mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, file, 0);
	int why = errno;
	close(file);
	errno = why;
	if (expected == MAP_FAILED)
		return NULL;
	make_room(references, info.st_size);
	BW_GROW(references->list, references->n, references->capacity);
	references->list[references->n++] =
	    (struct bw_reference){key, expected, info.st_size, ++references->uses};
	references->bytes += info.st_size;
	return expected;
}

const struct bw_expected *bw_references_find(struct bw_references *references, uint64_t key)
{
	for (int k = 0; k < references->n; k++)
		if (references->list[k].key == key) {
			references->list[k].used = ++references->uses;
			return references->list[k].expected;
		}
	if (!references->folder)
		return NULL;
	char path[PATH_MAX];
	path_of(references, key, true, path);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	return file < 0 ? NULL : take(references, key, file);
}

int bw_references_file(const struct bw_references *references, uint64_t key, bool in_memory)
{
	char path[PATH_MAX];
	if (!references->folder || in_memory)
		return memfd_create("beamwalk-bench", MFD_CLOEXEC);
	path_of(references, key, false, path);
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return file < 0 ? memfd_create("beamwalk-bench", MFD_CLOEXEC) : file;
}

const struct bw_expected *bw_references_add(struct bw_references *references, uint64_t key,
					    double seconds, int file, struct bw_error *error)
{
	char made[PATH_MAX], path[PATH_MAX];
	if (pwrite(file, &seconds, sizeof seconds, offsetof(struct bw_expected, seconds)) != sizeof seconds) {
		bw_fail(error, BW_ERROR_IO, "its outputs cannot be kept: %s", strerror(errno));
		bw_references_discard(references, key, file);
		return NULL;
	}
	if (references->folder) {
		path_of(references, key, false, made);
		path_of(references, key, true, path);
		rename(made, path); /* else it is mapped all the same, and computed again by the next worker */
	}
	const struct bw_expected *expected = take(references, key, file);
	if (!expected)
		bw_fail(error, BW_ERROR_FAILED, "its outputs cannot be mapped: %s", strerror(errno));
	return expected;
}

void bw_references_discard(const struct bw_references *references, uint64_t key, int file)
{
	char path[PATH_MAX];
	close(file);
	if (!references->folder)
		return;
	path_of(references, key, false, path);
	unlink(path);
}

void bw_references_free(struct bw_references *references)
{
	while (references->n)
		drop(references, references->list);
	free(references->list);
}
