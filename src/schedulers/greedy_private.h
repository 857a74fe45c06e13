/* What the files of the greedy scheduler share. */
#ifndef BW_SCHEDULERS_GREEDY_PRIVATE_H
#define BW_SCHEDULERS_GREEDY_PRIVATE_H
#include "schedulers/greedy.h"
#include "schedulers/groups.h"

struct greedy {
	struct bw_groups of; /* the groups */
	struct bw_greedy_options options;
};

/* What one tile of a group costs (listing 2). */
struct group_cost {
	double tiles;      /* in all */
	double arithmetic; /* operations */
	double loads;      /* values from outside of the group */
	double bytes;      /* that these and the group's intermediate values take */
};

/* The cost of a tile of the group of `output`, with the members of the group `extra` (-1: none) in it. tile
 * is in points by dimension, NULL: one element. Returns false if some region has no bound. Afterwards
 * greedy->boxes holds the regions of its members, and of what it loads. */
bool greedy_cost(struct greedy *greedy, int output, int extra, const int64_t *tile, struct group_cost *cost);
/* The operations that a group takes in all, loads included; infinite if a region has no bound. */
double greedy_total(struct greedy *greedy, int output, int extra, const int64_t *tile);
/* Loads without any tile, as listing 1 counts them: each access is one. */
double greedy_all_loads(struct greedy *greedy, int output);
/* The candidate tiles of a group's output (section 4.2.3), n_dims points each. The arena owns them. */
int64_t *greedy_tiles(struct greedy *greedy, int output, struct bw_arena *arena, int *n);
/* Returns true if there are enough tiles for the device, and a tile fits into a block and its memory. */
bool greedy_tile_fits(const struct greedy *greedy, int output, const int64_t *tile,
		      const struct group_cost *cost);

/* The schedule of the groups as they are. Returns NULL with an error that says what Halide or the
 * device refuses. */
struct bw_schedule *greedy_schedule(struct greedy *greedy, struct bw_error *error);
#endif
