#include "halide/fixed.h"

#include <cmath>

namespace bw {

using Internal::Call;

namespace {

// places: fractional bits of a number in fixed point. nearly: a number that is below an integer by less
// than this is rounded to the integer, because a product of floats that should be an integer may be
// slightly less.
constexpr int places = 28;
constexpr int64_t scale = (int64_t)1 << places, nearly = (int64_t)1 << (places - 14),
		  coefficient_scale = 1 << 16;
constexpr double most = 1e6; // of a coefficient: coefficient * scale * coordinate must fit 64 bits

// A linear sum: integers and fixed-point numbers, each with its coefficient, and a constant.
struct Sum {
	std::map<std::string, double> integers, numbers; // coefficients, by the JSON of the term
	double constant = 0;
	bool known = true; // a description can express it

	void add(const Sum &other, double factor)
	{
		for (const auto &term : other.integers)
			integers[term.first] += factor * term.second;
		for (const auto &term : other.numbers)
			numbers[term.first] += factor * term.second;
		constant += factor * other.constant;
		known = known && other.known;
	}
	bool is_constant() const
	{
		return integers.empty() && numbers.empty();
	}
	// Returns true if the sum is an integer for all values of its terms.
	bool is_integer() const
	{
		bool whole = numbers.empty() && constant == std::floor(constant);
		for (const auto &term : integers)
			whole = whole && term.second == std::floor(term.second);
		return whole;
	}
};

std::string apply(const char *op, const std::string &a, const std::string &b)
{
	return std::string("[\"") + op + "\"," + a + "," + b + "]";
}

std::string estimate(int64_t value)
{
	return "{\"estimate\":" + std::to_string(value) + "}";
}

// Adds a term to a sum as JSON, which is "" before its first term.
void add_term(std::string *sum, const std::string &term)
{
	*sum = sum->empty() ? term : apply("+", *sum, term);
}

std::string times(const std::string &term, int64_t factor)
{
	return factor == 1 ? term : apply("*", term, std::to_string(factor));
}

// Returns the sum as JSON, multiplied by `unit`: the scale, or 1 for an integer.
std::string said(const Sum &sum, int64_t unit)
{
	std::string json;
	for (const auto &term : sum.integers)
		add_term(&json, times(term.first, std::llround(term.second * (double)unit)));
	for (const auto &term : sum.numbers)
		if (term.second == std::floor(term.second))
			add_term(&json, times(term.first, std::llround(term.second)));
		else
			add_term(&json, apply("/",
					      times(term.first,
						    std::llround(term.second * (double)coefficient_scale)),
					      std::to_string(coefficient_scale)));
	const int64_t constant = std::llround(sum.constant * (double)unit);
	if (constant || json.empty())
		add_term(&json, std::to_string(constant));
	return json;
}

Sum of_integer(const std::string &json)
{
	Sum sum;
	sum.integers[json] = 1;
	sum.known = !json.empty();
	return sum;
}

Sum of_number(const std::string &json)
{
	Sum sum;
	sum.numbers[json] = 1;
	return sum;
}

Sum unknown()
{
	Sum sum;
	sum.known = false;
	return sum;
}

Sum multiple(const Sum &sum, double factor)
{
	Sum product;
	product.add(sum, factor);
	return product;
}

// Returns an integer sum as JSON. Unless it is constant, the integer is divided by an estimate of 1, to
// mark it as known at the estimates only: Halide proves nothing about values that go through floating
// point.
std::string whole(const Sum &sum)
{
	return sum.is_constant() ? said(sum, 1) : apply("/", said(sum, 1), estimate(1));
}

// Returns the sum rounded down to an integer. (ceil_of negates the sum before and after.)
std::string floor_of(const Sum &sum)
{
	Sum raised = sum;
	raised.constant += (double)nearly / (double)scale;
	return sum.is_integer() ? whole(sum) : apply("/", said(raised, scale), estimate(scale));
}

std::string ceil_of(const Sum &sum)
{
	return sum.is_integer() ? whole(sum) : apply("-", "0", floor_of(multiple(sum, -1)));
}

std::string truncated(const Sum &sum)
{
	if (sum.is_integer())
		return whole(sum);
	return std::string("[\"select\",") + apply("<", said(sum, scale), "0") + "," + ceil_of(sum) + "," +
	       floor_of(sum) + "]";
}

// Returns the sum plus 1/2, which rounded down is the nearest integer. In a tie, Halide's round takes the
// even integer instead.
Sum plus_half(const Sum &sum)
{
	Sum raised = sum;
	raised.constant += 0.5;
	return raised;
}

// Each visit stores the number as a sum. A description cannot express the nodes that have no visit below.
class Reader : public Internal::IRVisitor {
	const Say &say;
	std::map<std::string, Sum> lets;
	Sum sum;

public:
	explicit Reader(const Say &s)
	    : say(s)
	{
	}

	Sum of(const Expr &e)
	{
		if (!e.type().is_scalar())
			return unknown();
		if (!e.type().is_float())
			return of_integer(say(e));
		sum = unknown();
		if (has_visit(e.get()->node_type))
			e.accept(this);
		for (const auto *terms : {&sum.integers, &sum.numbers})
			for (const auto &term : *terms)
				sum.known = sum.known && std::fabs(term.second) < most;
		sum.known = sum.known && std::fabs(sum.constant) < 1e9;
		return sum;
	}

private:
	using IRVisitor::visit;

	// IRVisitor visits the operands of any other node, which would leave the number of the last operand.
	static bool has_visit(Internal::IRNodeType type)
	{
		using T = Internal::IRNodeType;
		switch (type) {
		case T::FloatImm:
		case T::Variable:
		case T::Let:
		case T::Cast:
		case T::Add:
		case T::Sub:
		case T::Mul:
		case T::Div:
		case T::Min:
		case T::Max:
		case T::Select:
		case T::Call:
			return true;
		default:
			return false;
		}
	}

	void visit(const Internal::FloatImm *op) override
	{
		sum = Sum();
		sum.constant = op->value;
	}
	void visit(const Internal::Variable *op) override
	{
		auto let = lets.find(op->name);
		sum = let == lets.end() ? unknown() : let->second;
	}
	void visit(const Internal::Let *op) override
	{
		if (op->value.type().is_float())
			lets[op->name] = of(op->value);
		sum = op->value.type().is_float() ? of(op->body) : unknown();
	}
	void visit(const Internal::Cast *op) override
	{
		sum = of(op->value);
	}
	void visit(const Internal::Add *op) override
	{
		const Sum a = of(op->a), b = of(op->b);
		sum = a;
		sum.add(b, 1);
	}
	void visit(const Internal::Sub *op) override
	{
		const Sum a = of(op->a), b = of(op->b);
		sum = a;
		sum.add(b, -1);
	}
	void visit(const Internal::Mul *op) override
	{
		const Sum a = of(op->a), b = of(op->b);
		if (!a.known || !b.known)
			sum = unknown();
		else if (a.is_constant() || b.is_constant())
			sum = multiple(a.is_constant() ? b : a, a.is_constant() ? a.constant : b.constant);
		else if (a.is_integer() || b.is_integer())
			sum = of_number(apply("*", said(a, a.is_integer() ? 1 : scale), said(b, a.is_integer() ? scale : 1)));
		else
			sum = of_number(apply("/", apply("*", said(a, scale), said(b, scale)), std::to_string(scale)));
	}
	void visit(const Internal::Div *op) override
	{
		const Sum a = of(op->a), b = of(op->b);
		if (!a.known || !b.known || (b.is_constant() && b.constant == 0))
			sum = unknown();
		else if (b.is_constant())
			sum = multiple(a, 1 / b.constant);
		else if (b.is_integer())
			sum = of_number(apply("/", said(a, scale), said(b, 1)));
		else
			sum = of_number(
			    apply("/", apply("*", said(a, scale), std::to_string(coefficient_scale)),
				  apply("/", said(b, scale), std::to_string(scale / coefficient_scale))));
	}
	void visit_extreme(const char *op, const Expr &a, const Expr &b)
	{
		const Sum first = of(a), second = of(b);
		sum = !first.known || !second.known
			  ? unknown()
			  : of_number(apply(op, said(first, scale), said(second, scale)));
	}
	void visit(const Internal::Min *op) override
	{
		visit_extreme("min", op->a, op->b);
	}
	void visit(const Internal::Max *op) override
	{
		visit_extreme("max", op->a, op->b);
	}
	void visit(const Internal::Select *op) override
	{
		const std::string condition = say(op->condition);
		const Sum a = of(op->true_value), b = of(op->false_value);
		sum = condition.empty() || !a.known || !b.known
			  ? unknown()
			  : of_number("[\"select\"," + condition + "," + said(a, scale) + "," +
				      said(b, scale) + "]");
	}
	void visit(const Call *op) override
	{
		if (op->args.empty()) {
			sum = unknown();
			return;
		}
		const Expr plain = without_strictness(op);
		if (plain.defined()) {
			sum = of(plain);
			return;
		}
		const Sum a = of(op->args[0]);
		const std::string name = op->name.substr(0, op->name.find("_f"));
		if (!a.known)
			sum = unknown();
		else if (op->is_intrinsic(Call::likely) || op->is_intrinsic(Call::likely_if_innermost))
			sum = a;
		else if (op->is_intrinsic(Call::abs))
			sum = of_number("[\"abs\"," + said(a, scale) + "]");
		else if (name == "floor")
			sum = of_integer(floor_of(a));
		else if (name == "ceil")
			sum = of_integer(ceil_of(a));
		else if (name == "trunc")
			sum = of_integer(truncated(a));
		else
			sum = name == "round" ? of_integer(floor_of(plus_half(a))) : unknown();
	}
};

}

std::string fixed_integer(const Expr &number, const Say &say)
{
	const Sum sum = Reader(say).of(number);
	return sum.known ? truncated(sum) : "";
}

std::string fixed_comparison(const char *op, const Expr &a, const Expr &b, const Say &say)
{
	Reader reader(say);
	const Sum first = reader.of(a), second = reader.of(b);
	return first.known && second.known ? apply(op, said(first, scale), said(second, scale)) : "";
}

}
