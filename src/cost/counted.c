/* Estimates the time of a kernel from its counts. Every part is the time that the kernel would take if all
 * other parts took no time. Rates come from the device's record, cycles from microbenchmarks; none is
 * fitted (doc/measurements/counters.txt explains the choices). */
#include "cost/counted.h"

#include <math.h>

#include "base/arith.h"

enum { WARP = 32, SECTOR = 32, WAVEFRONT = 128 };

/* Share of its memory's bandwidth that a GPU reaches with a plain copy. */
#define REACHED 0.85

struct bw_counted_cost bw_counted_estimate(const struct bw_counted_launches *of,
					   const struct bw_device *device)
{
	const struct bw_counts *counts = of->counts;
	struct bw_block_needs needs = {bw_max(of->threads, 1), of->registers, of->shared_bytes};
	struct bw_occupancy occupancy = bw_occupancy(device, &needs);
	double fit = (double)bw_max(occupancy.blocks_per_sm, 1), launches = (double)bw_max(of->launches, 1);
	double per_sm = ceil(of->blocks / device->sms), waves = ceil(per_sm / fit);
	/* The SM with the most blocks takes the longest. */
	double uneven = per_sm * device->sms / of->blocks;
	uint64_t sectors = counts->global_load_sectors + counts->global_store_sectors;
	double wavefronts = (double)sectors * SECTOR / WAVEFRONT +
			    (double)(counts->shared_load_wavefronts + counts->shared_store_wavefronts);
	double seconds[BW_N_COUNTED_PARTS] = {
	    [BW_COUNTED_PART_ISSUE] = (double)counts->issued * WARP / device->float_rate * uneven,
	    [BW_COUNTED_PART_L1] = wavefronts * WAVEFRONT / device->shared_bandwidth * uneven,
	    [BW_COUNTED_PART_L2] =
		(double)(counts->l2_read_sectors + counts->global_store_sectors) * SECTOR / device->l2_bandwidth,
	    [BW_COUNTED_PART_DRAM] = (double)(counts->dram_read_bytes + counts->dram_write_bytes) /
				     (REACHED * device->global_bandwidth),
	    [BW_COUNTED_PART_LATENCY] = (double)counts->block_cycles / of->blocks * waves / device->clock,
	    [BW_COUNTED_PART_LAUNCH] = launches * device->launch_seconds};
	struct bw_counted_cost cost = {0};
	for (int p = 0; p < BW_N_COUNTED_PARTS; p++) {
		cost.parts[p] = 1e3 * seconds[p];
		cost.ms += p == BW_COUNTED_PART_LAUNCH ? 0 : cost.parts[p] * cost.parts[p];
	}
	cost.ms = sqrt(cost.ms) + cost.parts[BW_COUNTED_PART_LAUNCH];
	return cost;
}
