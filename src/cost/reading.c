#include "cost/reading.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"

/* Most shapes of loads kept apart for one producer: more than these are added to the last. */
enum { MAX_SHAPES = 24 };

/* What is asked of one Func by the stage, while its inlined callers are gone through consumers first. */
struct demand {
	double calls;
	int n_shapes;
	struct bw_shape *shapes;
	bool bounded;
	bool boxed;
	struct bw_interval thread[BW_MAX_DIMS], block[BW_MAX_DIMS];
};

struct walk {
	const struct bw_nest *nest;
	struct bw_arena *arena;
	int n_loops; /* of the stage */
	struct demand **demands; /* by Func, NULL: not read */
};

/* One caller: the stage itself, or an inlined Func, with how its loops move with the stage's and what they cover. */
struct caller {
	const struct bw_stage *stage;
	double calls;
	int n_shapes;
	const struct bw_shape *shapes; /* of the caller's loops by the stage's loops */
	const struct bw_interval *thread, *block; /* NULL: unbounded */
};

/* What no number of 64 bits says is not known. */
static const struct bw_ratio unknown = {0, 0};

static struct bw_ratio lowest(int64_t num, int64_t den)
{
	int64_t common = den == 1 ? 1 : bw_gcd(num, den);
	return (struct bw_ratio){num / common, den / common};
}

static struct bw_ratio ratio_add(struct bw_ratio a, struct bw_ratio b)
{
	int64_t left, right, num, den;
	if (!a.den || !b.den)
		return unknown;
	if (__builtin_mul_overflow(a.num, b.den, &left) || __builtin_mul_overflow(b.num, a.den, &right) || __builtin_add_overflow(left, right, &num) || __builtin_mul_overflow(a.den, b.den, &den))
		return unknown;
	return lowest(num, den);
}

static struct bw_ratio ratio_multiply(struct bw_ratio a, struct bw_ratio b)
{
	int64_t num, den;
	if ((a.den && !a.num) || (b.den && !b.num))
		return (struct bw_ratio){0, 1};
	if (!a.den || !b.den || __builtin_mul_overflow(a.num, b.num, &num) || __builtin_mul_overflow(a.den, b.den, &den))
		return unknown;
	return lowest(num, den);
}

/* The product of a load's Jacobian and a caller's: how the load's address moves with the stage's loops. */
static const struct bw_ratio *compose(struct walk *walk, const struct bw_jacobian *load, const struct bw_ratio *caller)
{
	struct bw_ratio *product = BW_ARENA_ARRAY(walk->arena, struct bw_ratio, load->n_dims * walk->n_loops + 1);
	for (int d = 0; d < load->n_dims; d++)
		for (int l = 0; l < walk->n_loops; l++) {
			struct bw_ratio sum = {0, 1};
			for (int k = 0; k < load->n_loops; k++)
				sum = ratio_add(sum, ratio_multiply(load->entries[d * load->n_loops + k], caller[k * walk->n_loops + l]));
			product[d * walk->n_loops + l] = sum;
		}
	return product;
}

static void add_shape(struct walk *walk, struct demand *demand, double count, const struct bw_ratio *entries, int n_dims)
{
	count = fmin(BW_MOST_CALLS, count);
	demand->calls = fmin(BW_MOST_CALLS, demand->calls + count);
	if (!demand->shapes)
		demand->shapes = BW_ARENA_ARRAY(walk->arena, struct bw_shape, MAX_SHAPES);
	for (int i = 0; i < demand->n_shapes; i++)
		if (!memcmp(demand->shapes[i].entries, entries, (size_t)(n_dims * walk->n_loops) * sizeof *entries)) {
			demand->shapes[i].count += count;
			return;
		}
	if (demand->n_shapes == MAX_SHAPES)
		demand->shapes[MAX_SHAPES - 1].count += count;
	else
		demand->shapes[demand->n_shapes++] = (struct bw_shape){count, entries};
}

static void add_read(struct walk *walk, const struct caller *caller, const struct bw_read *read)
{
	const struct bw_func *producer = &walk->nest->pipeline->funcs[read->producer];
	struct demand *demand = walk->demands[read->producer];
	if (!demand) {
		demand = walk->demands[read->producer] = BW_ARENA_NEW(walk->arena, struct demand);
		demand->bounded = true;
	}
	for (int i = 0; i < read->n_loads; i++)
		for (int k = 0; k < caller->n_shapes; k++)
			add_shape(walk, demand, read->loads[i].count * caller->shapes[k].count, compose(walk, &read->loads[i], caller->shapes[k].entries), producer->n_dims);
	struct bw_interval thread[BW_MAX_DIMS], block[BW_MAX_DIMS];
	if (!read->bounded || !caller->thread || !caller->block || !bw_read_box(read, producer->n_dims, caller->thread, thread) || !bw_read_box(read, producer->n_dims, caller->block, block)) {
		demand->bounded = false;
		return;
	}
	bw_box_include(demand->thread, thread, producer->n_dims, !demand->boxed);
	bw_box_include(demand->block, block, producer->n_dims, !demand->boxed);
	demand->boxed = true;
}

/* What the stage's loops cover in one pass through its unrolled loops. */
static void thread_loops(const struct bw_nest *nest, int func, int stage, struct bw_interval *loops)
{
	const struct bw_placed *placed = nest->placed[func];
	const struct bw_stage_plan *plan = &placed->placement->stages[stage];
	const struct bw_placed_stage *own = &placed->stages[stage];
	int outside = plan->n_loops;
	while (outside > 0 && plan->loops[outside - 1].kind == BW_LOOP_UNROLLED)
		outside--;
	if (!bw_stage_loops_of(&nest->pipeline->funcs[func].stages[stage], placed->regions[0].computed, loops))
		return;
	for (int i = 0; i < own->n_levels; i++)
		if (own->levels[i].piece == outside - 1)
			memcpy(loops, own->levels[i].loops, (size_t)nest->pipeline->funcs[func].stages[stage].n_loops * sizeof *loops);
}

/* What the stage's loops cover in one block. */
static void block_loops(const struct bw_nest *nest, int func, int stage, struct bw_interval *loops)
{
	const struct bw_placed *placed = nest->placed[func];
	const struct bw_stage *of = &nest->pipeline->funcs[func].stages[stage];
	const struct bw_region *region = &placed->regions[0];
	if (placed->kernel_func >= 0) {
		const struct bw_region *block = bw_placed_region(placed, bw_level_make(placed->kernel_func, placed->kernel_stage, BW_ROLE_BLOCK, 0));
		region = block ? block : region;
	}
	if (!bw_stage_loops_of(of, region->computed, loops))
		return;
	for (int i = 0; i < placed->stages[stage].n_levels; i++)
		if (bw_level_role(placed->stages[stage].levels[i].level) == BW_ROLE_BLOCK)
			memcpy(loops, placed->stages[stage].levels[i].loops, (size_t)of->n_loops * sizeof *loops);
}

/* Who carries an operation out: the units of its type, unless it is addressing, dear everywhere, or nothing at all. */
enum unit { BY_TYPE, ADDRESSING, DEAR, FREE };

static enum unit unit_of(enum bw_operation operation)
{
	switch (operation) {
	case BW_OPERATION_CONST:
	case BW_OPERATION_VARIABLE:
	case BW_OPERATION_PARAM:
	case BW_OPERATION_LET:
		return FREE;
	case BW_OPERATION_IMAGE_CALL:
	case BW_OPERATION_FUNC_CALL:
	case BW_OPERATION_SELF_CALL:
		return ADDRESSING;
	case BW_OPERATION_DIV:
	case BW_OPERATION_MOD:
	case BW_OPERATION_EXTERN_CALL:
		return DEAR;
	default:
		return BY_TYPE;
	}
}

static void add_work(struct bw_readings *readings, const struct bw_stage *stage, double calls)
{
	for (int o = 0; o < BW_N_OPERATIONS; o++) {
		const int *count = stage->ops[o];
		enum unit unit = unit_of((enum bw_operation)o);
		int whole = 0;
		for (int t = BW_TYPE_BOOL; t <= BW_TYPE_INT64; t++)
			whole += count[t];
		int all = whole + count[BW_TYPE_FLOAT32] + count[BW_TYPE_FLOAT64];
		if (unit == FREE || !all)
			continue;
		if (unit == BY_TYPE) {
			readings->work[BW_WORK_INT] += calls * whole;
			readings->work[BW_WORK_FLOAT] += calls * count[BW_TYPE_FLOAT32];
			readings->work[BW_WORK_DOUBLE] += calls * count[BW_TYPE_FLOAT64];
		} else {
			readings->work[unit == DEAR ? BW_WORK_SPECIAL : BW_WORK_INT] += calls * all;
		}
	}
}

static void add_reading(struct bw_readings *readings, const struct demand *demand, int func, int n_dims)
{
	struct bw_reading *reading = &readings->list[readings->n++];
	reading->func = func;
	reading->calls = demand->calls;
	reading->n_shapes = demand->n_shapes;
	reading->shapes = demand->shapes;
	reading->bounded = demand->bounded && demand->boxed;
	if (!reading->bounded)
		return;
	reading->thread_points = bw_box_points(demand->thread, n_dims);
	reading->block_points = bw_box_points(demand->block, n_dims);
	reading->block_row = n_dims ? (double)(demand->block[0].max - demand->block[0].min + 1) : 1;
}

static const struct bw_ratio *identity(struct bw_arena *arena, int n)
{
	struct bw_ratio *entries = BW_ARENA_ARRAY(arena, struct bw_ratio, n * n + 1);
	for (int i = 0; i < n * n; i++)
		entries[i] = (struct bw_ratio){i % (n + 1) == 0, 1};
	return entries;
}

struct bw_readings bw_readings_of(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	const struct bw_stage *of = &pipeline->funcs[func].stages[stage];
	struct walk walk = {nest, arena, of->n_loops, BW_ARENA_ARRAY(arena, struct demand *, pipeline->n_funcs)};
	struct bw_readings readings = {.unrolled = (double)bw_max(nest->placed[func]->stages[stage].unrolled, 1)};
	readings.list = BW_ARENA_ARRAY(arena, struct bw_reading, func + 1);

	struct bw_interval thread[BW_MAX_LOOPS] = {{0, 0}}, block[BW_MAX_LOOPS] = {{0, 0}};
	thread_loops(nest, func, stage, thread);
	block_loops(nest, func, stage, block);
	struct bw_shape one = {1, identity(arena, of->n_loops)};
	struct caller self = {of, 1, 1, &one, thread, block};
	add_work(&readings, of, 1);
	for (int r = 0; r < of->n_reads; r++)
		add_read(&walk, &self, &of->reads[r]);
	for (int f = func; f >= 0; f--) {
		const struct demand *demand = walk.demands[f];
		const struct bw_func *producer = &pipeline->funcs[f];
		if (!demand)
			continue;
		bool inlined = nest->placed[f] && nest->placed[f]->placement->compute.kind == BW_SITE_INLINE;
		if (!inlined) {
			add_reading(&readings, demand, f, producer->n_dims);
			continue;
		}
		const struct bw_stage *body = &producer->stages[0];
		struct bw_interval inner_thread[BW_MAX_LOOPS], inner_block[BW_MAX_LOOPS];
		bool boxed = demand->bounded && demand->boxed && bw_stage_loops_of(body, demand->thread, inner_thread) && bw_stage_loops_of(body, demand->block, inner_block);
		struct caller caller = {body, demand->calls, demand->n_shapes, demand->shapes, boxed ? inner_thread : NULL, boxed ? inner_block : NULL};
		readings.inlined_calls += demand->calls;
		add_work(&readings, body, demand->calls);
		for (int r = 0; r < body->n_reads; r++)
			add_read(&walk, &caller, &body->reads[r]);
	}
	return readings;
}
