#include <math.h>

#include "tensor.h"

enum { READ = 16,
       MADE = READ / 2,
       SIDE = 3,
       IMAGES = 2 };

/* A channel of a pixel after its own filter; what would be beyond the image is 0. Adds to the sum of magnitudes, scaled. */
static double filtered(const struct tensor *in, const struct tensor *filters, const int *at, double scale, double *magnitude)
{
	double sum = 0;
	for (int k = 0; k < SIDE * SIDE; k++) {
		const int x = at[1] + k % SIDE - 1, y = at[2] + k / SIDE - 1;
		if (x < 0 || x >= in->dims[1].extent || y < 0 || y >= in->dims[2].extent)
			continue;
		double product = (double)*tensor_at(filters, (const int[]){at[0], k % SIDE, k / SIDE}) * (double)*tensor_at(in, (const int[]){at[0], x, y, at[3]});
		sum += product;
		*magnitude += fabs(scale * product);
	}
	return sum;
}

/* Values of both signs, so that the rectifier has something to cut; the bound is taken of the sum of the magnitudes. */
void check_depthwise_separable_conv(const struct compiled *compiled, int width, int height)
{
	struct tensor in, filters, mixture, bias, out, *const all[] = {&in, &filters, &mixture, &bias, &out};
	uint64_t state = 1;
	tensor_make(&in, (const int[]){READ, width, height, IMAGES}, 4);
	tensor_make(&filters, (const int[]){READ, SIDE, SIDE}, 3);
	tensor_make(&mixture, (const int[]){MADE, READ}, 2);
	tensor_make(&bias, (const int[]){MADE}, 1);
	tensor_make(&out, (const int[]){MADE, width, height, IMAGES}, 4);
	for (size_t k = 0; k < 4; k++)
		tensor_fill(all[k], &state, -1, 1);
	run_filter_with(compiled->path, (void *[]){&in.buffer, &filters.buffer, &mixture.buffer, &bias.buffer, &out.buffer}, &out.buffer);
	for (int p = 0; p < width * height * IMAGES; p++) {
		const int x = p % width, y = p / width % height, n = p / width / height;
		for (int c = 0; c < MADE; c++) {
			double right = (double)*tensor_at(&bias, (const int[]){c}), magnitude = fabs(right);
			for (int k = 0; k < READ; k++) {
				double weight = (double)*tensor_at(&mixture, (const int[]){c, k});
				right += weight * filtered(&in, &filters, (const int[]){k, x, y, n}, weight, &magnitude);
			}
			tensor_near(&out, (const int[]){c, x, y, n}, fmax(right, 0), compiled->relative * magnitude, compiled->path);
		}
	}
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		tensor_free(all[k]);
}
