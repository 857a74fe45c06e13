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
#ifndef BW_SCHEDULERS_GREEDY_H
#define BW_SCHEDULERS_GREEDY_H
#include "gpu/device.h"
#include "schedule/schedule.h"

/* The paper's parameters, with its names. */
struct bw_greedy_options {
	double parallelism_threshold;      /* least tiles of a group */
	double cache_size;                 /* bytes: most that a tile touches */
	double load_cost;                  /* operations that loading a value costs */
	int64_t vector_width;              /* points: least extent of a tile in its innermost dimension */
	int64_t target_threads_per_block;  /* least points of a tile */
	int64_t max_threads_per_block;     /* most points of a tile */
};
struct bw_greedy_options bw_greedy_options_default(const struct bw_device *device);

/* One candidate of a step. */
struct bw_greedy_candidate {
	int producer;        /* the Func to inline, or the output Func of the group to merge */
	int consumer;        /* the output Func of the group to merge into; -1: inlining into all consumers */
	double benefit;      /* operations saved */
	int64_t *tile;       /* points, by dimension of the consumer; NULL: inlining, or no tile is allowed */
	const char *refused; /* why it cannot be done; NULL: nothing is known against it */
};

/* A step: its candidates, the one of the largest benefit first. */
struct bw_greedy_step {
	int n;
	struct bw_greedy_candidate *candidates;
	int taken; /* index; -1: none saves anything, and the phase ends */
};

struct bw_greedy {
	struct bw_arena *arena;
	int n_steps;
	struct bw_greedy_step *steps; /* the inlinings, then the merges */
	const bool *inlined;          /* by Func */
	const int *group;             /* by Func: the output Func of its group; -1: an input, or inlined */
	const int64_t *const
	    *tiles; /* by Func: the tile of the group whose output it is; NULL: a tile of one element */
	struct bw_schedule *schedule;
};

/* Schedules a pipeline. Returns false with an error that names the Func if not even separate kernels are
 * legal. Give the outcome back with bw_greedy_free. */
bool bw_greedy_run(const struct bw_pipeline *pipeline, const struct bw_device *device,
		   const struct bw_greedy_options *options, struct bw_greedy *greedy, struct bw_error *error);
void bw_greedy_free(struct bw_greedy *greedy);

/* Appends the steps for people, a line each: what was done, what it saves, and the next best candidate. */
void bw_greedy_print(const struct bw_pipeline *pipeline, const struct bw_greedy *greedy, struct bw_text *out);
#endif
