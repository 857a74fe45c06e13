/* What the files of the scheduler of Jangda and Guha 2020 share. */
#pragma once
#include "cost/jangda.h"
#include "schedulers/dp.h"
#include "schedulers/groups.h"

/* Tile sizes are 1 to DP_TILE (section 7.1). The lanes of a warp lie in DP_SHAPES ways. */
enum { DP_TILE = 32, DP_SHAPES = 21, DP_TRANSACTIONS = 2 };
/* The most points of a tile in registers, whose loops are unrolled so that each register has a name. */
enum { DP_UNROLLED = 16 };

/* Where the tiles of a group lie: name in C, word of the argument, meaning. */
#define DP_MEMORY_TABLE(X) \
	X(DP_HYBRID, "hybrid", "any part of a tile is priced as in registers; the schedule keeps it in shared memory") \
	X(DP_REGISTERS, "registers", "all of a tile in the registers of a warp's lanes, and in shared memory where that cannot be") \
	X(DP_SHARED, "shared", "all in shared memory")
enum dp_memory { DP_MEMORY_TABLE(BW_FIRST) DP_MEMORIES };

/* What a group was priced with. */
struct dp_sizes {
	int64_t tile[BW_JANGDA_DIMS], block[BW_JANGDA_DIMS];
	double fraction; /* of a tile in registers */
	double transaction; /* bytes */
};
struct dp_priced {
	struct bw_dp_set group; /* of stages */
	struct dp_sizes sizes;
	struct bw_jangda_cost cost;
	const char *refused; /* why its cost is infinite; NULL: it is finite */
	struct dp_priced *held; /* with nothing in registers, which every schedule can hold; NULL: not asked yet */
	const char *no_lanes; /* why Halide does not keep it in registers, once it was tried; NULL */
};

/* Global memory that a warp loads in one iteration of a stage: transactions of 32 and 128 bytes, by shape. */
struct dp_load {
	int producer;
	double calls; /* by a point */
	double transactions[DP_SHAPES][DP_TRANSACTIONS];
};
/* A stage in the group of an output. Its extent in a dimension is scale times the output's extent in
 * `axis`, plus `more`; axis -1: `more` alone. */
struct dp_member {
	bool reached, constant; /* constant: its dependence vectors are, after alignment and scaling */
	int axis[BW_MAX_DIMS];
	double scale[BW_MAX_DIMS], more[BW_MAX_DIMS];
	int n_loads; /* -1: not found yet */
	struct dp_load *loads;
};

struct dp {
	struct bw_grouping own;
	const struct bw_pipeline *pipeline;
	enum dp_memory memory;
	struct dp_sizes *sizes; /* by stage: sizes of the group that it is the output of */
	int n;		     /* stages: Funcs that are not inlined */
	int *funcs, *stages; /* Func by stage, stage by Func (-1) */
	struct bw_dp_set *readers;
	bool *joins;
	const char **alone; /* by stage: why it can only be the output of its group; NULL */
	double *seconds, *registers;	/* by stage: TIME_PER_ITER, REG_USAGE */
	struct dp_member **outputs; /* by stage: the members of its group, by stage; NULL: not found yet */
	struct dp_priced **priced; /* hashed */
	int n_priced, n_places;
	struct bw_interval *probes; /* scratch: boxes of all Funcs in several tiles */
};

/* Returns NULL with an error if the pipeline has too many Funcs. */
struct dp *dp_new(const struct bw_pipeline *pipeline, const struct bw_device *device, struct bw_error *error);
void dp_free(struct dp *dp);
/* Returns the least cost of a group of stages, with its sizes. */
const struct dp_priced *dp_price(struct dp *dp, const struct bw_dp_set *group);
/* Returns the least cost of a group with all tiles in shared memory, with its sizes. */
const struct dp_priced *dp_price_held(struct dp *dp, const struct bw_dp_set *group);
/* Returns true if all of a tile is in the registers of the lanes of a warp. */
bool dp_in_lanes(const struct dp *dp, const struct dp_sizes *sizes);
/* Returns the last stage of a group, its output. */
int dp_last(const struct dp *dp, const struct bw_dp_set *group);
/* The members of the group of an output (dp_members.c). */
struct dp_member *dp_members(struct dp *dp, int output);
void dp_find_loads(struct dp *dp, struct dp_member *member, int stage);
/* The warp sizes of a shape. */
void dp_shape(int shape, int64_t *warp);
/* For struct bw_grouping: in groups with the sizes of their outputs. */
const struct bw_placement *dp_place(void *dp, int func);
