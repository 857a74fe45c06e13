#include "halide/convert.h"

#include <algorithm>
#include <cstring>

#include "halide/estimates.h"
#include "halide/fixed.h"

namespace bw {

using Internal::Call;
using Internal::Variable;

std::string quoted(const std::string &text)
{
	std::string json = "\"";
	for (unsigned char c : text)
		if (c == '"' || c == '\\') {
			json += '\\';
			json += (char)c;
		} else if (c < 0x20) {
			char escape[8];
			snprintf(escape, sizeof escape, "\\u%04x", c);
			json += escape;
		} else {
			json += (char)c;
		}
	return json + "\"";
}

namespace {

// Largest size and depth of an expression's JSON (bw_expr_read rejects expressions deeper than 200).
constexpr size_t largest = 1 << 16;
constexpr int deepest = 190;

// Returns how deeply arrays are nested in an expression's JSON. This can be deeper than Halide's
// expression: one node can become several levels, and the value of a let is repeated at each use. Brackets
// inside of quotes are parts of names.
static int nesting(const std::string &json)
{
	int depth = 0, most = 0;
	bool quoted = false;
	for (size_t i = 0; i < json.size(); i++) {
		if (json[i] == '\\')
			i++;
		else if (json[i] == '"')
			quoted = !quoted;
		else if (!quoted && json[i] == '[')
			most = std::max(most, ++depth);
		else if (!quoted && json[i] == ']')
			depth--;
	}
	return most;
}

// Each visit stores the expression's JSON in `json`. A description cannot express the nodes that have no
// visit below.
class Converter : public Internal::IRVisitor {
public:
	const Names &names;
	std::vector<std::string> params;
	std::string json;
	bool sayable = true;

	explicit Converter(const Names &n)
	    : names(n)
	{
	}

	std::string of(const Expr &e)
	{
		json.clear();
		if (!sayable || ++depth > deepest || !(fits(e.type()) || distance(e))) {
			sayable = false;
			return json;
		}
		e.accept(this);
		depth--;
		sayable = sayable && !json.empty() && json.size() < largest;
		return std::move(json);
	}

private:
	int depth = 0;
	std::map<std::string, std::string> lets;

	using IRVisitor::visit;

	// Returns true for types whose values all fit int64.
	static bool fits(Type type)
	{
		return type.is_scalar() && (type.is_int() || (type.is_uint() && type.bits() <= 32));
	}

	// Returns true for abs and absd. With 64 bits their type is unsigned, but their values are treated
	// as int64.
	static bool distance(const Expr &e)
	{
		const Call *call = e.as<Call>();
		return call && (call->is_intrinsic(Call::abs) || call->is_intrinsic(Call::absd)) &&
		       call->args[0].type().is_int();
	}

	// Returns the JSON of an arithmetic result that wraps in a narrow or unsigned type. In int32 and
	// 64-bit types, overflow is not modeled.
	static std::string wrapped(Type type, const std::string &value)
	{
		if (type.is_bool())
			return "[\"%\"," + value + ",2]";
		if (type.bits() == 64 || (type.is_int() && type.bits() == 32))
			return value;
		return std::string("[\"") + (type.is_int() ? "int" : "uint") + std::to_string(type.bits()) +
		       "\"," + value + "]";
	}

	std::string apply(const char *op, const std::vector<Expr> &args)
	{
		std::string text = std::string("[\"") + op + "\"";
		for (const Expr &arg : args)
			text += "," + of(arg);
		return text + "]";
	}

	void visit(const Internal::IntImm *op) override { json = std::to_string(op->value); }
	void visit(const Internal::UIntImm *op) override { json = std::to_string(op->value); }
	std::string compare(const char *op, const Expr &a, const Expr &b)
	{
		return a.type().is_float()
			   ? fixed_comparison(op, a, b, [this](const Expr &e) { return of(e); })
			   : apply(op, {a, b});
	}

	void visit(const Variable *op) override
	{
		auto let = lets.find(op->name);
		auto name = names.find(op->name);
		if (let != lets.end()) {
			json = let->second;
		} else if (name != names.end()) {
			json = name->second;
		} else if (op->param.defined() && !op->param.is_buffer()) {
			params.push_back(op->param.name());
			json = "{\"param\":" + quoted(op->param.name()) + "}";
		} else if (op->name.rfind(Sizes::estimated, 0) == 0) {
			const size_t begin = std::strlen(Sizes::estimated);
			json = "{\"estimate\":" + op->name.substr(begin, op->name.find('.', begin) - begin) + "}";
		} else {
			sayable = false;
		}
	}
	void visit(const Internal::Let *op) override
	{
		std::string value = of(op->value);
		auto outer = lets.find(op->name);
		std::string hidden = outer == lets.end() ? "" : outer->second;
		lets[op->name] = value;
		json = of(op->body);
		if (hidden.empty())
			lets.erase(op->name);
		else
			lets[op->name] = hidden;
	}
	void visit(const Internal::Cast *op) override
	{
		const Type from = op->value.type(), to = op->type;
		std::string value = from.is_float()
					? fixed_integer(op->value, [this](const Expr &e) { return of(e); })
					: of(op->value);
		const bool wide = to.is_int() && to.bits() == 32;
		if (value.empty())
			sayable = false;
		else
			json = to.can_represent(from) || (from.is_float() && wide) ? value
			       : wide ? "[\"int32\"," + value + "]"
				      : wrapped(to, value);
	}
#define VISIT(Node, value) \
	void visit(const Internal::Node *op) override { json = value; }
	VISIT(Add, wrapped(op->type, apply("+", {op->a, op->b})))
	VISIT(Sub, wrapped(op->type, apply("-", {op->a, op->b})))
	VISIT(Mul, wrapped(op->type, apply("*", {op->a, op->b})))
	VISIT(Div, wrapped(op->type, apply("/", {op->a, op->b})))
	VISIT(Mod, apply("%", {op->a, op->b}))
	VISIT(Min, apply("min", {op->a, op->b}))
	VISIT(Max, apply("max", {op->a, op->b}))
	VISIT(EQ, compare("==", op->a, op->b))
	VISIT(NE, compare("!=", op->a, op->b))
	VISIT(LT, compare("<", op->a, op->b))
	VISIT(LE, compare("<=", op->a, op->b))
	VISIT(GT, compare("<", op->b, op->a))
	VISIT(GE, compare("<=", op->b, op->a))
	VISIT(And, apply("&&", {op->a, op->b}))
	VISIT(Or, apply("||", {op->a, op->b}))
	VISIT(Not, apply("!", {op->a}))
	VISIT(Select, apply("select", {op->condition, op->true_value, op->false_value}))
#undef VISIT
	void visit(const Call *op) override
	{
		const Expr plain = without_strictness(op);
		if (plain.defined())
			json = of(plain);
		else if (op->is_intrinsic(Call::likely) || op->is_intrinsic(Call::likely_if_innermost))
			json = of(op->args[0]);
		else if (op->is_intrinsic(Call::abs))
			json = apply("abs", op->args);
		else if (op->is_intrinsic(Call::absd))
			json = "[\"abs\"," + apply("-", op->args) + "]";
		else if (op->is_intrinsic(Call::bitwise_and))
			json = apply("&", op->args);
		else if (op->is_intrinsic(Call::shift_left))
			json = wrapped(op->type, apply("<<", op->args));
		else if (op->is_intrinsic(Call::shift_right))
			json = wrapped(op->type, apply(">>", op->args));
		else if (op->is_intrinsic(Call::if_then_else) && op->args.size() == 3)
			json = apply("select", op->args);
		else
			sayable = false;
	}

#define VISIT(Node) \
	void visit(const Internal::Node *) override { sayable = false; }
	VISIT(FloatImm)
	VISIT(StringImm)
	VISIT(Load)
	VISIT(Ramp)
	VISIT(Broadcast)
	VISIT(Shuffle)
	VISIT(VectorReduce)
#undef VISIT
};

}

bool convert(const Expr &e, const Names &names, std::string *json, std::vector<std::string> *params)
{
	Converter converter(names);
	std::string text = converter.of(e);
	if (!converter.sayable || nesting(text) > deepest)
		return false;
	*json = text;
	params->insert(params->end(), converter.params.begin(), converter.params.end());
	return true;
}

}
