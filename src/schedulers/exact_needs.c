/* What a block of a kernel needs of the Funcs inside it, and how much of that is computed at least.
 *
 * The box that a block requires of a Func (the hull) follows from its readers inside the block, whether these
 * are inlined or stored, and at whatever loop the Func is computed. What is computed of it follows from that
 * loop: n iterations with a box each, and the nest counts n times the box of the middle one. The sum is at
 * least as many points as the cover has:
 * - Along a dimension whose bounds move evenly with the loops, by s points a step and by as much when the
 *   loops get longer, n windows of t iterations need n (s (t - 1) + h) points with h >= 1, and the whole of
 *   T <= n t iterations needs s (T - 1) + h. The sum is at least as large for s <= 1, and at least 1/s of it
 *   for larger steps, since n (s (t - 1) + h) >= n t >= T.
 * - Along a dimension that is divided by a constant the same holds but for two points that rounding adds.
 * - Along others (clamped, or from data) one point is sure, and along one that moves with a loop that moves
 *   an earlier dimension already: both may be cut small at once.
 * Of several readers the one counts that makes the largest cover, since the box of all of them holds the box
 * of each. A reader that is stored computes its own cover at least, and requires what that requires. */
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "schedulers/exact_private.h"

enum along { EVEN, DIVIDED, SURE };

/* How one dimension of a read's box moves with the loops of the stage. */
struct step {
	enum along along;
	double points; /* EVEN: per step of a loop, at least 1 */
	uint32_t loops; /* loops that move this dimension, as bits */
};

struct bw_exact_steps {
	const struct bw_pipeline *pipeline;
	struct step **of; /* by stage of the pipeline: the dimensions of its reads, one read after the other */
};

/* Returns the extent of a dimension if loop l has `extent` iterations from `from` on, and every other
 * loop has one; -1 if it is unbounded. */
static int64_t extent_at(const struct bw_bound *bound, int l, int64_t from, int64_t extent)
{
	struct bw_interval loops[BW_MAX_LOOPS], ends;
	for (int i = 0; i < BW_MAX_LOOPS; i++)
		loops[i] = (struct bw_interval){from, from};
	loops[l].max = from + extent - 1;
	if (bw_bound_eval(bound, loops, &ends) != BW_BOUND_BOTH)
		return -1;
	return ends.max - ends.min + 1;
}

/* Computes by how many points a dimension grows per iteration of loop l. Returns false if the number is
 * not the same everywhere. */
static bool grows_evenly(const struct bw_bound *bound, int l, int64_t *points)
{
	static const int64_t froms[] = {0, 64}, extents[] = {2, 3, 8, 33};
	*points = extent_at(bound, l, 0, 2) - extent_at(bound, l, 0, 1);
	for (size_t i = 0; i < sizeof froms / sizeof *froms; i++)
		for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
			int64_t one = extent_at(bound, l, froms[i], 1),
				more = extent_at(bound, l, froms[i], extents[k]);
			if (one < 1 || more != one + *points * (extents[k] - 1))
				return false;
		}
	return true;
}

/* Returns true if each step of loop l moves both ends of a dimension by the same number of points. Raises
 * *points to this number if it was less. */
static bool moves_evenly(const struct bw_bound *bound, int l, double *points)
{
	uint64_t over[BW_MAX_LOOPS] = {0}, low, high;
	int64_t longer;
	over[l] = 1;
	if (!bw_expr_shift(bound->min, over, &low) || !bw_expr_shift(bound->max, over, &high) || low != high ||
	    !grows_evenly(bound, l, &longer))
		return false;
	double moved = (double)(int64_t)low;
	moved = moved < 0 ? -moved : moved;
	moved = moved < (double)longer ? (double)longer : moved;
	*points = *points < moved ? moved : *points;
	return true;
}

/* Returns true if both ends of a dimension divide the ends of one loop by one divisor. */
static bool is_quotient(const struct bw_bound *bound)
{
	struct bw_affine low, high;
	return bw_expr_affine(bound->min, &low) && bw_expr_affine(bound->max, &high) && low.variable >= 0 &&
	       low.variable == high.variable && !low.of_max && high.of_max && low.multiplier == 1 &&
	       high.multiplier == 1 && low.divisor == high.divisor && low.divisor > 1;
}

static struct step step_of(const struct bw_bound *bound)
{
	struct step step = {SURE, 1, 0};
	if (bw_expr_unbounded(bound->min) || bw_expr_unbounded(bound->max))
		return step;
	step.loops = bw_expr_variables(bound->min) | bw_expr_variables(bound->max);
	bool even = true;
	for (int l = 0; l < BW_MAX_LOOPS && even; l++)
		even = !(step.loops >> l & 1) || moves_evenly(bound, l, &step.points);
	step.along = even ? EVEN : is_quotient(bound) ? DIVIDED : SURE;
	return step;
}

struct bw_exact_steps *bw_exact_steps_new(const struct bw_pipeline *pipeline, struct bw_arena *arena)
{
	struct bw_exact_steps *steps = BW_ARENA_NEW(arena, struct bw_exact_steps);
	steps->pipeline = pipeline;
	steps->of = BW_ARENA_ARRAY(arena, struct step *, pipeline->n_stages);
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++) {
			const struct bw_stage *stage = &pipeline->funcs[f].stages[s];
			int n = 0;
			struct step *list = BW_ARENA_ARRAY(arena, struct step, stage->n_reads * BW_MAX_DIMS + 1);
			for (int r = 0; r < stage->n_reads; r++)
				for (int d = 0; d < pipeline->funcs[stage->reads[r].producer].n_dims; d++)
					list[n++] = step_of(&stage->reads[r].box[d]);
			steps->of[pipeline->funcs[f].first_stage + s] = list;
		}
	return steps;
}

/* Returns the steps of the read by which a stage reads a producer. */
static const struct step *steps_of(const struct bw_exact_steps *steps, const struct bw_stage *stage,
				   const struct bw_read *read)
{
	const struct bw_func *funcs = steps->pipeline->funcs;
	const struct step *step = steps->of[funcs[stage->func].first_stage + stage->index];
	for (const struct bw_read *before = stage->reads; before < read; before++)
		step += funcs[before->producer].n_dims;
	return step;
}

static int64_t extent_of(const struct bw_interval *interval)
{
	return interval->max - interval->min + 1;
}

/* Shrinks a read's box to a part that is certainly computed. */
static void cut(const struct step *steps, int n_dims, bool predicated, struct bw_interval *box)
{
	uint32_t used = 0;
	for (int d = 0; d < n_dims; d++) {
		int64_t extent = extent_of(&box[d]);
		bool again = steps[d].loops & used;
		used |= steps[d].loops;
		if (again || predicated || steps[d].along == SURE)
			extent = steps[d].loops || predicated ? 1 : extent;
		else if (steps[d].along == DIVIDED)
			extent -= 2;
		else
			extent = (int64_t)((double)extent / steps[d].points);
		box[d].max = box[d].min + bw_max(extent, 1) - 1;
	}
}

/* A reader of a Func: its stage and the boxes of its loops. */
struct reader {
	const struct bw_stage *stage;
	struct bw_interval hull[BW_MAX_LOOPS], cover[BW_MAX_LOOPS]; /* hull and cover of its loops */
};

/* Adds what a reader needs of a Func. */
static void add(const struct bw_exact_steps *steps, const struct reader *reader, int func,
		struct bw_exact_need *need)
{
	const struct bw_read *read = bw_stage_read_of(reader->stage, func);
	int n = steps->pipeline->funcs[func].n_dims;
	struct bw_interval hull[BW_MAX_DIMS], cover[BW_MAX_DIMS];
	bool first = !need->touched;
	need->touched = true;
	if (!read->bounded || !bw_read_box(read, n, reader->hull, hull) ||
	    !bw_read_box(read, n, reader->cover, cover)) {
		need->known = false;
		return;
	}
	if (!first && !need->known)
		return;
	cut(steps_of(steps, reader->stage, read), n, reader->stage->predicated, cover);
	bw_box_include(need->hull, hull, n, first);
	double points = bw_box_points(cover, n);
	if (first || points > need->points) {
		memcpy(need->cover, cover, (size_t)n * sizeof *cover);
		need->points = points;
	}
	need->known = true;
}

/* Sets the ranges of a stage's loops from what is needed of its Func. Returns false if a bound is not
 * known. */
static bool loops_from(const struct bw_func *func, const struct bw_stage *stage,
		       const struct bw_exact_need *need, struct reader *reader)
{
	struct bw_interval box[BW_MAX_DIMS];
	reader->stage = stage;
	return need->known && bw_computed_box(func, need->hull, box) &&
	       bw_stage_loops_of(stage, box, reader->hull) && bw_computed_box(func, need->cover, box) &&
	       bw_stage_loops_of(stage, box, reader->cover);
}

/* Adds the needs of a Func's readers, up to the highest Func whose own needs are filled in. */
static void add_readers(const struct bw_exact_steps *steps, int f, int highest, struct bw_exact_need *needs)
{
	const struct bw_func *funcs = steps->pipeline->funcs;
	for (int c = 0; c < funcs[f].n_consumers; c++) {
		const struct bw_stage *stage = funcs[f].consumers[c];
		struct reader reader;
		if (stage->func > highest || !needs[stage->func].touched)
			continue;
		if (loops_from(&funcs[stage->func], stage, &needs[stage->func], &reader)) {
			add(steps, &reader, f, &needs[f]);
		} else {
			needs[f].touched = true;
			needs[f].known = false;
		}
	}
}

void bw_exact_needs_whole(const struct bw_exact_steps *steps, struct bw_exact_need *needs)
{
	const struct bw_func *funcs = steps->pipeline->funcs;
	for (int f = steps->pipeline->n_funcs - 1; f >= 0; f--) {
		struct bw_exact_need *need = &needs[f];
		*need = (struct bw_exact_need){0};
		if (funcs[f].output) {
			memcpy(need->hull, funcs[f].estimate, (size_t)funcs[f].n_dims * sizeof *need->hull);
			memcpy(need->cover, need->hull, sizeof need->cover);
			need->points = bw_box_points(need->hull, funcs[f].n_dims);
			need->known = need->touched = true;
		}
		add_readers(steps, f, steps->pipeline->n_funcs, needs);
	}
}

/* Returns the part of the loops of a stage at root that one block covers, or NULL. */
static const struct bw_interval *block_loops(const struct bw_placed_stage *stage)
{
	for (int i = 0; i < stage->n_levels; i++)
		if (bw_level_role(stage->levels[i].level) == BW_ROLE_BLOCK)
			return stage->levels[i].loops;
	return NULL;
}

/* Returns true if a Func may be computed inside a kernel: it is not placed, it is inlined, or it is
 * placed inside. */
static bool may_be_inside(const struct bw_nest *nest, int f, int func, int stage)
{
	const struct bw_placed *placed = nest->placed[f];
	return !placed || placed->placement->compute.kind == BW_SITE_INLINE ||
	       (placed->kernel_func == func && placed->kernel_stage == stage);
}

bool bw_exact_needs_block(const struct bw_exact_steps *steps, const struct bw_nest *nest, int func, int stage,
			  struct bw_exact_need *needs)
{
	const struct bw_func *funcs = steps->pipeline->funcs;
	const struct bw_interval *loops = block_loops(&nest->placed[func]->stages[stage]);
	if (!loops)
		return false;
	struct reader root = {.stage = &funcs[func].stages[stage]};
	memcpy(root.hull, loops, (size_t)root.stage->n_loops * sizeof *loops);
	memcpy(root.cover, loops, (size_t)root.stage->n_loops * sizeof *loops);
	for (int f = func; f >= 0; f--) {
		needs[f].touched = needs[f].known = false;
		if (f == func || funcs[f].output || !may_be_inside(nest, f, func, stage))
			continue;
		if (bw_stage_read_of(root.stage, f))
			add(steps, &root, f, &needs[f]);
		add_readers(steps, f, func, needs);
	}
	return true;
}

double bw_exact_iterations(const struct bw_stage *stage, const struct bw_interval *box, bool cut_short)
{
	struct bw_interval loops[BW_MAX_LOOPS];
	double points = 1;
	if (!bw_stage_loops_of(stage, box, loops))
		return 0;
	for (int l = 0; l < stage->n_loops; l++) {
		const struct bw_bound *bound = &stage->loops[l].bound;
		if (stage->loops[l].pure || !cut_short ||
		    !(bw_expr_variables(bound->min) | bw_expr_variables(bound->max)))
			points *= (double)bw_max(extent_of(&loops[l]), 0);
	}
	return points;
}

/* The kernels of a state that a later decision may change, and a key of everything that later decisions
 * depend on. */

struct bw_exact_open bw_exact_open_new(const struct bw_pipeline *pipeline, struct bw_arena *arena)
{
	return (struct bw_exact_open){.pipeline = pipeline,
				      .open = BW_ARENA_ARRAY(arena, bool, pipeline->n_stages),
				      .seen = BW_ARENA_ARRAY(arena, bool, pipeline->n_funcs)};
}

/* Marks the kernels that a stage is in, directly or through inlined Funcs that read it. */
static void open_kernels(struct bw_exact_open *open, const struct bw_nest *nest, const struct bw_stage *stage)
{
	const struct bw_func *funcs = open->pipeline->funcs;
	const struct bw_placed *placed = nest->placed[stage->func];
	if (!placed)
		return;
	if (placed->placement->compute.kind == BW_SITE_ROOT) {
		open->open[funcs[stage->func].first_stage + stage->index] = true;
	} else if (placed->placement->compute.kind == BW_SITE_AT) {
		open->open[funcs[placed->kernel_func].first_stage + placed->kernel_stage] = true;
	} else if (!open->seen[stage->func]) {
		open->seen[stage->func] = true;
		for (int c = 0; c < funcs[stage->func].n_consumers; c++)
			open_kernels(open, nest, funcs[stage->func].consumers[c]);
	}
}

bool bw_exact_undecided(const struct bw_nest *nest, int func)
{
	const struct bw_placed *placed = nest->placed[func];
	return !placed || (placed->placement->compute.kind == BW_SITE_ROOT && !placed->placement->tiled);
}

void bw_exact_open_mark(struct bw_exact_open *open, const struct bw_nest *nest)
{
	const struct bw_pipeline *pipeline = open->pipeline;
	memset(open->open, 0, (size_t)pipeline->n_stages * sizeof *open->open);
	memset(open->seen, 0, (size_t)pipeline->n_funcs * sizeof *open->seen);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		if (func->input || !bw_exact_undecided(nest, f))
			continue;
		for (int s = 0; s < func->n_stages && nest->placed[f]; s++)
			open_kernels(open, nest, &func->stages[s]);
		for (int c = 0; c < func->n_consumers; c++)
			if (func->consumers[c]->func != f)
				open_kernels(open, nest, func->consumers[c]);
	}
}

/* Returns true if a placed Func is in an open kernel, or inlined into one. The answer for its consumers
 * must be known. */
static bool is_in_open(const struct bw_exact_open *open, const struct bw_nest *nest, int f)
{
	const struct bw_func *func = &open->pipeline->funcs[f];
	const struct bw_placed *placed = nest->placed[f];
	if (placed->placement->compute.kind == BW_SITE_AT)
		return open->open[open->pipeline->funcs[placed->kernel_func].first_stage + placed->kernel_stage];
	for (int s = 0; s < func->n_stages && placed->placement->compute.kind == BW_SITE_ROOT; s++)
		if (open->open[func->first_stage + s])
			return true;
	if (placed->placement->compute.kind == BW_SITE_ROOT)
		return false;
	for (int c = 0; c < func->n_consumers; c++)
		if (open->seen[func->consumers[c]->func])
			return true;
	return false;
}

uint64_t bw_exact_open_key(struct bw_exact_open *open, const struct bw_nest *nest, int index)
{
	const struct bw_pipeline *pipeline = open->pipeline;
	uint64_t key = bw_hash_mix(0, (uint64_t)index);
	bw_exact_open_mark(open, nest);
	memset(open->seen, 0, (size_t)pipeline->n_funcs * sizeof *open->seen);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		if (!nest->placed[f])
			continue;
		bool counts = open->seen[f] = is_in_open(open, nest, f);
		for (int c = 0; c < func->n_consumers && !counts; c++)
			counts = open->seen[func->consumers[c]->func];
		if (counts)
			key = bw_hash_mix(bw_hash_mix(key, (uint64_t)f), nest->placed[f]->content);
	}
	return key;
}
