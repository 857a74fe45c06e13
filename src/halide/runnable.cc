#include "halide/runnable.h"

namespace bw {

namespace {

// The first call of a function that is neither Halide's own nor one of mathematics: those have the type in
// their name, and every GPU has them.
class Foreign : public Internal::IRVisitor {
public:
	std::string name;
	bool bfloat = false; // a bfloat16 is made or read

private:
	using IRVisitor::visit;

	static bool is_mathematics(const std::string &name)
	{
		static const std::string endings[] = {"_f16", "_f32", "_f64"};
		for (const std::string &ending : endings)
			if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
				return true;
		return false;
	}

	void visit(const Internal::Cast *op) override
	{
		bfloat = bfloat || op->type.is_bfloat() || op->value.type().is_bfloat();
		IRVisitor::visit(op);
	}

	void visit(const Internal::Call *op) override
	{
		using Internal::Call;
		const bool foreign = op->call_type == Call::Extern ||
				     op->call_type == Call::ExternCPlusPlus ||
				     op->call_type == Call::PureExtern;
		if (foreign && name.empty() && !is_mathematics(op->name))
			name = op->name;
		IRVisitor::visit(op);
	}
};

}

void check_runnable(const Graph &graph)
{
	for (const Node &node : graph.nodes) {
		Foreign foreign;
		for (int s = 0; s <= (int)node.func.updates().size(); s++)
			for (const Expr &e : expressions_of(definition_of(node.func, s)))
				e.accept(&foreign);
		if (foreign.name == "halide_print")
			throw Failure(
			    BW_ERROR_INPUT,
			    "Func " + node.func.name() +
				" prints (print, print_when), which no GPU can: leave it out where an autoscheduler or a GPU is asked for");
		if (!foreign.name.empty())
			throw Failure(BW_ERROR_INPUT,
				      "Func " + node.func.name() + " calls " + foreign.name +
					  ", a function of C, which no GPU has: write it in Halide");
		if (foreign.bfloat && BW_HALIDE_MAJOR == 14)
			throw Failure(
			    BW_ERROR_INPUT,
			    "Func " + node.func.name() +
				" computes with bfloat16, which Halide 14 cannot compile for a GPU: compute with float32, or keep its bits in uint16");
		if (node.func.is_tracing_loads() || node.func.is_tracing_stores() || node.func.is_tracing_realizations())
			throw Failure(
			    BW_ERROR_INPUT,
			    "Func " + node.func.name() +
				" is traced (trace_stores and its like), which no GPU can: leave it out where an autoscheduler or a GPU is asked for");
	}
}

}
