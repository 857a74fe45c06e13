// Hashes of definitions: what a Func computes, whatever its variables and the Funcs that it reads are called.
#pragma once
#include "halide/graph.h"

namespace bw {

// One a Func, by name. A Func that is read counts by its own definition; inputs and parameters by their
// names.
std::map<std::string, uint64_t> definitions_of(const Graph &graph);

}
