/* Walks from a stage through the Funcs inlined into it, and adds up their loads and operations. */
#include "cost/reading.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "nest/parity.h"

/* Integer instructions of a division by a constant, and of a conversion to a float; the part of sums that is
 * saved because an instruction adds three values. */
#define DIVISION_INSTRUCTIONS 2.4
#define CONVERSION_INSTRUCTIONS 3.8
#define SUMS_FUSED 0.4
/* Most shapes of loads that are kept separate for one producer; further ones are added to the last. */
enum { MAX_SHAPES = 24 };

/* The demand of the stage on one Func. It grows while the Func's inlined callers are visited, consumers
 * first. */
struct demand {
	int func;
	struct demand *next;
	double calls;
	int n_shapes;
	struct bw_load_shape *shapes;
	bool bounded;
	bool boxed;
	struct bw_interval block[BW_MAX_DIMS];
	bool unknown; /* whether the next is not known */
	bool passed;
	struct bw_known *known;               /* of an inlined Func's coordinates; NULL: nothing is asked */
	struct bw_interval pass[BW_MAX_DIMS]; /* what one pass through the unrolled loops requires */
};

struct walk {
	const struct bw_context *context;
	struct bw_arena *arena;
	int n_loops;          /* of the stage */
	bool parity;          /* of inlined Funcs it is asked what is known of their loops */
	struct demand *first; /* by decreasing index */
	/* The demand whose inlined Func is being visited; demands on what that Func reads come later in the list.
	 * NULL: the stage itself is being visited. */
	struct demand *at;
	int n;                /* number of demands */
};

/* Additions and multiplications of one type of floats per point. A multiplication whose product is added is
 * fused with the addition. */
struct fusible {
	double sums, products;
};

/* One caller: the stage itself or an inlined Func, with the dependence of its loops on the stage's loops
 * and the region that they cover in a block. */
struct caller {
	const struct bw_stage *stage;
	bool self; /* it is the stage: its loops depend on themselves alone */
	double calls;
	int n_shapes;
	const struct bw_load_shape *shapes;   /* of the caller's loops by the stage's loops */
	const struct bw_interval *block; /* NULL: unbounded */
	const struct bw_interval *pass; /* what they cover in a pass through the unrolled loops; NULL: not known */
	const struct bw_known *known;   /* of its loops; NULL: nothing is asked */
};

/* A ratio that does not fit into 64 bits is unknown. */
static const struct bw_ratio unknown = {.den = 0};

static struct bw_ratio lowest(int64_t num, int64_t den)
{
	int64_t common = den == 1 ? 1 : bw_gcd(num, den);
	return (struct bw_ratio){.num = num / common, .den = den / common};
}

static struct bw_ratio ratio_add(struct bw_ratio a, struct bw_ratio b)
{
	int64_t left, right, num, den;
	if (!a.den || !b.den)
		return unknown;
	if (__builtin_mul_overflow(a.num, b.den, &left) || __builtin_mul_overflow(b.num, a.den, &right) ||
	    __builtin_add_overflow(left, right, &num) || __builtin_mul_overflow(a.den, b.den, &den))
		return unknown;
	return lowest(num, den);
}

static struct bw_ratio ratio_multiply(struct bw_ratio a, struct bw_ratio b)
{
	int64_t num, den;
	if ((a.den && !a.num) || (b.den && !b.num))
		return (struct bw_ratio){.num = 0, .den = 1};
	if (!a.den || !b.den || __builtin_mul_overflow(a.num, b.num, &num) ||
	    __builtin_mul_overflow(a.den, b.den, &den))
		return unknown;
	return lowest(num, den);
}

/* Returns the change of a load's address with the loops of its own stage. */
static const struct bw_ratio *in_lowest_terms(struct walk *walk, const struct bw_jacobian *load)
{
	int n = load->n_dims * load->n_loops;
	struct bw_ratio *entries = BW_ARENA_ARRAY(walk->arena, struct bw_ratio, n + 1);
	for (int i = 0; i < n; i++)
		entries[i] = load->entries[i].den ? lowest(load->entries[i].num, load->entries[i].den) : unknown;
	return entries;
}

/* Returns the product of a load's Jacobian and a caller's: the change of the load's address with the
 * stage's loops. */
static const struct bw_ratio *compose(struct walk *walk, const struct bw_jacobian *load,
				      const struct bw_ratio *caller)
{
	struct bw_ratio *product = BW_ARENA_ARRAY(walk->arena, struct bw_ratio, load->n_dims * walk->n_loops + 1);
	for (int d = 0; d < load->n_dims; d++)
		for (int l = 0; l < walk->n_loops; l++) {
			struct bw_ratio sum = {.den = 1};
			for (int k = 0; k < load->n_loops; k++)
				sum = ratio_add(sum, ratio_multiply(load->entries[d * load->n_loops + k], caller[k * walk->n_loops + l]));
			product[d * walk->n_loops + l] = sum;
		}
	return product;
}

static void add_shape(struct walk *walk, struct demand *demand, double count, const struct bw_ratio *entries,
		      int n_dims)
{
	count = fmin(BW_MOST_CALLS, count);
	demand->calls = fmin(BW_MOST_CALLS, demand->calls + count);
	if (!demand->shapes)
		demand->shapes = BW_ARENA_ARRAY(walk->arena, struct bw_load_shape, MAX_SHAPES);
	for (int i = 0; i < demand->n_shapes; i++)
		if (!memcmp(demand->shapes[i].entries, entries, (size_t)(n_dims * walk->n_loops) * sizeof *entries)) {
			demand->shapes[i].count += count;
			return;
		}
	if (demand->n_shapes == MAX_SHAPES)
		demand->shapes[MAX_SHAPES - 1].count += count;
	else
		demand->shapes[demand->n_shapes++] = (struct bw_load_shape){count, entries};
}

/* Returns the demand on a Func, and adds it if it is new. */
static struct demand *demand_on(struct walk *walk, int func)
{
	struct demand **at = walk->at ? &walk->at->next : &walk->first;
	while (*at && (*at)->func > func)
		at = &(*at)->next;
	if (!*at || (*at)->func != func) {
		struct demand *demand = BW_ARENA_NEW(walk->arena, struct demand);
		demand->func = func;
		demand->next = *at;
		demand->bounded = true;
		*at = demand;
		walk->n++;
	}
	return *at;
}

/* Adds what is known of the coordinates of an inlined Func. */
static void add_known(struct walk *walk, const struct caller *caller, const struct bw_read *read,
		      struct demand *demand)
{
	const struct bw_func *producer = &walk->context->pipeline->funcs[read->producer];
	if (!walk->parity || producer->input)
		return;
	if (!demand->known) {
		demand->known = BW_ARENA_ARRAY(walk->arena, struct bw_known, producer->n_dims + 1);
		for (int d = 0; d < producer->n_dims; d++)
			demand->known[d] = bw_known_nothing();
	}
	for (int i = 0; i < read->n_loads; i++)
		bw_known_add(&read->loads[i], caller->known, demand->known);
}

/* Adds the reads of a share of the caller's points. */
static void add_read(struct walk *walk, const struct caller *caller, const struct bw_read *read, double share)
{
	const struct bw_func *producer = &walk->context->pipeline->funcs[read->producer];
	struct demand *demand = demand_on(walk, read->producer);
	add_known(walk, caller, read, demand);
	for (int i = 0; i < read->n_loads; i++)
		for (int k = 0; k < caller->n_shapes; k++) {
			const struct bw_ratio *entries =
			    caller->self ? in_lowest_terms(walk, &read->loads[i])
					 : compose(walk, &read->loads[i], caller->shapes[k].entries);
			add_shape(walk, demand, read->loads[i].count * share * caller->shapes[k].count,
				  entries, producer->n_dims);
		}
	struct bw_interval block[BW_MAX_DIMS], pass[BW_MAX_DIMS];
	if (read->bounded && caller->pass && bw_read_box(read, producer->n_dims, caller->pass, pass)) {
		bw_box_include(demand->pass, pass, producer->n_dims, !demand->passed);
		demand->passed = true;
	} else {
		demand->unknown = true;
	}
	if (!read->bounded || !caller->block || !bw_read_box(read, producer->n_dims, caller->block, block)) {
		demand->bounded = false;
		return;
	}
	bw_box_include(demand->block, block, producer->n_dims, !demand->boxed);
	demand->boxed = true;
}

/* Computes what the stage's loops cover in one block. */
static void block_loops(const struct bw_stage *of, const struct bw_placed *placed, struct bw_interval *loops)
{
	int stage = of->index;
	const struct bw_region *region = &placed->regions[0];
	if (placed->kernel_func >= 0) {
		const struct bw_region *block = bw_placed_region(
		    placed, bw_level_make(placed->kernel_func, placed->kernel_stage, BW_ROLE_BLOCK, 0));
		region = block ? block : region;
	}
	if (!bw_stage_loops_of(of, region->computed, loops))
		return;
	for (int i = 0; i < placed->stages[stage].n_levels; i++)
		if (bw_level_role(placed->stages[stage].levels[i].level) == BW_ROLE_BLOCK)
			memcpy(loops, placed->stages[stage].levels[i].loops, (size_t)of->n_loops * sizeof *loops);
}

/* Returns true if the loops of a stage's plan from index `piece` on are all unrolled. */
static bool unrolls_from(const struct bw_stage_plan *plan, const struct bw_placed_stage *own, int piece)
{
	bool all = true;
	for (int k = piece; k < plan->n_loops && all; k++)
		all = own->extents[k] == 1 || bw_stage_copies(plan, own, k);
	return all;
}

/* Returns what the stage's loops cover in one pass through those that are unrolled; NULL: one point, or it is
 * not known. A Func inside of threads that unrolls all of its loops has no level around them: then it is what
 * its loops cover at its site, found in `site`. */
static const struct bw_interval *pass_loops(const struct bw_stage *of, const struct bw_placed *placed,
					    struct bw_interval *site)
{
	const struct bw_stage_plan *plan = &placed->placement->stages[of->index];
	const struct bw_placed_stage *own = &placed->stages[of->index];
	const struct bw_interval *pass = NULL;
	for (int i = 0; i < own->n_levels && own->unrolled > 1 && !pass; i++)
		if (unrolls_from(plan, own, own->levels[i].piece + 1) &&
		    bw_box_points(own->levels[i].loops, of->n_loops) == (double)own->unrolled)
			pass = own->levels[i].loops;
	if (!pass && own->unrolled > 1 && unrolls_from(plan, own, 0) &&
	    bw_stage_loops_of(of, placed->regions[0].computed, site) &&
	    bw_box_points(site, of->n_loops) == (double)own->unrolled)
		pass = site;
	return pass;
}

/* Returns the unit that executes an operation: the unit of its type, the special one, or none. */
enum unit { BY_TYPE, DEAR, FREE };

static enum unit unit_of(enum bw_operation operation)
{
	switch (operation) {
	case BW_OPERATION_CONST:
	case BW_OPERATION_VARIABLE:
	case BW_OPERATION_PARAM:
	case BW_OPERATION_LET:
	case BW_OPERATION_IMAGE_CALL:
	case BW_OPERATION_FUNC_CALL:
	case BW_OPERATION_SELF_CALL:
		return FREE;
	case BW_OPERATION_DIV:
	case BW_OPERATION_MOD:
	case BW_OPERATION_EXTERN_CALL:
		return DEAR;
	default:
		return BY_TYPE;
	}
}

void bw_stage_work(const struct bw_stage *stage, double calls, double work[BW_N_WORKS])
{
	for (uint64_t rest = stage->op_kinds; rest; rest &= rest - 1) {
		int o = __builtin_ctzll(rest);
		const int *count = stage->ops[o];
		enum unit unit = unit_of((enum bw_operation)o);
		int whole = 0;
		for (int t = BW_TYPE_BOOL; t <= BW_TYPE_INT64; t++)
			whole += count[t];
		int all = whole + count[BW_TYPE_FLOAT32] + count[BW_TYPE_FLOAT64];
		if (unit == FREE || !all)
			continue;
		if (unit == BY_TYPE) {
			work[BW_WORK_INT] += calls * whole;
			work[BW_WORK_FLOAT] += calls * count[BW_TYPE_FLOAT32];
			work[BW_WORK_DOUBLE] += calls * count[BW_TYPE_FLOAT64];
		} else {
			work[BW_WORK_SPECIAL] += calls * all;
		}
	}
}

static double of_integers(const struct bw_stage *stage, enum bw_operation operation)
{
	double sum = 0;
	for (int t = BW_TYPE_BOOL; t <= BW_TYPE_INT64; t++)
		sum += stage->ops[operation][t];
	return sum;
}

/* Returns the sums, and adds the products, of the indices of the stage's loads that are whole multiples of
 * its loops: each row of a Jacobian with several loops adds these up. */
static double index_sums(const struct bw_stage *stage, double *products)
{
	double sums = 0;
	for (int r = 0; r < stage->n_reads; r++)
		for (int i = 0; i < stage->reads[r].n_loads; i++) {
			const struct bw_jacobian *load = &stage->reads[r].loads[i];
			for (int d = 0; d < load->n_dims; d++) {
				int loops = 0, multiples = 0, others = 0;
				for (int l = 0; l < load->n_loops; l++) {
					struct bw_ratio entry = load->entries[d * load->n_loops + l];
					others += entry.den != 1;
					loops += entry.num != 0;
					multiples += entry.num > 1 || entry.num < -1;
				}
				sums += others ? 0 : load->count * fmax(0, loops - 1);
				*products += others ? 0 : load->count * multiples;
			}
		}
	return sums;
}

/* Returns the integer instructions per point. Expressions that only compute the coordinates of a call, and
 * casts to integers, cost nothing. Products and sums are fused. Divisions are by constants. Conversions to
 * floats count. */
static double int_instructions(const struct bw_stage *stage)
{
	double all = 0;
	for (uint64_t rest = stage->op_kinds; rest; rest &= rest - 1) {
		enum bw_operation operation = (enum bw_operation)__builtin_ctzll(rest);
		if (unit_of(operation) == BY_TYPE && operation != BW_OPERATION_CAST)
			all += of_integers(stage, operation);
	}
	double affine_products = 0, affine_sums = index_sums(stage, &affine_products);
	double sums = of_integers(stage, BW_OPERATION_ADD) + of_integers(stage, BW_OPERATION_SUB);
	double products = of_integers(stage, BW_OPERATION_MUL);
	double divisions = of_integers(stage, BW_OPERATION_DIV) + of_integers(stage, BW_OPERATION_MOD);
	/* A constant that no product or division takes is an offset of a call's argument. */
	double offsets = fmin(sums, fmax(0, stage->ops[BW_OPERATION_CONST][BW_TYPE_INT32] -
						stage->ops[BW_OPERATION_MUL][BW_TYPE_INT32] - divisions));
	sums -= offsets;
	double of_loads = fmin(sums, affine_sums) + fmin(products, affine_products);
	sums -= fmin(sums, affine_sums);
	products -= fmin(products, affine_products);
	double fused = fmin(sums, products);
	return all - offsets - of_loads - fused - SUMS_FUSED * (sums - fused) + DIVISION_INSTRUCTIONS * divisions +
	       CONVERSION_INSTRUCTIONS * stage->ops[BW_OPERATION_CAST][BW_TYPE_FLOAT32];
}

/* Adds the work of a stage that is called so many times, and what the compiler can fuse of it. */
static void add_work(struct bw_readings *readings, const struct bw_stage *stage, double calls,
		     struct fusible *fusible)
{
	bw_stage_work(stage, calls, readings->work);
	if (readings->instructions)
		readings->int_instructions += calls * int_instructions(stage);
	for (int t = BW_TYPE_FLOAT32; t <= BW_TYPE_FLOAT64 && readings->instructions; t++)
		readings->dear += calls * (stage->ops[BW_OPERATION_DIV][t] + stage->ops[BW_OPERATION_MOD][t] +
					   stage->ops[BW_OPERATION_EXTERN_CALL][t]);
	for (int k = 0; k < 2; k++) {
		enum bw_type type = k ? BW_TYPE_FLOAT64 : BW_TYPE_FLOAT32;
		fusible[k].sums += calls * (stage->ops[BW_OPERATION_ADD][type] + stage->ops[BW_OPERATION_SUB][type]);
		fusible[k].products += calls * stage->ops[BW_OPERATION_MUL][type];
	}
}

static void add_reading(struct bw_readings *readings, const struct demand *demand, int n_dims)
{
	struct bw_reading *reading = &readings->list[readings->n++];
	reading->func = demand->func;
	reading->calls = demand->calls;
	reading->n_shapes = demand->n_shapes;
	reading->shapes = demand->shapes;
	reading->bounded = demand->bounded && demand->boxed;
	if (!reading->bounded)
		return;
	reading->block_points = bw_box_points(demand->block, n_dims);
	reading->block_row = n_dims ? (double)(demand->block[0].max - demand->block[0].min + 1) : 1;
}

/* Returns true if no load is of one point in several iterations, or of a point that only values tell: what
 * the compiler cannot see to be the same it computes again. */
static bool is_even(const struct walk *walk, const struct demand *demand)
{
	int n = walk->context->pipeline->funcs[demand->func].n_dims * walk->n_loops;
	for (int s = 0; s < demand->n_shapes; s++)
		for (int e = 0; e < n; e++)
			if (demand->shapes[s].entries[e].den != 1)
				return false;
	return true;
}

/* Adds the work and the reads of one class of a caller's points; calls: of all. */
static void add_class(struct walk *walk, const struct caller *caller, const struct bw_class *class,
		      double calls, struct bw_readings *readings, struct fusible *fusible)
{
	add_work(readings, class->stage, calls * class->share, fusible);
	for (int r = 0; r < class->stage->n_reads; r++)
		add_read(walk, caller, &class->stage->reads[r], class->share);
}

/* Adds the demands of an inlined Func. Calls of the same point in one pass count once. */
static void go_through(struct walk *walk, const struct demand *demand, struct bw_readings *readings,
		       struct fusible *fusible)
{
	const struct bw_stage *body = &walk->context->pipeline->funcs[demand->func].stages[0];
	struct bw_interval block[BW_MAX_LOOPS], pass[BW_MAX_LOOPS];
	bool boxed = demand->bounded && demand->boxed && bw_stage_loops_of(body, demand->block, block);
	bool passed = demand->passed && !demand->unknown && bw_stage_loops_of(body, demand->pass, pass);
	struct bw_known known[BW_MAX_LOOPS];
	struct bw_class classes[BW_MAX_CLASSES];
	struct caller caller = {body,
				false,
				demand->calls,
				demand->n_shapes,
				demand->shapes,
				boxed ? block : NULL,
				passed ? pass : NULL,
				walk->parity ? known : NULL};
	if (walk->parity)
		bw_known_inlined(body, demand->known, demand->boxed ? demand->block : NULL, known);
	double calls = demand->calls;
	int n_dims = walk->context->pipeline->funcs[demand->func].n_dims;
	if (passed && is_even(walk, demand))
		calls = fmin(calls, bw_box_points(demand->pass, n_dims) / readings->unrolled);
	readings->inlined_calls += demand->calls;
	readings->results += calls;
	for (int n = bw_stage_classes(body, caller.known, classes), k = 0; k < n; k++)
		add_class(walk, &caller, &classes[k], calls, readings, fusible);
}

static bool is_inlined(const struct bw_context *context, int func)
{
	const struct bw_outside *outside = bw_context_outside(context, func);
	return outside && outside->inlined;
}

struct bw_readings bw_readings_of(const struct bw_context *context, int func, int stage, int asked,
				  struct bw_arena *arena)
{
	const bool instructions = asked & BW_READ_INSTRUCTIONS;
	const bool parity = context->pipeline->parities && asked & (BW_READ_PARITY | BW_READ_ALL_PARITY);
	const struct bw_func *funcs = context->pipeline->funcs;
	const struct bw_stage *of = &funcs[func].stages[stage];
	const struct bw_placed *placed = bw_context_inside(context, func);
	struct walk walk = {.context = context, .arena = arena, .n_loops = of->n_loops, .parity = parity};
	struct bw_known known[BW_MAX_LOOPS];
	struct bw_class classes[BW_MAX_CLASSES];
	struct fusible fusible[2] = {{0}};
	struct bw_readings readings = {.unrolled = (double)bw_max(placed->stages[stage].unrolled, 1),
				       .instructions = instructions};

	struct bw_interval block[BW_MAX_LOOPS] = {{0, 0}};
	block_loops(of, placed, block);
	struct bw_load_shape one = {1, NULL};
	struct bw_interval site[BW_MAX_LOOPS];
	struct caller self = {of,
			      true,
			      1,
			      1,
			      &one,
			      block,
			      instructions ? pass_loops(of, placed, site) : NULL,
			      parity ? known : NULL};
	if (parity)
		bw_known_loops(context->pipeline, placed, of, asked & BW_READ_ALL_PARITY, known);
	for (int n = bw_stage_classes(of, self.known, classes), k = 0; k < n; k++)
		add_class(&walk, &self, &classes[k], 1, &readings, fusible);
	for (walk.at = walk.first; walk.at; walk.at = walk.at->next)
		if (is_inlined(context, walk.at->func))
			go_through(&walk, walk.at, &readings, fusible);
	readings.work[BW_WORK_FLOAT] -= fmin(fusible[0].sums, fusible[0].products);
	readings.work[BW_WORK_DOUBLE] -= fmin(fusible[1].sums, fusible[1].products);
	readings.list = BW_ARENA_ARRAY(arena, struct bw_reading, walk.n);
	for (const struct demand *demand = walk.first; demand; demand = demand->next)
		if (!is_inlined(context, demand->func))
			add_reading(&readings, demand, funcs[demand->func].n_dims);
	return readings;
}
