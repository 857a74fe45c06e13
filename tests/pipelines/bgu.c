#include "tensor.h"

enum { FACTOR = 8 };

/* An affine map of colours, all of whose values are in [0, 1]. */
static const double known[3][4] = {{0.6, 0.2, 0, 0.1}, {-0.2, 0.7, 0.1, 0.3}, {0.1, 0.1, 0.5, 0.2}}, identity[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

static double mapped(const double map[3][4], const struct tensor *image, const int *at)
{
	double sum = map[at[2]][3];
	for (int n = 0; n < 3; n++)
		sum += map[at[2]][n] * (double)*tensor_at(image, (const int[]){at[0], at[1], n});
	return sum;
}

/* Upsamples what a map made of a small image of noise; every pixel of another, large one is to be mapped by the same map, up to what pulls solutions
 * towards the identity: a ten-thousandth of a pixel in each cell, of which some have but a few, nearly of one brightness. */
static void recovered(const struct compiled *compiled, const double map[3][4], int width, int height, double tolerance)
{
	const int extents[] = {width, height, 3}, shrunk[] = {(width - 1) / FACTOR + 1, (height - 1) / FACTOR + 1, 3};
	struct tensor before, after, large, out, *const all[] = {&before, &after, &large, &out};
	uint64_t state = 1;
	for (int k = 0; k < 4; k++)
		tensor_make(all[k], k < 2 ? shrunk : extents, 3);
	tensor_fill(&before, &state, 0, 1);
	tensor_fill(&large, &state, 0, 1);
	for (int k = 0; k < shrunk[0] * shrunk[1] * 3; k++) {
		const int at[] = {k % shrunk[0], k / shrunk[0] % shrunk[1], k / shrunk[0] / shrunk[1]};
		*tensor_at(&after, at) = (float)mapped(map, &before, at);
	}
	run_filter_with(compiled->path, (void *[]){&before.buffer, &after.buffer, &large.buffer, &out.buffer}, &out.buffer);
	for (int k = 0; k < width * height * 3; k++) {
		const int at[] = {k % width, k / width % height, k / width / height};
		tensor_near(&out, at, mapped(map, &large, at), tolerance, compiled->path);
	}
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		tensor_free(all[k]);
}

void check_bgu(const struct compiled *compiled, int width, int height)
{
	recovered(compiled, identity, width, height, 0.01);
	recovered(compiled, known, width, height, 0.05);
}
