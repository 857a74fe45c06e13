/* The contents that a client has sent: files in memory, so that nothing is left behind, whatever ends the
 * worker. */
#ifndef BW_BENCH_STORE_H
#define BW_BENCH_STORE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bench/protocol.h"

struct bw_store {
	int n, capacity;
	struct bw_stored *list;
	int64_t bytes; /* of all of them */
	uint64_t uses; /* counts calls, so that the one that was not used for longest is known */
};
/* Takes the next piece of a content, which begins at `at`; *received is what there is of it then. One that is
 * whole has the hash that it is named by, or it is thrown away with an error. What was not used for longest
 * makes room. */
bool bw_store_put(struct bw_store *store, const char *name, int64_t size, int64_t at,
		  const unsigned char *bytes, int64_t n, int64_t *received, struct bw_error *error);
/* The path of a whole content; NULL if it is not there. Valid until the next bw_store_put. */
const char *bw_store_path(struct bw_store *store, const char *name);
void bw_store_free(struct bw_store *store);
#endif
