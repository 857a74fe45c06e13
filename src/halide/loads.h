// What a stage does at one point: its operations by type, and how the addresses of its loads and of its store
// move with its loops.
#ifndef BW_HALIDE_LOADS_H
#define BW_HALIDE_LOADS_H
#include "halide/graph.h"

namespace bw {

// A rational number in lowest terms; denominator 0: not a constant. lost: Halide's own autoscheduler does not
// find that it is one.
struct Ratio {
	int64_t num, den;
	bool lost = false;

	bool operator==(const Ratio &other) const
	{
		return num == other.num && den == other.den && lost == other.lost;
	}
};

// Entry [d][l]: change of coordinate d a step of loop l.
using Jacobian = std::vector<std::vector<Ratio>>;

struct Loads {
	Jacobian jacobian;
	bool predicate;                   // they stand in a predicate of the stage
	int count;                        // a point of the stage
	std::map<std::string, int> types; // the same by the name of the type that is loaded
};

// Operation and type, both by their names in a description.
using Operations = std::map<std::string, std::map<std::string, int>>;

struct Work {
	Operations operations;                           // of all expressions
	Operations predicates;                           // of these, those of predicates
	std::map<std::string, std::vector<Loads>>
	    loads;                        // by what is loaded from; of what is simplified away there is none
	std::map<std::string, int> calls; // by what is loaded from, as written: before anything is simplified
	Jacobian store;
};

// Of a stage with these loops, innermost first. Expressions are counted after Halide's simplify and
// elimination of common subexpressions, each value, coordinate and predicate by itself.
Work work_of(const Function &func, int stage, const std::vector<std::string> &loops);

// Halide's name of a type: `uint8`, `float32`, `bool`.
std::string type_name(Type type);

}
#endif
