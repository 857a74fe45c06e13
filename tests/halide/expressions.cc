// Expressions mean in a description what they mean in Halide: for every kind of node random expressions are made, converted,
// read by the core and evaluated there, and the value compared with that of Halide's own simplify. Also: what cannot be said
// is refused, and bounds that Halide can only know as constants come out as these.
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <random>

#include "halide/convert.h"

extern "C" {
#include "base/mem.h"
#include "pipeline/expr.h"
}

namespace {

using namespace Halide;

constexpr int n_variables = 3;
const char *const names[] = {"a", "b", "c"};

struct Values {
	bw_interval intervals[n_variables];
	std::map<std::string, Expr> halide;
};

class Maker {
	std::mt19937 random{20210427};

public:
	int below(int n)
	{
		return (int)(random() % (unsigned)n);
	}

	Values values()
	{
		Values v;
		for (int i = 0; i < n_variables; i++) {
			const int range = below(4) ? 20 : 70000;
			int min = below(2 * range + 1) - range, max = min + below(range);
			v.intervals[i] = bw_interval{min, max};
			v.halide[std::string(names[i]) + ".min"] = min;
			v.halide[std::string(names[i]) + ".max"] = max;
		}
		return v;
	}

	// An expression of a type whose outermost node is `kind`, or anything.
	Expr expr(Type type, int depth)
	{
		if (depth == 0 || below(8) == 0)
			return leaf(type);
		if (type.is_bool())
			return condition(depth, below(9));
		if (below(4) == 0)
			return cast(type, expr(any_type(), depth - 1));
		return arithmetic(type, depth, below(n_arithmetic));
	}

	static constexpr int n_arithmetic = 13;
	Expr arithmetic(Type type, int depth, int kind)
	{
		Expr a = expr(type, depth - 1), b = expr(type, depth - 1);
		switch (kind) {
		case 0:
			return Internal::Add::make(a, b);
		case 1:
			return Internal::Sub::make(a, b);
		case 2:
			return Internal::Mul::make(a, b);
		case 3:
			return Internal::Div::make(a, b);
		case 4:
			return Internal::Mod::make(a, b);
		case 5:
			return Internal::Min::make(a, b);
		case 6:
			return Internal::Max::make(a, b);
		case 7:
			return Internal::Select::make(expr(Bool(), depth - 1), a, b);
		case 8:
			return type.is_int() ? cast(type, abs(a)) : a;
		case 9:
			return cast(type, absd(a, b));
		case 10:
			return a & b;
		case 11:
			return a << Internal::make_const(type, below(type.bits() / 2));
		default:
			return a >> Internal::make_const(type, below(type.bits()));
		}
	}

	Expr condition(int depth, int kind)
	{
		Type type = number_type();
		Expr a = expr(type, depth - 1), b = expr(type, depth - 1);
		Expr p = expr(Bool(), depth - 1), q = expr(Bool(), depth - 1);
		switch (kind) {
		case 0:
			return Internal::EQ::make(a, b);
		case 1:
			return Internal::NE::make(a, b);
		case 2:
			return Internal::LT::make(a, b);
		case 3:
			return Internal::LE::make(a, b);
		case 4:
			return Internal::GT::make(a, b);
		case 5:
			return Internal::GE::make(a, b);
		case 6:
			return Internal::And::make(p, q);
		case 7:
			return Internal::Or::make(p, q);
		default:
			return Internal::Not::make(p);
		}
	}

	static constexpr int n_conditions = 9;

	// A floating-point number; with steps, of multiples of 1/16 that are exact, else of any.
	Expr number(int depth, bool steps)
	{
		Expr variable = cast<float>(clamp(leaf(Int(32)), -500, 500));
		if (depth == 0)
			return below(4) ? variable : Expr((float)(below(65) - 32) / 16);
		Expr a = number(depth - 1, steps), b = number(depth - 1, steps);
		switch (below(10)) {
		case 0:
			return a + b;
		case 1:
			return a - b;
		case 2:
		case 3:
			return a * (steps ? (float)(below(9) - 4) / 2 : (float)(below(400) - 200) / 99);
		case 4:
			return min(a, b);
		case 5:
			return max(a, b);
		case 6:
			return select(a < b, b, a);
		case 7:
			return abs(a);
		case 8:
			return steps ? floor(a) : a / 7.0f;
		default:
			return steps ? ceil(a) : a / (1.0f + cast<float>(abs(leaf(Int(32)) % 10)));
		}
	}

	Expr rounded(const Expr &number)
	{
		const int way = below(4);
		return cast<int32_t>(way == 0 ? floor(number) : way == 1 ? ceil(number) : way == 2 ? round(number) : number);
	}

	Type number_type()
	{
		const Type types[] = {Int(8), Int(16), Int(32), Int(64), UInt(8), UInt(16), UInt(32)};
		return types[below(7)];
	}

private:
	Type any_type()
	{
		return below(6) ? number_type() : Bool();
	}

	Expr leaf(Type type)
	{
		if (below(3) == 0)
			return Internal::make_const(type, below(type.is_bool() ? 2 : 40));
		Expr variable = Internal::Variable::make(Int(32), std::string(names[below(n_variables)]) + (below(2) ? ".min" : ".max"));
		return type == Int(32) ? variable : type.is_bool() ? variable > 3 : cast(type, variable);
	}
};

bw::Names variable_names()
{
	bw::Names all;
	for (const char *name : names)
		for (const char *end : {"min", "max"})
			all[std::string(name) + "." + end] = std::string("{\"") + end + "\":\"" + name + "\"}";
	return all;
}

// The core's value of a converted expression; false with a reason where it has none.
bool evaluate(const std::string &json, const bw_interval *intervals, int64_t *value, std::string *why)
{
	bw_error error;
	bw_scope scope = {names, n_variables, nullptr, nullptr, 0};
	bw_json *document = bw_json_parse("expression", json.data(), json.size(), &error);
	if (!document) {
		*why = error.text;
		return false;
	}
	bw_arena *arena = bw_arena_new();
	bw_json_at root = bw_json_root(document);
	const bw_expr *expr = bw_expr_read(&root, &scope, arena, &error);
	bool good = expr && bw_expr_eval(expr, intervals, value);
	*why = good ? "" : expr ? "unbounded" : error.text;
	bw_arena_free(arena);
	bw_json_free(document);
	return good;
}

bool constant(const Expr &e, int64_t *value)
{
	if (auto i = Internal::as_const_int(e))
		*value = *i;
	else if (auto u = Internal::as_const_uint(e))
		*value = (int64_t)*u;
	else
		return false;
	return true;
}

// As a JSON document, for which a bare number is not enough everywhere.
std::string document(const std::string &json)
{
	return "[\"+\"," + json + ",0]";
}

int tests = 0, failures = 0;

void report(bool good, const std::string &what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tests, what.c_str());
	failures += !good;
}

// Compares `wanted` expressions that have a value in both: in Halide those that overflow a signed type have none, in the core
// those that overflow int64 on the way. Values are at most `off` apart.
void compare(Maker &maker, const std::string &what, int wanted, const std::function<Expr()> &make, int64_t off = 0)
{
	const bw::Names meanings = variable_names();
	int compared = 0;
	std::string problem;
	for (int tried = 0; tried < 3 * wanted && compared < wanted && problem.empty(); tried++) {
		Expr e = make();
		Values values = maker.values();
		int64_t expected = 0, found;
		std::string json, why;
		std::vector<std::string> params;
		if (!constant(Internal::simplify(Internal::substitute(values.halide, e)), &expected))
			continue;
		std::ostringstream shown;
		shown << e;
		if (!bw::convert(e, meanings, &json, &params))
			problem = "cannot say " + shown.str();
		else if (!evaluate(document(json), values.intervals, &found, &why) && why == "unbounded")
			continue;
		else if (!why.empty())
			problem = json + ": " + why;
		else if (std::abs(found - expected) > off)
			problem = shown.str() + " is " + std::to_string(expected) + ", and " + json + " is " + std::to_string(found);
		compared++;
	}
	if (problem.empty() && compared < wanted)
		problem = "only " + std::to_string(compared) + " of them have a value";
	if (!problem.empty())
		printf("# %s: %s\n", what.c_str(), problem.c_str());
	report(problem.empty(), what);
}

void refuses(const std::string &what, const Expr &e)
{
	std::string json;
	std::vector<std::string> params;
	report(!bw::convert(e, variable_names(), &json, &params), "refuses " + what);
}

// Deeper than a reader takes.
Expr deep()
{
	Expr a = Internal::Variable::make(Int(32), "a.min"), e = a;
	for (int i = 0; i < 250; i++)
		e = Internal::Min::make(Internal::Mul::make(e, 2), a);
	return e;
}

// Each of its nodes is two levels of JSON: the operation, and the wrapping of its narrow type.
Expr deep_and_narrow()
{
	Expr e = cast<uint8_t>(Internal::Variable::make(Int(32), "a.min"));
	for (int i = 0; i < 60; i++)
		e = e * cast<uint8_t>(3) + cast<uint8_t>(i);
	return cast<int32_t>(e);
}

void compare_all()
{
	static const char *const arithmetic[Maker::n_arithmetic] = {"+", "-", "*", "/", "%", "min", "max", "select", "abs", "absd", "&", "<<", ">>"};
	static const char *const conditions[Maker::n_conditions] = {"==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"};
	Maker maker;
	for (int kind = 0; kind < Maker::n_arithmetic; kind++)
		compare(maker, arithmetic[kind], 500, [&] { return maker.arithmetic(maker.number_type(), 3, kind); });
	for (int kind = 0; kind < Maker::n_conditions; kind++)
		compare(maker, conditions[kind], 500, [&] { return maker.condition(3, kind); });
	for (Type type : {Int(8), Int(16), Int(32), Int(64), UInt(8), UInt(16), UInt(32), Bool()}) {
		std::ostringstream name;
		name << "cast to " << type;
		compare(maker, name.str(), 500, [&] { return cast(type, maker.expr(maker.number_type(), 3)); });
	}
	compare(maker, "let", 500, [&] {
		Expr t = Internal::Variable::make(Int(32), "t");
		return Internal::Let::make("t", maker.expr(Int(32), 3), t * 2 - min(t, maker.expr(Int(32), 2)));
	});
	compare(maker, "integers of exact floats", 1000, [&] { return cast<int32_t>(maker.number(3, true)); });
	compare(maker, "integers of floats", 1000, [&] { return maker.rounded(maker.number(3, false)); }, 1);
	compare(maker, "conditions of floats", 200, [&] { return select(maker.number(2, true) <= maker.number(2, true), maker.expr(Int(32), 2), 3); });
	compare(maker, "likely", 200, [&] { return max(Halide::likely(maker.expr(Int(32), 3)), 4); });
}

}

int main()
{
	compare_all();
	Expr a = Internal::Variable::make(Int(32), "a.min");
	refuses("a function of floats", cast<int32_t>(sqrt(cast<float>(a))));
	refuses("a remainder of floats", cast<int32_t>(cast<float>(a) % 2.0f));
	refuses("the bits of an integer as a float", cast<int32_t>(reinterpret<float>(a + 1)));
	refuses("unsigned 64 bits", cast<int32_t>(cast<uint64_t>(a)));
	refuses("an unknown variable", a + Internal::Variable::make(Int(32), "z.min"));
	refuses("what is too deep", deep());
	refuses("what is too deep in a narrow type", deep_and_narrow());
	refuses("a load", cast<int32_t>(Internal::Call::make(UInt(8), "f", {a}, Internal::Call::Halide)));
	printf("1..%d\n", tests);
	return failures != 0;
}
