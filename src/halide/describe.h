// A Halide pipeline as a description (beamwalk-pipeline(5)).
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

namespace bw {

// Returns the text of the description. name: the generator's name. Does not change the pipeline, but takes
// unique names of Halide's. Two calls in fresh processes return the same bytes. Throws a Failure if the
// pipeline cannot be described, or if a buffer has more than most_points points. rfactor: updates to factor
// first (halide/graph.h).
std::string describe(const Pipeline &pipeline, const std::string &name, const Estimates &estimates,
		     int64_t most_points, const std::string &rfactor = "");

// Parts of a description.

// Returns as JSON how many registers the evaluation of a Func's pure definition needs at once: its Strahler
// number. If the definition calls Funcs, this is a tree in which the calls are left open, because the
// registers that a call needs depend on whether the called Func is inlined.
std::string branching_of(const Function &func);
// Returns a hash of each Func's definition, by the Func's name. The hash identifies what the Func computes
// and does not depend on the names of variables and Funcs. The Funcs that it reads contribute their own
// definitions; inputs and parameters contribute their names.
std::map<std::string, uint64_t> definitions_of(const Graph &graph);

}
