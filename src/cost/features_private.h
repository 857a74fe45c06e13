/* Shared by the files of the features alone: the loop nest as Halide's anderson2021 has it, made from a nest of placements.
 *
 * A level stands for a group of a stage's loops: blocks, threads, serial loops, and innermost of all the point. Every level has bounds of each
 * Func: what is required of it inside one representative iteration (the middle one, where levels are tiled), what that makes computed, and the
 * loops that compute it. They follow from the consumers' loops at the same level, and are found when first asked for. */
#ifndef BW_COST_FEATURES_PRIVATE_H
#define BW_COST_FEATURES_PRIVATE_H
#include "cost/features.h"
#include "nest/nest.h"


/* An interval, and whether its extent is known when Halide compiles. */
struct bw_span {
	int64_t min, max;
	bool constant;
};

struct bw_bounds {
	struct bw_span *required, *computed; /* one a dimension of the Func */
	struct bw_span **loops;              /* by stage: one a loop; NULL, as `computed` is: not asked for yet */
};

/* Root; the whole of a stage without loops; groups of loops; one point. */
enum bw_tile_kind { BW_TILE_ROOT, BW_TILE_SCALAR, BW_TILE_BLOCK, BW_TILE_THREAD, BW_TILE_SERIAL, BW_TILE_POINT };

/* A Func that is read by a stage, as Halide lists the edges of its graph. Inputs are none, but Funcs that only wrap an input are. */
struct bw_edge {
	int producer, consumer; /* Funcs */
	int stage;              /* of the consumer */
	double calls;           /* a point of the stage */
	const struct bw_read *read;
};

struct bw_tile {
	enum bw_tile_kind kind;
	const struct bw_func *func;   /* NULL: root */
	const struct bw_stage *stage; /* NULL: root */
	int64_t *sizes;               /* iterations, one a loop of the stage; all 1 at a point */
	int vector_dim;               /* the innermost storage dimension */
	int vector_loop;              /* the loop that walks it; -1: none */
	struct bw_tile *parent, *first, *next; /* children are a list */
	struct bw_bounds **bounds;    /* by Func; NULL: not asked for yet */
	int n_stored;
	int *stored;                  /* Funcs whose storage begins here */
	double assumed_bytes;         /* of shared memory, for what is not placed yet and may be computed in this block */
	int n_inlined;
	int *inlined;                 /* at a point: Funcs inlined into it, consumers first */
	double *calls;                /* of these, a point */
};

/* Where a stage is; NULL where it has no such place in the kernel. */
struct bw_stage_site {
	struct bw_tile *compute, *store; /* the level that it is computed in, and stored in */
	struct bw_tile *produce;         /* its own outermost level */
	struct bw_tile *point;           /* its innermost; inlined, the innermost one around all points that it is inlined into */
	enum bw_memory memory;
	bool placed;                     /* false: `compute` and `store` are assumed */
	int vector_dim;                  /* placed: the innermost storage dimension */
	int64_t realizations;            /* not placed: times that the assumed level is entered */
};

struct bw_loop_tree {
	const struct bw_pipeline *pipeline;
	struct bw_arena *arena;
	struct bw_tile *root;
	int n_order, *order;          /* the Funcs as Halide realizes them, inputs not among them */
	bool *reads;                  /* by Func: something in the kernel reads it, directly or through what is inlined */
	bool *wholly;                 /* by Func: all that reads it is in the kernel */
	bool *inputs;                 /* by Func: it only wraps an input, so that it is not scheduled */
	bool *inlined;                /* by Func */
	int n_edges;
	const struct bw_edge *edges;  /* consumers first */
	int **incoming, *n_incoming;  /* by stage of the pipeline: edges to what it reads, by name */
	int **outgoing, *n_outgoing;  /* by Func: edges to its readers */
	bool **depends;               /* by stage of the pipeline, by Func: it reads it, directly or not */
	int **stored_forms;           /* by Func, by dimension: what is stored of it: the number of the dimension that it is from end to end; less than 0: of none */
	int **loop_forms;             /* by stage of the pipeline, by loop: the same of its bound */
	struct bw_stage_site *sites;  /* by stage of the pipeline */
};

/* A tree without any stage: the root, with the bounds of all Funcs there. */
struct bw_loop_tree *bw_loop_tree_new(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* The tree of the kernel of one stage at root, from such a one; everything else that is placed is at root. Unless limits->stored_apart, a Func is also stored
 * at every level around where it is computed, root included, and so counts as stored in global memory: Halide 19 has it so. */
struct bw_loop_tree *bw_loop_tree_of(const struct bw_loop_tree *like, const struct bw_nest *nest, int func, int stage, const struct bw_feature_limits *limits, struct bw_arena *arena);
/* A level, the last child of its parent. */
struct bw_tile *bw_tile_new(const struct bw_loop_tree *tree, enum bw_tile_kind kind, struct bw_tile *parent, const struct bw_func *func, const struct bw_stage *stage);
/* Adds the levels of one stage below `host`, in which it is computed. */
void bw_tree_add_stage(struct bw_loop_tree *tree, struct bw_tile *host, const struct bw_placement *placement, int stage);
/* The innermost level around both; where one is NULL the other. */
struct bw_tile *bw_tile_around(struct bw_tile *a, struct bw_tile *b);
/* Assumes where a Func that is not placed may come to be computed: as deep as all that reads it allows. */
void bw_loop_tree_assume(struct bw_loop_tree *tree, int func, const struct bw_feature_limits *limits);
/* Fills in the edges of a tree's pipeline and what follows from them: incoming, outgoing, depends. */
void bw_loop_tree_link(struct bw_loop_tree *tree);
/* Points of a box. */
double bw_spans_points(const struct bw_span *spans, int n);
/* The Funcs in the order that Halide realizes them in, n of them; inputs are not among them. The arena's. */
int *bw_loop_tree_order(const struct bw_loop_tree *tree, int *n);
/* The bounds of a Func at a level. The tree's. */
const struct bw_bounds *bw_tile_bounds(const struct bw_loop_tree *tree, struct bw_tile *tile, int func);
/* What is required of it there alone, by dimension: the rest is found when it is asked for. The tree's. */
const struct bw_span *bw_tile_required(const struct bw_loop_tree *tree, struct bw_tile *tile, int func);
/* New bounds of a Func, of which nothing is required; and room for the rest of them. */
struct bw_bounds *bw_bounds_new(const struct bw_loop_tree *tree, int func);
void bw_bounds_make_room(const struct bw_loop_tree *tree, int func, struct bw_bounds *bounds);
/* Widens what is required of an edge's producer by what the consumer's loops need of it. */
void bw_edge_expand(const struct bw_loop_tree *tree, const struct bw_edge *edge, const struct bw_span *loops, struct bw_span *required);
/* Fills in a tree's forms of bounds. */
void bw_loop_tree_forms(struct bw_loop_tree *tree);
/* From what is required in bounds of a Func to what is computed, and the loops. */
void bw_bounds_complete(const struct bw_loop_tree *tree, int func, struct bw_bounds *bounds);
/* Empty: holds nothing yet. */
struct bw_span bw_span_empty(void);
int64_t bw_span_extent(const struct bw_span *span);

/* How the coordinates of an access move with the loops of a stage: entries of rows x columns, not known where den is 0. Unlike those of a
 * description entries are no longer in lowest terms, and denominators have no sign. */
struct bw_strides {
	int rows, columns, producer;
	int64_t count;
	struct bw_ratio *entries;
};

/* An entry; 0 where either side has no dimensions. */
static inline struct bw_ratio bw_strides_at(const struct bw_strides *strides, int row, int column)
{
	return strides->rows && strides->columns ? strides->entries[row * strides->columns + column] : (struct bw_ratio){.den = 1};
}

static inline bool bw_strides_is(const struct bw_strides *strides, int row, int column, int value)
{
	struct bw_ratio ratio = bw_strides_at(strides, row, column);
	return ratio.den && ratio.num == value * ratio.den;
}

bool bw_strides_equal(const struct bw_strides *a, const struct bw_strides *b);
/* The strides of a load; seen through an inlined Func that is read with strides `of`; each column times a factor. The arena's. */
struct bw_strides bw_strides_of(const struct bw_jacobian *jacobian, int producer, struct bw_arena *arena);
struct bw_strides bw_strides_through(const struct bw_jacobian *jacobian, int producer, const struct bw_strides *of, struct bw_arena *arena);
struct bw_strides bw_strides_scale(const struct bw_strides *strides, const int64_t *factors, struct bw_arena *arena);

/* The threads of a block that run a stage's thread level. */
struct bw_threads {
	int64_t in_block[3], n_in_block; /* the most that any stage of the block needs, x first */
	int64_t own[3], n;               /* those that compute this one */
	int n_loops, loops[3];           /* the thread level's loops that x, y, z walk */
	const struct bw_stage *stage;    /* of the thread level */
	int64_t active;                  /* threads */
	int64_t warps, active_warps, regular_warps;
	bool tail;                       /* the last warp has another number of active threads than the first */
	int64_t tail_first, tail_threads;
};

struct bw_threads bw_threads_of(const struct bw_tile *thread, const struct bw_feature_limits *limits);
/* Where a thread stands in its block, x first. */
static inline void bw_thread_find(const struct bw_threads *threads, int64_t thread, int64_t at[3])
{
	at[0] = thread % threads->in_block[0];
	at[1] = thread / threads->in_block[0] % threads->in_block[1];
	at[2] = thread / (threads->in_block[0] * threads->in_block[1]);
}

/* Goes on to the next thread. */
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

/* Whether it computes the stage. */
static inline bool bw_thread_active(const struct bw_threads *threads, const int64_t at[3])
{
	return at[0] < threads->own[0] && at[1] < threads->own[1] && at[2] < threads->own[2];
}

/* What accesses move: transactions a block, bytes that are used, bytes moved. */
struct bw_traffic {
	double transactions, used, bytes;
};

void bw_traffic_add(struct bw_traffic *to, const struct bw_traffic *more);
double bw_traffic_efficiency(const struct bw_traffic *moved);
/* One access: what is accessed with its strides, where it is stored, and the innermost dimension there. */
struct bw_access {
	const struct bw_strides *strides;
	const struct bw_span *stored; /* what is required of it there, by dimension */
	int innermost;
	const struct bw_stage *stage;      /* that accesses */
	const struct bw_threads *threads;  /* NULL: a single one */
	double times;                      /* that each warp does */
};
/* What a block moves of shared or global memory. */
struct bw_traffic bw_access_traffic(const struct bw_loop_tree *tree, const struct bw_access *access, bool shared, const struct bw_feature_limits *limits);

int bw_stage_number(const struct bw_loop_tree *tree, const struct bw_stage *stage);
bool bw_tile_scalar(const struct bw_tile *tile);
#endif
