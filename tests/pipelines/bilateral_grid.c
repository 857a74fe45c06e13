#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { SPACING = 8, BINS = 10, MARGIN = 3, DEEP = BINS + 1 };

struct image {
	const float *pixels;
	int width, height;
};

static double pixel(const struct image *image, int x, int y)
{
	int column = x < 0 ? 0 : x < image->width ? x : image->width - 1, row = y < 0 ? 0 : y < image->height ? y : image->height - 1;
	return (double)image->pixels[row * image->width + column];
}

/* Cells from -MARGIN on along both dimensions of place; a sum of values and their number each. */
struct grid {
	int width, height;
	double (*cells)[2];
};

static double *cell_of(const struct grid *grid, int x, int y, int z)
{
	assert_in_range(x + MARGIN, 0, grid->width - 1);
	assert_in_range(y + MARGIN, 0, grid->height - 1);
	return grid->cells[(z * grid->height + y + MARGIN) * grid->width + x + MARGIN];
}

/* Each cell collects the pixels nearest to it; those in the middle between two belong to the next. */
static struct grid collect(const struct image *image)
{
	struct grid grid = {image->width / SPACING + 2 * MARGIN + 2, image->height / SPACING + 2 * MARGIN + 2, NULL};
	grid.cells = calloc((size_t)(grid.width * grid.height * DEEP), sizeof *grid.cells);
	assert_non_null(grid.cells);
	for (int y = -MARGIN * SPACING; y < (grid.height - MARGIN) * SPACING - SPACING / 2; y++)
		for (int x = -MARGIN * SPACING; x < (grid.width - MARGIN) * SPACING - SPACING / 2; x++) {
			double value = fmin(fmax(pixel(image, x, y), 0), 1);
			int z = (int)floor(floor(value * 65536) / 65536 * BINS + 0.5);
			double *cell = cell_of(&grid, (x + MARGIN * SPACING + SPACING / 2) / SPACING - MARGIN, (y + MARGIN * SPACING + SPACING / 2) / SPACING - MARGIN, z);
			cell[0] += value;
			cell[1]++;
		}
	return grid;
}

/* The weighted sum of 5 x 5 x 5 cells. */
static void blurred(const struct grid *grid, int x, int y, int z, double sum[2])
{
	static const double weights[5] = {1, 4, 6, 4, 1};
	sum[0] = sum[1] = 0;
	for (int k = 0; k < 125; k++) {
		int dx = k % 5 - 2, dy = k / 5 % 5 - 2, dz = k / 25 - 2;
		if (z + dz < 0 || z + dz >= DEEP)
			continue;
		for (int c = 0; c < 2; c++)
			sum[c] += weights[dx + 2] * weights[dy + 2] * weights[dz + 2] * cell_of(grid, x + dx, y + dy, z + dz)[c];
	}
}

static double smoothed(const struct grid *grid, const struct image *image, int x, int y)
{
	double value = floor(fmin(fmax(pixel(image, x, y), 0), 1) * 65536) / 65536 * BINS, at[3] = {(double)x / SPACING, (double)y / SPACING, value};
	double sum[2] = {0, 0};
	for (int corner = 0; corner < 8; corner++) {
		double weight = 1, around[2];
		int place[3];
		for (int d = 0; d < 3; d++) {
			int next = corner >> d & 1;
			place[d] = (int)floor(at[d]) + next;
			weight *= next ? at[d] - floor(at[d]) : 1 - (at[d] - floor(at[d]));
		}
		blurred(grid, place[0], place[1], place[2], around);
		sum[0] += weight * around[0];
		sum[1] += weight * around[1];
	}
	return sum[0] / sum[1];
}

/* Edges of two flat sides with noise, black and white, and what is out of range. */
static float sample(uint64_t *state, int x, int y)
{
	float noisy = (float)((double)noise(state) / 0x1p31);
	switch (noise(state) % 8) {
	case 0:
		return noisy * 3 - 1;
	case 1:
		return (float)(noise(state) % 21) / 20;
	default:
		return (x / 13 + y / 9) % 2 ? 0.1f + 0.2f * noisy : 0.8f + 0.15f * noisy;
	}
}

void check_bilateral_grid(const struct compiled *compiled, int width, int height)
{
	float *in = BW_NEW_ARRAY(float, width * height), *out = BW_NEW_ARRAY(float, width * height);
	const struct image image = {in, width, height};
	uint64_t state = 1;
	for (int i = 0; i < width * height; i++)
		in[i] = sample(&state, i % width, i / width);
	struct halide_dimension_t in_dims[] = {{0, width, 1, 0}, {0, height, width, 0}}, out_dims[] = {{0, width, 1, 0}, {0, height, width, 0}};
	struct halide_type_t type = {halide_type_float, 32, 1};
	struct halide_buffer_t input = buffer_of(in, type, in_dims, 2), output = buffer_of(out, type, out_dims, 2);
	run_filter(compiled->path, &input, &output);
	struct grid grid = collect(&image);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double right = smoothed(&grid, &image, x, y), got = (double)out[y * width + x];
			if (!(fabs(got - right) <= compiled->bound))
				fail_msg("%s: (%d, %d) of %dx%d is %.9g, not %.9g", compiled->path, x, y, width, height, got, right);
		}
	free(grid.cells);
	/* A flat image stays as it is. */
	for (int i = 0; i < width * height; i++)
		in[i] = 0.37f;
	input.flags = halide_buffer_flag_host_dirty;
	run_filter(compiled->path, &input, &output);
	for (int i = 0; i < width * height; i++)
		if (!(fabs((double)(out[i] - 0.37f)) <= compiled->bound))
			fail_msg("%s: pixel %d of a flat image is %.9g", compiled->path, i, (double)out[i]);
	free(in);
	free(out);
}
