/* The assumed sites of Funcs that are not placed yet: at root; or, as in Halide, as deep as they could
 * possibly be computed, not inlined, so that their readers cost at most a little more than later (Halide
 * 19, anderson2021/State.cpp, compute_featurization and deepest_valid_compute_location). */
#include "cost/features_private.h"

/* Most bytes of a Func that Halide keeps in the registers of a thread. */
enum { REGISTER_BYTES = 128 };

/* Most levels around a point. Halide's trees are much flatter. */
enum { MOST_LEVELS = 256 };

double bw_spans_points(const struct bw_span *spans, int n)
{
	double points = 1;
	for (int d = 0; d < n; d++)
		points *= (double)bw_span_extent(&spans[d]);
	return points;
}

/* Returns the points of a Func computed in one iteration of a level. */
static double points_at(const struct bw_loop_tree *tree, struct bw_tile *tile, int func)
{
	return bw_spans_points(bw_tile_bounds(tree, tile, func)->computed, tree->pipeline->funcs[func].n_dims);
}

/* Returns the bytes of shared memory that a block uses so far. */
static double shared_at(const struct bw_loop_tree *tree, struct bw_tile *block)
{
	double bytes = block->assumed_bytes;
	for (int i = 0; i < block->n_stored; i++)
		bytes += tree->pipeline->funcs[block->stored[i]].bytes * points_at(tree, block, block->stored[i]);
	return bytes;
}

static bool fits(const struct bw_loop_tree *tree, struct bw_tile *tile, int func,
		 const struct bw_feature_limits *limits)
{
	double bytes = tree->pipeline->funcs[func].bytes * points_at(tree, tile, func);
	if (tile->kind == BW_TILE_BLOCK)
		return bytes + shared_at(tree, tile) <= (double)limits->shared_block;
	return (tile->kind != BW_TILE_THREAD && tile->kind != BW_TILE_SERIAL) || bytes <= REGISTER_BYTES;
}

/* Returns the deepest level down to `loop` at which the search would try the Func: each level on the way
 * computes less of it. Skips levels without room for it. */
static struct bw_tile *deepest_valid(const struct bw_loop_tree *tree, struct bw_tile *loop, int func,
				     const struct bw_feature_limits *limits)
{
	struct bw_tile *levels[MOST_LEVELS], *found = tree->root;
	int n = 0;
	for (struct bw_tile *tile = loop; tile->func; tile = tile->parent)
		if (tile->kind != BW_TILE_POINT && n < MOST_LEVELS)
			levels[n++] = tile;
	while (n > 0) {
		struct bw_tile *tile = levels[--n];
		if (!fits(tree, tile, func, limits))
			continue;
		if (points_at(tree, tile, func) >= points_at(tree, found, func))
			break;
		found = tile;
	}
	return found;
}

/* Returns the innermost level around all readers. */
static struct bw_tile *around_readers(const struct bw_loop_tree *tree, int func)
{
	struct bw_tile *around = NULL;
	for (int i = 0; i < tree->n_outgoing[func]; i++) {
		const struct bw_edge *edge = &tree->edges[tree->outgoing[func][i]];
		const struct bw_stage_site *site =
		    &tree->sites[tree->pipeline->funcs[edge->consumer].first_stage + edge->stage];
		around = bw_tile_around(around, site->placed ? site->point : site->compute);
	}
	return around ? around : tree->root;
}

/* Returns the site of a Func computed at a level: where it is stored, in which memory, and how often. */
static struct bw_stage_site site_at(struct bw_tile *level)
{
	struct bw_stage_site site = {
	    .compute = level, .store = level, .memory = BW_MEMORY_GLOBAL, .realizations = 1};
	for (struct bw_tile *tile = level; tile->func; tile = tile->parent) {
		for (int l = 0; l < tile->stage->n_loops; l++)
			site.realizations *= tile->sizes[l];
		if (tile->kind == BW_TILE_THREAD)
			site.memory = BW_MEMORY_REGISTERS;
		if (tile->kind != BW_TILE_BLOCK || site.memory != BW_MEMORY_GLOBAL)
			continue;
		site.memory = BW_MEMORY_SHARED;
		site.store = tile;
	}
	return site;
}

void bw_loop_tree_assume(struct bw_loop_tree *tree, int f, const struct bw_feature_limits *limits)
{
	const struct bw_func *func = &tree->pipeline->funcs[f];
	struct bw_tile *level = limits->open_deep && tree->wholly[f]
				    ? deepest_valid(tree, around_readers(tree, f), f, limits)
				    : tree->root;
	if (level->kind == BW_TILE_BLOCK)
		level->assumed_bytes += func->bytes * points_at(tree, level, f);
	for (int s = 0; s < func->n_stages; s++)
		tree->sites[func->first_stage + s] = site_at(level);
}
