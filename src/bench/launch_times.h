/* How long each kernel of a run takes: CUDA's events around every launch that Halide's runtime makes. */
#pragma once
#include "bench/worker.h"

/* What Halide's runtime is to take for a symbol of the driver; NULL: what it finds itself. */
void *bw_launch_symbol(const char *name);
/* How often it runs the filter. */
enum { BW_LAUNCH_RUNS = 6 };
/* Runs a few times more and sets in `uses`, which lists the kernels of the filter, how often each was
 * launched in a run and how long its launches took together, the median of these runs. Each launch waits
 * for the one before it, as in any run, but not for the host: the device begins when all are queued. Returns
 * false with an error, and *uses as it was, if the times could not be taken. */
bool bw_launch_times(const struct bw_filter *filter, const struct bw_arguments *arguments,
		     struct bw_kernel_uses *uses, struct bw_error *error);
