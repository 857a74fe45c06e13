#include "halide/loads.h"

#include <numeric>

namespace bw {

using Internal::Call;

namespace {

const Ratio unknown = {0, 0};

// A derivative: the exact one, and that of Halide's autoscheduler, which is not in lowest terms.
struct Slope {
	Ratio exact, theirs;
};
const Slope none = {unknown, unknown};

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

Ratio sum(Ratio a, Ratio b)
{
	if (a.den == 0 || b.den == 0)
		return unknown;
	return lowest(a.num * b.den + b.num * a.den, a.den * b.den);
}

// Adds two numbers as Halide's autoscheduler does. It loses the sum, as that of x/8 + 1, if the
// denominators have no binary digit in common.
Ratio their_sum(Ratio a, Ratio b)
{
	if (!(a.den & b.den))
		return unknown;
	if (a.den == b.den)
		return Ratio{a.num + b.num, a.den};
	return sum(a, b);
}

Slope sum(const Slope &a, const Slope &b, int sign)
{
	return {sum(a.exact, Ratio{sign * b.exact.num, b.exact.den}),
		their_sum(a.theirs, Ratio{sign * b.theirs.num, b.theirs.den})};
}

// Finds derivatives by a loop variable, for coordinates that are linear in the loops. Division by a
// constant counts as exact. Halide's network was trained with such derivatives.
class Derivative {
	const std::string &loop;
	const Internal::Scope<Expr> &lets;

public:
	Derivative(const std::string &l, const Internal::Scope<Expr> &s)
	    : loop(l), lets(s)
	{
	}

	Slope of(const Expr &e) const
	{
		if (!Internal::expr_uses_var(e, loop, lets))
			return {Ratio{0, 1}, Ratio{0, 1}};
		if (const auto *variable = e.as<Internal::Variable>())
			return variable->name == loop ? Slope{Ratio{1, 1}, Ratio{1, 1}} : of(lets.get(variable->name));
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
		const auto *call = e.as<Call>();
		if (call && call->is_intrinsic(Call::likely))
			return of(call->args[0]);
		if (call && call->is_intrinsic(Call::promise_clamped)) // rfactor makes such calls
			return {of(call->args[0]).exact, unknown};
		return none;
	}

private:
	Slope scaled(const Expr &e, int64_t num, int64_t den) const
	{
		const Slope inner = of(e);
		const Ratio theirs = inner.theirs;
		return {lowest(inner.exact.num * num, inner.exact.den * den),
			Ratio{theirs.num * num, theirs.num ? theirs.den * den : theirs.den}};
	}
};

Ratio told(const Slope &slope)
{
	Ratio ratio = slope.exact;
	ratio.lost = ratio.den && !slope.theirs.den;
	return ratio;
}

}

Jacobian jacobian_of(const std::vector<Expr> &coordinates, const std::vector<std::string> &loops,
		     const Internal::Scope<Expr> &lets)
{
	Jacobian jacobian;
	for (const Expr &coordinate : coordinates) {
		jacobian.emplace_back();
		for (const std::string &loop : loops)
			jacobian.back().push_back(told(Derivative(loop, lets).of(coordinate)));
	}
	return jacobian;
}

}
