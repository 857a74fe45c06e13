#include "halide/jacobian.h"

#include <numeric>

namespace bw {

using Internal::Call;

namespace {

const Ratio unknown = {0, 0};

Ratio lowest(int64_t num, int64_t den)
{
	if (den == 0)
		return unknown;
	if (den < 0) {
		num = -num;
		den = -den;
	}
	int64_t divisor = std::gcd(num, den);
	return Ratio{num / divisor, den / divisor};
}

Ratio sum(Ratio a, Ratio b, int sign)
{
	if (a.den == 0 || b.den == 0)
		return unknown;
	return lowest(a.num * b.den + sign * b.num * a.den, a.den * b.den);
}

// Halide's network was trained with what this finds: linear in the loops, and division by a constant as if it were exact.
class Derivative {
	const std::string &loop;
	const Internal::Scope<Expr> &lets;

public:
	Derivative(const std::string &l, const Internal::Scope<Expr> &s)
	    : loop(l), lets(s)
	{
	}

	Ratio of(const Expr &e) const
	{
		if (!Internal::expr_uses_var(e, loop, lets))
			return Ratio{0, 1};
		if (const auto *variable = e.as<Internal::Variable>())
			return variable->name == loop ? Ratio{1, 1} : of(lets.get(variable->name));
		if (const auto *add = e.as<Internal::Add>())
			return sum(of(add->a), of(add->b), 1);
		if (const auto *sub = e.as<Internal::Sub>())
			return sum(of(sub->a), of(sub->b), -1);
		if (const auto *mul = e.as<Internal::Mul>()) {
			if (auto factor = Internal::as_const_int(mul->b))
				return scaled(mul->a, *factor, 1);
			if (auto factor = Internal::as_const_int(mul->a))
				return scaled(mul->b, *factor, 1);
		}
		if (const auto *div = e.as<Internal::Div>())
			if (auto divisor = Internal::as_const_int(div->b))
				return scaled(div->a, 1, *divisor);
		if (const auto *call = e.as<Call>())
			if (call->is_intrinsic(Call::likely))
				return of(call->args[0]);
		return unknown;
	}

private:
	Ratio scaled(const Expr &e, int64_t num, int64_t den) const
	{
		Ratio inner = of(e);
		return lowest(inner.num * num, inner.den * den);
	}
};

}

Jacobian jacobian_of(const std::vector<Expr> &coordinates, const std::vector<std::string> &loops, const Internal::Scope<Expr> &lets)
{
	Jacobian jacobian;
	for (const Expr &coordinate : coordinates) {
		jacobian.emplace_back();
		for (const std::string &loop : loops)
			jacobian.back().push_back(Derivative(loop, lets).of(coordinate));
	}
	return jacobian;
}

}
