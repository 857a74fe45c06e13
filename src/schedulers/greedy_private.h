/* What the files of the greedy scheduler share. */
#ifndef BW_SCHEDULERS_GREEDY_PRIVATE_H
#define BW_SCHEDULERS_GREEDY_PRIVATE_H
#include "base/mem.h"
#include "nest/nest.h"
#include "schedulers/greedy.h"

struct greedy {
	const struct bw_pipeline *pipeline;
	const struct bw_device *device;
	struct bw_greedy_options options;
	struct bw_arena *arena; /* of the outcome */
	bool *inlined;          /* by Func */
	int *group;             /* by Func: the output Func of its group; -1: an input, or inlined */
	const int64_t **tiles;  /* by Func */
	struct bw_interval
	    *whole; /* BW_MAX_DIMS by Func: all that is needed of it, the paper's concrete bounds */
	bool *bounded; /* by Func: whether `whole` is known */
	double *stage_operations; /* by stage of the pipeline: arithmetic of a point, without inlined Funcs */
	double *value; /* by Func: arithmetic of a value of its pure stage, inlined Funcs included */
	struct bw_interval *boxes; /* BW_MAX_DIMS by Func, scratch */
	bool *known; /* by Func, scratch */
};

/* What one tile of a group costs (listing 2). */
struct group_cost {
	double tiles;      /* in all */
	double arithmetic; /* operations */
	double loads;      /* values from outside of the group */
	double bytes;      /* that these and the group's intermediate values take */
};

/* Sets up what follows from the pipeline alone. */
void greedy_costs_begin(struct greedy *greedy);
/* Finds the values of Funcs anew, after `inlined` changed. */
void greedy_values(struct greedy *greedy);
/* The cost of a tile of the group of `output`, with the members of the group `extra` (-1: none) in it. tile
 * is in points by dimension, NULL: one element. Returns false if some region has no bound. Afterwards
 * greedy->boxes holds the regions of its members, and of what it loads. */
bool greedy_cost(struct greedy *greedy, int output, int extra, const int64_t *tile, struct group_cost *cost);
/* The operations that a group takes in all, loads included; infinite if a region has no bound. */
double greedy_total(struct greedy *greedy, int output, int extra, const int64_t *tile);
/* Loads without any tile, as listing 1 counts them: each access is one. */
double greedy_all_loads(struct greedy *greedy, int output);
/* Adds the regions that a Func reads to greedy->boxes, for the region that stands there for the Func, and
 * marks them as known. Returns false if one has no bound. */
bool greedy_reads(struct greedy *greedy, int func);
/* Points of a Func's whole region. */
double greedy_points(const struct greedy *greedy, int func);

/* The candidate tiles of a group's output (section 4.2.3), n_dims points each. The arena owns them. */
int64_t *greedy_tiles(struct greedy *greedy, int output, struct bw_arena *arena, int *n);
/* Returns true if there are enough tiles for the device, and a tile fits into a block and its memory. */
bool greedy_tile_fits(const struct greedy *greedy, int output, const int64_t *tile,
		      const struct group_cost *cost);

/* The schedule of the groups as they are. Returns NULL with an error that says what Halide or the
 * device refuses. */
struct bw_schedule *greedy_schedule(struct greedy *greedy, struct bw_error *error);
#endif
