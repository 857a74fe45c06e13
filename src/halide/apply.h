// Applies a list of directives (schedule/directive.h) to a pipeline. This is a plain interpreter: it makes
// no analysis and no other calls of Halide, because each unique name that a call takes would change later
// names, and with them the order of kernel parameters.
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

struct bw_directives;

namespace bw {

// Applies a list, or the request's "directives". Throws a Failure if a directive does not fit the pipeline,
// or if Halide would generate code for the target that no compiler accepts.
void apply(const Pipeline &pipeline, const bw_directives *directives,
	   const Halide::Target &target = Halide::Target());
void apply(const Pipeline &pipeline, const Request &request, const Halide::Target &target);

}
