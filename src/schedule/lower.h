/* From a loop nest to scheduling directives. */
#ifndef BW_SCHEDULE_LOWER_H
#define BW_SCHEDULE_LOWER_H
#include "nest/nest.h"
#include "schedule/directive.h"

/* The directives that make Halide compute this nest: consumers before producers, so that a loop stands before it is named. The nest
 * must be complete (bw_nest_complete); NULL with an error that names the Func that is not placed, or that is inlined into more calls
 * than Halide can compile. Free with bw_directives_free. */
struct bw_directives *bw_lower(const struct bw_nest *nest, struct bw_error *error);
#endif
