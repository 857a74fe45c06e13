// Checks for pipelines that no GPU can run, or that Halide cannot compile.
#pragma once
#include "halide/regions.h"

namespace bw {

// Throws a Failure that names the first Func that no GPU can run, because it calls a C function, prints or
// is traced; or whose types or updates Halide cannot compile.
void check_runnable(const Graph &graph);
// Throws a Failure if an input, an output or a Func with updates is read at coordinates without bounds, so
// that Halide cannot compile the pipeline with any schedule. The error names the input or Func. If a read
// may be unbounded, the function lets Halide compile the pipeline, and leaves it without a schedule.
void check_bounded(const Pipeline &pipeline, const Estimates &estimates, const Graph &graph,
		   const Regions &regions);
// Throws a Failure if Halide cannot generate OpenCL code for an operation or a type of the Func on this
// target. The error names both.
void check_opencl(const Halide::Func &func, const Halide::Target &target);

}
