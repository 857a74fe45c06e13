// How many registers an expression takes at once: its Strahler number, as a tree in which calls of Funcs are
// left open, since what they take depends on whether they are inlined.
#pragma once
#include "halide/graph.h"

namespace bw {

// Of a Func's pure definition, as JSON (beamwalk-pipeline(5)).
std::string branching_of(const Function &func);

}
