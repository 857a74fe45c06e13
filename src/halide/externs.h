// Extern stages: Funcs that a function of C computes (Func::define_extern). Nobody can look into one, and it
// runs on the host, at root: the rest of a pipeline is scheduled around it.
#pragma once
#include "halide/graph.h"

namespace bw {

// Takes the extern stages out of a pipeline's environment: calls of one become loads from an input of its
// name, and the Funcs that it reads are outputs from now on. Returns them, consumers first. Throws a Failure
// for one that runs on a device.
std::vector<Extern> take_externs(std::vector<Function> *outputs, std::map<std::string, Function> *env);
// Makes a copy of each component of `func`, which the extern stage `reader` reads in its place. Computed at
// root without loops of a GPU they are in the memory of the host, where the function of C looks for them. One
// Func for a component: Halide 14 miscounts the arguments of an extern stage that reads a tuple. Returns the
// first.
Func copy_for_extern(Func func, Func reader);

}
