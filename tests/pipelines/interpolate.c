#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { LEVELS = 4, CHANNELS = 4 };

/* A level of a pyramid: one column and one row more than its share of the image, rounded up. */
struct level {
	int width, height;
	double *values; /* by channel, row and column */
};

static struct level level_make(int width, int height, int number)
{
	struct level level = {(width + (1 << number) - 1) / (1 << number) + 1, (height + (1 << number) - 1) / (1 << number) + 1, NULL};
	level.values = BW_NEW_ARRAY(double, CHANNELS * level.width * level.height);
	return level;
}

/* The nearest place that there is. */
static double *at(const struct level *level, int x, int y, int c)
{
	int column = x < 0 ? 0 : x < level->width ? x : level->width - 1, row = y < 0 ? 0 : y < level->height ? y : level->height - 1;
	return &level->values[(c * level->height + row) * level->width + column];
}

static double smaller(const struct level *below, int x, int y, int c)
{
	static const int weights[3] = {1, 2, 1};
	double sum = 0;
	for (int k = 0; k < 9; k++)
		sum += weights[k % 3] * weights[k / 3] * *at(below, 2 * x + k % 3 - 1, 2 * y + k / 3 - 1, c);
	return sum / 16;
}

/* Between the four nearest of the level above, each half as far again as it seems. */
static double larger(const struct level *higher, int x, int y, int c)
{
	double column = x / 2.0, row = y / 2.0, sum = 0;
	for (int k = 0; k < 4; k++) {
		int right = (int)floor(column) + k % 2, lower = (int)floor(row) + k / 2;
		double weight = (1 - fabs(column - right)) * (1 - fabs(row - lower));
		sum += weight > 0 ? weight * *at(higher, right, lower, c) : 0;
	}
	return sum;
}

/* Fills level 0 by those above. */
static void fill(struct level levels[LEVELS])
{
	for (int l = 1; l < LEVELS; l++)
		for (int i = 0; i < CHANNELS * levels[l].width * levels[l].height; i++)
			levels[l].values[i] = smaller(&levels[l - 1], i % levels[l].width, i / levels[l].width % levels[l].height, i / levels[l].width / levels[l].height);
	for (int l = LEVELS - 2; l >= 0; l--)
		for (int y = 0; y < levels[l].height; y++)
			for (int x = 0; x < levels[l].width; x++) {
				double lacking = 1 - *at(&levels[l], x, y, 3);
				for (int c = 0; c < CHANNELS; c++)
					*at(&levels[l], x, y, c) += lacking * larger(&levels[l + 1], x, y, c);
			}
}

struct image {
	float *in, *out;
	int width, height;
};

static void run(const struct compiled *compiled, const struct image *image)
{
	const int plane = image->width * image->height;
	struct halide_dimension_t in_dims[] = {{0, image->width, 1, 0}, {0, image->height, image->width, 0}, {0, CHANNELS, plane, 0}}, out_dims[] = {in_dims[0], in_dims[1], {0, 3, plane, 0}};
	struct halide_type_t type = {halide_type_float, 32, 1};
	struct halide_buffer_t input = buffer_of(image->in, type, in_dims, 3), output = buffer_of(image->out, type, out_dims, 3);
	run_filter(compiled->path, &input, &output);
}

static void same(const struct compiled *compiled, const struct image *image, int i, double right, double bound)
{
	double got = (double)image->out[i];
	if (!(fabs(got - right) <= bound))
		fail_msg("%s: element %d of %dx%d is %.9g, not %.9g", compiled->path, i, image->width, image->height, got, right);
}

static void against_c(const struct compiled *compiled, const struct image *image)
{
	struct level levels[LEVELS];
	const int plane = image->width * image->height;
	for (int l = 0; l < LEVELS; l++)
		levels[l] = level_make(image->width, image->height, l);
	for (int i = 0; i < CHANNELS * levels[0].width * levels[0].height; i++) {
		int x = i % levels[0].width, y = i / levels[0].width % levels[0].height, c = i / levels[0].width / levels[0].height;
		int pixel = (y < image->height ? y : image->height - 1) * image->width + (x < image->width ? x : image->width - 1);
		double alpha = (double)image->in[3 * plane + pixel];
		levels[0].values[i] = c == 3 ? alpha : (double)image->in[c * plane + pixel] * alpha;
	}
	fill(levels);
	run(compiled, image);
	for (int i = 0; i < 3 * plane; i++) {
		int x = i % image->width, y = i / image->width % image->height, c = i / plane;
		double alpha = *at(&levels[0], x, y, 3);
		/* The bound is for an alpha of at least a half. */
		same(compiled, image, i, *at(&levels[0], x, y, c) / alpha, compiled->bound * fmax(0.5 / alpha, 1));
	}
	for (int l = 0; l < LEVELS; l++)
		free(levels[l].values);
}

void check_interpolate(const struct compiled *compiled, int width, int height)
{
	const int plane = width * height;
	struct image image = {BW_NEW_ARRAY(float, CHANNELS * plane), BW_NEW_ARRAY(float, 3 * plane), width, height};
	uint64_t state = 1;
	/* Half of the pixels are not known at all. */
	for (int i = 0; i < CHANNELS * plane; i++)
		image.in[i] = i >= 3 * plane && noise(&state) % 2 ? 0 : (float)((double)noise(&state) / 0x1p31);
	against_c(compiled, &image);
	/* A flat colour fills everything. */
	for (int i = 0; i < 3 * plane; i++)
		image.in[i] = 0.25f + 0.3f * (float)(i / plane);
	run(compiled, &image);
	for (int i = 0; i < 3 * plane; i++)
		same(compiled, &image, i, (double)(0.25f + 0.3f * (float)(i / plane)), compiled->bound * 16);
	/* What is known stays. */
	for (int i = 0; i < CHANNELS * plane; i++)
		image.in[i] = i >= 3 * plane ? 1 : (float)((double)noise(&state) / 0x1p31);
	run(compiled, &image);
	for (int i = 0; i < 3 * plane; i++)
		same(compiled, &image, i, (double)image.in[i], compiled->bound);
	free(image.in);
	free(image.out);
}
