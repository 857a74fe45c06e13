// The generator's own schedule as Halide holds it, before anything is lowered.
#pragma once
#include "halide/core.h"

namespace bw {

// The record of the schedule of all Funcs that schedule/hand.c reads: where each is computed and stored, its
// bounds and wrappers, the splits and loops of its stages. Changes nothing, and takes no unique name.
std::string record_schedule(const Pipeline &pipeline);

}
