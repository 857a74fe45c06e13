#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { RADIUS = 2, SIDE = 2 * RADIUS + 1 };

struct image {
	uint16_t *pixels;
	int width, height;
};

static int within(int x, int extent)
{
	return x < 0 ? 0 : x < extent ? x : extent - 1;
}

/* The image with `border` pixels more on each side, equal to those at its edge. */
static struct image framed(const struct image *image, int border)
{
	struct image wide = {NULL, image->width + 2 * border, image->height + 2 * border};
	wide.pixels = BW_NEW_ARRAY(uint16_t, wide.width * wide.height);
	for (int y = 0; y < wide.height; y++)
		for (int x = 0; x < wide.width; x++)
			wide.pixels[y * wide.width + x] = image->pixels[within(y - border, image->height) * image->width + within(x - border, image->width)];
	return wide;
}

/* The pixels of an image that have all neighbours, filtered: the weights are 1, 2, 3, ... row by row, the sum is taken modulo 2^16. Frees the
 * image. */
static struct image filtered(struct image image)
{
	struct image inner = {NULL, image.width - 2 * RADIUS, image.height - 2 * RADIUS};
	inner.pixels = BW_NEW_ARRAY(uint16_t, inner.width * inner.height);
	for (int y = 0; y < inner.height; y++)
		for (int x = 0; x < inner.width; x++) {
			unsigned sum = 0;
			for (int k = 0; k < SIDE * SIDE; k++)
				sum += (unsigned)(k + 1) * image.pixels[(y + k / SIDE) * image.width + x + k % SIDE];
			inner.pixels[y * inner.width + x] = (uint16_t)sum;
		}
	free(image.pixels);
	return inner;
}

static void check(const struct compiled *compiled, int width, int height, int stages)
{
	struct image in = {BW_NEW_ARRAY(uint16_t, width * height), width, height};
	uint16_t *out = BW_NEW_ARRAY(uint16_t, width * height);
	uint64_t state = 1;
	for (int i = 0; i < width * height; i++)
		in.pixels[i] = (uint16_t)noise(&state);
	struct halide_dimension_t in_dims[] = {{0, width, 1, 0}, {0, height, width, 0}}, out_dims[] = {{0, width, 1, 0}, {0, height, width, 0}};
	struct halide_type_t type = {halide_type_uint, 16, 1};
	struct halide_buffer_t input = buffer_of(in.pixels, type, in_dims, 2), output = buffer_of(out, type, out_dims, 2);
	run_filter(compiled->path, &input, &output);
	struct image right = framed(&in, stages * RADIUS);
	for (int s = 0; s < stages; s++)
		right = filtered(right);
	assert_int_equal(right.width, width);
	for (int i = 0; i < width * height; i++)
		if (out[i] != right.pixels[i])
			fail_msg("%s: (%d, %d) of %dx%d is %d, not %d", compiled->path, i % width, i / width, width, height, out[i], right.pixels[i]);
	free(right.pixels);
	free(in.pixels);
	free(out);
}

void check_stencil_chain(const struct compiled *compiled, int width, int height)
{
	check(compiled, width, height, 8);
}

void check_short_chain(const struct compiled *compiled, int width, int height)
{
	check(compiled, width, height, 3);
}
