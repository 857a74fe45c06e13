// The generator's own schedule as Halide stores it, before lowering.
#pragma once
#include "halide/core.h"

namespace bw {

// Returns a record of the schedules of all Funcs, which schedule/hand.c reads: where each Func is computed
// and stored, its bounds and wrappers, and the splits and loops of its stages. Changes nothing, and takes
// no unique name.
std::string record_schedule(const Pipeline &pipeline);

}
