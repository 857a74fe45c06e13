// A plain schedule for the CPU: the reference that other schedules are compared with.
#ifndef BW_HALIDE_CPU_H
#define BW_HALIDE_CPU_H
#include "halide/graph.h"
#include "halide/request.h"

namespace bw {

// Computes every Func at root, one after the other, but those whose region Halide cannot bound, or at these
// estimates not allocate: they stay inline.
void schedule_cpu(const Pipeline &pipeline, const Estimates &estimates);

}
#endif
