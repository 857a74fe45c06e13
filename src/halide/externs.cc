#include "halide/externs.h"

#include <set>

namespace bw {

using Internal::Call;

namespace {

// Replaces the calls of extern stages by loads from the inputs that stand for their results.
class Loads : public Internal::IRMutator {
	const std::map<std::string, Extern> &stages;
	using IRMutator::visit;

	Expr visit(const Call *op) override
	{
		const Expr call = IRMutator::visit(op);
		const Call *changed = call.as<Call>();
		const auto stage = stages.find(op->name);
		if (op->call_type != Call::Halide || stage == stages.end())
			return call;
		return Call::make(stage->second.components[changed->value_index], changed->args);
	}

public:
	explicit Loads(const std::map<std::string, Extern> &s)
	    : stages(s)
	{
	}
};

Extern extern_of(const Function &func)
{
	using Halide::DeviceAPI;
	const DeviceAPI api = func.extern_function_device_api();
	if (api != DeviceAPI::Host && api != DeviceAPI::None)
		throw Failure(BW_ERROR_INPUT,
			      "Func " + func.name() + " is an extern stage (" + func.extern_function_name() +
				  ") that runs on a device of its own: only those that run on the host can be scheduled around");
	Extern stage = {func.name(), -1, func.extern_function_name(), {}, {}, func, {}};
	for (int i = 0; i < func.outputs(); i++)
		stage.components.push_back(Parameter(func.output_types()[i], true, func.dimensions(),
						     func.name() + (func.outputs() > 1 ? "." + std::to_string(i) : "")));
	for (const auto &argument : func.extern_arguments()) {
		if (argument.is_func())
			stage.funcs.push_back(Function(argument.func).name());
		if (argument.is_image_param())
			stage.inputs.push_back(argument.image_param);
	}
	return stage;
}

}

std::vector<Extern> take_externs(std::vector<Function> *outputs, std::map<std::string, Function> *env)
{
	std::map<std::string, Extern> stages;
	std::vector<Extern> ordered;
	const std::vector<std::string> producers_first = Internal::topological_order(*outputs, *env);
	for (const auto &it : *env)
		if (it.second.has_extern_definition())
			stages.emplace(it.first, extern_of(it.second));
	std::set<std::string> known;
	std::vector<Function> roots;
	auto add = [&](const Function &func) {
		if (!func.has_extern_definition() && known.insert(func.name()).second)
			roots.push_back(func);
	};
	for (const Function &output : *outputs)
		add(output);
	for (auto name = producers_first.rbegin(); name != producers_first.rend(); ++name) {
		const auto stage = stages.find(*name);
		if (stage == stages.end())
			continue;
		for (const std::string &read : stage->second.funcs)
			add(env->at(read));
		ordered.push_back(stage->second);
		env->erase(*name);
	}
	Loads loads(stages);
	for (auto &it : *env)
		it.second.mutate(&loads);
	*outputs = roots;
	if (roots.empty() && !ordered.empty())
		throw Failure(BW_ERROR_INPUT, "all Funcs are extern stages (" + ordered[0].name +
						  " and others): there is nothing to schedule");
	return ordered;
}

Func copy_for_extern(Func func, Func reader)
{
	std::vector<Func> copies;
	std::vector<Halide::ExternFuncArgument> arguments;
	for (const auto &argument : reader.function().extern_arguments()) {
		const bool copied = argument.is_func() && argument.func.same_as(func.function().get_contents());
		if (!copied)
			arguments.push_back(argument);
		for (int i = 0; copied && i < func.outputs(); i++) {
			Func copy(func.name() + "_for_" + reader.name());
			copy(func.args()) = func.outputs() == 1 ? Expr(func(func.args())) : Expr(func(func.args())[i]);
			copy.compute_root();
			arguments.emplace_back(copy.function().get_contents());
			copies.push_back(copy);
		}
	}
	reader.function().extern_arguments() = arguments;
	return copies.at(0);
}

}
