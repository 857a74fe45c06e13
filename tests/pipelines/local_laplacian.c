#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { LEVELS = 3, CHANNELS = 3, WHITE = 65535, STEPS = 256, BORDER = 16 };

/* Values in a rectangle from (first, first) on. */
struct plane {
	int first, width, height;
	double *values;
};

static double *place(const struct plane *plane, int x, int y)
{
	assert_in_range(x - plane->first, 0, plane->width - 1);
	assert_in_range(y - plane->first, 0, plane->height - 1);
	return &plane->values[(y - plane->first) * plane->width + x - plane->first];
}

static struct plane plane_make(int first, int width, int height)
{
	return (struct plane){first, width, height, BW_NEW_ARRAY(double, width * height)};
}

/* The mean of 4 x 4 pixels around each second one of each second row, with the weights 1, 3, 3, 1 along both dimensions; where all are there. */
static struct plane halved(const struct plane *of)
{
	static const int weights[4] = {1, 3, 3, 1};
	struct plane half = plane_make(of->first / 2 + 1, of->width / 2 - 2, of->height / 2 - 2);
	for (int y = half.first; y < half.first + half.height; y++)
		for (int x = half.first; x < half.first + half.width; x++) {
			double sum = 0;
			for (int k = 0; k < 16; k++)
				sum += weights[k / 4] * weights[k % 4] * *place(of, 2 * x - 1 + k % 4, 2 * y - 1 + k / 4);
			*place(&half, x, y) = sum / 64;
		}
	return half;
}

/* A filter at work: the pyramids of the brightness and of what it is remapped to around each intensity. */
struct work {
	int intensities;
	struct plane gray[LEVELS], *remapped[LEVELS];
};

typedef double value_function(const struct work *work, int level, int intensity, int x, int y);

/* What a level is at a place of the level below: the near pixel counts three quarters along each dimension, the far one a quarter. */
static double doubled(value_function *value, const struct work *work, int level, int intensity, int x, int y)
{
	double sum = 0;
	for (int far = 0; far < 4; far++) {
		int far_x = far % 2, far_y = far / 2;
		int column = (x >> 1) + (far_x ? (x & 1 ? 1 : -1) : 0), row = (y >> 1) + (far_y ? (y & 1 ? 1 : -1) : 0);
		sum += (far_x ? 0.25 : 0.75) * (far_y ? 0.25 : 0.75) * value(work, level, intensity, column, row);
	}
	return sum;
}

static double remapped_value(const struct work *work, int level, int intensity, int x, int y)
{
	return *place(&work->remapped[level][intensity], x, y);
}

static double laplacian(const struct work *work, int level, int intensity, int x, int y)
{
	return remapped_value(work, level, intensity, x, y) - (level + 1 < LEVELS ? doubled(remapped_value, work, level + 1, intensity, x, y) : 0);
}

/* The filtered brightness, of a level and all above it. */
static double filtered(const struct work *work, int level, int intensity, int x, int y)
{
	double at = *place(&work->gray[level], x, y) * (work->intensities - 1);
	int below = at < 0 ? 0 : at < work->intensities - 2 ? (int)at : work->intensities - 2;
	double share = at - below, blended = (1 - share) * laplacian(work, level, below, x, y) + share * laplacian(work, level, below + 1, x, y);
	return blended + (level + 1 < LEVELS ? doubled(filtered, work, level + 1, intensity, x, y) : 0);
}

struct image {
	const uint16_t *pixels;
	int width, height;
};

static int channel(const struct image *image, int x, int y, int c)
{
	int column = x < 0 ? 0 : x < image->width ? x : image->width - 1, row = y < 0 ? 0 : y < image->height ? y : image->height - 1;
	return image->pixels[(c * image->height + row) * image->width + column];
}

static int luma(const struct image *image, int x, int y)
{
	return (77 * channel(image, x, y, 0) + 150 * channel(image, x, y, 1) + 29 * channel(image, x, y, 2)) / 256;
}

struct setting {
	int32_t intensities;
	float detail, contrast;
};

static double remap(const struct setting *setting, int gray, int intensity)
{
	int most = setting->intensities - 1;
	double around = (double)intensity / most, distance = (double)((int64_t)gray * most * STEPS / WHITE - intensity * STEPS) / STEPS;
	return (double)setting->contrast * ((double)gray / WHITE - around) + around + (double)setting->detail * distance * exp(-distance * distance / 2);
}

static struct work begin(const struct image *image, const struct setting *setting)
{
	struct work work = {.intensities = setting->intensities};
	for (int j = 0; j < LEVELS; j++)
		work.remapped[j] = BW_NEW_ARRAY(struct plane, setting->intensities);
	for (int k = -1; k < setting->intensities; k++) {
		struct plane *level = k < 0 ? &work.gray[0] : &work.remapped[0][k];
		*level = plane_make(-BORDER, image->width + 2 * BORDER, image->height + 2 * BORDER);
		for (int y = -BORDER; y < image->height + BORDER; y++)
			for (int x = -BORDER; x < image->width + BORDER; x++)
				*place(level, x, y) = k < 0 ? (double)luma(image, x, y) / WHITE : remap(setting, luma(image, x, y), k);
		for (int j = 1; j < LEVELS; j++) {
			struct plane *next = k < 0 ? &work.gray[j] : &work.remapped[j][k];
			*next = halved(level);
			level = next;
		}
	}
	return work;
}

static void end(struct work *work)
{
	for (int j = 0; j < LEVELS; j++) {
		free(work->gray[j].values);
		for (int k = 0; k < work->intensities; k++)
			free(work->remapped[j][k].values);
		free(work->remapped[j]);
	}
}

static void run(const struct compiled *compiled, struct setting *setting, const struct image *image, uint16_t *out)
{
	const int plane = image->width * image->height;
	struct halide_dimension_t in_dims[] = {{0, image->width, 1, 0}, {0, image->height, image->width, 0}, {0, CHANNELS, plane, 0}}, out_dims[3];
	for (int d = 0; d < 3; d++)
		out_dims[d] = in_dims[d];
	struct halide_type_t type = {halide_type_uint, 16, 1};
	struct halide_buffer_t input = buffer_of((uint16_t *)(uintptr_t)image->pixels, type, in_dims, 3), output = buffer_of(out, type, out_dims, 3);
	run_filter_with(compiled->path, (void *[]){&input, &setting->intensities, &setting->detail, &setting->contrast, &output}, &output);
}

static void compare(const struct compiled *compiled, const struct image *image, const struct setting *setting, const uint16_t *out)
{
	struct work work = begin(image, setting);
	for (int y = 0; y < image->height; y++)
		for (int x = 0; x < image->width; x++) {
			double factor = (filtered(&work, 0, 0, x, y) + 0.01) / ((double)luma(image, x, y) / WHITE + 0.01);
			for (int c = 0; c < CHANNELS; c++) {
				double right = fmin(fmax(factor * channel(image, x, y, c) / WHITE, 0), 1) * WHITE;
				int got = out[(c * image->height + y) * image->width + x];
				if (!(fabs(got - right) <= compiled->bound))
					fail_msg("%s: (%d, %d, %d) of %dx%d is %d, not %.3f", compiled->path, x, y, c, image->width, image->height, got, right);
			}
		}
	end(&work);
}

void check_local_laplacian(const struct compiled *compiled, int width, int height)
{
	struct setting setting = {6, 0.3f, 0.7f}, identity = {8, 0, 1};
	uint16_t *in = BW_NEW_ARRAY(uint16_t, CHANNELS * width * height), *out = BW_NEW_ARRAY(uint16_t, CHANNELS * width * height);
	const struct image image = {in, width, height};
	uint64_t state = 1;
	for (int i = 0; i < CHANNELS * width * height; i++)
		in[i] = (uint16_t)(noise(&state) % 5 ? noise(&state) >> 15 : i / 7 % 2 ? WHITE : 0);
	run(compiled, &setting, &image, out);
	compare(compiled, &image, &setting, out);
	/* Nothing is enhanced, contrast stays: the image itself. */
	run(compiled, &identity, &image, out);
	for (int i = 0; i < CHANNELS * width * height; i++)
		if (abs(out[i] - in[i]) > compiled->bound)
			fail_msg("%s: element %d of %dx%d is %d, and was %d", compiled->path, i, width, height, out[i], in[i]);
	free(in);
	free(out);
}
