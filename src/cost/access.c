/* The traffic of a stage in the roofline model. The addresses of a warp's lanes determine the sectors of
 * global memory and the passes through the banks of shared memory. */
#include <math.h>

#include "base/arith.h"
#include "cost/roofline_private.h"

/* Bytes per bank of shared memory. */
enum { BANK_BYTES = 4 };
/* Bytes that the load and store units of an SM pass at a time. */
#define WAVEFRONT_BYTES 128.0
/* Lanes of a warp that add to the same address at once if loaded values determine the address:
 * neighbouring pixels are similar. */
#define NEIGHBOURS_ALIKE 4.0

/* Finds the loops of a stage that change from a thread to the next: its own, or those of the dimensions that
 * its host's threads move. */
static void find_along(struct bw_costing *costing, const struct bw_stage *stage)
{
	const struct bw_stage_plan *plan = costing->threads_plan;
	int t = 0;
	for (int i = plan->n_loops - 1; i >= 0 && t < 3 && costing->threads_stage == stage; i--)
		if (bw_stage_launches(plan, costing->threads_of, i)) {
			costing->along[t].loop = plan->loops[i].loop;
			costing->along[t++].points = bw_stage_inside(plan, plan->loops[i].loop, i + 1);
		}
	for (; t < 3; t++) {
		int dim = costing->threads_stage == stage ? -1 : costing->placed->along[t].dim;
		costing->along[t].loop = -1;
		costing->along[t].points = costing->placed->along[t].far;
		for (int l = 0; l < stage->n_loops && dim >= 0; l++)
			if (stage->loops[l].dim == dim)
				costing->along[t].loop = l;
	}
}

/* A Func inside threads runs in the thread loops of its host, or of a host further out. */
void bw_costing_threads(struct bw_costing *costing)
{
	const struct bw_func *funcs = costing->context->pipeline->funcs;
	const struct bw_placed *placed = costing->placed;
	int stage = costing->stage;
	for (;;) {
		const struct bw_placed_stage *of = &placed->stages[stage];
		bool threads = false;
		for (int i = 0; i < of->n_levels; i++)
			threads |= bw_level_role(of->levels[i].level) == BW_ROLE_THREAD;
		costing->threads_of = of;
		costing->threads_plan = &placed->placement->stages[stage];
		costing->threads_stage = &funcs[placed->placement->func].stages[stage];
		const struct bw_site *site = &placed->placement->compute;
		if (threads || site->kind != BW_SITE_AT || site->role == BW_ROLE_BLOCK)
			break;
		stage = site->stage;
		placed = bw_context_inside(costing->context, site->func);
	}
	find_along(costing, &funcs[costing->placed->placement->func].stages[costing->stage]);
}

/* Returns the distance in elements between the addresses of two lanes that are neighbours along x, y or z;
 * negative if unknown. */
static double lane_step(const struct bw_costing *costing, int along, const struct bw_ratio *entries,
			int n_dims, const double *strides)
{
	double step = 0;
	int loop = costing->along[along].loop, n_loops = costing->func->stages[costing->stage].n_loops;
	for (int d = 0; d < n_dims && loop >= 0; d++) {
		struct bw_ratio entry = entries[d * n_loops + loop];
		if (!entry.den)
			return -1;
		step += (double)entry.num / (double)entry.den * (double)costing->along[along].points * strides[d];
	}
	return fabs(step);
}

/* Returns the bytes of one component: the components of a tuple have allocations of their own, and each
 * load is of one of them. */
static double element_of(const struct bw_func *func)
{
	return (double)func->bytes / func->n_values;
}

/* Returns the average number of rows of lanes per warp, and the lanes per row. */
static double warp_rows(const struct bw_costing *costing, double *lanes)
{
	const int64_t *threads = costing->threads_of->threads;
	double width = (double)bw_max(threads[0], 1), warp = costing->device->warp_size,
	       rows = (double)bw_max(threads[1] * threads[2], 1);
	*lanes = width < warp ? width : warp;
	return warp / *lanes < rows ? warp / *lanes : rows;
}

/* Returns the known alignment of a Func in memory, in bytes, a power of two. */
static int aligned_of(const struct bw_costing *costing, int func, enum bw_memory memory)
{
	const struct bw_kernel *kernel = &costing->context->kernel;
	int m = 0;
	while (m < kernel->n_members && kernel->members[m] != func)
		m++;
	return memory == BW_MEMORY_SHARED && m < kernel->n_members && kernel->aligned ? kernel->aligned[m]
										       : BW_VECTOR_BYTES;
}

double bw_costing_width(const struct bw_costing *costing, const struct bw_ratio *entries, int func,
		       const struct bw_storage *storage, bool stores)
{
	const struct bw_pipeline *pipeline = costing->context->pipeline;
	const struct bw_vector vector = {&pipeline->funcs[costing->placed->placement->func].stages[costing->stage],
					 &costing->placed->placement->stages[costing->stage], costing->own};
	bool global = storage->memory == BW_MEMORY_GLOBAL;
	if (global && !bw_rows_known(pipeline, &pipeline->funcs[func]))
		return 1;
	return bw_vector_width(&vector, entries, &pipeline->funcs[func], storage,
			       aligned_of(costing, func, storage->memory), stores);
}

/* Returns the sectors that a warp touches with one access to a Func, of which a lane has `width` values:
 * first those of the lanes beside each other in memory. Rows of lanes at the same place touch the same ones;
 * *apart: those of each row, which the load and store units pass row by row, as what was measured of
 * products and convolutions says. */
static double sectors(const struct bw_costing *costing, const struct bw_ratio *entries,
		      const struct bw_func *of, const struct bw_storage *storage, double width, double *apart)
{
	const double sector = costing->device->sector, element = element_of(of);
	double lanes, rows = warp_rows(costing, &lanes),
		      ys = fmin(rows, (double)bw_max(costing->threads_of->threads[1], 1)),
		      along[] = {lanes, ys, rows / ys}, steps[3], keys[3], scattered = 1, span = element * width,
		      touched = ceil(span / sector);
	int order[3];
	for (int t = 0, i = 0; t < 3; t++, i = t) {
		steps[t] = along[t] > 1 ? lane_step(costing, t, entries, of->n_dims, storage->strides) : 0;
		keys[t] = t == 0 || steps[t] > 0 ? steps[t] : INFINITY;
		for (; i > 0 && keys[t] < keys[order[i - 1]]; i--)
			order[i] = order[i - 1];
		order[i] = t;
	}
	for (int i = 0; i < 3; i++) {
		int t = order[i];
		scattered *= steps[t] < 0 ? along[t] : 1;
		span += fmax(0, steps[t]) * element * (along[t] - 1);
		touched = fmin(touched * (steps[t] < 0 ? 1 : along[t]), ceil(span / sector));
		if (t == 0)
			*apart = rows * scattered * touched;
		else
			rows /= along[t];
	}
	return scattered * touched;
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

/* Returns the bytes that pass through the banks of shared memory for one access of a warp, counting
 * conflicts as repeated requests. An element of several words takes as many banks, and fewer lanes at a
 * time; a smaller element takes a whole bank. */
static double shared_bytes(const struct bw_costing *costing, double step, double element)
{
	double words = element > BANK_BYTES ? element / BANK_BYTES : 1,
	       apart = step * element / (words * BANK_BYTES);
	double banks = costing->device->shared_banks / words, lanes;
	warp_rows(costing, &lanes);
	double again = apart < 1 ? 1 : (double)common_divisor((int64_t)apart, (int64_t)banks);
	return (again < lanes ? again : lanes) * costing->device->warp_size * words * BANK_BYTES;
}

/* Returns the loads of one reading that a pass through the unrolled loops issues. *again: operands that
 * were loaded before and come from registers. */
static double loads_of_pass(const struct bw_costing *costing, const struct bw_reading *reading, double *again)
{
	double loads = reading->calls * costing->readings.unrolled;
	const struct bw_staging *staging = bw_stagings_of(costing->stagings, reading->func);
	*again = staging ? loads - fmin(loads, fmin(staging->before, staging->after)) : 0;
	return staging ? fmin(loads, bw_staging_loads(staging)) : loads;
}

/* Adds the traffic of a reading, whose loads request `asked` bytes: what each block touches goes through
 * the L2 cache, and each byte once comes from memory, unless an earlier kernel has left it in the cache. The
 * box that is known to hold what a block touches may be far larger than that: loads touch at most twice the
 * sectors that they would if they began at the beginning of one. */
static void add_traffic(struct bw_costing *costing, const struct bw_reading *reading,
			const struct bw_storage *storage, double asked)
{
	const struct bw_func *producer = &costing->context->pipeline->funcs[reading->func];
	const struct bw_device *device = costing->device;
	double blocks = costing->launch->blocks, whole = storage->points * producer->bytes;
	double rows = reading->bounded && reading->block_row > 0 ? reading->block_points / reading->block_row : 0;
	double box = rows * ceil(reading->block_row * producer->bytes / device->sector + 1) * device->sector;
	double block = reading->bounded ? fmin(box, 2 * asked / blocks) : asked / blocks;
	double through_l2 = blocks * block, once = whole < through_l2 ? whole : through_l2;
	if (costing->unread) {
		double *unread = &costing->unread[reading->func];
		once = fmin(once, *unread < 0 ? whole : *unread);
		*unread = (*unread < 0 ? whole : *unread) - once;
	}
	bool resident = whole < device->l2_bytes / 2 && !producer->input;
	costing->missed_bytes += fmin(through_l2, asked);
	costing->l2_seconds += through_l2 / device->l2_bandwidth;
	costing->dram_seconds += once / (resident ? device->l2_bandwidth : device->global_bandwidth);
}

/* Returns true if the address of a load follows from the loops alone. */
static bool is_affine(const struct bw_costing *costing, const struct bw_reading *reading,
		      const struct bw_load_shape *shape)
{
	int n_dims = costing->context->pipeline->funcs[reading->func].n_dims;
	for (int e = 0; e < n_dims * costing->func->stages[costing->stage].n_loops; e++)
		if (!shape->entries[e].den)
			return false;
	return true;
}

/* Adds the loads of one shape; values: of a pass. */
static void add_shape_loads(struct bw_costing *costing, const struct bw_reading *reading,
			    const struct bw_load_shape *shape, const struct bw_storage *storage, double values)
{
	const struct bw_func *producer = &costing->context->pipeline->funcs[reading->func];
	struct bw_stage_cost *cost = costing->cost;
	double element = element_of(producer),
	       width = bw_costing_width(costing, shape->entries, reading->func, storage, false),
	       step = lane_step(costing, 0, shape->entries, producer->n_dims, storage->strides);
	double loads = values / width, accesses = loads * costing->warps;
	if (storage->memory == BW_MEMORY_GLOBAL) {
		double apart, bytes = costing->device->sector *
				       sectors(costing, shape->entries, producer, storage, width, &apart);
		cost->global_load_bytes += accesses * bytes;
		costing->passed_bytes += accesses * apart * costing->device->sector;
		costing->wavefronts += accesses * fmax(1, apart * costing->device->sector / WAVEFRONT_BYTES);
		cost->global_load_efficiency +=
		    accesses * costing->device->warp_size * cost->busy_lanes * element * width;
		costing->global_loads += loads;
	} else if (storage->memory == BW_MEMORY_SHARED) {
		double bytes = shared_bytes(costing, step, element * width);
		cost->shared_load_bytes += accesses * bytes;
		costing->wavefronts += accesses * bytes / WAVEFRONT_BYTES;
		costing->shared_accesses += loads;
	} else {
		cost->register_bytes += accesses * costing->device->warp_size * element;
		return;
	}
	costing->accesses += loads;
	costing->values += values;
	costing->scattered += is_affine(costing, reading, shape) ? 0 : values;
}

/* Returns true if an iteration of an update loads the value that the previous iteration stored, at
 * addresses that follow from the loops. */
static bool goes_on(const struct bw_costing *costing, const struct bw_reading *reading)
{
	if (costing->stage == 0 || reading->func != costing->placed->placement->func || costing->kept > 1 ||
	    costing->own->serial <= costing->own->unrolled)
		return false;
	for (int s = 0; s < reading->n_shapes; s++)
		if (!is_affine(costing, reading, &reading->shapes[s]))
			return false;
	return reading->n_shapes > 0;
}

static bool is_atomic(const struct bw_costing *costing)
{
	return costing->placed->placement->stages[costing->stage].atomic;
}

void bw_costing_loads(struct bw_costing *costing)
{
	for (int i = 0; i < costing->readings.n; i++) {
		const struct bw_reading *reading = &costing->readings.list[i];
		if (reading->calls <= 0 || (is_atomic(costing) && reading->func == costing->placed->placement->func))
			continue;
		struct bw_storage storage = bw_context_storage(costing->context, reading->func);
		double before = costing->passed_bytes, again, loads = loads_of_pass(costing, reading, &again);
		if (storage.memory == BW_MEMORY_GLOBAL || storage.memory == BW_MEMORY_SHARED)
			loads /= reading->func == costing->placed->placement->func ? costing->kept : 1;
		costing->chained |= storage.memory == BW_MEMORY_GLOBAL && goes_on(costing, reading);
		costing->cost->register_bytes +=
		    again * costing->warps * costing->device->warp_size *
		    element_of(&costing->context->pipeline->funcs[reading->func]);
		for (int s = 0; s < reading->n_shapes; s++)
			add_shape_loads(costing, reading, &reading->shapes[s], &storage,
					reading->shapes[s].count / reading->calls * loads);
		if (storage.memory == BW_MEMORY_GLOBAL)
			add_traffic(costing, reading, &storage, costing->passed_bytes - before);
	}
}

/* Returns the number of lanes of a row of a warp that add to the most used address at once. step: distance
 * between the lanes' addresses. In an image several neighbours are alike. */
static double lanes_at_once(const struct bw_costing *costing, double step)
{
	const struct bw_stage *stage = &costing->func->stages[costing->stage];
	double lanes, places = 1;
	int loop = costing->along[0].loop;
	warp_rows(costing, &lanes);
	for (int d = 0; d < costing->func->n_dims && step < 0; d++)
		if (!stage->store.entries[d * stage->n_loops + loop].den)
			places *= (double)costing->placed->allocated[d];
	return step > 0 ? 1 : step == 0 ? lanes : fmin(lanes, fmax(NEIGHBOURS_ALIKE, lanes / places));
}

/* Adds the atomic operations of `accesses` warps in global memory. The L2 cache executes them one sector
 * after another, and those in the same sector one after another. */
static void add_global_atomics(struct bw_costing *costing, const struct bw_storage *storage, double step,
			       double accesses)
{
	const struct bw_device *device = costing->device;
	double lanes, apart, rows = warp_rows(costing, &lanes), element = element_of(costing->func);
	sectors(costing, costing->func->stages[costing->stage].store.entries, costing->func, storage, 1, &apart);
	double each = step > 0 ? apart : rows * lanes,
	       bytes = storage->points * element, at_most_used = step < 0 ? NEIGHBOURS_ALIKE : 1;
	costing->cost->global_store_bytes = 2 * accesses * each * device->sector;
	costing->cost->global_store_efficiency = fmin(bytes, accesses * device->warp_size * element);
	costing->wavefronts += accesses * fmax(1, each * device->sector / WAVEFRONT_BYTES);
	costing->atomic_seconds = at_most_used * accesses * each / fmax(1, bytes / device->sector) *
				  device->atomic_clocks / device->clock;
}

/* Adds the atomic operations in shared memory: a load and a store, repeated for each lane with the same
 * address. For floats, compare-and-exchange is repeated until no other lane has interfered. */
static void add_shared_atomics(struct bw_costing *costing, double step, double accesses)
{
	bool real = costing->func->types[0] >= BW_TYPE_FLOAT32;
	double bytes = (real ? 4 : 2) * lanes_at_once(costing, step) *
		       shared_bytes(costing, fmax(0, step), element_of(costing->func));
	costing->cost->shared_store_bytes = accesses * bytes;
	costing->wavefronts += accesses * bytes / WAVEFRONT_BYTES;
	costing->shared_accesses += costing->readings.unrolled;
}

/* Each component of a tuple is stored separately. */
void bw_costing_store(struct bw_costing *costing)
{
	const struct bw_func *func = costing->func;
	const struct bw_device *device = costing->device;
	struct bw_storage storage = bw_context_storage(costing->context, costing->placed->placement->func);
	const struct bw_ratio *entries = func->stages[costing->stage].store.entries;
	double element = element_of(func), step = lane_step(costing, 0, entries, func->n_dims, storage.strides);
	enum bw_memory memory = costing->placed->memory;
	bool stored = memory == BW_MEMORY_GLOBAL || memory == BW_MEMORY_SHARED;
	double width = costing->store_width =
		   stored ? bw_costing_width(costing, entries, costing->placed->placement->func, &storage, true) : 1,
	       values = costing->readings.unrolled * func->n_values / (stored ? costing->kept : 1),
	       stores = values / width, accesses = costing->warps * stores;
	costing->accesses += stored ? stores : 0;
	costing->values += stored ? values : 0;
	if (is_atomic(costing) && memory == BW_MEMORY_GLOBAL) {
		add_global_atomics(costing, &storage, step, accesses);
	} else if (is_atomic(costing)) {
		add_shared_atomics(costing, step, accesses);
	} else if (memory == BW_MEMORY_GLOBAL) {
		double apart;
		sectors(costing, entries, func, &storage, width, &apart);
		costing->cost->global_store_bytes = accesses * apart * device->sector;
		costing->wavefronts += accesses * fmax(1, apart * device->sector / WAVEFRONT_BYTES);
		costing->cost->global_store_efficiency =
		    accesses * device->warp_size * costing->cost->busy_lanes * element * width;
	} else if (memory == BW_MEMORY_SHARED) {
		double bytes = shared_bytes(costing, step, element * width);
		costing->cost->shared_store_bytes = accesses * bytes;
		costing->wavefronts += accesses * bytes / WAVEFRONT_BYTES;
		costing->shared_accesses += stores;
	} else {
		costing->cost->register_bytes += accesses * device->warp_size * element;
	}
}

/* LLVM's vectors in Halide's code for CUDA have 8 bytes, however aligned; 4 values of 4 bytes are loaded as
 * one of 16 bytes, and stored as two of 8 (Halide's CodeGen_LLVM.cpp and CodeGen_PTX_Dev.cpp, 14 to 21). The
 * buffers of inputs and outputs are taken to be aligned where their rows are known. */
enum { VECTOR_MOST = 4, HALF_BYTES = 8 };

double bw_vector_width(const struct bw_vector *vector, const struct bw_ratio *entries,
		       const struct bw_func *of, const struct bw_storage *storage, int aligned, bool stores)
{
	const struct bw_stage_plan *plan = vector->plan;
	const int innermost = plan->n_loops - 1, n_loops = vector->stage->n_loops;
	double element = (double)of->bytes / of->n_values, width = 1;
	if (innermost < 0 || plan->loops[innermost].kind != BW_LOOP_VECTOR)
		return 1;
	const int64_t extent = vector->placed->extents[innermost];
	while (width < VECTOR_MOST && extent % (2 * (int64_t)width) == 0)
		width *= 2;
	for (int d = 0; d < of->n_dims; d++) {
		struct bw_ratio entry = entries[d * n_loops + plan->loops[innermost].loop];
		if (entry.den != 1 || entry.num != (storage->strides[d] == 1))
			return 1;
		while (width > 1 && storage->strides[d] != 1 && fmod(storage->strides[d], width) != 0)
			width /= 2;
	}
	while (width > 1 && width * element > aligned)
		width /= 2;
	if (extent == VECTOR_MOST && width == VECTOR_MOST && width * element == BW_VECTOR_BYTES)
		return stores ? width / 2 : width;
	while (width > 1 && width * element > HALF_BYTES)
		width /= 2;
	return width;
}
