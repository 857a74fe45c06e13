/* Occupancy by NVIDIA's rules: an SM holds as many blocks as the scarcest of its thread slots, block
 * slots, registers and shared memory allows (CUDA C++ programming guide, technical specifications by
 * compute capability; CUDA's cuda_occupancy.h). */
#include "base/arith.h"
#include "gpu/device.h"

/* Returns the blocks per SM by thread slots, which are allocated to whole warps. */
static int64_t blocks_by_threads(const struct bw_device *device, int64_t threads, int64_t warps)
{
	if (threads > (int64_t)device->threads_per_block)
		return 0;
	return (int64_t)device->warps_per_sm / warps;
}

/* Returns the blocks per SM by registers. A warp's registers are rounded up to the unit and lie in one of
 * the SM's warp_unit equal parts. The check of one block's registers against the limit assumes the same
 * number of warps in all parts. */
static int64_t blocks_by_registers(const struct bw_device *device, int64_t registers, int64_t warps)
{
	if (registers <= 0)
		return INT64_MAX;
	if (registers > (int64_t)device->registers_per_thread)
		return 0;
	int64_t of_warp = bw_round_up(registers * (int64_t)device->warp_size, (int64_t)device->register_unit),
		parts = (int64_t)device->warp_unit;
	if (bw_round_up(warps, parts) > (int64_t)device->registers_per_block / of_warp)
		return 0;
	return (int64_t)device->registers_per_sm / parts / of_warp * parts / warps;
}

static int64_t blocks_by_shared(const struct bw_device *device, int64_t bytes)
{
	if (bytes > (int64_t)device->shared_per_block)
		return 0;
	int64_t given =
	    bw_round_up(bw_max(bytes, 0) + (int64_t)device->shared_reserved, (int64_t)device->shared_unit);
	return given ? (int64_t)device->shared_per_sm / given : INT64_MAX;
}

struct bw_occupancy bw_occupancy(const struct bw_device *device, const struct bw_block_needs *needs)
{
	int64_t threads = bw_max(needs->threads, 1), warp = (int64_t)device->warp_size,
		warps = bw_div_up(threads, warp);
	struct bw_occupancy occupancy = {.limiter = BW_LIMITED_BY_THREADS,
					 .lanes = (double)threads / ((double)warps * device->warp_size)};
	occupancy.blocks_per_sm = blocks_by_threads(device, threads, warps);
	if (!occupancy.blocks_per_sm)
		return occupancy;
	const int64_t blocks[BW_N_LIMITERS] = {
		[BW_LIMITED_BY_THREADS] = occupancy.blocks_per_sm,
		[BW_LIMITED_BY_BLOCKS] = (int64_t)device->blocks_per_sm,
		[BW_LIMITED_BY_REGISTERS] = blocks_by_registers(device, needs->registers, warps),
		[BW_LIMITED_BY_SHARED] = blocks_by_shared(device, needs->shared_bytes),
	};
	for (int i = 0; i < BW_N_LIMITERS; i++)
		if (blocks[i] < occupancy.blocks_per_sm) {
			occupancy.blocks_per_sm = blocks[i];
			occupancy.limiter = (enum bw_limiter)i;
		}
	occupancy.warps_per_sm = occupancy.blocks_per_sm * warps;
	occupancy.occupancy = (double)occupancy.warps_per_sm / device->warps_per_sm;
	return occupancy;
}

const char *bw_limiter_name(enum bw_limiter limiter)
{
	static const char *const names[] = {BW_LIMITER_TABLE(BW_SECOND)};
	return names[limiter];
}
