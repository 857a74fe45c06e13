// Plain schedules for the CPU: the reference that other schedules are compared with, and a second one.
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

namespace bw {

// Computes every Func at root, one after the other, but those whose region Halide cannot bound, or at these
// estimates not allocate: they stay inline. second: a schedule that shares as little as possible with that;
// what is cheap to compute again is inlined as well, and the rest is computed in vectors. Where both give
// different outputs, the program depends on its schedule.
void schedule_cpu(const Pipeline &pipeline, const Estimates &estimates, bool second = false);

}
