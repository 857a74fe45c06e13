#include "reference.h"

struct image {
	const uint8_t *bytes;
	int stride, plane;
};

static double brightness(const struct image *image, int x, int y)
{
	const uint8_t *red = image->bytes + (long)y * image->stride + x, *green = red + image->plane, *blue = green + image->plane;
	return ((double)0.299f * *red + (double)0.587f * *green + (double)0.114f * *blue) / 255;
}

/* Sobel's operator along x (or along y) over 12. */
static double derivative(const struct image *image, int x, int y, int along_y)
{
	static const int weights[3] = {1, 2, 1};
	double sum = 0;
	for (int side = -1; side <= 1; side += 2)
		for (int k = -1; k <= 1; k++)
			sum += side * weights[k + 1] * (along_y ? brightness(image, x + k, y + side) : brightness(image, x + side, y + k));
	return sum / 12;
}

double reference_harris(const uint8_t *bytes, int stride, int plane, int x, int y)
{
	const struct image image = {bytes, stride, plane};
	double xx = 0, yy = 0, xy = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			double ix = derivative(&image, x + dx, y + dy, 0), iy = derivative(&image, x + dx, y + dy, 1);
			xx += ix * ix;
			yy += iy * iy;
			xy += ix * iy;
		}
	return xx * yy - xy * xy - (double)0.04f * (xx + yy) * (xx + yy);
}
