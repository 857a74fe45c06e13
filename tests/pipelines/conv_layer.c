#include <math.h>

#include "tensor.h"

enum { CHANNELS = 16,
       SIDE = 3,
       IMAGES = 2 };

/* Values of both signs, so that the rectifier has something to cut; the bound is taken of the sum of the magnitudes. */
void check_conv_layer(const struct compiled *compiled, int width, int height)
{
	width = width / 3;
	height = height / 4;
	struct tensor in, weights, bias, out;
	uint64_t state = 1;
	tensor_make(&in, (const int[]){CHANNELS, width + SIDE - 1, height + SIDE - 1, IMAGES}, 4);
	tensor_make(&weights, (const int[]){CHANNELS, SIDE, SIDE, CHANNELS}, 4);
	tensor_make(&bias, (const int[]){CHANNELS}, 1);
	tensor_make(&out, (const int[]){CHANNELS, width, height, IMAGES}, 4);
	tensor_fill(&in, &state, -1, 1);
	tensor_fill(&weights, &state, -1, 1);
	tensor_fill(&bias, &state, -1, 1);
	run_filter_with(compiled->path, (void *[]){&in.buffer, &weights.buffer, &bias.buffer, &out.buffer}, &out.buffer);
	for (int n = 0; n < IMAGES; n++)
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++)
				for (int c = 0; c < CHANNELS; c++) {
					double right = (double)*tensor_at(&bias, (const int[]){c}), magnitude = fabs(right);
					for (int k = 0; k < CHANNELS * SIDE * SIDE; k++) {
						const int z = k / (SIDE * SIDE), dy = k / SIDE % SIDE, dx = k % SIDE;
						double product = (double)*tensor_at(&weights, (const int[]){c, dx, dy, z}) * (double)*tensor_at(&in, (const int[]){z, x + dx, y + dy, n});
						right += product;
						magnitude += fabs(product);
					}
					tensor_near(&out, (const int[]){c, x, y, n}, fmax(right, 0), compiled->relative * magnitude, compiled->path);
				}
	for (size_t k = 0; k < 4; k++)
		tensor_free((struct tensor *[]){&in, &weights, &bias, &out}[k]);
}
