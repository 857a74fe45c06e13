/* Shared by the files of this room alone. */
#ifndef BW_NEST_NEST_PRIVATE_H
#define BW_NEST_NEST_PRIVATE_H
#include "nest/nest.h"

/* The loops of a stage, as bits, that what is computed of a Func inside of them may move with; apart: each of
 * its dimensions with one of them at most; as_one: both ends of each dimension alike, so that it is as large
 * wherever the loops stand. */
struct bw_moved {
	uint32_t loops;
	uint32_t uneven;       /* dimensions, as bits, of which the ends may move differently */
	uint32_t uneven_loops; /* the loops, as bits, that may move these */
	unsigned char first[BW_MAX_LOOPS]; /* by loop, the first dimension that it may move; 0 if it moves none */
	uint32_t bent; /* of these, those whose way to a dimension is not affine: some end is a clamp or the like */
	uint32_t divided; /* of these, those between which and a dimension lies a division that rounds */
	bool apart, as_one;
	bool plain;      /* only sums, products, quotients, minima and maxima lie between the loops and the ends */
	uint32_t back;   /* bit n: read at several places of a dimension, one of which is, in the last of n
			    iterations, where the loop is in the first */
};
enum { BW_MOST_BACK = 32 }; /* longer pieces reach back nowhere */

/* What follows from the pipeline alone. */
struct bw_nest_facts {
	int references;
	bool *overruns; /* by Func: computing more of it than is required may read an input, or an output, out
			   of bounds */
	bool *affine;   /* by Func: every bound of what it computes is affine in its consumers' loops, without
			 * parameters, down from the outputs; else Halide finds no   tight bound on its extents,
			 * and takes the whole image's where one block's would do */
	bool *affine_in; /* by host at root and Func, n_funcs a host: the same down from the loops of the
			  * host, wherever these begin and end, and without divisions: what these round to
			  * depends on where it begins */
	bool *rigid;  /* by Func: the size of what it computes follows from the sizes of its consumers' loops
		       * alone, not from where they stand: all  consumers move it alike */
	int *floors;  /* by Func and dimension, BW_MAX_DIMS a Func: divisions that round, one after the other,
		       * between the outputs and an end of what is required;  the most by any way */
	int *periods; /* by Func: what these divide by, one after the other, the most by any way,
		       * BW_MOST_PERIOD at most: that many points further out a region has its size again */
	int *periods_in; /* by host and Func, n_funcs a host: the same from the loops of the host on */
	struct bw_moved *moved; /* by stage of the pipeline and Func, n_funcs a stage */
	int *realized; /* by Func: its place in the order in which Halide makes Funcs that are computed in the
			  same loop */
};
/* These places, from 1, inputs among them; the caller frees them. */
int *bw_realization_places(const struct bw_pipeline *pipeline);
enum { BW_MOST_PERIOD = 64 };
/* Sets by which loops of a stage Funcs are moved: n_funcs, those before the stage's own. */
void bw_moved_by(const struct bw_pipeline *pipeline, const struct bw_stage *host, struct bw_moved *moved);
const struct bw_nest_facts *bw_nest_facts_make(const struct bw_pipeline *pipeline);
const struct bw_nest_facts *bw_nest_facts_keep(const struct bw_nest_facts *facts);
void bw_nest_facts_drop(const struct bw_nest_facts *facts);

/* How both ends of an interval move: `multiplier` times as far as another one, a dimension of the Funcs that
 * nobody reads or a loop; not at all where the multiplier is 0. */
struct bw_track {
	int of;
	int64_t multiplier;
};
/* The track of a bound over intervals that have these tracks. False where its ends do not move together. */
bool bw_track_of(const struct bw_bound *bound, const struct bw_track *tracks, struct bw_track *track);

/* The levels that a Func has regions at when it is computed at a site: its own and each one outside of it,
 * root last; inlined, those of all its consumers. */
enum { BW_MAX_LEVELS = 256 };
struct bw_levels {
	int n;
	bool full; /* there would be more */
	bw_level list[BW_MAX_LEVELS];
};
/* Whether Halide can compute and store the Func there, by the shape of the nest alone; and the levels. */
bool bw_site_check(const struct bw_nest *nest, const struct bw_placement *placement, struct bw_levels *levels,
		   struct bw_error *error);

/* Another iteration of a level's own loops: this many steps on, each of what an iteration covers, or of one
 * point. */
struct bw_move {
	int steps;
	bool points;
	bool whole; /* not moved: all that the stage has of the loop */
	bool within; /* no further than the loop goes */
	int loop;   /* the one that moves; -1: all of them */
};
/* The box of a Func that its consumers touch at a level in that iteration: what is required with what their
 * splits round up, and what their predicates would leave out. Halide allocates as much. False where
 * unbounded. */
bool bw_nest_touched(const struct bw_nest *nest, int func, bw_level level, struct bw_move move,
		     struct bw_interval *box);
/* As bw_nest_required, in that iteration. */
bool bw_nest_moved(const struct bw_nest *nest, int func, bw_level level, struct bw_move move,
		   struct bw_interval *box);
/* The box that its consumers require at a level with what the splits of their hosts round up: these
 * iterations are computed, too, though Halide's bounds take no notice of them. False where unbounded. */
bool bw_nest_rounded(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box);
/* As bw_nest_required, of a Func that is inlined: no predicate of its consumers narrows it, because Halide
 * takes what is read twice out of them. */
bool bw_nest_required_inlined(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box);

/* The box that is required of a Func at root. */
struct bw_rooted_box {
	bool known;
	struct bw_interval box[BW_MAX_DIMS];
};
/* Where a nest to try in has that of a Func, or is to keep it, for as long as the Func that it is for stands
 * alike; NULL in other nests. */
struct bw_rooted_box *bw_rooted_box(const struct bw_nest *nest, int func);
/* The Func may stand otherwise from now on. NULL is nothing. */
void bw_rooted_stale(struct bw_rooted *rooted);

/* The content of a Func that is placed but for its content. */
uint64_t bw_placed_content(const struct bw_nest *nest, const struct bw_placed *placed);
/* Levels of loops around a site. */
int bw_nest_depth(const struct bw_nest *nest, const struct bw_site *site);


/* The level of a stage's own loops, NULL if it has none such. */
const struct bw_own_level *bw_placed_own_level(const struct bw_placed *placed, bw_level level);
/* Whether everything that stage `stage` of Func `func` computes lies inside this level, through inlined Funcs
 * too. */
bool bw_nest_under(const struct bw_nest *nest, const struct bw_stage *stage, bw_level level);

/* A whole number of iterations, threads or bytes. More than any loop, grid or memory has is all one: products
 * and sums of a few such still fit. */
static inline int64_t bw_capped(double size)
{
	const int64_t enough = (int64_t)1 << 56;
	return size < (double)enough ? (int64_t)size : enough;
}

/* Iterations; 0 where the interval is empty. */
static inline int64_t bw_interval_extent(const struct bw_interval *interval)
{
	return interval->max < interval->min ? 0 : interval->max - interval->min + 1;
}

/* Sets the allocation of a Func whose regions, stages and growth are placed. before: the same Func at root
 * with the same regions; NULL: there is none. */
void bw_allocate(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *before,
		 struct bw_placed *placed);
/* Decides which loops of a Func whose stages and allocation are placed are unrolled. */
void bw_unroll(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed);
/* Whether a loop's blocks are fused with those of others: all but the two innermost, where there are more
 * than three. */
bool bw_stage_fuses(const struct bw_stage_plan *plan, int loop);
/* Bytes of shared memory that a block of a kernel is launched with; its members must be known. */
int64_t bw_kernel_shared_bytes(const struct bw_nest *nest, const struct bw_kernel *kernel,
			       struct bw_arena *arena);
/* The product of the extents of the pieces of a loop that stand at `from` and after in the plan. */
int64_t bw_stage_inside(const struct bw_stage_plan *plan, int loop, int from);
/* Sets what Halide launches for the stages of a Func that are placed; before: the same Func at the same
 * sites, NULL: there is none. */
void bw_launch(const struct bw_nest *nest, const struct bw_placed *before, struct bw_placed *placed);
/* Whether where a block begins has a part in what is launched for a placement. */
bool bw_launches_elsewhere(const struct bw_placement *placement);
/* How many own levels a stage with this plan has. */
int bw_stage_levels(const struct bw_stage_plan *plan);
/* The loops of a placed stage: extents, tails, own levels, blocks, threads. `growth` (by dimension of the
 * Func) is raised to what RoundUp adds. Arrays of *stage must have room for the plan. */
struct bw_stage_request {
	const struct bw_func *func;
	const struct bw_stage *stage;
	const struct bw_stage_plan *plan;
	const struct bw_interval *loops; /* intervals of the stage's loops at its site */
	bool overruns;  /* RoundUp may read an input out of bounds */
	bool inside; /* at a site in another's loops: at the edges of the image its region can be smaller than
			at an interior iteration */
};
bool bw_stage_place(const struct bw_stage_request *request, int64_t *growth, struct bw_placed_stage *placed,
		    struct bw_error *error);
#endif
