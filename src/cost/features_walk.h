/* Private to the files that walk down a loop tree. */
#ifndef BW_COST_FEATURES_WALK_H
#define BW_COST_FEATURES_WALK_H
#include "cost/features_private.h"

struct bw_feature_walk {
	struct bw_loop_tree *tree;
	const struct bw_feature_limits *limits;
	double **features; /* by stage of the pipeline; NULL: not reached yet */
};

/* Sets the features of a stage that the walk has not reached. */
void bw_feature_defaults(double *features, const struct bw_feature_limits *limits);
/* Walks down the tree's one kernel. Returns the bytes that it adds to the allocations of the whole
 * schedule. */
double bw_walk_kernel(struct bw_feature_walk *walk);
/* Returns the bytes of a row along dimension v, or of a point if there is no such dimension. */
double bw_row_bytes(const struct bw_func *func, const struct bw_span *computed, int v);
/* Returns the dimension along which the lines of a read Func lie: the innermost of its storage, or if it
 * is not placed, the longest of the box, which is the best case. */
int bw_line_dim(const struct bw_loop_tree *tree, int func, const struct bw_span *box);
double *bw_walk_features(const struct bw_feature_walk *walk, const struct bw_stage *stage);
/* Adds the features of a stage's own outermost level: the footprint of its loads for one allocation. */
void bw_walk_production(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances);
/* Adds the features of a stage's innermost level, which is entered `instances` times by `parallelism`
 * blocks and has `points` points in all: footprints, transactions and occupancy, and the features of the
 * Funcs inlined there. */
void bw_walk_point(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances, int64_t points,
		   int64_t parallelism);

/* Returns the iterations of a level's own loops. */
int64_t bw_tile_iterations(const struct bw_tile *tile);
/* Return the iterations of the serial loops around a point: inside of its thread level, outside of it, and
 * inside of it but around the point's Func. */
int64_t bw_serial_inside(const struct bw_tile *point);
int64_t bw_serial_outside(const struct bw_tile *point);
int64_t bw_serial_around(const struct bw_tile *point);
/* Returns the thread level around a point, or NULL. */
struct bw_tile *bw_thread_around(struct bw_tile *point);

/* The loads of a stage at a level: footprints by memory, and a block's traffic with global and shared
 * memory. */
struct bw_footprint {
	double bytes, lines, thread_bytes, thread_lines, allocated;
};

struct bw_stage_loads {
	struct bw_footprint of[BW_N_MEMORIES];
	struct bw_traffic global, shared;
};

/* Returns the loads of a level that is entered `instances` times. threads: those of the level; NULL
 * outside of threads. */
struct bw_stage_loads bw_walk_loads(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances,
				    const struct bw_threads *threads);
/* A chain of edges from a point's stage through inlined Funcs to a producer. bw_points_accessed returns
 * the points of the producer that a thread accesses with these strides. */
struct bw_edge_chain {
	const struct bw_edge *edge;
	const struct bw_edge_chain *before; /* nearer to the stage; NULL: this is the first */
};
double bw_points_accessed(struct bw_feature_walk *walk, struct bw_tile *point,
			  const struct bw_edge_chain *chain, const struct bw_strides *strides,
			  const struct bw_strides *serial, bool shared);
/* Returns the most elements that one access to shared memory covers if the given loop of a tile walks them
 * one by one. */
int64_t bw_vector_size(const struct bw_tile *tile, int loop);
/* Returns true if a loop walks the elements of the innermost dimension one by one, and no other dimension. */
bool bw_walks_innermost(const struct bw_strides *strides, int innermost, int loop);
#endif
