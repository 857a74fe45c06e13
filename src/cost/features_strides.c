/* Strides of accesses with the arithmetic of Halide's anderson2021, including its sums of fractions: the
 * sum of two fractions is unknown if their denominators have no binary digit in common. */
#include "base/arith.h"
#include "cost/features_private.h"

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
