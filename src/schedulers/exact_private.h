/* Private to the files of the exact scheduler: the parts of a state that later decisions can change, and
 * lower bounds on the cost of the rest of a schedule. */
#ifndef BW_SCHEDULERS_EXACT_PRIVATE_H
#define BW_SCHEDULERS_EXACT_PRIVATE_H
#include "search/search.h"

/* The kernels of a state that a later decision may change. */
struct bw_exact_open {
	const struct bw_pipeline *pipeline;
	bool *open; /* by stage of the pipeline: the kernel of it at root may change */
	bool *seen; /* by Func, scratch */
};
struct bw_exact_open bw_exact_open_new(const struct bw_pipeline *pipeline);
void bw_exact_open_free(struct bw_exact_open *open);
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
struct bw_exact_steps *bw_exact_steps_new(const struct bw_pipeline *pipeline);
void bw_exact_steps_free(struct bw_exact_steps *steps);
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
/* Returns a quick lower bound on all schedules with these Funcs placed, without the share of the
 * undecided Funcs. */
double bw_exact_bounds_quick(struct bw_exact_bounds *bounds, struct bw_nest *nest);
/* Returns the lower bound with the least share of the undecided Funcs, or `below` if it is not less. */
double bw_exact_bounds_full(struct bw_exact_bounds *bounds, struct bw_nest *nest, double below);
#endif
