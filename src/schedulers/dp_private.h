/* Declarations that the files of the scheduler of Jangda and Guha 2020 share. */
#pragma once
#include "cost/jangda.h"
#include "schedulers/dp.h"
#include "schedulers/groups.h"

/* Tile sizes are 1 to DP_TILE (section 7.1). There are DP_SHAPES ways to arrange the lanes of a warp. */
enum { DP_TILE = 32, DP_SHAPES = 21, DP_TRANSACTIONS = 2 };
/* The most points of a tile in registers. Its loops are unrolled so that each register has a name. */
enum { DP_UNROLLED = 16 };

/* The memory of a group's tiles: name in C, word of the argument, meaning. */
#define DP_MEMORY_TABLE(X) \
	X(DP_HYBRID, "hybrid", "any part of a tile is priced as in registers; the schedule keeps it in shared memory") \
	X(DP_REGISTERS, "registers", "all of a tile in the registers of a warp's lanes, and in shared memory where that cannot be") \
	X(DP_SHARED, "shared", "all in shared memory")
enum dp_memory { DP_MEMORY_TABLE(BW_FIRST) DP_MEMORIES };

/* The sizes with which a group was priced. */
struct dp_sizes {
	int64_t tile[BW_JANGDA_DIMS], block[BW_JANGDA_DIMS];
	double fraction; /* part of a tile that is in registers, 0..1 */
	double transaction; /* bytes */
};
struct dp_priced {
	struct bw_dp_set group; /* of stages */
	struct dp_sizes sizes;
	struct bw_jangda_cost cost;
	const char *refused; /* why its cost is infinite; NULL: it is finite */
	/* the same group with nothing in registers, which every schedule can express; NULL: not priced yet */
	struct dp_priced *held;
	const char *no_lanes; /* why Halide does not keep the tile in registers; NULL: not tried, or it does */
};

/* The loads of a producer from global memory by a warp in one iteration of a stage: transactions of 32
 * and 128 bytes, by shape of the warp. */
struct dp_load {
	int producer;
	double calls; /* calls per point */
	double transactions[DP_SHAPES][DP_TRANSACTIONS];
};
/* A stage as a member of an output's group. Its extent in a dimension is scale times the output's extent
 * in `axis`, plus `more`; axis -1: `more` alone. */
struct dp_member {
	/* reached: the output needs the stage; constant: its dependence vectors are constant, after alignment
	 * and scaling */
	bool reached, constant;
	int axis[BW_MAX_DIMS];
	double scale[BW_MAX_DIMS], more[BW_MAX_DIMS];
	int n_loads; /* -1: not found yet */
	struct dp_load *loads;
};

struct dp {
	struct bw_grouping own;
	const struct bw_pipeline *pipeline;
	enum dp_memory memory;
	struct dp_sizes *sizes; /* by stage: sizes of the group whose output the stage is */
	int n;		     /* stages: Funcs that are not inlined */
	int *funcs, *stages; /* Func by stage, stage by Func (-1) */
	struct bw_dp_set *readers;
	bool *joins;
	const char **alone; /* by stage: why it can only be the output of its group; NULL: it can be any member */
	double *seconds, *registers;	/* by stage: TIME_PER_ITER, REG_USAGE */
	struct dp_member **outputs; /* by output stage: the members of its group, by stage; NULL: not found yet */
	struct dp_priced **priced; /* hashed */
	int n_priced, n_places;
	struct bw_interval *probes; /* scratch: boxes of all Funcs in several tiles */
};

/* Returns NULL with an error if the pipeline has too many Funcs. */
struct dp *dp_new(const struct bw_pipeline *pipeline, const struct bw_device *device, struct bw_error *error);
void dp_free(struct dp *dp);
/* Returns the least cost of a group of stages, with the sizes that reach it. */
const struct dp_priced *dp_price(struct dp *dp, const struct bw_dp_set *group);
/* Returns the least cost of a group with all tiles in shared memory, with the sizes that reach it. */
const struct dp_priced *dp_price_held(struct dp *dp, const struct bw_dp_set *group);
/* Returns true if all of a tile is in the registers of the lanes of a warp. */
bool dp_in_lanes(const struct dp *dp, const struct dp_sizes *sizes);
/* Returns the last stage of a group, its output. */
int dp_last(const struct dp *dp, const struct bw_dp_set *group);
/* Returns the members that the group of an output can have, by stage (dp_members.c). */
struct dp_member *dp_members(struct dp *dp, int output);
void dp_find_loads(struct dp *dp, struct dp_member *member, int stage);
/* Sets the number of lanes of a warp by dimension in a shape. */
void dp_shape(int shape, int64_t *warp);
/* Places a Func in its group, with the sizes of the group's output. For struct bw_grouping. */
const struct bw_placement *dp_place(void *dp, int func);
