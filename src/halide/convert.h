// Converts Halide's integer expressions to expressions of a description (beamwalk-pipeline(5)) that have
// the same value for all arguments.
#pragma once
#include "halide/core.h"

namespace bw {

// The JSON that replaces each variable of an expression: Halide's name -> JSON, such as {"min":"x"}.
using Names = std::map<std::string, std::string>;

// Converts an expression to JSON. Returns false if a description cannot express it: it has loads,
// floating-point operations other than those of halide/fixed.h, or a variable that is neither in `names`
// nor a parameter; or it is too large. Adds the names of the expression's scalar parameters to *params.
bool convert(const Expr &e, const Names &names, std::string *json, std::vector<std::string> *params);

// Returns a text as a JSON string, with its quotes.
std::string quoted(const std::string &text);

}
