// Plain schedules for the CPU: a reference whose results those of other schedules are compared with, and a
// second schedule that differs from the reference.
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

namespace bw {

// Computes every Func at root, one after the other. Funcs whose region Halide cannot bound, or cannot
// allocate at these estimates, stay inline. second: makes a schedule that shares as little as possible with
// the first: Funcs that are cheap to recompute are inlined as well, and all other Funcs are vectorized. If
// the two schedules give different outputs, the program's results depend on its schedule.
void schedule_cpu(const Pipeline &pipeline, const Estimates &estimates, bool second = false);

}
