/* Costs of groups: arithmetic, and values loaded (Mullapudi et al. 2016, section 4.1 and listings 1 and 2).
 */
#include <math.h>
#include <string.h>

#include "schedulers/greedy.h"

static void add_arithmetic(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			   void *data)
{
	struct group_cost *cost = data;
	if (!groups->inlined[stage->func])
		cost->arithmetic += iterations * bw_groups_operations(groups, stage);
}

bool greedy_cost(struct greedy *greedy, int output, int extra, const int64_t *tile, struct group_cost *cost)
{
	const struct bw_pipeline *pipeline = greedy->own.of.pipeline;
	*cost = (struct group_cost){0};
	if (!greedy->own.of.bounded[output])
		return false;
	cost->tiles = bw_groups_place(&greedy->own.of, output, tile);
	for (int f = output; f >= 0; f--) {
		bool member = greedy->own.of.group[f] == output || (extra >= 0 && greedy->own.of.group[f] == extra);
		if (!greedy->own.of.known[f])
			continue;
		if (member || greedy->own.of.inlined[f]) {
			if (!bw_groups_reads(&greedy->own.of, f, add_arithmetic, cost))
				return false;
		} else {
			cost->loads += bw_groups_clip(&greedy->own.of, f);
		}
		if (!greedy->own.of.inlined[f] && f != output)
			cost->bytes += bw_groups_clip(&greedy->own.of, f) * pipeline->funcs[f].bytes;
	}
	return true;
}

double greedy_total(struct greedy *greedy, int output, int extra, const int64_t *tile)
{
	struct group_cost cost;
	if (!greedy_cost(greedy, output, extra, tile, &cost))
		return INFINITY;
	return cost.tiles * (cost.arithmetic + greedy->options.load_cost * cost.loads);
}

static void add_accesses(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			 void *data)
{
	double *loads = data;
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].producer != stage->func && !groups->inlined[stage->reads[r].producer])
			*loads += iterations * stage->reads[r].calls;
}

double greedy_all_loads(struct greedy *greedy, int output)
{
	double loads = 0;
	int n_dims = greedy->own.of.pipeline->funcs[output].n_dims;
	memset(greedy->own.of.known, 0, (size_t)greedy->own.of.pipeline->n_funcs * sizeof *greedy->own.of.known);
	greedy->own.of.known[output] = true;
	memcpy(&greedy->own.of.boxes[output * BW_MAX_DIMS], &greedy->own.of.whole[output * BW_MAX_DIMS],
	       (size_t)n_dims * sizeof *greedy->own.of.boxes);
	for (int f = output; f >= 0; f--)
		if (greedy->own.of.known[f] && (f == output || greedy->own.of.inlined[f]) &&
		    !bw_groups_reads(&greedy->own.of, f, add_accesses, &loads))
			return INFINITY;
	return loads;
}

/* Candidate tiles of a group's output Func: boxes of equal extents, or longer in the dimensions in which
 * neighbouring points read most of the same values (Mullapudi et al. 2016, sections 4.1 and 4.2.3). */

/* Finds the regions read by one step in dimension d of the output, over all of its other dimensions, in
 * greedy->own.of.boxes. */
static bool read_strip(struct greedy *greedy, int output, int d, int64_t at)
{
	const struct bw_pipeline *pipeline = greedy->own.of.pipeline;
	struct bw_interval *box = &greedy->own.of.boxes[output * BW_MAX_DIMS];
	memset(greedy->own.of.known, 0, (size_t)pipeline->n_funcs * sizeof *greedy->own.of.known);
	memcpy(box, &greedy->own.of.whole[output * BW_MAX_DIMS],
	       (size_t)pipeline->funcs[output].n_dims * sizeof *box);
	box[d] = (struct bw_interval){at, at};
	return bw_groups_reads(&greedy->own.of, output, NULL, NULL);
}

/* Points that two boxes have in common. */
static double common_points(const struct bw_interval *a, const struct bw_interval *b, int n_dims)
{
	double points = 1;
	for (int d = 0; d < n_dims; d++) {
		int64_t min = a[d].min > b[d].min ? a[d].min : b[d].min, max = a[d].max < b[d].max ? a[d].max : b[d].max;
		points *= max < min ? 0 : (double)(max - min + 1);
	}
	return points;
}

/* The values that two adjacent strips of the output both read. */
static double reuse(struct greedy *greedy, int output, int d, struct bw_arena *arena)
{
	const struct bw_pipeline *pipeline = greedy->own.of.pipeline;
	const struct bw_interval *whole = &greedy->own.of.whole[output * BW_MAX_DIMS + d];
	int n = pipeline->n_funcs;
	struct bw_interval *first = BW_ARENA_ARRAY(arena, struct bw_interval, n * BW_MAX_DIMS);
	int64_t middle = whole->min + (whole->max - whole->min) / 2;
	double sum = 0;
	if (!read_strip(greedy, output, d, middle))
		return 0;
	memcpy(first, greedy->own.of.boxes, (size_t)(n * BW_MAX_DIMS) * sizeof *first);
	if (!read_strip(greedy, output, d, middle + 1))
		return 0;
	for (int p = 0; p < n; p++)
		if (greedy->own.of.known[p])
			sum += common_points(&first[p * BW_MAX_DIMS], &greedy->own.of.boxes[p * BW_MAX_DIMS],
					     pipeline->funcs[p].n_dims);
	return sum;
}

/* Orders the dimensions by reuse, the largest first. */
static void order_by_reuse(struct greedy *greedy, int output, struct bw_arena *arena, int *order)
{
	double reuses[BW_MAX_DIMS];
	for (int d = 0; d < greedy->own.of.pipeline->funcs[output].n_dims; d++) {
		int at = d;
		reuses[d] = reuse(greedy, output, d, arena);
		for (; at > 0 && reuses[order[at - 1]] < reuses[d]; at--)
			order[at] = order[at - 1];
		order[at] = d;
	}
}

static bool known_tile(const int64_t *tiles, int n, int n_dims, const int64_t *tile)
{
	for (int i = 0; i < n; i++)
		if (!memcmp(&tiles[i * n_dims], tile, (size_t)n_dims * sizeof *tile))
			return true;
	return false;
}

int64_t *greedy_tiles(struct greedy *greedy, int output, struct bw_arena *arena, int *n)
{
	static const int64_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
	enum { SIZES = sizeof sizes / sizeof *sizes };
	int n_dims = greedy->own.of.pipeline->funcs[output].n_dims, order[BW_MAX_DIMS] = {0};
	int64_t *tiles = BW_ARENA_ARRAY(arena, int64_t, SIZES * SIZES * n_dims * n_dims);
	order_by_reuse(greedy, output, arena, order);
	*n = 0;
	for (int base = 0; base < SIZES; base++)
		for (int longer = base; longer < SIZES; longer++)
			for (int k = 1; k <= n_dims; k++) {
				int64_t *tile = &tiles[*n * n_dims];
				for (int i = 0; i < n_dims; i++)
					tile[order[i]] = sizes[i < k ? longer : base];
				tile[0] = tile[0] > greedy->options.vector_width ? tile[0] : greedy->options.vector_width;
				for (int d = 0; d < n_dims; d++) {
					const struct bw_interval *whole = &greedy->own.of.whole[output * BW_MAX_DIMS + d];
					int64_t extent = whole->max - whole->min + 1;
					tile[d] = tile[d] < extent ? tile[d] : extent;
				}
				*n += !known_tile(tiles, *n, n_dims, tile);
			}
	return tiles;
}

bool greedy_tile_fits(const struct greedy *greedy, int output, const int64_t *tile,
		      const struct group_cost *cost)
{
	double points = 1;
	for (int d = 0; d < greedy->own.of.pipeline->funcs[output].n_dims; d++)
		points *= (double)tile[d];
	return cost->tiles >= greedy->options.parallelism_threshold &&
	       cost->bytes <= greedy->options.cache_size &&
	       points >= (double)greedy->options.target_threads_per_block &&
	       points <= (double)greedy->options.max_threads_per_block;
}
