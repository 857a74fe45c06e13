/* Finds which loops of a stage move the regions that are computed inside of these loops, and whether both
 * ends of a region move alike. A loop moves nothing if no bound on the path to the region names it. */
#include <stdlib.h>

#include "base/hash.h"
#include "nest/nest_private.h"

/* How an interval moves with the loops of the host. */
struct motion {
	uint32_t loops; /* bit mask of the loops that may move it */
	bool even;      /* both ends move alike, wherever the loops stand */
	bool plain;     /* only expressions that Halide can bound lie on the path from the loops */
	bool divided;   /* a quotient or a remainder lies on the path from the loops */
	bool rescaled;  /* and is multiplied on the way */
	/* on the path from the loops each end moves evenly or by an affine form, or is one of
	 * several such ends; none is divided by a number that Halide does not know */
	bool straight;
	uint64_t by; /* if even: how far it moves, where each loop has a distance of its own (step_of) */
	/* if even: the interval while all loops are at 0, and those of a reduction at their last
	 * iterations */
	struct bw_interval start;
};

/* The required region of a Func. */
struct required {
	bool any; /* a stage inside the loops reads it, or one that is inlined there */
	struct motion dims[BW_MAX_DIMS];
};

/* Returns the distance that stands for one step of a loop. */
static uint64_t step_of(int loop)
{
	return bw_hash_mix(1, (uint64_t)loop);
}

static struct motion of_loop(const struct bw_stage_loop *of, int loop)
{
	struct bw_interval start = {0, 0};
	if (!of->pure && bw_expr_constant(of->bound.max) && bw_expr_eval(of->bound.max, NULL, &start.max))
		start.min = start.max;
	return (struct motion){.loops = (uint32_t)1 << loop,
			       .even = true,
			       .plain = true,
			       .straight = true,
			       .by = step_of(loop),
			       .start = start};
}

/* Returns true if an end of a bound is a multiple of a variable. */
static bool multiplies(const struct bw_bound *bound, int variable)
{
	struct bw_affine low, high;
	return bw_expr_affine(bound->min, &low) && bw_expr_affine(bound->max, &high) &&
	       ((low.variable == variable && low.multiplier > low.divisor) ||
		(high.variable == variable && high.multiplier > high.divisor));
}

/* Returns how a bound moves with the intervals that it depends on. Halide cancels nothing in quotients by
 * a number that it does not know, such as a floating-point scale, even if they move alike. */
static struct motion of_bound(const struct bw_bound *bound, const struct motion *over)
{
	struct bw_affine form;
	struct motion motion = {.even = true, .straight = true};
	motion.plain = bw_expr_plain(bound->min) && bw_expr_plain(bound->max);
	motion.divided = bw_expr_divides(bound->min) || bw_expr_divides(bound->max);
	const bool hidden = motion.divided && (bw_expr_parametric(bound->min) || bw_expr_parametric(bound->max));
	struct bw_interval start[BW_MAX_LOOPS] = {{0, 0}};
	uint64_t by[BW_MAX_LOOPS], high = 0;
	for (uint32_t rest = bw_expr_variables(bound->min) | bw_expr_variables(bound->max); rest; rest &= rest - 1) {
		int variable = __builtin_ctz(rest);
		motion.loops |= over[variable].loops;
		motion.even &= over[variable].even;
		motion.plain &= over[variable].plain;
		motion.divided |= over[variable].divided;
		motion.rescaled |= over[variable].rescaled ||
				   (over[variable].divided && multiplies(bound, variable));
		motion.straight &= over[variable].straight;
		by[variable] = over[variable].by;
		start[variable] = over[variable].start;
	}
	motion.even = motion.even && bw_expr_shift(bound->min, by, &motion.by) &&
		      bw_expr_shift(bound->max, by, &high) && motion.by == high;
	motion.even = motion.even && bw_bound_eval(bound, start, &motion.start) == BW_BOUND_BOTH;
	motion.even = motion.even && !hidden;
	motion.straight =
	    motion.straight && !hidden &&
	    (motion.even || (bw_expr_affine(bound->min, &form) && bw_expr_affine(bound->max, &form)));
	return motion;
}

/* Returns how an interval moves that contains two others. */
static struct motion both(struct motion a, struct motion b)
{
	bw_box_include(&a.start, &b.start, 1, false);
	return (struct motion){.loops = a.loops | b.loops,
	                       .even = a.even && b.even && a.by == b.by,
	                       .plain = a.plain && b.plain,
	                       .divided = a.divided || b.divided,
	                       .rescaled = a.rescaled || b.rescaled,
	                       .straight = a.straight && b.straight,
	                       .by = a.by,
	                       .start = a.start};
}

/* Finds the motions of a stage's loops, given the motions of its Func's required region. An inlined Func
 * computes exactly its required region. */
static void loops_of(const struct bw_func *func, const struct bw_stage *stage, const struct motion *required,
		     struct motion *loops)
{
	struct motion computed[BW_MAX_DIMS];
	for (int d = 0; d < func->n_dims; d++)
		computed[d] = both(required[d], of_bound(&func->computed[d], required));
	for (int l = 0; l < stage->n_loops; l++)
		loops[l] = of_bound(&stage->loops[l].bound, computed);
}

/* Adds the loops that move the region which a stage reads of a Func, with the stage's predicates and
 * without them. */
static void add_read(const struct bw_stage *stage, int func, int n_dims, const struct motion *loops,
		     struct required *required)
{
	const struct bw_read *read = bw_stage_read_of(stage, func);
	for (int d = 0; d < n_dims; d++) {
		struct motion more = of_bound(&read->box[d], loops);
		if (read->touched != read->box)
			more = both(more, of_bound(&read->touched[d], loops));
		required->dims[d] = required->any ? both(required->dims[d], more) : more;
	}
	required->any = true;
}

/* Returns how many points a dimension moves per step of the loop that moves it; 1 if several loops
 * move it; 0 if it does not move evenly. */
static int64_t multiplier_of(const struct motion *motion)
{
	uint64_t step = step_of(__builtin_ctz(motion->loops));
	if (motion->loops & (motion->loops - 1))
		return motion->even;
	for (int64_t by = 1; by <= BW_MOST_BACK && motion->even; by++)
		if (motion->by == (uint64_t)by * step)
			return by;
	return 0;
}

/* Returns how far an iteration of a loop moves a dimension, if no other loop moves this dimension. Returns
 * 0 if the distance is not known. */
static unsigned char far_of(const struct motion *motion, int loop)
{
	return motion->loops == (uint32_t)1 << loop ? (unsigned char)multiplier_of(motion) : 0;
}

/* Returns the sizes of pieces, as bits, for which the dimension reaches back (struct bw_moved). */
static uint32_t back_of(const struct motion *motion)
{
	uint32_t back = 0;
	int64_t multiplier = motion->loops ? multiplier_of(motion) : 0;
	for (int size = 2; size < BW_MOST_BACK && multiplier; size++)
		if (motion->start.min <= -multiplier * (size - 1) && -multiplier * (size - 1) < motion->start.max)
			back |= (uint32_t)1 << size;
	return back;
}

/* Returns the loops that move the computed region of a Func, given those that move its required
 * region. */
static struct bw_moved moved_of(const struct bw_func *func, const struct motion *required)
{
	struct bw_moved moved = {.apart = true, .as_one = true, .plain = true};
	for (int d = 0; d < func->n_dims; d++) {
		struct motion computed = of_bound(&func->computed[d], required);
		uint32_t by = computed.loops | required[d].loops;
		for (uint32_t rest = by & ~moved.loops; rest; rest &= rest - 1) {
			int loop = __builtin_ctz(rest);
			moved.first[loop] = (unsigned char)d;
			moved.far[loop] = far_of(&computed, loop);
		}
		moved.loops |= by;
		moved.divided |= required[d].divided || computed.divided ? by : 0;
		moved.rescaled |= required[d].rescaled || computed.rescaled ? by : 0;
		moved.apart &= !(computed.loops & (computed.loops - 1)) && !(required[d].loops & (required[d].loops - 1));
		moved.as_one &= computed.even;
		if (!(required[d].even && computed.even)) {
			moved.uneven |= (uint32_t)1 << d;
			moved.uneven_loops |= computed.loops | required[d].loops;
		}
		moved.plain &= required[d].plain && computed.plain;
		moved.bent |= required[d].straight && computed.straight ? 0 : required[d].loops | computed.loops;
		moved.back |= back_of(&required[d]);
	}
	return moved;
}

/* Returns true if a stage that reads a Func is the host, or may be inside of the host. */
static bool is_inside(const struct bw_stage *stage, const struct bw_stage *host,
		      const struct required *required)
{
	return stage->func == host->func ? stage->index == host->index
					 : stage->func < host->func && required[stage->func].any;
}

void bw_moved_by(const struct bw_pipeline *pipeline, const struct bw_stage *host, struct bw_moved *moved)
{
	BW_SCOPED_MEMORY struct required *required = BW_NEW_ARRAY(struct required, host->func + 1);
	struct motion loops[BW_MAX_LOOPS];
	for (int f = host->func - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		for (int c = 0; c < func->n_consumers; c++) {
			const struct bw_stage *stage = func->consumers[c];
			if (!is_inside(stage, host, required))
				continue;
			for (int l = 0; l < stage->n_loops && stage->func == host->func; l++)
				loops[l] = of_loop(&stage->loops[l], l);
			if (stage->func < host->func)
				loops_of(&pipeline->funcs[stage->func], stage, required[stage->func].dims, loops);
			add_read(stage, f, func->n_dims, loops, &required[f]);
		}
		moved[f] = func->input || !required[f].any ? (struct bw_moved){0} : moved_of(func, required[f].dims);
	}
}
