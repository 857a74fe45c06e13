/* Loop nests as Halide's GPU autoscheduler of Anderson et al. (2021) prints them and reads them as partial
 * schedules. bw_schedule_parse recognizes them. */
#pragma once

#include "schedule/schedule.h"

/* Returns true if the first line of the text that is not a comment begins a loop nest. */
bool bw_halide_nest_is(const char *text, size_t length);
/* Reads a loop nest, whole or partial; errors begin with name and line. Funcs that only pass an input on,
 * which Halide omits, are inlined. Sizes are Halide's; the size of the outermost piece of each loop is
 * ignored, since it follows from the region. */
struct bw_schedule *bw_halide_nest_parse(const struct bw_pipeline *pipeline, const char *name,
					 const char *text, size_t length, struct bw_error *error);
