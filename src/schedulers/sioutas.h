/* The scheduler of Sioutas et al. 2020, "Schedule Synthesis for Halide Pipelines on GPUs" (section 4). Trivial
 * Funcs and those whose inlining saves are inlined (4.1), one at a time. Each of the others begins as a
 * group, which is a kernel; then the merge of a producer's group into its only consumer's that saves most is
 * done until none saves anything, with tiles of powers of two (4.2). Then each group gets its final tile, in
 * steps of two. Last, members are nested in threads of their consumer where these share no value (4.3).
 *
 * The costs are those of listing 1 (cost/sioutas.h). Where the paper is silent or its published code differs:
 * - A Func is trivial if a value takes at most one operation and one load, or if one other Func reads it
 *   point by point. When inlining is weighed a load costs one operation, as in the published code.
 * - Of the dimensions that may be tiled three are, the innermost. Those that are not are whole in a tile;
 *   where a single one is tiled each point of the others has a tile of its own, as in the published code.
 * - A group of one that has no valid tile takes the one that breaks the fewest rules; the published code
 *   takes the first. A merge needs a valid one.
 * - Groups with boundary conditions may merge, which the published code refuses.
 * - The threads of a block must be whole warps in the final tiles alone, as in the text and in the code, not
 *   in listing 1; and there are as many as the product of the largest extents, as in the text.
 * - The stages of a group's output are kernels of their own, whose costs add up; they share the tile.
 * - Nesting is profitable if the cost of listing 1 falls; the paper says "severe resource requirements". */
#ifndef BW_SCHEDULERS_SIOUTAS_H
#define BW_SCHEDULERS_SIOUTAS_H
#include "cost/sioutas.h"
#include "nest/plan.h"
#include "schedulers/groups.h"

struct sioutas {
	struct bw_groups of;
	struct bw_device device;
	int *nested; /* by Func: the Func in whose threads it is computed; -1: it has threads of its own */
	double *demand; /* by Func, scratch: loads of a tile */
};

/* What a group costs in a tile (listing 1). */
struct sioutas_cost {
	struct bw_sioutas host;  /* the kernel that the members are in */
	double arithmetic_cost;  /* of all kernels */
	double memory_cost;      /* of all kernels, as it counts while groups are merged */
	double scaled;           /* the same as it counts in the final tiles (line 39) */
	int broken;              /* rules, as bits, that a kernel breaks; those whose loops are all RVars aside */
	struct bw_sioutas worst; /* a kernel that breaks rules, if there is one */
};
/* Finds that with the members of the group `extra` (-1: none) in it. Returns false if some region has no
 * bound. */
bool sioutas_cost(struct sioutas *sioutas, int output, int extra, const int64_t *tile,
		  struct sioutas_cost *cost);
/* Returns group_cost: while groups are merged, and in the final tiles. */
double sioutas_grouping_cost(const struct sioutas_cost *cost);
double sioutas_final_cost(const struct sioutas_cost *cost);
/* Returns what a Func costs as a kernel of its own without a tile, for inlining; infinite if its region has
 * no bound. */
double sioutas_alone(struct sioutas *sioutas, int func);

/* Returns the dimensions of a Func that are tiled, as bits. */
uint32_t sioutas_tiled(const struct sioutas *sioutas, int func);
/* The bounds of tile sizes (4.2): the extents, how many dimensions are tiled. Returns false if no size lies
 * between them. */
bool sioutas_tile_bounds(int64_t extent, int n_tiled, int64_t *least, int64_t *most);
/* Returns all tiles of a Func, n_dims points each: powers of two, or in steps of two. The arena
 * owns them. */
int64_t *sioutas_tiles(const struct sioutas *sioutas, int func, bool final, struct bw_arena *arena, int *n);

/* Returns the only Func of its group that reads a member, in whose threads listing 2 would compute it; -1:
 * there is no such Func. Sets *refused to why it would not, or NULL. */
int sioutas_nest(struct sioutas *sioutas, int func, const char **refused);
/* The schedule of the groups as they are, with a reason if there is none. */
struct bw_schedule *sioutas_schedule(struct sioutas *sioutas, struct bw_error *error);
#endif
