/* Shared by the files that walk down a loop tree. */
#ifndef BW_COST_FEATURES_WALK_H
#define BW_COST_FEATURES_WALK_H
#include "cost/features_private.h"

struct bw_feature_walk {
	struct bw_loop_tree *tree;
	const struct bw_feature_limits *limits;
	double **features; /* by stage of the pipeline; NULL: nothing was said of it yet */
};

/* What a stage has that nothing was said of. */
void bw_feature_defaults(double *features, const struct bw_feature_limits *limits);
/* Walks down the tree's one kernel; bytes that it adds to what the whole schedule allocates. */
double bw_walk_kernel(struct bw_feature_walk *walk);
/* Bytes of a row along dimension v; of a point where there is none. */
double bw_row_bytes(const struct bw_func *func, const struct bw_span *computed, int v);
/* The dimension along which the lines of a Func lie that is read: that of its storage; of what is not placed, the longest of the box, which is the best case. */
int bw_line_dim(const struct bw_loop_tree *tree, int func, const struct bw_span *box);
double *bw_walk_features(const struct bw_feature_walk *walk, const struct bw_stage *stage);
/* What a stage's own outermost level adds: the footprint of its loads for one allocation. */
void bw_walk_production(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances);
/* What its innermost level adds, entered `instances` times by `parallelism` blocks and with `points` points in all: footprints and transactions,
 * occupancy, and what the Funcs are that are inlined there. */
void bw_walk_point(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances, int64_t points, int64_t parallelism);

/* Iterations of the serial loops around a point inside its thread level, and outside of it; inside it but around its Func. */
int64_t bw_serial_inside(const struct bw_tile *point);
int64_t bw_serial_outside(const struct bw_tile *point);
int64_t bw_serial_around(const struct bw_tile *point);
/* The thread level around a point; NULL: none. */
struct bw_tile *bw_thread_around(struct bw_tile *point);

/* Loads of a stage at a level: footprints by memory, and what a block moves of global and of shared memory. */
struct bw_footprint {
	double bytes, lines, thread_bytes, thread_lines, allocated;
};

struct bw_stage_loads {
	struct bw_footprint of[BW_N_MEMORIES];
	struct bw_traffic global, shared;
};

/* instances: times that the level is entered. threads: of the level; NULL outside of threads. */
struct bw_stage_loads bw_walk_loads(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances, const struct bw_threads *threads);
/* Points of a producer that a thread accesses with these strides, found along a chain of edges from the point's stage through inlined Funcs. */
struct bw_edge_chain {
	const struct bw_edge *edge;
	const struct bw_edge_chain *before; /* nearer to the stage; NULL: this is the first */
};
double bw_points_accessed(struct bw_feature_walk *walk, struct bw_tile *point, const struct bw_edge_chain *chain, const struct bw_strides *strides, const struct bw_strides *serial, bool shared);
/* The most elements that one access to shared memory takes in, where a loop of the tile of this many bytes a point walks them one by one. */
int64_t bw_vector_size(const struct bw_tile *tile, int loop);
/* Whether a loop walks elements of the innermost dimension one by one, and no other dimension. */
bool bw_walks_innermost(const struct bw_strides *strides, int innermost, int loop);
#endif
