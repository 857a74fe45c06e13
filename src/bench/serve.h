/* The worker's server. */
#pragma once
#include "bench/protocol.h"
#include "bench/worker.h"

/* What references computed, kept for later requests with the same reference, seed and estimates. */

/* The environment variable that names the folder. */
#define BW_REFERENCES_VARIABLE "BEAMWALK_BENCH_REFERENCES"

/* Starts as zeros. */
struct bw_references {
	const char *folder; /* in which they stay for other workers; NULL: in the memory of this one */
	int n, capacity;
	struct bw_reference *list;
	int64_t bytes; /* of all of them */
	uint64_t uses; /* counts calls, so that the one that was not used for longest is known */
};
/* What one of them computed. */
struct bw_reference {
	uint64_t key;
	const struct bw_expected *expected;
	int64_t bytes;
	uint64_t used;
};

/* Returns the key of what the reference of a request computes; request->reference has a path. */
uint64_t bw_references_key(const struct bw_request *request);
/* Returns what is kept under a key, until the next bw_references_add; NULL: nothing. */
const struct bw_expected *bw_references_find(struct bw_references *references, uint64_t key);
/* Returns a file for bw_reference_run to write to, -1 if there is no memory for it. In memory alone if
 * `in_memory` is set. */
int bw_references_file(const struct bw_references *references, uint64_t key, bool in_memory);
/* Keeps a file that a reference has written in `seconds`, and closes it. What was not used for longest makes
 * room. Returns what it holds, as bw_references_find does; NULL with an error if it cannot be kept. */
const struct bw_expected *bw_references_add(struct bw_references *references, uint64_t key,
					    double seconds, int file, struct bw_error *error);
/* Closes and removes a file that could not be written. */
void bw_references_discard(const struct bw_references *references, uint64_t key, int file);
void bw_references_free(struct bw_references *references);

/* A request that was read. */
struct bw_waiting {
	struct bw_request request;
	bool cancelled;
};

struct bw_server {
	int input, results; /* file descriptors; input -1: at its end */
	bool unread;        /* nobody reads the results any more */
	struct bw_lines lines;
	int n_waiting, waiting_capacity;
	struct bw_waiting *waiting;   /* read and not begun, in their order */
	struct bw_waiting *under_way; /* NULL: none */
	struct bw_store store;
	struct bw_references references;
	int object;      /* of the request under way; -1: its reference */
	double waited;   /* seconds that it waited for its turn in the runs of it that are over */
	int64_t last_id; /* of the requests that were read */
	bool asked;      /* devices holds what the drivers tell */
	struct bw_presents devices;
	struct bw_watch watch;  /* for bw_supervise: takes requests meanwhile */
	const char *emulator; /* file of the emulated device's driver; NULL: none */
};

/* Serves requests to the end of the input, or until nobody reads the results: then false. server: zeros but
 * for input, results, emulator and the folder of references. */
bool bw_serve(struct bw_server *server);
/* Does the measuring that is under way; false when results cannot be written. */
bool bw_server_measure(struct bw_server *server);
/* Takes the rates that the request under way asks for; false when results cannot be written. */
bool bw_server_rates(struct bw_server *server);
/* Asks the drivers, in a process of its own, unless that was done before. */
bool bw_server_devices(struct bw_server *server, struct bw_error *error);
