/* What one placed stage reads, directly or through inlined Funcs. For each stored producer: the shapes of
 * its loads, and the box that a block touches. For the stage: the operations per point, including those of
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
	/* operations per point, without those for addresses; a fused multiply-add counts as one */
	double work[BW_N_WORKS];
	/* int_instructions and dear are counted; they are 0 unless BW_READ_INSTRUCTIONS is asked for */
	bool instructions;
	/* integer instructions per point, after the compiler's simplifications */
	double int_instructions;
	double dear;             /* expensive float operations per point: divisions, mods and extern calls */
	double inlined_calls; /* calls of inlined Funcs per point */
	/* those of the inlined calls per point that the compiler computes, after merging equal ones */
	double results;
	double unrolled;      /* points of one pass through the unrolled loops */
};

/* Options of bw_readings_of, as bits. INSTRUCTIONS: count instructions after the compiler's
 * simplifications. PARITY: count only the branches of selects that remain where parity is known
 * (nest/parity.h). ALL_PARITY: the same, as if all parity were known. */
enum { BW_READ_INSTRUCTIONS = 1, BW_READ_PARITY = 2, BW_READ_ALL_PARITY = 4 };

/* Returns the readings of a stage of the context's kernel, owned by the arena. */
struct bw_readings bw_readings_of(const struct bw_context *context, int func, int stage, int asked,
				  struct bw_arena *arena);
/* Adds the operations of `calls` points of a stage. Leaves out the operations of inlined Funcs and those
 * for addresses. Nothing is fused. */
void bw_stage_work(const struct bw_stage *stage, double calls, double work[BW_N_WORKS]);

/* A placed stage with a vector loop. */
struct bw_vector {
	const struct bw_stage *stage;
	const struct bw_stage_plan *plan;
	const struct bw_placed_stage *placed;
};

/* Returns the number of values of Func `of` that one instruction of a stage loads or stores. Returns 1 if
 * the innermost loop is not a vector, if the values of its iterations are not adjacent in memory, or if
 * Halide cannot prove that they are aligned. entries: the Jacobian of the load or store. aligned:
 * alignment of the allocation in bytes, a power of two. */
double bw_vector_width(const struct bw_vector *vector, const struct bw_ratio *entries,
		       const struct bw_func *of, const struct bw_storage *storage, int aligned, bool stores);
