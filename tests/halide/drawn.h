/* Schedules drawn at random for tests. */
#pragma once
#include "gpu/device.h"
#include "nest/nest.h"
#include "schedule/directive.h"

/* Of some schedules that the search draws for this seed the one that fuses the most Funcs: its nest (bw_nest_drop) and its directives
 * (bw_directives_free). NULL with an error. */
struct bw_nest *drawn_nest(const struct bw_pipeline *pipeline, const struct bw_device *device, uint64_t seed, struct bw_directives **directives, struct bw_error *error);
/* Every Func at a block of a consumer that encloses all of them, as long as threads and shared memory suffice; elsewhere at root. Deep
 * kernels in which allocations take the place of others. NULL with an error; the directives are the caller's. */
struct bw_nest *fused_nest(const struct bw_pipeline *pipeline, const struct bw_device *device, struct bw_directives **directives, struct bw_error *error);
