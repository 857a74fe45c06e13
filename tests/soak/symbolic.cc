// Building blocks of which all is where no number is said: coordinates that a floating-point factor scales, factors and places that are parameters.
#include "growing.h"

#include <algorithm>

namespace bw_test {

using namespace Halide;

namespace {

// As a resize reads: at floor(x s), or around (x + 0.5) s.
Made scaled(Growing &g)
{
	static const float scales[] = {0.5f, 0.75f, 1.25f, 2.0f};
	const int of = g.any(), dim = g.below(2), kind = g.below(3);
	const float scale = scales[g.below(4)];
	const Made &a = g.made[of];
	if ((float)a.size[dim] / scale > 128.0f)
		return Made();
	Made one = g.like(of, "scaled");
	const int dims = (int)a.size.size();
	const Args at = g.here(dims);
	const Expr s = g.said(scale), x = cast<float>(at[dim]), last = g.said(a.size[dim]) - 1;
	if (kind == 0)
		one.func(g.vars(dims)) = g.read(a, put(at, dim, clamp(cast<int>(floor(x * s)), 0, last)));
	else if (kind == 1)
		one.func(g.vars(dims)) = g.read(a, put(at, dim, cast<int>(floor(x / g.said(1.0f / scale)))));
	else {
		const Expr from = cast<int>(floor((x + 0.5f) * s - 0.5f));
		one.func(g.vars(dims)) = g.read(a, put(at, dim, clamp(from, 0, last))) + g.read(a, put(at, dim, clamp(from + 1, 0, last))) / cast(a.type, 2);
	}
	one.size[dim] = std::max(1, (int)((float)a.size[dim] / scale));
	return one;
}

Made upsample_by_parameter(Growing &g)
{
	const int of = g.any(), dim = g.below(2), factor = g.between(2, 3);
	const Made &a = g.made[of];
	if (a.size[dim] > 64)
		return Made();
	Made one = g.like(of, "times");
	const Args at = g.here((int)a.size.size());
	one.func(g.vars((int)a.size.size())) = g.read(a, put(at, dim, at[dim] / g.said(factor)));
	one.size[dim] *= factor;
	return one;
}

Made shift_by_parameter(Growing &g)
{
	const int of = g.any(), dim = g.below(2), by = g.between(-3, 3), dims = (int)g.made[of].size.size();
	const Made &a = g.made[of];
	Made one = g.like(of, "moved");
	const Args at = g.here(dims);
	const Expr distance = g.said(by);
	one.func(g.vars(dims)) = g.read(a, moved(at, dim, distance)) + g.read(a, moved(at, dim, distance + 1)) * number(a.type, 3);
	return one;
}

Made slice_by_parameter(Growing &g)
{
	const int of = g.any_of_dims(3);
	if (of < 0)
		return Made();
	const Made &a = g.made[of];
	const int last = (int)a.size.size() - 1, at_last = g.below(a.size[last]);
	Made one = g.like(of, "plane");
	Args at = g.here(last);
	at.push_back(clamp(g.said(at_last), 0, a.size[last] - 1));
	one.func(g.vars(last)) = g.read(a, at) + number(a.type, 1);
	one.size.pop_back();
	return one;
}

// A window around each point, whose radius is a parameter.
Made window_by_parameter(Growing &g)
{
	const int of = g.any(), dim = g.below(2), radius = g.between(0, 2), dims = (int)g.made[of].size.size();
	const Made &a = g.made[of];
	Made one = g.like(of, "around");
	const Expr reach = g.said(radius);
	RDom r(-reach, 2 * reach + 1, one.func.name() + "_r");
	const Args at = g.here(dims);
	one.func(g.vars(dims)) = number(a.type, 1);
	one.func(g.vars(dims)) += g.read(a, moved(at, dim, r));
	return one;
}

}

const std::vector<Block> symbolic_blocks = {
	{"scaled", scaled},
	{"upsample by a parameter", upsample_by_parameter},
	{"shift by a parameter", shift_by_parameter},
	{"slice by a parameter", slice_by_parameter},
	{"window by a parameter", window_by_parameter},
};

}
