/* A sweep as a picture: costs over sizes, bandwidths, beam widths or devices. Each device has a line.
 * Each point shows the letter of its schedule. */
#pragma once
#include "figures/picture.h"
#include "schedulers/sweep.h"

/* Returns the picture of a sweep that has ended. */
struct bw_picture bw_sweep_picture(const struct bw_sweep *sweep, const struct bw_cost_model *model,
				   struct bw_arena *arena);
