/* What one placed stage reads, through the Funcs that are inlined into it: for each stored producer, the
 * shapes of its loads and the box that a block touches; and the operations per point, including those of
 * inlined Funcs. */
#pragma once
#include "cost/context.h"

/* Loads of one shape, given by the Jacobian of the address: dimensions of the producer x loops of the
 * stage. */
struct bw_load_shape {
	double count; /* loads per point */
	const struct bw_ratio *entries;
};

struct bw_reading {
	int func;
	double calls; /* loads per point, all shapes */
	int n_shapes;
	struct bw_load_shape *shapes;
	bool bounded;
	double block_points; /* points of the box that one block touches */
	double block_row;    /* extent of that box in the innermost dimension */
};

/* Classes of operations, by the functional units that execute them. */
enum bw_work { BW_WORK_INT, BW_WORK_FLOAT, BW_WORK_DOUBLE, BW_WORK_SPECIAL, BW_N_WORKS };

struct bw_readings {
	int n;
	struct bw_reading *list; /* stored producers, including the stage's own Func if an update reads it */
	double work[BW_N_WORKS];  /* operations per point, without those for addresses; a fused multiply-add
				     is one */
	bool instructions; /* the next two are counted; they are 0 where nobody asks for them */
	/* per point that compilers make of operations on integers */
	double int_instructions;
	double dear;             /* per point: divisions and calls of floats */
	double inlined_calls; /* calls of inlined Funcs per point */
	double results;       /* of them, per point: those that the compiler computes */
	double unrolled;      /* points of one pass through the unrolled loops */
};

/* What is asked for, as bits: instructions as the compiler leaves them; what it leaves of selects where
 * parity is known (nest/parity.h), or where all parity is. */
enum { BW_READ_INSTRUCTIONS = 1, BW_READ_PARITY = 2, BW_READ_ALL_PARITY = 4 };

/* Returns the readings of a stage of the context's kernel, owned by the arena. */
struct bw_readings bw_readings_of(const struct bw_context *context, int func, int stage, int asked,
				  struct bw_arena *arena);
/* Adds the operations of `calls` points of a stage, without those of inlined Funcs and those for addresses.
 * Nothing is fused. */
void bw_stage_work(const struct bw_stage *stage, double calls, double work[BW_N_WORKS]);

/* A placed stage with a vector loop. */
struct bw_vector {
	const struct bw_stage *stage;
	const struct bw_stage_plan *plan;
	const struct bw_placed_stage *placed;
};

/* Returns how many values one instruction of a stage loads of Func `of`, or stores: 1 if its innermost loop
 * is no vector, if that does not walk beside each other what it loads, or if Halide cannot prove that they
 * are aligned. entries: of the load or the store; aligned: bytes, a power of two, that divide where the
 * allocation begins. */
double bw_vector_width(const struct bw_vector *vector, const struct bw_ratio *entries,
		       const struct bw_func *of, const struct bw_storage *storage, int aligned, bool stores);
