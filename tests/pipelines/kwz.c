#include "integers.h"

static uint32_t w(const void *of, int x, int y)
{
	uint32_t sum = 2 * 4 * integers_at(of, x, y);
	for (uint32_t c = 0; c < 3; c++)
		sum += (c + 1) * integers_at(of, x, y) + integers_at(of, x + 1, y) + integers_at(of, x + 2, y);
	return sum;
}

static uint32_t z(const void *of, int x, int y)
{
	return w(of, x, y - 2) + w(of, x, y - 1) + w(of, x, y) + w(of, x, y + 1) + w(of, x, y + 2);
}

/* The output begins at (0, 2). Sums are below 2^31. */
void check_kwz(const struct compiled *compiled, int width, int height)
{
	integers_check(compiled, &(struct integers_case){.width = width + 2, .height = height + 4, .out = {0, 2, width, height}, .is_signed = 1, .right = z});
}
