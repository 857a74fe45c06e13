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
	double parallelism_threshold;     /* least tiles of a group */
	double cache_size;                /* bytes: most that a tile touches */
	double load_cost;                 /* operations that loading a value costs */
	int64_t vector_width;             /* points: least extent of a tile in its innermost dimension */
	int64_t target_threads_per_block; /* least points of a tile */
	int64_t max_threads_per_block;    /* most points of a tile */
};
struct bw_greedy_options bw_greedy_options_default(const struct bw_device *device);

/* One candidate of a step. */
struct bw_greedy_candidate {
	int producer; /* the Func to inline, or the output Func of the group to merge */
	int consumer; /* the output Func of the group to merge into; -1: inlining into all consumers */
	double benefit; /* operations saved */
	double before, after; /* operations without and with it, of all that it changes; merges: of both groups */
	double tiles, bytes; /* merges: tiles in all, and bytes that one touches; 0 without a tile */
	int64_t *tile; /* points, by dimension of the consumer; NULL: inlining, or no tile is allowed */
	const char *refused; /* why it cannot be done; NULL: nothing is known against it */
};

enum bw_greedy_phase { BW_GREEDY_INLINE, BW_GREEDY_MERGE, BW_GREEDY_END };

/* A step: its candidates, the one of the largest benefit first. */
struct bw_greedy_step {
	enum bw_greedy_phase phase;
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
	struct bw_schedule *schedule; /* of the steps so far */
	/* The scheduler's own. */
	struct greedy *own;
	enum bw_greedy_phase phase; /* of the next step */
	int first_step, capacity;   /* the phase's first step */
	int changed;                /* the group that the last merge changed; -1: none */
};

/* Begins with separate kernels for all Funcs. Returns false with an error that names the Func if not even
 * these are legal. The pipeline and device must outlive it. End it with bw_greedy_free. */
bool bw_greedy_begin(const struct bw_pipeline *pipeline, const struct bw_device *device,
		     const struct bw_greedy_options *options, struct bw_greedy *greedy,
		     struct bw_error *error);
/* Returns the next step with its candidates, to be taken by bw_greedy_take; NULL after the last. It is valid
 * until the next call. */
struct bw_greedy_step *bw_greedy_next(struct bw_greedy *greedy);
/* Takes a candidate of that step, also one that saves nothing; -1: none, which ends the phase. Returns false
 * with the reason, and changes nothing, if the outcome is not legal. */
bool bw_greedy_take(struct bw_greedy *greedy, int candidate, struct bw_error *error);

/* Schedules a pipeline, taking in each step the first candidate that saves something and is legal. Returns
 * false with an error as bw_greedy_begin. */
bool bw_greedy_run(const struct bw_pipeline *pipeline, const struct bw_device *device,
		   const struct bw_greedy_options *options, struct bw_greedy *greedy, struct bw_error *error);
void bw_greedy_free(struct bw_greedy *greedy);
#endif
