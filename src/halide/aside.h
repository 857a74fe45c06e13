// The generator's own schedule, set aside: beamwalk schedules the algorithm from nothing, whatever its author
// did.
#pragma once
#include "halide/core.h"

namespace bw {

// Takes back the schedule of all Funcs of the pipeline, as if the generator had given none: compute and
// storage levels, loops and their order, specializations, prefetching, memoization. Bounds, estimates and the
// layout of storage stay: callers rely on these. So do wrappers, clones, and the Funcs that an rfactor made:
// they are Funcs to be scheduled.
void set_aside(const Pipeline &pipeline);

}
