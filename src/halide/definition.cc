#include "halide/describe.h"

#include <sstream>

#include "halide/loads.h"

namespace bw {

using Internal::Call;
using Internal::Variable;

namespace {

// Replaces the names in an expression by canonical ones: a variable by its position, a Func by the hash of
// its definition. Writes floating-point numbers exactly.
class Canonical : public Internal::IRMutator {
	const std::string &self;
	const std::map<std::string, uint64_t> &known;
	std::map<std::string, std::string> variables;
	int lets = 0;

public:
	using IRMutator::mutate;

	Canonical(const std::string &func, const std::map<std::string, uint64_t> &hashes)
	    : self(func), known(hashes)
	{
	}

	void name(const std::string &variable, const std::string &canonical)
	{
		variables[variable] = canonical;
	}

private:
	using IRMutator::visit;

	Expr visit(const Variable *op) override
	{
		auto it = variables.find(op->name);
		return it == variables.end() ? Expr(op) : Variable::make(op->type, it->second);
	}

	Expr visit(const Internal::FloatImm *op) override
	{
		char text[64];
		snprintf(text, sizeof text, "%a", op->value);
		return Call::make(op->type, text, {}, Call::PureExtern);
	}

	Expr visit(const Internal::Let *op) override
	{
		Expr value = mutate(op->value);
		const std::string canonical = "t" + std::to_string(lets++);
		variables[op->name] = canonical;
		return Internal::Let::make(canonical, value, mutate(op->body));
	}

	Expr visit(const Call *op) override
	{
		std::vector<Expr> args;
		for (const Expr &arg : op->args)
			args.push_back(mutate(arg));
		std::ostringstream name;
		if (op->call_type == Call::Halide) {
			name << "func:";
			if (op->name == self)
				name << "self";
			else
				name << std::hex << known.at(op->name);
		} else if (op->call_type == Call::Image) {
			name << "input:" << (op->param.defined() ? op->param.name() : "constant");
		} else {
			name << op->name;
		}
		name << ":" << type_name(op->type) << ":" << op->value_index;
		return Call::make(op->type, name.str(), args, Call::PureExtern);
	}
};

// Prints casts with all parentheses in every version of Halide. Versions after 19 leave some out, which
// would change the hash.
class Printer : public Internal::IRPrinter {
public:
	using IRPrinter::IRPrinter;

private:
	using IRPrinter::visit;

	void visit(const Internal::Cast *op) override
	{
		stream << op->type << '(';
		print(op->value);
		stream << ')';
	}
};

void write(const char *what, const std::vector<Expr> &expressions, Canonical *canonical, std::ostream &out)
{
	out << what;
	for (const Expr &e : expressions) {
		out << ' ' << type_name(e.type()) << ' ';
		Printer(out).print(canonical->mutate(e));
	}
	out << '\n';
}

uint64_t definition_hash(const Function &func, const std::map<std::string, uint64_t> &known)
{
	std::ostringstream text;
	for (int s = 0; s <= (int)func.updates().size(); s++) {
		const Definition &definition = definition_of(func, s);
		Canonical canonical(func.name(), known);
		for (int i = 0; i < func.dimensions(); i++)
			canonical.name(func.args()[i], "d" + std::to_string(i));
		const auto &rvars = definition.schedule().rvars();
		for (size_t i = 0; i < rvars.size(); i++)
			canonical.name(rvars[i].var, "r" + std::to_string(i));
		for (const auto &rvar : rvars)
			write("rvar", {rvar.min, rvar.extent}, &canonical, text);
		write("at", definition.args(), &canonical, text);
		write("value", definition.values(), &canonical, text);
		write("where", definition.split_predicate(), &canonical, text);
	}
	const std::string all = text.str();
	return bw_hash_bytes(0, all.data(), all.size());
}

}

std::map<std::string, uint64_t> definitions_of(const Graph &graph)
{
	std::map<std::string, uint64_t> hashes;
	for (const Node &node : graph.nodes)
		hashes[node.func.name()] = definition_hash(node.func, hashes);
	return hashes;
}

}
