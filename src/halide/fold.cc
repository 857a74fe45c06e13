
#include <set>
#include <sstream>

#include "halide/graph.h"

namespace bw {

namespace {

using Internal::Call;

// Replaces calls that have constant values by the values.
class Folder : public Internal::IRGraphMutator {
	const std::map<std::string, Function> &env;
	const std::set<std::string> &kept;  // Funcs that may be computed, so that their calls are loads
	// values of calls by Func and arguments; undefined if not constant
	std::map<std::string, Expr> values;

public:
	using IRGraphMutator::mutate;

	Folder(const std::map<std::string, Function> &funcs, const std::set<std::string> &computed)
	    : env(funcs), kept(computed)
	{
	}

private:
	using IRGraphMutator::visit;

	Expr visit(const Call *op) override
	{
		const Expr value = op->call_type == Call::Halide ? value_of(op) : Expr();
		return value.defined() ? value : IRGraphMutator::visit(op);
	}

	bool may_fold(const Function &func) const
	{
		return !kept.count(func.name()) && func.has_pure_definition() && !func.has_update_definition() &&
		       !func.has_extern_definition();
	}

	// Returns the constant value of a call; undefined if its value is not constant.
	Expr value_of(const Call *op)
	{
		const Function &func = env.at(op->name);
		if (!may_fold(func))
			return Expr();
		std::map<std::string, Expr> args;
		std::ostringstream text;
		text << op->name << '.' << op->value_index;
		for (size_t i = 0; i < op->args.size(); i++) {
			const Expr arg = Internal::simplify(op->args[i]);
			if (!Internal::is_const(arg))
				return Expr();
			args[func.args()[i]] = arg;
			text << ' ' << arg;
		}
		const auto known = values.find(text.str());
		if (known != values.end())
			return known->second;
		const Expr value = Internal::simplify(mutate(Internal::substitute(args, func.values()[op->value_index])));
		return values[text.str()] = Internal::is_const(value) ? value : Expr();
	}
};

// Collects the names of the Funcs that expressions call.
class Callees : public Internal::IRGraphVisitor {
public:
	std::set<std::string> names;

private:
	using IRGraphVisitor::visit;

	void visit(const Call *op) override
	{
		IRGraphVisitor::visit(op);
		if (op->call_type == Call::Halide)
			names.insert(op->name);
	}
};

// Returns the Funcs that a Func calls after constant calls are folded.
std::set<std::string> callees_of(const Function &func, Folder *folder)
{
	Callees callees;
	for (int s = 0; s <= (int)func.updates().size(); s++) {
		const Definition &definition = definition_of(func, s);
		for (const Expr &e : expressions_of(definition))
			folder->mutate(e).accept(&callees);
		for (const auto &rvar : definition.schedule().rvars()) {
			folder->mutate(rvar.min).accept(&callees);
			folder->mutate(rvar.extent).accept(&callees);
		}
	}
	return callees.names;
}

// Adds to *kept all Funcs that the Funcs in it reach through calls that `folder` does not fold.
void keep_reached(const std::map<std::string, Function> &env, Folder *folder, std::set<std::string> *kept)
{
	std::vector<std::string> rest(kept->begin(), kept->end());
	while (!rest.empty()) {
		const std::string name = rest.back();
		rest.pop_back();
		for (const std::string &callee : callees_of(env.at(name), folder))
			if (kept->insert(callee).second)
				rest.push_back(callee);
	}
}

}

std::vector<std::string> fold_constant_calls(const std::vector<Function> &outputs,
					     std::map<std::string, Function> *env)
{
	std::set<std::string> kept, before;
	for (const Function &output : outputs)
		kept.insert(output.name());
	// The calls of a kept Func are loads, which are not constant. A call whose value depends on such a
	// load can no longer be folded, so its Func is kept, too: repeat until nothing changes.
	while (kept != before) {
		before = kept;
		Folder folder(*env, before);
		keep_reached(*env, &folder, &kept);
	}
	std::set<std::string> all, read = kept;
	for (const auto &it : *env)
		all.insert(it.first);
	Folder none(*env, all);
	keep_reached(*env, &none, &read);
	std::vector<std::string> removed;
	for (const std::string &name : read)
		if (!kept.count(name))
			removed.push_back(name);
	if (removed.empty())
		return removed;
	Folder folder(*env, kept);
	for (const std::string &name : kept)
		env->at(name).mutate(&folder);
	for (const std::string &name : removed)
		env->erase(name);
	return removed;
}

}
