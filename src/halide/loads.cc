#include "halide/loads.h"


#include <algorithm>

namespace bw {

using Internal::Call;

std::string type_name(Type type)
{
	if (type.is_bool())
		return "bool";
	if (type.is_handle())
		return "handle";
	return (type.is_float() ? "float" : type.is_int() ? "int" : "uint") + std::to_string(type.bits());
}

namespace {

// Returns the type as the features distinguish types: an unsigned type counts as the signed type of its
// width, a float of less than 32 bits as float32.
std::string counted_type(Type type)
{
	if (type.bits() == 1)
		return "bool";
	if (type.is_float())
		return type.bits() > 32 ? "float64" : "float32";
	return "int" + std::to_string(type.bits() <= 8 ? 8 : type.bits() <= 16 ? 16 : type.bits() <= 32 ? 32 : 64);
}

// Adds an expression to the work of a stage.
class Counter : public Internal::IRVisitor {
	const std::string &self;
	const std::vector<std::string> &loops;
	Work *work;
	const bool predicate;
	Internal::Scope<Expr> lets;

public:
	Counter(const std::string &func, const std::vector<std::string> &l, Work *w, bool p)
	    : self(func), loops(l), work(w), predicate(p)
	{
	}

private:
	using IRVisitor::visit;

	void count(const char *operation, Type type)
	{
		work->operations[operation][counted_type(type)]++;
		if (predicate)
			work->predicates[operation][counted_type(type)]++;
	}
	template<typename T>
	void count_with_operands(const char *operation, const T *op)
	{
		count(operation, op->type);
		IRVisitor::visit(op);
	}

	void visit(const Internal::IntImm *op) override { count("const", op->type); }
	void visit(const Internal::UIntImm *op) override { count("const", op->type); }
	void visit(const Internal::FloatImm *op) override { count("const", op->type); }
	void visit(const Internal::Variable *op) override
	{
		count(op->param.defined() ? "param" : "variable", op->type);
	}
#define VISIT(Node, word) \
	void visit(const Internal::Node *op) override \
	{ \
		count_with_operands(word, op); \
	}
	BW_BINARY_NODES(VISIT)
	VISIT(Cast, "cast")
	VISIT(Not, "not")
	VISIT(Select, "select")
#undef VISIT
	void visit(const Internal::Let *op) override
	{
		Internal::ScopedBinding<Expr> bind(lets, op->name, op->value);
		count_with_operands("let", op);
	}
	void visit(const Call *op) override
	{
		IRVisitor::visit(op);
		if (op->call_type == Call::Halide) {
			count(op->name == self ? "self_call" : "func_call", op->type);
			load(op->name, op->args, op->type);
		} else if (op->call_type == Call::Image) {
			count("image_call", op->type);
			load(op->param.defined() ? op->param.name() : op->name, op->args, op->type);
		} else {
			count("extern_call", op->type);
		}
	}

	void load(const std::string &from, const std::vector<Expr> &coordinates, Type type)
	{
		Jacobian jacobian = jacobian_of(coordinates, loops, lets);
		std::vector<Loads> &known = work->loads[from];
		auto at = std::find_if(known.begin(), known.end(), [&](const Loads &loads) {
			return loads.jacobian == jacobian && loads.predicate == predicate;
		});
		if (at == known.end())
			at = known.insert(at, Loads{jacobian, predicate, 0, {}});
		at->count++;
		at->types[counted_type(type)]++;
	}
};

Expr canonical(const Expr &e)
{
	return Internal::common_subexpression_elimination(Internal::simplify(e));
}

}

void count_work(const std::string &func, const std::vector<std::string> &loops, const Expr &e, bool predicate,
		Work *work)
{
	Counter counter(func, loops, work, predicate);
	e.accept(&counter);
}

Work work_of(const Function &func, int stage, const std::vector<std::string> &loops)
{
	const Definition &definition = definition_of(func, stage);
	Work work, written;
	// the values and coordinates come before the predicates
	const size_t n_plain = definition.values().size() + definition.args().size();
	size_t n = 0;
	for (const Expr &e : expressions_of(definition)) {
		const bool predicate = n++ >= n_plain;
		count_work(func.name(), loops, canonical(e), predicate, &work);
		count_work(func.name(), loops, e, predicate, &written);
	}
	for (const auto &it : written.loads)
		for (const Loads &loads : it.second)
			work.calls[it.first] += loads.count;
	std::vector<Expr> coordinates;
	for (const Expr &e : definition.args())
		coordinates.push_back(Internal::substitute_in_all_lets(canonical(e)));
	work.store = jacobian_of(coordinates, loops, Internal::Scope<Expr>());
	return work;
}

}
