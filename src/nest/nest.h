/* A loop nest: placements of Funcs, consumers first, with everything that follows from them: the levels of
 * the loops, the regions at each level, extents, allocations. A Func's regions depend on its consumers only,
 * and consumers are placed before producers; so placing one more Func never changes what is known of those
 * already placed. A nest is therefore a table of references to immutable placed Funcs: a child state shares
 * all of its parent's but one (Anderson et al. 2021, section 4, where each decision transforms the nest of
 * its parent).
 *
 * Three regions are kept apart. Required: what Halide's boxes_required says at an interior iteration; further
 * in, what a split rounds up is not required of others, and reads garbage there that nobody uses. Computed:
 * after the tails of the splits; of an inlined Func, what its calls touch. Allocated: what the storage takes,
 * with all that is touched. */
#ifndef BW_NEST_NEST_H
#define BW_NEST_NEST_H
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "nest/placement.h"

/* A level: an iteration of some stage's loops down to a role, identified the same way in every nest. 0 is the
 * root. */
typedef uint32_t bw_level;
enum { BW_LEVEL_ROOT = 0 };
bw_level bw_level_make(int func, int stage, enum bw_role role, int serial);
int bw_level_func(bw_level level);
int bw_level_stage(bw_level level);
enum bw_role bw_level_role(bw_level level);
int bw_level_serial(bw_level level);
/* The level that a site stands for; the root where it is none of a host's. */
bw_level bw_level_of_site(const struct bw_site *site);

/* In place of a bound that is not known: far beyond any coordinate, and the extent between two of them still
 * fits. Only regions of inlined Funcs, and what depends on them, can have such bounds. */
#define BW_NO_BOUND ((int64_t)1 << 61)

/* The region of a Func at a level: for one iteration of everything outside of it. Boxes are n_dims intervals.
 */
struct bw_region {
	bw_level level;
	bool whole; /* all that is computed of it lies inside this level; inlined into two consumers it may not */
	const struct bw_interval *required;
	const struct bw_interval *computed;
};

/* What one level of a stage's own loops looks like. */
struct bw_own_level {
	bw_level level;
	int piece;                       /* index in the plan of the innermost loop of the level */
	const struct bw_interval
	    *loops; /* one a loop of the stage: what one (interior) iteration down to here covers */
	double iterations;               /* iterations of the loops from the one level outside to here */
};

struct bw_placed_stage {
	int n_loops;
	const int64_t *extents;  /* one a loop of the plan, outermost first: iterations of the piece */
	const enum bw_tail *tails; /* one a loop of the plan: what AUTO became */
	int n_levels;
	const struct bw_own_level
	    *levels;       /* outermost first: block, thread, serial 0, serial 1, ... those that there are */
	int64_t blocks[3]; /* extents of the grid, x first; 1 where there is no block loop. Loops beyond the
			      third are fused into z */
	int64_t threads[3];  /* extents of the thread loops, x first; 1 where there are none */
	int64_t launched[3]; /* threads of a block that Halide launches for them: more where the stage's part
				of a block would be larger did the block begin elsewhere */
	int64_t *elsewhere;  /* by loop of the stage: the most iterations that it has in those blocks, 0 where
				there is none to look at; NULL: nobody asks */
	double points;       /* iterations of the stage's loops each time that it runs at its site, tails included */
	int64_t serial;      /* iterations of serial, unrolled and vector loops within a thread */
	int64_t unrolled;    /* iterations of one pass through the unrolled loops: the innermost ones */
	uint64_t unrolls;    /* bit i: loop i of the plan is whole and serial, and is unrolled: constant and
				small enough (section 4.7) */
};

/* More calls than these are taken for as many: a long chain that is inlined as a whole makes more than a
 * double can count, and its cost is to stay a number. */
#define BW_MOST_CALLS 1e100

/* What Halide can prove of an extent when it compiles (nest/proof.h). */
enum bw_proof {
	BW_PROOF_NONE,   /* nothing: it fits neither registers nor an unrolled loop */
	BW_PROOF_RUN,    /* nothing, but it has an extent when it runs: shared memory and threads are launched
			    for the largest */
	BW_PROOF_BLOCKS, /* the same, but it is one number in all blocks that there are */
	BW_PROOF_BOUND,  /* a constant bound: the most of any iteration */
	BW_PROOF_CONSTANT /* one number at every iteration, wherever the output begins */
};

/* A placed Func. Immutable, reference counted; nests that share placed Funcs belong to one thread. */
struct bw_placed {
	int references;
	uint64_t hash;
	uint64_t content; /* of all that is said here, and where it is not at root of its consumers and hosts
			     too: equal contents are equal placed Funcs, whatever the nests */
	size_t size;      /* bytes that it takes */
	const struct bw_placement *placement;
	int kernel_func, kernel_stage; /* the stage at root whose kernel it is computed in; -1 where inline or
					  at root itself */
	int depth, store_depth; /* levels of others' loops around where it is computed, and around where it is
				   stored; 0 at root and inline */
	int n_regions;
	const struct bw_region *regions; /* at its site and every level outside of it (root last); inline: at
					    all levels of its consumers */
	int n_dims;
	const int64_t *growth;     /* by dimension: points beyond what is required that RoundUp adds */
	const int64_t *allocated;  /* elements of the allocation by dimension, the most of any iteration; NULL
				      where inline */
	double bytes;              /* of one allocation, all components */
	enum bw_proof proof;       /* of the allocated extents; inline: CONSTANT where all that reads it has that */
	enum bw_memory memory;     /* what AUTO became: global at root, shared at a block, registers in a thread */
	double realizations;       /* times that its site is reached in the whole pipeline, all blocks and threads */
	double minimum_points;     /* points of its region at root: computed once each; 0 where it has no bound */
	double points; /* points of it that are computed in all, the idle iterations of tails not among them;
			  inline: each call counted */
	int sole_func, sole_stage; /* the only stage that reads it, directly or through what is inlined; -1:
				      several do, or none */
	double calls; /* inline: calls for a point of the stages that it is inlined into, of all these
			 together; at most BW_MOST_CALLS */
	const struct bw_placed_stage *stages; /* as many as the placement has */
};

struct bw_nest_facts;
struct bw_rooted;

struct bw_nest {
	int references;
	const struct bw_pipeline *pipeline;
	const struct bw_nest_facts
	    *facts;    /* what follows from the pipeline alone, shared by all nests made from one */
	bool unstaged; /* nothing is staged in registers (nest/staging.h) */
	uint64_t hash; /* of all placements, a sum of what each adds: equal schedules have equal hashes */
	int n_placed;
	const struct bw_placed **placed; /* index: Func; NULL: not placed yet, and for inputs */
	int lent; /* the Func that a nest to try in is for; -1: it is no such nest. One keeps nothing of what
		     it has */
	int *first_member; /* by stage of the pipeline: the first Func computed in its kernel, -1: none; NULL
			      but for a nest to try in */
	int *next_member;  /* by Func: the next one in the same kernel, of lower index; -1: none */
	struct bw_rooted **rooted; /* what is required at root, as far as that was asked for; NULL but for a
				      nest to try in */
};

/* The order in which Funcs are placed: consumers first, n_order of them, without inputs. Owned by the caller
 * (free()). */
int *bw_nest_order(const struct bw_pipeline *pipeline, int *n_order);

struct bw_nest *bw_nest_new(const struct bw_pipeline *pipeline);
struct bw_nest *bw_nest_keep(struct bw_nest *nest);
void bw_nest_drop(struct bw_nest *nest);
/* A nest with one more Func placed; all its consumers must be placed in `nest`. NULL where the placement
 * cannot be: the site does not exist, does not enclose every consumer, an unbounded region at another site
 * than root, a tail that is not legal, a plan that does not fit the stage's loops. The error names the Func
 * and the rule. */
struct bw_nest *bw_nest_place(const struct bw_nest *nest, const struct bw_placement *placement,
			      struct bw_error *error);
/* The same in two steps. A Func placed as bw_nest_place would; the caller's, to be given back with _release.
 * Where the nest has the Func, that is with the consumers that it has now; before: the same Func as it was
 * tried in this nest before, NULL: it was not. What these have at the same sites is not found again. */
const struct bw_placed *bw_nest_try(const struct bw_nest *nest, const struct bw_placement *placement,
				    const struct bw_placed *before, struct bw_error *error);
const struct bw_placed *bw_placed_keep(const struct bw_placed *placed);
void bw_placed_release(const struct bw_placed *placed);
/* What placing a Func depends on, for all its placements at sites of a kind. */
struct bw_nest_contexts {
	uint64_t all;
	uint64_t loops; /* at root without what its allocation alone follows from, which tells kernels apart
			   that are launched alike; elsewhere the same */
};
struct bw_nest_contexts bw_nest_context(const struct bw_nest *nest, int func, enum bw_site_kind kind);
/* The key of a placement: the same in all nests where bw_nest_try would make the same of it; or, with the
 * context of its loops, the same loops. */
uint64_t bw_nest_key(const struct bw_nest *nest, const struct bw_placement *placement, uint64_t context);
/* Whether all is the same, to the bit. */
bool bw_placed_equal(const struct bw_pipeline *pipeline, const struct bw_placed *a,
		     const struct bw_placed *b);
/* A nest with the same placed Funcs that is not shared, to try one placement of a Func after the other in:
 * bw_nest_set puts that Func as it is placed, or NULL, in place of what stood there. It keeps neither that
 * nor what the nest has: the caller sees to it that these stay. So what it costs to place a Func does not
 * depend on how many there are, and threads that try things in nests which have placed Funcs in common write
 * to none of these. */
struct bw_nest *bw_nest_scratch(const struct bw_nest *nest, int func);
/* The same of a new nest that nobody else has yet: that keeps it. */
void bw_nest_set(struct bw_nest *nest, int func, const struct bw_placed *placed);
/* A nest with the same placed Funcs, to be shared. */
struct bw_nest *bw_nest_copy(const struct bw_nest *nest);
/* All placements of a schedule (struct bw_schedule.placements, n of them), placed in order; stops with an
 * error at the first that cannot be. Unmentioned Funcs stay unplaced together with everything that they read.
 */
struct bw_nest *bw_nest_build(const struct bw_pipeline *pipeline,
			      const struct bw_placement *const *placements, int n, struct bw_error *error);
/* A hash of the nest's structure to a depth (Anderson et al. 2021, section 3.1 and figure 3): depth 0 takes
 * in which Funcs have kernels of their own, 1 also what is computed and stored inside blocks, 2 inside
 * threads, and so on down the serial loops. Loops above that depth count with their extents, those at it only
 * by whether they iterate more than once, as Halide's hash has it in its coarsest steps. What is inlined and
 * what lies deeper counts for nothing. It is a sum: what each placed Func adds is said by bw_placed_structure
 * (0 for NULL). */
uint64_t bw_nest_structure(const struct bw_nest *nest, int depth);
uint64_t bw_placed_structure(const struct bw_placed *placed, int depth);
/* What a placed Func adds to structures of all depths, without the rest of it. */
struct bw_outline {
	bool sited; /* false: it is inlined, or not placed, and adds nothing */
	struct bw_sited {
		int func;
		int depth, store_depth;      /* levels of loops around its sites */
		bw_level level, store_level; /* of these */
	} at;
	int n; /* pieces of its loops that are levels or outside of one */
	struct bw_outlined {
		int64_t extent;
		uint16_t depth; /* of the level that it is part of */
		uint16_t stage, loop, kind;
	} pieces[];
};
/* The most bytes of one of a placed Func, NULL: of none. */
size_t bw_outline_bytes(const struct bw_placed *placed);
void bw_outline_fill(const struct bw_placed *placed, struct bw_outline *outline);
/* As bw_placed_structure. */
uint64_t bw_outline_structure(const struct bw_outline *outline, int depth);
/* Whether every Func is placed (and tiled). */
bool bw_nest_complete(const struct bw_nest *nest);

/* Levels where a Func could be computed: the innermost that enclose all its consumers and each level outside
 * of those, outermost first. Returns how many; writes at most `most`. */
int bw_nest_sites(const struct bw_nest *nest, int func, struct bw_site *sites, int most);
/* Its required region if it were computed at this level (a level that bw_nest_sites gives, or root). False
 * where unbounded. */
bool bw_nest_required(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box);
/* Whether a site lies inside thread loops: there a Func is a thread's own. A kernel without block loops is a
 * single thread. */
bool bw_nest_inside_threads(const struct bw_nest *nest, const struct bw_site *site);
/* Widens a box of n dimensions so that it holds another, or makes it that one where it is the first. */
void bw_box_include(struct bw_interval *box, const struct bw_interval *more, int n, bool first);
/* Points of a box of n dimensions; 1 where n is 0. */
double bw_box_points(const struct bw_interval *box, int n);
/* Finds the box that is computed if `required` is required: a Func's updates may need more. Returns false if
 * a bound is not known. */
bool bw_computed_box(const struct bw_func *func, const struct bw_interval *required,
		     struct bw_interval *computed);
/* The intervals of a stage's loops where this box of its Func is computed. False where a bound is not known:
 * it is BW_NO_BOUND then. */
bool bw_stage_loops_of(const struct bw_stage *stage, const struct bw_interval *computed,
		       struct bw_interval *loops);
/* The box that a read requires over these loops. False where a bound is not known: it is BW_NO_BOUND then. */
bool bw_read_box(const struct bw_read *read, int n_dims, const struct bw_interval *loops,
		 struct bw_interval *box);
/* Whether loop `piece` of a stage's plan is unrolled: the plan says so, or it is small enough (section 4.7).
 */
bool bw_stage_unrolls(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece);
/* Returns true if a guarded loop of a plan is split innermost first, each split with a guard of its own, for
 * the same iterations: if one of more than two pieces is a serial loop. The single guard of an outermost
 * split around a serial loop made of its inner half is lost when Halide 14 partitions loops whose extent is a
 * max() of bounds, such as that of a Func read under a clamp: it would then write the tail past the end. */
bool bw_stage_splits_outwards(const struct bw_stage_plan *plan, int loop);
/* The region of a placed Func at a level, NULL if it has none there. */
const struct bw_region *bw_placed_region(const struct bw_placed *placed, bw_level level);

/* A kernel: one stage of a Func at root with all that is fused into it. */
struct bw_kernel {
	int func, stage;
	int64_t blocks[3], threads[3]; /* grid; block: the most that any stage inside needs, in each dimension */
	double n_blocks;
	int64_t n_threads;             /* of a block */
	int64_t shared_bytes; /* a block: its allocations, laid over each other as Halide does where one is
				 read no more before another is there */
	int64_t register_bytes;        /* a thread: allocations in registers and on the stack */
	bool constant;                 /* shared and register allocations have constant size */
	int n_members;
	const int *members;            /* Funcs computed inside, hosts first; not inlined ones */
};

/* The Funcs computed in the kernel of one stage of a placed Func at root, hosts first; how many. Owned by the
 * arena. */
int bw_nest_members(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		    const int **members);
/* The kernel of one stage of a placed Func at root. Members are owned by the arena. */
struct bw_kernel bw_nest_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* The most bytes that a thread of a kernel stages (nest/staging.h) in one run through its loops: what others
 * run before or after holds no register any more. */
int64_t bw_kernel_staged_bytes(const struct bw_nest *nest, const struct bw_kernel *kernel,
			       struct bw_arena *arena);
/* Lanes that have work over all lanes of the warps that have any, where a stage's threads run in a block of
 * at least as many: 0..1. Extents x, y, z; warp: threads of a warp. */
double bw_busy_lanes(const int64_t block[3], const int64_t threads[3], int64_t warp);
/* Returns the place of a Func in the order in which Halide computes those that are computed in the same loop.
 */
int bw_nest_realized(const struct bw_nest *nest, int func);
/* The kernels of a nest, in order of launch (producers first). Owned by the arena. */
struct bw_kernel *bw_nest_kernels(const struct bw_nest *nest, struct bw_arena *arena, int *n_kernels);
#endif
