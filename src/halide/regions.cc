#include "halide/regions.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace bw {

using Internal::Scope;

static Interval simple(const Interval &interval)
{
	return Interval(interval.has_lower_bound() ? Internal::simplify(interval.min) : interval.min,
			interval.has_upper_bound() ? Internal::simplify(interval.max) : interval.max);
}

static std::vector<Interval> intervals(const std::vector<Region> &regions)
{
	std::vector<Interval> list;
	for (const Region &r : regions)
		list.emplace_back(Expr((int32_t)r.min), Expr((int32_t)(r.min + r.extent - 1)));
	return list;
}

void Regions::include(const std::string &name, const std::vector<Interval> &box)
{
	const auto known = boxes.emplace(name, box);
	for (size_t d = 0; !known.second && d < box.size(); d++)
		known.first->second[d].include(box[d]);
	for (Interval &interval : known.first->second)
		interval = simple(interval);
}

Regions::Regions(const Graph &graph, const Sizes &sizes)
{
	const Bounds bounds(graph, sizes, true);
	for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
		const Function &func = node->func;
		if (node->output && sizes.knows(func))
			include(func.name(), intervals(sizes.output(func)));
		if (!boxes.count(func.name()))
			continue;
		Scope<Interval> dims;
		for (int d = 0; d < func.dimensions(); d++)
			dims.push(func.args()[d], boxes[func.name()][d]);
		if (!func.schedule().bounds().empty())
			wanted[func.name()] = bounds.wanted(func, dims, true);
		std::vector<Interval> &computed = boxes[func.name()] = bounds.region(func, dims, true);
		for (int d = 0; d < func.dimensions(); d++) {
			computed[d] = simple(computed[d]);
			dims.pop(func.args()[d]);
			dims.push(func.args()[d], computed[d]);
		}
		for (int s = 0; s <= (int)func.updates().size(); s++)
			for (const auto &read : bounds.reads(func, s, dims))
				if (read.first != func.name())
					include(read.first, read.second.bounds);
	}
	for (Boxes *all : {&boxes, &wanted})
		for (auto &box : *all)
			for (Interval &interval : box.second) {
				if (interval.has_lower_bound())
					interval.min = Internal::simplify(sizes.in_known_numbers(interval.min));
				if (interval.has_upper_bound())
					interval.max = Internal::simplify(sizes.in_known_numbers(interval.max));
			}
}

bool Regions::find(const std::string &name, int dim, Region *region) const
{
	return find_in(boxes, name, dim, region);
}

bool Regions::find_wanted(const std::string &func, int dim, Region *region) const
{
	return find_in(wanted, func, dim, region);
}

bool Regions::find_in(const Boxes &boxes, const std::string &name, int dim, Region *region)
{
	const auto box = boxes.find(name);
	if (box == boxes.end() || !box->second[dim].is_bounded())
		return false;
	const auto min = Internal::as_const_int(box->second[dim].min);
	const auto max = Internal::as_const_int(box->second[dim].max);
	if (!min || !max)
		return false;
	*region = Region{*min, *max < *min ? 0 : *max - *min + 1};
	return true;
}

bool Regions::unbounded(const std::string &name, int dim) const
{
	const auto box = boxes.find(name);
	return box != boxes.end() && !box->second[dim].is_bounded();
}

bool Regions::depends_on_itself(const std::string &input, int dim) const
{
	class Own : public Internal::IRVisitor {
		const std::string &name;
		using IRVisitor::visit;

		void visit(const Internal::Variable *op) override
		{
			found = found || (op->param.defined() && op->param.name() == name);
		}

	public:
		bool found = false;

		explicit Own(const std::string &n)
		    : name(n)
		{
		}
	} own(input);
	const auto box = boxes.find(input);
	if (box == boxes.end())
		return false;
	for (const Expr &end : {box->second[dim].min, box->second[dim].max})
		end.accept(&own);
	return own.found;
}

double Regions::points(const Function &func) const
{
	double points = 1;
	for (int d = 0; d < func.dimensions(); d++) {
		Region region;
		points *= find(func.name(), d, &region) ? (double)region.extent : INFINITY;
	}
	return points;
}

// Widens the sizes of Funcs that are outputs only because extern stages read them, to hold what other Funcs
// read of them.
static void widen_fed(const Graph &graph, Sizes *sizes)
{
	const Regions regions(graph, *sizes);
	Region region;
	for (const Extern &stage : graph.externs)
		for (const std::string &name : stage.funcs)
			for (int d = 0; graph.env.count(name) && d < graph.env.at(name).dimensions(); d++)
				if (!graph.is_argument(name) && regions.find(name, d, &region))
					sizes->take(graph.env.at(name), d, region);
}

Sizes infer(const Graph &graph, const Estimates &estimates)
{
	Sizes sizes(graph, estimates);
	Region region;
	for (;;) {
		struct Open {
			const Input *input;
			int dim;
		};
		std::vector<Open> open;
		const bool fed = sizes.take_fed(false);
		for (const Input &input : graph.inputs)
			for (int d = 0; d < input.dimensions; d++)
				if (!sizes.states(input, d, &region))
					open.push_back(Open{&input, d});
		if (open.empty() && !fed && !sizes.take_fed(true)) {
			if (!graph.externs.empty())
				widen_fed(graph, &sizes);
			return sizes;
		}
		const Regions regions(graph, sizes);
		bool lacking = false;
		// results: only inputs that are results of extern stages; else all inputs
		auto take = [&](bool results) {
			bool any = false;
			for (const Open &o : open)
				if ((!results || graph.is_result(o.input->name)) && regions.find(o.input->name, o.dim, &region)) {
					sizes.take(*o.input, o.dim, Region{region.min, std::max<int64_t>(region.extent, 1)});
					any = true;
				}
			return any;
		};
		// results first, because other sizes may follow from them
		const bool found = take(true) || take(false);
		for (const Open &o : open)
			if (!found && regions.depends_on_itself(o.input->name, o.dim)) {
				sizes.take_typical(*o.input, o.dim);
				lacking = true;
			}
		if (!found && !lacking && !fed && !sizes.take_fed(true) && !open.empty())
			sizes.take_typical(*open[0].input, open[0].dim);
	}
}

namespace {

// A buffer's name, without the suffix that Halide adds to make it unique, its dimensions, and the region of
// each dimension.
struct Extents {
	std::string name;
	std::vector<std::string> dims;
	std::vector<Region> regions;

	// Returns the options that give the buffer these regions.
	std::string option() const
	{
		std::string list = " --sizes " + name + "=", one_by_one;
		bool from_zero = true;
		for (size_t d = 0; d < dims.size(); d++) {
			const std::string min = std::to_string(regions[d].min), extent = std::to_string(regions[d].extent);
			from_zero = from_zero && regions[d].min == 0;
			list += (d ? "x" : "") + extent;
			one_by_one += " --estimate " + name + "." + dims[d] + "=" + min + "," + extent;
		}
		return from_zero ? list : one_by_one;
	}
};

std::string ends(const Region &region)
{
	return std::to_string(region.min) + " to " + std::to_string(region.min + region.extent - 1);
}

// Returns the smallest region that holds both. An empty region is part of every region.
Region joined(const Region &a, const Region &b)
{
	if (b.extent <= 0)
		return a;
	const int64_t min = std::min(a.min, b.min), end = std::max(a.min + a.extent, b.min + b.extent);
	return Region{min, end - min};
}

bool holds(const Region &whole, const Region &part)
{
	return joined(whole, part).extent == whole.extent;
}

Extents extents_of(const Function &func, const Sizes &sizes)
{
	Extents extents = {plain(func.name()), {}, sizes.output(func)};
	for (const std::string &dim : func.args())
		extents.dims.push_back(plain(dim));
	return extents;
}

Extents extents_of(const Input &input, const Sizes &sizes)
{
	Extents extents = {plain(input.name), {}, sizes.input(input)};
	for (int d = 0; d < input.dimensions; d++)
		extents.dims.push_back(input_dim(d));
	return extents;
}

void check_points(const Extents &extents, const char *kind, int64_t most)
{
	double points = 1;
	std::string product;
	for (const Region &region : extents.regions) {
		points *= (double)region.extent;
		product += (product.empty() ? "" : " x ") + std::to_string(region.extent);
	}
	if (points <= (double)most)
		return;
	throw Failure(BW_ERROR_INPUT, std::string(kind) + " " + extents.name + " has " + product +
					  " points, and Halide counts no more than " + std::to_string(most) +
					  " of a buffer: give smaller sizes (--sizes), or --target large_buffers");
}

void check_output(const Regions &regions, const Function &func, const Extents &stated)
{
	Extents wanted = stated;
	std::string beyond;
	for (size_t d = 0; d < stated.dims.size(); d++) {
		Region region;
		if (!regions.find(func.name(), (int)d, &region) || holds(stated.regions[d], region))
			continue;
		wanted.regions[d] = joined(stated.regions[d], region);
		beyond += (beyond.empty() ? "" : ", ") + stated.dims[d] + " from " + ends(region) + ", not " +
			  ends(stated.regions[d]) + " alone";
	}
	if (!beyond.empty())
		throw Failure(BW_ERROR_INPUT, "output " + stated.name + " is computed in " + beyond +
						  ", and its buffer must hold that: give it" + wanted.option());
}

// Throws a Failure if a bound (Func::bound) does not hold the region that the Func would compute without
// it.
void check_bound(const Regions &regions, const Function &func)
{
	for (int d = 0; d < func.dimensions(); d++) {
		Region is, wanted;
		if (!regions.find(func.name(), d, &is) || !regions.find_wanted(func.name(), d, &wanted) ||
		    holds(is, wanted))
			continue;
		const Region whole = joined(is, wanted);
		const std::string dim = plain(func.args()[d]);
		throw Failure(BW_ERROR_INPUT, "Func " + plain(func.name()) + " is bounded in " + dim + " to " + ends(is) +
						  ", and needed from " + ends(wanted) + ": write bound(" + dim + ", " +
						  std::to_string(whole.min) + ", " + std::to_string(whole.extent) +
						  ") in the generator, or clamp the index that goes beyond");
	}
}

// Throws a Failure if two points of an output have the same address, because of strides that the generator
// fixes (for example, if it rounds them down).
void check_strides(const Function &func, const Extents &extents, const Sizes &sizes)
{
	for (const Parameter &buffer : func.output_buffers()) {
		std::map<std::string, Expr> dense;
		int64_t stride = 1;
		for (size_t d = 0; d < extents.dims.size(); stride *= extents.regions[d++].extent)
			dense[buffer.name() + ".stride." + std::to_string(d)] = Expr((int32_t)stride);
		std::vector<std::pair<int64_t, size_t>> fixed;
		for (size_t d = 0; d < extents.dims.size(); d++) {
			const Expr constraint = buffer.stride_constraint((int)d);
			if (!constraint.defined())
				continue;
			const Expr value = Internal::simplify(Internal::substitute(dense, sizes.in_numbers(constraint)));
			if (const auto number = Internal::as_const_int(value))
				fixed.emplace_back(*number, d);
		}
		std::sort(fixed.begin(), fixed.end());
		for (size_t i = 1; i < fixed.size(); i++) {
			const size_t inner = fixed[i - 1].second, outer = fixed[i].second;
			const int64_t least = fixed[i - 1].first * extents.regions[inner].extent;
			if (fixed[i].first < least && extents.regions[outer].extent > 1)
				throw Failure(BW_ERROR_INPUT,
					      "output " + extents.name + " has stride " + std::to_string(fixed[i].first) + " in " +
						  extents.dims[outer] + " (set_stride), less than the " + std::to_string(least) +
						  " that " + extents.dims[inner] + " takes: its points overlap; give it a size (--sizes), or a parameter (-G), for which they do not");
		}
	}
}

// Widens the sizes of the inputs to hold everything that is read. Returns true if any input was too small.
bool widen(const Graph &graph, const Regions &regions, Sizes *sizes)
{
	bool any = false;
	for (const Input &input : graph.inputs)
		for (int d = 0; d < input.dimensions; d++) {
			Region read, stated;
			if (!regions.find(input.name, d, &read) || !sizes->states(input, d, &stated) || holds(stated, read))
				continue;
			if (Sizes::fixed(input, d))
				throw Failure(BW_ERROR_INPUT, "input " + plain(input.name) + " is read in " +
								  input_dim(d) + " from " + ends(read) +
								  ", and the generator fixes it to " + ends(stated) +
								  ": smaller outputs (--sizes) read less of it");
			sizes->take(input, d, joined(stated, read));
			any = true;
		}
	return any;
}

// Returns the end of the error message for an input of which no size holds what is read: all other numbers
// that the user may change.
std::string others(const Graph &graph, const Sizes &sizes)
{
	std::string text;
	for (const Node &node : graph.nodes)
		if (node.output)
			text += extents_of(node.func, sizes).option();
	for (const Scalar &scalar : graph.scalars) {
		Expr value;
		std::ostringstream number;
		if (sizes.scalar(scalar.param, &value))
			number << value;
		text += " --estimate " + plain(scalar.name) + "=" + (number.str().empty() ? "1" : number.str());
	}
	return "no size of it holds that; give other numbers than" + text +
	       ", or -G if a parameter of the generator decides it, or clamp the index in the generator";
}

// Throws a Failure if an input is read beyond its size even after it was widened once, as callers of the
// filter do. This happens if the size of an input decides what is read of it.
void check_inputs(const Graph &graph, const Regions &regions, const Sizes &stated)
{
	Sizes wide(stated);
	if (!widen(graph, regions, &wide))
		return;
	const Regions then(graph, wide);
	Sizes wider(wide);
	if (!widen(graph, then, &wider))
		return;
	Sizes widest(wider);
	const bool settled = !widen(graph, Regions(graph, wider), &widest);
	for (const Input &input : graph.inputs) {
		const Extents is = extents_of(input, wide), wanted = extents_of(input, wider);
		for (size_t d = 0; d < is.dims.size(); d++)
			if (!holds(is.regions[d], wanted.regions[d]))
				throw Failure(BW_ERROR_INPUT,
					      "input " + is.name + " of " + ends(is.regions[d]) + " in " + is.dims[d] + " is read in " +
						  ends(wanted.regions[d]) + ", because its own size decides what is read: " +
						  (settled ? "give it" + wanted.option() : others(graph, stated)));
	}
}

}

void check_sizes(const Graph &graph, const Sizes &sizes, const Regions &regions, int64_t most)
{
	for (const Node &node : graph.nodes) {
		check_bound(regions, node.func);
		if (node.output) {
			const Extents extents = extents_of(node.func, sizes);
			check_points(extents, "output", most);
			check_output(regions, node.func, extents);
			check_strides(node.func, extents, sizes);
		}
	}
	for (const Input &input : graph.inputs)
		check_points(extents_of(input, sizes), "input", most);
	check_inputs(graph, regions, sizes);
}

}
