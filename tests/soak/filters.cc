// Building blocks over windows, channels and whole rows.
#include "growing.h"

#include <algorithm>

namespace bw_test {

using namespace Halide;

namespace {

Made convolve_unrolled(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(3);
	const int wide = kind == 1 ? 1 : g.between(2, 5), high = kind == 0 ? 1 : g.between(2, 4);
	const Made &a = g.made[of];
	Made one = g.like(of, "conv");
	const Args at = g.here(dims);
	Expr sum = cast(a.type, 0);
	for (int j = 0; j < high; j++)
		for (int i = 0; i < wide; i++)
			sum = sum + number(a.type, 1 + (i + 2 * j) % 3) * g.read(a, moved(moved(at, 0, i - wide / 2), 1, j - high / 2));
	one.func(g.vars(dims)) = a.type.is_float() ? sum / cast(a.type, wide * high) : sum;
	return one;
}

Made convolve_reduction(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), wide = g.between(1, 5), high = g.between(1, 4), from = g.between(-2, 2);
	const Made &a = g.made[of];
	Made one = g.like(of, "convr");
	RDom r(g.said(from), g.said(wide), -1, g.said(high), one.func.name() + "_r");
	const Args at = g.here(dims);
	one.func(g.vars(dims)) = cast(a.type, 0);
	one.func(g.vars(dims)) += cast(a.type, g.weights(r.x - from, r.y + 1)) / cast(a.type, 16) * g.read(a, moved(moved(at, 0, r.x), 1, r.y));
	return one;
}

/* Over all channels and a window, to another number of channels. */
Made convolve_channels(Growing &g)
{
	const int of = g.any_of_dims(3);
	if (of < 0)
		return Made();
	const int dims = (int)g.made[of].size.size(), wide = g.between(1, 3), channels = g.between(1, 8);
	const Made &a = g.made[of];
	if (a.size[2] > 16)
		return Made();
	Made one = g.like(of, "layer");
	RDom r(0, g.said(a.size[2]), -1, g.said(wide), -1, g.said(wide), one.func.name() + "_r");
	const Args at = g.here(dims);
	one.func(g.vars(dims)) = number(a.type, 2);
	one.func(g.vars(dims)) += cast(a.type, g.weights(r.x, clamp(at[2], 0, 15))) / cast(a.type, 64) * g.read(a, put(moved(moved(at, 0, r.y), 1, r.z), 2, r.x));
	one.size[2] = channels;
	return one;
}

Made depthwise(Growing &g)
{
	const int of = g.any_of_dims(3);
	if (of < 0)
		return Made();
	const int dims = (int)g.made[of].size.size();
	const Made &a = g.made[of];
	Made one = g.like(of, "depth");
	const Args at = g.here(dims);
	Expr sum = cast(a.type, 0);
	for (int i = 0; i < 3; i++)
		sum = sum + cast(a.type, g.weights(i, clamp(at[2], 0, 15))) / cast(a.type, 64) * g.read(a, moved(at, i % 2, i - 1));
	one.func(g.vars(dims)) = sum;
	return one;
}

Made all_to_all(Growing &g)
{
	const int of = g.any_of_dims(3);
	if (of < 0)
		return Made();
	const int dims = (int)g.made[of].size.size(), channels = g.between(1, 6);
	const Made &a = g.made[of];
	if (a.size[2] > 8)
		return Made();
	Made one = g.like(of, "mix");
	const Args at = g.here(dims);
	Expr sum = cast(a.type, 0);
	for (int k = 0; k < a.size[2]; k++)
		sum = sum + cast(a.type, (at[2] + k) % 4) * g.read(a, put(at, 2, k));
	one.func(g.vars(dims)) = sum / cast(a.type, 4);
	one.size[2] = channels;
	return one;
}

Made all_to_all_reduction(Growing &g)
{
	const int of = g.any_of_dims(3);
	if (of < 0)
		return Made();
	const int dims = (int)g.made[of].size.size();
	const Made &a = g.made[of];
	Made one = g.like(of, "mixr");
	RDom r(0, g.said(a.size[2]), one.func.name() + "_r");
	const Args at = g.here(dims);
	one.func(g.vars(dims)) = cast(a.type, 0);
	one.func(g.vars(dims)) += cast(a.type, (at[2] * 3 + r) % 4) / cast(a.type, 4) * g.read(a, put(at, 2, r));
	return one;
}

Made matrix_product(Growing &g)
{
	const int of = g.any(), other = g.any(), dims = (int)g.made[of].size.size();
	const Made &a = g.made[of], &b = g.made[other];
	const int terms = std::min(a.size[0], b.size[1]);
	if ((int)b.size.size() != dims || a.size[0] * a.size[1] > 5000 || terms > 64)
		return Made();
	for (int d = 2; d < dims; d++)
		if (a.size[d] > b.size[d])
			return Made();
	Made one = g.like(of, "product");
	one.from.push_back(other);
	RDom k(0, g.said(terms), one.func.name() + "_k");
	const Args at = g.here(dims);
	one.func(g.vars(dims)) = cast(a.type, 0);
	one.func(g.vars(dims)) += g.read(a, put(at, 0, k)) * converted(g.read(b, put(at, 1, k)), a.type) / cast(a.type, 16);
	one.size[0] = b.size[0];
	return one;
}

Expr pooled(int kind, const Expr &a, const Expr &b)
{
	return kind == 0 ? max(a, b) : kind == 1 ? min(a, b) : a + b;
}

Made pool_unrolled(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(3), wide = g.between(2, 3), stride = g.between(1, 3);
	const Made &a = g.made[of];
	Made one = g.like(of, "pool");
	Args at = g.here(dims);
	at[0] = at[0] * stride;
	at[1] = at[1] * stride;
	Expr all = g.read(a, at);
	for (int i = 1; i < wide * wide; i++)
		all = pooled(kind, all, g.read(a, moved(moved(at, 0, i % wide), 1, i / wide)));
	one.func(g.vars(dims)) = kind == 2 ? all / cast(a.type, wide * wide) : all;
	one.size[0] = std::max(1, a.size[0] / stride);
	one.size[1] = std::max(1, a.size[1] / stride);
	return one;
}

Made pool_reduction(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(3), wide = g.between(1, 8), high = g.between(1, 8), stride = g.between(1, 3);
	const Made &a = g.made[of];
	Made one = g.like(of, "poolr");
	RDom r(0, g.said(wide), 0, g.said(high), one.func.name() + "_r");
	const std::vector<Var> vars = g.vars(dims);
	Args at = g.here(dims);
	at[0] = at[0] * stride + r.x;
	at[1] = at[1] * stride + r.y;
	one.func(vars) = kind == 0 ? a.type.min() : kind == 1 ? a.type.max() : cast(a.type, 0);
	one.func(vars) = pooled(kind, one.func(vars), g.read(a, at));
	if (kind == 2)
		one.func(vars) = one.func(vars) / cast(a.type, wide * high);
	one.size[0] = std::max(1, a.size[0] / stride);
	one.size[1] = std::max(1, a.size[1] / stride);
	return one;
}

/* Sums along a dimension, forth or back, or a filter that looks back. */
Made scan(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), dim = g.below(2), back = g.below(2), filter = g.below(2);
	const Made &a = g.made[of];
	if (a.size[dim] < 2)
		return Made();
	Made one = g.like(of, "scan");
	RDom r(1, g.said(a.size[dim]) - 1, one.func.name() + "_r");
	const Args at = g.here(dims);
	const Expr to = back ? a.size[dim] - 1 - r : Expr(r), from = back ? a.size[dim] - r : r - 1;
	one.func(g.vars(dims)) = g.read(a, at);
	if (filter)
		one.func(put(at, dim, to)) = (one.func(put(at, dim, to)) + one.func(put(at, dim, from))) / cast(a.type, 2);
	else
		one.func(put(at, dim, to)) += one.func(put(at, dim, from)) / cast(a.type, 4);
	return one;
}

/* One for each band of rows. */
Made histogram(Growing &g)
{
	const int of = g.any_integer();
	if (of < 0)
		return Made();
	const Made &a = g.made[of];
	const int rows = g.between(1, 8), bins = g.between(1, 40);
	Made one = g.like(of, "hist");
	RDom r(0, g.said(a.size[0]), 0, g.said(rows), one.func.name() + "_r");
	const Args at = g.here(2);
	one.type = UInt(32);
	one.size = {bins, (a.size[1] + rows - 1) / rows};
	Args read = g.here((int)a.size.size());
	for (int d = 2; d < (int)a.size.size(); d++)
		read[d] = 0;
	read[0] = r.x;
	read[1] = at[1] * rows + r.y;
	one.func(g.vars(2)) = cast(UInt(32), 0);
	one.func(clamp(cast<int>(cast<uint16_t>(g.read(a, read)) % cast<uint16_t>(bins)), 0, bins - 1), g.vars(2)[1]) += cast(UInt(32), 1);
	return one;
}

/* Over a triangle, or over what another Func says. */
Made predicated(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), asked = g.any_integer(), wide = g.between(2, 5), kind = g.below(2);
	const Made &a = g.made[of];
	Made one = g.like(of, "where");
	RDom r(0, g.said(wide), 0, g.said(wide), one.func.name() + "_r");
	const Args at = g.here(dims);
	if (kind && asked >= 0 && g.made[asked].size.size() == 2 && a.size[0] >= 8) {
		r.where(g.read(g.made[asked], {r.x, r.y}) % 3 == 0);
		one.from.push_back(asked);
	} else {
		r.where(r.x >= r.y);
	}
	one.func(g.vars(dims)) = number(a.type, 1);
	one.func(g.vars(dims)) += g.read(a, moved(moved(at, 0, r.x), 1, -r.y)) / cast(a.type, 4);
	return one;
}

}

const std::vector<Block> filter_blocks = {
	{"convolution, unrolled", convolve_unrolled},
	{"convolution, reduction", convolve_reduction},
	{"convolution over channels", convolve_channels},
	{"depthwise convolution", depthwise},
	{"all to all, unrolled", all_to_all},
	{"all to all, reduction", all_to_all_reduction},
	{"matrix product", matrix_product},
	{"pooling, unrolled", pool_unrolled},
	{"pooling, reduction", pool_reduction},
	{"scan", scan},
	{"histogram", histogram},
	{"predicated reduction", predicated},
};

}
