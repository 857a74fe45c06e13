/* The worker's server. */
#pragma once
#include "bench/protocol.h"
#include "bench/worker.h"

/* Outputs of references, kept for later requests with the same reference, seed and estimates. */

/* The environment variable that names the folder of struct bw_references. */
#define BW_REFERENCES_VARIABLE "BEAMWALK_BENCH_REFERENCES"

/* Starts as zeros. */
struct bw_references {
	const char *folder; /* where the outputs are kept, for other workers, too; NULL: in this worker's
			       memory */
	int n, capacity;
	struct bw_reference *list;
	int64_t bytes; /* of all kept outputs */
	uint64_t uses; /* counts calls, to find the least recently used entry */
};
/* The outputs of one reference. */
struct bw_reference {
	uint64_t key;
	const struct bw_expected *expected;
	int64_t bytes;
	uint64_t used;
};

/* Returns the key of the outputs of a request's reference. request->reference.path must be set. */
uint64_t bw_references_key(const struct bw_request *request);
/* Returns the outputs kept under a key. They are valid until the next bw_references_add. Returns NULL if
 * there are none. */
const struct bw_expected *bw_references_find(struct bw_references *references, uint64_t key);
/* Returns a file descriptor for bw_reference_run to write to. Returns -1 if there is no memory for it. If
 * `in_memory` is set, the file is in memory even if there is a folder. */
int bw_references_file(const struct bw_references *references, uint64_t key, bool in_memory);
/* Keeps a file that a reference has written in `seconds`, and closes it. Drops the least recently used
 * outputs to make room. Returns the file's outputs, like bw_references_find. Returns NULL with an error if
 * the file cannot be kept. */
const struct bw_expected *bw_references_add(struct bw_references *references, uint64_t key,
					    double seconds, int file, struct bw_error *error);
/* Closes and removes a file that was not written completely. */
void bw_references_discard(const struct bw_references *references, uint64_t key, int file);
void bw_references_free(struct bw_references *references);

/* A request in the queue. */
struct bw_waiting {
	struct bw_request request;
	bool cancelled;
};

struct bw_server {
	int input, results; /* file descriptors; input is -1 after its end */
	bool unread;        /* the client no longer reads the results */
	struct bw_lines lines;
	int n_waiting, waiting_capacity;
	struct bw_waiting *waiting;   /* requests that were read and not begun, in order */
	struct bw_waiting *under_way; /* NULL: none */
	struct bw_store store;
	struct bw_references references;
	int object;      /* index of the current object of the request under way; -1: its reference */
	double waited;   /* seconds that its earlier runs waited for their turn */
	int64_t last_id; /* the last id of the requests read so far */
	bool asked;      /* `devices` is set */
	struct bw_presents devices;
	struct bw_watch watch;  /* for bw_supervise: reads requests while a child runs */
	const char *emulator; /* file of the emulated device's driver; NULL: none */
};

/* Serves requests until the input ends. Returns false if the client stops reading the results before. server:
 * set input, results, emulator and references.folder; all else zero. */
bool bw_serve(struct bw_server *server);
/* Runs the `measure` request under way. Returns false if results cannot be written. */
bool bw_server_measure(struct bw_server *server);
/* Runs the `rates` request under way. Returns false if results cannot be written. */
bool bw_server_rates(struct bw_server *server);
/* Asks the drivers for their devices, in a child process, unless that was done before. */
bool bw_server_devices(struct bw_server *server, struct bw_error *error);
