/* What one placed stage reads, through the Funcs that are inlined into it: for each producer that is stored somewhere, the shapes of its
 * loads and the box that a block touches; and the operations of a point, those of inlined Funcs included. */
#ifndef BW_COST_READING_H
#define BW_COST_READING_H
#include "cost/context.h"

/* Loads of one shape: the address moves with the stage's loops by this Jacobian (dimensions of the producer x loops of the stage). */
struct bw_shape {
	double count; /* loads a point */
	const struct bw_ratio *entries;
};

struct bw_reading {
	int func;
	double calls; /* loads a point, all shapes */
	int n_shapes;
	struct bw_shape *shapes;
	bool bounded;
	double block_points;  /* points of the box that one block touches */
	double block_row;     /* its extent in the innermost dimension */
};

/* Classes of operations, by the units that carry them out. */
enum bw_work { BW_WORK_INT, BW_WORK_FLOAT, BW_WORK_DOUBLE, BW_WORK_SPECIAL, BW_N_WORKS };

struct bw_readings {
	int n;
	struct bw_reading *list;  /* producers that are stored, the stage's own Func too where an update reads it */
	double work[BW_N_WORKS];  /* operations a point */
	double inlined_calls;     /* calls of inlined Funcs a point */
	double unrolled;          /* points of one pass through the unrolled loops */
};

/* The readings of a stage of the context's kernel. Owned by the arena. */
struct bw_readings bw_readings_of(const struct bw_context *context, int func, int stage, struct bw_arena *arena);
#endif
