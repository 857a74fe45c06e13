/* The roofline model: for each placed stage, the time that arithmetic and each level of the memory would
 * take alone, at the device's rates scaled by how much of the device is busy. The slowest resource binds;
 * a part of the others' time is added, because no kernel overlaps them completely. All figures of the
 * device come from its record; the constants below belong to the model. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cost/roofline_private.h"

/* Independent points or accesses beyond which more hide no more latency. */
#define MOST_INDEPENDENT 16.0

static double at_most_one(double part)
{
	return part < 1 ? part : 1;
}

/* A block that does not fit on an SM is costed as if it had one to itself; rules prune it. */
struct bw_launch bw_launch_of(const struct bw_kernel *kernel, const struct bw_device *device, int registers)
{
	struct bw_launch launch = {.kernel = kernel, .blocks = kernel->n_blocks < 1 ? 1 : kernel->n_blocks};
	struct bw_block_needs needs = {bw_max(kernel->n_threads, 1), registers, kernel->shared_bytes};
	struct bw_occupancy occupancy = bw_occupancy(device, &needs);
	double warps = ceil((double)needs.threads / device->warp_size),
	       fit = (double)bw_max(occupancy.blocks_per_sm, 1);
	double per_sm = ceil(launch.blocks / device->sms);
	launch.busy_sms = launch.blocks / (per_sm * device->sms);
	launch.waves = launch.blocks / (fit * device->sms);
	/* The last of several waves takes as long as the others, however few blocks it has. */
	if (launch.waves > 1)
		launch.busy_sms = launch.waves / ceil(launch.waves);
	/* Warps are empty if there are fewer blocks than fit at once, although the occupancy counts them. */
	launch.resident = per_sm < fit ? per_sm : fit;
	launch.occupancy = at_most_one(launch.resident * warps / device->warps_per_sm);
	return launch;
}

double bw_costing_rate(const struct bw_device *device, enum bw_work work)
{
	switch (work) {
	case BW_WORK_INT:
		return device->int_rate;
	case BW_WORK_FLOAT:
		return device->float_rate;
	case BW_WORK_DOUBLE:
		return device->double_rate;
	default:
		return device->special_rate;
	}
}

double bw_costing_overlap(double independent)
{
	return sqrt(independent < 1 ? 1 : independent < MOST_INDEPENDENT ? independent : MOST_INDEPENDENT);
}

/* Computes the milliseconds that each term would take alone. */
static void fill_alone(struct bw_costing *costing)
{
	struct bw_stage_cost *cost = costing->cost;
	const struct bw_device *device = costing->device;
	double busy = costing->launch->busy_sms, lanes = cost->busy_lanes;
	double occupancy = costing->launch->occupancy;
	double memory = busy * at_most_one(occupancy * bw_costing_overlap(costing->accesses) / BW_MEMORY_OCCUPANCY);
	double arithmetic = 0;
	for (int w = 0; w < BW_N_WORKS; w++)
		arithmetic += costing->readings.work[w] / bw_costing_rate(device, (enum bw_work)w);
	double hidden = occupancy * bw_costing_overlap(costing->readings.unrolled) / BW_ARITHMETIC_OCCUPANCY;
	arithmetic *= cost->points / (busy * lanes * at_most_one(hidden));
	double issue = costing->passed_bytes / device->shared_bandwidth;
	double load = issue > costing->l2_seconds ? issue : costing->l2_seconds;
	load = load > costing->dram_seconds ? load : costing->dram_seconds;
	double store_l2 = cost->global_store_bytes / device->l2_bandwidth,
	       store = cost->global_store_bytes / device->global_bandwidth;
	if (costing->placed->memory == BW_MEMORY_GLOBAL && costing->placed->bytes < device->l2_bytes / 2 &&
	    !costing->func->output)
		store = store_l2;
	store = fmax(store, costing->atomic_seconds);
	double *alone = cost->alone;
	alone[BW_TERM_ARITHMETIC] = arithmetic;
	alone[BW_TERM_GLOBAL_LOAD] = load / memory;
	alone[BW_TERM_GLOBAL_STORE] = store / memory;
	alone[BW_TERM_SHARED_LOAD] = cost->shared_load_bytes / device->shared_bandwidth / memory;
	alone[BW_TERM_SHARED_STORE] = cost->shared_store_bytes / device->shared_bandwidth / memory;
	alone[BW_TERM_REGISTER] = cost->register_bytes / device->register_bandwidth / busy;
	const struct bw_kernel *kernel = costing->launch->kernel;
	bool root = costing->placed->placement->compute.kind == BW_SITE_ROOT;
	if (root && kernel->func == costing->placed->placement->func)
		alone[BW_TERM_LAUNCH] = device->launch_seconds;
	if (costing->placed->memory == BW_MEMORY_SHARED)
		alone[BW_TERM_BARRIER] = device->barrier_seconds * costing->placed->realizations /
					 costing->launch->blocks *
					 (costing->launch->waves > 1 ? costing->launch->waves : 1);
	for (int t = 0; t < BW_N_TERMS; t++)
		alone[t] *= 1e3;
}

/* Returns the resource of a term, so that the times of its terms add up: 0 arithmetic, 1 global, 2 shared,
 * 3 registers; -1: always added in full. */
static int resource(enum bw_term term)
{
	static const signed char of[BW_N_TERMS] = {0, 1, 1, 2, 2, 3, -1, -1};
	return of[term];
}

static void fill_terms(struct bw_stage_cost *cost)
{
	double sums[4] = {0};
	int binds = 0;
	for (int t = 0; t < BW_N_TERMS; t++)
		if (resource((enum bw_term)t) >= 0)
			sums[resource((enum bw_term)t)] += cost->alone[t];
	for (int r = 1; r < 4; r++)
		if (sums[r] > sums[binds])
			binds = r;
	cost->bound = BW_TERM_LAUNCH;
	for (int t = 0; t < BW_N_TERMS; t++) {
		int r = resource((enum bw_term)t);
		cost->terms[t] = cost->alone[t] * (r < 0 || r == binds ? 1 : BW_EXPOSED);
		cost->ms += cost->terms[t];
		if (cost->terms[t] > cost->terms[cost->bound])
			cost->bound = t;
	}
}

struct bw_costing bw_costing_begin(const struct bw_context *context, const struct bw_device *device,
				   const struct bw_launch *launch, const struct bw_context_at *at)
{
	const struct bw_placed *placed = context->inside[at->inside];
	return (struct bw_costing){.context = context,
				   .device = device,
				   .func = &context->pipeline->funcs[at->func],
				   .placed = placed,
				   .stage = at->stage,
				   .own = &placed->stages[at->stage],
				   .launch = launch,
				   .stagings = &context->stagings[at->number]};
}

void bw_costing_launch(struct bw_costing *costing)
{
	costing->cost->occupancy = costing->launch->occupancy;
	costing->cost->busy_sms = costing->launch->busy_sms;
	costing->cost->waves = costing->launch->waves;
}

void bw_costing_fill(struct bw_costing *costing, struct bw_arena *arena)
{
	struct bw_stage_cost *cost = costing->cost;
	const struct bw_device *device = costing->device;
	int f = costing->placed->placement->func;
	cost->placed = true;
	bw_costing_threads(costing);
	costing->readings =
	    bw_readings_of(costing->context, f, costing->stage,
			   BW_READ_PARITY | (costing->instructions ? BW_READ_INSTRUCTIONS : 0), arena);
	cost->points = costing->placed->realizations * costing->placed->needed * costing->own->points;
	if (costing->instructions)
		cost->points *= costing->placed->computed_once;
	cost->recompute = costing->stage == 0 && costing->placed->minimum_points > 0
			      ? costing->placed->points / costing->placed->minimum_points
			      : 1;
	cost->inlined_calls = costing->readings.inlined_calls;
	bw_costing_launch(costing);
	cost->busy_lanes = bw_busy_lanes(costing->launch->kernel->threads, costing->threads_of->threads,
					 (int64_t)device->warp_size);
	costing->warps = cost->points / costing->readings.unrolled / (cost->busy_lanes * device->warp_size);
	costing->kept = costing->stagings->kept;
	bw_costing_loads(costing);
	bw_costing_store(costing);
	costing->readings.work[BW_WORK_INT] +=
	    (BW_ADDRESS_OPERATIONS * costing->accesses + BW_PASS_OPERATIONS) / costing->readings.unrolled;
	for (int w = 0; w < BW_N_WORKS; w++)
		cost->operations += costing->readings.work[w];
	if (cost->global_load_bytes > 0)
		cost->global_load_efficiency = at_most_one(cost->global_load_efficiency / cost->global_load_bytes);
	if (cost->global_store_bytes > 0)
		cost->global_store_efficiency = at_most_one(cost->global_store_efficiency / cost->global_store_bytes);
}

void bw_costing_cost(struct bw_costing *costing, struct bw_arena *arena)
{
	bw_costing_fill(costing, arena);
	fill_alone(costing);
	fill_terms(costing->cost);
}

static void roofline(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		     struct bw_stage_cost *stages)
{
	struct bw_launch launch = bw_launch_of(&context->kernel, device, 0);
	BW_CONTEXT_EACH(context, at) {
		struct bw_costing costing = bw_costing_begin(context, device, &launch, &at);
		costing.cost = &stages[at.number];
		bw_costing_cost(&costing, arena);
	}
}

static const struct bw_term_text terms[BW_N_TERMS] = {
#define X(name, words, key, on, text) {words, key, text, false, BW_SPENT_ON_##on},
	BW_TERM_TABLE(X)
#undef X
};

const struct bw_cost_model bw_roofline = {.name = "roofline",
					  .title = "roofline",
					  .unit = "ms",
					  .said = "ms",
					  .tie = 0.75,
					  .n_terms = BW_N_TERMS,
					  .terms = terms,
					  .cost = roofline};
