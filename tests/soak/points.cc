// Building blocks that work point by point, on tuples, in several updates, or read where data says.
#include "growing.h"

#include <algorithm>

namespace bw_test {

using namespace Halide;

namespace {

Made unary(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(4);
	const Made &a = g.made[of];
	Made one = g.like(of, "unary");
	const Expr e = g.read(a, g.here(dims));
	if (kind == 0)
		one.func(g.vars(dims)) = e * number(a.type, 3) + number(a.type, 1);
	else if (kind == 1)
		one.func(g.vars(dims)) = max(e, number(a.type, 7)) - number(a.type, 2);
	else if (kind == 2)
		one.func(g.vars(dims)) = e + cast(a.type, g.here(dims)[0] % 8);
	else
		one.func(g.vars(dims)) = e + cast(a.type, clamp(g.shift, 0, 7));
	return one;
}

Made binary(Growing &g)
{
	const int of = g.any(), other = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(5);
	const Made &a = g.made[of], &b = g.made[other];
	Made one = g.like(of, "binary");
	one.from.push_back(other);
	one.type = common(a.type, b.type);
	const Args at = g.here(dims);
	const Expr x = converted(g.read(a, at), one.type), y = converted(g.resampled(b, a.size, at), one.type);
	if (kind == 0)
		one.func(g.vars(dims)) = x + y;
	else if (kind == 1)
		one.func(g.vars(dims)) = x * number(one.type, 3) - y;
	else if (kind == 2)
		one.func(g.vars(dims)) = max(x, y);
	else if (kind == 3)
		one.func(g.vars(dims)) = select(x > y, x - y, y - x);
	else if (one.type.is_float())
		one.func(g.vars(dims)) = x * y / (cast(one.type, 1) + abs(y));
	else
		one.func(g.vars(dims)) = x ^ y;
	return one;
}

// Three quarters of a logistic function or a tangent, because libraries of mathematics differ in whether these reach 1, and some consumers drop
// all behind the point.
Made activation(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(3);
	const Made &a = g.made[of];
	Made one = g.like(of, "act");
	const Expr e = g.read(a, g.here(dims));
	if (kind == 0) {
		one.func(g.vars(dims)) = max(e, number(a.type, 4));
		return one;
	}
	const Expr f = converted(e, Float(32));
	one.type = Float(32);
	one.func(g.vars(dims)) = 0.75f * (kind == 1 ? 1.0f / (1.0f + exp(-f)) : tanh(f));
	return one;
}

Made cast_to(Growing &g)
{
	static const Type integers[] = {UInt(8), UInt(16), UInt(32), Int(16), Float(32), Float(64)};
	const int of = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(6), real = g.below(2);
	const Made &a = g.made[of];
	Made one = g.like(of, "cast");
	one.type = a.type.is_float() ? Float(real ? 64 : 32) : integers[kind];
	one.func(g.vars(dims)) = converted(g.read(a, g.here(dims)), one.type) + number(one.type, 1);
	return one;
}

Made choose(Growing &g)
{
	const int of = g.any(), other = g.any(), asked = g.any_integer(), dims = (int)g.made[of].size.size(), kind = g.below(2), modulus = g.between(2, 4);
	const Made &a = g.made[of], &b = g.made[other];
	Made one = g.like(of, "select");
	one.from.push_back(other);
	const Args at = g.here(dims);
	Expr condition = (at[0] + at[1]) % modulus == 0;
	if (kind && asked >= 0) {
		const Made &m = g.made[asked];
		one.from.push_back(asked);
		condition = g.resampled(m, a.size, at) > number(m.type, 40);
	}
	one.func(g.vars(dims)) = select(condition, g.read(a, at), converted(g.resampled(b, a.size, at), a.type));
	return one;
}

/* A Func of truth values between. */
Made mask(Growing &g)
{
	const int of = g.any_integer();
	if (of < 0)
		return Made();
	const Made &a = g.made[of];
	const int dims = (int)a.size.size();
	Made one = g.like(of, "masked");
	Func m = g.fresh("mask");
	const Args at = g.here(dims);
	m(g.vars(dims)) = g.read(a, at) > number(a.type, 50) && at[0] % 3 != 1;
	one.func(g.vars(dims)) = select(m(at) || m(moved(at, 0, 1)), g.read(a, at), number(a.type, 9));
	return one;
}

Made tuple(Growing &g)
{
	const int of = g.any(), other = g.any(), dims = (int)g.made[of].size.size(), sum = g.below(2);
	const Made &a = g.made[of], &b = g.made[other];
	Made one = g.like(of, "untuple");
	one.from.push_back(other);
	Func pair = g.fresh("pair");
	const Args at = g.here(dims);
	pair(g.vars(dims)) = Tuple(g.read(a, at) + number(a.type, 1), g.resampled(b, a.size, at));
	if (sum) {
		RDom r(0, g.said(3), pair.name() + "_r");
		pair(g.vars(dims)) = Tuple(Expr(pair(at)[0]) + g.read(a, moved(at, 0, r)) / cast(a.type, 4), max(Expr(pair(at)[1]), g.resampled(b, a.size, at)));
	}
	one.func(g.vars(dims)) = Expr(pair(at)[0]) + converted(Expr(pair(moved(at, 0, -1))[1]), a.type);
	return one;
}

/* The place of the greatest in a window, and the value there. */
Made greatest(Growing &g)
{
	const int of = g.any_integer(), wide = g.between(2, 6);
	if (of < 0)
		return Made();
	const Made &a = g.made[of];
	const int dims = (int)a.size.size();
	Made one = g.like(of, "greatest");
	Func best = g.fresh("best");
	RDom r(0, g.said(wide), best.name() + "_r");
	const Args at = g.here(dims);
	best(g.vars(dims)) = Tuple(Expr(0), a.type.min());
	const Expr value = g.read(a, moved(at, 0, r)), better = value > Expr(best(at)[1]);
	best(g.vars(dims)) = Tuple(select(better, Expr(r), Expr(best(at)[0])), select(better, value, Expr(best(at)[1])));
	one.func(g.vars(dims)) = cast(a.type, Expr(best(at)[0])) + Expr(best(at)[1]);
	return one;
}

/* Several updates: of all points, of a column, of a row by the next one, which must be there: an output's buffer has no more. */
Made updated(Growing &g)
{
	const int of = g.any(), other = g.any(), dims = (int)g.made[of].size.size(), kind = g.below(3);
	const Made &a = g.made[of], &b = g.made[other];
	Made one = g.like(of, "update");
	one.from.push_back(other);
	const Args at = g.here(dims);
	one.func(g.vars(dims)) = g.read(a, at);
	one.func(g.vars(dims)) = one.func(g.vars(dims)) * cast(a.type, 3) / cast(a.type, 4) + converted(g.resampled(b, a.size, at), a.type);
	if (kind)
		one.func(put(at, 0, a.size[0] / 2)) += number(a.type, 3);
	if (kind == 2)
		one.func(put(at, 1, 0)) = one.func(put(at, 1, std::min(1, a.size[1] - 1))) + g.read(a, put(at, 1, 2));
	return one;
}

Made lookup(Growing &g)
{
	const int of = g.any(), other = g.any_integer();
	if (other < 0)
		return Made();
	const Made &a = g.made[of], &index = g.made[other];
	const int dims = (int)index.size.size();
	Made one = g.like(other, "lookup");
	one.from.push_back(of);
	one.type = a.type;
	const Args at = g.here(dims);
	Args read = g.here((int)a.size.size());
	for (int d = 0; d < (int)a.size.size(); d++)
		read[d] = d < dims ? clamp(at[d], 0, g.said(a.size[d]) - 1) : Expr(0);
	read[0] = clamp(cast<int>(g.read(index, at)), 0, g.said(a.size[0]) - 1);
	one.func(g.vars(dims)) = g.read(a, read) + number(a.type, 1);
	return one;
}

/* Reads at computed coordinates within bounds. */
Made warp(Growing &g)
{
	const int of = g.any(), dims = (int)g.made[of].size.size();
	const Made &a = g.made[of];
	Made one = g.like(of, "warp");
	const Args at = g.here(dims);
	const Expr x = clamp(at[0] + (at[1] * 7) % 5 - 2, -1, g.said(a.size[0])), y = clamp(at[1] - at[0] / 3, 0, g.said(a.size[1]) - 1);
	one.func(g.vars(dims)) = g.read(a, put(put(at, 0, x), 1, y)) - g.read(a, put(at, 0, min(at[0] + 2, a.size[0])));
	return one;
}

}

const std::vector<Block> point_blocks = {
	{"unary", unary},
	{"binary", binary},
	{"activation", activation},
	{"cast", cast_to},
	{"select", choose},
	{"mask", mask},
	{"tuple", tuple},
	{"greatest", greatest},
	{"updates", updated},
	{"lookup", lookup},
	{"warp", warp},
};

}
