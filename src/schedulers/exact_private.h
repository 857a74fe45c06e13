/* Private to the files of the exact scheduler: the parts of a state that later decisions can change, and
 * lower bounds on the cost of the rest of a schedule. */
#pragma once
#include "cost/least.h"
#include "search/search.h"

/* The kernels of a state that a later decision may change. */
struct bw_exact_open {
	const struct bw_pipeline *pipeline;
	bool *open; /* by stage of the pipeline: the kernel of it at root may change */
	bool *seen; /* by Func, scratch */
};
struct bw_exact_open bw_exact_open_new(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* Returns true if a Func is still to be decided, or to be tiled at root. */
bool bw_exact_undecided(const struct bw_nest *nest, int func);
/* Marks the kernels that a later decision may change: those that read an undecided Func, and its own. */
void bw_exact_open_mark(struct bw_exact_open *open, const struct bw_nest *nest);
/* Returns the key of all that the undecided Funcs and the open kernels depend on: the contents of these
 * kernels, and their reads. Marks the open kernels. Consumers have higher indices. */
uint64_t bw_exact_open_key(struct bw_exact_open *open, const struct bw_nest *nest, int index);

/* The part of a Func that a block of one kernel needs, or that all of them need. */
struct bw_exact_need {
	bool known;    /* the two boxes are */
	bool touched;  /* something of it is needed there; if the boxes are not known, it is unbounded */
	double points; /* of `cover` */
	/* what the nest requires of the Func inside a block that holds all of its readers there */
	struct bw_interval hull[BW_MAX_DIMS];
	/* as many points as are computed at least, however the block's loops are cut into smaller
	 * ones and wherever in them the Func is computed */
	struct bw_interval cover[BW_MAX_DIMS];
};

/* The steps of each read with the loops of its stage, found once. */
struct bw_exact_steps;
struct bw_exact_steps *bw_exact_steps_new(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* Fills in the needs of the whole pipeline for each Func. */
void bw_exact_needs_whole(const struct bw_exact_steps *steps, struct bw_exact_need *needs);
/* Fills in the needs of a block, in the kernel of a stage at root, for the Funcs that can be inside it.
 * Returns false if the kernel has no block loops. */
bool bw_exact_needs_block(const struct bw_exact_steps *steps, const struct bw_nest *nest, int func, int stage,
			  struct bw_exact_need *needs);
/* Returns the iterations of a stage's loops for a box that its Func computes; those of a reduction whose
 * bounds depend on the box count once if `cut`. 0: a bound is not known. */
double bw_exact_iterations(const struct bw_stage *stage, const struct bw_interval *box, bool cut);

/* Lower bounds on the costs of schedules. */
struct bw_exact_bounds;
struct bw_exact_bounds *bw_exact_bounds_new(const struct bw_search *search);
void bw_exact_bounds_free(struct bw_exact_bounds *bounds);
/* Returns a lower bound on all schedules with these Funcs placed, or `below` if it is not less. */
double bw_exact_bounds_full(struct bw_exact_bounds *bounds, struct bw_nest *nest, double below);

/* Private to the files that bound the cost of a schedule (exact_bound.c). */

/* In place of a kernel: there are several; any one may be. */
enum { BW_EXACT_NO_KERNEL = -1, BW_EXACT_ANY_KERNEL = -2 };

/* Where a Func is in the combination at hand. */
enum bw_exact_place {
	BW_EXACT_INPUT,
	BW_EXACT_PLACED,  /* decided, and stored */
	BW_EXACT_INLINED, /* decided or not */
	BW_EXACT_ROOT,    /* to be decided: a kernel of its own, its tiling unknown */
	BW_EXACT_INSIDE,  /* to be decided: in the kernel of all its readers */
	BW_EXACT_FREE     /* to be decided, and left open: it costs nothing, wherever it is */
};

/* A kernel whose root is tiled. */
struct bw_exact_block {
	double blocks; /* of the grid; 0: it has no block loops */
	struct bw_exact_need **needs; /* by Func below that at root; NULL: not known, or nothing */
};

/* A Func at root with one tiling. */
struct bw_exact_tile {
	const struct bw_placed *placed;
	struct bw_stage_least *figures; /* by stage */
	struct bw_exact_block *blocks;	/* by stage */
	bool *settled;			/* by stage: all that it reads is decided; its kernel is, too */
};

/* All tilings of a Func that the search would go on with if it is at root. */
struct bw_exact_tiles {
	bool found; /* they have been listed */
	int n;
	struct bw_exact_tile *list;
};

struct bw_exact_bounds {
	const struct bw_search *search;
	const struct bw_pipeline *pipeline;
	const struct bw_device *device;
	const struct bw_cost_model *model;
	bool roofline; /* the model is: of other models only kernels that nothing changes count */
	struct bw_exact_open open;
	struct bw_exact_steps *steps;
	struct bw_exact_need *whole; /* by Func: what the whole pipeline needs of it */
	bool *inlines;		     /* by Func: it is inlined without a choice */
	bool *one_region;	     /* by Func: its region at root depends on no schedule */
	struct bw_arena *arena;	     /* of the state at hand */
	struct bw_arena *scratch;    /* of the stage at hand */
	struct bw_exact_tiles *tiles; /* by Func */
	struct bw_arena *lasting;     /* of the tiles */
	struct bw_exact_kept *kept;   /* cache of earlier bounds */
	/* of the state at hand */
	const struct bw_nest *nest;
	struct bw_stage_least *figures; /* by stage of the pipeline */
	struct bw_exact_block **blocks; /* by stage of the pipeline: its kernel, if it is at root and tiled */
	bool *settled;			/* by stage of the pipeline: all that it reads is decided */
	double closed;			/* ms: of the kernels that nothing changes */
	int *undecided;			  /* consumers first */
	int n_undecided;
	bool tries; /* the tilings of Funcs at root are gone through */
	/* of the combination at hand, by Func */
	enum bw_exact_place *place;
	int *kernel; /* of what is inside, or of all that it is inlined into: a stage of the pipeline */
	int *members; /* by stage of the pipeline: Funcs to be decided that are inside its kernel */
	int n_free;   /* Funcs that are left open */
	int left;     /* combinations of some Funcs that may still be taken further */
	bool *seen;  /* scratch */
	double best; /* ms: least combination so far; dearer ones do not matter */
};

struct bw_exact_kept *bw_exact_kept_new(struct bw_arena *arena);
/* Sets the figures of the stages of the kernel of a stage at root of a nest, by stage of the pipeline. */
void bw_exact_find_figures(struct bw_exact_bounds *bounds, const struct bw_nest *nest, int func, int stage,
			   struct bw_stage_least *figures);
/* Returns the kernel that a stored stage is in, by its stage of the pipeline; or one of the above. */
int bw_exact_kernel_of(const struct bw_exact_bounds *bounds, const struct bw_stage *stage);

/* Returns true if all that a stage reads is decided in a nest. */
bool bw_exact_settled(struct bw_exact_bounds *bounds, const struct bw_nest *nest,
		      const struct bw_stage *stage);

/* A stage that is bounded. */
struct bw_exact_bounding {
	const struct bw_func *func;
	const struct bw_stage *stage;
	const struct bw_placed *placed;		/* NULL: to be decided */
	const struct bw_stage_least *figures;	/* NULL: to be decided */
	bool settled;				/* all that it reads is decided */
	bool full;				/* nothing else comes into the kernel */
	const struct bw_exact_block *block;	/* of its kernel; NULL: to be decided, or unknown */
	const struct bw_exact_need *need;	/* of its Func, in the block or in all; NULL: not known */
};
/* Returns the least cost of a stage in the current combination, in ms. */
double bw_exact_stage_bound(struct bw_exact_bounds *bounds, const struct bw_exact_bounding *bounding);
/* Returns a key of all that a stage, whatever its tiling, reads in the current combination, mixed into
 * `key`. */
uint64_t bw_exact_reads_key(struct bw_exact_bounds *bounds, const struct bw_stage *stage, uint64_t key);

/* Return the bound kept under a key, or a negative number; and keep one. */
double bw_exact_kept_bound(const struct bw_exact_bounds *bounds, uint64_t key);
void bw_exact_keep_bound(struct bw_exact_bounds *bounds, uint64_t key, double ms);
