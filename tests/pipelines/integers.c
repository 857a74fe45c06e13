#include "integers.h"

#include <stdlib.h>

#include "base/mem.h"

struct image {
	uint32_t *pixels;
	int width, height;
};

uint32_t integers_at(const void *of, int x, int y)
{
	const struct image *image = of;
	assert_true(x >= 0 && x < image->width && y >= 0 && y < image->height);
	return image->pixels[y * image->width + x];
}

void integers_check(const struct compiled *compiled, const struct integers_case *one)
{
	const int width = one->out[2], height = one->out[3];
	uint32_t *in = BW_NEW_ARRAY(uint32_t, one->width * one->height), *out = BW_NEW_ARRAY(uint32_t, width * height);
	const struct image image = {in, one->width, one->height};
	uint64_t state = 1;
	for (int k = 0; k < one->width * one->height; k++)
		in[k] = (uint32_t)noise(&state) >> 11;
	struct halide_dimension_t in_dims[] = {{0, one->width, 1, 0}, {0, one->height, one->width, 0}}, out_dims[] = {{one->out[0], width, 1, 0}, {one->out[1], height, width, 0}};
	struct halide_type_t type = {one->is_signed ? halide_type_int : halide_type_uint, 32, 1};
	struct halide_buffer_t input = buffer_of(in, type, in_dims, 2), output = buffer_of(out, type, out_dims, 2);
	run_filter(compiled->path, &input, &output);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			uint32_t right = one->right(&image, x + one->out[0], y + one->out[1]), got = out[y * width + x];
			if (got != right)
				fail_msg("%s: (%d, %d) of %dx%d is %u, not %u", compiled->path, x, y, width, height, got, right);
		}
	free(in);
	free(out);
}
