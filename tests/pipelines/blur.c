#include "reference.h"

static unsigned row(const uint16_t *pixels)
{
	return ((unsigned)pixels[0] + pixels[1] + pixels[2]) / 3;
}

uint16_t reference_blur(const uint16_t *image, int stride, int x, int y)
{
	const uint16_t *corner = image + (long)y * stride + x;
	return (uint16_t)((row(corner) + row(corner + stride) + row(corner + 2 * stride)) / 3);
}
