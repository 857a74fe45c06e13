/* Private to the files of the exact scheduler: what later decisions can change in a state, and what the rest
 * of a schedule costs at least. */
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
/* Marks the kernels that a later decision may change: those that read an undecided Func, or are one. */
void bw_exact_open_mark(struct bw_exact_open *open, const struct bw_nest *nest);
/* Returns the key of all that the undecided Funcs, and the kernels that may change, depend on: what is in
 * these, and what they read. Marks the open kernels. Consumers have higher indices. */
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
/* Fills in what the whole pipeline needs of each Func. */
void bw_exact_needs_whole(const struct bw_exact_steps *steps, struct bw_exact_need *needs);
/* Fills in what a block of the kernel of a stage at root needs of the Funcs that can be inside it. Returns
 * false if the kernel has no block loops. */
bool bw_exact_needs_block(const struct bw_exact_steps *steps, const struct bw_nest *nest, int func, int stage,
			  struct bw_exact_need *needs);
/* Returns the iterations of a stage's loops for a box that its Func computes; those of a reduction whose
 * bounds depend on the box count once if `cut`. 0: a bound is not known. */
double bw_exact_iterations(const struct bw_stage *stage, const struct bw_interval *box, bool cut);

/* Bounds of what schedules cost. */
struct bw_exact_bounds;
struct bw_exact_bounds *bw_exact_bounds_new(const struct bw_search *search);
void bw_exact_bounds_free(struct bw_exact_bounds *bounds);
/* Returns what no schedule with these Funcs placed costs less than, quickly found: without what the Funcs
 * to be decided add. */
double bw_exact_bounds_quick(struct bw_exact_bounds *bounds, struct bw_nest *nest);
/* Returns the same with the least that these add, or `below` if it is not less. */
double bw_exact_bounds_full(struct bw_exact_bounds *bounds, struct bw_nest *nest, double below);
#endif
