#include "halide/bounds.h"

#include <climits>

namespace bw {

using Internal::Call;
using Internal::Direction;
using Internal::Scope;
using Internal::Variable;

// Returns the name of the variable that stands for an end of a loop or dimension.
static std::string end_name(const Function &func, const std::string &loop, const char *end)
{
	return func.name() + "." + loop + "." + end;
}

static Interval symbolic(const Function &func, const std::string &loop, Names *names)
{
	const std::string min = end_name(func, loop, "min"), max = end_name(func, loop, "max");
	(*names)[min] = "{\"min\":" + quoted(loop) + "}";
	(*names)[max] = "{\"max\":" + quoted(loop) + "}";
	return Interval(Variable::make(Halide::Int(32), min), Variable::make(Halide::Int(32), max));
}

static void push_dims(const Function &func, Scope<Interval> *scope, Names *names)
{
	for (const std::string &dim : func.args())
		scope->push(dim, symbolic(func, dim, names));
}

Bounds::Bounds(const Graph &g, const Sizes &s, bool n)
    : graph(g), sizes(s), numbers(n)
{
}

Expr Bounds::at_sizes(const Expr &e) const
{
	return numbers ? sizes.in_known_numbers(e) : sizes.in(e);
}

// Returns a constant that an end of an interval never exceeds, as text; empty if there is none.
static std::string constant_bound(const Expr &e, Direction direction)
{
	const Expr beyond = Internal::find_constant_bound(e, direction);
	const auto constant =
	    beyond.defined() ? Internal::as_const_int(beyond) : decltype(Internal::as_const_int(beyond))();
	return constant && *constant > INT32_MIN && *constant < INT32_MAX ? std::to_string(*constant) : "";
}

// Returns one end of an interval as JSON. If a description cannot express the end exactly, returns a
// constant that the end never exceeds; if there is none, such a constant at the estimates.
std::string Bounds::end(const Expr &e, const Names &names, Direction direction) const
{
	const std::string unbounded = "null";
	if (!e.defined() || e.same_as(Interval::pos_inf()) || e.same_as(Interval::neg_inf()))
		return unbounded;
	const Expr simple = Internal::substitute_in_all_lets(Internal::simplify(sizes.in_full(e)));
	std::string json;
	std::vector<std::string> params;
	if (!convert(simple, names, &json, &params)) {
		json = constant_bound(simple, direction);
		if (!json.empty())
			return json;
		const std::string estimate = constant_bound(Internal::simplify(sizes.in_numbers(e)), direction);
		return estimate.empty() ? unbounded : "{\"estimate\":" + estimate + "}";
	}
	for (const std::string &name : params)
		for (const Scalar &scalar : graph.scalars)
			if (Expr value; scalar.name == name && !sizes.scalar(scalar.param, &value))
				sizes.lack(name);
	return json;
}

Bound Bounds::bound(const Interval &interval, const Names &names) const
{
	return Bound{end(interval.min, names, Direction::Lower), end(interval.max, names, Direction::Upper)};
}

// Returns the interval of a reduction variable's values. Its ends may be loaded from an input.
Interval Bounds::rvar_interval(const Internal::ReductionVariable &rvar) const
{
	Scope<Interval> none;
	Interval min = Internal::bounds_of_expr_in_scope(at_sizes(rvar.min), none, graph.value_bounds);
	Interval max =
	    Internal::bounds_of_expr_in_scope(at_sizes(rvar.min + rvar.extent - 1), none, graph.value_bounds);
	return Interval(min.has_lower_bound() ? Internal::simplify(min.min) : min.min,
			max.has_upper_bound() ? Internal::simplify(max.max) : max.max);
}

std::vector<Loop> Bounds::loops(const Function &func, int stage)
{
	const auto &schedule = definition_of(func, stage).schedule();
	Names names;
	Scope<Interval> scope;
	push_dims(func, &scope, &names);
	for (const auto &rvar : schedule.rvars())
		scope.push(rvar.var, rvar_interval(rvar));
	std::vector<Loop> loops;
	for (const auto &dim : schedule.dims()) {
		if (!scope.contains(dim.var))
			continue;
		Loop loop{dim.var, -1, dim.is_pure(), bound(scope.get(dim.var), names)};
		for (int i = 0; i < func.dimensions(); i++)
			if (!dim.is_rvar() && func.args()[i] == dim.var)
				loop.dim = i;
		loops.push_back(loop);
	}
	return loops;
}

// Applies Func::bound, align_bounds and align_extent to the interval of one dimension.
Interval Bounds::align(const Function &func, int dim, Interval computed) const
{
	for (const auto &bound : func.schedule().bounds()) {
		if (bound.var != func.args()[dim])
			continue;
		if (bound.min.defined() && bound.extent.defined())
			computed = Interval(at_sizes(bound.min), at_sizes(bound.min + bound.extent - 1));
		if (!bound.modulus.defined())
			continue;
		const Expr modulus = at_sizes(bound.modulus);
		if (bound.remainder.defined()) {
			const Expr remainder = at_sizes(bound.remainder);
			computed.min -= Internal::simplify((computed.min - remainder) % modulus);
			computed.max = ((computed.max - computed.min + modulus) / modulus) * modulus + computed.min - 1;
		} else {
			computed.max = ((computed.max - computed.min + modulus) / modulus) * modulus + computed.min - 1;
		}
	}
	return computed;
}

// Returns a scope with the intervals of a stage's reduction variables.
Scope<Interval> Bounds::reduction_scope(const Function &func, int stage) const
{
	Scope<Interval> scope;
	for (const auto &rvar : definition_of(func, stage).schedule().rvars())
		scope.push(rvar.var, rvar_interval(rvar));
	return scope;
}

std::vector<Interval> Bounds::wanted(const Function &func, const Scope<Interval> &dims, bool with_own) const
{
	std::vector<Interval> all;
	for (const std::string &dim : func.args())
		all.push_back(dims.get(dim));
	for (int s = 1; s <= (int)func.updates().size(); s++) {
		const Definition &definition = definition_of(func, s);
		Scope<Interval> scope = reduction_scope(func, s);
		scope.set_containing_scope(&dims);
		const auto read = boxes(guarded_expressions_of(definition_of(func, s)), scope);
		for (int i = 0; i < func.dimensions(); i++) {
			all[i].include(Internal::bounds_of_expr_in_scope(at_sizes(definition.args()[i]),
									 scope, graph.value_bounds));
			if (with_own && read.count(func.name()))
				all[i].include(read.at(func.name()).bounds[i]);
		}
	}
	return all;
}

std::vector<Interval> Bounds::region(const Function &func, const Scope<Interval> &dims, bool with_own) const
{
	std::vector<Interval> all = wanted(func, dims, with_own);
	for (int i = 0; i < func.dimensions(); i++)
		all[i] = align(func, i, all[i]);
	return all;
}

std::vector<Bound> Bounds::computed(const Function &func, bool with_own)
{
	Names names;
	Scope<Interval> dims;
	push_dims(func, &dims, &names);
	std::vector<Bound> result;
	bool equal = true;
	for (const Interval &interval : region(func, dims, with_own)) {
		const std::string &dim = func.args()[result.size()];
		result.push_back(bound(interval, names));
		equal = equal && result.back().min == names[end_name(func, dim, "min")] &&
			result.back().max == names[end_name(func, dim, "max")];
	}
	if (equal)
		result.clear();
	return result;
}

std::map<std::string, Box> Bounds::reads(const Function &func, int stage, const Scope<Interval> &dims) const
{
	Scope<Interval> scope = reduction_scope(func, stage);
	scope.set_containing_scope(&dims);
	return boxes(guarded_expressions_of(definition_of(func, stage)), scope);
}

std::map<std::string, Box> boxes_of(const std::vector<Expr> &expressions, const Scope<Interval> &scope,
				    const Internal::FuncValueBounds &value_bounds)
{
	std::map<std::string, Box> all;
	for (const Expr &e : expressions)
		for (const auto &it : Internal::boxes_required(e, scope, value_bounds)) {
			auto known = all.emplace(it);
			if (!known.second)
				Internal::merge_boxes(known.first->second, it.second);
		}
	return all;
}

std::map<std::string, Box> Bounds::boxes(const std::vector<Expr> &expressions,
					 const Scope<Interval> &scope) const
{
	std::vector<Expr> sized;
	for (const Expr &e : expressions)
		sized.push_back(at_sizes(e));
	return boxes_of(sized, scope, graph.value_bounds);
}

std::map<std::string, std::vector<Bound>> Bounds::bounds(const Function &func, int stage,
							 const std::vector<Expr> &expressions) const
{
	Names names;
	Scope<Interval> scope;
	push_dims(func, &scope, &names);
	for (const auto &rvar : definition_of(func, stage).schedule().rvars())
		scope.push(rvar.var, symbolic(func, rvar.var, &names));
	std::map<std::string, std::vector<Bound>> result;
	for (const auto &it : boxes(expressions, scope)) {
		std::vector<Bound> &list = result[it.first];
		for (const Interval &interval : it.second.bounds)
			list.push_back(bound(interval, names));
	}
	return result;
}

std::map<std::string, std::vector<Bound>> Bounds::required(const Function &func, int stage)
{
	return bounds(func, stage, guarded_expressions_of(definition_of(func, stage)));
}

std::map<std::string, std::vector<Bound>> Bounds::touched(const Function &func, int stage)
{
	return bounds(func, stage, expressions_of(definition_of(func, stage)));
}

}
