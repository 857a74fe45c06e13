/* Private to the files of the features: a loop nest as in Halide's anderson2021, made from a nest of
 * placements.
 *
 * A level stands for a group of a stage's loops: blocks, threads, serial loops, or, innermost, a single
 * point. Every level has bounds for each Func: the region required inside one representative iteration
 * (the middle one for tiled levels), the region computed for it, and the loops that compute it. Bounds
 * follow from the consumers' loops at the same level, and are computed on demand. */
#pragma once
#include "cost/features.h"

/* An interval, and whether its extent is known when Halide compiles. */
struct bw_span {
	int64_t min, max;
	bool constant;
};

struct bw_bounds {
	struct bw_span *required, *computed; /* by dimension of the Func */
	struct bw_span **loops;              /* by stage and loop; NULL, like `computed`: not computed yet */
};

/* Kinds of level: ROOT; SCALAR: a stage without loops; BLOCK, THREAD, SERIAL: groups of loops; POINT: one
 * point */
enum bw_tile_kind {
	BW_TILE_ROOT,
	BW_TILE_SCALAR,
	BW_TILE_BLOCK,
	BW_TILE_THREAD,
	BW_TILE_SERIAL,
	BW_TILE_POINT
};

/* An edge of Halide's graph: a Func that a stage reads. Inputs have no edges, but Funcs that only wrap an
 * input do. */
struct bw_edge {
	int producer, consumer; /* Funcs */
	int stage;              /* of the consumer */
	double calls;           /* per point of the stage */
	const struct bw_read *read;
};

struct bw_tile {
	enum bw_tile_kind kind;
	const struct bw_func *func;            /* NULL: root */
	const struct bw_stage *stage;          /* NULL: root */
	int64_t *sizes;                        /* iterations by loop of the stage; all 1 at a point */
	const struct bw_placed_stage *placed;  /* at thread levels; otherwise NULL */
	int vector_dim;                        /* the innermost storage dimension */
	int vector_loop;                       /* the loop over it; -1: none */
	struct bw_tile *parent, *first, *next; /* children are a list */
	struct bw_bounds **bounds;             /* by Func; NULL: not computed yet */
	int n_stored;
	int *stored; /* Funcs whose storage begins here */
	double assumed_bytes; /* of shared memory, for Funcs that are not placed yet and may be computed in
				 this block */
	int n_inlined;
	int *inlined;  /* at a point: Funcs inlined into it, consumers first */
	double *calls; /* number of calls of each inlined Func, per point */
};

/* The levels of a stage; NULL if it has no such level in the kernel. */
struct bw_stage_site {
	struct bw_tile *compute, *store; /* the levels that it is computed and stored in */
	struct bw_tile *produce;         /* its own outermost level */
	/* the stage's innermost level; if inlined, the innermost level around all points that the stage is
	 * inlined into */
	struct bw_tile *point;
	enum bw_memory memory;
	bool placed;          /* false: `compute` and `store` are assumed */
	int vector_dim;       /* if placed: the innermost storage dimension */
	int64_t realizations; /* if not placed: number of times that the assumed level is entered */
};

struct bw_loop_tree {
	const struct bw_pipeline *pipeline;
	struct bw_arena *arena;
	struct bw_tile *root;
	int n_order, *order; /* the Funcs in Halide's order of realization, without inputs */
	bool *reads; /* by Func: some stage of the kernel reads it, directly or through inlined Funcs */
	bool *wholly; /* by Func: all readers are in the kernel */
	bool *inputs; /* by Func: it only wraps an input, so it is not scheduled */
	bool *inlined; /* by Func */
	int n_edges;
	const struct bw_edge *edges; /* consumers first */
	int **incoming, *n_incoming; /* by stage of the pipeline: edges to the Funcs that it reads, by name */
	int **outgoing, *n_outgoing; /* by Func: edges to its readers */
	bool **depends; /* by stage of the pipeline and by Func: the stage reads the Func, directly or not */
	/* by Func and dimension of its storage: the number of the required dimension whose bounds the
	 * storage has; negative: none */
	int **stored_forms;
	/* by stage of the pipeline and by loop: the number of the dimension whose bounds the loop has;
	 * negative: none */
	int **loop_forms;
	struct bw_stage_site *sites; /* by stage of the pipeline */
};

/* Returns the index of a stage among all stages of the pipeline. */
static inline int bw_stage_number(const struct bw_loop_tree *tree, const struct bw_stage *stage)
{
	return tree->pipeline->funcs[stage->func].first_stage + stage->index;
}

/* Returns true if the stage of a level has no loops. */
static inline bool bw_tile_scalar(const struct bw_tile *tile)
{
	return !tile->stage->n_loops;
}

/* Returns a tree without stages: the root, with the bounds of all Funcs there. */
struct bw_loop_tree *bw_loop_tree_new(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* Returns the tree of the kernel of one stage at root, made from a tree without stages. All other placed
 * Funcs are at root. Unless limits->stored_apart, a Func is also stored at every level around the one that
 * computes it, including root, and so counts as stored in global memory, as in Halide 19. */
struct bw_loop_tree *bw_loop_tree_of(const struct bw_loop_tree *like, const struct bw_nest *nest, int func,
				     int stage, const struct bw_feature_limits *limits,
				     struct bw_arena *arena);
/* Returns a new level, the last child of its parent. */
struct bw_tile *bw_tile_new(const struct bw_loop_tree *tree, enum bw_tile_kind kind, struct bw_tile *parent,
			    const struct bw_func *func, const struct bw_stage *stage);
/* Adds the levels of one stage below `host`, the level that computes it. The Func must outlive the tree. */
void bw_tree_add_stage(struct bw_loop_tree *tree, struct bw_tile *host, const struct bw_placed *placed,
		       int stage);
/* Returns the number of points of a box. */
double bw_spans_points(const struct bw_span *spans, int n);
/* Returns the bounds of a Func at a level. The tree owns them. */
const struct bw_bounds *bw_tile_bounds(const struct bw_loop_tree *tree, struct bw_tile *tile, int func);
/* Returns only the region of a Func that is required at a level, by dimension; the rest is computed on
 * demand. The tree owns it. */
const struct bw_span *bw_tile_required(const struct bw_loop_tree *tree, struct bw_tile *tile, int func);
/* Returns new bounds of a Func, with nothing required and room for the rest. */
struct bw_bounds *bw_bounds_new(const struct bw_loop_tree *tree, int func);
void bw_bounds_make_room(const struct bw_loop_tree *tree, int func, struct bw_bounds *bounds);
/* Widens the required region of an edge's producer by what the consumer's loops read of it. */
void bw_edge_expand(const struct bw_loop_tree *tree, const struct bw_edge *edge, const struct bw_span *loops,
		    struct bw_span *required);
/* Sets a tree's forms of bounds. */
void bw_loop_tree_forms(struct bw_loop_tree *tree);
/* Computes the computed region and the loops of a Func's bounds from the required region. */
void bw_bounds_complete(const struct bw_loop_tree *tree, int func, struct bw_bounds *bounds);
/* Returns an empty interval. */
struct bw_span bw_span_empty(void);
int64_t bw_span_extent(const struct bw_span *span);

/* How the coordinates of an access change with the loops of a stage: rows x columns entries; den 0 means
 * unknown. Unlike in a description, entries need not be in lowest terms, and denominators may be negative. */
struct bw_strides {
	int rows, columns, producer;
	int64_t count;
	struct bw_ratio *entries;
};

/* Returns an entry; 0 if either side has no dimensions. */
static inline struct bw_ratio bw_strides_at(const struct bw_strides *strides, int row, int column)
{
	return strides->rows && strides->columns ? strides->entries[row * strides->columns + column]
						 : (struct bw_ratio){.den = 1};
}

static inline bool bw_strides_is(const struct bw_strides *strides, int row, int column, int value)
{
	struct bw_ratio ratio = bw_strides_at(strides, row, column);
	return ratio.den && ratio.num == value * ratio.den;
}

bool bw_strides_equal(const struct bw_strides *a, const struct bw_strides *b);
/* Return strides owned by the arena. bw_strides_of: strides of a load. bw_strides_through: strides of a
 * load in an inlined Func that is itself read with strides `of`. bw_strides_scale: the given strides, with
 * each column times a factor. */
struct bw_strides bw_strides_of(const struct bw_jacobian *jacobian, int producer, struct bw_arena *arena);
struct bw_strides bw_strides_through(const struct bw_jacobian *jacobian, int producer,
				     const struct bw_strides *of, struct bw_arena *arena);
struct bw_strides bw_strides_scale(const struct bw_strides *strides, const int64_t *factors,
				   struct bw_arena *arena);

/* The threads of a block that run a stage's thread level. */
struct bw_threads {
	int64_t in_block[3], n_in_block; /* the most that any stage of the block needs, x first */
	int64_t own[3], n;               /* the threads that compute this stage */
	int n_loops, loops[3];           /* the thread level's loops for x, y, z */
	const struct bw_stage *stage;    /* of the thread level */
	int64_t active;                  /* threads */
	int64_t warps, active_warps, regular_warps;
	bool tail; /* the last warp has another number of active threads than the first */
	int64_t tail_first, tail_threads;
};

struct bw_threads bw_threads_of(const struct bw_tile *thread, const struct bw_feature_limits *limits);
/* Computes the position of a thread in its block, x first. */
static inline void bw_thread_find(const struct bw_threads *threads, int64_t thread, int64_t at[3])
{
	at[0] = thread % threads->in_block[0];
	at[1] = thread / threads->in_block[0] % threads->in_block[1];
	at[2] = thread / (threads->in_block[0] * threads->in_block[1]);
}

/* Advances to the next thread. */
static inline void bw_thread_next(const struct bw_threads *threads, int64_t at[3])
{
	if (++at[0] < threads->in_block[0])
		return;
	at[0] = 0;
	if (++at[1] < threads->in_block[1])
		return;
	at[1] = 0;
	at[2]++;
}

/* Returns true if the thread computes the stage. */
static inline bool bw_thread_active(const struct bw_threads *threads, const int64_t at[3])
{
	return at[0] < threads->own[0] && at[1] < threads->own[1] && at[2] < threads->own[2];
}

/* The traffic of accesses: transactions per block, bytes used, bytes moved. */
struct bw_traffic {
	double transactions, used, bytes;
};

void bw_traffic_add(struct bw_traffic *to, const struct bw_traffic *more);
double bw_traffic_efficiency(const struct bw_traffic *moved);
/* One access: its strides, the storage of the accessed Func, and the innermost dimension of that storage. */
struct bw_access {
	const struct bw_strides *strides;
	/* required region at the level where the Func is stored, by dimension */
	const struct bw_span *stored;
	int innermost;
	const struct bw_stage *stage;     /* the accessing stage */
	const struct bw_threads *threads; /* NULL: a single thread */
	double times;                     /* number of times that each warp makes the access */
};
/* Returns the traffic of a block with shared or global memory. */
struct bw_traffic bw_access_traffic(const struct bw_loop_tree *tree, const struct bw_access *access,
				    bool shared, const struct bw_feature_limits *limits);

/* Private to the files that walk down a loop tree. */
struct bw_feature_walk {
	struct bw_loop_tree *tree;
	const struct bw_feature_limits *limits;
	double **features; /* by stage of the pipeline; NULL: not reached yet */
};

/* Sets the features of a stage whose first value is not 0; the others must be 0. */
void bw_feature_defaults(double *features, const struct bw_feature_limits *limits);
/* Walks down the tree's one kernel. Returns the bytes that it adds to the allocations of the whole
 * schedule. */
double bw_walk_kernel(struct bw_feature_walk *walk);
/* Returns the bytes of a row along dimension v, or of a point if there is no such dimension. */
double bw_row_bytes(const struct bw_func *func, const struct bw_span *computed, int v);
/* Returns the dimension along which the cache lines of a read Func lie: the innermost dimension of its
 * storage. If the Func is not placed, returns the longest dimension of the box, which is the best case. */
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
/* Return the iterations of serial loops around a point. bw_serial_inside: inside of its thread level.
 * bw_serial_outside: outside of its thread level. bw_serial_around: inside of its thread level, but only
 * those around the point's Func. */
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

/* Returns the loads of a level that is entered `instances` times. threads: the threads of the level; NULL
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
/* Returns the most elements that one access to shared memory covers if the given loop of a tile walks the
 * elements one by one. */
int64_t bw_vector_size(const struct bw_tile *tile, int loop);
/* Returns true if a loop walks the elements of the innermost dimension one by one, and no other dimension. */
bool bw_walks_innermost(const struct bw_strides *strides, int innermost, int loop);
