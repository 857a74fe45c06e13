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

/* The paper's parameters, with its names. */
struct bw_greedy_options {
	double parallelism_threshold;     /* least tiles of a group */
	double cache_size;                /* bytes: most that a tile touches */
	double load_cost;                 /* operations that loading a value costs */
	int64_t vector_width;             /* points: least extent of a tile in its innermost dimension */
	int64_t target_threads_per_block; /* least points of a tile */
	int64_t max_threads_per_block;    /* most points of a tile */
};
struct bw_greedy_options bw_greedy_options_default(const struct bw_device *device);

enum greedy_phase { GREEDY_INLINE, GREEDY_MERGE, GREEDY_END };

struct greedy_candidate {
	struct bw_group_choice choice; /* benefit in operations */
	double before, after; /* operations without and with it, of all that it changes; merges: of both groups */
	double tiles, bytes; /* merges: tiles in all, and bytes that one touches; 0 without a tile */
};

struct greedy {
	struct bw_grouping own;
	struct bw_greedy_options options;
	enum greedy_phase phase;
	int n;
	struct greedy_candidate *candidates; /* of the decision at hand, or the last of the phase; best first */
	int changed; /* the group that the last merge changed; -1: none */
};

/* Returns the state of a walk with these options, or NULL with an error that names the Func if not even
 * separate kernels for all Funcs are legal. The pipeline must outlive it. End it with bw_grouping_end. */
struct greedy *greedy_new(const struct bw_pipeline *pipeline, const struct bw_device *device,
			  const struct bw_greedy_options *options, struct bw_error *error);
