/* Listing 1 of Sioutas et al. 2020 for a kernel of a nest. */
#include "cost/sioutas.h"

#include <math.h>

#include "base/arith.h"
#include "cost/roofline_private.h"

/* Bytes of the largest transfer of consecutive loads. */
#define TRANSACTION_BYTES 64.0
/* A kernel that the rules refuse costs so many times what the formula gives: a search takes one only where
 * nothing else is left. */
#define REFUSED_TIMES 1000.0

struct bw_sioutas_use bw_sioutas_use(const struct bw_device *device, double thread_count, double footprint,
				     double tiles)
{
	double threads = fmax(thread_count, 1);
	double registers = fmin(fmin(device->registers_per_thread, device->register_limit),
				floor(device->registers_per_sm / threads));
	struct bw_sioutas_use use = {.registers = bw_max((int64_t)registers, 1)};
	struct bw_block_needs needs = {(int64_t)fmin(threads, 1e6), use.registers, (int64_t)fmin(footprint, 1e15)};
	struct bw_occupancy occupancy = bw_occupancy(device, &needs);
	/* A block that does not fit is costed as if it did: the rules refuse it. */
	double warps = ceil(threads / device->warp_size),
	       resident = (double)bw_max(occupancy.blocks_per_sm, 1) * warps;
	use.occupancy = occupancy.blocks_per_sm ? occupancy.occupancy : fmin(warps / device->warps_per_sm, 1);
	use.active_threads = fmin(resident * fmin(threads, device->warp_size), device->threads_per_sm);
	use.active_sms = fmin(tiles, device->sms);
	return use;
}

void bw_sioutas_begin(struct bw_sioutas *kernel, const struct bw_device *device, double tiles,
		      double footprint)
{
	*kernel = (struct bw_sioutas){.device = device,
				      .tiles = tiles,
				      .footprint = footprint,
				      .thread_block = {1, 1, 1},
				      .thread_count = 1,
				      .occupancy = 1,
				      .active_threads = device->threads_per_block,
				      .active_sms = device->sms};
}

struct bw_sioutas_use bw_sioutas_stage(struct bw_sioutas *kernel, double operations, const int64_t threads[3])
{
	double count = 1, block = 1;
	for (int d = 0; d < 3; d++) {
		count *= (double)threads[d];
		kernel->thread_block[d] = bw_max(kernel->thread_block[d], threads[d]);
		block *= (double)kernel->thread_block[d];
	}
	struct bw_sioutas_use use = bw_sioutas_use(kernel->device, count, kernel->footprint, kernel->tiles);
	kernel->thread_count = block;
	kernel->arithmetic_cost += operations / (use.occupancy * use.active_threads);
	kernel->occupancy = fmin(kernel->occupancy, use.occupancy);
	kernel->active_threads = fmin(kernel->active_threads, use.active_threads);
	kernel->active_sms = fmin(kernel->active_sms, use.active_sms);
	return use;
}

double bw_sioutas_consecutive(const struct bw_func *producer, double row)
{
	double most = TRANSACTION_BYTES / ((double)producer->bytes / producer->n_values);
	return fmax(fmin(row, most), 1);
}

int bw_sioutas_broken(const struct bw_sioutas *kernel)
{
	const struct bw_device *device = kernel->device;
	int broken = 0;
	if (kernel->thread_count > device->threads_per_block)
		broken |= BW_SIOUTAS_THREADS;
	if (kernel->footprint > device->shared_per_block)
		broken |= BW_SIOUTAS_SHARED;
	if (kernel->occupancy < BW_SIOUTAS_OCCUPANCY_THRESHOLD)
		broken |= BW_SIOUTAS_OCCUPANCY;
	if (kernel->active_sms < device->sms)
		broken |= BW_SIOUTAS_SMS;
	if (fmod(kernel->thread_count, device->warp_size) != 0)
		broken |= BW_SIOUTAS_WARPS;
	return broken;
}

void bw_sioutas_say(const struct bw_sioutas *kernel, int broken, struct bw_text *out)
{
	const struct bw_device *device = kernel->device;
	if (broken & BW_SIOUTAS_THREADS)
		bw_text_printf(out, "%.0f threads per block, limit %.0f", kernel->thread_count, device->threads_per_block);
	else if (broken & BW_SIOUTAS_SHARED)
		bw_text_printf(out, "%.0f bytes of shared memory per block, limit %.0f", kernel->footprint,
			       device->shared_per_block);
	else if (broken & BW_SIOUTAS_OCCUPANCY)
		bw_text_printf(out, "occupancy %.3g, least %.1f", kernel->occupancy, BW_SIOUTAS_OCCUPANCY_THRESHOLD);
	else if (broken & BW_SIOUTAS_SMS)
		bw_text_printf(out, "%.0f of %.0f SMs active", kernel->active_sms, device->sms);
	else if (broken & BW_SIOUTAS_WARPS)
		bw_text_printf(out, "%.0f threads per block are no whole warps", kernel->thread_count);
}

double bw_sioutas_memory(const struct bw_sioutas *kernel)
{
	return kernel->memory_cost / (kernel->occupancy * kernel->active_threads);
}

/* The terms of the cost model. A kernel that the paper's rules refuse has no cost in the paper: a term of its
 * own says so. */
enum term { ARITHMETIC, MEMORY, INVALID, N_TERMS };

static const struct bw_term_text terms[N_TERMS] = {
    {"arithmetic", "arithmetic_cost", "operations over occupancy and active threads (line 30 of listing 1)",
     false, BW_SPENT_ON_STAGE},
    {"memory", "memory_cost", "loads at their cost, over the same of the whole kernel (line 39)",
     false, BW_SPENT_ON_STAGE},
    {"invalid", "invalid", "1,000 times both, of a kernel that the rules of listing 1 refuse, which has no cost there",
     true, BW_SPENT_ON_STAGE},
};

/* A kernel while the model prices it. */
struct pricing {
	const struct bw_context *context;
	struct bw_arena *arena;
	struct bw_sioutas kernel;
	double *values; /* by Func, of inlined ones: operations per value, including the Funcs inlined into it */
};

static double operations_of(const struct pricing *pricing, const struct bw_stage *stage)
{
	double sum = bw_stage_operations(stage);
	for (int r = 0; r < stage->n_reads; r++) {
		const struct bw_outside *outside = bw_context_outside(pricing->context, stage->reads[r].producer);
		if (outside && outside->inlined)
			sum += stage->reads[r].calls * pricing->values[outside->func];
	}
	return sum;
}

/* Finds what values of inlined Funcs cost, producers first. */
static void find_values(struct pricing *pricing)
{
	const struct bw_context *context = pricing->context;
	pricing->values = BW_ARENA_ARRAY(pricing->arena, double, context->pipeline->n_funcs);
	for (int o = context->n_outside - 1; o >= 0; o--) {
		const struct bw_func *func = &context->pipeline->funcs[context->outside[o].func];
		if (context->outside[o].inlined)
			pricing->values[context->outside[o].func] = operations_of(pricing, &func->stages[0]);
	}
}

/* The loads of a stage at their cost. What a thread keeps for itself costs nothing. */
static double memory_of(const struct pricing *pricing, int func, int stage)
{
	const struct bw_context *context = pricing->context;
	struct bw_readings readings = bw_readings_of(context, func, stage, 0, pricing->arena);
	double sum = 0;
	for (int i = 0; i < readings.n; i++) {
		const struct bw_reading *reading = &readings.list[i];
		enum bw_memory memory = bw_context_storage(context, reading->func).memory;
		const struct bw_func *producer = &context->pipeline->funcs[reading->func];
		if (memory == BW_MEMORY_GLOBAL)
			sum += reading->calls * BW_SIOUTAS_GLOBAL_COST /
			       bw_sioutas_consecutive(producer, reading->bounded ? reading->block_row : 0);
		else if (memory == BW_MEMORY_SHARED)
			sum += reading->calls * BW_SIOUTAS_SHARED_COST;
	}
	return sum;
}

static void price_stage(struct pricing *pricing, int func, int stage, struct bw_stage_cost *cost)
{
	const struct bw_context *context = pricing->context;
	const struct bw_placed *placed = bw_context_inside(context, func);
	struct bw_costing costing = {.context = context, .placed = placed, .stage = stage};
	bw_costing_threads(&costing);
	cost->placed = true;
	cost->points = placed->realizations * placed->stages[stage].points;
	cost->operations = operations_of(pricing, &context->pipeline->funcs[func].stages[stage]);
	struct bw_sioutas_use use =
	    bw_sioutas_stage(&pricing->kernel, cost->points * cost->operations, costing.threads_of->threads);
	cost->occupancy = use.occupancy;
	cost->terms[ARITHMETIC] = cost->points * cost->operations / (use.occupancy * use.active_threads);
	cost->terms[MEMORY] = cost->points * memory_of(pricing, func, stage);
	pricing->kernel.memory_cost += cost->terms[MEMORY];
}

static void price(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		  struct bw_stage_cost *stages)
{
	struct pricing pricing = {.context = context, .arena = arena};
	double footprint = 0;
	for (int i = 0; i < context->n_inside; i++)
		if (context->inside[i]->memory == BW_MEMORY_SHARED)
			footprint += context->inside[i]->bytes;
	bw_sioutas_begin(&pricing.kernel, device, fmax(context->kernel.n_blocks, 1), footprint);
	find_values(&pricing);
	BW_CONTEXT_EACH(context, at)
		price_stage(&pricing, at.func, at.stage, &stages[at.number]);
	bool broken = bw_sioutas_broken(&pricing.kernel);
	double part = pricing.kernel.occupancy * pricing.kernel.active_threads;
	for (int i = 0; i < bw_context_stages(context); i++) {
		struct bw_stage_cost *cost = &stages[i];
		cost->terms[MEMORY] /= part;
		cost->ms = cost->terms[ARITHMETIC] + cost->terms[MEMORY];
		cost->bound = cost->terms[MEMORY] > cost->terms[ARITHMETIC] ? MEMORY : ARITHMETIC;
		if (!broken)
			continue;
		cost->terms[INVALID] = cost->ms *= REFUSED_TIMES;
		cost->terms[ARITHMETIC] = cost->terms[MEMORY] = 0;
		cost->bound = INVALID;
	}
}

const struct bw_cost_model bw_sioutas_model = {.name = "sioutas",
					       .title = "sioutas",
					       .unit = "",
					       .said = "cost",
					       .tie = INFINITY,
					       .n_terms = N_TERMS,
					       .terms = terms,
					       .cost = price};
