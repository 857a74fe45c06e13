/* Declarations that only the files of src/nest share. */
#pragma once
#include "nest/nest.h"

/* Says which loops of a host stage move the region of a Func that is computed inside of the host's loops.
 * Sets of loops and of dimensions are bit masks. `apart`: at most one loop moves each dimension. `as_one`:
 * both ends of each dimension move alike, so that the region has the same size in every iteration of the
 * loops. */
struct bw_moved {
	uint32_t loops;
	uint32_t uneven;       /* dimensions whose two ends may move differently */
	uint32_t uneven_loops; /* the loops that may move the `uneven` dimensions */
	/* by loop: the first dimension that it may move, and how far: 0 if that is not known, or several loops
	 * move it; 0 if it moves none */
	unsigned char first[BW_MAX_LOOPS], far[BW_MAX_LOOPS];
	/* the loops of `loops` whose path to a dimension is not affine, because of a clamp for
	 * example */
	uint32_t bent;
	uint32_t divided; /* the loops of `loops` with a rounding division on their path to a dimension */
	uint32_t rescaled; /* the loops of `divided` whose quotient is multiplied again */
	bool apart, as_one;
	bool plain; /* only sums, products, quotients, minima and maxima lie between the loops and the ends */
	/* bit n: some dimension is read at several places, one of which is, in the last of n
	 * iterations, where the loop stands in the first */
	uint32_t back;
};
enum { BW_MOST_BACK = 32 }; /* pieces of more iterations than this are taken to reach back nowhere */

/* Facts about all Funcs as seen from the loops of one host: see bw_affine_in, bw_period_in and
 * bw_moved_in. Each pointer is NULL until one of these functions needs it. */
struct bw_host_facts {
	bool *affine;
	int *periods;
	struct bw_moved *moved;
};

/* Facts about the Funcs of a pipeline, whatever their placements. */
struct bw_nest_facts {
	int references;
	/* by Func: computing more of it than is required may read an input or an output out of
	 * bounds */
	bool *overruns;
	/* by Func: every bound of its computed region is affine in its consumers' loops, without
	 * parameters, all the way from the outputs. If not, Halide finds no tight bound on its
	 * extents, and uses that of the whole image instead of one block's. */
	bool *affine;
	/* by Func: dimensions, as bits, whose computed region at root is two numbers to Halide */
	uint32_t *constant;
	/* by Func: the size of its computed region follows from the sizes of its consumers' loops
	 * alone, because all consumers move it alike */
	bool *rigid;
	/* by Func and dimension (BW_MAX_DIMS per Func): the largest number of successive rounding
	 * divisions on any path from an output to an end of the required region */
	int *floors;
	/* by Func: the largest product of the successive divisors on any such path, at most
	 * BW_MOST_PERIOD. A region has the same size again that many points further. */
	int *periods;
	int n_stages;
	struct bw_host_facts *hosts; /* by stage of the pipeline; what a Func's stages share is at the first one */
	/* by Func: its place in the order in which Halide realizes the Funcs that are computed in
	 * one loop */
	int *realized;
};
enum { BW_MOST_PERIOD = 64 };
/* Sets moved[f] for each Func f before the host's, for the loops of stage `host`. */
void bw_moved_by(const struct bw_pipeline *pipeline, const struct bw_stage *host, struct bw_moved *moved);
/* Returns true if the bounds of a Func are affine in the loops of a host at root, wherever these loops
 * begin and end, and contain no divisions, whose rounding would depend on where the host begins. */
bool bw_affine_in(const struct bw_nest *nest, int host, int func);
/* Returns the period of a Func from the loops of a host on. */
int bw_period_in(const struct bw_nest *nest, int host, int func);
/* Returns how the loops of a stage move a Func. */
const struct bw_moved *bw_moved_in(const struct bw_nest *nest, const struct bw_stage *host, int func);
const struct bw_nest_facts *bw_nest_facts_make(const struct bw_pipeline *pipeline);
const struct bw_nest_facts *bw_nest_facts_keep(const struct bw_nest_facts *facts);
void bw_nest_facts_drop(const struct bw_nest_facts *facts);

/* How both ends of an interval move together: by `multiplier` points for each point that interval `of`
 * moves. `of` is the number of a loop, or of a dimension of a Func that nobody reads. A multiplier of 0
 * means that the interval does not move. */
struct bw_track {
	int of;
	int64_t multiplier;
};
/* Finds the track of a bound, given the tracks of the intervals that the bound depends on. Returns false
 * if the ends of the bound do not move together. */
bool bw_track_of(const struct bw_bound *bound, const struct bw_track *tracks, struct bw_track *track);

/* The levels at which a Func has regions when it is computed at a site: the site's own level and
 * each one outside of it, root last. If the Func is inlined, the levels of all its consumers. */
enum { BW_MAX_LEVELS = 256 };
struct bw_levels {
	int n;
	bool full; /* the list has no room for all levels */
	bw_level list[BW_MAX_LEVELS];
};
/* Checks whether Halide can compute and store a Func at a site, by the shape of the nest alone, and
 * finds the levels of the site. Returns false with an error if it cannot. */
bool bw_site_check(const struct bw_nest *nest, const struct bw_placement *placement, struct bw_levels *levels,
		   struct bw_error *error);

/* Another iteration of a level's own loops, `steps` iterations further on. The length of a step is the
 * interval that one iteration covers; with `points`, one point. */
struct bw_move {
	int steps;
	bool points;
	bool whole;  /* does not move, but takes the loop as a whole */
	bool within; /* goes no further than the end of the loop */
	int loop;    /* the loop that moves; -1: all loops move */
};
/* Finds the box of a Func that its consumers touch at a level in another iteration: what is
 * required, what the consumers' splits add by rounding up, and what their predicates would leave
 * out. Halide allocates that much. Returns false if it is unbounded. */
bool bw_nest_touched(const struct bw_nest *nest, int func, bw_level level, struct bw_move move,
		     struct bw_interval *box);
/* Finds the required region (bw_nest_required), in another iteration. */
bool bw_nest_moved(const struct bw_nest *nest, int func, bw_level level, struct bw_move move,
		   struct bw_interval *box);
/* Finds the box that a Func's consumers require at a level, including the iterations that the hosts'
 * splits add by rounding up. These iterations are computed, although Halide's bounds do not include them.
 * Returns false if the box is unbounded. */
bool bw_nest_rounded(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box);
/* Finds the required and the touched box of an inlined Func at a level; the touched box includes what
 * splits add by rounding up. Predicates of the Func's readers are ignored, because Halide moves an
 * expression that is read twice out of them. */
void bw_nest_inlined_boxes(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *required,
			   struct bw_interval *touched);

/* Returns a placed Func with n_levels regions and one reference, to be freed with bw_placed_release. All
 * arrays are zeroed except those that bw_stage_place fills, which are the largest. */
struct bw_placed *bw_placed_new(const struct bw_func *func, const struct bw_placement *placement,
				int n_levels);
/* Returns the content hash of a placed Func whose other fields are set. */
uint64_t bw_placed_content(const struct bw_nest *nest, const struct bw_placed *placed);
/* Returns the number of levels of loops around a site. */
int bw_nest_depth(const struct bw_nest *nest, const struct bw_site *site);


/* Checks Halide's requirements for a Func that the lanes of a warp keep in their registers: lane l stores
 * the elements l, l + lanes, l + 2 * lanes, ... and no others (LowerWarpShuffles.cpp of Halide 14). */
bool bw_check_warp(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed,
		   struct bw_error *error);
/* Checks that Halide can allocate a Func's storage in global memory. Halide counts the bytes in 32 bits,
 * and aborts if there are 0 bytes. Outputs are checked before any search. */
bool bw_check_bytes(const struct bw_func *func, const struct bw_placed *placed, struct bw_error *error);
/* Returns a level of the loops of the placed Func's own stages; NULL if it has no such level. */
const struct bw_own_level *bw_placed_own_level(const struct bw_placed *placed, bw_level level);
/* Returns true if everything that a stage computes lies inside this level, also through inlined
 * Funcs. */
bool bw_nest_under(const struct bw_nest *nest, const struct bw_stage *stage, bw_level level);

/* Converts a number of iterations, threads or bytes to an integer. Numbers beyond any loop, grid or
 * memory become one large number, so small that a few of them can still be added and multiplied. */
static inline int64_t bw_capped(double size)
{
	const int64_t enough = (int64_t)1 << 56;
	return size < (double)enough ? (int64_t)size : enough;
}

/* Returns the extent of an interval; 0 if it is empty. */
static inline int64_t bw_interval_extent(const struct bw_interval *interval)
{
	return interval->max < interval->min ? 0 : interval->max - interval->min + 1;
}

/* Sets the allocation of a placed Func. Its regions, stages and growth must be set. `before` is the
 * same Func at root with the same regions, or NULL. */
void bw_allocate(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *before,
		 struct bw_placed *placed);
/* Decides which loops of a placed Func are unrolled. Its stages and allocation must be set. */
void bw_unroll(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed);
/* Returns `computed_once` of a placed Func whose regions, stages and memory are set. */
double bw_computed_once(const struct bw_nest *nest, const struct bw_placed *placed);
/* Returns true if the blocks of a loop are fused with those of other loops: Halide fuses all but
 * the two innermost if there are more than three. */
bool bw_stage_fuses(const struct bw_stage_plan *plan, int loop);
/* Sets the bytes of shared memory that each block of a kernel is launched with, and what is aligned there.
 * The members of the kernel must be set. */
void bw_kernel_lay_out(const struct bw_nest *nest, struct bw_kernel *kernel, struct bw_arena *arena);
/* Sets the threads that Halide launches for the stages of a placed Func. `before` is the same Func
 * at the same sites, or NULL. */
void bw_launch(const struct bw_nest *nest, const struct bw_placed *before, struct bw_placed *placed);
/* Returns true if the launch of a placement depends on where a block begins. */
bool bw_launches_elsewhere(const struct bw_placement *placement);
/* Returns the number of levels that the loops of a stage with this plan have. */
int bw_stage_levels(const struct bw_stage_plan *plan);
/* Returns true if computing more of a Func than the box `computed` in one dimension would read an input, an
 * output or a Func of a fixed region out of bounds. */
bool bw_overruns_along(const struct bw_pipeline *pipeline, int f, const struct bw_interval *computed,
		       int dim);
/* The input of bw_stage_place. bw_stage_place finds the loops of the placed stage: extents, tails, levels,
 * blocks and threads. It raises `growth` (by dimension of the Func) to the points that RoundUp adds. The
 * arrays of *placed must have room for the plan. */
struct bw_stage_request {
	const struct bw_func *func;
	const struct bw_stage *stage;
	const struct bw_stage_plan *plan;
	const struct bw_interval *loops; /* intervals of the stage's loops at its site */
	const struct bw_pipeline *pipeline;
	const struct bw_interval *computed; /* the box of the Func that is computed in all */
	/* computing more in some dimension reads an input out of bounds */
	bool overruns;
	/* the site is in another Func's loops: at the edges of the image its region can be smaller
	 * than at an interior iteration */
	bool inside;
};
bool bw_stage_place(const struct bw_stage_request *request, int64_t *growth, struct bw_placed_stage *placed,
		    struct bw_error *error);
