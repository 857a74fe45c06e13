// A pipeline as beamwalk sees it: a deep copy in which calls of wrappers are substituted and constant calls
// are folded, its Funcs in a fixed order, and the inputs and parameters that it reads.
#pragma once
#include "halide/core.h"

#include <set>

namespace bw {

struct Node {
	Function func;
	int handle;  // index into all_funcs()
	bool output; // an output of the pipeline, or read by an extern stage
};

// An input buffer, or a constant buffer in the algorithm.
struct Input {
	std::string name;
	Type type;
	int dimensions;
	Parameter param;   // undefined for a constant buffer
	Halide::Buffer<void> buffer; // defined for a constant buffer
};

// An extern stage: a Func that a C function computes. It is outside of the graph: the Funcs that it reads
// are outputs of the graph, and the Funcs that read it read an input of the same name instead.
struct Extern {
	std::string name;
	int handle;           // index into all_funcs()
	std::string function; // name of the C function
	std::vector<std::string> funcs; // Funcs that it reads, including extern stages
	std::vector<Parameter> inputs;  // input buffers that it reads
	Function func;
	// one per value of the Func: the inputs that other Funcs read in its place
	std::vector<Parameter> components;
};

// An update that is factored (rfactor). An RVar is split by a factor, and the outer loop (with `apart`: the
// inner loop) becomes a dimension of a new Func of partial results, which the update then combines.
struct Factored {
	std::string func;
	int stage;
	int loop; // index of the RVar's loop in the update before it is factored
	std::string rvar, outer, inner, var;
	int factor;
	// named: the user named the RVar; else it is the outermost RVar. apart: a partial result combines
	// every FACTORth iteration; else FACTOR consecutive iterations.
	bool named, apart;
	std::string made; // name of the new Func
	int handle;
};

struct Scalar {
	std::string name;
	Parameter param;
};

struct Graph {
	std::vector<Node> nodes; // each after all Funcs that it reads
	std::vector<std::pair<std::string, int>> folded; // names and handles of Funcs that are constants
	std::vector<Input> inputs;   // by name
	std::vector<Scalar> scalars; // by name
	std::vector<Extern> externs; // each before the extern stages that it reads
	std::vector<Factored> factored;
	std::set<std::string> read;  // inputs that Funcs read, by name
	std::vector<std::string> arguments; // the pipeline's own outputs, in the order of the filter's arguments
	std::map<std::string, Function> env;
	Internal::FuncValueBounds value_bounds;

	// Makes the graph of the pipeline, with the updates factored that `rfactor` lists (beamwalk(1),
	// --rfactor). Throws a Failure if the pipeline cannot be described, for example because it already
	// has a schedule.
	explicit Graph(const Pipeline &pipeline, const std::string &rfactor = "");
	// is_argument: returns true if a Func is an output of the pipeline itself. is_result: returns true
	// if an input is the result of an extern stage.
	bool is_argument(const std::string &func) const;
	bool is_result(const std::string &input) const;
	// Returns true if only extern stages read an input.
	bool is_handed(const std::string &input) const;
	// Returns the extern stage of a name, or NULL.
	const Extern *find_extern(const std::string &name) const;
};

// Returns all Funcs, with their handles as indexes: first the Funcs of Pipeline::get_func, then the
// wrappers and clones that the algorithm made itself. Takes no unique name.
std::vector<Func> all_funcs(Pipeline pipeline);

// Returns true if Halide proves that the iterations of an update may run in any order. Sets *op to the
// operation that combines the iterations.
bool is_associative(const Function &func, int stage, Internal::AssociativeOp *op);

// Returns the definition of a stage. Stage 0 is the pure definition, stage k is update k - 1.
const Definition &definition_of(const Function &func, int stage);
// Returns the expressions that a stage evaluates, in this order: values, coordinates, predicates.
std::vector<Expr> expressions_of(const Definition &definition);
// Returns the values and coordinates of a stage, each guarded by the stage's predicates, as Halide's own
// bounds inference sees them. A read that a predicate excludes then requires nothing of its producer. A
// common subexpression is the exception: it is evaluated before the predicate.
std::vector<Expr> guarded_expressions_of(const Definition &definition);

// Folds constant calls, such as the weights of a filter kernel, kernel(-1), as Halide does after inlining.
// A Func is folded if all its calls have constant arguments and constant values: its calls are replaced by
// the values, and the Func is removed from *env, whose definitions must be copies. A Func with any other
// call keeps all its calls, because the calls are loads if the Func is computed. Halide's simplifier
// computes the values, as in lowering. Returns the names of the removed Funcs.
std::vector<std::string> fold_constant_calls(const std::vector<Function> &outputs,
					     std::map<std::string, Function> *env);

}
