/* From a loop nest to scheduling directives. */
#pragma once
#include "nest/nest.h"
#include "schedule/directive.h"

/* Returns the directives that make Halide compute this nest, consumers before producers, so that loops
 * exist before they are named. The nest must be complete (bw_nest_complete). Returns NULL with an error
 * that names a Func that is not placed, or that is inlined into more calls than Halide can compile. Free
 * with bw_directives_free. */
struct bw_directives *bw_lower(const struct bw_nest *nest, struct bw_error *error);
