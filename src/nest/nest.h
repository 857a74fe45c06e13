/* A loop nest: the placements of Funcs, and everything that follows from the placements: the levels of the
 * loops, the regions at each level, extents and allocations.
 *
 * Consumers are placed before producers, and the regions of a Func depend on its consumers only. So
 * placing one more Func never changes what is known about Funcs that are already placed. A nest is
 * therefore a table of references to immutable placed Funcs. A child state shares all of these Funcs but
 * one with its parent (Anderson et al. 2021, section 4: each decision transforms the nest of its parent).
 *
 * A Func has three regions at each level. The required region is what Halide's boxes_required finds at an
 * interior iteration. The iterations that a split adds by rounding up do not count: nobody uses their
 * results. The computed region includes the tails of the splits; for an inlined Func it is the region that
 * its calls touch. The allocated region is the size of the storage, which holds every point that is
 * touched. */
#pragma once

#include "nest/placement.h"

/* A level of a stage's loops: one iteration of all its loops from the outermost one down to the block
 * loops, the thread loops or a serial loop. A level has the same number in every nest. 0 is the root. */
typedef uint32_t bw_level;
enum { BW_LEVEL_ROOT = 0 };
bw_level bw_level_make(int func, int stage, enum bw_role role, int serial);
int bw_level_func(bw_level level);
int bw_level_stage(bw_level level);
enum bw_role bw_level_role(bw_level level);
int bw_level_serial(bw_level level);
/* Returns the level of a site; BW_LEVEL_ROOT if the site is not in a loop of another Func. */
bw_level bw_level_of_site(const struct bw_site *site);

/* The value of an unknown bound. It is far beyond any coordinate, but the extent between two unknown
 * bounds still fits into 64 bits. Only inlined Funcs, and regions that depend on inlined Funcs, can have
 * unknown bounds. */
#define BW_NO_BOUND ((int64_t)1 << 61)

/* The region of a Func at a level: what one iteration of all loops outside of the level needs.
 * Boxes have n_dims intervals. */
struct bw_region {
	bw_level level;
	/* the whole Func is computed inside this level; false for most Funcs inlined into two consumers */
	bool whole;
	const struct bw_interval *required;
	const struct bw_interval *computed;
};

/* One level of a stage's own loops. */
struct bw_own_level {
	bw_level level;
	int piece; /* index in the plan of the innermost loop of the level */
	/* by loop of the stage: the interval that one interior iteration of this level covers */
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
	/* extents of the grid, x first; 1 in a dimension without a block loop. Block loops beyond the
	 * third are fused into z. */
	int64_t blocks[3];
	/* extents of the thread loops that are launched, x first; 1 in a dimension without a thread loop */
	int64_t threads[3];
	/* threads per block that Halide launches for this stage, x first. More than `threads` if the stage
	 * has more iterations in a block that begins elsewhere than an interior one. */
	int64_t launched[3];
	/* by loop of the stage: the most iterations in a block that begins elsewhere; 0 if there is no
	 * such block. NULL if no launch depends on where a block begins. */
	int64_t *elsewhere;
	/* iterations of the stage's loops, tails included, each time that it runs at its site */
	double points;
	int64_t serial; /* iterations per thread of the serial, unrolled and vector loops */
	/* iterations of one pass through the unrolled and vector loops, which are the innermost loops */
	int64_t unrolled;
	/* bit i is set if loop i of the plan is a whole serial loop that is unrolled, because its
	 * extent is constant and small enough (section 4.7) */
	uint64_t unrolls;
};

/* The largest number of calls that is counted. A long chain of inlined Funcs can make more calls than a
 * double can hold, but its cost must stay a finite number. */
#define BW_MOST_CALLS 1e100

/* How much Halide can prove of an extent at compile time (nest/proof.h). */
enum bw_proof {
	BW_PROOF_NONE,    /* nothing: neither registers nor an unrolled loop can have this extent */
	BW_PROOF_RUN,     /* nothing at compile time; at run time the largest extent is launched */
	BW_PROOF_BLOCKS,  /* as BW_PROOF_RUN, and the extent is the same number in all blocks */
	BW_PROOF_BOUND,   /* a constant bound, which holds at every iteration */
	BW_PROOF_CONSTANT /* one number at every iteration, wherever the output begins */
};

/* A placed Func. Immutable, reference counted. Nests that share placed Funcs must all be used by the same
 * thread. */
struct bw_placed {
	int references;
	uint64_t hash;
	/* a hash of all fields. Unless the Func is at root, it includes its consumers and hosts. Placed
	 * Funcs with equal content are equal in any two nests. */
	uint64_t content;
	size_t size; /* bytes that this struct and its arrays take */
	const struct bw_placement *placement;
	/* the stage at root in whose kernel the Func is computed; -1 if the Func is inlined or at root */
	int kernel_func, kernel_stage;
	/* number of levels of other Funcs' loops around the compute site and the store site; 0 at root and
	 * if inlined */
	int depth, store_depth;
	int n_regions;
	/* the regions at the compute site and at every level outside of it, root last; if inlined, at all
	 * levels of its consumers */
	const struct bw_region *regions;
	int n_dims;
	const int64_t *growth; /* by dimension: points that RoundUp adds to the required region */
	/* by dimension: elements of the allocation, the most of any iteration; NULL if inlined */
	const int64_t *allocated;
	double bytes; /* bytes of one allocation, with all components of a tuple */
	/* what is proven of the allocated extents; if inlined, CONSTANT if all its consumers are CONSTANT,
	 * else BOUND */
	enum bw_proof proof;
	/* the memory that is used; AUTO is resolved: global at root, shared at a block, registers
	 * in a thread */
	enum bw_memory memory;
	/* number of times that the compute site is reached in the whole pipeline, over all blocks and
	 * threads */
	double realizations;
	/* points of the region at root, each counted once; 0 if the region has no bound */
	double minimum_points;
	/* points that are computed in total, without the idle iterations of tails; if inlined, one per
	 * call */
	double points;
	/* share (0..1) of the Func's computations that remain after the compiler has merged equal ones.
	 * Below 1 for a Func in registers inside of unrolled loops whose iterations need some points in
	 * common. */
	double computed_once;
	/* the classes of points (nest/parity.h) that need the Func, as bits. They are classes of the host
	 * stage in the copies of whose body the Func is computed. */
	uint64_t classes;
	/* the region can have another size in another iteration, because the Func or a reader is aligned */
	bool realigned;
	double
	    /* share (0..1) of the Func's realizations that the compiler keeps because a point of one of
	     * the `classes` needs them */
	    needed;
	/* the only stage that reads it, directly or through inlined Funcs; -1 if there are several
	 * or none */
	int sole_func, sole_stage;
	/* a predicate reads the Func, directly or through inlined Funcs, at coordinates that no loop of
	 * the predicate's stage determines */
	bool conditional;
	/* if inlined: calls per point of the stages that it is inlined into, summed over them; at
	 * most BW_MOST_CALLS */
	double calls;
	/* by thread loop of the host that runs the Func, x first. dim: the first dimension of the Func
	 * that the thread loop moves. far: the distance between neighbouring threads; if unknown, the
	 * distance of the loop is taken. dim is -1 if the loop moves no dimension or the Func is not in a
	 * host's threads. */
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
	const struct bw_nest_facts *facts; /* facts that follow from the pipeline alone; shared */
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
/* Declares a reference that is dropped when the variable's block is left. */
#define BW_SCOPED_NEST BW_SCOPED(bw_nest_end) struct bw_nest
static inline void bw_nest_end(struct bw_nest **nest)
{
	bw_nest_drop(*nest);
}
/* Returns a nest with one more Func placed. All consumers of the Func must be placed in `nest`. Returns
 * NULL with an error that names the Func and the rule if the placement is not possible: its site does not
 * exist or does not enclose every consumer; its region is unbounded and its site is not root; a tail is
 * not legal; or the plan does not fit the loops of the stage. */
struct bw_nest *bw_nest_place(const struct bw_nest *nest, const struct bw_placement *placement,
			      struct bw_error *error);
/* Places a Func as bw_nest_place does, without making a nest. The caller releases the result with
 * bw_placed_release. `before` is an earlier placement of the same Func in this nest, or NULL. Results for
 * the same sites are reused from `before`, or from the Func in the nest if that was placed with its
 * present consumers. */
const struct bw_placed *bw_nest_try(const struct bw_nest *nest, const struct bw_placement *placement,
				    const struct bw_placed *before, struct bw_error *error);
const struct bw_placed *bw_placed_keep(const struct bw_placed *placed);
void bw_placed_release(const struct bw_placed *placed);
/* Returns a key of a placement in a nest. Equal keys mean that bw_nest_try gives the same result. */
uint64_t bw_nest_key(const struct bw_nest *nest, const struct bw_placement *placement);
/* Returns a hash of the region that is required of a Func at root. If two nests have equal hashes, any
 * placement of the Func at root gives the same loops in both. */
uint64_t bw_nest_loops_hash(const struct bw_nest *nest, int func);
/* Returns true if two placed Funcs are equal in every field. */
bool bw_placed_equal(const struct bw_pipeline *pipeline, const struct bw_placed *a,
		     const struct bw_placed *b);
/* Replaces the placed Func at index `func` by `placed`, which may be NULL, and adds a reference to
 * `placed`. Nobody else may hold a reference to the nest yet. */
void bw_nest_set(struct bw_nest *nest, int func, const struct bw_placed *placed);
/* Returns a copy of a nest, which may be shared. The copy refers to the same placed Funcs. */
struct bw_nest *bw_nest_copy(const struct bw_nest *nest);
/* Places all n placements of a schedule (struct bw_schedule.placements) in order. Returns NULL with an
 * error at the first impossible one. Funcs without a placement stay unplaced, and so does everything that
 * they read. */
struct bw_nest *bw_nest_build(const struct bw_pipeline *pipeline,
			      const struct bw_placement *const *placements, int n, struct bw_error *error);
/* Returns a hash of the structure of a nest down to a depth (Anderson et al. 2021, section 3.1 and figure
 * 3). Depth 0 covers which Funcs have kernels of their own; depth 1 also what is computed and stored
 * inside blocks; depth 2 inside threads; and so on down the serial loops. Loops above the depth enter the
 * hash with their extents. Loops at the depth enter it only with whether they have more than one
 * iteration, as in the coarsest steps of Halide's hash. Inlined Funcs and everything deeper are left out.
 * The hash is the sum of bw_placed_structure over all placed Funcs; bw_placed_structure is 0 for NULL. */
uint64_t bw_nest_structure(const struct bw_nest *nest, int depth);
uint64_t bw_placed_structure(const struct bw_placed *placed, int depth);
/* Returns true if a Func is placed and its placement is inline. */
static inline bool bw_is_inlined(const struct bw_nest *nest, int func)
{
	return nest->placed[func] && nest->placed[func]->placement->compute.kind == BW_SITE_INLINE;
}
/* Returns true if every Func is placed, and every one has its tiling. */
bool bw_nest_complete(const struct bw_nest *nest);

/* Returns true if the alignment of this placement does not make the Func read out of bounds. */
bool bw_nest_may_align(const struct bw_nest *nest, const struct bw_placement *placement);
/* Writes the sites where a Func could be computed, outermost first: the innermost level that encloses all
 * its consumers, and each level outside of this one. Writes at most `most` sites. Returns the number of
 * sites that exist. */
int bw_nest_sites(const struct bw_nest *nest, int func, struct bw_site *sites, int most);
/* Finds the region that is required of a Func at a level. The level must be the root or one from
 * bw_nest_sites. Returns false if the region is unbounded. */
bool bw_nest_required(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box);
/* Returns true if a site is inside thread loops. A Func at such a site is private to each thread, or
 * shared by the lanes of a warp. A kernel without block loops is a single thread. */
bool bw_nest_inside_threads(const struct bw_nest *nest, const struct bw_site *site);
/* Widens a box of n dimensions so that it contains `more`. If `first` is true, sets the box to `more`. */
void bw_box_include(struct bw_interval *box, const struct bw_interval *more, int n, bool first);
/* Returns the number of points of a box of n dimensions; 1 if n is 0. */
double bw_box_points(const struct bw_interval *box, int n);
/* Finds the box that Halide computes if `required` is required of a Func. It is larger if the Func's
 * updates need more. Returns false if a bound is not known. */
bool bw_computed_box(const struct bw_func *func, const struct bw_interval *required,
		     struct bw_interval *computed);
/* Finds the computed box (bw_computed_box) for a placement, whose alignment may enlarge the box. */
bool bw_placement_box(const struct bw_func *func, const struct bw_placement *placement,
		      const struct bw_interval *required, struct bw_interval *computed);
/* Finds the intervals of a stage's loops if the box `computed` of its Func is computed. Returns false if a
 * bound is not known, and sets that bound to BW_NO_BOUND. */
bool bw_stage_loops_of(const struct bw_stage *stage, const struct bw_interval *computed,
		       struct bw_interval *loops);
/* Finds the box that a read requires of its producer over the given loop intervals. Returns false if a
 * bound is not known, and sets that bound to BW_NO_BOUND. */
bool bw_read_box(const struct bw_read *read, int n_dims, const struct bw_interval *loops,
		 struct bw_interval *box);
/* Returns true if one of the loops of a plan runs over the lanes of a warp. */
bool bw_stage_has_lanes(const struct bw_stage_plan *plan);
/* Returns true if loop `piece` of a stage's plan takes a thread dimension of the launch. A thread loop of
 * one iteration takes none: it becomes a serial loop, as in schedules of Halide's anderson2021, unless the
 * stage has no other thread loop, or has lanes. */
bool bw_stage_launches(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece);
/* Returns the product of the extents of those pieces of a loop that are at position `from` of the plan or
 * further inside. */
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
/* Returns true if a guarded loop of a plan is split from the inside out, so that each split has a guard of
 * its own. The iterations are the same as otherwise. This is done if the loop has more than two pieces and
 * one of them is serial. If such a loop were split from the outside in, it would have a single guard.
 * Halide 14 loses that guard when it partitions loops whose extent is a max() of bounds (for example, the
 * extent of a Func read under a clamp), and then writes the tail past the end. */
bool bw_stage_splits_outwards(const struct bw_stage_plan *plan, int loop);
/* Returns the number to whose multiples the rows of a Func's storage are padded: the number of lanes if
 * lanes store the Func and it has more than one row; else 1. */
int64_t bw_placed_aligned(const struct bw_func *func, const struct bw_placed *placed);
/* Returns the region of a placed Func at a level; NULL if it has none there. */
const struct bw_region *bw_placed_region(const struct bw_placed *placed, bw_level level);

/* A kernel: one stage of a Func at root, with all Funcs that are fused into it. */
struct bw_kernel {
	int func, stage;
	/* blocks: the grid. threads: the block, in each dimension the most threads that any stage inside
	 * needs */
	int64_t blocks[3], threads[3];
	double n_blocks;
	int64_t n_threads; /* per block */
	/* per block. As in Halide, two allocations share memory if the last read of one comes before the
	 * first write of the other. */
	int64_t shared_bytes;
	int64_t register_bytes; /* per thread, in registers and on the stack */
	bool constant;          /* all allocations in shared memory and registers have a constant size */
	int n_members;
	const int *members; /* Funcs that are computed inside, without inlined ones, hosts first */
	/* by member: the alignment in bytes, a power of two up to BW_VECTOR_BYTES, of its allocations in
	 * shared memory; 0 if the alignment is known at run time only, because the size of an earlier
	 * allocation is. NULL if nothing is in shared memory. */
	const unsigned char *aligned;
};
enum { BW_VECTOR_BYTES = 16 }; /* the most that a thread loads at once */

/* Lists the Funcs that are computed in the kernel of one stage of a placed Func at root, hosts
 * first. Returns how many. The arena owns the list. */
int bw_nest_members(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		    const int **members);
/* Returns the kernel of one stage of a placed Func at root. The arena owns its members. */
struct bw_kernel bw_nest_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* Returns the most bytes that a thread of a kernel stages (nest/staging.h) in one run through its loops.
 * Registers are free again when a loop ends, so the bytes of successive loops do not add up. */
int64_t bw_kernel_staged_bytes(const struct bw_nest *nest, const struct bw_kernel *kernel,
			       struct bw_arena *arena);
/* Returns the share (0..1) of lanes with work among all lanes of the warps that have any work. `threads`
 * are those of a stage, x first; `block` is at least as large; `warp` is the number of threads per warp. */
double bw_busy_lanes(const int64_t block[3], const int64_t threads[3], int64_t warp);
/* Returns the place of a Func in the order in which Halide computes the Funcs that share a loop. */
int bw_nest_realized(const struct bw_nest *nest, int func);
/* Returns the kernels of a nest in order of launch, producers first. Undefined stages have no kernel. The
 * arena owns the list. */
struct bw_kernel *bw_nest_kernels(const struct bw_nest *nest, struct bw_arena *arena, int *n_kernels);

/* Regions that one block of a kernel needs, and the share of them that neighbouring blocks need, too. */

/* The region of a Func that an interior block of a kernel needs. */
struct bw_block_region {
	int n_dims;
	/* the region that the block computes; if the kernel only reads the Func, the region that is
	 * required of it */
	struct bw_interval box[BW_MAX_DIMS];
	/* by dimension: points from this region to that of the next block; 0: every block needs the
	 * same region */
	int64_t step[BW_MAX_DIMS];
};

/* Finds the region of `func` in the kernel of stage `stage` of the Func `kernel` at root. Returns false if
 * the kernel does not need `func`, or if the region is unbounded. */
bool bw_block_region_of(const struct bw_nest *nest, int kernel, int stage, int func,
		     struct bw_block_region *region);
/* Returns the points of a Func that are computed in total, without the idle iterations of tails. For an
 * inlined Func, these are the points of the stages that call it; bw_placed.points counts calls in idle
 * iterations, too. Returns 0 if the Func is not placed. */
double bw_busy_points(const struct bw_nest *nest, int func);
/* Returns the share (0..1) of a block's region that neighbouring blocks need, too. */
double bw_block_shared(const struct bw_block_region *region);
