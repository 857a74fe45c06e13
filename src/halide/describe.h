// A Halide pipeline as a description (beamwalk-pipeline(5)).
#pragma once
#include "halide/request.h"

namespace bw {

// The description's text; name is the generator's. Changes nothing of the pipeline (but takes unique names).
// Two calls in fresh processes give the same bytes. Throws a Failure for what cannot be described, buffers of
// more than most_points among it. rfactor: updates to factor first (halide/graph.h).
std::string describe(const Pipeline &pipeline, const std::string &name, const Estimates &estimates,
		     int64_t most_points, const std::string &rfactor = "");

}
