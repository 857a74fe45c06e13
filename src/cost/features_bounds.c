/* Bounds of Funcs at the levels of a loop tree, as in Halide's anderson2021: from the consumers' loops at
 * the same level, and with the extents known when Halide compiles. What Halide takes for computed is
 * bw_func.stored. */
#include <string.h>

#include "base/arith.h"
#include "cost/features_private.h"

struct bw_span bw_span_empty(void)
{
	return (struct bw_span){INT64_MAX, INT64_MIN, true};
}

int64_t bw_span_extent(const struct bw_span *span)
{
	return span->max - span->min + 1;
}

struct bw_bounds *bw_bounds_new(const struct bw_loop_tree *tree, int func)
{
	size_t n_dims = (size_t)tree->pipeline->funcs[func].n_dims;
	struct bw_bounds *bounds =
	    bw_arena_array(tree->arena, 1, sizeof(struct bw_bounds) + n_dims * sizeof *bounds->required);
	bounds->required = (struct bw_span *)(void *)(bounds + 1);
	for (size_t d = 0; d < n_dims; d++)
		bounds->required[d] = bw_span_empty();
	return bounds;
}

void bw_bounds_make_room(const struct bw_loop_tree *tree, int func, struct bw_bounds *bounds)
{
	const struct bw_func *of = &tree->pipeline->funcs[func];
	size_t spans = (size_t)of->n_dims;
	for (int s = 0; s < of->n_stages; s++)
		spans += (size_t)of->stages[s].n_loops;
	bounds->loops = bw_arena_array(
	    tree->arena, 1, (size_t)of->n_stages * sizeof *bounds->loops + spans * sizeof *bounds->computed);
	struct bw_span *span = bounds->computed = (struct bw_span *)(void *)(bounds->loops + of->n_stages);
	span += of->n_dims;
	for (int s = 0; s < of->n_stages; span += of->stages[s++].n_loops)
		bounds->loops[s] = span;
}

static void intervals_of(const struct bw_span *spans, int n, struct bw_interval *intervals)
{
	for (int i = 0; i < n; i++)
		intervals[i] = (struct bw_interval){spans[i].min, spans[i].max};
}

/* Clamps to 32-bit integers, as in Halide: no bound lies beyond these, and unbounded regions end there. */
static int64_t in_range(int64_t value)
{
	return bw_max(INT32_MIN, bw_min(INT32_MAX, value));
}

static struct bw_span span_of(const struct bw_bound *bound, const struct bw_interval *intervals)
{
	struct bw_interval values;
	int ends = bw_bound_eval(bound, intervals, &values);
	return (struct bw_span){ends & BW_BOUND_MIN ? in_range(values.min) : INT32_MIN,
				ends & BW_BOUND_MAX ? in_range(values.max) : INT32_MAX, false};
}

/* Returns true if a bound's extent is constant whenever the spans that it depends on have constant
 * extents: only if it depends on whole multiples of them. */
static bool keeps_constant(const struct bw_expr *expr, const struct bw_span *spans)
{
	struct bw_affine affine;
	return bw_expr_affine(expr, &affine) && affine.divisor == 1 &&
	       (affine.variable < 0 || spans[affine.variable].constant);
}

void bw_edge_expand(const struct bw_loop_tree *tree, const struct bw_edge *edge, const struct bw_span *loops,
		    struct bw_span *required)
{
	const struct bw_func *producer = &tree->pipeline->funcs[edge->producer],
			     *consumer = &tree->pipeline->funcs[edge->consumer];
	struct bw_interval intervals[BW_MAX_LOOPS];
	intervals_of(loops, consumer->stages[edge->stage].n_loops, intervals);
	for (int d = 0; d < producer->n_dims; d++) {
		const struct bw_bound *bound = &edge->read->touched[d];
		struct bw_span span = span_of(bound, intervals);
		required[d].min = bw_min(required[d].min, span.min);
		required[d].max = bw_max(required[d].max, span.max);
		required[d].constant = required[d].constant && keeps_constant(bound->min, loops) &&
				       keeps_constant(bound->max, loops);
	}
}

/* Returns true if a bound equals an interval from end to end. */
static bool is_interval(const struct bw_bound *bound, int variable)
{
	return bw_expr_is_variable(bound->min, variable, false) && bw_expr_is_variable(bound->max, variable, true);
}

static bool is_number(const struct bw_bound *bound)
{
	struct bw_affine low, high;
	return bw_expr_affine(bound->min, &low) && bw_expr_affine(bound->max, &high) && low.variable < 0 &&
	       high.variable < 0;
}

/* The form of a bound: the index of the interval, of n, that it equals from end to end; or one of these. */
enum { NUMBER = -1, OTHER = -2 };

static int form_of(const struct bw_bound *bound, int n)
{
	for (int i = 0; i < n; i++)
		if (is_interval(bound, i))
			return i;
	return is_number(bound) ? NUMBER : OTHER;
}

void bw_loop_tree_forms(struct bw_loop_tree *tree)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	tree->stored_forms = BW_ARENA_ARRAY(tree->arena, int *, pipeline->n_funcs);
	tree->loop_forms = BW_ARENA_ARRAY(tree->arena, int *, pipeline->n_stages + 1);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		if (func->input)
			continue;
		int *forms = tree->stored_forms[f] = BW_ARENA_ARRAY(tree->arena, int, func->n_dims + 1);
		for (int d = 0; d < func->n_dims; d++)
			forms[d] = form_of(&func->stored[d], func->n_dims);
		for (int s = 0; s < func->n_stages; s++) {
			forms = tree->loop_forms[func->first_stage + s] =
			    BW_ARENA_ARRAY(tree->arena, int, func->stages[s].n_loops + 1);
			for (int l = 0; l < func->stages[s].n_loops; l++)
				forms[l] = form_of(&func->stages[s].loops[l].bound, func->n_dims);
		}
	}
}

/* Returns true if Halide takes a loop's extent for constant. With numbers as its bounds it is, unless they
 * are the ends of a dimension of the computed region, whose own bounds are numbers. form: of the loop's
 * bound. */
static bool loop_constant(const struct bw_func *func, const int *stored, int form, const struct bw_span *span,
			  const struct bw_span *computed)
{
	if (form >= 0)
		return stored[form] == form && computed[form].constant;
	if (form != NUMBER)
		return false;
	for (int d = 0; d < func->n_dims; d++)
		if (stored[d] == NUMBER && computed[d].min == span->min && computed[d].max == span->max)
			return false;
	return true;
}

void bw_bounds_complete(const struct bw_loop_tree *tree, int func, struct bw_bounds *bounds)
{
	const struct bw_func *of = &tree->pipeline->funcs[func];
	const int *stored = tree->stored_forms[func];
	struct bw_interval required[BW_MAX_DIMS], computed[BW_MAX_DIMS];
	bw_bounds_make_room(tree, func, bounds);
	intervals_of(bounds->required, of->n_dims, required);
	for (int d = 0; d < of->n_dims; d++) {
		bounds->computed[d] = span_of(&of->stored[d], required);
		bounds->computed[d].constant = stored[d] == d && bounds->required[d].constant;
	}
	intervals_of(bounds->computed, of->n_dims, computed);
	for (int s = 0; s < of->n_stages; s++)
		for (int l = 0; l < of->stages[s].n_loops; l++) {
			const struct bw_stage_loop *loop = &of->stages[s].loops[l];
			bounds->loops[s][l] = span_of(&loop->bound, computed);
			bounds->loops[s][l].constant =
			    loop_constant(of, stored, tree->loop_forms[of->first_stage + s][l],
					  &bounds->loops[s][l], bounds->computed);
		}
}

/* Returns true if a consumer is inside a level: it is the level's own stage, or depends on it. */
static bool is_inside(const struct bw_loop_tree *tree, const struct bw_tile *tile, const struct bw_edge *edge)
{
	if (!tile->func)
		return true;
	const struct bw_func *consumer = &tree->pipeline->funcs[edge->consumer];
	return tile->stage == &consumer->stages[edge->stage] ||
	       tree->depends[bw_stage_number(tree, tile->stage)][edge->consumer];
}

/* Returns the bounds of a Func at a level; only the required region may be known. */
static struct bw_bounds *find_required(const struct bw_loop_tree *tree, struct bw_tile *tile, int func)
{
	if (tile->bounds[func])
		return tile->bounds[func];
	const struct bw_func *of = &tree->pipeline->funcs[func];
	struct bw_bounds *bounds = bw_bounds_new(tree, func);
	if (of->output && !tile->func) {
		for (int d = 0; d < of->n_dims; d++)
			bounds->required[d] = (struct bw_span){of->estimate[d].min, of->estimate[d].max, false};
	} else {
		for (int i = 0; i < tree->n_outgoing[func]; i++) {
			const struct bw_edge *edge = &tree->edges[tree->outgoing[func][i]];
			if (is_inside(tree, tile, edge))
				bw_edge_expand(tree, edge,
					       bw_tile_bounds(tree, tile, edge->consumer)->loops[edge->stage],
					       bounds->required);
		}
	}
	tile->bounds[func] = bounds;
	return bounds;
}

const struct bw_span *bw_tile_required(const struct bw_loop_tree *tree, struct bw_tile *tile, int func)
{
	return find_required(tree, tile, func)->required;
}

const struct bw_bounds *bw_tile_bounds(const struct bw_loop_tree *tree, struct bw_tile *tile, int func)
{
	struct bw_bounds *bounds = find_required(tree, tile, func);
	if (!bounds->loops)
		bw_bounds_complete(tree, func, bounds);
	return bounds;
}

double bw_spans_points(const struct bw_span *spans, int n)
{
	double points = 1;
	for (int d = 0; d < n; d++)
		points *= (double)bw_span_extent(&spans[d]);
	return points;
}
