/* A loop nest: the placements of Funcs, with everything that follows from them: the levels of the
 * loops, the regions at each level, extents and allocations.
 *
 * Consumers are placed before producers, and the regions of a Func depend on its consumers only. So
 * placing one more Func never changes what is known of the Funcs that are placed already. A nest is
 * therefore a table of references to immutable placed Funcs, and a child state shares all of them
 * but one with its parent (Anderson et al. 2021, section 4: each decision transforms the nest of
 * its parent).
 *
 * A Func has three regions at each level. The required region is what Halide's boxes_required finds
 * at an interior iteration; the iterations that a split adds by rounding up require nothing, since
 * nobody uses their results. The computed region includes the tails of the splits; for an inlined
 * Func it is the region that its calls touch. The allocated region is the size of the storage,
 * which holds everything that is touched. */
#pragma once

#include "nest/placement.h"

/* A level: one iteration of a stage's loops, down to the block loops, the thread loops or a serial
 * loop. A level has the same number in every nest. 0 is the root. */
typedef uint32_t bw_level;
enum { BW_LEVEL_ROOT = 0 };
bw_level bw_level_make(int func, int stage, enum bw_role role, int serial);
int bw_level_func(bw_level level);
int bw_level_stage(bw_level level);
enum bw_role bw_level_role(bw_level level);
int bw_level_serial(bw_level level);
/* Returns the level of a site; BW_LEVEL_ROOT if the site is not in a loop of another Func. */
bw_level bw_level_of_site(const struct bw_site *site);

/* Stands for a bound that is not known. It lies far beyond any coordinate, and the extent between
 * two such bounds still fits into 64 bits. Only inlined Funcs, and what depends on them, can have
 * such bounds. */
#define BW_NO_BOUND ((int64_t)1 << 61)

/* The region of a Func at a level: what one iteration of all loops outside of the level needs.
 * Boxes have n_dims intervals. */
struct bw_region {
	bw_level level;
	/* the whole Func is computed inside this level; not so for most Funcs inlined into two
	 * consumers */
	bool whole;
	const struct bw_interval *required;
	const struct bw_interval *computed;
};

/* One level of a stage's own loops. */
struct bw_own_level {
	bw_level level;
	int piece; /* index in the plan of the innermost loop of the level */
	/* by loop of the stage: what one interior iteration covers down to here */
	const struct bw_interval *loops;
	double iterations; /* iterations of the loops between the next level outside and this one */
};

struct bw_placed_stage {
	int n_loops;
	const int64_t *extents;    /* by loop of the plan, outermost first: iterations of the piece */
	const enum bw_tail *tails; /* by loop of the plan: the tail that is used; AUTO is resolved */
	int n_levels;
	/* outermost first, as far as they exist: block, thread, serial 0, 1, ... */
	const struct bw_own_level *levels;
	/* extents of the grid, x first; 1 if there is no such block loop. Loops beyond the third
	 * are fused into z. */
	int64_t blocks[3];
	/* extents of the thread loops that are launched, x first; 1 if there is no such loop */
	int64_t threads[3];
	/* threads per block that Halide launches for them. More than `threads` if the stage has
	 * more iterations in a block that begins at another place. */
	int64_t launched[3];
	/* by loop of the stage: the most iterations in such a block; 0 if there is no such block.
	 * NULL if no launch depends on it. */
	int64_t *elsewhere;
	/* iterations of the stage's loops, tails included, each time that it runs at its site */
	double points;
	int64_t serial; /* iterations per thread of the serial, unrolled and vector loops */
	/* iterations of one pass through the unrolled loops and vectors, which are the innermost ones */
	int64_t unrolled;
	/* bit i is set if loop i of the plan is a whole serial loop that is unrolled, because its
	 * extent is constant and small enough (section 4.7) */
	uint64_t unrolls;
};

/* The largest number of calls that is counted. A long chain that is inlined as a whole makes more
 * calls than a double can hold, and its cost must stay a number. */
#define BW_MOST_CALLS 1e100

/* How much Halide can prove of an extent at compile time (nest/proof.h). */
enum bw_proof {
	BW_PROOF_NONE,    /* nothing: the extent fits neither registers nor an unrolled loop */
	BW_PROOF_RUN,     /* nothing, but the extent is known at run time: the largest one is launched */
	BW_PROOF_BLOCKS,  /* as BW_PROOF_RUN, and the extent is the same number in all blocks */
	BW_PROOF_BOUND,   /* a constant bound, which holds at every iteration */
	BW_PROOF_CONSTANT /* one number at every iteration, wherever the output begins */
};

/* A placed Func. Immutable, reference counted; nests that share placed Funcs belong to one thread. */
struct bw_placed {
	int references;
	uint64_t hash;
	/* a hash of all fields, and unless the Func is at root also of its consumers and hosts:
	 * placed Funcs of equal content are equal, whatever their nests */
	uint64_t content;
	size_t size; /* bytes that this struct and its arrays take */
	const struct bw_placement *placement;
	/* the stage at root in whose kernel it is computed; -1 if it is inlined or at root
	 * itself */
	int kernel_func, kernel_stage;
	/* levels of other Funcs' loops around where it is computed and where it is stored; 0 at
	 * root and if inlined */
	int depth, store_depth;
	int n_regions;
	/* at its site and every level outside of it, root last; if inlined, at all levels of its
	 * consumers */
	const struct bw_region *regions;
	int n_dims;
	const int64_t *growth; /* by dimension: points that RoundUp adds to the required region */
	/* by dimension: elements of the allocation, the most of any iteration; NULL if inlined */
	const int64_t *allocated;
	double bytes; /* of one allocation, all components of the value included */
	/* of the allocated extents; if inlined, CONSTANT if all its consumers have that */
	enum bw_proof proof;
	/* the memory that is used; AUTO is resolved: global at root, shared at a block, registers
	 * in a thread */
	enum bw_memory memory;
	/* how often its site is reached in the whole pipeline, in all blocks and threads */
	double realizations;
	/* points of its region at root, each computed once; 0 if the region has no bound */
	double minimum_points;
	/* points that are computed in all, without the idle iterations of tails; if inlined, one
	 * per call */
	double points;
	/* share (0..1) of its computations that are left when the compiler has merged equal ones. Below 1 for a
	 * Func in registers inside of unrolled loops, whose iterations need some points in common. */
	double computed_once;
	/* the classes of points (nest/parity.h), a bit each, that need it, of the stage in the copies of
	 * whose body it is computed */
	uint64_t classes;
	bool realigned; /* its region has another size where it begins elsewhere, because it or a reader is
			   aligned */
	double
	    needed; /* share (0..1) of its realizations that the compiler keeps because a point of these
		       classes needs them */
	/* the only stage that reads it, directly or through inlined Funcs; -1 if there are several
	 * or none */
	int sole_func, sole_stage;
	/* a predicate reads it, directly or through inlined Funcs, at a place that no loop of its stage decides
	 */
	bool conditional;
	/* if inlined: calls per point of the stages that it is inlined into, summed over them; at
	 * most BW_MOST_CALLS */
	double calls;
	/* by thread loop of the host that runs it, x first: the first dimension of it that the loop moves, and
	 * how far from a thread to the next, taken for that of the loop where it is not known. -1: it moves
	 * none, or the Func is in no threads of a host */
	struct {
		int dim;
		int64_t far;
	} along[3];
	const struct bw_placed_stage *stages; /* as many as the placement has stages */
};

struct bw_nest_facts;

struct bw_nest {
	int references;
	const struct bw_pipeline *pipeline;
	const struct bw_nest_facts *facts; /* what follows from the pipeline alone; shared */
	bool unstaged; /* staging in registers is switched off (nest/staging.h) */
	uint64_t hash; /* the sum of a hash of each placement: equal schedules have equal hashes */
	int n_placed;
	const struct bw_placed **placed; /* by Func; NULL for inputs and Funcs that are not placed yet */
};

/* Returns the order in which Funcs are placed, consumers first, without inputs, and sets *n_order
 * to its length. The caller frees it with free(). */
int *bw_nest_order(const struct bw_pipeline *pipeline, int *n_order);

struct bw_nest *bw_nest_new(const struct bw_pipeline *pipeline);
struct bw_nest *bw_nest_keep(struct bw_nest *nest);
void bw_nest_drop(struct bw_nest *nest);
/* Declares a reference that is dropped when its block is left. */
#define BW_SCOPED_NEST BW_SCOPED(bw_nest_end) struct bw_nest
static inline void bw_nest_end(struct bw_nest **nest)
{
	bw_nest_drop(*nest);
}
/* Returns a nest with one more Func placed. All its consumers must be placed in `nest`. Returns
 * NULL with an error that names the Func and the rule if the placement is not possible: its site
 * does not exist or does not enclose every consumer, its region is unbounded at another site than
 * root, a tail is not legal, or the plan does not fit the loops of the stage. */
struct bw_nest *bw_nest_place(const struct bw_nest *nest, const struct bw_placement *placement,
			      struct bw_error *error);
/* Places a Func as bw_nest_place does, without making a nest. The caller releases the result with
 * bw_placed_release. `before` is the same Func as it was placed in this nest earlier, or NULL;
 * results for the same sites are taken from it, or from the Func in the nest, if that was placed
 * with its present consumers. */
const struct bw_placed *bw_nest_try(const struct bw_nest *nest, const struct bw_placement *placement,
				    const struct bw_placed *before, struct bw_error *error);
const struct bw_placed *bw_placed_keep(const struct bw_placed *placed);
void bw_placed_release(const struct bw_placed *placed);
/* Returns a key of a placement in a nest. Equal keys mean that bw_nest_try gives the same result. */
uint64_t bw_nest_key(const struct bw_nest *nest, const struct bw_placement *placement);
/* Returns a hash of the region required of a Func at root. Nests of equal hashes have the same loops for each
 * placement there. */
uint64_t bw_nest_loops_hash(const struct bw_nest *nest, int func);
/* Returns true if two placed Funcs are equal in every field. */
bool bw_placed_equal(const struct bw_pipeline *pipeline, const struct bw_placed *a,
		     const struct bw_placed *b);
/* Replaces the placed Func at `func` by `placed`, which may be NULL, and takes a reference to it. The nest
 * must be one that nobody else holds yet. */
void bw_nest_set(struct bw_nest *nest, int func, const struct bw_placed *placed);
/* Returns a copy with the same placed Funcs, which may be shared. */
struct bw_nest *bw_nest_copy(const struct bw_nest *nest);
/* Places all n placements of a schedule (struct bw_schedule.placements) in order. Returns NULL with
 * an error at the first that is not possible. Funcs that are not mentioned stay unplaced, with
 * everything that they read. */
struct bw_nest *bw_nest_build(const struct bw_pipeline *pipeline,
			      const struct bw_placement *const *placements, int n, struct bw_error *error);
/* Returns a hash of the structure of a nest down to a depth (Anderson et al. 2021, section 3.1 and
 * figure 3). Depth 0 tells which Funcs have kernels of their own, depth 1 also what is computed and
 * stored inside blocks, depth 2 inside threads, and so on down the serial loops. Loops above the
 * depth count with their extents; loops at the depth only by whether they iterate more than once,
 * as in the coarsest steps of Halide's hash. Inlined Funcs and everything deeper do not count. The
 * hash is the sum of bw_placed_structure over all placed Funcs; that is 0 for NULL. */
uint64_t bw_nest_structure(const struct bw_nest *nest, int depth);
uint64_t bw_placed_structure(const struct bw_placed *placed, int depth);
/* Returns true if a Func is placed, and inlined. */
static inline bool bw_is_inlined(const struct bw_nest *nest, int func)
{
	return nest->placed[func] && nest->placed[func]->placement->compute.kind == BW_SITE_INLINE;
}
/* Returns true if every Func is placed, and none is left untiled. */
bool bw_nest_complete(const struct bw_nest *nest);

/* Returns true if a Func reads nothing out of bounds although this placement aligns it. */
bool bw_nest_may_align(const struct bw_nest *nest, const struct bw_placement *placement);
/* Writes the sites where a Func could be computed, outermost first: the innermost level that
 * encloses all its consumers, and each level outside of it. Writes at most `most` of them, and
 * returns how many there are. */
int bw_nest_sites(const struct bw_nest *nest, int func, struct bw_site *sites, int most);
/* Finds the region that is required of a Func at a level, which must be the root or one that
 * bw_nest_sites gives. Returns false if it is unbounded. */
bool bw_nest_required(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box);
/* Returns true if a site lies inside thread loops, so that each thread has a Func there for itself, or the
 * lanes of each warp share one. A kernel without block loops is a single thread. */
bool bw_nest_inside_threads(const struct bw_nest *nest, const struct bw_site *site);
/* Widens a box of n dimensions so that it holds `more`. With `first`, sets it to `more`. */
void bw_box_include(struct bw_interval *box, const struct bw_interval *more, int n, bool first);
/* Returns the number of points of a box of n dimensions; 1 if n is 0. */
double bw_box_points(const struct bw_interval *box, int n);
/* Finds the box that is computed if `required` is required: a Func's updates may need more. Returns false if
 * a bound is not known. */
bool bw_computed_box(const struct bw_func *func, const struct bw_interval *required,
		     struct bw_interval *computed);
/* Finds the computed box (bw_computed_box) for a placement, which may align it. */
bool bw_placement_box(const struct bw_func *func, const struct bw_placement *placement,
		      const struct bw_interval *required, struct bw_interval *computed);
/* Finds the intervals of a stage's loops when this box of its Func is computed. Returns false if a
 * bound is not known; it is BW_NO_BOUND then. */
bool bw_stage_loops_of(const struct bw_stage *stage, const struct bw_interval *computed,
		       struct bw_interval *loops);
/* Finds the box that a read requires over these loops. Returns false if a bound is not known; it is
 * BW_NO_BOUND then. */
bool bw_read_box(const struct bw_read *read, int n_dims, const struct bw_interval *loops,
		 struct bw_interval *box);
/* Returns true if one of the loops of a plan runs over the lanes of a warp. */
bool bw_stage_has_lanes(const struct bw_stage_plan *plan);
/* Returns true if loop `piece` of a stage's plan is a thread loop of the launch. A thread loop of one
 * iteration takes no dimension of the block from the others, as in schedules of Halide's
 * anderson2021: it becomes a serial loop, unless the stage has no other thread loop, or has lanes. */
bool bw_stage_launches(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece);
/* Returns the product of the extents of the pieces of a loop from position `from` of the plan
 * on. */
int64_t bw_stage_inside(const struct bw_stage_plan *plan, int loop, int from);
/* Returns true if loop `piece` of a stage's plan is unrolled, because the plan says so or because
 * it is small enough (section 4.7). */
bool bw_stage_unrolls(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece);
/* Returns the kind of loop that `piece` of a stage's plan becomes in the code: a serial loop that is
 * unrolled becomes an unrolled one. */
enum bw_loop_kind bw_stage_loop_kind(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed,
				     int piece);
/* Returns true if the iterations of loop `piece` have code of their own: it is unrolled, or a vector. */
bool bw_stage_copies(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece);
/* Returns true if a guarded loop of a plan is split innermost first, each split with a guard of its
 * own. The iterations are the same. That is done if one of more than two pieces is a serial loop:
 * split outermost first, such a loop has a single guard, which Halide 14 loses when it partitions
 * loops whose extent is a max() of bounds (that of a Func read under a clamp, for example), so that
 * it writes the tail past the end. */
bool bw_stage_splits_outwards(const struct bw_stage_plan *plan, int loop);
/* Returns the multiple to which the rows of a Func's storage are padded: the lanes that keep it together,
 * if it has more than one row; else 1. */
int64_t bw_placed_aligned(const struct bw_func *func, const struct bw_placed *placed);
/* Returns the region of a placed Func at a level; NULL if it has none there. */
const struct bw_region *bw_placed_region(const struct bw_placed *placed, bw_level level);

/* A kernel: one stage of a Func at root with everything that is fused into it. */
struct bw_kernel {
	int func, stage;
	/* the grid; the block: in each dimension the most that any stage inside needs */
	int64_t blocks[3], threads[3];
	double n_blocks;
	int64_t n_threads; /* per block */
	/* per block. Allocations share memory as in Halide, if the last read of one comes before
	 * the first write of the other. */
	int64_t shared_bytes;
	int64_t register_bytes; /* per thread, in registers and on the stack */
	bool constant;          /* all allocations in shared memory and registers have a constant size */
	int n_members;
	const int *members; /* Funcs that are computed inside, without inlined ones, hosts first */
	/* by member: the bytes, a power of two up to BW_VECTOR_BYTES, that divide where its allocations in
	 * shared memory begin; 0 if that is known at run time only, since a size in front of it is. NULL if
	 * nothing is in shared memory. */
	const unsigned char *aligned;
};
enum { BW_VECTOR_BYTES = 16 }; /* the most that a thread loads at once */

/* Lists the Funcs that are computed in the kernel of one stage of a placed Func at root, hosts
 * first. Returns how many. The arena owns the list. */
int bw_nest_members(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		    const int **members);
/* Returns the kernel of one stage of a placed Func at root. The arena owns its members. */
struct bw_kernel bw_nest_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* Returns the most bytes that a thread of a kernel stages (nest/staging.h) in one run through its
 * loops. Registers are free again when the loops end, so loops that run one after the other do not
 * add up. */
int64_t bw_kernel_staged_bytes(const struct bw_nest *nest, const struct bw_kernel *kernel,
			       struct bw_arena *arena);
/* Returns the lanes that have work as a share (0..1) of the lanes of all warps that have any.
 * `threads` are a stage's, x first; `block` is at least as large; `warp` is the number of threads
 * per warp. */
double bw_busy_lanes(const int64_t block[3], const int64_t threads[3], int64_t warp);
/* Returns the place of a Func in the order in which Halide computes the Funcs that share a loop. */
int bw_nest_realized(const struct bw_nest *nest, int func);
/* Returns the kernels of a nest in order of launch, producers first; none of an undefined stage. The arena
 * owns them. */
struct bw_kernel *bw_nest_kernels(const struct bw_nest *nest, struct bw_arena *arena, int *n_kernels);

/* Regions that one block of a kernel needs, and how much of them its neighbours need, too. */

/* The region of a Func that an interior block of a kernel needs. */
struct bw_block_region {
	int n_dims;
	/* the region that the block computes; for a Func that the kernel only reads, the region required
	 * of it */
	struct bw_interval box[BW_MAX_DIMS];
	/* by dimension: points from this region to that of the next block; 0: every block needs the
	 * same region */
	int64_t step[BW_MAX_DIMS];
};

/* Finds the region of `func` in a kernel, given as stage `stage` of the Func `kernel` at root.
 * Returns false if the kernel does not need `func`, or needs it without a bound. */
bool bw_block_region_of(const struct bw_nest *nest, int kernel, int stage, int func,
		     struct bw_block_region *region);
/* Returns the points of a Func that are computed in all, without the idle iterations of tails: its own, or if
 * it is inlined those of the stages that call it. bw_placed.points counts an inlined Func's calls in idle
 * iterations, too. 0: it is not placed. */
double bw_busy_points(const struct bw_nest *nest, int func);
/* Returns the share (0..1) of a block's region that neighbouring blocks need, too. */
double bw_block_shared(const struct bw_block_region *region);
