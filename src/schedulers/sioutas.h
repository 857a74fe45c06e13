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
#pragma once
#include "cost/sioutas.h"
#include "schedulers/groups.h"

/* What a group costs in a tile (listing 1). */
struct sioutas_cost {
	struct bw_sioutas host;  /* the kernel that the members are in */
	double arithmetic_cost;  /* of all kernels */
	double memory_cost;      /* of all kernels, as it counts while groups are merged */
	double scaled;           /* the same as it counts in the final tiles (line 39) */
	int broken;              /* rules, as bits, that a kernel breaks; those whose loops are all RVars aside */
	struct bw_sioutas worst; /* a kernel that breaks rules, if there is one */
};

enum sioutas_phase { SIOUTAS_INLINE, SIOUTAS_MERGE, SIOUTAS_TILE, SIOUTAS_NEST, SIOUTAS_END };

struct sioutas_choice {
	/* func: also to nest, or the output of a group to tile; consumer: also the Func to nest in; tile: also the
	 * tile that is chosen. */
	struct bw_group_choice own;
	double group_cost; /* with it, as the phase counts */
	bool known;        /* `cost` is known */
	struct sioutas_cost cost;
	const char *how; /* what else there is to say; "" */
};

struct sioutas {
	struct bw_grouping own;
	int *nested; /* by Func: the Func in whose threads it is computed; -1: it has threads of its own */
	double *demand; /* by Func, scratch: loads of a tile */
	const char *without[SIOUTAS_END]; /* why a phase may take nothing; NULL: it may */
	bool flat; /* nothing is nested in what is itself in another's kernel */
	enum sioutas_phase phase;
	double *group_cost;           /* by output, while groups are merged */
	int at;                       /* TILE: the group at hand */
	int n_all;                    /* TILE: tiles that there are; only the best are choices */
	bool none_valid;              /* TILE: no tile keeps all rules */
	int n;
	struct sioutas_choice *choices; /* of the decision at hand, best first */
	struct sioutas_choice **merges; /* by output: its merge as it was found last; NULL: none */
};

/* Finds that with the members of the group `extra` (-1: none) in it. Returns false if some region has no
 * bound. */
bool sioutas_cost(struct sioutas *sioutas, int output, int extra, const int64_t *tile,
		  struct sioutas_cost *cost);
/* Returns true if some loop of a stage is over a dimension, not an RVar. */
bool sioutas_has_vars(const struct bw_stage *stage);
/* Returns group_cost: while groups are merged, and in the final tiles. */
double sioutas_grouping_cost(const struct sioutas_cost *cost);
double sioutas_final_cost(const struct sioutas_cost *cost);
/* Returns what a Func costs as a kernel of its own without a tile, for inlining; infinite if its region has
 * no bound. */
double sioutas_alone(void *sioutas, int func);

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
/* For struct bw_grouping. */
const struct bw_placement *sioutas_place(void *sioutas, int func);

/* Returns the state of a walk with each Func as a kernel, or NULL with an error if that is not legal.
 * End it with bw_grouping_end. */
struct sioutas *sioutas_new(const struct bw_pipeline *pipeline, const struct bw_device *device,
			    struct bw_error *error);
