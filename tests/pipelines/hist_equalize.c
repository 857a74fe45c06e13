#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { CHANNELS = 3 };

static int luma(const uint8_t *in, int plane, int pixel)
{
	return (77 * in[pixel] + 150 * in[plane + pixel] + 29 * in[2 * plane + pixel]) / 256;
}

/* A pixel's new brightness: the share of pixels that are no brighter, of 255. */
static int equalized(const uint8_t *in, int plane, int pixel)
{
	int64_t no_brighter = 0;
	for (int other = 0; other < plane; other++)
		no_brighter += luma(in, plane, other) <= luma(in, plane, pixel);
	return (int)(no_brighter * 255 / plane);
}

/* Dark images, so that equalization has something to do, with some white. */
void check_hist_equalize(const struct compiled *compiled, int width, int height)
{
	const int plane = width * height;
	uint8_t *in = BW_NEW_ARRAY(uint8_t, CHANNELS * plane), *out = BW_NEW_ARRAY(uint8_t, CHANNELS * plane);
	uint64_t state = 1;
	for (int i = 0; i < CHANNELS * plane; i++)
		in[i] = (uint8_t)(noise(&state) % 9 ? noise(&state) % 60 : 255);
	struct halide_dimension_t in_dims[] = {{0, width, 1, 0}, {0, height, width, 0}, {0, CHANNELS, plane, 0}}, out_dims[] = {{0, width, 1, 0}, {0, height, width, 0}, {0, CHANNELS, plane, 0}};
	struct halide_type_t type = {halide_type_uint, 8, 1};
	struct halide_buffer_t input = buffer_of(in, type, in_dims, 3), output = buffer_of(out, type, out_dims, 3);
	run_filter(compiled->path, &input, &output);
	for (int pixel = 0; pixel < plane; pixel++) {
		int change = equalized(in, plane, pixel) - luma(in, plane, pixel);
		for (int c = 0; c < CHANNELS; c++) {
			int moved = in[c * plane + pixel] + change, right = moved < 0 ? 0 : moved > 255 ? 255 : moved;
			if (out[c * plane + pixel] != right)
				fail_msg("%s: (%d, %d, %d) of %dx%d is %d, not %d", compiled->path, pixel % width, pixel / width, c, width, height, out[c * plane + pixel], right);
		}
	}
	free(in);
	free(out);
}
