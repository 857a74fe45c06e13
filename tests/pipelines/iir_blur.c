#include <stdlib.h>

#include "base/mem.h"
#include "tensor.h"

enum { CHANNELS = 3 };

/* n values, a stride apart, filtered there and back. */
static void there_and_back(double *values, int n, int stride, double share)
{
	for (int k = 1; k < n; k++)
		values[k * stride] = share * values[k * stride] + (1 - share) * values[(k - 1) * stride];
	for (int k = n - 2; k >= 0; k--)
		values[k * stride] = share * values[k * stride] + (1 - share) * values[(k + 1) * stride];
}

struct filtered {
	const double *values;
	int width, height;
};

static double right(const void *context, int x, int y, int c)
{
	const struct filtered *filtered = context;
	return filtered->values[(c * filtered->height + y) * filtered->width + x];
}

void check_iir_blur(const struct compiled *compiled, int width, int height)
{
	float share = 0.3f;
	struct tensor in, out;
	uint64_t state = 1;
	const int extents[] = {width, height, CHANNELS}, n = width * height * CHANNELS;
	tensor_make(&in, extents, 3);
	tensor_make(&out, extents, 3);
	tensor_fill(&in, &state, 0, 1);
	double *values = BW_NEW_ARRAY(double, n);
	for (int k = 0; k < n; k++)
		values[k] = (double)in.values[k];
	for (int k = 0; k < CHANNELS * width; k++)
		there_and_back(values + k / width * width * height + k % width, height, width, (double)share);
	for (int k = 0; k < CHANNELS * height; k++)
		there_and_back(values + k * width, width, 1, (double)share);
	run_filter_with(compiled->path, (void *[]){&in.buffer, &share, &out.buffer}, &out.buffer);
	tensor_all_near(&out, right, &(struct filtered){values, width, height}, compiled->bound, compiled->path);
	free(values);
	tensor_free(&in);
	tensor_free(&out);
}
