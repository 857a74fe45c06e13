// Bounds of a stage's loops, of the region that a Func computes, and of what a stage requires of its
// producers, as expressions in the form of a description. What cannot be bounded is null.
#pragma once
#include "halide/convert.h"
#include "halide/estimates.h"

namespace bw {

// JSON of the two ends, inclusive.
struct Bound {
	std::string min, max;
};

struct Loop {
	std::string name;
	int dim; // of the Func, that a pure loop walks; -1: a reduction loop
	bool parallel;
	Bound bound;
};

// The boxes that expressions require of all that they read, over a scope of loops.
std::map<std::string, Box> boxes_of(const std::vector<Expr> &expressions,
				    const Internal::Scope<Interval> &scope,
				    const Internal::FuncValueBounds &value_bounds);

class Bounds {
public:
	// numbers: sizes and parameters are what the estimates say.
	Bounds(const Graph &graph, const Sizes &sizes, bool numbers = false);

	// The loops of a stage, innermost first, over the intervals of the Func's dimensions.
	std::vector<Loop> loops(const Function &func, int stage);
	// The region computed, over the intervals of the region required; empty where both are always equal.
	// It is what is required, what the updates store, and, with_own, what they read of the Func itself:
	// that Halide's autoscheduler leaves out.
	std::vector<Bound> computed(const Function &func, bool with_own);
	// The same as intervals, over those of the dimensions.
	std::vector<Interval> region(const Function &func, const Internal::Scope<Interval> &dims,
				     bool with_own) const;
	// The same without what Func::bound and its like make of it.
	std::vector<Interval> wanted(const Function &func, const Internal::Scope<Interval> &dims,
				     bool with_own) const;
	// What a stage requires of each Func and input that it reads, over the intervals of its loops.
	std::map<std::string, std::vector<Bound>> required(const Function &func, int stage);
	// The same whatever its predicates say.
	std::map<std::string, std::vector<Bound>> touched(const Function &func, int stage);
	// What a stage requires over intervals of its Func's dimensions.
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
