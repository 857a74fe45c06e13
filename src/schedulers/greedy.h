/* The greedy scheduler of Mullapudi et al. 2016, in its configuration for GPUs (sections 4 and 5.4). Funcs
 * whose values are cheaper to compute again are inlined, one Func at a time. The others begin as groups of
 * one; then the merge of a producer's group into its only consumer's group that saves most is done, until
 * none saves anything. The output Func of a group is tiled: a tile is a block, a point of it a thread, and
 * the other members are computed per block in shared memory.
 *
 * Where the paper is silent:
 * - Loads are counted in values, and the footprint of a tile in bytes, without the output's own tile.
 * - Divisions and remainders cost 4 operations, calls of functions such as exp 8, constants, variables and
 *   casts nothing.
 * - MAX_THREADS_PER_BLOCK is the device's limit, since no device starts the paper's 2048.
 * - An inlining or merge that Halide or the device would refuse is passed over, with the reason.
 * - The reordering of loops by reuse (section 4.4) has no counterpart: blocks run in no order. */
#pragma once
#include "schedulers/groups.h"

/* The paper's parameters, under the paper's names. */
struct bw_greedy_options {
	double parallelism_threshold;     /* least number of tiles of a group */
	double cache_size;                /* most bytes that a tile may touch */
	double load_cost;                 /* cost of loading a value, in operations */
	int64_t vector_width;             /* least extent of a tile in its innermost dimension, in points */
	int64_t target_threads_per_block; /* least points of a tile */
	int64_t max_threads_per_block;    /* most points of a tile */
};
struct bw_greedy_options bw_greedy_options_default(const struct bw_device *device);

enum greedy_phase { GREEDY_INLINE, GREEDY_MERGE, GREEDY_END };

struct greedy_candidate {
	struct bw_group_choice choice; /* benefit in operations */
	/* operations of everything that the candidate changes, without and with it; merges: of both groups */
	double before, after;
	double tiles, bytes; /* merges: number of tiles, and bytes that one tile touches; 0: no tile */
};

struct greedy {
	struct bw_grouping own;
	struct bw_greedy_options options;
	enum greedy_phase phase;
	int n;
	/* of the current decision, or of the last one in this phase; best first */
	struct greedy_candidate *candidates;
	int changed; /* the group that the last merge changed; -1: none */
};

/* Returns the state of a walk with these options. Returns NULL with an error that names the Func if not
 * even separate kernels for all Funcs are legal. The pipeline must outlive the state. End it with
 * bw_grouping_end. */
struct greedy *greedy_new(const struct bw_pipeline *pipeline, const struct bw_device *device,
			  const struct bw_greedy_options *options, struct bw_error *error);
