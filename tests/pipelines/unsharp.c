#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { RADIUS = 3, CHANNELS = 3 };
static const double sigma = 1.5, darkest = 1.0 / 1024;

struct image {
	const float *pixels;
	int width, height;
};

static int within(int x, int extent)
{
	return x < 0 ? 0 : x < extent ? x : extent - 1;
}

static double channel(const struct image *image, int x, int y, int c)
{
	return (double)image->pixels[((long)c * image->height + within(y, image->height)) * image->width + within(x, image->width)];
}

static double brightness(const struct image *image, int x, int y)
{
	return (double)0.299f * channel(image, x, y, 0) + (double)0.587f * channel(image, x, y, 1) + (double)0.114f * channel(image, x, y, 2);
}

/* The mean of brightness by a Gaussian of both coordinates at once. */
static double blurred(const struct image *image, int x, int y)
{
	double sum = 0, weights = 0;
	for (int dy = -RADIUS; dy <= RADIUS; dy++)
		for (int dx = -RADIUS; dx <= RADIUS; dx++) {
			double weight = exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
			sum += weight * brightness(image, x + dx, y + dy);
			weights += weight;
		}
	return sum / weights;
}

/* What a pixel's channels are multiplied by. */
static double gain(const struct image *image, int x, int y)
{
	double gray = brightness(image, x, y);
	return (2 * gray - blurred(image, x, y)) / fmax(gray, darkest);
}

/* A photograph's extremes: black, nearly black and white pixels among all others. */
static float sample(uint64_t *state)
{
	double value = (double)noise(state) / 0x1p31;
	switch (noise(state) % 6) {
	case 0:
		return 0;
	case 1:
		return (float)(value / 1024);
	case 2:
		return 1;
	default:
		return (float)value;
	}
}

void check_unsharp(const struct compiled *compiled, int width, int height)
{
	const int plane = width * height;
	float *in = BW_NEW_ARRAY(float, CHANNELS * plane), *out = BW_NEW_ARRAY(float, CHANNELS * plane);
	const struct image image = {in, width, height};
	uint64_t state = 1;
	for (int i = 0; i < CHANNELS * plane; i++)
		in[i] = i % plane / 7 % 5 ? sample(&state) : 0;
	struct halide_dimension_t in_dims[] = {{0, width, 1, 0}, {0, height, width, 0}, {0, CHANNELS, plane, 0}}, out_dims[] = {{0, width, 1, 0}, {0, height, width, 0}, {0, CHANNELS, plane, 0}};
	struct halide_type_t type = {halide_type_float, 32, 1};
	struct halide_buffer_t input = buffer_of(in, type, in_dims, 3), output = buffer_of(out, type, out_dims, 3);
	run_filter(compiled->path, &input, &output);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double factor = gain(&image, x, y);
			for (int c = 0; c < CHANNELS; c++) {
				double right = factor * channel(&image, x, y, c), got = (double)out[c * plane + y * width + x];
				if (!(fabs(got - right) <= compiled->bound))
					fail_msg("%s: (%d, %d, %d) of %dx%d is %.9g, not %.9g", compiled->path, x, y, c, width, height, got, right);
			}
		}
	free(in);
	free(out);
}
