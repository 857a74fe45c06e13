/* What Halide's code for CUDA loads and stores at once in a vector loop. */
#ifndef BW_COST_VECTOR_H
#define BW_COST_VECTOR_H
#include "cost/context.h"

/* A placed stage. */
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
#endif
