// The regions of a pipeline at the estimated sizes, in numbers: the region that is computed of each Func
// and the region that is read of each input, if every Func is computed at root.
#pragma once
#include "halide/bounds.h"

namespace bw {

class Regions {
public:
	Regions(const Graph &graph, const Sizes &sizes);

	// Finds the region of a dimension of a Func or an input. Returns false if the region is not known
	// in numbers: it is unbounded, never read, or depends on a size without an estimate.
	bool find(const std::string &name, int dim, Region *region) const;
	// Finds the region that would be computed of a dimension of a Func if the Func had no bounds
	// (Func::bound). Returns false for a Func without bounds.
	bool find_wanted(const std::string &func, int dim, Region *region) const;
	// Returns true if a Func or an input is read without a bound in a dimension.
	bool unbounded(const std::string &name, int dim) const;
	// Returns true if the region that is read of a dimension of an input depends on the input's own
	// size.
	bool depends_on_itself(const std::string &input, int dim) const;
	// Returns the number of points of a Func; infinity if the region of a dimension is not known.
	double points(const Function &func) const;

private:
	using Boxes = std::map<std::string, std::vector<Interval>>;

	Boxes boxes, wanted; // wanted: only Funcs with bounds (Func::bound)

	static bool find_in(const Boxes &boxes, const std::string &name, int dim, Region *region);

	void include(const std::string &name, const std::vector<Interval> &box);
};

// Returns the sizes. The size of an input without an estimate is the region that the outputs require of it.
// A size that does not follow from the outputs is recorded as missing.
Sizes infer(const Graph &graph, const Estimates &estimates);
// Throws a Failure that names the buffer and how to correct its size, in these cases: an output's region or
// a Func's bound does not hold the region that is computed; points of an output overlap; no size of an
// input can hold the region that is read; a buffer has more than `most` points.
void check_sizes(const Graph &graph, const Sizes &sizes, const Regions &regions, int64_t most);

}
