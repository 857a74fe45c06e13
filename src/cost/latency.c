/* The latency model: the traffic and the work of the roofline, and what that leaves out, each found by what
 * kernels took on an NVIDIA H200 and an H100 (data/measured, doc/measurements). Only the warps that compute a
 * stage hide its latency. A thread's registers limit the blocks of an SM; what they do not hold goes to local
 * memory and back. Every load and store takes a turn of the load and store units, however few bytes it
 * brings. What waits for the value that its last iteration stored waits for the L2 cache. Blocks begin one
 * after the other, and keep their place until their slowest warp ends. What the compiler computes once for
 * several points of unrolled loops counts once, and so does what several stages of a kernel load from memory.
 * Stages of a kernel overlap, since blocks are at different ones: each resource is summed over the stages
 * before it is asked which one binds.
 * All figures of the device come from its record; the constants are the model's (cost/latency.h). */
#include "cost/latency.h"

#include <math.h>

#include "base/arith.h"
#include "cost/roofline_private.h"

/* Registers of a thread: of any; for each word of the Funcs that it stores in registers; for the values
 * loaded and stored in one pass through the unrolled loops, times their root; for each dimension of the Func.
 * Fitted to what ptxas assigned to 2,859 kernels (doc/measurements/h200.txt). */
#define BASE_REGISTERS 14.5
#define WORD_REGISTERS 1.0
#define ACCESS_REGISTERS 3.3
#define DIM_REGISTERS 1.75
/* Share of what a pass computes for itself, or loads from places that follow from values, that is alive at
 * once. Found by what ptxas spilled in 10,921 kernels of data/measured: plain sums of loads spill nothing. */
#define LIVE (1.0 / 3)
/* Schedulers of an SM: each issues an instruction of a warp a clock. */
#define SCHEDULERS 4.0

/* Terms: name in C, in words, key in JSON, what it is spent on, meaning. Of those up to LATENCY one binds. */
#define TERM_TABLE(X) \
	X(ARITHMETIC, "arithmetic", "arithmetic_ms", OPERATIONS, "instructions at the rates of the SMs' units") \
	X(UNITS, "load/store", "load_store_ms", LOADS, "passes of loads and stores through the SMs' load and store units") \
	X(CACHE, "L2", "l2_ms", LOADS, "bytes loaded and stored through the L2 cache") \
	X(MEMORY, "memory", "memory_ms", STAGE, "bytes loaded from and stored to global memory") \
	X(LATENCY, "latency", "latency_ms", LOADS, "waiting for loads and results that the warps at work do not hide") \
	X(SPILLED, "spilled", "spilled_ms", OPERATIONS, "values that a thread's registers do not hold, stored to local memory and loaded again") \
	X(STRAGGLING, "slowest warp", "slowest_warp_ms", STAGE, "a block's place kept until its slowest warp ends") \
	X(BARRIER, "barrier", "barrier_ms", STAGE, "waiting of a block's threads for each other") \
	X(LAUNCH, "launch", "launch_ms", STAGE, "launching the kernel and its blocks")
enum {
#define X(name, words, key, on, text) name,
	TERM_TABLE(X)
#undef X
	N_TERMS
};

/* Data that the stages of a kernel share. */
struct shared {
	const struct bw_latency_constants *constants;
	const struct bw_device *device;
	struct bw_launch launch;
	struct bw_arena *arena;
	struct bw_stage_cost *costs;
	struct bw_costing *costings; /* by number of the stage */
	double *unread; /* by Func: bytes that no stage of the kernel has loaded yet; negative: all */
	double values, dims; /* the most of any stage: loaded and stored in one pass of a thread; of its Func */
};

/* Returns the registers of a thread as ptxas assigns them, by the kernel's greatest stage. */
static int registers_of(const struct shared *shared, const struct bw_kernel *kernel)
{
	double registers = BASE_REGISTERS + WORD_REGISTERS * (double)kernel->register_bytes / 4 +
			   ACCESS_REGISTERS * sqrt(shared->values) + DIM_REGISTERS * shared->dims;
	return (int)fmin(registers, shared->device->register_limit);
}

/* Returns the seconds of a stage's stores to and loads from local memory: the values that its thread's
 * registers do not hold. The Funcs that the registers keep do not spill by themselves. A word of each lane
 * is one pass of the load and store units. The part of all threads' local memory that does not fit into a
 * cache goes on to the next cache. */
static double spilled_seconds(const struct bw_costing *costing, const struct shared *shared)
{
	const struct bw_device *device = costing->device;
	const struct bw_kernel *kernel = shared->launch.kernel;
	const struct bw_readings *readings = &costing->readings;
	double operations = readings->unrolled * (readings->work[BW_WORK_FLOAT] + readings->work[BW_WORK_DOUBLE]);
	double live = LIVE * fmin(operations, readings->unrolled * readings->results + costing->scattered);
	double words = fmin(live, live + (double)kernel->register_bytes / 4 - device->register_limit);
	if (words <= 0)
		return 0;
	double resident = shared->launch.resident, bytes = 4 * words * resident * fmax(1, (double)kernel->n_threads);
	double l1 = fmax(0, device->shared_per_sm - resident * (double)kernel->shared_bytes);
	double accesses = 2 * words * costing->warps, passed = accesses * 4 * device->warp_size;
	double units = accesses * shared->constants->wavefront / (device->clock * device->sms);
	double l2 = passed * fmax(0, 1 - l1 / bytes) / device->l2_bandwidth;
	double memory = passed * fmax(0, 1 - device->l2_bytes / (bytes * device->sms)) / device->global_bandwidth;
	return (units + l2 + memory) / costing->launch->busy_sms;
}

/* Returns the clocks of one pass of a warp through the unrolled loops if the warp had the SM to itself.
 * instructions: per point. */
static double pass_clocks(const struct bw_costing *costing, const struct bw_latency_constants *constants,
			  double instructions)
{
	const struct bw_device *device = costing->device;
	double loads = costing->global_loads, asked = costing->passed_bytes;
	double issue = constants->issue * (instructions * costing->readings.unrolled + costing->accesses);
	double clocks = fmax(constants->operation * instructions, issue);
	double miss = asked > 0 ? fmin(1, costing->missed_bytes / asked) : 0;
	double seconds = costing->l2_seconds + costing->dram_seconds;
	double from_dram = seconds > 0 ? costing->dram_seconds / seconds : 0;
	double l1 = constants->l1 * device->l1_clocks, l2 = constants->l2 * device->l2_clocks;
	double each = l1 + miss * (l2 - l1 + from_dram * (constants->memory * device->memory_clocks - l2));
	/* The loads of a reduction's next iterations need not wait for this one. */
	if (costing->kept > 1)
		clocks += (loads * each + costing->shared_accesses * l1) / constants->ahead;
	else
		clocks += ceil(loads / constants->underway) * each +
			  ceil(costing->shared_accesses / constants->underway) * l1;
	/* The compiler cannot tell what one point stores from what the next one loads. */
	double chain = constants->chain * device->l2_clocks * costing->readings.unrolled;
	return clocks + (costing->chained ? chain : 0);
}

/* Sets the terms of a stage to the seconds that each would take alone, but for what only the whole kernel
 * knows; add_up turns them into ms. */
static void fill_terms(struct bw_costing *costing, const struct shared *shared)
{
	struct bw_stage_cost *cost = costing->cost;
	const struct bw_device *device = costing->device;
	const struct bw_latency_constants *constants = shared->constants;
	const struct bw_readings *readings = &costing->readings;
	const int64_t *threads = costing->threads_of->threads;
	double busy = costing->launch->busy_sms;
	/* Warps of a block, then of an SM, that compute this stage. */
	double lanes = device->warp_size * cost->busy_lanes;
	double warps = ceil((double)(threads[0] * threads[1] * threads[2]) / lanes - 1e-6);
	double active = fmin(shared->launch.resident * fmax(1, warps), device->warps_per_sm);
	double ints = readings->int_instructions +
		      constants->address * costing->accesses / readings->unrolled;
	double *seconds = cost->terms;
	seconds[ARITHMETIC] =
	    (ints / device->int_rate + readings->work[BW_WORK_FLOAT] / device->float_rate +
	     readings->work[BW_WORK_DOUBLE] / device->double_rate + readings->dear / device->special_rate) *
	    cost->points / (busy * cost->busy_lanes * fmin(1, active / SCHEDULERS));
	seconds[UNITS] = costing->wavefronts * constants->wavefront / (device->clock * device->sms * busy);
	seconds[CACHE] = costing->l2_seconds / busy;
	/* What lanes leave out of a sector others store: it is whole when the L2 cache passes it on. */
	seconds[CACHE] += cost->global_store_bytes / device->l2_bandwidth / busy;
	seconds[CACHE] += costing->atomic_seconds;
	double stored = cost->global_store_bytes * cost->global_store_efficiency * constants->store /
			device->global_bandwidth;
	seconds[MEMORY] = (costing->dram_seconds + stored) / busy;
	double instructions = ints + readings->work[BW_WORK_FLOAT] + 2 * readings->work[BW_WORK_DOUBLE] +
			      constants->dear * readings->dear;
	double waits = costing->warps * pass_clocks(costing, constants, instructions);
	seconds[LATENCY] = waits / (device->clock * device->sms * busy * active);
	seconds[SPILLED] = spilled_seconds(costing, shared);
	if (costing->placed->memory == BW_MEMORY_SHARED)
		seconds[BARRIER] = device->barrier_seconds * costing->placed->realizations / costing->launch->blocks *
				   fmax(1, costing->launch->waves);
}

/* Returns the time of launching a kernel and its blocks that is not hidden behind `busy` seconds of its
 * work. */
static double launch_seconds(const struct shared *shared, double busy)
{
	double blocks = shared->launch.blocks * shared->device->block_seconds;
	return fmax(shared->device->gap_seconds, shared->device->launch_seconds - fmax(busy, blocks)) +
	       fmax(0, blocks - busy);
}

/* Adds up the terms of the n stages: the greatest of the kernel's resources, and a part of the others, which
 * it does not hide completely. */
static void add_up(const struct shared *shared, struct bw_stage_cost *stages, int n)
{
	const struct bw_kernel *kernel = shared->launch.kernel;
	double sums[N_TERMS] = {0};
	int binds = 0;
	for (int i = 0; i < n; i++)
		for (int t = 0; t <= LATENCY; t++)
			sums[t] += stages[i].terms[t];
	for (int t = 1; t <= LATENCY; t++)
		if (sums[t] > sums[binds])
			binds = t;
	double warps = ceil(fmax(1, (double)kernel->n_threads) / shared->device->warp_size);
	double straggling = shared->constants->straggling * (sqrt(warps) - 1);
	for (int i = 0; i < n; i++) {
		struct bw_stage_cost *cost = &stages[i];
		const struct bw_placed *placed = shared->costings[i].placed;
		double work = 0;
		for (int t = 0; t <= LATENCY; t++)
			work += cost->terms[t] *= t == binds ? 1 : shared->constants->exposed;
		cost->terms[STRAGGLING] = straggling * work;
		if (placed->placement->compute.kind == BW_SITE_ROOT && placed->placement->func == kernel->func)
			cost->terms[LAUNCH] = launch_seconds(shared, sums[binds]);
		cost->bound = LAUNCH;
		for (int t = 0; t < N_TERMS; t++) {
			cost->terms[t] *= 1e3;
			cost->ms += cost->terms[t];
			if (cost->terms[t] > cost->terms[cost->bound])
				cost->bound = t;
		}
	}
}

/* Fills in the fields that do not depend on the number of resident blocks per SM. */
static void fill_stage(struct shared *shared, const struct bw_context *context,
		       const struct bw_context_at *at)
{
	struct bw_costing *costing = &shared->costings[at->number];
	*costing = bw_costing_begin(context, shared->device, &shared->launch, at);
	costing->cost = &shared->costs[at->number];
	costing->instructions = true;
	costing->unread = shared->unread;
	bw_costing_fill(costing, shared->arena);
	shared->values = fmax(shared->values, costing->values);
	shared->dims = fmax(shared->dims, costing->func->n_dims);
}

const struct bw_latency_constants bw_latency_fitted = {
#define X(name, value, before, unit, text) .name = value,
	BW_LATENCY_TABLE(X)
#undef X
};
const struct bw_latency_constants bw_latency_textbook = {
#define X(name, value, before, unit, text) .name = before,
	BW_LATENCY_TABLE(X)
#undef X
};

void bw_latency_cost(const struct bw_latency_constants *constants, const struct bw_context *context,
		     const struct bw_device *device, struct bw_arena *arena, struct bw_stage_cost *stages)
{
	int n = bw_context_stages(context);
	struct shared shared = {.constants = constants,
				.device = device,
				.launch = bw_launch_of(&context->kernel, device, 0),
				.arena = arena,
				.costs = stages,
				.unread = BW_ARENA_ARRAY(arena, double, context->pipeline->n_funcs),
				.costings = BW_ARENA_ARRAY(arena, struct bw_costing, n)};
	for (int f = 0; f < context->pipeline->n_funcs; f++)
		shared.unread[f] = -1;
	BW_CONTEXT_EACH(context, at)
		fill_stage(&shared, context, &at);
	int registers = registers_of(&shared, &context->kernel);
	shared.launch = bw_launch_of(&context->kernel, device, registers);
	for (int i = 0; i < n; i++) {
		stages[i].registers = registers;
		bw_costing_launch(&shared.costings[i]);
		fill_terms(&shared.costings[i], &shared);
	}
	add_up(&shared, stages, n);
}

static void latency(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		    struct bw_stage_cost *stages)
{
	bw_latency_cost(&bw_latency_fitted, context, device, arena, stages);
}

static const struct bw_term_text terms[N_TERMS] = {
#define X(name, words, key, on, text) {words, key, text, false, BW_SPENT_ON_##on},
	TERM_TABLE(X)
#undef X
};

const struct bw_cost_model bw_latency_model = {.name = "latency",
					       .title = "latency",
					       .unit = "ms",
					       .said = "ms",
					       .tie = 0.1,
					       .n_terms = N_TERMS,
					       .terms = terms,
					       .cost = latency};
