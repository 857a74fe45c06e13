/* Private to the files of the exact scheduler: the parts of a state that later decisions can change, and
 * lower bounds on the cost of the rest of a schedule. */
#pragma once
#include "cost/least.h"
#include "search/search.h"

/* The kernels of a state that a later decision may change. */
struct bw_exact_open {
	const struct bw_pipeline *pipeline;
	bool *open; /* by stage of the pipeline: if the stage is at root, its kernel may still change */
	bool *seen; /* by Func, scratch */
};
struct bw_exact_open bw_exact_open_new(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* Returns true if a Func has no placement yet, or is at root and not tiled yet. */
bool bw_exact_undecided(const struct bw_nest *nest, int func);
/* Marks the kernels that a later decision may change: the kernels of undecided Funcs, and the kernels
 * that read undecided Funcs. */
void bw_exact_open_mark(struct bw_exact_open *open, const struct bw_nest *nest);
/* Returns a key of everything that the undecided Funcs and the open kernels depend on: the contents of
 * these kernels, and their reads. Marks the open kernels. Consumers have higher indices. */
uint64_t bw_exact_open_key(struct bw_exact_open *open, const struct bw_nest *nest, int index);

/* The part of a Func that one block of a kernel needs, or that the whole pipeline needs. */
struct bw_exact_need {
	bool known;    /* hull and cover are known */
	bool touched;  /* some part of the Func is needed; if `known` is false, the part is unbounded */
	double points; /* number of points in `cover` */
	/* the box that the nest requires of the Func in a block that contains all its readers */
	struct bw_interval hull[BW_MAX_DIMS];
	/* a box with the least number of points that are computed, however the block's loops are split and at
	 * whatever loop the Func is computed */
	struct bw_interval cover[BW_MAX_DIMS];
};

/* For each read, how its box moves with each loop of the stage (exact_needs.c). Computed once. */
struct bw_exact_steps;
struct bw_exact_steps *bw_exact_steps_new(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* Fills in the needs of the whole pipeline for each Func. */
void bw_exact_needs_whole(const struct bw_exact_steps *steps, struct bw_exact_need *needs);
/* Fills in what one block of the kernel of a stage at root needs of each Func that can be inside the
 * kernel. Returns false if the kernel has no block loops. */
bool bw_exact_needs_block(const struct bw_exact_steps *steps, const struct bw_nest *nest, int func, int stage,
			  struct bw_exact_need *needs);
/* Returns the iterations of a stage's loops for a box that its Func computes. If `cut`, a reduction loop
 * whose bounds depend on the box counts as one iteration. Returns 0 if a bound is not known. */
double bw_exact_iterations(const struct bw_stage *stage, const struct bw_interval *box, bool cut);

/* Lower bounds on the costs of schedules. */
struct bw_exact_bounds;
struct bw_exact_bounds *bw_exact_bounds_new(const struct bw_search *search);
void bw_exact_bounds_free(struct bw_exact_bounds *bounds);
/* Returns a lower bound on the cost of all schedules that place the nest's Funcs as the nest does.
 * Returns `below` if the bound is not less. */
double bw_exact_bounds_full(struct bw_exact_bounds *bounds, struct bw_nest *nest, double below);

/* Private to the files that bound the cost of a schedule (exact_bound.c). */

/* Values instead of a kernel's index: no single kernel contains all readers; the kernel is not known. */
enum { BW_EXACT_NO_KERNEL = -1, BW_EXACT_ANY_KERNEL = -2 };

/* The place of a Func in the current combination. */
enum bw_exact_place {
	BW_EXACT_INPUT,
	BW_EXACT_PLACED,  /* decided, and stored */
	BW_EXACT_INLINED, /* decided or not */
	BW_EXACT_ROOT,    /* to be decided: a kernel of its own, its tiling unknown */
	BW_EXACT_INSIDE,  /* undecided: in the kernel of all its readers */
	BW_EXACT_FREE     /* undecided, and its place is left open: counts as cost 0 */
};

/* A kernel whose Func at root is tiled. */
struct bw_exact_block {
	double blocks; /* number of blocks in the grid; 0: the kernel has no block loops */
	/* by Func, for Funcs of lower index than the Func at root; NULL: not known, or nothing is needed */
	struct bw_exact_need **needs;
};

/* One tiling of a Func at root. */
struct bw_exact_tile {
	const struct bw_placed *placed;
	struct bw_stage_least *figures; /* by stage */
	struct bw_exact_block *blocks;	/* by stage */
	bool *settled;			/* by stage: all Funcs that the stage reads are decided, and so is its kernel */
};

/* All tilings of a Func at root that the search would keep. */
struct bw_exact_tiles {
	bool found; /* the tilings have been listed */
	int n;
	struct bw_exact_tile *list;
};

struct bw_exact_bounds {
	const struct bw_search *search;
	const struct bw_pipeline *pipeline;
	const struct bw_device *device;
	const struct bw_cost_model *model;
	/* the model is the roofline; with other models, the bound is the cost of the kernels that cannot change */
	bool roofline;
	struct bw_exact_open open;
	struct bw_exact_steps *steps;
	struct bw_exact_need *whole; /* by Func: the part that the whole pipeline needs */
	bool *inlines;		     /* by Func: inlining is its only option */
	bool *one_region;	     /* by Func: its region at root is the same in all schedules */
	struct bw_arena *arena;	     /* memory for the current state */
	struct bw_arena *scratch;    /* memory for the current stage */
	struct bw_exact_tiles *tiles; /* by Func */
	struct bw_arena *lasting;     /* memory for `tiles` */
	struct bw_exact_kept *kept;   /* cache of earlier bounds */
	/* current state */
	const struct bw_nest *nest;
	struct bw_stage_least *figures; /* by stage of the pipeline */
	/* by stage of the pipeline: the stage's kernel, if the stage is at root and tiled */
	struct bw_exact_block **blocks;
	bool *settled;			/* by stage of the pipeline: all Funcs that the stage reads are decided */
	double closed;			/* ms: cost of the kernels that no later decision changes */
	int *undecided;			  /* undecided Funcs, consumers first */
	int n_undecided;
	bool tries; /* Funcs at root are bounded by going through their tilings */
	/* current combination, by Func */
	enum bw_exact_place *place;
	/* the kernel that the Func is inside, or that all its readers are in if it is inlined: a stage of the
	 * pipeline */
	int *kernel;
	int *members; /* by stage of the pipeline: number of undecided Funcs inside the stage's kernel */
	int n_free;   /* number of undecided Funcs whose place is left open */
	int left;     /* number of partial combinations that may still be extended */
	bool *seen;  /* scratch */
	double best; /* ms: cost of the cheapest combination so far; more expensive ones are cut */
};

struct bw_exact_kept *bw_exact_kept_new(struct bw_arena *arena);
/* Sets the figures of all stages in the kernel of a nest's stage at root. figures: by stage of the
 * pipeline. */
void bw_exact_find_figures(struct bw_exact_bounds *bounds, const struct bw_nest *nest, int func, int stage,
			   struct bw_stage_least *figures);
/* Returns the kernel that contains a stored stage, as a stage of the pipeline; or BW_EXACT_NO_KERNEL or
 * BW_EXACT_ANY_KERNEL. */
int bw_exact_kernel_of(const struct bw_exact_bounds *bounds, const struct bw_stage *stage);

/* Returns true if a nest has decided all Funcs that a stage reads. */
bool bw_exact_settled(struct bw_exact_bounds *bounds, const struct bw_nest *nest,
		      const struct bw_stage *stage);

/* A stage for which a bound is computed. */
struct bw_exact_bounding {
	const struct bw_func *func;
	const struct bw_stage *stage;
	const struct bw_placed *placed;		/* NULL: to be decided */
	const struct bw_stage_least *figures;	/* NULL: to be decided */
	bool settled;				/* all Funcs that the stage reads are decided */
	bool full;				/* no further Func will be computed in the kernel */
	const struct bw_exact_block *block;	/* the block of the stage's kernel; NULL: undecided, or not known */
	/* the part of the stage's Func that the block or the whole pipeline needs; NULL: not known */
	const struct bw_exact_need *need;
};
/* Returns the least cost of a stage in the current combination, in ms. */
double bw_exact_stage_bound(struct bw_exact_bounds *bounds, const struct bw_exact_bounding *bounding);
/* Returns `key` mixed with a key of everything that a stage reads in the current combination, whatever
 * its tiling. */
uint64_t bw_exact_reads_key(struct bw_exact_bounds *bounds, const struct bw_stage *stage, uint64_t key);

/* Return the bound stored under a key, or a negative number if there is none; store a bound. */
double bw_exact_kept_bound(const struct bw_exact_bounds *bounds, uint64_t key);
void bw_exact_keep_bound(struct bw_exact_bounds *bounds, uint64_t key, double ms);
