#include "integers.h"

static uint32_t around(const void *of, uint32_t (*at)(const void *of, int x, int y), int x, int y)
{
	uint32_t sum = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			sum += (uint32_t)(5 + 3 * dy + dx) * at(of, x + dx, y + dy);
	return sum;
}

static uint32_t first(const void *of, int x, int y)
{
	return around(of, integers_at, x, y);
}

static uint32_t second(const void *of, int x, int y)
{
	return around(of, first, x, y);
}

/* The output begins at (2, 2). */
void check_two_stencils(const struct compiled *compiled, int width, int height)
{
	integers_check(compiled, &(struct integers_case){.width = width + 4, .height = height + 4, .out = {2, 2, width, height}, .right = second});
}
