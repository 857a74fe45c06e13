/* Occupancy by NVIDIA's rules: how many blocks an SM can hold is the least of what its slots, warps, registers and shared memory
 * allow (CUDA C++ programming guide, technical specifications by compute capability). */
#include "base/arith.h"
#include "gpu/device.h"

static void limit(struct bw_occupancy *occupancy, int64_t blocks, enum bw_limiter limiter)
{
	if (blocks < occupancy->blocks_per_sm) {
		occupancy->blocks_per_sm = blocks;
		occupancy->limiter = limiter;
	}
}

/* Warps of one block are given registers in units of warps; each warp's registers are rounded up to the unit of registers. */
static int64_t blocks_by_registers(const struct bw_device *device, int64_t warps, int64_t registers)
{
	if (registers > (int64_t)device->registers_per_thread)
		return 0;
	int64_t per_warp = bw_round_up(registers * (int64_t)device->warp_size, (int64_t)device->register_unit);
	int64_t unit = (int64_t)device->warp_unit, rounded = bw_round_up(warps, unit);
	if (per_warp * rounded > (int64_t)device->registers_per_block)
		return 0;
	/* The SM's registers are split evenly between its parts, and a warp's lie in one part. */
	int64_t warps_by_registers = (int64_t)device->registers_per_sm / unit / per_warp * unit;
	return warps_by_registers / rounded;
}

struct bw_occupancy bw_occupancy(const struct bw_device *device, const struct bw_block_needs *needs)
{
	struct bw_occupancy occupancy = {.blocks_per_sm = INT64_MAX, .limiter = BW_LIMITED_BY_NONE};
	int64_t warp = (int64_t)device->warp_size, warps = bw_max(bw_div_up(bw_max(needs->threads, 1), warp), 1);
	int64_t shared = needs->shared_bytes || device->shared_reserved > 0 ? bw_round_up(needs->shared_bytes + (int64_t)device->shared_reserved, (int64_t)device->shared_unit) : 0;
	limit(&occupancy, (int64_t)device->blocks_per_sm, BW_LIMITED_BY_BLOCKS);
	limit(&occupancy, (int64_t)device->warps_per_sm / warps, BW_LIMITED_BY_WARPS);
	limit(&occupancy, (int64_t)device->threads_per_sm / (warps * warp), BW_LIMITED_BY_THREADS);
	if (needs->threads > (int64_t)device->threads_per_block)
		limit(&occupancy, 0, BW_LIMITED_BY_THREADS);
	if (needs->registers)
		limit(&occupancy, blocks_by_registers(device, warps, needs->registers), BW_LIMITED_BY_REGISTERS);
	if (shared)
		limit(&occupancy, (int64_t)device->shared_per_sm / shared, BW_LIMITED_BY_SHARED);
	if (needs->shared_bytes > (int64_t)device->shared_per_block)
		limit(&occupancy, 0, BW_LIMITED_BY_SHARED);
	occupancy.warps_per_sm = occupancy.blocks_per_sm * warps;
	occupancy.occupancy = (double)occupancy.warps_per_sm / device->warps_per_sm;
	occupancy.lanes = (double)needs->threads / (double)(warps * warp);
	if (occupancy.warps_per_sm >= (int64_t)device->warps_per_sm && occupancy.limiter == BW_LIMITED_BY_WARPS)
		occupancy.limiter = BW_LIMITED_BY_THREADS;
	return occupancy;
}

const char *bw_limiter_name(enum bw_limiter limiter)
{
	static const char *const names[] = {"nothing", "threads", "warps", "blocks", "registers", "shared memory"};
	return names[limiter];
}
