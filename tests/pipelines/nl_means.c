#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { PATCH = 3, SEARCH = 7, CHANNELS = 3 };

struct image {
	const float *pixels;
	int width, height;
};

static double pixel(const struct image *image, int x, int y, int c)
{
	int column = x < 0 ? 0 : x < image->width ? x : image->width - 1, row = y < 0 ? 0 : y < image->height ? y : image->height - 1;
	return (double)image->pixels[(c * image->height + row) * image->width + column];
}

/* The squared distance of the patches around two pixels. */
static double distance(const struct image *image, int x, int y, int other_x, int other_y)
{
	double sum = 0;
	for (int k = 0; k < PATCH * PATCH * CHANNELS; k++) {
		int dx = k % PATCH - PATCH / 2, dy = k / PATCH % PATCH - PATCH / 2, c = k / (PATCH * PATCH);
		double difference = pixel(image, x + dx, y + dy, c) - pixel(image, other_x + dx, other_y + dy, c);
		sum += difference * difference;
	}
	return sum;
}

static void mean(const struct image *image, double sigma, int x, int y, double right[CHANNELS])
{
	double weights = 0;
	for (int c = 0; c < CHANNELS; c++)
		right[c] = 0;
	for (int k = 0; k < SEARCH * SEARCH; k++) {
		int other_x = x + k % SEARCH - SEARCH / 2, other_y = y + k / SEARCH - SEARCH / 2;
		double weight = exp(-distance(image, x, y, other_x, other_y) / (sigma * sigma * PATCH * PATCH));
		weights += weight;
		for (int c = 0; c < CHANNELS; c++)
			right[c] += weight * pixel(image, other_x, other_y, c);
	}
	for (int c = 0; c < CHANNELS; c++)
		right[c] /= weights;
}

static void check(const struct compiled *compiled, const struct image *image, float *sigma, float *out)
{
	const int width = image->width, height = image->height, plane = width * height;
	struct halide_dimension_t in_dims[] = {{0, width, 1, 0}, {0, height, width, 0}, {0, CHANNELS, plane, 0}}, out_dims[] = {in_dims[0], in_dims[1], in_dims[2]};
	struct halide_type_t type = {halide_type_float, 32, 1};
	struct halide_buffer_t input = buffer_of((float *)(uintptr_t)image->pixels, type, in_dims, 3), output = buffer_of(out, type, out_dims, 3);
	run_filter_with(compiled->path, (void *[]){&input, sigma, &output}, &output);
	for (int i = 0; i < plane; i++) {
		double right[CHANNELS];
		mean(image, (double)*sigma, i % width, i / width, right);
		for (int c = 0; c < CHANNELS; c++) {
			double got = (double)out[c * plane + i];
			if (!(fabs(got - right[c]) <= compiled->bound))
				fail_msg("%s: (%d, %d, %d) of %dx%d is %.9g, not %.9g", compiled->path, i % width, i / width, c, width, height, got, right[c]);
		}
	}
}

void check_nl_means(const struct compiled *compiled, int width, int height)
{
	float *in = BW_NEW_ARRAY(float, CHANNELS * width * height), *out = BW_NEW_ARRAY(float, CHANNELS * width * height);
	const struct image image = {in, width, height};
	float sigmas[] = {0.12f, 0.5f};
	uint64_t state = 1;
	/* Noise on two flat sides of edges, and some that is like nothing else. */
	for (int i = 0; i < CHANNELS * width * height; i++) {
		float noisy = (float)((double)noise(&state) / 0x1p31);
		in[i] = i % width / 11 % 3 == 0 ? noisy : 0.2f + 0.2f * noisy + (i / width / 9 % 2 ? 0.4f : 0);
	}
	for (int k = 0; k < 2; k++)
		check(compiled, &image, &sigmas[k], out);
	free(in);
	free(out);
}
