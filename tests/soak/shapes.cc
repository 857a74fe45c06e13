// Building blocks that change extents or dimensions.
#include "growing.h"

#include <algorithm>

namespace bw_test {

using namespace Halide;

namespace {

Made downsample(Growing &g)
{
	const int of = g.any(), dim = g.below(2), kind = g.below(3);
	const Made &a = g.made[of];
	Made one = g.like(of, "down");
	const Args at = g.here((int)a.size.size());
	const Expr twice = at[dim] * 2;
	if (kind == 0)
		one.func(g.vars((int)a.size.size())) = g.read(a, put(at, dim, twice));
	else if (kind == 1)
		one.func(g.vars((int)a.size.size())) = (g.read(a, put(at, dim, twice)) + g.read(a, put(at, dim, twice + 1))) / cast(a.type, 2);
	else
		one.func(g.vars((int)a.size.size())) = (g.read(a, put(at, dim, twice - 1)) + 2 * g.read(a, put(at, dim, twice)) + g.read(a, put(at, dim, twice + 1))) / cast(a.type, 4);
	one.size[dim] = std::max(1, a.size[dim] / 2);
	return one;
}

Made upsample_nearest(Growing &g)
{
	const int of = g.any(), dim = g.below(2), factor = g.between(2, 3);
	const Made &a = g.made[of];
	if (a.size[dim] > 64)
		return Made();
	Made one = g.like(of, "near");
	const Args at = g.here((int)a.size.size());
	one.func(g.vars((int)a.size.size())) = g.read(a, put(at, dim, at[dim] / factor));
	one.size[dim] *= factor;
	return one;
}

Made upsample_linear(Growing &g)
{
	const int of = g.any(), dim = g.below(2);
	const Made &a = g.made[of];
	if (a.size[dim] > 64)
		return Made();
	Made one = g.like(of, "linear");
	const Args at = g.here((int)a.size.size());
	one.func(g.vars((int)a.size.size())) = (g.read(a, put(at, dim, at[dim] / 2)) + g.read(a, put(at, dim, (at[dim] + 1) / 2))) / cast(a.type, 2);
	one.size[dim] *= 2;
	return one;
}

Made pad(Growing &g)
{
	const int of = g.any(), kind = g.below(5), less = g.below(3);
	const Made &a = g.made[of];
	Made one = g.like(of, "pad");
	const int dims = (int)a.size.size();
	Halide::Region bounds;
	for (int d = 0; d < dims; d++)
		bounds.push_back(d < 2 ? Range(0, g.said(std::max(a.size[d] - less, 1))) : Range(Expr(), Expr()));
	Func made;
	if (kind == 0)
		made = BoundaryConditions::repeat_edge(a.func, bounds);
	else if (kind == 1)
		made = BoundaryConditions::constant_exterior(a.func, number(a.type, 5), bounds);
	else if (kind == 2)
		made = BoundaryConditions::mirror_image(a.func, bounds);
	else if (kind == 3 && a.size[0] - less > 1 && a.size[1] - less > 1)
		made = BoundaryConditions::mirror_interior(a.func, bounds);
	else
		made = BoundaryConditions::repeat_image(a.func, bounds);
	one.func(g.vars(dims)) = made(moved(g.here(dims), 0, -1));
	one.size[0] += less;
	return one;
}

Made slice(Growing &g)
{
	const int of = g.any_of_dims(3);
	if (of < 0)
		return Made();
	const Made &a = g.made[of];
	const int last = (int)a.size.size() - 1, at_last = g.below(a.size[last]);
	Made one = g.like(of, "slice");
	Args at = g.here(last);
	at.push_back(at_last);
	one.func(g.vars(last)) = g.read(a, at) + number(a.type, 1);
	one.size.pop_back();
	return one;
}

Made stack(Growing &g)
{
	const int of = g.any(), other = g.any(), wide = g.between(2, 5);
	const Made &a = g.made[of], &b = g.made[other];
	const int dims = (int)a.size.size();
	if (dims > 3)
		return Made();
	Made one = g.like(of, "stack");
	one.from.push_back(other);
	const Args at = g.here(dims + 1);
	const Expr last = at[dims];
	one.func(g.vars(dims + 1)) = select(last % 2 == 0, g.read(a, Args(at.begin(), at.end() - 1)), converted(g.resampled(b, a.size, at), a.type));
	one.size.push_back(wide);
	return one;
}

Made transpose(Growing &g)
{
	const int of = g.any();
	const Made &a = g.made[of];
	Made one = g.like(of, "turn");
	Args at = g.here((int)a.size.size());
	std::swap(at[0], at[1]);
	one.func(g.vars((int)a.size.size())) = g.read(a, at);
	std::swap(one.size[0], one.size[1]);
	return one;
}

Made channels_first(Growing &g)
{
	const int of = g.any_of_dims(3);
	if (of < 0)
		return Made();
	const Made &a = g.made[of];
	Made one = g.like(of, "planes");
	Args at = g.here((int)a.size.size());
	const Expr x = at[0], y = at[1], c = at[2];
	/* What were channels may be read beyond their number from now on. */
	at[0] = y;
	at[1] = c;
	at[2] = clamp(x, 0, g.said(a.size[2]) - 1);
	one.func(g.vars((int)a.size.size())) = g.read(a, at);
	one.size[0] = a.size[2];
	one.size[1] = a.size[0];
	one.size[2] = a.size[1];
	return one;
}

}

const std::vector<Block> shape_blocks = {
	{"downsample", downsample},
	{"upsample nearest", upsample_nearest},
	{"upsample linear", upsample_linear},
	{"pad", pad},
	{"slice", slice},
	{"stack", stack},
	{"transpose", transpose},
	{"channels first", channels_first},
};

}
