#include <stdlib.h>

#include "base/mem.h"
#include "tensor.h"

enum { LEVELS = 3,
       CHANNELS = 3 };

/* Values for the pixels of a level and for a rim of so many around it. */
struct plane {
	double *values;
	int width, height, rim;
};

static const double binomial[5] = {1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};

static double *plane_at(const struct plane *plane, int x, int y)
{
	assert_in_range(x + plane->rim, 0, plane->width + 2 * plane->rim - 1);
	assert_in_range(y + plane->rim, 0, plane->height + 2 * plane->rim - 1);
	return &plane->values[(y + plane->rim) * (plane->width + 2 * plane->rim) + x + plane->rim];
}

static struct plane plane_new(int width, int height, int rim)
{
	return (struct plane){BW_NEW_ARRAY(double, (width + 2 * rim) * (height + 2 * rim)), width, height, rim};
}

/* Each value of a plane, by x and y. */
#define EACH(plane, x, y) \
	for (int y = -(plane)->rim; y < (plane)->height + (plane)->rim; y++) \
		for (int x = -(plane)->rim; x < (plane)->width + (plane)->rim; x++)

/* REDUCE of Burt and Adelson: the weighted mean of 5 x 5 around every other pixel. */
static struct plane reduced(const struct plane *of)
{
	struct plane half = plane_new((of->width + 1) / 2, (of->height + 1) / 2, of->rim / 2 - 1);
	EACH(&half, x, y)
	{
		double sum = 0;
		for (int k = 0; k < 25; k++)
			sum += binomial[k % 5] * binomial[k / 5] * *plane_at(of, 2 * x + k % 5 - 2, 2 * y + k / 5 - 2);
		*plane_at(&half, x, y) = sum;
	}
	return half;
}

/* EXPAND of the same: a sum over those of 5 x 5 places for which there is a pixel in the smaller image. */
static double expanded(const struct plane *of, int x, int y)
{
	double sum = 0;
	for (int k = 0; k < 25; k++) {
		int column = x - (k % 5 - 2), line = y - (k / 5 - 2);
		if (column % 2 == 0 && line % 2 == 0)
			sum += 4 * binomial[k % 5] * binomial[k / 5] * *plane_at(of, column / 2, line / 2);
	}
	return sum;
}

static void make_pyramid(struct plane *levels, const struct tensor *image, int channel)
{
	int rim = 2;
	for (int j = 1; j < LEVELS; j++)
		rim = 2 * rim + 2;
	levels[0] = plane_new(image->dims[0].extent, image->dims[1].extent, rim);
	EACH(&levels[0], x, y)
	*plane_at(&levels[0], x, y) = tensor_clamped(image, x, y, channel);
	for (int j = 1; j < LEVELS; j++)
		levels[j] = reduced(&levels[j - 1]);
}

static double detail(const struct plane *levels, int j, int x, int y)
{
	return *plane_at(&levels[j], x, y) - (j == LEVELS - 1 ? 0 : expanded(&levels[j + 1], x, y));
}

/* One channel of what is to come out; its rim is 2. */
static struct plane spline(const struct tensor *first, const struct tensor *second, const struct tensor *mask, int channel)
{
	struct plane pyramids[3][LEVELS], above = {NULL, 0, 0, 0};
	make_pyramid(pyramids[0], first, channel);
	make_pyramid(pyramids[1], second, channel);
	make_pyramid(pyramids[2], mask, 0);
	for (int j = LEVELS - 1; j >= 0; j--) {
		struct plane collapsed = plane_new(pyramids[0][j].width, pyramids[0][j].height, 2);
		EACH(&collapsed, x, y)
		{
			double share = *plane_at(&pyramids[2][j], x, y);
			double mixed = share * detail(pyramids[0], j, x, y) + (1 - share) * detail(pyramids[1], j, x, y);
			*plane_at(&collapsed, x, y) = mixed + (above.values ? expanded(&above, x, y) : 0);
		}
		free(above.values);
		above = collapsed;
	}
	for (int k = 0; k < 3 * LEVELS; k++)
		free(pyramids[k / LEVELS][k % LEVELS].values);
	return above;
}

static double of_planes(const void *context, int x, int y, int c)
{
	return *plane_at((const struct plane *)context + c, x, y);
}

static double of_tensor(const void *context, int x, int y, int c)
{
	return tensor_clamped(context, x, y, c);
}

/* A seam across noise; and an image blended with itself, which comes back whatever the mask is. */
void check_pyramid_blend(const struct compiled *compiled, int width, int height)
{
	const int extents[] = {width, height, CHANNELS};
	struct tensor first, second, mask, out, *const all[] = {&first, &second, &mask, &out};
	struct plane right[CHANNELS];
	uint64_t state = 1;
	for (size_t k = 0; k < 4; k++) {
		tensor_make(all[k], extents, all[k] == &mask ? 2 : 3);
		tensor_fill(all[k], &state, 0, 1);
	}
	for (int k = 0; k < width * height; k++)
		if (k % width / 7 != k / width % 5)
			mask.values[k] = k % width < width / 2 + k / width % 9 ? 1 : 0;
	run_filter_with(compiled->path, (void *[]){&first.buffer, &second.buffer, &mask.buffer, &out.buffer}, &out.buffer);
	for (int c = 0; c < CHANNELS; c++)
		right[c] = spline(&first, &second, &mask, c);
	tensor_all_near(&out, of_planes, right, compiled->bound, compiled->path);

	tensor_fill(&mask, &state, 0, 1);
	mask.buffer.flags = halide_buffer_flag_host_dirty;
	run_filter_with(compiled->path, (void *[]){&first.buffer, &first.buffer, &mask.buffer, &out.buffer}, &out.buffer);
	tensor_all_near(&out, of_tensor, &first, compiled->bound, compiled->path);
	for (int c = 0; c < CHANNELS; c++)
		free(right[c].values);
	for (size_t k = 0; k < 4; k++)
		tensor_free(all[k]);
}
