// The work of a stage per point: its operations by type, and how the coordinates of its loads and of its
// store change with its loops.
#pragma once
#include "halide/graph.h"

namespace bw {

// A rational number in lowest terms. Denominator 0: the value is not constant. lost: the value is constant,
// but Halide's own autoscheduler does not find it.
struct Ratio {
	int64_t num, den;
	bool lost = false;

	bool operator==(const Ratio &other) const
	{
		return num == other.num && den == other.den && lost == other.lost;
	}
};

// Entry [d][l]: the difference in coordinate d per step of loop l.
using Jacobian = std::vector<std::vector<Ratio>>;

struct Loads {
	Jacobian jacobian;
	bool predicate;                   // the loads are in a predicate of the stage
	int count;                        // number of loads per point of the stage
	std::map<std::string, int> types; // number of loads by the name of the loaded type
};

// Number of operations by operation and type, both with their names in a description.
using Operations = std::map<std::string, std::map<std::string, int>>;

struct Work {
	Operations operations;                           // operations of all expressions of the stage
	// operations of the predicates alone, which `operations` includes
	Operations predicates;
	std::map<std::string, std::vector<Loads>>
	    // by the Func or input that is loaded; without loads that simplification removes
	    loads;
	// number of loads by the Func or input that is loaded, before simplification
	std::map<std::string, int> calls;
	Jacobian store;
};

// Returns the work of a stage with these loops, innermost first. Each value, coordinate and predicate is
// counted separately, after Halide's simplification and common subexpression elimination.
Work work_of(const Function &func, int stage, const std::vector<std::string> &loops);
// Adds the operations and loads of an expression of such a stage to *work. predicate: the expression is a
// predicate.
void count_work(const std::string &func, const std::vector<std::string> &loops, const Expr &e, bool predicate,
		Work *work);

// A loop whose value is known modulo `modulus`. If `modulus` is 0, it is known which of `values` the loop
// has, or that it has none of them.
struct ParityLoop {
	std::string name;
	int64_t modulus;
	std::vector<int64_t> values;
};

// The work of each class of points that such loops distinguish. Where the condition of a select is known
// for a class, only the chosen branch counts. In `classes`, the first loop's class varies fastest. The last
// class of a loop with `values` is that of all other values.
struct Parity {
	std::vector<ParityLoop> loops;
	std::vector<Work> classes;
};

// Returns the sets of loops for which selects of a stage fold, with the work of each class; smaller sets
// first. work: the work of the whole stage. Selects of vectors are not folded.
std::vector<Parity> parities_of(const Function &func, int stage, const std::vector<std::string> &loops,
				const Work &work);

// Returns Halide's name of a type: `uint8`, `float32`, `bool`.
std::string type_name(Type type);

// Returns the derivatives of each coordinate with respect to each loop. lets: the values of the let
// variables in the coordinates.
Jacobian jacobian_of(const std::vector<Expr> &coordinates, const std::vector<std::string> &loops,
		     const Internal::Scope<Expr> &lets);

}
