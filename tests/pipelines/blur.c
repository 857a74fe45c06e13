#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

static unsigned row(const uint16_t *pixels)
{
	return ((unsigned)pixels[0] + pixels[1] + pixels[2]) / 3;
}

/* The blurred pixel at (x, y) of an image of `stride` pixels a row. */
static uint16_t blurred(const uint16_t *image, int stride, int x, int y)
{
	const uint16_t *corner = image + (long)y * stride + x;
	return (uint16_t)((row(corner) + row(corner + stride) + row(corner + 2 * stride)) / 3);
}

void check_blur(const struct compiled *compiled, int width, int height)
{
	uint16_t *in = BW_NEW_ARRAY(uint16_t, (width + 2) * (height + 2)), *out = BW_NEW_ARRAY(uint16_t, width * height);
	uint64_t state = 1;
	for (int i = 0; i < (width + 2) * (height + 2); i++)
		in[i] = (uint16_t)noise(&state);
	struct halide_dimension_t in_dims[] = {{0, width + 2, 1, 0}, {0, height + 2, width + 2, 0}}, out_dims[] = {{0, width, 1, 0}, {0, height, width, 0}};
	struct halide_type_t type = {halide_type_uint, 16, 1};
	struct halide_buffer_t input = buffer_of(in, type, in_dims, 2), output = buffer_of(out, type, out_dims, 2);
	run_filter(compiled->path, &input, &output);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			if (out[y * width + x] != blurred(in, width + 2, x, y))
				fail_msg("%s: (%d, %d) of %dx%d is %d", compiled->path, x, y, width, height, out[y * width + x]);
	free(in);
	free(out);
}
