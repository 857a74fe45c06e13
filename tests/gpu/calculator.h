/* The occupancy calculator of the CUDA Toolkit, and the table that it makes of all blocks for all records: what is expected of ours also
 * where the toolkit is not installed. */
#pragma once
#include <limits.h>

#include "base/text.h"
#include "gpu/device.h"

/* The grid of the table: threads and bytes beyond the most of any device, so that what does not fit is in it; registers up to the most that a
 * thread can be given, 255 (the calculator alone takes 256, too, which no compiler gives). */
enum { MOST_THREADS = 1100, MOST_REGISTERS = 255, MOST_SHARED = 50000 };
enum { NO_LIMIT = INT_MAX };

/* Whether the toolkit was there when this was compiled; else the others say nothing. */
bool calculator_there(void);
/* Blocks of an SM that all resources allow together, and whether this one is among those that allow no more. False where the calculator
 * does not know the device. */
bool calculator_blocks(const struct bw_device *device, const struct bw_block_needs *needs, enum bw_limiter limiter, int64_t *blocks, bool *limits);
/* Appends the table for all CUDA records; false where the calculator does not know one. */
bool calculator_table(const struct bw_device *devices, int n_devices, struct bw_text *out);
