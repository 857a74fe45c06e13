// Applies a list of directives (schedule/directive.h) to a pipeline. A plain interpreter: no analysis and no
// other call of Halide, because each unique name taken would change later names and with them the order of
// kernel parameters.
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

struct bw_directives;

namespace bw {

// Applies a list, or the request's "directives". Throws a Failure for a directive that does not fit the
// pipeline, and where Halide would make code for the target that no compiler takes.
void apply(const Pipeline &pipeline, const bw_directives *directives,
	   const Halide::Target &target = Halide::Target());
void apply(const Pipeline &pipeline, const Request &request, const Halide::Target &target);

}
