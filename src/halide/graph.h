// A pipeline as beamwalk looks at it: a deep copy in which calls of wrappers are already substituted and
// constant calls folded, its Funcs in one fixed order, and what it reads from outside.
#pragma once
#include "halide/core.h"

#include <set>

namespace bw {

struct Node {
	Function func;
	int handle;  // index into all_funcs()
	bool output; // an output of the pipeline, or what an extern stage reads
};

// An input buffer, or a constant one that stands in the algorithm.
struct Input {
	std::string name;
	Type type;
	int dimensions;
	Parameter param;   // undefined for a constant buffer
	Halide::Buffer<void> buffer; // defined for a constant buffer
};

// A Func that a function of C computes. It stands outside: Funcs that it reads are outputs, and others read
// an input of its name.
struct Extern {
	std::string name;
	int handle;           // index into all_funcs()
	std::string function; // its name in C
	std::vector<std::string> funcs; // Funcs that it reads, extern ones too
	std::vector<Parameter> inputs;  // input buffers that it reads
	Function func;
	std::vector<Parameter> components; // one of each value: the inputs by which others read it
};

// An update that is factored: an RVar is split by a factor, and the outer loop, or with `apart` the inner
// one, becomes a dimension of a new Func, which the update then adds up.
struct Factored {
	std::string func;
	int stage;
	int loop; // of the RVar in the update as the algorithm has it
	std::string rvar, outer, inner, var;
	int factor;
	bool named, apart; // else it is the outermost RVar; a part is every FACTORth iteration, else FACTOR in a row
	std::string made; // the new Func
	int handle;
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
	std::vector<Extern> externs; // each before those that it reads
	std::vector<Factored> factored;
	std::set<std::string> read;  // inputs that Funcs read, by name
	std::vector<std::string> arguments; // the pipeline's own outputs, in the order of the filter's arguments
	std::map<std::string, Function> env;
	Internal::FuncValueBounds value_bounds;

	// Of the pipeline with updates factored as `rfactor` says (beamwalk(1), --rfactor). Throws a Failure for a
	// pipeline that cannot be described, as with a schedule already applied.
	explicit Graph(const Pipeline &pipeline, const std::string &rfactor = "");
	// Whether a Func is an output of the pipeline itself, and whether an input is the result of an extern stage.
	bool is_argument(const std::string &func) const;
	bool is_result(const std::string &input) const;
	// Whether extern stages alone read an input.
	bool is_handed(const std::string &input) const;
	// Returns the extern stage of a name, or NULL.
	const Extern *find_extern(const std::string &name) const;
};

// Funcs by their handle: those of Pipeline::get_func, then the wrappers and clones that the algorithm made
// itself. Takes no unique name.
std::vector<Func> all_funcs(Pipeline pipeline);

// Whether the iterations of an update may come in any order, as Halide proves; *op is what combines them.
bool is_associative(const Function &func, int stage, Internal::AssociativeOp *op);

// Definition of a stage: 0 the pure one, k update k - 1.
const Definition &definition_of(const Function &func, int stage);
// The expressions that a stage evaluates, in the order written: values, coordinates, predicates.
std::vector<Expr> expressions_of(const Definition &definition);
// Its values and coordinates, each under its predicates as Halide's own bounds inference sees them: what a
// predicate excludes is required of nobody, unless it is read twice and so before the predicate is asked.
std::vector<Expr> guarded_expressions_of(const Definition &definition);

// Turns calls into constants, as Halide does once their Funcs are inlined: the weights of a kernel,
// kernel(-1).
// Replaces the calls of each Func whose every call has constant arguments and a constant value, and removes
// that Func from `env`, whose definitions must be copies. Returns the names of the Funcs removed. Halide's
// simplifier finds the values, as it does when it lowers. A Func that is also called otherwise keeps all its
// calls: where it is computed, they load.
std::vector<std::string> fold_constant_calls(const std::vector<Function> &outputs,
					     std::map<std::string, Function> *env);

}
