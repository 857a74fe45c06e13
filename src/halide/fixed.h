// Integers that are rounded from floating-point numbers, as expressions of a description in fixed point.
#pragma once
#include <functional>

#include "halide/core.h"

namespace bw {

// Gives an integer or a condition as JSON, "" if it cannot be said.
using Say = std::function<std::string(const Expr &)>;

// Returns a floating-point number cast to an integer as JSON; "" if it cannot be said. It is off by at most
// one, and exact where the number is a multiple of 2^-13 that fits. Halide finds no constants in such an end,
// so there is an estimate in it: the scale.
std::string fixed_integer(const Expr &number, const Say &say);
// Returns a comparison of two floating-point numbers as JSON; "" if it cannot be said.
std::string fixed_comparison(const char *op, const Expr &a, const Expr &b, const Say &say);

}
