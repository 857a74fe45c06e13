#include "tensor.h"

#include <math.h>
#include <stdlib.h>

static size_t values_of(const struct tensor *tensor)
{
	size_t n = 1;
	for (int d = 0; d < tensor->n_dimensions; d++)
		n *= (size_t)tensor->dims[d].extent;
	return n;
}

void tensor_make(struct tensor *tensor, const int *extents, int n_dimensions)
{
	assert_true(n_dimensions <= TENSOR_MOST_DIMENSIONS);
	int stride = 1;
	tensor->n_dimensions = n_dimensions;
	for (int d = 0; d < n_dimensions; d++) {
		tensor->dims[d] = (struct halide_dimension_t){0, extents[d], stride, 0};
		stride *= extents[d];
	}
	void *values;
	if (posix_memalign(&values, 16, sizeof(float) * values_of(tensor)))
		fail();
	tensor->values = values;
	tensor->buffer = buffer_of(values, (struct halide_type_t){halide_type_float, 32, 1}, tensor->dims, n_dimensions);
}

void tensor_free(struct tensor *tensor)
{
	free(tensor->values);
}

void tensor_fill(struct tensor *tensor, uint64_t *state, double least, double most)
{
	for (size_t k = 0; k < values_of(tensor); k++)
		tensor->values[k] = (float)(least + (most - least) * ((double)noise(state) / 0x1p31));
}

float *tensor_at(const struct tensor *tensor, const int *coordinates)
{
	long place = 0;
	for (int d = 0; d < tensor->n_dimensions; d++)
		place += (long)coordinates[d] * tensor->dims[d].stride;
	return &tensor->values[place];
}

static int within(int at, int extent)
{
	return at < 0 ? 0 : at < extent ? at
					: extent - 1;
}

double tensor_clamped(const struct tensor *tensor, int x, int y, int c)
{
	return (double)*tensor_at(tensor, (const int[]){within(x, tensor->dims[0].extent), within(y, tensor->dims[1].extent), c});
}

void tensor_near(const struct tensor *tensor, const int *coordinates, double right, double bound, const char *path)
{
	double got = (double)*tensor_at(tensor, coordinates);
	if (!(fabs(got - right) <= bound))
		fail_msg("%s: (%d, %d, ...) is %.9g, not %.9g", path, coordinates[0], coordinates[1], got, right);
}

void tensor_all_near(const struct tensor *tensor, double (*right)(const void *context, int x, int y, int c), const void *context, double bound, const char *path)
{
	for (int c = 0; c < (tensor->n_dimensions > 2 ? tensor->dims[2].extent : 1); c++)
		for (int y = 0; y < tensor->dims[1].extent; y++)
			for (int x = 0; x < tensor->dims[0].extent; x++)
				tensor_near(tensor, (const int[]){x, y, c}, right(context, x, y, c), bound, path);
}
