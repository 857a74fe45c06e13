/* Lower bounds on the cost of one stage (exact.h), with the Funcs that are inlined into the stage, and
 * the Funcs at root that it reads. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "schedulers/exact_private.h"

enum {
	LEASTS = 1 << 18,
	KERNELS = 1 << 14,
	BOUNDS = 1 << 15,
	MOST_STAGES = 8 /* most stages of a kernel whose figures are cached */
};

/* Lower bounds on the work and the loads of a stage. */
struct least {
	uint64_t key;
	double work;	 /* s per point, on a fully busy device */
	double load;	 /* s, for all points */
	double accesses; /* per point: loads of values that are certainly in memory */
};

struct kernel_figures {
	uint64_t key;
	int n;
	struct bw_stage_least of[MOST_STAGES];
};

struct kept_bound {
	uint64_t key;
	double ms;
};

/* Caches by key. A new entry evicts an older one in the same slot. */
struct bw_exact_kept {
	struct kernel_figures kernels[KERNELS];
	struct least leasts[LEASTS];
	struct kept_bound bounds[BOUNDS];
};

struct bw_exact_kept *bw_exact_kept_new(struct bw_arena *arena)
{
	return BW_ARENA_NEW(arena, struct bw_exact_kept);
}

double bw_exact_kept_bound(const struct bw_exact_bounds *bounds, uint64_t key)
{
	const struct kept_bound *kept = &bounds->kept->bounds[key & (BOUNDS - 1)];
	return kept->key == key ? kept->ms : -1;
}

void bw_exact_keep_bound(struct bw_exact_bounds *bounds, uint64_t key, double ms)
{
	bounds->kept->bounds[key & (BOUNDS - 1)] = (struct kept_bound){key, ms};
}

/* Computes the figures of the stages of a kernel. With models other than the roofline, only the cost is
 * known. */
static void cost(const struct bw_exact_bounds *bounds, const struct bw_context *context,
		 struct bw_stage_least *of)
{
	int n = bw_context_stages(context);
	if (bounds->roofline) {
		bw_least_of(context, bounds->device, bounds->scratch, of);
		return;
	}
	struct bw_stage_cost *costs = BW_ARENA_ARRAY(bounds->scratch, struct bw_stage_cost, n);
	bounds->model->cost(context, bounds->device, bounds->scratch, costs);
	for (int i = 0; i < n; i++)
		of[i] = (struct bw_stage_least){.ms = costs[i].ms};
}

void bw_exact_find_figures(struct bw_exact_bounds *bounds, const struct bw_nest *nest, int func, int stage,
			   struct bw_stage_least *figures)
{
	bw_arena_reset(bounds->scratch);
	struct bw_context context = bw_context_find(nest, func, stage, bounds->scratch);
	uint64_t key = bw_context_hash(&context);
	struct kernel_figures *kept = &bounds->kept->kernels[key & (KERNELS - 1)];
	int n = bw_context_stages(&context);
	struct bw_stage_least *of = kept->of;
	if (kept->key != key || kept->n != n) {
		bw_context_complete(nest, &context, bounds->scratch);
		if (n > MOST_STAGES)
			of = BW_ARENA_ARRAY(bounds->scratch, struct bw_stage_least, n);
		else
			*kept = (struct kernel_figures){.key = key, .n = n};
		cost(bounds, &context, of);
	}
	BW_CONTEXT_EACH(&context, at)
		figures[nest->pipeline->funcs[at.func].first_stage + at.stage] = of[at.number];
}

int bw_exact_kernel_of(const struct bw_exact_bounds *bounds, const struct bw_stage *stage)
{
	const struct bw_func *func = &bounds->pipeline->funcs[stage->func];
	const struct bw_placed *placed = bounds->nest->placed[stage->func];
	switch (bounds->place[stage->func]) {
	case BW_EXACT_ROOT:
		return func->first_stage + stage->index;
	case BW_EXACT_PLACED:
		return placed->placement->compute.kind == BW_SITE_ROOT
			   ? func->first_stage + stage->index
			   : bounds->pipeline->funcs[placed->kernel_func].first_stage + placed->kernel_stage;
	default:
		return bounds->kernel[stage->func];
	}
}

/* Adds all reads of a stage, also through inlined Funcs, to the key of its bound. */
static uint64_t add_reads(const struct bw_exact_bounds *bounds, const struct bw_stage *stage, uint64_t key)
{
	for (int r = 0; r < stage->n_reads; r++) {
		int f = stage->reads[r].producer;
		if (bounds->seen[f] || f == stage->func)
			continue;
		bounds->seen[f] = true;
		key = bw_hash_mix(key, (uint64_t)f << 3 | (uint64_t)bounds->place[f]);
		if (bounds->place[f] == BW_EXACT_PLACED)
			key = bw_hash_mix(key, bounds->nest->placed[f]->content);
		if (bounds->place[f] == BW_EXACT_INLINED)
			key = add_reads(bounds, &bounds->pipeline->funcs[f].stages[0], key);
	}
	return key;
}

/* Returns true if a stage reads a Func that is undecided in a nest. */
static bool reads_undecided(struct bw_exact_bounds *bounds, const struct bw_nest *nest,
			    const struct bw_stage *stage)
{
	for (int r = 0; r < stage->n_reads; r++) {
		int f = stage->reads[r].producer;
		if (bounds->seen[f] || f == stage->func || bounds->pipeline->funcs[f].input)
			continue;
		bounds->seen[f] = true;
		if (bw_exact_undecided(nest, f))
			return true;
		if (nest->placed[f]->placement->compute.kind == BW_SITE_INLINE &&
		    reads_undecided(bounds, nest, &bounds->pipeline->funcs[f].stages[0]))
			return true;
	}
	return false;
}

bool bw_exact_settled(struct bw_exact_bounds *bounds, const struct bw_nest *nest,
		      const struct bw_stage *stage)
{
	memset(bounds->seen, 0, (size_t)bounds->pipeline->n_funcs * sizeof *bounds->seen);
	return !reads_undecided(bounds, nest, stage);
}

uint64_t bw_exact_reads_key(struct bw_exact_bounds *bounds, const struct bw_stage *stage, uint64_t key)
{
	const struct bw_func *func = &bounds->pipeline->funcs[stage->func];
	uint64_t number = (uint64_t)(func->first_stage + stage->index);
	key = bw_hash_mix(key, number << 3 | (uint64_t)bounds->place[stage->func]);
	memset(bounds->seen, 0, (size_t)bounds->pipeline->n_funcs * sizeof *bounds->seen);
	return add_reads(bounds, stage, key);
}

/* Returns a key of everything that the work and the loads of a stage depend on. */
static uint64_t key_of(struct bw_exact_bounds *bounds, const struct bw_exact_bounding *bounding)
{
	const struct bw_exact_block *block = bounding->block;
	uint64_t key = 1;
	if (bounding->placed)
		key = bw_hash_mix(key, bounding->placed->content);
	if (block)
		key = bw_hash_bytes(key, &block->blocks, sizeof block->blocks);
	if (block && bounding->need)
		key = bw_hash_bytes(key, bounding->need->hull,
				    (size_t)bounding->func->n_dims * sizeof *bounding->need->hull);
	return bw_exact_reads_key(bounds, bounding->stage, key);
}

/* Returns the context of a stage: its Func, and the Funcs inlined in the current combination. */
static struct bw_context context_of(struct bw_exact_bounds *bounds, const struct bw_placed *const *inside)
{
	struct bw_context context = {.pipeline = bounds->pipeline, .n_inside = 1, .inside = inside};
	struct bw_outside *outside =
	    BW_ARENA_ARRAY(bounds->scratch, struct bw_outside, bounds->pipeline->n_funcs);
	for (int f = bounds->pipeline->n_funcs - 1; f >= 0; f--)
		if (bounds->place[f] == BW_EXACT_INLINED)
			outside[context.n_outside++] = (struct bw_outside){.func = f, .inlined = true};
	context.outside = outside;
	return context;
}

/* Returns the readings of an undecided stage for the box that the block needs of its Func. */
static struct bw_readings read_undecided(struct bw_exact_bounds *bounds,
					 const struct bw_exact_bounding *bounding)
{
	struct bw_interval computed[BW_MAX_DIMS];
	bw_computed_box(bounding->func, bounding->need->hull, computed);
	struct bw_placement placement = {.func = bounding->stage->func};
	struct bw_region region = {.level = BW_LEVEL_ROOT, .required = bounding->need->hull, .computed = computed};
	struct bw_placed_stage *stages =
	    BW_ARENA_ARRAY(bounds->scratch, struct bw_placed_stage, bounding->func->n_stages);
	struct bw_placed placed = {
	    .placement = &placement, .kernel_func = -1, .n_regions = 1, .regions = &region, .stages = stages};
	const struct bw_placed *inside = &placed;
	struct bw_context context = context_of(bounds, &inside);
	return bw_readings_of(&context, bounding->stage->func, bounding->stage->index, BW_READ_ALL_PARITY,
			      bounds->scratch);
}

/* Returns the least bytes of a Func or input in global memory; 0 if it may be in another memory. */
static double bytes_in_global(const struct bw_exact_bounds *bounds, int f)
{
	const struct bw_func *func = &bounds->pipeline->funcs[f];
	const struct bw_placed *placed = bounds->nest->placed[f];
	switch (bounds->place[f]) {
	case BW_EXACT_INPUT:
		return bw_box_points(func->estimate, func->n_dims) * func->bytes;
	case BW_EXACT_PLACED:
		return placed->memory == BW_MEMORY_GLOBAL ? placed->bytes : 0;
	case BW_EXACT_ROOT:
		return bounds->whole[f].known ? bw_box_points(bounds->whole[f].hull, func->n_dims) * func->bytes : 0;
	default:
		return 0;
	}
}

/* Returns the seconds that loads from global memory take: the traffic of add_traffic in cost/access.c. */
static double seconds_of_loads(const struct bw_exact_bounds *bounds, const struct bw_readings *readings,
			       double blocks)
{
	const struct bw_device *device = bounds->device;
	double l2 = 0, dram = 0;
	for (int i = 0; i < readings->n; i++) {
		const struct bw_reading *reading = &readings->list[i];
		const struct bw_func *func = &bounds->pipeline->funcs[reading->func];
		double whole = bytes_in_global(bounds, reading->func);
		if (reading->calls <= 0 || !reading->bounded || !(whole > 0) || !(reading->block_row > 0))
			continue;
		double row = ceil(reading->block_row * func->bytes / device->sector + 1) * device->sector,
		       through = blocks * reading->block_points / reading->block_row * row;
		bool resident = whole < device->l2_bytes / 2 && !func->input;
		l2 += through / device->l2_bandwidth;
		dram += fmin(whole, through) / (resident ? device->l2_bandwidth : device->global_bandwidth);
	}
	return fmax(l2, dram);
}

/* Returns the loads per point of values that are certainly in memory. Counts one load of each Func or
 * input per pass through the unrolled loops, because the other loads may be staged. */
static double known_loads(const struct bw_exact_bounds *bounds, const struct bw_exact_bounding *bounding,
			  const struct bw_readings *readings)
{
	double unrolled = (double)bw_max(bounding->placed->stages[bounding->stage->index].unrolled, 1), loads = 0;
	for (int i = 0; i < readings->n; i++) {
		int f = readings->list[i].func;
		enum bw_exact_place place = bounds->place[f];
		bool known = place == BW_EXACT_INPUT || place == BW_EXACT_ROOT;
		if (place == BW_EXACT_PLACED) {
			enum bw_memory memory = bounds->nest->placed[f]->memory;
			known = memory == BW_MEMORY_GLOBAL || memory == BW_MEMORY_SHARED;
		}
		if (known && f != bounding->stage->func)
			loads += fmin(1 / unrolled, readings->list[i].calls);
	}
	return loads;
}

static struct least find_least(struct bw_exact_bounds *bounds, const struct bw_exact_bounding *bounding)
{
	struct least least = {0};
	struct bw_readings readings;
	bw_arena_reset(bounds->scratch);
	if (bounding->placed) {
		const struct bw_placed *inside = bounding->placed;
		struct bw_context context = context_of(bounds, &inside);
		readings = bw_readings_of(&context, bounding->stage->func, bounding->stage->index,
					  BW_READ_ALL_PARITY, bounds->scratch);
	} else if (bounding->need && bounding->need->known) {
		readings = read_undecided(bounds, bounding);
	} else {
		return least;
	}
	least.work = bw_least_work(bounds->device, readings.work);
	if (bounding->placed)
		least.accesses = known_loads(bounds, bounding, &readings);
	if (bounding->block && bounding->block->blocks > 0)
		least.load = seconds_of_loads(bounds, &readings, bounding->block->blocks);
	return least;
}

/* Returns the least number of points of an undecided stage. */
static double least_points(const struct bw_exact_bounds *bounds, const struct bw_exact_bounding *bounding)
{
	const struct bw_exact_need *need = bounding->need;
	struct bw_interval box[BW_MAX_DIMS];
	bool root = bounds->place[bounding->stage->func] == BW_EXACT_ROOT;
	if (!need || !need->known || !bw_computed_box(bounding->func, root ? need->hull : need->cover, box))
		return 0;
	return bounding->func->least_needed * bw_exact_iterations(bounding->stage, box, !root) *
	       (bounding->block ? bounding->block->blocks : 1);
}

/* Returns the known figures of an undecided stage: at root it stores each point once. */
static struct bw_stage_least assumed(const struct bw_exact_bounds *bounds,
				     const struct bw_exact_bounding *bounding)
{
	const struct bw_device *device = bounds->device;
	double bytes = bounding->stage->index ? 0 : bytes_in_global(bounds, bounding->stage->func);
	bool near = bytes < device->l2_bytes / 2 && !bounding->func->output;
	if (bounds->place[bounding->stage->func] != BW_EXACT_ROOT)
		return (struct bw_stage_least){0};
	return (struct bw_stage_least){.store = bytes / (near ? device->l2_bandwidth : device->global_bandwidth),
				       .alone = 1e3 * device->launch_seconds};
}

double bw_exact_stage_bound(struct bw_exact_bounds *bounds, const struct bw_exact_bounding *bounding)
{
	const struct bw_device *device = bounds->device;
	const struct bw_placed *placed = bounding->placed;
	const struct bw_placed_stage *own = placed ? &placed->stages[bounding->stage->index] : NULL;
	double blocks = bounding->block ? bounding->block->blocks : 0;
	bool inside = own && bw_nest_inside_threads(bounds->nest, &placed->placement->compute);
	struct bw_least_rates rates = bw_least_rates(device, blocks, own, inside);
	if (bounding->stage->undefined)
		return 0;
	if (bounding->settled)
		return bounding->full ? bounding->figures->ms : bw_least_ms(bounding->figures, &rates);
	if (bounding->full && own)
		rates = bw_least_rates_now(bounding->figures, own);
	uint64_t key = key_of(bounds, bounding);
	struct least *least = &bounds->kept->leasts[key & (LEASTS - 1)];
	if (least->key != key) {
		*least = find_least(bounds, bounding);
		least->key = key;
	}
	struct bw_stage_least of = bounding->figures ? *bounding->figures : assumed(bounds, bounding);
	double points =
	    own ? placed->realizations * placed->needed * own->points : least_points(bounds, bounding);
	double work = least->work;
	if (own)
		work += bw_least_addresses(own, least->accesses + of.accesses) / device->int_rate;
	of.arithmetic = work * points;
	of.load = least->load;
	of.shared_load = of.registers = 0;
	return bw_least_ms(&of, &rates);
}
