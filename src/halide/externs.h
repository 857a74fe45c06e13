// Extern stages: Funcs that a C function computes (Func::define_extern). An extern stage is opaque, and
// runs on the host, at root. The rest of a pipeline is scheduled around it.
#pragma once
#include "halide/graph.h"

namespace bw {

// Removes the extern stages from a pipeline's environment. Calls of an extern stage become loads from an
// input of the same name, and the Funcs that an extern stage reads become outputs. Returns the extern
// stages, consumers first. Throws a Failure if an extern stage runs on a device.
std::vector<Extern> take_externs(std::vector<Function> *outputs, std::map<std::string, Function> *env);
// Makes a copy of each component of `func`, and lets the extern stage `reader` read the copies instead. The
// copies are computed at root without GPU loops, so they are in host memory, where the C function expects
// them. Each component has a Func of its own, because Halide 14 miscounts the arguments of an extern stage
// that reads a tuple. Returns the first copy.
Func copy_for_extern(Func func, Func reader);

}
