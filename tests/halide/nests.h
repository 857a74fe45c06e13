// What tests/halide/nests.cc checks of a random pipeline under a random schedule, and how much of it was seen.
#pragma once
#include "described.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // in C a struct and a function may share a name
extern "C" {
#include "schedulers/scheduler.h"
}
#pragma GCC diagnostic pop

namespace bw_test {

struct Coverage {
	int schedules = 0;
	int inlined = 0, root = 0, block = 0, thread = 0, serial = 0; // Funcs by where they are computed
	int round_up = 0, shift_inwards = 0, guard_with_if = 0;       // stages by the tails of their splits
	int required[4] = {0, 0, 0, 0}; // required boxes compared, by level: root, block, thread, serial
	int loops[4] = {0, 0, 0, 0};    // intervals of stages' own loops compared, by level; none at root
	int sites = 0;                  // required boxes of other sites that a Func could have
	long realizations = 0, stores = 0;
	int allocations = 0, allocations_reached = 0; // Funcs whose allocation was compared; those where a realization takes all of it
	int computed = 0;                             // Funcs of which the interior iteration's stored box was compared
	int totals = 0;                               // Funcs of which all realizations are alike, so that numbers are compared too
};

// Index into Coverage's arrays.
inline int kind_of(bw_level level)
{
	return level == BW_LEVEL_ROOT ? 0 : 1 + (int)bw_level_role(level);
}

// Regions and loops at every level against Halide's boxes_required. Returns a problem, or nothing.
std::string compare_levels(Described &described, const bw_nest *nest, Coverage *coverage);
// A run under the directives, with loops of blocks and threads serial, against what the nest says of realizations and stores.
std::string compare_trace(Described &described, const bw_nest *nest, const bw_directives *directives, Coverage *coverage);

}
