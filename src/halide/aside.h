// Removes the generator's own schedule: beamwalk schedules the algorithm from scratch.
#pragma once
#include "halide/core.h"

namespace bw {

// Resets the schedule of all Funcs of the pipeline to Halide's default: compute and storage levels, loops
// and their order, specializations, prefetching, memoization. Keeps estimates, storage layouts, and the
// bounds of Funcs that are not computed inside of other Funcs' loops, because callers rely on these. Keeps
// wrappers, clones, and the Funcs that rfactor made, as Funcs to be scheduled.
void set_aside(const Pipeline &pipeline);

}
