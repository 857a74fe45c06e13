// The regions of a pipeline at the estimates, in numbers: what is computed of each Func, and read of each
// input, if every Func is at root.
#pragma once
#include "halide/bounds.h"

namespace bw {

class Regions {
public:
	Regions(const Graph &graph, const Sizes &sizes);

	// A dimension of a Func or an input. Returns false if it is no number: without bounds, never read, or
	// of a size that nobody states.
	bool find(const std::string &name, int dim, Region *region) const;
	// What is wanted of a dimension of a Func, whatever its bound says.
	bool find_wanted(const std::string &func, int dim, Region *region) const;
	// Returns true if a Func or an input is read without a bound in a dimension.
	bool unbounded(const std::string &name, int dim) const;
	// Whether what is known of a dimension of an input depends on the input's own size.
	bool depends_on_itself(const std::string &input, int dim) const;
	// Points of a Func; infinite if it is without bounds.
	double points(const Function &func) const;

private:
	using Boxes = std::map<std::string, std::vector<Interval>>;

	Boxes boxes, wanted; // wanted: of Funcs with bounds

	static bool find_in(const Boxes &boxes, const std::string &name, int dim, Region *region);

	void include(const std::string &name, const std::vector<Interval> &box);
};

// Returns the sizes, with those of inputs that nobody states as the outputs require them. What does not
// follow from the outputs is missing.
Sizes infer(const Graph &graph, const Estimates &estimates);
// Throws a Failure that names the buffer, with what to say instead, if the regions of the outputs do not hold
// what is computed of them, if a bound does not, if no buffer of an input can hold what is read of it, or
// if a buffer has more than `most` points.
void check_sizes(const Graph &graph, const Sizes &sizes, const Regions &regions, int64_t most);

}
