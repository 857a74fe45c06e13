#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

struct image {
	const uint8_t *bytes;
	int stride, plane;
};

static double brightness(const struct image *image, int x, int y)
{
	const uint8_t *red = image->bytes + (long)y * image->stride + x, *green = red + image->plane, *blue = green + image->plane;
	return ((double)0.299f * *red + (double)0.587f * *green + (double)0.114f * *blue) / 255;
}

/* Sobel's operator along x (or along y) over 12. */
static double derivative(const struct image *image, int x, int y, int along_y)
{
	static const int weights[3] = {1, 2, 1};
	double sum = 0;
	for (int side = -1; side <= 1; side += 2)
		for (int k = -1; k <= 1; k++)
			sum += side * weights[k + 1] * (along_y ? brightness(image, x + k, y + side) : brightness(image, x + side, y + k));
	return sum / 12;
}

/* The response of the detector at (x, y) of a colour image of three planes, exact but for rounding to double. */
static double response(const uint8_t *bytes, int stride, int plane, int x, int y)
{
	const struct image image = {bytes, stride, plane};
	double xx = 0, yy = 0, xy = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			double ix = derivative(&image, x + dx, y + dy, 0), iy = derivative(&image, x + dx, y + dy, 1);
			xx += ix * ix;
			yy += iy * iy;
			xy += ix * iy;
		}
	return xx * yy - xy * xy - (double)0.04f * (xx + yy) * (xx + yy);
}

void check_harris(const struct compiled *compiled, int width, int height)
{
	const int plane = (width + 4) * (height + 4);
	uint8_t *in = BW_NEW_ARRAY(uint8_t, 3 * plane);
	float *out = BW_NEW_ARRAY(float, width * height);
	uint64_t state = 1;
	for (int i = 0; i < 3 * plane; i++)
		in[i] = (uint8_t)(noise(&state) % 3 == 0 ? 255 : noise(&state) % 3 == 0 ? 0 : noise(&state));
	struct halide_dimension_t in_dims[] = {{0, width + 4, 1, 0}, {0, height + 4, width + 4, 0}, {0, 3, plane, 0}}, out_dims[] = {{2, width, 1, 0}, {2, height, width, 0}};
	struct halide_buffer_t input = buffer_of(in, (struct halide_type_t){halide_type_uint, 8, 1}, in_dims, 3);
	struct halide_buffer_t output = buffer_of(out, (struct halide_type_t){halide_type_float, 32, 1}, out_dims, 2);
	run_filter(compiled->path, &input, &output);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double right = response(in, width + 4, plane, x + 2, y + 2);
			if (!(fabs((double)out[y * width + x] - right) <= compiled->bound))
				fail_msg("%s: (%d, %d) of %dx%d is %.9g, not %.9g", compiled->path, x + 2, y + 2, width, height, (double)out[y * width + x], right);
		}
	free(in);
	free(out);
}
