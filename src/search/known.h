/* What schedules cost that an earlier pass has costed, by the hash of the nest: passes come to the same ones again. Shared by the files of this room alone. */
#ifndef BW_SEARCH_KNOWN_H
#define BW_SEARCH_KNOWN_H
#include <stdbool.h>
#include <stdint.h>

/* Schedules that are known at most: 6 MiB while the table grows, 4 afterwards. */
enum { BW_MOST_KNOWN = 3 << 16 };

/* Costs by hash. Written between decisions by one thread; while parents are expanded, all read it and none writes. */
struct bw_known;
struct bw_known *bw_known_new(void);
/* NULL is nothing to free. */
void bw_known_free(struct bw_known *known);
/* Adds the cost of a schedule, unless there are as many as there may be. */
void bw_known_add(struct bw_known *known, uint64_t hash, double cost);
/* The cost of a schedule; NULL where it is not known, or nothing is. */
const double *bw_known_get(const struct bw_known *known, uint64_t hash);
#endif
