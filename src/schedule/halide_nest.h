/* Loop nests as Halide's GPU autoscheduler of Anderson et al. (2021) prints them, and reads them as a partial schedule: a loop nest is a whole or
 * partial schedule too. bw_schedule_parse knows one when it sees one. */
#ifndef BW_SCHEDULE_HALIDE_NEST_H
#define BW_SCHEDULE_HALIDE_NEST_H
#include <stdbool.h>
#include <stddef.h>

#include "schedule/schedule.h"

/* Whether a text is a loop nest: so says the first of its lines that is no comment. */
bool bw_halide_nest_is(const char *text, size_t length);
/* Reads one; errors begin with name and line. Where a Func only passes an input on, Halide does not speak of it, and it is inlined. Sizes count as
 * Halide counts them; of the outermost piece of each loop they are what its region leaves, and are not looked at. */
struct bw_schedule *bw_halide_nest_parse(const struct bw_pipeline *pipeline, const char *name, const char *text, size_t length, struct bw_error *error);
#endif
