/* Counts the loads of a thread: a value that loops load repeatedly or unrolled iterations share is loaded
 * once, and a vector loads several values at once. */
#include <math.h>

#include "base/arith.h"
#include "cost/features_private.h"

/* Most elements per vector, most bytes per vector (Halide's backend). */
enum { VECTOR_MOST = 4, VECTOR_BYTES = 16 };

bool bw_walks_innermost(const struct bw_strides *strides, int innermost, int loop)
{
	for (int d = 0; d < strides->rows; d++)
		if (!bw_strides_is(strides, d, loop, d == innermost))
			return false;
	return true;
}

int64_t bw_vector_size(const struct bw_tile *tile, int loop)
{
	int64_t extent = tile->sizes[loop], most = bw_min(VECTOR_MOST, VECTOR_BYTES / bw_max(tile->func->bytes, 1));
	if (most < 1)
		return 1;
	if (extent >= most)
		return extent % most ? 1 : most;
	return most % extent ? 1 : extent;
}

/* Widens the required region of an access's producer, for stage loops that cover `loops`, along the edges
 * from the stage to it. */
static void require_along(struct bw_feature_walk *walk, const struct bw_edge_chain *chain,
			  const struct bw_span *loops, struct bw_span *required)
{
	const struct bw_span *of = loops;
	if (chain->before) {
		int inlined = chain->before->edge->producer;
		struct bw_bounds *between = bw_bounds_new(walk->tree, inlined);
		require_along(walk, chain->before, loops, between->required);
		bw_bounds_complete(walk->tree, inlined, between);
		of = between->loops[0];
	}
	bw_edge_expand(walk->tree, chain->edge, of, required);
}

/* Returns the points of that region. */
static double points_along(struct bw_feature_walk *walk, const struct bw_edge_chain *chain,
			   const struct bw_span *loops)
{
	int n_dims = walk->tree->pipeline->funcs[chain->edge->producer].n_dims;
	struct bw_span required[BW_MAX_DIMS];
	for (int d = 0; d < n_dims; d++)
		required[d] = bw_span_empty();
	require_along(walk, chain, loops, required);
	return bw_spans_points(required, n_dims);
}

/* Returns the most elements of shared memory that a load covers, in the best case if the innermost
 * dimension is not decided yet. */
static int64_t load_vector(const struct bw_tile *point, const struct bw_strides *serial,
			   const struct bw_stage_site *site)
{
	int64_t vector = 1;
	for (int l = 0; l < point->stage->n_loops; l++)
		for (int d = 0; d < serial->rows; d++)
			if ((!site->placed || d == site->vector_dim) && bw_walks_innermost(serial, d, l))
				vector = bw_max(vector, bw_vector_size(point->parent, l));
	return vector;
}

/* Loads are not repeated over loops that do not change the address, and with unrolled loops each point is
 * loaded once. So there are as many loads as the box of these loops has points, but never more than load
 * instructions. */
double bw_points_accessed(struct bw_feature_walk *walk, struct bw_tile *point,
			  const struct bw_edge_chain *chain, const struct bw_strides *strides,
			  const struct bw_strides *serial, bool shared)
{
	const struct bw_tile *tile = point->parent;
	const struct bw_stage_site *site =
	    &walk->tree->sites[walk->tree->pipeline->funcs[chain->edge->producer].first_stage];
	const struct bw_span *around =
	    bw_tile_bounds(walk->tree, tile->parent, point->stage->func)->loops[point->stage->index];
	double unrolled = bw_walk_features(walk, point->stage)[BW_FEATURE_unrolled_loop_extent];
	struct bw_span loops[BW_MAX_LOOPS];
	double repeated = 1, moved = 1;
	for (int l = 0; l < point->stage->n_loops; l++) {
		bool still = true, together = point->stage->loops[l].parallel && unrolled > 1;
		for (int d = 0; d < strides->rows; d++)
			still &= bw_strides_is(strides, d, l, 0);
		int64_t extent = together && !still ? tile->sizes[l] : 1, times = bw_div_up(tile->sizes[l], extent);
		if (!still)
			moved *= (double)tile->sizes[l];
		if (!still && !together)
			repeated *= (double)tile->sizes[l];
		int64_t min = around[l].min + times / 2 * extent;
		loops[l] = (struct bw_span){min, min + extent - 1, true};
	}
	double by_box = points_along(walk, chain, loops) * repeated,
	       by_loads = (double)strides->count * moved, points = by_box;
	if (by_loads <= by_box) {
		double vector = shared ? (double)load_vector(point, serial, site) : 1;
		points = fmod(by_loads, vector) > 0 ? by_loads : by_loads / vector;
	}
	return points * (double)bw_serial_outside(point) * (double)bw_serial_around(point);
}

/* Strides of accesses with the arithmetic of Halide's anderson2021, including its sums of fractions: the
 * sum of two fractions is unknown if their denominators have no binary digit in common. */

static const struct bw_ratio zero = {.den = 1}, unknown = {.den = 0};

bool bw_strides_equal(const struct bw_strides *a, const struct bw_strides *b)
{
	bool same = a->rows == b->rows && a->columns == b->columns && a->producer == b->producer &&
		    a->count == b->count;
	for (int i = 0; same && i < a->rows * a->columns; i++)
		same = a->entries[i].num == b->entries[i].num && a->entries[i].den == b->entries[i].den;
	return same;
}

static struct bw_ratio sum(struct bw_ratio a, struct bw_ratio b)
{
	if (!(a.den & b.den))
		return unknown;
	if (a.den == b.den)
		return (struct bw_ratio){.num = a.num + b.num, .den = a.den};
	int64_t common = a.den / bw_gcd(a.den, b.den) * b.den;
	struct bw_ratio total = {.num = a.num * (common / a.den) + b.num * (common / b.den), .den = common};
	int64_t divisor = bw_gcd(total.num, total.den);
	return (struct bw_ratio){.num = total.num / divisor, .den = total.den / divisor};
}

static struct bw_ratio product(struct bw_ratio a, struct bw_ratio b)
{
	if (a.den && !a.num)
		return a;
	if (b.den && !b.num)
		return b;
	return (struct bw_ratio){.num = a.num * b.num, .den = a.den * b.den};
}

static struct bw_strides empty(int rows, int columns, int producer, int64_t count, struct bw_arena *arena)
{
	return (struct bw_strides){rows, columns, producer, count,
				   BW_ARENA_ARRAY(arena, struct bw_ratio, rows * columns + 1)};
}

struct bw_strides bw_strides_of(const struct bw_jacobian *jacobian, int producer, struct bw_arena *arena)
{
	struct bw_strides strides = empty(jacobian->n_dims, jacobian->n_loops, producer, jacobian->count, arena);
	for (int i = 0; i < jacobian->n_dims * jacobian->n_loops; i++)
		strides.entries[i] = jacobian->entries[i].lost ? unknown : jacobian->entries[i];
	return strides;
}

struct bw_strides bw_strides_through(const struct bw_jacobian *jacobian, int producer,
				     const struct bw_strides *of, struct bw_arena *arena)
{
	struct bw_strides inner = bw_strides_of(jacobian, producer, arena);
	struct bw_strides strides =
	    empty(jacobian->n_dims, of->columns, producer, jacobian->count * of->count, arena);
	for (int r = 0; r < strides.rows; r++)
		for (int c = 0; c < strides.columns; c++) {
			struct bw_ratio total = zero;
			for (int k = 0; k < inner.columns; k++)
				total = sum(total, product(bw_strides_at(&inner, r, k), bw_strides_at(of, k, c)));
			strides.entries[r * strides.columns + c] = total;
		}
	return strides;
}

struct bw_strides bw_strides_scale(const struct bw_strides *strides, const int64_t *factors,
				   struct bw_arena *arena)
{
	struct bw_strides scaled = empty(strides->rows, strides->columns, strides->producer, strides->count, arena);
	for (int r = 0; r < strides->rows; r++)
		for (int c = 0; c < strides->columns; c++) {
			struct bw_ratio entry = bw_strides_at(strides, r, c);
			scaled.entries[r * strides->columns + c] =
			    entry.den && entry.num
				? (struct bw_ratio){.num = entry.num * factors[c], .den = entry.den}
				: entry;
		}
	return scaled;
}
