/* Parity: what the compiler knows of a stage's loops where the innermost pieces are unrolled, and what it
 * therefore leaves out. Halide folds a select whose condition follows from `x % 2` if x is an even number and
 * a constant in each copy of the body. That x begins at an even number is known if the generator fixes where
 * an output begins, or by Func::align_bounds (struct bw_placement.align). Of the classes of points that a
 * description tells apart (struct bw_parity) all are as frequent, so that a stage's work is their mean. Of
 * Funcs that are inlined the mean is taken, too, whatever the class of the caller. */
#pragma once
#include "nest/nest.h"

/* What is known of a loop of a stage or of a dimension of a Func. */
struct bw_known {
	int64_t modulus; /* its remainder by this number is known; 1: nothing is known; 0: it is a constant */
	bool valued; /* each copy of the loop body knows its value, which lies in `values` */
	struct bw_interval values;
};

/* Points of one kind: the stage with its work, and their share (0..1) of all points of the stage. */
struct bw_class {
	const struct bw_stage *stage;
	double share;
};

/* Finds what is known of each loop of a stage of a placed Func. all: what is known where all that can be is
 * unrolled and aligned; then of the placed Func only its region counts. */
void bw_known_loops(const struct bw_pipeline *pipeline, const struct bw_placed *placed,
		    const struct bw_stage *stage, bool all, struct bw_known *known);
/* Returns the knowledge of a Func's coordinates before any load of it is added. */
struct bw_known bw_known_nothing(void);
/* Adds a load by a stage with these loops to what is known of the n_dims coordinates. */
void bw_known_add(const struct bw_jacobian *load, const struct bw_known *loops, struct bw_known *coordinates);
/* Finds what is known of the loops of an inlined Func from that of its coordinates. */
void bw_known_inlined(const struct bw_stage *body, const struct bw_known *coordinates,
		      const struct bw_interval *box, struct bw_known *loops);
/* Finds the classes of points of a stage with such loops: the stage itself, if nothing folds. Returns how
 * many there are. known NULL: nothing is known. */
int bw_stage_classes(const struct bw_stage *stage, const struct bw_known *known,
		     struct bw_class classes[BW_MAX_CLASSES]);
/* Finds which classes of its host's points need a Func that is computed in the copies of the host's body:
 * sets placed->classes and placed->needed. Its site and regions must be set. */
void bw_parity_needed(const struct bw_nest *nest, struct bw_placed *placed);
