/* Sets of hashes. */
#ifndef BW_BASE_HASHES_H
#define BW_BASE_HASHES_H
#include <stdbool.h>
#include <stdint.h>

/* A set of hashes. All zero is an empty set. */
struct bw_hashes {
	int n, capacity;  /* capacity: a power of two; at most three quarters of the places are taken */
	uint64_t *places; /* 0: free */
	bool zero;        /* the hash 0 is in the set */
};
/* Adds a hash. Returns true if it was not in the set. */
bool bw_hashes_add(struct bw_hashes *hashes, uint64_t hash);
bool bw_hashes_have(const struct bw_hashes *hashes, uint64_t hash);
void bw_hashes_end(struct bw_hashes *hashes);
#endif
