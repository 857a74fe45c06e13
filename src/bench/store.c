/* Stores contents, named by their hash, in memory, up to a limit of bytes. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/worker.h"

/* Bytes of all contents together: hundreds of schedules. */
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

/* Returns true if the content has the hash that it is named by. */
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
