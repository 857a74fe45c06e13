#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tensor.h"

enum { GUESSES = 8,
       RADIUS = 2,
       SIDE = 2 * RADIUS + 1 };

/* What is read, and the green of it with a rim of RADIUS pixels. */
struct subject {
	struct tensor mosaic, trusts, greens, chromas;
	double *green;
};

/* The mosaic goes on in periods of two. */
static int within(int at, int extent)
{
	while (at < 0)
		at += 2;
	while (at >= extent)
		at -= 2;
	return at;
}

static double raw(const struct subject *subject, int x, int y)
{
	const struct tensor *mosaic = &subject->mosaic;
	return (double)*tensor_at(mosaic, (const int[]){within(x, mosaic->dims[0].extent), within(y, mosaic->dims[1].extent)});
}

/* The k-th of some filters at a place, of the mosaic. */
static double filtered(const struct subject *subject, const struct tensor *filters, int k, int x, int y)
{
	double sum = 0;
	for (int n = 0; n < SIDE * SIDE; n++)
		sum += (double)*tensor_at(filters, (const int[]){n % SIDE, n / SIDE, k}) * raw(subject, x + n % SIDE - RADIUS, y + n / SIDE - RADIUS);
	return sum;
}

static double guessed(const struct subject *subject, int x, int y)
{
	double sum = 0, weights = 1.0 / 1024;
	for (int k = 0; k < GUESSES; k++) {
		double weight = fabs(filtered(subject, &subject->trusts, k, x, y));
		weights += weight;
		sum += weight * filtered(subject, &subject->greens, k, x, y);
	}
	return sum / weights;
}

static double *green_at(const struct subject *subject, int x, int y)
{
	return &subject->green[(y + RADIUS) * (subject->mosaic.dims[0].extent + 2 * RADIUS) + x + RADIUS];
}

enum colour { RED, GREEN, BLUE };

/* Rows of green, red, green, red, ... and of blue, green, blue, green, ... in turn. */
static enum colour colour_at(int x, int y)
{
	static const enum colour pattern[2][2] = {{GREEN, RED}, {BLUE, GREEN}};
	return pattern[y & 1][x & 1];
}

/* What the filter of a direction makes of differences to green, added to green. */
static double added(const struct subject *subject, int direction, int x, int y)
{
	double sum = *green_at(subject, x, y);
	for (int n = 0; n < SIDE * SIDE; n++) {
		int column = x + n % SIDE - RADIUS, line = y + n / SIDE - RADIUS;
		sum += (double)*tensor_at(&subject->chromas, (const int[]){n % SIDE, n / SIDE, direction}) * (raw(subject, column, line) - *green_at(subject, column, line));
	}
	return sum;
}

/* Red and blue are known at their places; elsewhere they lie beside it in its row, above and below it, or at its corners. */
static double right(const void *context, int x, int y, int c)
{
	const struct subject *subject = context;
	enum colour here = colour_at(x, y);
	if (c == GREEN)
		return *green_at(subject, x, y);
	if (here == (enum colour)c)
		return raw(subject, x, y);
	if (here != GREEN)
		return added(subject, 2, x, y);
	return added(subject, colour_at(x + 1, y) == (enum colour)c ? 0 : 1, x, y);
}

static void find_green(struct subject *subject)
{
	for (int y = -RADIUS; y < subject->mosaic.dims[1].extent + RADIUS; y++)
		for (int x = -RADIUS; x < subject->mosaic.dims[0].extent + RADIUS; x++)
			*green_at(subject, x, y) = colour_at(x, y) == GREEN ? raw(subject, x, y) : guessed(subject, x, y);
}

static double flat(const void *context, int x, int y, int c)
{
	(void)x, (void)y, (void)c;
	return *(const double *)context;
}

/* Noise with noise for filters; and a gray image, which stays gray where each guess is a mean. */
void check_learned_demosaic(const struct compiled *compiled, int width, int height)
{
	static const int filters[] = {SIDE, SIDE, GUESSES};
	struct subject subject;
	struct tensor out, *const read[] = {&subject.mosaic, &subject.trusts, &subject.greens, &subject.chromas};
	uint64_t state = 1;
	tensor_make(&subject.mosaic, (const int[]){width, height}, 2);
	tensor_make(&subject.trusts, filters, 3);
	tensor_make(&subject.greens, filters, 3);
	tensor_make(&subject.chromas, (const int[]){SIDE, SIDE, 3}, 3);
	tensor_make(&out, (const int[]){width, height, 3}, 3);
	subject.green = BW_NEW_ARRAY(double, (width + 2 * RADIUS) * (height + 2 * RADIUS));
	for (size_t k = 0; k < 4; k++)
		tensor_fill(read[k], &state, k == 0 ? 0 : -0.5, 1);
	void *arguments[] = {&subject.mosaic.buffer, &subject.trusts.buffer, &subject.greens.buffer, &subject.chromas.buffer, &out.buffer};
	run_filter_with(compiled->path, arguments, &out.buffer);
	find_green(&subject);
	tensor_all_near(&out, right, &subject, compiled->bound, compiled->path);

	tensor_fill(&subject.mosaic, &state, 0.37, 0.37);
	tensor_fill(&subject.greens, &state, 1.0 / (SIDE * SIDE), 1.0 / (SIDE * SIDE));
	for (size_t k = 0; k < 4; k++)
		read[k]->buffer.flags = halide_buffer_flag_host_dirty;
	run_filter_with(compiled->path, arguments, &out.buffer);
	tensor_all_near(&out, flat, &(const double){0.37}, compiled->bound, compiled->path);
	free(subject.green);
	for (size_t k = 0; k < 4; k++)
		tensor_free(read[k]);
	tensor_free(&out);
}
