// Calls that Halide turns into constants once their Funcs are inlined: the weights of a kernel, kernel(-1).
#pragma once
#include "halide/core.h"

namespace bw {

// Replaces the calls of each Func whose every call has constant arguments and a constant value, and removes
// that Func from `env`, whose definitions must be copies. Returns the names of the Funcs removed. Halide's
// simplifier finds the values, as it does when it lowers. A Func that is also called otherwise keeps all its
// calls: where it is computed, they load.
std::vector<std::string> fold_constant_calls(const std::vector<Function> &outputs,
					     std::map<std::string, Function> *env);

}
