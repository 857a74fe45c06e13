/* What references computed, kept for later requests with the same reference, seed and estimates. */
#ifndef BW_BENCH_REFERENCES_H
#define BW_BENCH_REFERENCES_H
#include "bench/worker.h"

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
#endif
