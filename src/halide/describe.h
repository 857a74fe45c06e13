// A Halide pipeline as a description (beamwalk-pipeline(5)).
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

namespace bw {

// The description's text; name is the generator's. Changes nothing of the pipeline (but takes unique names).
// Two calls in fresh processes give the same bytes. Throws a Failure for what cannot be described, buffers of
// more than most_points among it. rfactor: updates to factor first (halide/graph.h).
std::string describe(const Pipeline &pipeline, const std::string &name, const Estimates &estimates,
		     int64_t most_points, const std::string &rfactor = "");

// Parts of a description.

// Returns how many registers a Func's pure definition takes at once, as JSON: its Strahler number, as a tree
// in which calls of Funcs are left open, since what they take depends on whether they are inlined.
std::string branching_of(const Function &func);
// Returns the hash of each Func's definition, by its name: what the Func computes, whatever its variables and
// the Funcs that it reads are called. A Func that is read counts by its own definition; inputs and parameters
// by their names.
std::map<std::string, uint64_t> definitions_of(const Graph &graph);

}
