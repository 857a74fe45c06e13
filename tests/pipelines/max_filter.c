#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { CHANNELS = 3, RADIUS = 3 };

static float pixel(const float *plane, int width, int height, int x, int y)
{
	int column = x < 0 ? 0 : x < width ? x : width - 1, row = y < 0 ? 0 : y < height ? y : height - 1;
	return plane[row * width + column];
}

/* The largest of the pixels nearer than the radius and a quarter. */
static float largest(const float *plane, int width, int height, int x, int y)
{
	float most = pixel(plane, width, height, x, y);
	for (int dy = -RADIUS; dy <= RADIUS; dy++)
		for (int dx = -RADIUS; dx <= RADIUS; dx++) {
			float value = pixel(plane, width, height, x + dx, y + dy);
			if (16 * (dx * dx + dy * dy) < (4 * RADIUS + 1) * (4 * RADIUS + 1) && value > most)
				most = value;
		}
	return most;
}

/* Negative values, too: where nothing of the disc is read, a zero is seen. */
void check_max_filter(const struct compiled *compiled, int width, int height)
{
	const int plane = width * height;
	float *in = BW_NEW_ARRAY(float, CHANNELS * plane), *out = BW_NEW_ARRAY(float, CHANNELS * plane);
	uint64_t state = 1;
	for (int i = 0; i < CHANNELS * plane; i++) {
		in[i] = (float)((double)noise(&state) / 0x1p31);
		in[i] = in[i] * in[i] * in[i] - 2.0f;
	}
	struct halide_dimension_t in_dims[] = {{0, width, 1, 0}, {0, height, width, 0}, {0, CHANNELS, plane, 0}}, out_dims[] = {{0, width, 1, 0}, {0, height, width, 0}, {0, CHANNELS, plane, 0}};
	struct halide_type_t type = {halide_type_float, 32, 1};
	struct halide_buffer_t input = buffer_of(in, type, in_dims, 3), output = buffer_of(out, type, out_dims, 3);
	run_filter(compiled->path, &input, &output);
	for (int i = 0; i < CHANNELS * plane; i++) {
		int x = i % width, y = i / width % height, c = i / plane;
		float right = largest(in + c * plane, width, height, x, y);
		if (!(out[i] >= right && out[i] <= right))
			fail_msg("%s: (%d, %d, %d) of %dx%d is %.9g, not %.9g", compiled->path, x, y, c, width, height, (double)out[i], (double)right);
	}
	free(in);
	free(out);
}
