/* Candidate tiles (Sioutas et al. 2020, section 4.2). */
#include <string.h>

#include "base/arith.h"
#include "nest/plan.h"
#include "schedulers/sioutas.h"

/* Loops of fewer iterations are not tiled, unless no other is. */
enum { LOW_COUNT = 64 };

uint32_t sioutas_tiled(const struct sioutas *sioutas, int func)
{
	int n_dims = sioutas->of.pipeline->funcs[func].n_dims, largest = 0, n = 0;
	uint32_t tiled = 0;
	for (int d = 0; d < n_dims; d++) {
		int64_t extent = bw_groups_extent(&sioutas->of, func, d);
		if (extent > bw_groups_extent(&sioutas->of, func, largest))
			largest = d;
		if (extent < LOW_COUNT || n == BW_PLAN_THREAD_LOOPS)
			continue;
		tiled |= 1u << d;
		n++;
	}
	return tiled || !n_dims ? tiled : 1u << largest;
}

bool sioutas_tile_bounds(int64_t extent, int n_tiled, int64_t *least, int64_t *most)
{
	enum { LONG = 1024, ALONE = 128, AMONG = 32 };
	*least = extent >= LOW_COUNT ? 8 : 2;
	*most = extent < LONG ? extent / 2 : n_tiled > 1 ? extent / AMONG : extent / ALONE;
	return *least <= *most;
}

/* Lists the sizes of a dimension, at most `most`. A dimension too short for the bounds is whole. */
static int list_sizes(int64_t extent, int n_tiled, bool final, int64_t *sizes, int most_sizes)
{
	int64_t least, most;
	int n = 0;
	if (!sioutas_tile_bounds(extent, n_tiled, &least, &most))
		sizes[n++] = extent;
	else
		for (int64_t size = least; size <= most && n < most_sizes; size = final ? size + 2 : size * 2)
			sizes[n++] = size;
	return n;
}

int64_t *sioutas_tiles(const struct sioutas *sioutas, int func, bool final, struct bw_arena *arena, int *n)
{
	enum { SIZES = 512 };
	int n_dims = sioutas->of.pipeline->funcs[func].n_dims;
	uint32_t tiled = sioutas_tiled(sioutas, func);
	int64_t threads = (int64_t)sioutas->device.threads_per_block, sizes[SIZES];
	int capacity = 1;
	int64_t *tiles = BW_ARENA_ARRAY(arena, int64_t, bw_max(n_dims, 1));
	*n = 1;
	bool alone = __builtin_popcount(tiled) == 1;
	for (int d = 0; d < n_dims; d++)
		tiles[d] = tiled >> d & 1 || alone ? 1 : bw_groups_extent(&sioutas->of, func, d);
	for (int d = 0; d < n_dims; d++) {
		if (!(tiled >> d & 1))
			continue;
		int n_sizes = list_sizes(bw_groups_extent(&sioutas->of, func, d), __builtin_popcount(tiled), final,
					 sizes, SIZES);
		int64_t *old = tiles;
		int n_old = *n;
		capacity = n_old * n_sizes;
		tiles = BW_ARENA_ARRAY(arena, int64_t, bw_max(capacity * n_dims, 1));
		*n = 0;
		for (int i = 0; i < n_old; i++) {
			int64_t product = 1;
			for (int e = 0; e < d; e++)
				product *= tiled >> e & 1 ? old[i * n_dims + e] : 1;
			for (int k = 0; k < n_sizes && (product * sizes[k] <= threads || k == 0); k++) {
				memcpy(&tiles[*n * n_dims], &old[i * n_dims], (size_t)n_dims * sizeof *tiles);
				tiles[(*n)++ * n_dims + d] = sizes[k];
			}
		}
	}
	return tiles;
}
