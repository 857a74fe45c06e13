#include "halide/describe.h"

#include <algorithm>

#include "halide/convert.h"

namespace bw {

using Internal::Call;

namespace {

// A number of registers, or a tree with calls in it as JSON.
struct Branching {
	int number;
	std::string tree; // empty: the result is `number`

	std::string text() const
	{
		return tree.empty() ? std::to_string(number) : tree;
	}
};

Branching joined(const char *how, const std::vector<Branching> &parts)
{
	std::string text = std::string("[\"") + how + "\"";
	for (const Branching &part : parts)
		text += "," + part.text();
	return Branching{0, text + "]"};
}

bool numbers(const std::vector<Branching> &parts)
{
	return std::all_of(parts.begin(), parts.end(), [](const Branching &part) { return part.tree.empty(); });
}

// Combines two operands. If both need the same number of registers, the result is one more.
Branching both(const Branching &a, const Branching &b)
{
	if (!numbers({a, b}))
		return joined("both", {a, b});
	return Branching{a.number == b.number ? a.number + 1 : std::max(a.number, b.number), ""};
}

// Combines any number of operands, evaluated one after another. Operands that need no register do not
// count.
Branching each(const std::vector<Branching> &parts)
{
	if (!numbers(parts))
		return joined("each", parts);
	int total = 0;
	for (const Branching &part : parts)
		if (part.number)
			total = part.number == total ? total + 1 : std::max(total, part.number);
	return Branching{total, ""};
}

Branching most(const Branching &a, const Branching &b)
{
	return numbers({a, b}) ? Branching{std::max(a.number, b.number), ""} : joined("most", {a, b});
}

class Finder : public Internal::IRVisitor {
	Branching found{0, ""};

public:
	Branching of(const Expr &e)
	{
		e.accept(this);
		return found;
	}

	Branching of_all(const std::vector<Expr> &list)
	{
		std::vector<Branching> parts;
		for (const Expr &e : list)
			parts.push_back(of(e));
		return each(parts);
	}

private:
	using IRVisitor::visit;

	template<typename T>
	void two(const T *op)
	{
		const Branching a = of(op->a), b = of(op->b);
		found = both(a, b);
	}

	void visit(const Internal::IntImm *) override { found = Branching{1, ""}; }
	void visit(const Internal::UIntImm *) override { found = Branching{1, ""}; }
	void visit(const Internal::FloatImm *) override { found = Branching{1, ""}; }
	void visit(const Internal::StringImm *) override { found = Branching{1, ""}; }
	void visit(const Internal::Variable *) override { found = Branching{1, ""}; }
	void visit(const Internal::Cast *op) override { of(op->value); }
	void visit(const Internal::Not *op) override { of(op->a); }
#define VISIT(Node, word) \
	void visit(const Internal::Node *op) override { two(op); }
	BW_BINARY_NODES(VISIT)
#undef VISIT

	void visit(const Internal::Select *op) override
	{
		const Branching condition = of(op->condition), a = of(op->true_value), b = of(op->false_value);
		found = most(both(condition, a), both(condition, b));
	}

	void visit(const Internal::Let *op) override
	{
		const Branching value = of(op->value), body = of(op->body);
		found = both(value, body);
	}

	void visit(const Call *op) override
	{
		const Branching arguments = of_all(op->args);
		found = arguments;
		if (op->call_type == Call::Halide)
			found = Branching{0, "{\"call\":" + quoted(op->name) + ",\"else\":" + arguments.text() + "}"};
	}
};

std::vector<Expr> canonical(const std::vector<Expr> &list)
{
	std::vector<Expr> all;
	for (const Expr &e : list)
		all.push_back(Internal::common_subexpression_elimination(Internal::simplify(e)));
	return all;
}

}

std::string branching_of(const Function &func)
{
	Finder finder;
	const Branching values = finder.of_all(canonical(func.definition().values()));
	return most(values, finder.of_all(canonical(func.definition().args()))).text();
}

}
