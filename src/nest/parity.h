/* Parity: what the compiler knows about a stage's loops if the innermost pieces are unrolled, and which
 * code it therefore leaves out. If x is an even number plus a constant in each copy of the body, Halide
 * folds a select whose condition follows from `x % 2`. Halide knows that x begins at an even number if the
 * generator fixes where an output begins, or by Func::align_bounds (struct bw_placement.align). All
 * classes of points that a description distinguishes (struct bw_parity) are assumed to be equally
 * frequent, so the work of a stage is the mean over its classes. The work of an inlined Func is also the
 * mean, whatever the class of the caller. */
#pragma once
#include "nest/nest.h"

/* What is known of a loop of a stage or of a dimension of a Func. */
struct bw_known {
	/* the loop's remainder by this number is known; 1: nothing is known; 0: the loop is a constant */
	int64_t modulus;
	bool valued; /* the loop's value, which is in `values`, is a constant in each copy of the loop body */
	struct bw_interval values;
};

/* One class of points: the stage with the work of this class, and the share (0..1) of the stage's points
 * that are in it. */
struct bw_class {
	const struct bw_stage *stage;
	double share;
};

/* Finds what is known of each loop of a stage of a placed Func. all: assume that every loop is unrolled
 * and aligned where possible; then only the region of the placed Func is used. */
void bw_known_loops(const struct bw_pipeline *pipeline, const struct bw_placed *placed,
		    const struct bw_stage *stage, bool all, struct bw_known *known);
/* Returns the initial knowledge of a Func's coordinate, to which bw_known_add adds loads. */
struct bw_known bw_known_nothing(void);
/* Combines what is known of the n_dims coordinates of a Func with one more load, by a stage whose loops
 * are known as `loops` says. */
void bw_known_add(const struct bw_jacobian *load, const struct bw_known *loops, struct bw_known *coordinates);
/* Finds what is known of the loops of an inlined Func, given what is known of its coordinates. */
void bw_known_inlined(const struct bw_stage *body, const struct bw_known *coordinates,
		      const struct bw_interval *box, struct bw_known *loops);
/* Finds the classes of points of a stage whose loops are known as `known` says. If nothing folds, the only
 * class is the stage itself. Returns the number of classes. known NULL: nothing is known. */
int bw_stage_classes(const struct bw_stage *stage, const struct bw_known *known,
		     struct bw_class classes[BW_MAX_CLASSES]);
/* Finds for which points of its host stage a Func is needed. If the Func is computed inside of all unrolled
 * loops of the host, Halide keeps it only in the copies of the body that read it. Sets placed->classes to the
 * classes of the host's points that need the Func, and placed->needed to the share of its realizations that
 * remain. The Func's site and regions must be set. */
void bw_parity_needed(const struct bw_nest *nest, struct bw_placed *placed);
