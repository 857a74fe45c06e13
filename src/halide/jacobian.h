// Derivatives of coordinates by loops.
#pragma once
#include "halide/loads.h"

namespace bw {

// Derivatives of each coordinate by each loop; lets: what names mean that stand in the coordinates.
Jacobian jacobian_of(const std::vector<Expr> &coordinates, const std::vector<std::string> &loops,
		     const Internal::Scope<Expr> &lets);
}
