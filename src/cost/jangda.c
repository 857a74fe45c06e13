/* Algorithm 2 of Jangda and Guha 2020; the lines named below are its lines. */
#include "cost/jangda.h"

#include <math.h>
#include <string.h>

#include "cost/cost.h"
#include "cost/roofline_private.h"

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

/* The cost model dp: Algorithm 2 of Jangda and Guha 2020 for the kernels of any schedule. A kernel is a
 * group, and the points that one of its threads computes of its output a tile. What a block keeps in shared
 * memory and its threads in registers are its scratchpads. */

/* What exceeds a limit has no cost in the paper: a term of its own, far above all others. */
enum { REFUSED = BW_JANGDA_TERMS, N_TERMS };
#define REFUSED_COST 1e6

static const struct bw_term_text terms[N_TERMS] = {
#define X(name, words, key, text) {words, key, text, false, BW_SPENT_ON_STAGE},
    BW_JANGDA_TABLE(X)
#undef X
    {"refused", "refused", "1000000 if a block or thread takes more than it may have (lines 12 and 21)",
     true, BW_SPENT_ON_STAGE},
};

struct pricing {
	const struct bw_context *context;
	const struct bw_device *device;
	struct bw_stage_cost *stages;
	bool *inlined; /* by Func */
	/* What a warp reads in one iteration of a stage, by Func. */
	bool *known;
	struct bw_interval *boxes; /* BW_MAX_DIMS each */
	double *calls;		   /* by a point */
	/* Sums over stages. */
	double points; /* of the kernel's own stage */
	double transactions[2], compute, again, registers;
};
static const double sizes[2] = {32, 128};

/* Returns the loop of a stage that a thread loop walks, which may be that of a host; -1: none. */
static int loop_across(const struct bw_costing *costing, const struct bw_stage *stage, int loop)
{
	int dim = costing->threads_stage->loops[loop].dim;
	if (stage == costing->threads_stage)
		return loop;
	for (int l = 0; l < stage->n_loops && dim >= 0; l++)
		if (stage->loops[l].dim == dim)
			return l;
	return -1;
}

/* The loops of a stage in one iteration of a warp: the lanes lie along the thread loops, as far apart as what
 * a thread computes one after the other. */
static void lanes_of(const struct pricing *pricing, const struct bw_costing *costing,
		     const struct bw_stage *stage, struct bw_interval *loops)
{
	const struct bw_stage_plan *plan = costing->threads_plan;
	const struct bw_placed_stage *own = costing->own;
	int64_t warp[BW_JANGDA_DIMS];
	bw_jangda_warp(costing->threads_of->threads, (int64_t)pricing->device->warp_size, warp);
	for (int l = 0; l < stage->n_loops; l++) {
		int64_t at = own->n_levels ? own->levels[own->n_levels - 1].loops[l].min : 0;
		loops[l] = (struct bw_interval){at, at};
	}
	for (int i = plan->n_loops - 1, a = 0; i >= 0 && a < BW_JANGDA_DIMS; i--) {
		if (bw_loop_role(plan->loops[i].kind) != BW_ROLE_THREAD)
			continue;
		int l = loop_across(costing, stage, plan->loops[i].loop);
		int64_t apart = 1;
		for (int k = i + 1; k < plan->n_loops; k++)
			if (plan->loops[k].loop == plan->loops[i].loop && plan->loops[k].extent)
				apart *= plan->loops[k].extent;
		if (l >= 0)
			loops[l].max = loops[l].min + (warp[a] - 1) * apart;
		a++;
	}
}

/* Adds what a stage reads over these loops. A read without a bound is taken for one of very many rows. */
static void add_reads(struct pricing *pricing, const struct bw_stage *stage, const struct bw_interval *loops,
		      double calls)
{
	enum { MANY = 1 << 20 };
	for (int r = 0; r < stage->n_reads; r++) {
		int p = stage->reads[r].producer, n_dims = pricing->context->pipeline->funcs[p].n_dims;
		struct bw_interval box[BW_MAX_DIMS];
		if (p == stage->func)
			continue;
		if (!bw_read_box(&stage->reads[r], n_dims, loops, box))
			for (int d = 0; d < n_dims; d++)
				box[d] = (struct bw_interval){0, MANY};
		bw_box_include(&pricing->boxes[p * BW_MAX_DIMS], box, n_dims, !pricing->known[p]);
		pricing->calls[p] = (pricing->known[p] ? pricing->calls[p] : 0) + calls * stage->reads[r].calls;
		pricing->known[p] = true;
	}
}

/* The transactions of one iteration of a warp, by size. */
static void count_loads(struct pricing *pricing, int func, double *transactions)
{
	const struct bw_pipeline *pipeline = pricing->context->pipeline;
	for (int p = func; p >= 0; p--) {
		const struct bw_func *of = &pipeline->funcs[p];
		const struct bw_interval *box = &pricing->boxes[p * BW_MAX_DIMS];
		struct bw_interval computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
		if (!pricing->known[p] || bw_context_inside(pricing->context, p))
			continue;
		if (pricing->inlined[p]) {
			if (bw_computed_box(of, box, computed) && bw_stage_loops_of(&of->stages[0], computed, loops))
				add_reads(pricing, &of->stages[0], loops, pricing->calls[p]);
			continue;
		}
		double rows = bw_box_points(box + 1, of->n_dims > 1 ? of->n_dims - 1 : 0);
		double row = of->n_dims ? (double)(box->max - box->min + 1) * of->bytes : of->bytes;
		for (int t = 0; t < 2; t++)
			transactions[t] +=
			    fmin(rows * ceil(row / sizes[t]), pricing->calls[p] * pricing->device->warp_size);
	}
}

/* Operations and loads of a point, with those of what is inlined. */
static void count_work(const struct pricing *pricing, const struct bw_stage *stage, double calls,
		       double *operations, double *loads)
{
	*operations += calls * bw_stage_operations(stage);
	for (int r = 0; r < stage->n_reads; r++) {
		const struct bw_func *producer = &pricing->context->pipeline->funcs[stage->reads[r].producer];
		if (pricing->inlined[stage->reads[r].producer])
			count_work(pricing, &producer->stages[0], calls * stage->reads[r].calls, operations, loads);
		else
			*loads += calls * stage->reads[r].calls;
	}
}

static void add_stage(struct pricing *pricing, int func, int stage, int number)
{
	enum { UNKNOWN = 2 };
	const struct bw_context *context = pricing->context;
	const struct bw_placed *placed = bw_context_inside(context, func);
	const struct bw_stage *of = &context->pipeline->funcs[func].stages[stage];
	struct bw_costing costing = {
	    .context = context, .placed = placed, .stage = stage, .own = &placed->stages[stage]};
	struct bw_interval loops[BW_MAX_LOOPS];
	double operations = 0, loads = 0, transactions[2] = {0};
	double points = placed->realizations * placed->stages[stage].points;
	int values = bw_func_branching(context->pipeline, func, pricing->inlined);
	bw_costing_threads(&costing);
	lanes_of(pricing, &costing, of, loops);
	memset(pricing->known, 0, (size_t)context->pipeline->n_funcs * sizeof *pricing->known);
	add_reads(pricing, of, loops, 1);
	count_loads(pricing, func - 1, transactions);
	count_work(pricing, of, 1, &operations, &loads);
	pricing->stages[number].placed = true;
	pricing->stages[number].points = points;
	pricing->stages[number].operations = operations;
	pricing->points = number ? pricing->points : points;
	for (int t = 0; t < 2; t++)
		pricing->transactions[t] += transactions[t] * points;
	pricing->compute += points * bw_jangda_time(operations, loads, pricing->device);
	pricing->registers += bw_jangda_registers(values ? values : UNKNOWN);
	if (number && !stage && placed->minimum_points > 0 && placed->points > placed->minimum_points)
		pricing->again += placed->points - placed->minimum_points;
}

/* The cost of the kernel stands at its own stage. */
static void set_cost(const struct pricing *pricing, const struct bw_jangda_cost *cost)
{
	struct bw_stage_cost *own = &pricing->stages[0];
	memcpy(own->terms, cost->terms, sizeof cost->terms);
	own->ms = cost->cost;
	if (cost->refused) {
		memset(own->terms, 0, sizeof cost->terms);
		own->ms = own->terms[REFUSED] = REFUSED_COST;
	}
	for (int t = 0; t < N_TERMS; t++)
		own->bound = own->terms[t] > own->terms[own->bound] ? t : own->bound;
	for (int i = 0; i < bw_context_stages(pricing->context); i++)
		pricing->stages[i].occupancy = cost->occupancy;
}

static void price(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		  struct bw_stage_cost *stages)
{
	int n = context->pipeline->n_funcs;
	struct pricing pricing = {.context = context,
				  .device = device,
				  .stages = stages,
				  .inlined = BW_ARENA_ARRAY(arena, bool, n),
				  .known = BW_ARENA_ARRAY(arena, bool, n),
				  .boxes = BW_ARENA_ARRAY(arena, struct bw_interval, n * BW_MAX_DIMS),
				  .calls = BW_ARENA_ARRAY(arena, double, n)};
	const struct bw_kernel *kernel = &context->kernel;
	for (int i = 0; i < context->n_outside; i++)
		pricing.inlined[context->outside[i].func] = context->outside[i].inlined;
	BW_CONTEXT_EACH(context, at)
		add_stage(&pricing, at.func, at.stage, at.number);
	double warps = ceil(fmax((double)kernel->n_threads, 1) / device->warp_size);
	double in_registers = (double)kernel->register_bytes * (double)kernel->n_threads;
	struct bw_jangda_group group = {.threads = warps * device->warp_size,
					.blocks = fmax(kernel->n_blocks, 1),
					.buffers = (double)kernel->shared_bytes + in_registers,
					.registers = pricing.registers,
					.compute = pricing.compute / pricing.points,
					.overlap = pricing.again / pricing.points};
	group.fraction = group.buffers > 0 ? in_registers / group.buffers : 0;
	struct bw_jangda_cost best = {.cost = INFINITY};
	for (int t = 0; t < 2; t++) {
		group.transactions = pricing.transactions[t] / pricing.points;
		group.size = sizes[t];
		struct bw_jangda_cost cost = bw_jangda_cost(&group, device);
		if (!t || cost.cost < best.cost)
			best = cost;
	}
	set_cost(&pricing, &best);
}

const struct bw_cost_model bw_jangda_model = {.name = "dp",
					      .title = "dp",
					      .unit = "",
					      .said = "cost",
					      .tie = INFINITY,
					      .n_terms = N_TERMS,
					      .terms = terms,
					      .cost = price};
