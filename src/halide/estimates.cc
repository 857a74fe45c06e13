#include "halide/estimates.h"

namespace bw {

std::string input_dim(int i)
{
	return "_" + std::to_string(i);
}

Sizes::Sizes(const Graph &g, const Estimates &e)
    : graph(g), given(e)
{
}

// Name without the suffix that Halide adds to make it unique.
static std::string plain(const std::string &name)
{
	return name.substr(0, name.find('$'));
}

// A dimension may be said by its name, or by its place: x, y, z, w.
bool Sizes::user_region(const std::string &name, const std::vector<std::string> &dims, int dim, Region *region) const
{
	static const std::string places[] = {"x", "y", "z", "w"};
	std::vector<std::string> names = {dims[dim], plain(dims[dim])};
	bool named = false;
	for (const std::string &d : dims)
		named |= dim < 4 && d == places[dim];
	if (dim < 4 && !named)
		names.push_back(places[dim]);
	asked.insert(plain(name) + "." + plain(dims[dim]));
	for (const std::string &owner : {name, plain(name)})
		for (const std::string &d : names) {
			auto it = given.regions.find(owner + "." + d);
			if (it != given.regions.end()) {
				used.insert(it->first);
				*region = Region{it->second.first, it->second.second};
				return true;
			}
		}
	return false;
}

static bool constant(const Expr &min, const Expr &extent, Region *region)
{
	if (!min.defined() || !extent.defined())
		return false;
	Expr simple_min = Internal::simplify(min), simple_extent = Internal::simplify(extent);
	auto m = Internal::as_const_int(simple_min), e = Internal::as_const_int(simple_extent);
	if (!m || !e)
		return false;
	*region = Region{*m, *e};
	return true;
}

// What the generator says of a buffer: an estimate, or a constraint whose value is known.
bool Sizes::constraint(const Parameter &param, int dim, Region *region) const
{
	if (constant(param.min_constraint_estimate(dim), param.extent_constraint_estimate(dim), region))
		return true;
	Expr min = param.min_constraint(dim), extent = param.extent_constraint(dim);
	if (!min.defined())
		min = param.min_constraint_estimate(dim);
	if (!extent.defined())
		extent = param.extent_constraint_estimate(dim);
	return min.defined() && extent.defined() && constant(in(min), in(extent), region);
}

Region Sizes::input_dimension(const Parameter &param, int dim) const
{
	std::vector<std::string> dims;
	for (int i = 0; i < param.dimensions(); i++)
		dims.push_back(input_dim(i));
	Region region;
	if (user_region(param.name(), dims, dim, &region) || constraint(param, dim, &region))
		return region;
	throw Failure(BW_ERROR_INPUT, "input " + param.name() + " has no estimate of dimension " + dims[dim] + "; give one: --estimate " +
			plain(param.name()) + "." + dims[dim] + "=0,1024, or " + plain(param.name()) + ".dim(" + std::to_string(dim) +
			").set_estimate(0, 1024) in the generator");
}

std::vector<Region> Sizes::input(const Input &input) const
{
	std::vector<Region> regions;
	for (int i = 0; i < input.dimensions; i++)
		if (input.param.defined())
			regions.push_back(input_dimension(input.param, i));
		else
			regions.push_back(Region{input.buffer.dim(i).min(), input.buffer.dim(i).extent()});
	return regions;
}

std::vector<Region> Sizes::output(const Function &func) const
{
	std::vector<Region> regions;
	for (int i = 0; i < func.dimensions(); i++) {
		const std::string &dim = func.args()[i];
		Region region;
		bool found = user_region(func.name(), func.args(), i, &region);
		for (const auto &estimate : func.schedule().estimates())
			found = found || (estimate.var == dim && constant(estimate.min, estimate.extent, &region));
		for (const auto &bound : func.schedule().bounds())
			found = found || (bound.var == dim && constant(bound.min, bound.extent, &region));
		for (const Parameter &buffer : func.output_buffers())
			found = found || constraint(buffer, i, &region);
		if (!found)
			throw Failure(BW_ERROR_INPUT, "output " + func.name() + " has no estimate of dimension " + dim + "; give one: --estimate " +
					plain(func.name()) + "." + dim + "=0,1024, or " + plain(func.name()) + ".set_estimate(" + dim +
					", 0, 1024) in the generator");
		regions.push_back(region);
	}
	return regions;
}

bool Sizes::scalar(const Parameter &param, Expr *value) const
{
	asked.insert(plain(param.name()));
	for (const std::string &name : {param.name(), plain(param.name())}) {
		auto it = given.values.find(name);
		if (it == given.values.end())
			continue;
		used.insert(it->first);
		const Type type = param.type();
		*value = type.is_float() ? Internal::make_const(type, it->second) : Internal::make_const(type, (int64_t)it->second);
		return true;
	}
	*value = param.estimate();
	if (!value->defined())
		*value = param.default_value();
	return value->defined();
}

void Sizes::fail_scalar(const std::string &name)
{
	throw Failure(BW_ERROR_INPUT, "parameter " + name + " has no estimate, and a region depends on it; give one: --estimate " + plain(name) +
			"=1, or " + plain(name) + ".set_estimate(1) in the generator");
}

void Sizes::check_given() const
{
	std::string names;
	for (const std::string &name : asked)
		names += (names.empty() ? "" : ", ") + name;
	for (const auto &region : given.regions)
		if (!used.count(region.first))
			throw Failure(BW_ERROR_INPUT, "an estimate of " + region.first + ", which there is not; there are " + names);
	for (const auto &value : given.values)
		if (!used.count(value.first))
			throw Failure(BW_ERROR_INPUT, "an estimate of " + value.first + " as one value: there is no such parameter; there are " + names + " (a dimension takes MIN,EXTENT)");
}

// The minimum or the extent of a buffer, by the name of the variable that stands for it; undefined for other variables.
Expr Sizes::buffer_variable(const Internal::Variable *op) const
{
	for (int i = 0; i < op->param.dimensions(); i++) {
		const std::string dim = "." + std::to_string(i);
		if (op->name == op->param.name() + ".min" + dim)
			return Internal::make_const(op->type, input_dimension(op->param, i).min);
		if (op->name == op->param.name() + ".extent" + dim)
			return Internal::make_const(op->type, input_dimension(op->param, i).extent);
	}
	return Expr();
}

const char *const Sizes::estimated = "beamwalk.estimated.";

class Substitution : public Internal::IRMutator {
	const Sizes &sizes;
	const bool numbers;   // floating-point parameters too, and all parameters of a number in floating point that an integer is made of
	bool through = false; // inside such a number
	int replaced = 0;     // scalar parameters so far

	using IRMutator::visit;

	Expr visit(const Internal::Variable *op) override
	{
		if (!op->param.defined())
			return op;
		Expr value;
		if (op->param.is_buffer()) {
			value = sizes.buffer_variable(op);
		} else if (through || (numbers && op->type.is_float())) {
			if (!sizes.scalar(op->param, &value))
				Sizes::fail_scalar(op->param.name());
			replaced++;
		}
		return value.defined() ? value : Expr(op);
	}

	// An integer made of parameters alone stays what it is by their estimates, not a number that holds whatever they are.
	Expr visit(const Internal::Cast *op) override
	{
		if (through || !numbers || !op->value.type().is_float() || op->type.is_float())
			return IRMutator::visit(op);
		const int before = replaced;
		through = true;
		const Expr whole = IRMutator::visit(op);
		through = false;
		const auto value = Internal::as_const_int(Internal::simplify(whole));
		return replaced > before && value ? Internal::Variable::make(op->type, Sizes::estimated + std::to_string(*value)) : whole;
	}

public:
	Substitution(const Sizes &s, bool n)
	    : sizes(s), numbers(n)
	{
	}
};

Expr Sizes::in(const Expr &e) const
{
	return Substitution(*this, false).mutate(e);
}

Expr Sizes::in_full(const Expr &e) const
{
	return Substitution(*this, true).mutate(e);
}

}
