/* Every part is a time that the kernel would take if all else were free. Rates are those of the device's
 * record; the cycles below were fitted to data/truth (doc/measurements/counters.txt). */
#include "cost/counted.h"

#include <math.h>

#include "base/arith.h"

enum { WARP = 32, SECTOR = 32, WAVEFRONT = 128 };

/* Cycles that a warp waits per instruction, per request of a load that L1 has and that it does not have, per
 * request of a shared load, per barrier, and per access of local memory. They are means over what the
 * compiler puts between an instruction and the one that needs it. */
#define PER_INSTRUCTION 2.0
#define PER_HIT 12.0
#define PER_MISS 48.0
#define PER_SHARED 48.0
#define PER_BARRIER 24.0
#define PER_LOCAL 14.0
/* Wavefronts of L1 that a request of global memory takes beside its sectors. */
#define PER_REQUEST 0.5
/* Share of the bandwidth of memory that a kernel reaches. */
#define REACHED 0.5

/* Returns the cycles that a warp waits for its own instructions. */
static double waits_of(const struct bw_counts *counts, double warps)
{
	double sectors = (double)counts->global_load_sectors,
	       missed = sectors > 0 ? (double)counts->l2_read_sectors / sectors : 0;
	double cycles =
	    PER_INSTRUCTION * (double)counts->instructions +
	    (double)counts->global_load_requests * (PER_HIT * (1 - missed) + PER_MISS * missed) +
	    PER_SHARED * (double)counts->shared_load_requests + PER_BARRIER * (double)counts->barriers +
	    PER_LOCAL * ((double)counts->local_load_requests + (double)counts->local_store_requests);
	return cycles / warps;
}

struct bw_counted_cost bw_counted_estimate(const struct bw_counted_launches *of,
					   const struct bw_device *device)
{
	const struct bw_counts *counts = of->counts;
	struct bw_block_needs needs = {bw_max(of->threads, 1), of->registers, of->shared_bytes};
	struct bw_occupancy occupancy = bw_occupancy(device, &needs);
	double fit = (double)bw_max(occupancy.blocks_per_sm, 1), launches = (double)bw_max(of->launches, 1);
	double per_sm = ceil(of->blocks / device->sms), waves = ceil(per_sm / fit);
	/* The SM with the most blocks takes the longest. */
	double uneven = per_sm * device->sms / of->blocks,
	       warps = of->blocks * launches * ceil((double)needs.threads / WARP);
	double wavefronts = PER_REQUEST * (double)(counts->global_load_requests + counts->global_store_requests) +
			    (double)(counts->global_load_sectors + counts->global_store_sectors) * SECTOR / WAVEFRONT +
			    (double)(counts->shared_load_wavefronts + counts->shared_store_wavefronts);
	double seconds[BW_N_COUNTED_PARTS] = {
	    [BW_COUNTED_PART_ISSUE] = (double)counts->instructions * WARP / device->float_rate * uneven,
	    [BW_COUNTED_PART_L1] = wavefronts * WAVEFRONT / device->shared_bandwidth * uneven,
	    [BW_COUNTED_PART_L2] =
		(double)(counts->l2_read_sectors + counts->global_store_sectors) * SECTOR / device->l2_bandwidth,
	    [BW_COUNTED_PART_DRAM] = (double)counts->dram_read_bytes / (REACHED * device->global_bandwidth),
	    [BW_COUNTED_PART_LATENCY] = waits_of(counts, warps) * waves * launches / device->clock,
	    [BW_COUNTED_PART_LAUNCH] = launches * device->launch_seconds};
	struct bw_counted_cost cost = {0};
	for (int p = 0; p < BW_N_COUNTED_PARTS; p++) {
		cost.parts[p] = 1e3 * seconds[p];
		cost.ms += p == BW_COUNTED_PART_LAUNCH ? 0 : cost.parts[p] * cost.parts[p];
	}
	cost.ms = sqrt(cost.ms) + cost.parts[BW_COUNTED_PART_LAUNCH];
	return cost;
}
