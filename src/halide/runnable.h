// What no GPU can run, or Halide cannot compile.
#pragma once
#include "halide/regions.h"

namespace bw {

// Throws a Failure that names the first Func that calls a function which no GPU has: one of C, or one that
// prints; or that has an update which Halide cannot compile.
void check_runnable(const Graph &graph);
// Throws a Failure that names what is read at places that nothing bounds, if Halide cannot compile that
// whatever the schedule: an input, or a Func with updates. Asks Halide if there may be such a place; then it
// leaves the pipeline without a schedule.
void check_bounded(const Pipeline &pipeline, const Estimates &estimates, const Graph &graph,
		   const Regions &regions);
// Throws a Failure that names the Func and the operation or the type, if Halide has no OpenCL for it on this
// target.
void check_opencl(const Halide::Func &func, const Halide::Target &target);

}
