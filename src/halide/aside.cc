#include "halide/aside.h"

#include <map>

#include "halide/graph.h"

namespace bw {

namespace {

using Internal::Dim;
using Internal::DimType;
using Internal::Split;

// Returns the type of each loop variable (in which order its iterations may run), including the variables
// before all splits. The two loops of a split have the type of the loop that was split.
std::map<std::string, DimType> types_of(const Internal::StageSchedule &schedule)
{
	std::map<std::string, DimType> types;
	for (const Dim &dim : schedule.dims())
		types[dim.var] = dim.dim_type;
	for (auto split = schedule.splits().rbegin(); split != schedule.splits().rend(); ++split) {
		if (split->split_type == Split::FuseVars) {
			const DimType whole = types[split->old_var];
			types[split->inner] = types[split->outer] = whole;
		} else {
			const DimType whole = types[split->outer];
			types[split->old_var] = whole;
		}
	}
	return types;
}

Dim loop(const std::string &var, DimType type)
{
	Dim dim = Dim();
	dim.var = var;
	dim.for_type = Internal::ForType::Serial;
	dim.device_api = Halide::DeviceAPI::None;
	dim.dim_type = type;
	return dim;
}

// Returns the default loops of a stage, innermost first: its reduction variables, then the Func's
// dimensions in which the stage is pure.
std::vector<Dim> loops_of(const Function &func, const Definition &definition)
{
	const std::map<std::string, DimType> types = types_of(definition.schedule());
	std::vector<Dim> loops;
	for (const auto &rvar : definition.schedule().rvars()) {
		const auto type = types.find(rvar.var);
		const bool known = type != types.end() &&
				   (type->second == DimType::PureRVar || type->second == DimType::ImpureRVar);
		loops.push_back(loop(rvar.var, known ? type->second : DimType::ImpureRVar));
	}
	for (size_t i = 0; i < definition.args().size(); i++) {
		const auto *var = definition.args()[i].as<Internal::Variable>();
		if (var && var->name == func.args()[i] && !var->reduction_domain.defined())
			loops.push_back(loop(var->name, DimType::PureVar));
	}
	loops.push_back(loop(Halide::Var::outermost().name(), DimType::PureVar));
	return loops;
}

void reset_stage(const Function &func, Definition &definition)
{
	Internal::StageSchedule &schedule = definition.schedule();
	schedule.dims() = loops_of(func, definition);
	schedule.splits().clear();
	schedule.prefetches().clear();
	schedule.fuse_level() = Halide::FuseLoopLevel();
	schedule.fused_pairs().clear();
	schedule.atomic() = false;
	schedule.touched() = false;
	definition.specializations().clear();
}

// Resets the memory type (textures) of all buffers that the visited expressions read.
class ResetBuffers : public Internal::IRVisitor {
	using IRVisitor::visit;

	void visit(const Internal::Call *op) override
	{
		IRVisitor::visit(op);
		if (op->param.defined() && op->param.is_buffer()) {
			Parameter buffer = op->param;
			buffer.store_in(Halide::MemoryType::Auto);
		}
	}
};

void reset_buffers(const Function &func)
{
	ResetBuffers reset;
	func.accept(&reset);
	for (Parameter buffer : func.output_buffers())
		buffer.store_in(Halide::MemoryType::Auto);
}

// Returns true if a Func is computed inside of another Func's loops. Its bounds are then true only for the
// region that these loops need.
bool is_inside(Halide::LoopLevel level)
{
	level.lock();
	return level.defined() && !level.is_inlined() && !level.is_root();
}

// Undoes Func::copy_to_device and copy_to_host: they turn a Func that reads another one point by point into
// an extern stage. Halide returns the name of the extern function as a const reference, but the Func is not
// a constant, so that the cast is valid.
void reset_copy(Function func)
{
	if (!func.has_extern_definition() || func.extern_function_name() != "halide_buffer_copy" ||
	    !func.extern_definition_proxy_expr().defined())
		return;
	func.definition().values() = {func.extern_definition_proxy_expr()};
	func.extern_definition_proxy_expr() = Expr();
	func.extern_arguments().clear();
	const_cast<std::string &>(func.extern_function_name()).clear();
}

}

void set_aside(const Pipeline &pipeline)
{
	for (Func &func : all_funcs(pipeline)) {
		Function function = func.function();
		reset_copy(function);
		if (!function.has_extern_definition() && !function.has_pure_definition())
			continue;
		if (!function.has_extern_definition())
			reset_buffers(function);
		Internal::FuncSchedule &schedule = function.schedule();
		if (is_inside(schedule.compute_level()))
			schedule.bounds().clear();
		schedule.compute_level() = Halide::LoopLevel::inlined();
		schedule.store_level() = Halide::LoopLevel::inlined();
		schedule.memory_type() = Halide::MemoryType::Auto;
		schedule.memoized() = false;
		schedule.memoize_eviction_key() = Expr();
		schedule.async() = false;
		for (auto &dim : schedule.storage_dims())
			dim.fold_factor = Expr();
		if (function.has_extern_definition())
			continue;
		reset_stage(function, function.definition());
		for (size_t s = 0; s < function.updates().size(); s++)
			reset_stage(function, function.update((int)s));
	}
}

}
