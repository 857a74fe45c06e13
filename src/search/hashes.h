/* Sets of hashes. Shared by the files of this room alone. */
#ifndef BW_SEARCH_HASHES_H
#define BW_SEARCH_HASHES_H
#include <stdbool.h>
#include <stdint.h>

/* A set of hashes. All zero: an empty one. */
struct bw_hashes {
	int n, capacity;  /* a power of two of places, at most three quarters of them taken */
	uint64_t *places; /* 0: free */
	bool zero;        /* 0 is in it */
};
/* Whether it was not in it before. */
bool bw_hashes_add(struct bw_hashes *hashes, uint64_t hash);
bool bw_hashes_have(const struct bw_hashes *hashes, uint64_t hash);
void bw_hashes_end(struct bw_hashes *hashes);
#endif
