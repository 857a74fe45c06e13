/* The worker as it serves: requests are read while an object runs, so that one can be cancelled, and done in
 * their order. */
#include "bench/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

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
	BW_SCOPED_MEMORY char *text = bw_json_has(&root, "estimates", &estimates)
					  ? json_dumps(estimates.value, JSON_COMPACT | JSON_SORT_KEYS)
					  : NULL;
	key = bw_hash_string(key, text ? text : "");
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

/* Drops the least recently used references until `bytes` more have room. */
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

static void references_free(struct bw_references *references)
{
	while (references->n)
		drop(references, references->list);
	free(references->list);
}

/* Requests that wait at most; more stay in the pipe. */
enum { MOST_WAITING = 64 };

static void take_cancel(struct bw_server *server, const struct bw_request *cancel)
{
	if (server->under_way && server->under_way->request.id == cancel->request)
		server->under_way->cancelled = true;
	for (int k = 0; k < server->n_waiting; k++)
		if (server->waiting[k].request.id == cancel->request)
			server->waiting[k].cancelled = true;
	server->unread |= !bw_report_number(server->results, cancel->id, "cancelled", cancel->request);
}

/* Puts a request in the queue; what cannot be read is answered at once, and so is a cancel. */
static void take_line(struct bw_server *server, const char *line, size_t length)
{
	struct bw_request request;
	struct bw_error error = {0};
	bool good = bw_request_read(line, length, &request, &error);
	if (good && request.id <= server->last_id) {
		bw_fail(&error, BW_ERROR_INPUT,
			"request:1: id: %lld was used before: expected more than %lld", (long long)request.id,
			(long long)server->last_id);
		bw_request_free(&request);
		server->unread |= !bw_report_failure(server->results, 0, &error);
		return;
	}
	if (!good) {
		server->unread |= !bw_report_failure(server->results, request.id, &error);
		return;
	}
	server->last_id = request.id;
	if (request.what == BW_DO_CANCEL) {
		take_cancel(server, &request);
		bw_request_free(&request);
		return;
	}
	BW_PUSH(server->waiting, server->n_waiting, server->waiting_capacity,
		(struct bw_waiting){.request = request});
}

static void take_lines(struct bw_server *server)
{
	size_t length;
	char *line;
	while (server->n_waiting < MOST_WAITING && (line = bw_lines_next(&server->lines, &length)))
		take_line(server, line, length);
}

/* Reads once; at the end of the input what stands after the last newline is a line as well. */
static void read_input(struct bw_server *server)
{
	char buffer[65536];
	ssize_t got = read(server->input, buffer, sizeof buffer);
	if (got > 0)
		bw_lines_add(&server->lines, buffer, (size_t)got);
	else if (got == 0 || errno != EINTR) {
		server->input = -1;
		bw_lines_add(&server->lines, "\n", server->lines.unfinished > 0);
	}
}

/* Waits until something happens: to the child behind `child` (-1: none), a request, or that nobody reads
 * results any more. */
static void wait_for_events(struct bw_server *server, int child, double seconds)
{
	bool room = server->n_waiting < MOST_WAITING;
	struct pollfd files[] = {
	    {child, POLLIN, 0}, {room ? server->input : -1, POLLIN, 0}, {server->results, 0, 0}};
	if (poll(files, 3, seconds < 0 ? -1 : (int)(seconds * 1e3) + 1) <= 0)
		return;
	if (files[1].revents)
		read_input(server);
	server->unread |= (files[2].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
	take_lines(server);
}

/* For bw_supervise: waits for the child's end and takes requests meanwhile; false when the child is to be
 * killed. context: the server. */
static bool server_watch(void *of, int child, double seconds)
{
	struct bw_server *server = of;
	wait_for_events(server, child, seconds);
	return !server->unread && !(server->under_way && server->under_way->cancelled);
}

/* For bw_supervise: tells the client that the object under way waits for its turn, `seconds` in this run. */
static void server_waits(void *of, double seconds, const char *holder)
{
	struct bw_server *server = of;
	const struct bw_request *request = &server->under_way->request;
	server->unread |= !bw_report_waiting(server->results, request->id, server->object, request->n_objects,
					     server->waited + seconds, holder);
}

struct bw_watch bw_server_watching(struct bw_server *server)
{
	return (struct bw_watch){server_watch, server_waits, server};
}

static bool put(struct bw_server *server, const struct bw_request *request)
{
	size_t length = strlen(request->bytes);
	unsigned char *bytes = malloc(length / 4 * 3 + 3);
	struct bw_error error = {0};
	int64_t received = 0;
	long n = bytes ? bw_base64_decode(request->bytes, length, bytes) : -1;
	bool good = n >= 0 ? bw_store_put(&server->store, request->content, request->size, request->at, bytes,
					  n, &received, &error)
			   : bw_fail(&error, BW_ERROR_INPUT, "request:1: bytes: expected base64");
	free(bytes);
	return good ? bw_report_number(server->results, request->id, "put", received)
		    : bw_report_failure(server->results, request->id, &error);
}

static bool tell_devices(struct bw_server *server, const struct bw_request *request)
{
	struct bw_error error = {0};
	if (!bw_server_devices(server, &error))
		return bw_report_failure(server->results, request->id, &error);
	return bw_report_devices(server->results, request->id, &server->devices);
}

/* Does the request; false when its results can no longer be written. */
static bool serve(struct bw_server *server, const struct bw_request *request)
{
	switch (request->what) {
	case BW_DO_HELLO:
		return bw_report_hello(server->results, request->id);
	case BW_DO_DEVICES:
		return tell_devices(server, request);
	case BW_DO_HAVE:
		return bw_report_have(server->results, request, &server->store);
	case BW_DO_PUT:
		return put(server, request);
	case BW_DO_MEASURE:
		return bw_server_measure(server);
	case BW_DO_RATES:
		return bw_server_rates(server);
	case BW_DO_CANCEL:
		break;
	}
	return true;
}

bool bw_serve(struct bw_server *server)
{
	while (!server->unread) {
		take_lines(server);
		if (!server->n_waiting) {
			if (server->input < 0)
				break;
			wait_for_events(server, -1, -1);
			continue;
		}
		struct bw_waiting now = server->waiting[0];
		BW_REMOVE(server->waiting, server->n_waiting, 0);
		server->under_way = &now;
		server->unread |= !serve(server, &now.request);
		server->under_way = NULL;
		bw_request_free(&now.request);
	}
	for (int k = 0; k < server->n_waiting; k++)
		bw_request_free(&server->waiting[k].request);
	free(server->waiting);
	bw_lines_free(&server->lines);
	bw_store_free(&server->store);
	references_free(&server->references);
	return !server->unread;
}
