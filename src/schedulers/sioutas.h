/* The scheduler of Sioutas et al. 2020, "Schedule Synthesis for Halide Pipelines on GPUs" (section 4).
 * First, it inlines trivial Funcs and Funcs whose inlining saves cost, one at a time (4.1). Each other
 * Func begins as a group of its own; a group is a kernel. Then it merges groups, with tiles of powers of
 * two (4.2): the best merge of a producer's group into its only consumer's group is done until no merge
 * saves anything. Then each group gets its final tile, from tiles in steps of two. Last, members are
 * nested in the threads of their consumer if neighbouring threads share no value (4.3).
 *
 * The costs are those of listing 1 (cost/sioutas.h). Where the paper is silent or its published code
 * differs:
 * - A Func is trivial if a value takes at most one operation and one load, or if a single other Func
 *   reads it point by point. When the benefit of inlining is computed, a load costs one operation, as in
 *   the published code.
 * - At most three dimensions are tiled: the innermost ones that are long enough. A tile contains the
 *   other dimensions as a whole. If only one dimension is tiled, each point of the other dimensions has
 *   its own tile, as in the published code.
 * - A group of one Func without a valid tile takes the tile that breaks the fewest rules; the published
 *   code takes the first tile. A merge needs a valid tile.
 * - Groups with boundary conditions may merge; the published code refuses this.
 * - The threads of a block must be whole warps only in the final tiles, as in the paper's text and in the
 *   code, but not in listing 1. The number of threads is the product of the largest extents, as in the
 *   text.
 * - Each stage of a group's output is a kernel of its own. The costs of these kernels add up, and they
 *   share the tile.
 * - Nesting is profitable if the cost of listing 1 falls; the paper says "severe resource requirements". */
#pragma once
#include "cost/sioutas.h"
#include "schedulers/groups.h"

/* The cost of a group with one tile (listing 1). */
struct sioutas_cost {
	struct bw_sioutas host;  /* the kernel that contains the members */
	double arithmetic_cost;  /* of all kernels */
	double memory_cost;      /* of all kernels, as used while groups are merged */
	double scaled;           /* memory cost of all kernels, as used for the final tiles (line 39) */
	/* rules, as bits, that some kernel breaks; kernels whose loops are all RVars do not count */
	int broken;
	struct bw_sioutas worst; /* a kernel that breaks rules, if `broken` is not 0 */
};

enum sioutas_phase { SIOUTAS_INLINE, SIOUTAS_MERGE, SIOUTAS_TILE, SIOUTAS_NEST, SIOUTAS_END };

struct sioutas_choice {
	/* NEST: func is the Func to nest, consumer the Func to nest it in. TILE: func is the output of the
	 * group, tile the tile to choose. INLINE, MERGE: as in struct bw_group_choice. */
	struct bw_group_choice own;
	double group_cost; /* cost of the group with this choice, as the phase computes it */
	bool known;        /* `cost` is set */
	struct sioutas_cost cost;
	const char *how; /* further words for the user; "": none */
};

struct sioutas {
	struct bw_grouping own;
	int *nested; /* by Func: the Func in whose threads the Func is computed; -1: it has threads of its own */
	double *demand; /* by Func, scratch: loads per tile */
	const char *without[SIOUTAS_END]; /* by phase: why all choices are refused; NULL: they are not */
	bool flat; /* members may be nested in a group's output only (option disable_subtiling) */
	enum sioutas_phase phase;
	double *group_cost;           /* by output: cost of its group, while groups are merged */
	int at;                       /* TILE: the current group */
	int n_all;                    /* TILE: number of all tiles; only the best are choices */
	bool none_valid;              /* TILE: no tile keeps all rules */
	int n;
	struct sioutas_choice *choices; /* of the current decision, best first */
	/* by output of a producer: its merge as evaluated last; NULL: not evaluated */
	struct sioutas_choice **merges;
};

/* Computes the cost of a group with a tile and with the members of the group `extra` (-1: none) added.
 * Returns false if some region has no bound. */
bool sioutas_cost(struct sioutas *sioutas, int output, int extra, const int64_t *tile,
		  struct sioutas_cost *cost);
/* Returns true if at least one loop of a stage is over a dimension and not over an RVar. */
bool sioutas_has_vars(const struct bw_stage *stage);
/* Return the group_cost of a choice: while groups are merged; for the final tiles. */
double sioutas_grouping_cost(const struct sioutas_cost *cost);
double sioutas_final_cost(const struct sioutas_cost *cost);
/* Returns the cost of a Func as a kernel of its own without a tile, as used for inlining. Returns
 * INFINITY if its region has no bound. */
double sioutas_alone(void *sioutas, int func);

/* Returns the dimensions of a Func that are tiled, as bits. */
uint32_t sioutas_tiled(const struct sioutas *sioutas, int func);
/* Computes the bounds of the tile size in a dimension of this extent, if n_tiled dimensions are tiled
 * (4.2). Returns false if no size is within the bounds. */
bool sioutas_tile_bounds(int64_t extent, int n_tiled, int64_t *least, int64_t *most);
/* Returns all tiles of a Func, n_dims extents each: powers of two; if `final`, in steps of two. The arena
 * owns them. */
int64_t *sioutas_tiles(const struct sioutas *sioutas, int func, bool final, struct bw_arena *arena, int *n);

/* Returns the only Func in a member's group that reads the member: listing 2 nests the member in the
 * threads of this Func. Returns -1 if there is no such Func. Sets *refused to the reason why listing 2
 * would not nest it, or to NULL. */
int sioutas_nest(struct sioutas *sioutas, int func, const char **refused);
/* Returns the placement of a Func. For struct bw_grouping. */
const struct bw_placement *sioutas_place(void *sioutas, int func);

/* Returns the state of a walk in which each Func is a kernel. Returns NULL with an error if this schedule
 * is not legal. End it with bw_grouping_end. */
struct sioutas *sioutas_new(const struct bw_pipeline *pipeline, const struct bw_device *device,
			    struct bw_error *error);
