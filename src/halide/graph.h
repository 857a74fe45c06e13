// A pipeline as beamwalk looks at it: a deep copy in which calls of wrappers are already substituted and
// constant calls folded, its Funcs in one fixed order, and what it reads from outside.
#ifndef BW_HALIDE_GRAPH_H
#define BW_HALIDE_GRAPH_H
#include "halide/core.h"

namespace bw {

struct Node {
	Function func;
	int handle;  // index into all_funcs()
	bool output;
};

// An input buffer, or a constant one that stands in the algorithm.
struct Input {
	std::string name;
	Type type;
	int dimensions;
	Parameter param;   // undefined for a constant buffer
	Halide::Buffer<void> buffer; // defined for a constant buffer
};

struct Scalar {
	std::string name;
	Parameter param;
};

struct Graph {
	std::vector<Node> nodes; // each after all that it reads
	std::vector<std::pair<std::string, int>> folded; // names and handles of Funcs that are constants
	std::vector<Input> inputs;   // by name
	std::vector<Scalar> scalars; // by name
	std::vector<std::string> arguments; // outputs, in the order of the filter's arguments
	std::map<std::string, Function> env;
	Internal::FuncValueBounds value_bounds;

	// Throws a Failure for a pipeline that cannot be described: an extern stage, a schedule already applied.
	explicit Graph(const Pipeline &pipeline);
};

// Funcs by their handle: those of Pipeline::get_func, then the wrappers and clones that the algorithm made
// itself. Takes no unique name.
std::vector<Func> all_funcs(Pipeline pipeline);

// Definition of a stage: 0 the pure one, k update k - 1.
const Definition &definition_of(const Function &func, int stage);
// The expressions that a stage evaluates, in the order written: values, coordinates, predicates.
std::vector<Expr> expressions_of(const Definition &definition);
// Its values and coordinates, each under its predicates as Halide's own bounds inference sees them: what a
// predicate excludes is required of nobody, unless it is read twice and so before the predicate is asked.
std::vector<Expr> guarded_expressions_of(const Definition &definition);

}
#endif
