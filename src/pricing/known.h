/* The costs of states that a search has costed, by the hash of the nest. Other parents of a decision lead to
 * the same states, and so do later passes. What the table has no room for is costed again. */
#ifndef BW_PRICING_KNOWN_H
#define BW_PRICING_KNOWN_H
#include <stdbool.h>
#include <stdint.h>

/* Most states in the table: 6 MiB while it grows, 4 MiB afterwards. */
enum { BW_MOST_KNOWN = 3 << 16 };

struct bw_known;
struct bw_known *bw_known_new(void);
/* Accepts NULL. */
void bw_known_free(struct bw_known *known);
/* Adds the cost of a state, where there is room for it. NULL: there is none. */
void bw_known_add(struct bw_known *known, uint64_t hash, double cost);
/* Finds the cost of a state. Returns false if it is not known, or `known` is NULL. */
bool bw_known_get(const struct bw_known *known, uint64_t hash, double *cost);
/* Fetches what a look at a hash reads. */
void bw_known_fetch(const struct bw_known *known, uint64_t hash);
/* Makes room for as many more hashes as were missed since the last call. */
void bw_known_make_room(struct bw_known *known, long missed);
#endif
