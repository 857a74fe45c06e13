/* Algorithm 2 of Jangda and Guha 2020; the lines named below are its lines. */
#include "cost/jangda.h"

#include <math.h>

const double *bw_jangda_weights(const struct bw_device *device)
{
	enum { VOLTA = 70 };
	static const double gtx_1080_ti[BW_JANGDA_TERMS] = {50, 0.5, 45, 20, 2, 100, 1},
			    v100[BW_JANGDA_TERMS] = {50, 0.5, 60, 10, 2, 100, 1};
	return device->capability > 0 && device->capability < VOLTA ? gtx_1080_ti : v100;
}

void bw_jangda_warp(const int64_t *block, int64_t warp_size, int64_t *warp)
{
	int64_t left = warp_size;
	for (int i = 0; i < BW_JANGDA_DIMS; i++) {
		warp[i] = block[i] < left ? block[i] : left;
		left /= warp[i];
	}
}

/* Lines 25 and 26: time of the transactions, when all warps that can execute at once share the bandwidth. A
 * device's record has no cores: they are its rate of fused multiply-adds over its clock. */
static double memory_time(const struct bw_jangda_group *group, const struct bw_device *device)
{
	double cores = device->float_rate / device->clock;
	double warp_bandwidth = device->global_bandwidth * device->warp_size / cores;
	return group->size * group->transactions / warp_bandwidth;
}

double bw_jangda_bound(const struct bw_jangda_group *group, const struct bw_device *device)
{
	const double *w = bw_jangda_weights(device);
	return w[BW_JANGDA_TRANSACTIONS] * group->transactions +
	       w[BW_JANGDA_WAITING] * memory_time(group, device) / group->compute +
	       w[BW_JANGDA_OVERLAP] * group->overlap;
}

/* Lines 18 to 24. */
static void find_occupancy(const struct bw_jangda_group *group, const struct bw_device *device,
			   struct bw_jangda_cost *cost)
{
	double warps = group->threads / device->warp_size;
	cost->blocks_per_sm = device->blocks_per_sm;
	if (cost->shared > 0)
		cost->blocks_per_sm = fmin(floor(device->shared_per_sm / cost->shared), device->blocks_per_sm);
	double by_shared = fmin(cost->blocks_per_sm * warps, device->warps_per_sm);
	double threads = fmin(floor(device->registers_per_sm / cost->registers), device->threads_per_sm);
	double by_registers = floor(threads / device->warp_size);
	cost->occupancy = fmin(by_shared, by_registers) / device->warps_per_sm;
}

double bw_jangda_imbalance(double blocks, const struct bw_jangda_cost *cost, const struct bw_device *device)
{
	double per_sm = floor(blocks / device->sms);
	return bw_jangda_weights(device)[BW_JANGDA_IMBALANCE] *
	       (cost->blocks_per_sm > 0 ? fmod(per_sm, cost->blocks_per_sm) : 0);
}

struct bw_jangda_cost bw_jangda_cost(const struct bw_jangda_group *group, const struct bw_device *device)
{
	enum { REGISTER_BYTES = 4 };
	const double *w = bw_jangda_weights(device);
	struct bw_jangda_cost cost = {.cost = INFINITY};
	cost.shared = group->buffers * (1 - group->fraction);
	cost.registers =
	    group->registers + floor(group->buffers * group->fraction / group->threads / REGISTER_BYTES);
	if (cost.shared > device->shared_per_block)
		cost.refused = "more shared memory than a block has (line 12)";
	else if (cost.registers > device->registers_per_thread)
		cost.refused = "more registers than a thread has (line 21)";
	if (cost.refused)
		return cost;
	find_occupancy(group, device, &cost);
	double taken = cost.registers * device->warps_per_sm * device->warp_size;
	double *t = cost.terms;
	t[BW_JANGDA_TRANSACTIONS] = group->transactions;
	t[BW_JANGDA_OCCUPANCY] = 1 - cost.occupancy;
	t[BW_JANGDA_WAITING] = memory_time(group, device) / group->compute;
	t[BW_JANGDA_UNALLOCATED] = 1 - cost.shared * cost.blocks_per_sm / device->shared_per_sm;
	t[BW_JANGDA_UNUSED] = 1 - taken * cost.occupancy / device->registers_per_sm;
	t[BW_JANGDA_OVERLAP] = group->overlap;
	cost.cost = 0;
	for (int i = 0; i < BW_JANGDA_IMBALANCE; i++) {
		t[i] *= w[i];
		cost.cost += t[i];
	}
	t[BW_JANGDA_IMBALANCE] = bw_jangda_imbalance(group->blocks, &cost, device);
	cost.cost += t[BW_JANGDA_IMBALANCE];
	return cost;
}

double bw_jangda_time(double operations, double loads, const struct bw_device *device)
{
	enum { ISSUE = 4, LATENCY = 24 };
	return (ISSUE * (operations + loads) + LATENCY) / device->clock;
}

double bw_jangda_registers(int values)
{
	enum { FIXED = 8, EACH = 2 };
	return FIXED + EACH * values;
}
