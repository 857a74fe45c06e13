/* Buffers of floats of any number of dimensions, dense, the first innermost, for the checks of pipelines. */
#pragma once
#include "check.h"

enum { TENSOR_MOST_DIMENSIONS = 4 };

struct tensor {
	float *values; /* aligned to 16 bytes */
	int n_dimensions;
	struct halide_dimension_t dims[TENSOR_MOST_DIMENSIONS];
	struct halide_buffer_t buffer; /* of these: the tensor may not move */
};

/* Uninitialized; its values are freed by tensor_free(). */
void tensor_make(struct tensor *tensor, const int *extents, int n_dimensions);
void tensor_free(struct tensor *tensor);
/* Noise in [least, most). */
void tensor_fill(struct tensor *tensor, uint64_t *state, double least, double most);
/* Where the value at these coordinates is. */
float *tensor_at(const struct tensor *tensor, const int *coordinates);
/* The same, the first two coordinates moved to the next that there are: the edge is repeated beyond it. */
double tensor_clamped(const struct tensor *tensor, int x, int y, int c);
/* A failed test where the value is farther than that from what it should be. */
void tensor_near(const struct tensor *tensor, const int *coordinates, double right, double bound, const char *path);
/* The same of an output of floats that is `right` at each place of width x height x channels. */
void tensor_all_near(const struct tensor *tensor, double (*right)(const void *context, int x, int y, int c), const void *context, double bound, const char *path);
