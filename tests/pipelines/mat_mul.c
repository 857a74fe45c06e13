#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { SIZE = 160 };

/* Of matrices of one size, which is a parameter; that of images is of no use here, but for other contents. */
void check_mat_mul(const struct compiled *compiled, int width, int height)
{
	float *in[2] = {BW_NEW_ARRAY(float, SIZE * SIZE), BW_NEW_ARRAY(float, SIZE * SIZE)}, *out;
	uint64_t state = (uint64_t)width * 1000 + (uint64_t)height;
	for (int i = 0; i < 2 * SIZE * SIZE; i++)
		in[i % 2][i / 2] = (float)((double)noise(&state) / 0x1p31);
	if (posix_memalign((void **)&out, 16, sizeof(float) * SIZE * SIZE))
		fail();
	struct halide_dimension_t dims[3][2];
	for (int k = 0; k < 3; k++) {
		dims[k][0] = (struct halide_dimension_t){0, SIZE, 1, 0};
		dims[k][1] = (struct halide_dimension_t){0, SIZE, SIZE, 0};
	}
	struct halide_type_t type = {halide_type_float, 32, 1};
	struct halide_buffer_t a = buffer_of(in[0], type, dims[0], 2), b = buffer_of(in[1], type, dims[1], 2), output = buffer_of(out, type, dims[2], 2);
	run_filter_with(compiled->path, (void *[]){&a, &b, &output}, &output);
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++) {
			double right = 0;
			for (int k = 0; k < SIZE; k++)
				right += (double)in[0][k * SIZE + x] * (double)in[1][y * SIZE + k];
			double got = (double)out[y * SIZE + x];
			if (!(fabs(got - right) <= compiled->relative * right))
				fail_msg("%s: (%d, %d) is %.9g, not %.9g", compiled->path, x, y, got, right);
		}
	free(in[0]);
	free(in[1]);
	free(out);
}
