#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "integers.h"
#include "tensor.h"

/* Radians within one turn. */
static double root(int x, int y)
{
	return sqrt(cos(x % 7) + sin(y % 7));
}

void check_cs6120_roots(const struct compiled *compiled, int width, int height)
{
	struct tensor out;
	tensor_make(&out, (const int[]){width, height}, 2);
	run_filter_with(compiled->path, (void *[]){&out.buffer}, &out.buffer);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double right = root(x, y) + root(x + 1, y) + root(x, y + 1) + root(x + 1, y + 1), got = (double)*tensor_at(&out, (const int[]){x, y});
			if (isnan(right) ? !isnan(got) : !(fabs(got - right) <= compiled->bound))
				fail_msg("%s: (%d, %d) is %.9g, not %.9g", compiled->path, x, y, got, right);
		}
	tensor_free(&out);
}

static uint32_t once(const void *of, int x, int y)
{
	return integers_at(of, x - 1, y) + integers_at(of, x, y) + integers_at(of, x + 1, y) / 3;
}

static uint32_t twice(const void *of, int x, int y)
{
	return once(of, x - 1, y) + once(of, x, y) + once(of, x + 1, y) / 3;
}

/* The output begins at (2, 0). */
void check_cs6120_blur(const struct compiled *compiled, int width, int height)
{
	integers_check(compiled, &(struct integers_case){.width = width + 4, .height = height, .out = {2, 0, width, height}, .right = twice});
}

void check_cs6120_sum(const struct compiled *compiled, int width, int height)
{
	int32_t *sums = BW_NEW_ARRAY(int32_t, width * height);
	struct halide_dimension_t dims[] = {{0, width, 1, 0}, {0, height, width, 0}};
	struct halide_buffer_t out = buffer_of(sums, (struct halide_type_t){halide_type_int, 32, 1}, dims, 2);
	for (int k = 0; k < width * height; k++)
		sums[k] = -1;
	run_filter_with(compiled->path, (void *[]){&out}, &out);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			if (sums[y * width + x] != x + y)
				fail_msg("%s: (%d, %d) is %d", compiled->path, x, y, sums[y * width + x]);
	free(sums);
}
