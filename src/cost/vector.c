#include "cost/vector.h"

#include <math.h>

/* LLVM's vectors in Halide's code for CUDA have 8 bytes, however aligned; 4 values of 4 bytes are loaded as
 * one of 16 bytes, and stored as two of 8 (Halide's CodeGen_LLVM.cpp and CodeGen_PTX_Dev.cpp, 14 to 21). The
 * buffers of inputs and outputs are taken to be aligned where their rows are known. */
enum { VECTOR_MOST = 4, HALF_BYTES = 8 };

double bw_vector_width(const struct bw_vector *vector, const struct bw_ratio *entries,
		       const struct bw_func *of, const struct bw_storage *storage, int aligned, bool stores)
{
	const struct bw_stage_plan *plan = vector->plan;
	const int innermost = plan->n_loops - 1, n_loops = vector->stage->n_loops;
	double element = (double)of->bytes / of->n_values, width = 1;
	if (innermost < 0 || plan->loops[innermost].kind != BW_LOOP_VECTOR)
		return 1;
	const int64_t extent = vector->placed->extents[innermost];
	while (width < VECTOR_MOST && extent % (2 * (int64_t)width) == 0)
		width *= 2;
	for (int d = 0; d < of->n_dims; d++) {
		struct bw_ratio entry = entries[d * n_loops + plan->loops[innermost].loop];
		if (entry.den != 1 || entry.num != (storage->strides[d] == 1))
			return 1;
		while (width > 1 && storage->strides[d] != 1 && fmod(storage->strides[d], width) != 0)
			width /= 2;
	}
	while (width > 1 && width * element > aligned)
		width /= 2;
	if (extent == VECTOR_MOST && width == VECTOR_MOST && width * element == BW_VECTOR_BYTES)
		return stores ? width / 2 : width;
	while (width > 1 && width * element > HALF_BYTES)
		width /= 2;
	return width;
}
