/* The roofline: for each placed stage, the time that arithmetic and each level of the memory would take alone, against the device's rates scaled by how
 * much of it is busy. The slowest binds; of the others a part shows, since no kernel overlaps them wholly. Every number of the device
 * comes from its record; the constants below are the model's own. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cost/cost.h"
#include "cost/reading.h"

/* Part of the time of what does not bind that shows all the same. */
#define EXPOSED 0.125
/* Occupancy that hides the latency of arithmetic, and of memory. */
#define ARITHMETIC_OCCUPANCY 0.25
#define MEMORY_OCCUPANCY 0.5
/* Operations of a class for one operation of the device's `special_rate`; integer operations for the address of one access. */
#define ADDRESS_OPERATIONS 1.0
/* Bytes of a bank of shared memory. */
enum { BANK_BYTES = 4 };

/* What a stage shares with all others of its kernel. */
struct launch {
	const struct bw_kernel *kernel;
	double blocks; /* at least 1, so that nothing is divided by an empty grid */
	double occupancy, busy_sms, waves;
};

/* One stage as it is costed. */
struct costing {
	const struct bw_nest *nest;
	const struct bw_device *device;
	const struct bw_func *func;
	const struct bw_placed *placed;
	int stage;
	const struct bw_stage_plan *plan;
	const struct bw_placed_stage *own;
	const struct launch *launch;
	const struct bw_placed_stage *threads_of; /* the stage whose thread loops run it: its own, or its host's */
	const struct bw_stage_plan *threads_plan;
	const struct bw_stage *threads_stage;
	struct bw_readings readings;
	struct bw_stage_cost *cost;
	double warps; /* warp-wide passes over the unrolled loops, in all */
	double l2_seconds, dram_seconds; /* of loads */
};

static double at_most_one(double part)
{
	return part < 1 ? part : 1;
}

/* A block that does not fit on an SM is taken to have one to itself: what cannot run is for rules to say. */
static struct launch launch_of(const struct bw_kernel *kernel, const struct bw_device *device)
{
	struct launch launch = {.kernel = kernel, .blocks = kernel->n_blocks < 1 ? 1 : kernel->n_blocks};
	struct bw_block_needs needs = {bw_max(kernel->n_threads, 1), 0, kernel->shared_bytes};
	struct bw_occupancy occupancy = bw_occupancy(device, &needs);
	double warps = ceil((double)needs.threads / device->warp_size), fit = (double)bw_max(occupancy.blocks_per_sm, 1);
	double per_sm = ceil(launch.blocks / device->sms);
	launch.busy_sms = launch.blocks / (per_sm * device->sms);
	launch.waves = launch.blocks / (fit * device->sms);
	/* Fewer blocks than fit at once leave warps empty that the occupancy counts. */
	launch.occupancy = at_most_one((per_sm < fit ? per_sm : fit) * warps / device->warps_per_sm);
	return launch;
}

/* The stage whose thread loops a Func inside threads runs in: its host's, or further out. */
static void find_threads(struct costing *costing)
{
	const struct bw_placed *placed = costing->placed;
	int stage = costing->stage;
	for (;;) {
		const struct bw_placed_stage *of = &placed->stages[stage];
		bool threads = false;
		for (int i = 0; i < of->n_levels; i++)
			threads |= bw_level_role(of->levels[i].level) == BW_ROLE_THREAD;
		costing->threads_of = of;
		costing->threads_plan = &placed->placement->stages[stage];
		costing->threads_stage = &costing->nest->pipeline->funcs[placed->placement->func].stages[stage];
		const struct bw_site *site = &placed->placement->compute;
		if (threads || site->kind != BW_SITE_AT || site->role == BW_ROLE_BLOCK)
			return;
		stage = site->stage;
		placed = costing->nest->placed[site->func];
	}
}

/* The thread loop of dimension x: the innermost one of the plan; -1 where there is none. */
static int thread_x(const struct bw_stage_plan *plan)
{
	for (int i = plan->n_loops - 1; i >= 0; i--)
		if (plan->loops[i].kind == BW_LOOP_THREAD || plan->loops[i].kind == BW_LOOP_LANE)
			return i;
	return -1;
}

/* Elements from one point of a stored Func to the next in each dimension. */
static void strides_of(const struct bw_nest *nest, int func, double *strides)
{
	const struct bw_func *f = &nest->pipeline->funcs[func];
	const struct bw_placed *placed = nest->placed[func];
	struct bw_interval box[BW_MAX_DIMS];
	bool known = !placed && !f->input && bw_nest_required(nest, func, BW_LEVEL_ROOT, box);
	double stride = 1;
	int order[BW_MAX_DIMS];
	for (int d = 0; d < f->n_dims; d++)
		order[d] = placed && placed->placement->n_storage == f->n_dims ? placed->placement->storage[d] : d;
	for (int i = 0; i < f->n_dims; i++) {
		int d = order[i];
		strides[d] = stride;
		if (placed && placed->allocated)
			stride *= (double)bw_max(placed->allocated[d], 1);
		else if (f->estimate)
			stride *= (double)bw_max(f->estimate[d].max - f->estimate[d].min + 1, 1);
		else
			stride *= known ? (double)bw_max(box[d].max - box[d].min + 1, 1) : 4096;
	}
}

static double total_points(const struct bw_nest *nest, int func)
{
	const struct bw_func *f = &nest->pipeline->funcs[func];
	const struct bw_placed *placed = nest->placed[func];
	struct bw_interval box[BW_MAX_DIMS];
	if (placed)
		return placed->bytes / f->bytes;
	if (f->input)
		return bw_box_points(f->estimate, f->n_dims);
	return bw_nest_required(nest, func, BW_LEVEL_ROOT, box) ? bw_box_points(box, f->n_dims) : 1;
}

/* The stage's loop that moves from a lane to the next: of its own thread loops, or the one of the same dimension as the host's; -1 where
 * there is none. *points: how many points of it a lane is apart from the next. */
static int lane_loop(const struct costing *costing, double *points)
{
	const struct bw_stage *stage = &costing->func->stages[costing->stage];
	const struct bw_stage_plan *plan = costing->threads_plan;
	int x = thread_x(plan);
	*points = 1;
	if (x < 0)
		return -1;
	for (int i = x + 1; i < plan->n_loops; i++)
		if (plan->loops[i].loop == plan->loops[x].loop && plan->loops[i].extent)
			*points *= (double)plan->loops[i].extent;
	if (costing->threads_stage == stage)
		return plan->loops[x].loop;
	int dim = costing->threads_stage->loops[plan->loops[x].loop].dim;
	for (int l = 0; l < stage->n_loops && dim >= 0; l++)
		if (stage->loops[l].dim == dim)
			return l;
	return -1;
}

/* How far the address moves from a lane to the next, in elements; negative where it is not known. */
static double lane_step(const struct costing *costing, const struct bw_ratio *entries, int n_dims, const double *strides)
{
	double points, step = 0;
	int loop = lane_loop(costing, &points), n_loops = costing->func->stages[costing->stage].n_loops;
	for (int d = 0; d < n_dims && loop >= 0; d++) {
		struct bw_ratio entry = entries[d * n_loops + loop];
		if (!entry.den)
			return -1;
		step += (double)entry.num / (double)entry.den * points * strides[d];
	}
	return fabs(step);
}

/* Bytes of one component: a tuple's lie in allocations of their own, and each load is of one of them. */
static double element_of(const struct bw_func *func)
{
	return (double)func->bytes / func->n_values;
}

/* Rows of lanes that one warp has, on the average, and the lanes of a row. */
static double warp_rows(const struct costing *costing, double *lanes)
{
	const int64_t *threads = costing->threads_of->threads;
	double width = (double)bw_max(threads[0], 1), warp = costing->device->warp_size, rows = (double)bw_max(threads[1] * threads[2], 1);
	*lanes = width < warp ? width : warp;
	return warp / *lanes < rows ? warp / *lanes : rows;
}

/* Sectors that a warp touches with one access; element: bytes. */
static double sectors(const struct costing *costing, double step, double element)
{
	double lanes, rows = warp_rows(costing, &lanes), sector = costing->device->sector;
	double span = step < 0 ? lanes * sector : step * element * (lanes - 1) + element;
	double each = ceil(span / sector);
	return rows * (each < lanes ? each : lanes);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Bytes that pass through the banks of shared memory for one access of a warp, those of conflicts as if they were asked for again. An element of
 * several words takes as many banks, and fewer lanes at a time; one of less than a word a whole bank. */
static double shared_bytes(const struct costing *costing, double step, double element)
{
	double words = element > BANK_BYTES ? element / BANK_BYTES : 1, apart = step * element / (words * BANK_BYTES);
	double banks = costing->device->shared_banks / words, lanes;
	warp_rows(costing, &lanes);
	double again = apart < 1 ? 1 : (double)common_divisor((int64_t)apart, (int64_t)banks);
	return (again < lanes ? again : lanes) * costing->device->warp_size * words * BANK_BYTES;
}

/* Loads of one reading that a pass through the unrolled loops issues: what it reads twice it keeps in registers. */
static double loads_of_pass(const struct costing *costing, const struct bw_reading *reading)
{
	double loads = reading->calls * costing->readings.unrolled;
	double distinct = reading->thread_points * costing->nest->pipeline->funcs[reading->func].n_values;
	return reading->bounded && distinct < loads ? distinct : loads;
}

/* Where a reading's bytes come from: what each block touches through the second-level cache, and each byte once from memory, unless a
 * kernel before has left it in the cache. */
static void add_traffic(struct costing *costing, const struct bw_reading *reading)
{
	const struct bw_func *producer = &costing->nest->pipeline->funcs[reading->func];
	const struct bw_device *device = costing->device;
	double blocks = costing->launch->blocks, whole = total_points(costing->nest, reading->func) * producer->bytes;
	double rows = reading->bounded && reading->block_row > 0 ? reading->block_points / reading->block_row : 0;
	double block = reading->bounded ? rows * ceil(reading->block_row * producer->bytes / device->sector + 1) * device->sector : costing->cost->global_load_bytes / blocks;
	double through_l2 = blocks * block, once = whole < through_l2 ? whole : through_l2;
	bool resident = whole < device->l2_bytes / 2 && !producer->input;
	costing->l2_seconds += through_l2 / device->l2_bandwidth;
	costing->dram_seconds += once / (resident ? device->l2_bandwidth : device->global_bandwidth);
}

/* Adds the loads of one shape; accesses: of warps. */
static void add_shape_loads(struct costing *costing, const struct bw_reading *reading, const struct bw_shape *shape, enum bw_memory memory, double accesses)
{
	const struct bw_func *producer = &costing->nest->pipeline->funcs[reading->func];
	struct bw_stage_cost *cost = costing->cost;
	double strides[BW_MAX_DIMS], element = element_of(producer);
	strides_of(costing->nest, reading->func, strides);
	double step = lane_step(costing, shape->entries, producer->n_dims, strides);
	if (memory == BW_MEMORY_GLOBAL) {
		cost->global_load_bytes += accesses * sectors(costing, step, element) * costing->device->sector;
		cost->global_load_efficiency += accesses * costing->device->warp_size * cost->busy_lanes * element;
	} else if (memory == BW_MEMORY_SHARED) {
		cost->shared_load_bytes += accesses * shared_bytes(costing, step, element);
	} else {
		cost->register_bytes += accesses * costing->device->warp_size * element;
	}
}

static void add_loads(struct costing *costing)
{
	for (int i = 0; i < costing->readings.n; i++) {
		const struct bw_reading *reading = &costing->readings.list[i];
		const struct bw_placed *placed = costing->nest->placed[reading->func];
		enum bw_memory memory = placed ? placed->memory : BW_MEMORY_GLOBAL;
		if (reading->calls <= 0)
			continue;
		double loads = loads_of_pass(costing, reading), kept = reading->calls * costing->readings.unrolled - loads;
		costing->cost->register_bytes += kept * costing->warps * costing->device->warp_size * element_of(&costing->nest->pipeline->funcs[reading->func]);
		for (int s = 0; s < reading->n_shapes; s++)
			add_shape_loads(costing, reading, &reading->shapes[s], memory, reading->shapes[s].count / reading->calls * loads * costing->warps);
		if (memory == BW_MEMORY_GLOBAL)
			add_traffic(costing, reading);
	}
}

/* Every component of a tuple is a store of its own. */
static void add_store(struct costing *costing)
{
	const struct bw_func *func = costing->func;
	const struct bw_device *device = costing->device;
	double strides[BW_MAX_DIMS], element = element_of(func);
	strides_of(costing->nest, costing->placed->placement->func, strides);
	double step = lane_step(costing, func->stages[costing->stage].store.entries, func->n_dims, strides);
	double accesses = costing->warps * costing->readings.unrolled * func->n_values;
	if (costing->placed->memory == BW_MEMORY_GLOBAL) {
		costing->cost->global_store_bytes = accesses * sectors(costing, step, element) * device->sector;
		costing->cost->global_store_efficiency = accesses * device->warp_size * costing->cost->busy_lanes * element;
	} else if (costing->placed->memory == BW_MEMORY_SHARED) {
		costing->cost->shared_store_bytes = accesses * shared_bytes(costing, step, element);
	} else {
		costing->cost->register_bytes += accesses * device->warp_size * element;
	}
}

static double rate(const struct bw_device *device, enum bw_work work)
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

/* Milliseconds that each term would take alone. */
static void fill_alone(struct costing *costing)
{
	struct bw_stage_cost *cost = costing->cost;
	const struct bw_device *device = costing->device;
	double busy = costing->launch->busy_sms, lanes = cost->busy_lanes;
	double occupancy = costing->launch->occupancy;
	double memory = busy * at_most_one(occupancy / MEMORY_OCCUPANCY), arithmetic = 0;
	for (int w = 0; w < BW_N_WORKS; w++)
		arithmetic += costing->readings.work[w] / rate(device, (enum bw_work)w);
	arithmetic *= cost->points / (busy * lanes * at_most_one(occupancy / ARITHMETIC_OCCUPANCY));
	double issue = cost->global_load_bytes / device->shared_bandwidth;
	double load = issue > costing->l2_seconds ? issue : costing->l2_seconds;
	load = load > costing->dram_seconds ? load : costing->dram_seconds;
	double store_l2 = cost->global_store_bytes / device->l2_bandwidth, store = cost->global_store_bytes / device->global_bandwidth;
	if (costing->placed->memory == BW_MEMORY_GLOBAL && costing->placed->bytes < device->l2_bytes / 2 && !costing->func->output)
		store = store_l2;
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
		alone[BW_TERM_BARRIER] = device->barrier_seconds * costing->placed->realizations / costing->launch->blocks * (costing->launch->waves > 1 ? costing->launch->waves : 1);
	for (int t = 0; t < BW_N_TERMS; t++)
		alone[t] *= 1e3;
}

/* The terms that share one resource, so that their times add up: 0 arithmetic, 1 global, 2 shared, 3 registers; -1: always shows. */
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
		cost->terms[t] = cost->alone[t] * (r < 0 || r == binds ? 1 : EXPOSED);
		cost->ms += cost->terms[t];
		if (cost->terms[t] > cost->terms[cost->bound])
			cost->bound = (enum bw_term)t;
	}
}

static void cost_stage(struct costing *costing, struct bw_arena *arena)
{
	struct bw_stage_cost *cost = costing->cost;
	const struct bw_device *device = costing->device;
	int f = costing->placed->placement->func;
	cost->placed = true;
	find_threads(costing);
	costing->readings = bw_readings_of(costing->nest, f, costing->stage, arena);
	costing->readings.work[BW_WORK_INT] += ADDRESS_OPERATIONS;
	cost->points = costing->placed->realizations * costing->own->points;
	cost->recompute = costing->stage == 0 && costing->placed->minimum_points > 0 ? cost->points / costing->placed->minimum_points : 1;
	for (int w = 0; w < BW_N_WORKS; w++)
		cost->operations += costing->readings.work[w];
	cost->inlined_calls = costing->readings.inlined_calls;
	cost->occupancy = costing->launch->occupancy;
	cost->busy_sms = costing->launch->busy_sms;
	cost->waves = costing->launch->waves;
	cost->busy_lanes = bw_busy_lanes(costing->launch->kernel->threads, costing->threads_of->threads, (int64_t)device->warp_size);
	costing->warps = cost->points / costing->readings.unrolled / (cost->busy_lanes * device->warp_size);
	add_loads(costing);
	add_store(costing);
	if (cost->global_load_bytes > 0)
		cost->global_load_efficiency = at_most_one(cost->global_load_efficiency / cost->global_load_bytes);
	if (cost->global_store_bytes > 0)
		cost->global_store_efficiency = at_most_one(cost->global_store_efficiency / cost->global_store_bytes);
	fill_alone(costing);
	fill_terms(cost);
}

static const struct launch *launch_for(const struct bw_placed *placed, int func, int stage, const struct launch *launches, int n)
{
	bool root = placed->placement->compute.kind == BW_SITE_ROOT;
	for (int i = 0; i < n; i++)
		if (launches[i].kernel->func == (root ? func : placed->kernel_func) && launches[i].kernel->stage == (root ? stage : placed->kernel_stage))
			return &launches[i];
	return NULL;
}

static void roofline(const struct bw_nest *nest, const struct bw_device *device, struct bw_arena *arena, struct bw_cost *cost)
{
	int n_kernels;
	struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n_kernels);
	struct launch *launches = BW_ARENA_ARRAY(arena, struct launch, n_kernels + 1);
	for (int k = 0; k < n_kernels; k++)
		launches[k] = launch_of(&kernels[k], device);
	cost->total = 0;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_func *func = &nest->pipeline->funcs[f];
		const struct bw_placed *placed = nest->placed[f];
		if (!placed || placed->placement->compute.kind == BW_SITE_INLINE)
			continue;
		for (int s = 0; s < func->n_stages; s++) {
			struct costing costing = {.nest = nest, .device = device, .func = func, .placed = placed, .stage = s, .plan = &placed->placement->stages[s], .own = &placed->stages[s]};
			costing.launch = launch_for(placed, f, s, launches, n_kernels);
			costing.cost = &cost->stages[func->first_stage + s];
			cost_stage(&costing, arena);
			cost->total += costing.cost->ms;
		}
	}
}

const struct bw_cost_model bw_roofline = {"roofline", "ms", roofline};
