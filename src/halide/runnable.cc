#include "halide/runnable.h"

#include <cstring>
#include <sstream>

#include "halide/aside.h"
#include "halide/cpu.h"

namespace bw {

namespace {

// Finds the first call of an external function, except mathematical functions: every GPU has these, and
// their names end in the type.
class Foreign : public Internal::IRVisitor {
public:
	std::string name;
	bool bfloat = false; // there is a cast from or to bfloat16

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

// Finds what Halide's OpenCL code may lack. operation: the first operation for which Halide 14 generates a
// call of a function that it does not define. half, real: types that not every device has.
class Lacking : public Internal::IRVisitor {
public:
	std::string operation;
	bool half = false, real = false; // floating-point numbers of 16 and of 64 bits

	void check(const Expr &e)
	{
		e.accept(this);
		note(e.type());
	}

private:
	using IRVisitor::visit;

	void note(const Halide::Type &type)
	{
		half = half || (type.is_float() && !type.is_bfloat() && type.bits() == 16);
		real = real || (type.is_float() && type.bits() == 64);
	}

	void visit(const Internal::Cast *op) override
	{
		note(op->type);
		note(op->value.type());
		IRVisitor::visit(op);
	}

	void visit(const Internal::Call *op) override
	{
		using Internal::Call;
		const bool counts = op->is_intrinsic(Call::count_leading_zeros) ||
				    op->is_intrinsic(Call::count_trailing_zeros) || op->is_intrinsic(Call::popcount);
		if (counts && operation.empty())
			operation = op->name;
		note(op->type);
		IRVisitor::visit(op);
	}
};

}

void check_opencl(const Halide::Func &func, const Halide::Target &target)
{
	using Halide::Target;
	Lacking lacking;
	for (int s = 0; s <= func.num_update_definitions(); s++)
		for (const Expr &e : expressions_of(definition_of(func.function(), s)))
			lacking.check(e);
	const std::string whose = "Func " + func.name();
	if (!lacking.operation.empty() && BW_HALIDE_MAJOR == 14)
		throw Failure(BW_ERROR_INPUT, whose + " calls " + lacking.operation +
						  ", for which Halide 14 has no OpenCL: a CUDA device has it (--gpu emulated), or write it with other operations");
	if (lacking.half && !target.has_feature(Target::CLHalf))
		throw Failure(BW_ERROR_INPUT,
			      whose + " computes with float16: a CUDA device can (--gpu emulated); for an OpenCL device that has cl_khr_fp16 give --target cl_half");
	if (lacking.real && !target.has_feature(Target::CLDoubles))
		throw Failure(BW_ERROR_INPUT,
			      whose + " computes with float64: a CUDA device can (--gpu emulated); for an OpenCL device that has cl_khr_fp64 give --target cl_doubles");
}

namespace {

// Analyzes an expression of an update. own: it calls the Func itself. reduces: it depends on a reduction
// variable. moves: a call of the Func itself depends on a reduction variable.
class Predicate : public Internal::IRVisitor {
	const Function &func;
	const Definition &update;
	using IRVisitor::visit;

	void visit(const Internal::Call *op) override
	{
		const bool mine = op->call_type == Internal::Call::Halide && op->name == func.name(), before = inside;
		own = own || mine;
		inside = inside || mine;
		IRVisitor::visit(op);
		inside = before;
	}

	void visit(const Internal::Variable *op) override
	{
		for (const auto &rvar : update.schedule().rvars())
			if (op->name == rvar.var)
				reduces = true, moves = moves || inside;
	}

	bool inside = false;

public:
	bool own = false, reduces = false, moves = false;

	Predicate(const Function &f, const Definition &u, const Expr &expression)
	    : func(f), update(u)
	{
		expression.accept(this);
	}
};

// Returns true if the coordinates at which an update reads or stores its Func depend on a reduction
// variable.
bool moves_itself(const Function &func, const Definition &update)
{
	for (const Expr &place : update.args())
		if (Predicate(func, update, place).reduces)
			return true;
	for (const Expr &value : update.values())
		if (Predicate(func, update, value).moves)
			return true;
	return false;
}

// Throws a Failure for a predicate that Halide cannot compile. Halide applies a predicate without reduction
// variables to an update as a whole. If the update's coordinates depend on reduction variables, the Func's
// region then depends on the predicate. If the predicate reads the Func itself, this dependence is
// circular.
void check_predicates(const Function &func)
{
	for (int s = 1; s <= (int)func.updates().size(); s++)
		for (const Expr &e : definition_of(func, s).split_predicate()) {
			const Predicate predicate(func, definition_of(func, s), e);
			if (!predicate.own || predicate.reduces || !moves_itself(func, definition_of(func, s)))
				continue;
			std::ostringstream text;
			text << "Func " << func.name() << ": the condition " << e << " of update " << s - 1
			     << " (RDom::where) reads " << func.name()
			     << " itself at a place that no reduction variable decides, which Halide cannot compile: choose by select in the value that is stored";
			throw Failure(BW_ERROR_INPUT, text.str());
		}
}

}

void check_runnable(const Graph &graph)
{
	for (const Node &node : graph.nodes) {
		check_predicates(node.func);
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

// Returns true if Halide reports an unbounded read, of any buffer, when all Funcs are computed at root on a
// CPU.
static bool halide_refuses(const Pipeline &pipeline, const Estimates &estimates, const Graph &graph)
{
	std::vector<Halide::Argument> arguments;
	auto add = [&](const Parameter &param) {
		for (const Halide::Argument &known : arguments)
			if (known.name == param.name())
				return;
		arguments.emplace_back(param.name(),
				       param.is_buffer() ? Halide::Argument::InputBuffer : Halide::Argument::InputScalar,
				       param.type(), param.dimensions(), Halide::ArgumentEstimates());
	};
	for (const Input &input : graph.inputs)
		if (input.param.defined() && !graph.is_result(input.name))
			add(input.param);
	for (const Scalar &scalar : graph.scalars)
		add(scalar.param);
	for (const Extern &stage : graph.externs)
		for (const Parameter &input : stage.inputs)
			add(input);
	bool refuses = false;
	try {
		schedule_cpu(pipeline, estimates);
		Pipeline(pipeline).compile_to_module(arguments, "bw_bounded", Halide::get_host_target());
	} catch (const Halide::Error &error) { // no std::exception in later Halides
		refuses = strstr(error.what(), "in an unbounded way");
	}
	set_aside(pipeline);
	return refuses;
}

void check_bounded(const Pipeline &pipeline, const Estimates &estimates, const Graph &graph,
		   const Regions &regions)
{
	std::string what;
	auto look = [&](const std::string &kind, const std::string &name, const std::vector<std::string> &dims) {
		for (size_t d = 0; what.empty() && d < dims.size(); d++)
			if (regions.unbounded(name, (int)d))
				what = kind + " " + plain(name) + " is read in " + plain(dims[d]) +
				       " at a place that nothing bounds, which Halide cannot compile: clamp the index in the generator, as in clamp(i, 0, n - 1) for n points";
	};
	for (const Input &input : graph.inputs) {
		std::vector<std::string> dims;
		for (int d = 0; d < input.dimensions; d++)
			dims.push_back(input_dim(d));
		if (input.param.defined())
			look("input", input.name, dims);
	}
	for (const Node &node : graph.nodes)
		if (node.func.has_update_definition() || node.output)
			look("Func", node.func.name(), node.func.args());
	if (!what.empty() && halide_refuses(pipeline, estimates, graph))
		throw Failure(BW_ERROR_INPUT, what);
}

}
