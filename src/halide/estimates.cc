#include "halide/estimates.h"

#include <algorithm>
#include <tuple>

namespace bw {

std::string input_dim(int i)
{
	return "_" + std::to_string(i);
}

Sizes::Sizes(const Graph &g, const Estimates &e)
    : graph(g), given(e)
{
}

// Returns true if Halide knows the value of an expression.
static bool known(const Expr &e)
{
	return e.defined() && Internal::as_const_int(Internal::simplify(e));
}

std::string plain(const std::string &name)
{
	return name.substr(0, name.find('$'));
}

// Returns the name of a dimension for users. If the dimension comes from Halide::_, this is `_` and its
// position, because Halide numbers such dimensions _0, _1 ... independently of their position.
static std::string dim_name(const std::vector<std::string> &dims, int dim)
{
	const std::string name = plain(dims[dim]);
	for (int i = 0; i < (int)dims.size(); i++)
		if (name == input_dim(i))
			return input_dim(dim);
	return name;
}

// Finds the user's estimate of a dimension. The user may give the dimension's name or its position: _0, _1
// ..., or x, y, z, w.
bool Sizes::user_region(const std::string &name, const std::vector<std::string> &dims, int dim,
			Region *region) const
{
	static const std::string places[] = {"x", "y", "z", "w"};
	std::vector<std::string> names = {dim_name(dims, dim)};
	if (names[0] != input_dim(dim))
		names.push_back(dims[dim]);
	bool named = false;
	for (const std::string &d : dims)
		named |= dim < 4 && d == places[dim];
	if (dim < 4 && !named)
		names.push_back(places[dim]);
	names.push_back(input_dim(dim));
	asked.insert(plain(name) + "." + names[0]);
	for (const std::string &owner : {name, plain(name)}) {
		auto size = given.values.find(owner);
		if (dims.size() == 1 && size != given.values.end() && size->second >= 1 &&
		    size->second == (double)(int32_t)size->second) {
			used.insert(owner);
			*region = Region{0, (int64_t)size->second};
			return true;
		}
		for (const std::string &d : names) {
			auto it = given.regions.find(owner + "." + d);
			if (it != given.regions.end()) {
				used.insert(it->first);
				*region = Region{it->second.first, it->second.second};
				return true;
			}
		}
	}
	return false;
}

// The known ends of a dimension.
struct Sizes::Ends {
	bool has_min = false, has_extent = false;
	Region region = {0, 0};

	void set(const Region &whole)
	{
		has_min = has_extent = true;
		region = whole;
	}
};

// Finds the value of an expression of sizes and parameters at their estimates. If there is none, returns
// false and records the parameters without an estimate as missing.
bool Sizes::number(const Expr &e, int64_t *value) const
{
	class Missing : public Internal::IRVisitor {
		const Sizes &sizes;

		using IRVisitor::visit;

		void visit(const Internal::Variable *op) override
		{
			Expr value;
			if (op->param.defined() && !op->param.is_buffer() && !sizes.scalar(op->param, &value))
				sizes.lack(op->param.name());
		}

	public:
		explicit Missing(const Sizes &s)
		    : sizes(s)
		{
		}
	} visitor(*this);
	if (!e.defined())
		return false;
	const Expr simple = Internal::simplify(in_numbers(e));
	const auto known = Internal::as_const_int(simple);
	if (known)
		*value = *known;
	else
		e.accept(&visitor);
	return known ? true : false;
}

// Adds the minimum and extent of a dimension to *ends, if they have values.
void Sizes::fix(const Expr &min, const Expr &extent, Ends *ends) const
{
	ends->has_min |= number(min, &ends->region.min);
	ends->has_extent |= number(extent, &ends->region.extent);
}

// Finds the region of a dimension. fixed: ends that the generator fixes; they take precedence over
// `stated`, the estimate of the user or of the generator. Throws a Failure if a user's estimate contradicts
// them. A fixed extent without a minimum begins at 0. Returns false if an end is not known.
bool Sizes::settle(const Place &place, const Ends &fixed, const Ends &stated, bool by_user, Region *region)
{
	*region = stated.region;
	if (fixed.has_min)
		region->min = fixed.region.min;
	if (fixed.has_extent)
		region->extent = fixed.region.extent;
	if ((!fixed.has_min && !stated.has_min && !fixed.has_extent) || (!fixed.has_extent && !stated.has_extent))
		return false;
	if (by_user && (region->min != stated.region.min || region->extent != stated.region.extent))
		throw Failure(BW_ERROR_INPUT,
			      "an estimate of " + place.name() + " with minimum " +
				  std::to_string(stated.region.min) + " and extent " +
				  std::to_string(stated.region.extent) +
				  ": the generator itself fixes minimum " + std::to_string(region->min) +
				  " and extent " + std::to_string(region->extent) +
				  " (set_bounds, Func::bound); leave the estimate out, or give it these");
	return true;
}

// Records a region as missing, and returns a typical one.
Region Sizes::some(const Place &place) const
{
	missing.push_back(place);
	return Region{0, place.typical()};
}

Sizes::Place Sizes::place_of(const std::string &input, int dim, int n_dims)
{
	return Place{plain(input), input_dim(dim), dim, n_dims};
}

bool Sizes::states(const Parameter &param, int dim, Region *region) const
{
	const auto taken = taken_regions.find({param.name(), dim});
	std::vector<std::string> dims;
	for (int i = 0; i < param.dimensions(); i++)
		dims.push_back(input_dim(i));
	Ends fixed, stated;
	const std::string self = param.name() + "." + std::to_string(dim);
	const bool by_user = user_region(param.name(), dims, dim, &stated.region);
	if (taken != taken_regions.end()) {
		*region = taken->second;
		return true;
	}
	open.insert(self);
	fix(param.min_constraint(dim), param.extent_constraint(dim), &fixed);
	if (by_user)
		stated.set(stated.region);
	else
		fix(param.min_constraint_estimate(dim), param.extent_constraint_estimate(dim), &stated);
	open.erase(self);
	return settle(place_of(param.name(), dim, param.dimensions()), fixed, stated, by_user, region);
}

bool Sizes::states(const Input &input, int dim, Region *region) const
{
	if (input.param.defined())
		return states(input.param, dim, region);
	*region = Region{input.buffer.dim(dim).min(), input.buffer.dim(dim).extent()};
	return true;
}

void Sizes::take(const Input &input, int dim, const Region &region)
{
	taken_regions[{input.name, dim}] = region;
}

void Sizes::take_typical(const Input &input, int dim)
{
	take(input, dim, some(place_of(input.name, dim, input.dimensions)));
}

std::vector<std::string> Sizes::taken(const Input &input) const
{
	std::vector<std::string> dims;
	for (int i = 0; i < input.dimensions; i++)
		if (taken_regions.count({input.name, i}))
			dims.push_back(input_dim(i));
	return dims;
}

std::vector<Region> Sizes::input(const Input &input) const
{
	std::vector<Region> regions;
	for (int i = 0; i < input.dimensions; i++) {
		Region region;
		regions.push_back(states(input, i, &region) ? region
							    : some(place_of(input.name, i, input.dimensions)));
	}
	return regions;
}

Sizes::Place Sizes::place_of(const Function &func, int dim)
{
	return Place{plain(func.name()), dim_name(func.args(), dim), dim, func.dimensions()};
}

// Finds the region of a dimension of an output. Returns false if neither the user nor the generator gives
// it.
bool Sizes::states(const Function &func, int dim, Region *region) const
{
	const std::string &name = func.args()[dim];
	Ends fixed, stated;
	for (const auto &bound : func.schedule().bounds())
		if (bound.var == name)
			fix(bound.min, bound.extent, &fixed);
	for (const Parameter &buffer : func.output_buffers())
		fix(buffer.min_constraint(dim), buffer.extent_constraint(dim), &fixed);
	const bool by_user = user_region(func.name(), func.args(), dim, &stated.region);
	if (by_user)
		stated.set(stated.region);
	for (const auto &estimate : func.schedule().estimates())
		if (!by_user && estimate.var == name)
			fix(estimate.min, estimate.extent, &stated);
	for (const Parameter &buffer : func.output_buffers())
		if (!stated.has_min || !stated.has_extent)
			fix(buffer.min_constraint_estimate(dim), buffer.extent_constraint_estimate(dim), &stated);
	const auto taken = taken_regions.find({func.name(), dim});
	if (taken == taken_regions.end())
		return settle(place_of(func, dim), fixed, stated, by_user, region);
	*region = taken->second;
	return true;
}

Region Sizes::output_dimension(const Function &func, int dim) const
{
	Region region;
	return states(func, dim, &region) ? region : some(place_of(func, dim));
}

void Sizes::take(const Function &func, int dim, const Region &region)
{
	taken_regions[{func.name(), dim}] = region;
}

bool Sizes::knows(const Function &func) const
{
	Region region;
	bool known = true;
	for (int d = 0; d < func.dimensions(); d++)
		known = known && states(func, d, &region);
	return known || graph.is_argument(func.name());
}

// Finds the region of a dimension of an extern stage: the region of an input that stands for its result, or
// else the stage's own region as an output. Returns false if neither is known.
bool Sizes::extern_dimension(const Extern &stage, int dim, Region *region) const
{
	for (const Parameter &component : stage.components)
		if (states(component, dim, region))
			return true;
	return states(stage.func, dim, region);
}

// Sets the region of a dimension of a Func or input that an extern stage reads to that of the stage.
// typical: see take_fed. Returns false if the region was not set.
bool Sizes::take_from(const Extern &stage, const Place &place, const std::string &name, bool typical)
{
	Region region;
	const bool known = place.n_dims == stage.func.dimensions() && extern_dimension(stage, place.dim, &region);
	if (known || typical)
		taken_regions[{name, place.dim}] = known ? region : some(place);
	return known || typical;
}

bool Sizes::take_fed(bool typical)
{
	bool any = false;
	Region region;
	for (const Extern &stage : graph.externs) {
		for (const std::string &name : stage.funcs) {
			const Extern *other = graph.find_extern(name);
			const Function &func = other ? other->func : graph.env.at(name);
			for (int d = 0; d < func.dimensions(); d++)
				if (!(other ? extern_dimension(*other, d, &region) : states(func, d, &region)))
					any |= take_from(stage, place_of(func, d), name, typical);
		}
		for (const Parameter &input : stage.inputs)
			for (int d = 0; d < input.dimensions() && graph.is_handed(input.name()); d++)
				if (!states(input, d, &region))
					any |= take_from(stage, place_of(input.name(), d, input.dimensions()), input.name(), typical);
	}
	return any;
}

std::vector<Region> Sizes::output(const Function &func) const
{
	std::vector<Region> regions;
	for (int i = 0; i < func.dimensions(); i++)
		regions.push_back(output_dimension(func, i));
	return regions;
}

std::vector<std::string> Sizes::fixed(const Function &func, bool ends)
{
	std::vector<std::string> dims;
	for (int i = 0; i < func.dimensions(); i++) {
		bool all = true;
		for (const Parameter &buffer : func.output_buffers())
			all = all && known(buffer.min_constraint(i)) &&
			      (!ends || known(buffer.extent_constraint(i)));
		if (all)
			dims.push_back(func.args()[i]);
	}
	return dims;
}

bool Sizes::fixed(const Input &input, int dim)
{
	return !input.param.defined() ||
	       (known(input.param.min_constraint(dim)) && known(input.param.extent_constraint(dim)));
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
		*value = type.is_float() ? Internal::make_const(type, it->second)
					 : Internal::make_const(type, (int64_t)it->second);
		return true;
	}
	*value = param.estimate();
	if (!value->defined())
		*value = param.default_value();
	return value->defined();
}

void Sizes::lack(const std::string &parameter) const
{
	missing.push_back(Place{plain(parameter), "", 0, 0});
}

// Returns a placeholder size that the user should replace.
int64_t Sizes::Place::typical() const
{
	return dim < 2 ? 1024 : 4;
}

std::string Sizes::Place::name() const
{
	return n_dims == 0 ? owner : owner + "." + dim_name;
}

// Returns the option that gives an estimate. If all dimensions of an input or output are missing, there is
// one option for all of them: it is returned for the last dimension, and nothing for the others.
std::string Sizes::option(const Place &place) const
{
	if (place.n_dims == 0)
		return " --estimate " + place.owner + "=1";
	std::string sizes;
	int n = 0;
	for (int i = 0; i < place.n_dims; i++)
		for (const Place &other : missing)
			if (other.owner == place.owner && other.dim == i && other.n_dims == place.n_dims) {
				sizes += (n++ ? "x" : "") + std::to_string(other.typical());
				break;
			}
	if (n < place.n_dims)
		return " --estimate " + place.name() + "=0," + std::to_string(place.typical());
	return place.dim == place.n_dims - 1 ? " --sizes " + place.owner + "=" + sizes : "";
}

bool Sizes::Place::operator<(const Place &other) const
{
	return std::tie(owner, dim) < std::tie(other.owner, other.dim);
}

void Sizes::check_missing() const
{
	std::sort(missing.begin(), missing.end());
	constexpr size_t most_names = 250,
			 most_options =
			     // in characters: the hundreds of estimates of a neural network do not fit into
			     // a message
			     500;
	std::set<std::string> told;
	std::string names, options;
	int n_unnamed = 0;
	bool all = true;
	for (const Place &place : missing) {
		if (!told.insert(place.name()).second)
			continue;
		if (names.size() < most_names)
			names += (names.empty() ? "" : ", ") + place.name();
		else
			n_unnamed++;
		if (options.size() < most_options)
			options += option(place);
		else
			all = false;
	}
	if (n_unnamed)
		names += " and " + std::to_string(n_unnamed) + " more";
	if (!all)
		options += " and what is asked for then";
	if (!names.empty())
		throw Failure(BW_ERROR_INPUT, "no estimate of " + names +
						  "; give them, with your own numbers:" + options +
						  " (or set_estimates in the generator)");
}

void Sizes::check_given() const
{
	std::string names;
	for (const std::string &name : asked)
		names += (names.empty() ? "" : ", ") + name;
	for (const auto &region : given.regions)
		if (!used.count(region.first))
			throw Failure(BW_ERROR_INPUT, "an estimate of " + region.first +
							  ", which there is not; there are " + names);
	for (const auto &value : given.values)
		if (!used.count(value.first))
			throw Failure(BW_ERROR_INPUT,
				      "an estimate of " + value.first +
					  " as one value: there is no such parameter; there are " + names +
					  " (a dimension takes MIN,EXTENT)");
}

const char *const Sizes::estimated = "beamwalk.estimated.";

// Returns true if a variable is the minimum or the extent of a buffer and has a value. Sets *value, and
// *constant to whether Halide knows the value. or_some: if there is no estimate, takes a typical value and
// records it as missing.
bool Sizes::buffer_size(const Internal::Variable *op, bool or_some, int64_t *value, bool *constant) const
{
	for (int i = 0; i < op->param.dimensions(); i++) {
		const std::string dim = "." + std::to_string(i);
		const bool min = op->name == op->param.name() + ".min" + dim;
		if ((!min && op->name != op->param.name() + ".extent" + dim) || open.count(op->param.name() + dim))
			continue;
		Region region;
		if (!states(op->param, i, &region)) {
			if (!or_some)
				return false;
			region = some(place_of(op->param.name(), i, op->param.dimensions()));
		}
		*value = min ? region.min : region.extent;
		*constant = known(min ? op->param.min_constraint(i) : op->param.extent_constraint(i));
		return true;
	}
	return false;
}

class Substitution : public Internal::IRMutator {
public:
	using IRMutator::mutate;

	enum Mode { KNOWN, ESTIMATED, NUMBERS, KNOWN_NUMBERS }; // Sizes::in, in_full, in_numbers, in_known_numbers

	Substitution(const Sizes &s, Mode m)
	    : sizes(s), mode(m), through(m == NUMBERS || m == KNOWN_NUMBERS)
	{
	}

private:
	const Sizes &sizes;
	const Mode mode;
	// replace every size and parameter by a number; also true inside of a floating-point number that is
	// cast to an integer
	bool through;
	int replaced = 0; // number of estimates inserted so far

	using IRMutator::visit;

	Expr size(const Internal::Variable *op)
	{
		int64_t value;
		bool constant;
		if (!sizes.buffer_size(op, mode != KNOWN_NUMBERS, &value, &constant))
			return op;
		replaced += !constant;
		if (constant || through)
			return Internal::make_const(op->type, value);
		return mode == KNOWN
			   ? Expr(op)
			   : Internal::Variable::make(op->type, Sizes::estimated + std::to_string(value) +
								    "." + op->name);
	}

	Expr visit(const Internal::Variable *op) override
	{
		Expr value;
		if (!op->param.defined())
			return op;
		if (op->param.is_buffer())
			return size(op);
		if (!through && !(mode == ESTIMATED && op->type.is_float()))
			return op;
		replaced++;
		if (!sizes.scalar(op->param, &value)) {
			sizes.lack(op->param.name());
			value = Internal::make_const(op->type, 1);
		}
		return value;
	}

	// An integer that is cast from a floating-point expression of estimates becomes an `estimated`
	// variable. A plain number would say that the value holds for all sizes and parameters.
	Expr visit(const Internal::Cast *op) override
	{
		if (through || mode == KNOWN || !op->value.type().is_float() || op->type.is_float())
			return IRMutator::visit(op);
		const int before = replaced;
		through = true;
		const Expr whole = IRMutator::visit(op);
		through = false;
		const auto value = Internal::as_const_int(Internal::simplify(whole));
		return replaced > before && value
			   ? Internal::Variable::make(op->type, Sizes::estimated + std::to_string(*value))
			   : whole;
	}
};

Expr Sizes::in(const Expr &e) const
{
	return Substitution(*this, Substitution::KNOWN).mutate(e);
}

Expr Sizes::in_full(const Expr &e) const
{
	return Substitution(*this, Substitution::ESTIMATED).mutate(e);
}

Expr Sizes::in_numbers(const Expr &e) const
{
	return Substitution(*this, Substitution::NUMBERS).mutate(e);
}

Expr Sizes::in_known_numbers(const Expr &e) const
{
	return Substitution(*this, Substitution::KNOWN_NUMBERS).mutate(e);
}

}
