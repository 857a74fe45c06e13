// Halide's integer expressions in the form of a description (beamwalk-pipeline(5)), with the same value for
// all arguments.
#pragma once
#include "halide/core.h"

namespace bw {

// What variables of an expression mean: Halide's name -> JSON, such as {"min":"x"}.
using Names = std::map<std::string, std::string>;

// The expression as JSON. False where it cannot be said: floating point, loads, too large, a variable without
// a meaning. Names of the scalar parameters that stand in it are added to params.
bool convert(const Expr &e, const Names &names, std::string *json, std::vector<std::string> *params);

// A string as JSON.
std::string quoted(const std::string &text);

}
