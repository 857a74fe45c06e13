// Bounds of a stage's loops, of the region that a Func computes, and of the regions that a stage requires
// of its producers. They are expressions of a description (beamwalk-pipeline(5)); null means unbounded.
#pragma once
#include "halide/convert.h"
#include "halide/estimates.h"

namespace bw {

// The two ends of an interval as JSON, both inclusive.
struct Bound {
	std::string min, max;
};

struct Loop {
	std::string name;
	int dim; // dimension of the Func that a pure loop runs over; -1: a reduction loop
	bool parallel;
	Bound bound;
};

// Returns the boxes that expressions require of each Func and input that they read, with the loops'
// intervals in `scope`.
std::map<std::string, Box> boxes_of(const std::vector<Expr> &expressions,
				    const Internal::Scope<Interval> &scope,
				    const Internal::FuncValueBounds &value_bounds);

class Bounds {
public:
	// numbers: replace sizes and parameters by their estimates.
	Bounds(const Graph &graph, const Sizes &sizes, bool numbers = false);

	// Returns the loops of a stage, innermost first. Their bounds are expressions of the intervals of
	// the Func's dimensions.
	std::vector<Loop> loops(const Function &func, int stage);
	// Returns the region that a Func computes, as expressions of the region required of the Func.
	// Returns an empty list if the two regions are always equal. The region computed covers the region
	// required, the points that the updates store, and, with_own, the points of the Func itself that
	// the updates read. Halide's autoscheduler leaves out these reads.
	std::vector<Bound> computed(const Function &func, bool with_own);
	// Returns the region computed as intervals, for the intervals `dims` of the Func's dimensions.
	std::vector<Interval> region(const Function &func, const Internal::Scope<Interval> &dims,
				     bool with_own) const;
	// Returns the same, but without the effects of Func::bound, align_bounds and align_extent.
	std::vector<Interval> wanted(const Function &func, const Internal::Scope<Interval> &dims,
				     bool with_own) const;
	// Returns the region that a stage requires of each Func and input that it reads, as expressions of
	// the intervals of the stage's loops.
	std::map<std::string, std::vector<Bound>> required(const Function &func, int stage);
	// Returns the same, but as if the stage's predicates were always true.
	std::map<std::string, std::vector<Bound>> touched(const Function &func, int stage);
	// Returns the boxes that a stage requires, for the intervals `dims` of its Func's dimensions.
	std::map<std::string, Box> reads(const Function &func, int stage,
					 const Internal::Scope<Interval> &dims) const;

private:
	const Graph &graph;
	const Sizes &sizes;
	const bool numbers;

	Expr at_sizes(const Expr &e) const;
	Bound bound(const Interval &interval, const Names &names) const;
	std::string end(const Expr &e, const Names &names, Internal::Direction direction) const;
	Interval rvar_interval(const Internal::ReductionVariable &rvar) const;
	Internal::Scope<Interval> reduction_scope(const Function &func, int stage) const;
	std::map<std::string, Box> boxes(const std::vector<Expr> &expressions,
					 const Internal::Scope<Interval> &scope) const;
	std::map<std::string, std::vector<Bound>> bounds(const Function &func, int stage,
							 const std::vector<Expr> &expressions) const;
	Interval align(const Function &func, int dim, Interval computed) const;
};

}
