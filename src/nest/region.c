/* Required and computed regions (DESIGN: three regions, kept apart). A box at a level is found from the consumers inside that level: each
 * covers an interval of its loops there, and each of its reads says what box of the producer these loops need. A bound that is not known is
 * BW_NO_BOUND, which goes on through inlined Funcs until an expression clamps it. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"

/* Beyond this a bound follows from BW_NO_BOUND: Halide's own coordinates have 32 bits. */
#define BEYOND ((int64_t)1 << 40)

/* The value of a bound, `none` and false where it has none. */
static bool bound_value(const struct bw_expr *expr, const struct bw_interval *intervals, int64_t none, int64_t *value)
{
	if (bw_expr_eval(expr, intervals, value) && *value < BEYOND && *value > -BEYOND)
		return true;
	*value = none;
	return false;
}

static bool bound_of(const struct bw_bound *bound, const struct bw_interval *intervals, struct bw_interval *interval)
{
	bool low = bound_value(bound->min, intervals, -BW_NO_BOUND, &interval->min);
	return bound_value(bound->max, intervals, BW_NO_BOUND, &interval->max) && low;
}

static bool box_of(const struct bw_bound *bounds, int n, const struct bw_interval *intervals, struct bw_interval *box)
{
	bool bounded = true;
	for (int d = 0; d < n; d++)
		bounded &= bound_of(&bounds[d], intervals, &box[d]);
	return bounded;
}

bool bw_stage_loops_of(const struct bw_stage *stage, const struct bw_interval *computed, struct bw_interval *loops)
{
	bool bounded = true;
	for (int l = 0; l < stage->n_loops; l++)
		bounded &= bound_of(&stage->loops[l].bound, computed, &loops[l]);
	return bounded;
}

bool bw_read_box(const struct bw_read *read, int n_dims, const struct bw_interval *loops, struct bw_interval *box)
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

bool bw_computed_box(const struct bw_func *func, const struct bw_interval *required, struct bw_interval *computed)
{
	return box_of(func->computed, func->n_dims, required, computed);
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

/* How a question about a level is answered: with the regions that placed Funcs know (moved NULL), or anew with the level's own
 * loops moved on. */
struct question {
	const struct bw_nest *nest;
	bw_level level;
	struct bw_move move;
	struct bw_interval *moved; /* BW_MAX_DIMS a Func, the boxes found so far */
	bool *known;               /* by Func: its box is found */
};

static bool answer(struct question *question, int func, struct bw_interval *box);

/* The level's own loops, moved. */
static bool own_loops(const struct question *question, const struct bw_stage *consumer, struct bw_interval *loops)
{
	const struct bw_own_level *own = bw_placed_own_level(question->nest->placed[consumer->func], question->level);
	for (int l = 0; own && l < consumer->n_loops; l++) {
		int64_t size = question->move.points ? 1 : own->loops[l].max - own->loops[l].min + 1;
		loops[l].min = own->loops[l].min + question->move.steps * size;
		loops[l].max = own->loops[l].max + question->move.steps * size;
	}
	return own != NULL;
}

static const struct bw_interval *computed_at(struct question *question, int func, const struct bw_region *region)
{
	if (!question->moved)
		return region->computed;
	struct bw_interval *mine = question->moved + func * BW_MAX_DIMS, required[BW_MAX_DIMS];
	if (!question->known[func]) {
		answer(question, func, required);
		bw_computed_box(&question->nest->pipeline->funcs[func], required, mine);
		question->known[func] = true;
	}
	return mine;
}

/* The intervals of a consumer's loops at the level; false where it computes nothing inside it. */
static bool loops_at(struct question *question, const struct bw_stage *consumer, struct bw_interval *loops)
{
	bw_level level = question->level;
	if (level != BW_LEVEL_ROOT && bw_level_func(level) == consumer->func && bw_level_stage(level) == consumer->index)
		return own_loops(question, consumer, loops);
	const struct bw_region *region = bw_placed_region(question->nest->placed[consumer->func], level);
	if (region)
		bw_stage_loops_of(consumer, computed_at(question, consumer->func, region), loops);
	return region != NULL;
}

static bool answer(struct question *question, int func, struct bw_interval *box)
{
	const struct bw_func *producer = &question->nest->pipeline->funcs[func];
	bool any = false, bounded = true;
	if (question->level == BW_LEVEL_ROOT && producer->output) {
		bw_box_include(box, producer->estimate, producer->n_dims, true);
		any = true;
	}
	for (int c = 0; c < producer->n_consumers; c++) {
		const struct bw_stage *consumer = producer->consumers[c];
		struct bw_interval loops[BW_MAX_LOOPS], more[BW_MAX_DIMS];
		if (!question->nest->placed[consumer->func] || !loops_at(question, consumer, loops))
			continue;
		bounded &= bw_read_box(bw_stage_read_of(consumer, func), producer->n_dims, loops, more);
		bw_box_include(box, more, producer->n_dims, !any);
		any = true;
	}
	return any && bounded;
}

bool bw_nest_required(const struct bw_nest *nest, int func, bw_level level, struct bw_interval *box)
{
	struct question question = {.nest = nest, .level = level};
	return answer(&question, func, box);
}

bool bw_nest_required_moved(const struct bw_nest *nest, int func, bw_level level, struct bw_move move, struct bw_interval *box)
{
	struct question question = {.nest = nest, .level = level, .move = move};
	int n = nest->pipeline->n_funcs;
	question.moved = BW_NEW_ARRAY(struct bw_interval, n * BW_MAX_DIMS);
	question.known = BW_NEW_ARRAY(bool, n);
	bool bounded = answer(&question, func, box);
	free(question.moved);
	free(question.known);
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

/* Whether a read of an input can leave the input's estimate when more of the consumer is computed: tried with loops of a
 * reach far beyond any image. */
static bool read_overruns(const struct bw_func *input, const struct bw_stage *stage, const struct bw_read *read)
{
	enum { FAR = 1 << 24 };
	struct bw_interval loops[BW_MAX_LOOPS], box[BW_MAX_DIMS];
	for (int l = 0; l < stage->n_loops; l++)
		loops[l] = (struct bw_interval){-FAR, FAR};
	if (!bw_read_box(read, input->n_dims, loops, box))
		return true;
	for (int d = 0; d < input->n_dims; d++)
		if (box[d].min < input->estimate[d].min || box[d].max > input->estimate[d].max)
			return true;
	return false;
}

/* Whether both ends of a bound are affine; and rigid: the extent follows from the extents of loops alone. */
typedef bool bound_property(const struct bw_bound *bound);

static bool is_affine_bound(const struct bw_bound *bound)
{
	struct bw_affine low, high;
	return bw_expr_affine(bound->min, &low) && bw_expr_affine(bound->max, &high);
}

static bool is_rigid_bound(const struct bw_bound *bound)
{
	struct bw_affine low, high;
	if (!bw_expr_affine(bound->min, &low) || !bw_expr_affine(bound->max, &high))
		return false;
	if (low.variable < 0 || high.variable < 0)
		return low.variable < 0 && high.variable < 0;
	return low.variable == high.variable && low.multiplier == high.multiplier && low.divisor == 1 && high.divisor == 1;
}

static bool all_bounds(const struct bw_bound *bounds, int n, bound_property *property)
{
	for (int i = 0; i < n; i++)
		if (!property(&bounds[i]))
			return false;
	return true;
}

/* Whether all that a Func's required box follows from has the property: what its consumers read, their loops and regions, and what
 * these in turn follow from (known: by Func, for those after this one). */
static bool follows(const struct bw_pipeline *pipeline, const bool *known, int f, bound_property *property)
{
	const struct bw_func *func = &pipeline->funcs[f];
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		const struct bw_func *consumer = &pipeline->funcs[stage->func];
		const struct bw_read *read = bw_stage_read_of(stage, f);
		if (!known[stage->func] || !read->bounded || !all_bounds(read->box, func->n_dims, property) || !all_bounds(consumer->computed, consumer->n_dims, property))
			return false;
		for (int l = 0; l < stage->n_loops; l++)
			if (!property(&stage->loops[l].bound))
				return false;
	}
	return true;
}

const struct bw_nest_facts *bw_nest_facts_make(const struct bw_pipeline *pipeline)
{
	struct bw_nest_facts *facts = BW_NEW(struct bw_nest_facts);
	facts->references = 1;
	facts->overruns = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	facts->rigid = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	facts->affine = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		facts->rigid[f] = follows(pipeline, facts->rigid, f, is_rigid_bound);
		facts->affine[f] = follows(pipeline, facts->affine, f, is_affine_bound);
	}
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		for (int s = 0; s < func->n_stages; s++)
			for (int r = 0; r < func->stages[s].n_reads; r++) {
				const struct bw_read *read = &func->stages[s].reads[r];
				const struct bw_func *producer = &pipeline->funcs[read->producer];
				if (producer->input ? read_overruns(producer, &func->stages[s], read) : facts->overruns[read->producer])
					facts->overruns[f] = true;
			}
	}
	return facts;
}

const struct bw_nest_facts *bw_nest_facts_keep(const struct bw_nest_facts *facts)
{
	__atomic_add_fetch(&((struct bw_nest_facts *)facts)->references, 1, __ATOMIC_RELAXED);
	return facts;
}

void bw_nest_facts_drop(const struct bw_nest_facts *facts)
{
	struct bw_nest_facts *mine = (struct bw_nest_facts *)facts;
	if (!mine || __atomic_sub_fetch(&mine->references, 1, __ATOMIC_ACQ_REL))
		return;
	free(mine->overruns);
	free(mine->rigid);
	free(mine->affine);
	free(mine);
}
