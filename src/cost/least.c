/* Computes lower bounds of the costs of a kernel's stages: each resource has the best rate that is
 * possible. */
#include "cost/least.h"

#include <math.h>

#include "cost/roofline_private.h"

/* Returns the share of the SMs that are busy at most while a grid runs, however many of its blocks are
 * resident. */
static double most_busy(const struct bw_device *device, double blocks)
{
	/* The SM with most blocks takes ceil(blocks / SMs) of them, one after the other or f at once; rounds of f
	 * take no less, since f ceil(n / f) >= ceil(n) for all n. */
	return blocks < 1 ? 1 : blocks / (ceil(blocks / device->sms) * device->sms);
}

/* Returns the share of the lanes of a stage's warps that work at most, whatever the block is. */
static double most_lanes(const struct bw_device *device, const struct bw_placed_stage *stage, bool inside)
{
	double threads = (double)stage->threads[0] * (double)stage->threads[1] * (double)stage->threads[2];
	/* In a larger block the threads of a stage are in as many warps or more. */
	return inside || threads < 1 ? 1 : threads / (ceil(threads / device->warp_size) * device->warp_size);
}

double bw_least_work(const struct bw_device *device, const double work[BW_N_WORKS])
{
	double seconds = 0;
	for (int w = 0; w < BW_N_WORKS; w++)
		seconds += work[w] / bw_costing_rate(device, (enum bw_work)w);
	return seconds;
}

double bw_least_addresses(const struct bw_placed_stage *stage, double accesses)
{
	return BW_ADDRESS_OPERATIONS * accesses + BW_PASS_OPERATIONS / fmax(1, (double)stage->unrolled);
}

struct bw_least_rates bw_least_rates(const struct bw_device *device, double blocks,
				     const struct bw_placed_stage *stage, bool inside)
{
	double busy = most_busy(device, blocks), lanes = stage ? most_lanes(device, stage, inside) : 1;
	return (struct bw_least_rates){busy * lanes, busy, busy};
}

struct bw_least_rates bw_least_rates_now(const struct bw_stage_least *least,
					 const struct bw_placed_stage *stage)
{
	double unrolled = bw_costing_overlap((double)stage->unrolled), most = bw_costing_overlap(INFINITY);
	return (struct bw_least_rates){
	    least->busy * least->lanes * fmin(1, least->occupancy * unrolled / BW_ARITHMETIC_OCCUPANCY),
	    least->busy * fmin(1, least->occupancy * most / BW_MEMORY_OCCUPANCY), least->busy};
}

double bw_least_ms(const struct bw_stage_least *least, const struct bw_least_rates *rates)
{
	double arithmetic = least->arithmetic / rates->arithmetic,
	       global = (least->load + least->store) / rates->memory,
	       shared = (least->shared_load + least->shared_store) / rates->memory,
	       registers = least->registers / rates->registers;
	double most = fmax(fmax(arithmetic, global), fmax(shared, registers));
	return least->alone +
	       1e3 * (most + BW_EXPOSED * (arithmetic + global + shared + registers - most));
}

/* Returns the stores to memory and the loads of accumulated values, per point. */
static double certain_accesses(const struct bw_costing *costing)
{
	enum bw_memory memory = costing->placed->memory;
	double accesses = costing->func->n_values;
	if (memory != BW_MEMORY_GLOBAL && memory != BW_MEMORY_SHARED)
		return 0;
	for (int i = 0; i < costing->readings.n; i++)
		if (costing->readings.list[i].func == costing->placed->placement->func &&
		    !costing->placed->placement->stages[costing->stage].atomic)
			accesses += fmin(1, costing->readings.list[i].calls);
	return accesses / (costing->kept * costing->store_width);
}

/* Takes the times of a costed stage back to full lanes and occupancy: what they were divided by is known of
 * arithmetic, and at least the occupancy of memory. Traffic by warps is less if more of their lanes work. */
static struct bw_stage_least least_of(const struct bw_costing *costing)
{
	const struct bw_stage_cost *cost = costing->cost;
	const double *alone = cost->alone;
	bool inside = costing->threads_of != costing->own;
	double busy = costing->launch->busy_sms, occupancy = costing->launch->occupancy;
	double lanes = fmin(1, cost->busy_lanes / most_lanes(costing->device, costing->own, inside));
	double memory = 1e-3 * lanes * busy *
			fmin(1, occupancy * bw_costing_overlap(costing->accesses) / BW_MEMORY_OCCUPANCY);
	double arithmetic =
	    1e-3 * busy * cost->busy_lanes *
	    fmin(1, occupancy * bw_costing_overlap(costing->readings.unrolled) / BW_ARITHMETIC_OCCUPANCY);
	return (struct bw_stage_least){.ms = cost->ms,
				       .arithmetic = arithmetic * alone[BW_TERM_ARITHMETIC],
				       .load = memory * alone[BW_TERM_GLOBAL_LOAD],
				       .shared_load = memory * alone[BW_TERM_SHARED_LOAD],
				       .registers = 1e-3 * lanes * busy * alone[BW_TERM_REGISTER],
				       .store = memory * alone[BW_TERM_GLOBAL_STORE],
				       .shared_store = memory * alone[BW_TERM_SHARED_STORE],
				       .accesses = certain_accesses(costing),
				       .alone = alone[BW_TERM_LAUNCH] +
						alone[BW_TERM_BARRIER] / fmax(1, costing->launch->waves),
				       .busy = busy,
				       .lanes = cost->busy_lanes,
				       .occupancy = occupancy};
}

void bw_least_of(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		 struct bw_stage_least *stages)
{
	struct bw_launch launch = bw_launch_of(&context->kernel, device, 0);
	BW_CONTEXT_EACH(context, at) {
		struct bw_stage_cost cost = {0};
		struct bw_costing costing = bw_costing_begin(context, device, &launch, &at);
		costing.cost = &cost;
		bw_costing_cost(&costing, arena);
		stages[at.number] = least_of(&costing);
	}
}
