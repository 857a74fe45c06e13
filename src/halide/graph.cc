#include "halide/graph.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "halide/externs.h"

namespace bw {

std::vector<Func> all_funcs(Pipeline pipeline)
{
	std::vector<Function> outputs;
	std::map<std::string, Function> env;
	for (const Func &output : pipeline.outputs()) {
		outputs.push_back(output.function());
		env.merge(Internal::find_transitive_calls(output.function()));
	}
	std::vector<Func> funcs;
	std::set<std::string> listed;
	for (const std::string &name : Internal::topological_order(outputs, env)) {
		funcs.emplace_back(env.at(name));
		listed.insert(name);
	}
	for (size_t i = 0; i < funcs.size(); i++) {
		const auto wrappers = funcs[i].function().wrappers();
		for (const auto &it : wrappers) {
			Function wrapper(it.second);
			if (listed.insert(wrapper.name()).second)
				funcs.emplace_back(wrapper);
		}
	}
	return funcs;
}

const Definition &definition_of(const Function &func, int stage)
{
	return stage == 0 ? func.definition() : func.update(stage - 1);
}

bool is_associative(const Function &func, int stage, Internal::AssociativeOp *op)
{
	const Definition &of = definition_of(func, stage);
	// An RDom::where may read the Func itself; prove_associativity does not consider this.
	for (const Expr &condition : of.split_predicate())
		if (!Internal::is_const_one(condition))
			return false;
	*op = Internal::prove_associativity(func.name(), of.args(), of.values());
	return op->associative() && op->commutative();
}

std::vector<Expr> expressions_of(const Definition &definition)
{
	std::vector<Expr> all = definition.values();
	all.insert(all.end(), definition.args().begin(), definition.args().end());
	for (const Expr &predicate : definition.split_predicate())
		all.push_back(predicate);
	return all;
}

std::vector<Expr> guarded_expressions_of(const Definition &definition)
{
	using Internal::Call;
	std::vector<Expr> all = definition.values();
	all.insert(all.end(), definition.args().begin(), definition.args().end());
	for (Expr &e : all) {
		for (const Expr &predicate : definition.split_predicate())
			e = Call::make(e.type(), Call::if_then_else, {Halide::likely(predicate), e}, Call::PureIntrinsic);
		e = Internal::common_subexpression_elimination(e);
	}
	return all;
}

namespace {

// Collects what expressions read: Funcs in the order of their first call, inputs and scalar parameters by
// name.
class Sources : public Internal::IRVisitor {
public:
	std::vector<std::string> funcs;
	std::map<std::string, Input> inputs;
	std::map<std::string, Scalar> scalars;

	void add(const Parameter &param)
	{
		if (param.is_buffer())
			inputs[param.name()] = Input{param.name(), param.type(), param.dimensions(), param, {}};
		else
			scalars[param.name()] = Scalar{param.name(), param};
	}

private:
	using IRVisitor::visit;

	void visit(const Internal::Call *op) override
	{
		IRVisitor::visit(op);
		if (op->call_type == Internal::Call::Halide) {
			if (std::find(funcs.begin(), funcs.end(), op->name) == funcs.end())
				funcs.push_back(op->name);
		} else if (op->call_type == Internal::Call::Image) {
			if (op->param.defined())
				add(op->param);
			else
				inputs[op->name] = Input{op->name, op->image.type(), op->image.dimensions(), {}, op->image};
		}
	}

	void visit(const Internal::Variable *op) override
	{
		if (op->param.defined())
			add(op->param);
	}
};

void visit_end(const Expr &e, Sources *sources)
{
	if (e.defined())
		e.accept(sources);
}

// Visits the expressions that fix the region of a Func: Func::bound and its like, and constraints of its
// output buffers.
void visit_bounds(const Function &func, Sources *sources)
{
	for (const auto &bound : func.schedule().bounds())
		for (const Expr &e : {bound.min, bound.extent, bound.modulus, bound.remainder})
			visit_end(e, sources);
	for (const Parameter &buffer : func.output_buffers())
		for (int i = 0; i < buffer.dimensions(); i++) {
			visit_end(buffer.min_constraint(i), sources);
			visit_end(buffer.extent_constraint(i), sources);
		}
}

// Visits all expressions of a Func: its bounds, its stages, and the bounds of their reduction domains.
void visit_func(const Function &func, Sources *sources)
{
	visit_bounds(func, sources);
	for (int s = 0; s <= (int)func.updates().size(); s++) {
		const Definition &definition = definition_of(func, s);
		for (const Expr &e : expressions_of(definition))
			e.accept(sources);
		for (const auto &rvar : definition.schedule().rvars()) {
			rvar.min.accept(sources);
			rvar.extent.accept(sources);
		}
	}
}

// Returns the name of a loop as Halide's scheduling calls take it: after rfactor on a split RVar, the loop
// r.outer is called outer.
std::string last(const std::string &name)
{
	return name.substr(name.rfind('.') + 1);
}

// Renames the RVars that were split before an rfactor to the names that Halide's scheduling calls take.
class SplitNames : public Internal::IRMutator {
public:
	void give(Function func)
	{
		split.clear();
		for (const Definition &update : func.updates())
			for (const auto &rvar : update.schedule().rvars())
				split.insert(rvar.var);
		func.mutate(this);
		for (size_t s = 0; s < func.updates().size(); s++) {
			Internal::StageSchedule &schedule = func.update((int)s).schedule();
			for (auto &rvar : schedule.rvars())
				rvar.var = last(rvar.var);
			for (auto &dim : schedule.dims())
				dim.var = last(dim.var);
		}
	}

private:
	// the Func's RVars; the guard of a split's tail uses these names without a reduction domain
	std::set<std::string> split;
	using IRMutator::visit;

	Expr visit(const Internal::Variable *op) override
	{
		if (!op->reduction_domain.defined() && !split.count(op->name))
			return op;
		return Internal::Variable::make(op->type, last(op->name), op->reduction_domain);
	}
};

[[noreturn]] void fail_scheduled(const Function &func, const std::string &what)
{
	throw Failure(BW_ERROR_INPUT, "Func " + func.name() + " already has a schedule (" + what +
			"); guard it in the generator with `" + guard + "`");
}

// Throws a Failure if the Func already has a schedule.
void check(Function func, bool output)
{
	if (func.schedule().memoized())
		fail_scheduled(func, "memoize");
	if (func.schedule().async())
		fail_scheduled(func, "async");
	if (func.has_extern_definition())
		return;
	func.lock_loop_levels();
	if (!output && !func.schedule().compute_level().is_inlined())
		fail_scheduled(func, "compute_root or compute_at");
	for (int s = 0; s <= (int)func.updates().size(); s++) {
		const Definition &definition = definition_of(func, s);
		if (!definition.specializations().empty())
			fail_scheduled(func, "specialize");
		if (!definition.schedule().splits().empty())
			fail_scheduled(func, "split, tile or fuse");
		for (const auto &dim : definition.schedule().dims())
			if (dim.for_type != Internal::ForType::Serial)
				fail_scheduled(func, "loop " + dim.var + " is not serial");
	}
}

[[noreturn]] void fail_factored(const std::string &what, const std::string &why)
{
	throw Failure(BW_ERROR_INPUT, "rfactor " + what + ": " + why);
}

// Parses FUNC:FACTOR, FUNC:RVAR/FACTOR or FUNC:RVAR%FACTOR. FUNC may be followed by .updateK; the default
// is the first update that can be factored.
Factored read_factored(const std::string &what, const std::map<std::string, Function> &env)
{
	Factored factored = {};
	const size_t colon = what.rfind(':');
	char *end = nullptr;
	size_t sign = what.find_last_of("/%");
	if (colon != std::string::npos && sign != std::string::npos && sign > colon) {
		factored.named = true;
		factored.apart = what[sign] == '%';
		factored.rvar = what.substr(colon + 1, sign - colon - 1);
	} else {
		sign = colon;
	}
	const long factor = colon == std::string::npos ? 0 : strtol(what.c_str() + sign + 1, &end, 10);
	if (factor < 1 || factor > 65536 || *end)
		fail_factored(what, "expected FUNC:FACTOR, FUNC:RVAR/FACTOR or FUNC:RVAR%FACTOR, as in histogram:64");
	factored.factor = (int)factor;
	factored.func = what.substr(0, colon);
	const size_t update = factored.func.rfind(".update");
	if (!env.count(factored.func) && update != std::string::npos) {
		factored.stage = 1 + (int)strtol(factored.func.c_str() + update + 7, &end, 10);
		factored.func.resize(*end ? update + 1 : update);
	}
	const auto func = env.find(factored.func);
	if (func == env.end())
		fail_factored(what, "the pipeline has no Func \"" + factored.func + "\"");
	const int n = (int)func->second.updates().size();
	Internal::AssociativeOp op;
	for (int s = 1; s <= n && !factored.stage; s++)
		factored.stage = is_associative(func->second, s, &op) ? s : 0;
	if (factored.stage < 1 || factored.stage > n || !is_associative(func->second, factored.stage, &op))
		fail_factored(what, "no such update without a condition whose iterations may come in any order, as Halide "
				    "proves (a split that may leave a rest is a condition)");
	return factored;
}

// Finds the RVar to factor in an update, by default the outermost one. The user may write x for r$x.
void find_rvar(Factored &factored, const std::vector<Internal::Dim> &dims)
{
	std::string known;
	factored.loop = -1;
	for (int i = 0; i < (int)dims.size(); i++) {
		if (!dims[i].is_rvar())
			continue;
		const std::string name = last(dims[i].var);
		known += (known.empty() ? "" : ", ") + name;
		if (!factored.named || factored.rvar == name || factored.rvar == name.substr(name.find('$') + 1))
			factored.loop = i;
	}
	if (known.empty())
		fail_factored(factored.func, "the update has no reduction");
	if (factored.loop < 0)
		fail_factored(factored.func, "the update has no RVar \"" + factored.rvar + "\"; it has " + known);
	factored.rvar = last(dims[factored.loop].var);
}

// Factors an update of a copy of the pipeline, in the same way as the directives factor that of the
// pipeline.
Function factor(Factored &factored, Function of)
{
	Halide::Stage stage = Func(of).update(factored.stage - 1);
	find_rvar(factored, stage.get_schedule().dims());
	factored.outer = factored.rvar + "_out";
	factored.inner = factored.rvar + "_in";
	factored.var = factored.rvar + "_part";
	stage.split(Halide::VarOrRVar(factored.rvar, true), Halide::VarOrRVar(factored.outer, true),
		    Halide::VarOrRVar(factored.inner, true), factored.factor, Halide::TailStrategy::GuardWithIf);
	const Halide::RVar kept(factored.apart ? factored.inner : factored.outer);
	Function made = stage.rfactor(kept, Halide::Var(factored.var)).function();
	// the split made an RVar that is now a Var; the loops already show the result
	made.update(0).schedule().splits().clear();
	factored.made = made.name();
	return made;
}

// Returns the Funcs, consumers first: sorted by their longest path from an output, and at equal length by
// the order in which they are first called.
std::vector<std::string> order_of(const std::vector<Function> &outputs,
				  const std::map<std::string, std::vector<std::string>> &calls,
				  const std::vector<std::string> &producers_first)
{
	std::map<std::string, int> level;
	for (auto it = producers_first.rbegin(); it != producers_first.rend(); ++it)
		for (const std::string &callee : calls.at(*it))
			if (callee != *it)
				level[callee] = std::max(level[callee], level[*it] + 1);
	std::vector<std::string> found;
	std::set<std::string> seen;
	for (const Function &output : outputs)
		if (seen.insert(output.name()).second)
			found.push_back(output.name());
	auto nearer = [&](const std::string &a, const std::string &b) { return level[a] < level[b]; };
	for (size_t i = 0; i < found.size(); i++) {
		std::stable_sort(found.begin() + i, found.end(), nearer);
		const std::string caller = found[i];
		for (const std::string &callee : calls.at(caller))
			if (seen.insert(callee).second)
				found.push_back(callee);
	}
	return found;
}

}

bool Graph::is_argument(const std::string &func) const
{
	return std::find(arguments.begin(), arguments.end(), func) != arguments.end();
}

bool Graph::is_handed(const std::string &input) const
{
	return !read.count(input);
}

const Extern *Graph::find_extern(const std::string &name) const
{
	for (const Extern &stage : externs)
		if (stage.name == name)
			return &stage;
	return nullptr;
}

bool Graph::is_result(const std::string &input) const
{
	for (const Extern &stage : externs)
		for (const Parameter &component : stage.components)
			if (component.name() == input)
				return true;
	return false;
}

Graph::Graph(const Pipeline &pipeline, const std::string &rfactor)
{
	std::map<std::string, int> handles;
	std::vector<Func> funcs = all_funcs(pipeline);
	for (size_t i = 0; i < funcs.size(); i++)
		handles[funcs[i].name()] = (int)i;
	std::vector<Function> outputs;
	std::set<std::string> output_names;
	for (const Func &output : Pipeline(pipeline).outputs()) {
		outputs.push_back(output.function());
		arguments.push_back(output.name());
		output_names.insert(output.name());
	}
	std::tie(outputs, env) = Internal::deep_copy(outputs, Internal::build_environment(outputs));
	std::istringstream list(rfactor);
	for (std::string what; std::getline(list, what, ',');) {
		factored.push_back(read_factored(what, env));
		Function made = factor(factored.back(), env.at(factored.back().func));
		env.emplace(made.name(), made);
		factored.back().handle = (int)handles.size();
		handles[made.name()] = factored.back().handle;
	}
	for (const auto &it : env)
		check(it.second, output_names.count(it.first) != 0);
	env = Internal::wrap_func_calls(env);
	externs = take_externs(&outputs, &env);
	for (Extern &stage : externs)
		stage.handle = handles.at(stage.name);
	output_names.clear();
	for (const Function &output : outputs)
		output_names.insert(output.name());
	for (const auto &it : env)
		SplitNames().give(it.second);
	for (const std::string &name : fold_constant_calls(outputs, &env))
		folded.emplace_back(name, handles.at(name));
	std::map<std::string, std::vector<std::string>> calls;
	Sources all;
	for (const auto &it : env) {
		Sources own;
		visit_func(it.second, &own);
		calls[it.first] = own.funcs;
		all.inputs.insert(own.inputs.begin(), own.inputs.end());
		all.scalars.insert(own.scalars.begin(), own.scalars.end());
	}
	for (const auto &it : all.inputs)
		read.insert(it.first);
	for (const Extern &stage : externs)
		for (const auto &argument : stage.func.extern_arguments())
			if (argument.is_expr())
				argument.expr.accept(&all);
			else if (argument.is_image_param())
				all.add(argument.image_param);
	for (const auto &it : all.inputs)
		inputs.push_back(it.second);
	for (const auto &it : all.scalars)
		scalars.push_back(it.second);
	std::vector<std::string> order = Internal::topological_order(outputs, env);
	value_bounds = Internal::compute_function_value_bounds(order, env);
	for (const std::string &name : order_of(outputs, calls, order))
		nodes.push_back(Node{env.at(name), handles.at(name), output_names.count(name) != 0});
	std::reverse(nodes.begin(), nodes.end());
}

}
