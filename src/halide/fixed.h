// Converts integers that are rounded from floating-point numbers to expressions of a description, in fixed
// point.
#pragma once
#include <functional>

#include "halide/core.h"

namespace bw {

// Returns an integer or a condition as JSON; "" if a description cannot express it.
using Say = std::function<std::string(const Expr &)>;

// Returns a floating-point number, cast to an integer, as JSON; "" if a description cannot express it. The
// result is off by at most one, and exact if the number is a multiple of 2^-13 that fits. The scale is
// written as an estimate, to mark the result as no constant: Halide finds no constants in such an end of an
// interval.
std::string fixed_integer(const Expr &number, const Say &say);
// Returns a comparison of two floating-point numbers as JSON; "" if a description cannot express it.
std::string fixed_comparison(const char *op, const Expr &a, const Expr &b, const Say &say);

}
