/* Data that the worker keeps between requests, each up to a limit of bytes: contents that clients have sent,
 * in memory, named by their hash; and outputs of references, mapped from files. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "bench/serve.h"

/* The most bytes of all contents together, enough for hundreds of schedules. */
static const int64_t most_bytes = 512 << 20;

struct bw_stored {
	char name[BW_CONTENT_NAME], path[32];
	int file;
	int64_t size, received;
	uint64_t used;
};

static struct bw_stored *find(struct bw_store *store, const char *name)
{
	for (int k = 0; k < store->n; k++)
		if (strcmp(store->list[k].name, name) == 0)
			return &store->list[k];
	return NULL;
}

static void drop(struct bw_store *store, struct bw_stored *stored)
{
	close(stored->file);
	store->bytes -= stored->size;
	*stored = store->list[--store->n];
}

/* Drops the least recently used contents until `size` more bytes have room. */
static void make_room(struct bw_store *store, int64_t size)
{
	while (store->n && store->bytes + size > most_bytes) {
		struct bw_stored *oldest = store->list;
		for (int k = 1; k < store->n; k++)
			if (store->list[k].used < oldest->used)
				oldest = &store->list[k];
		drop(store, oldest);
	}
}

static struct bw_stored *begin(struct bw_store *store, const char *name, int64_t size, struct bw_error *error)
{
	if (size > most_bytes) {
		bw_fail(error, BW_ERROR_INPUT,
			"content %s: %" PRId64 " bytes are more than the %" PRId64 " that are kept", name,
			size, most_bytes);
		return NULL;
	}
	make_room(store, size);
	int file = memfd_create("beamwalk-object", MFD_CLOEXEC);
	if (file < 0) {
		bw_fail(error, BW_ERROR_FAILED, "content %s: no memory: %s", name, strerror(errno));
		return NULL;
	}
	BW_GROW(store->list, store->n, store->capacity);
	struct bw_stored *stored = &store->list[store->n++];
	*stored = (struct bw_stored){.file = file, .size = size};
	snprintf(stored->name, sizeof stored->name, "%s", name);
	snprintf(stored->path, sizeof stored->path, "/proc/self/fd/%d", file);
	store->bytes += size;
	return stored;
}

static bool write_piece(const struct bw_stored *stored, const unsigned char *bytes, int64_t n,
			struct bw_error *error)
{
	for (int64_t done = 0; done < n;) {
		ssize_t put = pwrite(stored->file, bytes + done, (size_t)(n - done), stored->received + done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return bw_fail(error, BW_ERROR_FAILED, "content %s: no memory: %s", stored->name, strerror(errno));
		done += put;
	}
	return true;
}

/* Returns true if the hash of the content equals its name. */
static bool is_itself(const struct bw_stored *stored, struct bw_error *error)
{
	void *bytes = mmap(NULL, (size_t)stored->size, PROT_READ, MAP_SHARED, stored->file, 0);
	if (bytes == MAP_FAILED)
		return bw_fail(error, BW_ERROR_FAILED, "content %s: no memory: %s", stored->name, strerror(errno));
	char name[BW_CONTENT_NAME];
	bw_content_name(bytes, (size_t)stored->size, name);
	munmap(bytes, (size_t)stored->size);
	return strcmp(name, stored->name) == 0 ||
	       bw_fail(error, BW_ERROR_IO, "content %s arrived damaged: its hash is %s", stored->name, name);
}

bool bw_store_put(struct bw_store *store, const char *name, int64_t size, int64_t at,
		  const unsigned char *bytes, int64_t n, int64_t *received, struct bw_error *error)
{
	struct bw_stored *stored = find(store, name);
	if (stored && stored->received == stored->size && stored->size == size) {
		*received = size;
		return true;
	}
	if (stored && (at == 0 || stored->size != size)) {
		drop(store, stored);
		stored = NULL;
	}
	if (!stored && !(stored = begin(store, name, size, error)))
		return false;
	bool good = (at == stored->received && n <= size - at) ||
		    bw_fail(error, BW_ERROR_INPUT,
			    "content %s: a piece of %" PRId64 " bytes at %" PRId64 ", where %" PRId64
			    " of %" PRId64 " are there",
			    name, n, at, stored->received, size);
	good = good && write_piece(stored, bytes, n, error);
	if (good) {
		stored->received += n;
		stored->used = ++store->uses;
		*received = stored->received;
		good = stored->received < size || is_itself(stored, error);
	}
	if (!good)
		drop(store, stored);
	return good;
}

const char *bw_store_path(struct bw_store *store, const char *name)
{
	struct bw_stored *stored = find(store, name);
	if (!stored || stored->received < stored->size)
		return NULL;
	stored->used = ++store->uses;
	return stored->path;
}

void bw_store_free(struct bw_store *store)
{
	while (store->n)
		drop(store, &store->list[store->n - 1]);
	free(store->list);
	*store = (struct bw_store){0};
}

/* Outputs of references, for later requests with the same reference. */

/* The most bytes of all kept outputs together. */
static const int64_t most_outputs = INT64_C(1) << 30;

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
	BW_SCOPED_MEMORY char *text = bw_json_has(&root, "estimates", &estimates)
					  ? json_dumps(estimates.value, JSON_COMPACT | JSON_SORT_KEYS)
					  : NULL;
	key = bw_hash_string(key, text ? text : "");
	return key;
}

/* Writes the path of a file in the folder: its final path if `whole`, or else its path while it is
 * written. */
static void path_of(const struct bw_references *references, uint64_t key, bool whole, char path[PATH_MAX])
{
	if (whole)
		snprintf(path, PATH_MAX, "%s/%016" PRIx64, references->folder, key);
	else
		snprintf(path, PATH_MAX, "%s/%016" PRIx64 ".%ld", references->folder, key, (long)getpid());
}

static void drop_reference(struct bw_references *references, struct bw_reference *reference)
{
	munmap((void *)reference->expected, (size_t)reference->bytes);
	references->bytes -= reference->bytes;
	*reference = references->list[--references->n];
}

/* Drops the least recently used references until `bytes` more have room. */
static void make_room_for_outputs(struct bw_references *references, int64_t bytes)
{
	while (references->n && references->bytes + bytes > most_outputs) {
		struct bw_reference *oldest = references->list;
		for (int k = 1; k < references->n; k++)
			if (references->list[k].used < oldest->used)
				oldest = &references->list[k];
		drop_reference(references, oldest);
	}
}

/* Maps a complete file and closes it. */
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
	make_room_for_outputs(references, info.st_size);
	BW_PUSH(references->list, references->n, references->capacity,
		(struct bw_reference){key, expected, info.st_size, ++references->uses});
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
		rename(made, path); /* if this fails, the next worker computes it again */
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
		drop_reference(references, references->list);
	free(references->list);
}
