/* Required and computed regions (nest/nest.h). A box at a level is found from the consumers inside that
 * level. Each consumer covers an interval of each of its loops at the level, and each of its reads gives
 * the box of the producer that these intervals need. An unknown bound is BW_NO_BOUND; it passes through
 * inlined Funcs until an expression clamps it. */
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"

/* Numbers of loop levels: Func, stage, role and serial loop packed into 32 bits. */

/* 31: a level and not the root; 30..18: Func; 17..12: stage; 11..10: role; 9..0: serial. */
enum { FUNC_SHIFT = 18, STAGE_SHIFT = 12, ROLE_SHIFT = 10 };

bw_level bw_level_make(int func, int stage, enum bw_role role, int serial)
{
	return 1u << 31 | (bw_level)func << FUNC_SHIFT | (bw_level)stage << STAGE_SHIFT |
	       (bw_level)role << ROLE_SHIFT | (bw_level)serial;
}

int bw_level_func(bw_level level)
{
	return (int)(level >> FUNC_SHIFT & 0x1fff);
}

int bw_level_stage(bw_level level)
{
	return (int)(level >> STAGE_SHIFT & 0x3f);
}

enum bw_role bw_level_role(bw_level level)
{
	return (enum bw_role)(level >> ROLE_SHIFT & 3);
}

int bw_level_serial(bw_level level)
{
	return (int)(level & 0x3ff);
}

/* Values beyond this come from BW_NO_BOUND: Halide's own coordinates have 32 bits. */
#define BEYOND ((int64_t)1 << 40)

/* Returns true if an end has a value that does not come from BW_NO_BOUND. */
static inline bool is_value(int ends, int end, int64_t value)
{
	return ends & end && (uint64_t)value + (BEYOND - 1) < 2 * BEYOND - 1;
}

/* Evaluates a bound. An end without a value gets BW_NO_BOUND, and the function returns false. */
static bool bound_of(const struct bw_bound *bound, const struct bw_interval *intervals,
		     struct bw_interval *interval)
{
	int ends = bw_bound_eval(bound, intervals, interval);
	bool low = is_value(ends, BW_BOUND_MIN, interval->min), high = is_value(ends, BW_BOUND_MAX, interval->max);
	if (!low)
		interval->min = -BW_NO_BOUND;
	if (!high)
		interval->max = BW_NO_BOUND;
	return low && high;
}

static bool box_of(const struct bw_bound *bounds, int n, const struct bw_interval *intervals,
		   struct bw_interval *box)
{
	bool bounded = true;
	for (int d = 0; d < n; d++)
		bounded &= bound_of(&bounds[d], intervals, &box[d]);
	return bounded;
}

bool bw_stage_loops_of(const struct bw_stage *stage, const struct bw_interval *computed,
		       struct bw_interval *loops)
{
	bool bounded = true;
	for (int l = 0; l < stage->n_loops; l++)
		bounded &= bound_of(&stage->loops[l].bound, computed, &loops[l]);
	return bounded;
}

bool bw_read_box(const struct bw_read *read, int n_dims, const struct bw_interval *loops,
		 struct bw_interval *box)
{
	return box_of(read->box, n_dims, loops, box);
}

double bw_box_points(const struct bw_interval *box, int n)
{
	double points = 1;
	for (int d = 0; d < n; d++)
		points *= (double)bw_interval_extent(&box[d]);
	return points;
}

bool bw_computed_box(const struct bw_func *func, const struct bw_interval *required,
		     struct bw_interval *computed)
{
	return box_of(func->computed, func->n_dims, required, computed);
}

bool bw_placement_box(const struct bw_func *func, const struct bw_placement *placement,
		      const struct bw_interval *required, struct bw_interval *computed)
{
	bool bounded = bw_computed_box(func, required, computed);
	for (int d = 0; d < func->n_dims; d++) {
		int64_t align = placement->align[d];
		if (!align || computed[d].min == -BW_NO_BOUND || computed[d].max == BW_NO_BOUND)
			continue;
		computed[d].min -= (computed[d].min % align + align) % align;
		computed[d].max = computed[d].min + bw_round_up(bw_interval_extent(&computed[d]), align) - 1;
	}
	return bounded;
}

void bw_box_include(struct bw_interval *box, const struct bw_interval *more, int n, bool first)
{
	for (int d = 0; d < n; d++) {
		box[d].min = first ? more[d].min : bw_min(box[d].min, more[d].min);
		box[d].max = first ? more[d].max : bw_max(box[d].max, more[d].max);
	}
}

const struct bw_region *bw_placed_region(const struct bw_placed *placed, bw_level level)
{
	for (int i = 0; i < placed->n_regions; i++)
		if (placed->regions[i].level == level)
			return &placed->regions[i];
	return NULL;
}

const struct bw_own_level *bw_placed_own_level(const struct bw_placed *placed, bw_level level)
{
	if (placed->placement->compute.kind == BW_SITE_INLINE)
		return NULL;
	const struct bw_placed_stage *stage = &placed->stages[bw_level_stage(level)];
	for (int i = 0; i < stage->n_levels; i++)
		if (stage->levels[i].level == level)
			return &stage->levels[i];
	return NULL;
}

/* Which region is asked for. Without a move, the region is in the placed Funcs; with a move, it is
 * computed again with the level's own loops moved. REQUIRED: only the points that Halide's bounds count.
 * TOUCHED: also the points that splits add by rounding up and those that a predicate would leave out. */
enum extent_of { REQUIRED, TOUCHED };
struct found {
	int func;
	enum extent_of extent;
	struct bw_interval box[BW_MAX_DIMS];
};
struct question {
	const struct bw_nest *nest;
	bw_level level;
	struct bw_move move;
	struct found *found; /* boxes found so far */
	int n, capacity;
	bool rounded; /* without a move: more is touched than required */
};

/* The producer whose region is asked for. Predicates count, unless the producer is inlined (Halide moves
 * what is read twice out of them) or the size of its memory is asked for. */
struct asked {
	int func;
	enum extent_of extent;
	bool predicates;
};

static bool answer(struct question *question, struct asked asked, struct bw_interval *box);

/* Finds the intervals of the level's own loops after a move, or takes one of the loops as a whole. Loops
 * of a reduction never move past their end, and no loop moves back past its beginning. */
static bool own_loops(const struct question *question, const struct bw_stage *consumer,
		      struct bw_interval *loops)
{
	const struct bw_placed *placed = question->nest->placed[consumer->func];
	const struct bw_own_level *own = bw_placed_own_level(placed, question->level);
	if (!own)
		return false;
	if (question->move.steps)
		bw_stage_loops_of(consumer, placed->regions[0].computed, loops);
	for (int l = 0; l < consumer->n_loops; l++) {
		int64_t size = question->move.points ? 1 : own->loops[l].max - own->loops[l].min + 1,
			by = question->move.steps * size;
		if (question->move.loop >= 0 && question->move.loop != l)
			by = 0;
		if (by > 0 && (question->move.within || !consumer->loops[l].pure))
			by = bw_min(by, loops[l].max - own->loops[l].max);
		if (by < 0)
			by = bw_max(by, loops[l].min - own->loops[l].min);
		if (question->move.whole && (question->move.loop < 0 || question->move.loop == l))
			continue;
		loops[l].min = own->loops[l].min + by;
		loops[l].max = own->loops[l].max + by;
	}
	return true;
}

/* Finds the region that a placed Func computes if `required` is required of it. TOUCHED includes the
 * points that its splits add by rounding up. */
static void computed_from(const struct question *question, int func, enum extent_of extent,
			  const struct bw_interval *required, struct bw_interval *computed)
{
	const struct bw_placed *placed = question->nest->placed[func];
	bw_placement_box(&question->nest->pipeline->funcs[func], placed->placement, required, computed);
	for (int d = 0; extent == TOUCHED && d < placed->n_dims; d++)
		computed[d].max += placed->growth[d];
}

/* Finds the box of a consumer at the level, computed or inlined. */
static void box_at(struct question *question, int func, enum extent_of extent, const struct bw_region *region,
		   struct bw_interval *box)
{
	const struct bw_placed *placed = question->nest->placed[func];
	bool inlined = placed->placement->compute.kind == BW_SITE_INLINE;
	size_t size = (size_t)placed->n_dims * sizeof *box;
	if (!question->move.steps) {
		if (extent == TOUCHED || inlined)
			memcpy(box, extent == TOUCHED ? region->computed : region->required, size);
		else
			computed_from(question, func, REQUIRED, region->required, box);
		question->rounded |= memcmp(box, region->computed, size) != 0;
		return;
	}
	for (int i = 0; i < question->n; i++)
		if (question->found[i].func == func && question->found[i].extent == extent) {
			memcpy(box, question->found[i].box, size);
			return;
		}
	struct bw_interval required[BW_MAX_DIMS];
	memset(box, 0, size);
	if (inlined) {
		answer(question, (struct asked){func, extent, false}, box);
	} else {
		answer(question, (struct asked){func, extent, true}, required);
		computed_from(question, func, extent, required, box);
	}
	BW_GROW(question->found, question->n, question->capacity);
	question->found[question->n] = (struct found){.func = func, .extent = extent};
	memcpy(question->found[question->n++].box, box, size);
}

/* Finds the intervals of a consumer's loops at the level. Returns false if it computes nothing
 * inside the level. */
static bool loops_at(struct question *question, const struct bw_stage *consumer, enum extent_of extent,
		     struct bw_interval *loops)
{
	bw_level level = question->level;
	if (level != BW_LEVEL_ROOT && bw_level_func(level) == consumer->func &&
	    bw_level_stage(level) == consumer->index)
		return own_loops(question, consumer, loops);
	const struct bw_region *region = bw_placed_region(question->nest->placed[consumer->func], level);
	struct bw_interval box[BW_MAX_DIMS];
	if (!region)
		return false;
	box_at(question, consumer->func, extent, region, box);
	bw_stage_loops_of(consumer, box, loops);
	return true;
}

static bool answer(struct question *question, struct asked asked, struct bw_interval *box)
{
	const struct bw_func *producer = &question->nest->pipeline->funcs[asked.func];
	bool any = false, bounded = true;
	if (question->level == BW_LEVEL_ROOT && producer->output) {
		bw_box_include(box, producer->estimate, producer->n_dims, true);
		any = true;
	}
	for (int c = 0; c < producer->n_consumers; c++) {
		const struct bw_stage *consumer = producer->consumers[c];
		const struct bw_read *read = bw_stage_read_of(consumer, asked.func);
		struct bw_interval loops[BW_MAX_LOOPS], more[BW_MAX_DIMS];
		if (!question->nest->placed[consumer->func] || !loops_at(question, consumer, asked.extent, loops))
			continue;
		bounded &= box_of(asked.predicates ? read->box : read->touched, producer->n_dims, loops, more);
		bw_box_include(box, more, producer->n_dims, !any);
		any = true;
	}
	return any && bounded;
}

bool bw_nest_required(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box)
{
	struct question question = {.nest = nest, .level = level};
	return answer(&question, (struct asked){func, REQUIRED, true}, box);
}

void bw_nest_inlined_boxes(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *required,
			   struct bw_interval *touched)
{
	struct question question = {.nest = nest, .level = level};
	answer(&question, (struct asked){func, REQUIRED, false}, required);
	if (question.rounded)
		answer(&question, (struct asked){func, TOUCHED, false}, touched);
	else
		memcpy(touched, required, (size_t)nest->pipeline->funcs[func].n_dims * sizeof *touched);
}

bool bw_nest_rounded(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box)
{
	struct question question = {.nest = nest, .level = level};
	return answer(&question, (struct asked){func, TOUCHED, true}, box);
}

bool bw_nest_touched(const struct bw_nest *nest, int func, bw_level level, struct bw_move move,
		     struct bw_interval *box)
{
	struct question question = {.nest = nest, .level = level, .move = move};
	bool bounded = answer(&question, (struct asked){func, TOUCHED, false}, box);
	free(question.found);
	return bounded;
}

bool bw_nest_moved(const struct bw_nest *nest, int func, bw_level level, struct bw_move move,
		   struct bw_interval *box)
{
	struct question question = {.nest = nest, .level = level, .move = move};
	bool bounded = answer(&question, (struct asked){func, REQUIRED, true}, box);
	free(question.found);
	return bounded;
}

bool bw_nest_under(const struct bw_nest *nest, const struct bw_stage *stage, bw_level level)
{
	if (level == BW_LEVEL_ROOT)
		return true;
	const struct bw_placed *placed = nest->placed[stage->func];
	if (placed->placement->compute.kind != BW_SITE_INLINE && bw_level_func(level) == stage->func)
		return bw_level_stage(level) == stage->index && bw_placed_own_level(placed, level);
	const struct bw_region *region = bw_placed_region(placed, level);
	return region && region->whole;
}
