// What a stage does at one point: its operations by type, and how the addresses of its loads and of its store
// move with its loops.
#pragma once
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
// Counts expressions of such a stage into its operations and loads; predicate: they are predicates.
void count_work(const std::string &func, const std::vector<std::string> &loops, const Expr &e, bool predicate,
		Work *work);

// Loops of which it is known by how much they are beyond a multiple of `modulus`, or, if that is 0, which of
// the values they have, or that they have another one.
struct ParityLoop {
	std::string name;
	int64_t modulus;
	std::vector<int64_t> values;
};

// The work of each class of points that such loops tell apart, if selects ask just that: the chosen branches
// alone. The first loop's class changes fastest; of values the last class is any other value.
struct Parity {
	std::vector<ParityLoop> loops;
	std::vector<Work> classes;
};

// Returns what folds in a stage of this work, fewer loops first. Selects of vectors are left alone.
std::vector<Parity> parities_of(const Function &func, int stage, const std::vector<std::string> &loops,
				const Work &work);

// Halide's name of a type: `uint8`, `float32`, `bool`.
std::string type_name(Type type);

// Derivatives of each coordinate by each loop; lets: what names mean that stand in the coordinates.
Jacobian jacobian_of(const std::vector<Expr> &coordinates, const std::vector<std::string> &loops,
		     const Internal::Scope<Expr> &lets);

}
