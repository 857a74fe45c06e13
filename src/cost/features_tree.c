/* The levels of a loop tree. */
#include <string.h>

#include "base/arith.h"
#include "cost/features_private.h"

/* A level and its arrays are one block of memory. */
struct bw_tile *bw_tile_new(const struct bw_loop_tree *tree, enum bw_tile_kind kind, struct bw_tile *parent,
			    const struct bw_func *func, const struct bw_stage *stage)
{
	size_t n_loops = stage ? (size_t)stage->n_loops : 0, n_funcs = (size_t)tree->pipeline->n_funcs;
	size_t calls = kind == BW_TILE_POINT ? n_funcs : 0;
	struct bw_tile *tile =
	    bw_arena_array(tree->arena, 1,
			   sizeof *tile + n_funcs * sizeof *tile->bounds + n_loops * sizeof *tile->sizes +
			       calls * sizeof *tile->calls + n_funcs * sizeof(int));
	tile->kind = kind;
	tile->func = func;
	tile->stage = stage;
	tile->parent = parent;
	tile->bounds = (struct bw_bounds **)(void *)(tile + 1);
	tile->sizes = (int64_t *)(void *)(tile->bounds + n_funcs);
	for (size_t l = 0; l < n_loops; l++)
		tile->sizes[l] = 1;
	double *of_point = (double *)(void *)(tile->sizes + n_loops);
	int *list = (int *)(void *)(of_point + calls);
	if (kind == BW_TILE_POINT) {
		tile->calls = of_point;
		tile->inlined = list;
	} else {
		tile->stored = list;
	}
	struct bw_tile **end = parent ? &parent->first : NULL;
	while (end && *end)
		end = &(*end)->next;
	if (end)
		*end = tile;
	return tile;
}

/* The division of a stage's loops among the kinds of level by a plan; an extent of 0 takes what the others
 * leave. */
struct division {
	int64_t threads[BW_MAX_LOOPS], serial[BW_MAX_LOOPS], blocks[BW_MAX_LOOPS];
};

static int64_t *part_of(struct division *division, const struct bw_loop *loop)
{
	switch (loop->kind) {
	case BW_LOOP_BLOCK:
		return &division->blocks[loop->loop];
	case BW_LOOP_THREAD:
	case BW_LOOP_LANE:
		return &division->threads[loop->loop];
	default:
		return &division->serial[loop->loop];
	}
}

static void divide(const struct bw_stage_plan *plan, int n_loops, const struct bw_span *loops,
		   struct division *division)
{
	for (int l = 0; l < n_loops; l++)
		division->threads[l] = division->serial[l] = division->blocks[l] = 1;
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].extent)
			*part_of(division, &plan->loops[i]) *= plan->loops[i].extent;
	for (int i = 0; i < plan->n_loops; i++) {
		int l = plan->loops[i].loop;
		if (!plan->loops[i].extent)
			*part_of(division, &plan->loops[i]) *= bw_max(
			    1, bw_div_up(bw_span_extent(&loops[l]),
					 division->threads[l] * division->serial[l] * division->blocks[l]));
	}
}

/* Returns a level of a Func's own. Inside it the stage's loops cover these extents, beginning with
 * iteration `skip`. */
static struct bw_tile *own_tile(const struct bw_loop_tree *tree, enum bw_tile_kind kind,
				struct bw_tile *parent, const struct bw_tile *like, const int64_t *sizes,
				const int64_t *skip, const int64_t *extents, const struct bw_bounds *around)
{
	struct bw_tile *tile = bw_tile_new(tree, kind, parent, like->func, like->stage);
	int func = like->stage->func, stage = like->stage->index;
	tile->vector_dim = like->vector_dim;
	tile->vector_loop = like->vector_loop;
	struct bw_bounds *bounds = bw_bounds_new(tree, func);
	size_t bytes = (size_t)like->func->n_dims * sizeof *bounds->required;
	bw_bounds_make_room(tree, func, bounds);
	memcpy(bounds->required, around->required, bytes);
	memcpy(bounds->computed, around->computed, bytes);
	for (int s = 0; s < like->func->n_stages; s++)
		memcpy(bounds->loops[s], around->loops[s], (size_t)like->func->stages[s].n_loops * sizeof **bounds->loops);
	for (int l = 0; l < like->stage->n_loops; l++) {
		const struct bw_span *whole = &around->loops[stage][l];
		int64_t min = whole->min + skip[l];
		bounds->loops[stage][l] =
		    (struct bw_span){min, min + extents[l] - 1,
				     kind == BW_TILE_SERIAL || kind == BW_TILE_POINT || whole->constant ||
					 like->stage->loops[l].parallel};
		tile->sizes[l] = sizes[l];
	}
	tile->bounds[func] = bounds;
	return tile;
}

/* The representative iterations are the middle ones. */
void bw_tree_add_stage(struct bw_loop_tree *tree, struct bw_tile *host, const struct bw_placed *placed, int s)
{
	const struct bw_placement *placement = placed->placement;
	const struct bw_func *func = &tree->pipeline->funcs[placement->func];
	const struct bw_stage *stage = &func->stages[s];
	struct bw_tile like = {.func = func,
			       .stage = stage,
			       .vector_dim = placement->n_storage ? placement->storage[0] : 0,
			       .vector_loop = -1};
	for (int l = 0; l < stage->n_loops; l++)
		if (stage->loops[l].dim == like.vector_dim)
			like.vector_loop = l;
	const struct bw_bounds *around = bw_tile_bounds(tree, host, placement->func);
	const struct bw_span *loops = around->loops[s];
	struct bw_stage_site *site = &tree->sites[func->first_stage + s];
	struct division division;
	int64_t ones[BW_MAX_LOOPS], middle[BW_MAX_LOOPS], in_block[BW_MAX_LOOPS], block[BW_MAX_LOOPS],
	    thread[BW_MAX_LOOPS];
	divide(&placement->stages[s], stage->n_loops, loops, &division);
	for (int l = 0; l < stage->n_loops; l++) {
		ones[l] = 1;
		middle[l] = bw_span_extent(&loops[l]) / 2;
		in_block[l] = division.threads[l] * division.serial[l];
		block[l] = division.blocks[l] / 2 * in_block[l];
		thread[l] = bw_div_up(bw_span_extent(&loops[l]), division.serial[l]) / 2 * division.serial[l];
		if (host->func)
			thread[l] = division.threads[l] / 2 * division.serial[l];
	}
	struct bw_tile *tile = host;
	if (!stage->n_loops && !host->func) {
		tile = own_tile(tree, BW_TILE_SCALAR, tile, &like, ones, middle, ones, around);
	} else {
		if (!host->func)
			tile = own_tile(tree, BW_TILE_BLOCK, tile, &like, division.blocks, block, in_block, around);
		if (!host->func || host->kind == BW_TILE_BLOCK) {
			tile = own_tile(tree, BW_TILE_THREAD, tile, &like, division.threads, thread, division.serial, around);
			tile->placed = &placed->stages[s];
		}
		tile = own_tile(tree, BW_TILE_SERIAL, tile, &like, division.serial, middle, ones, around);
	}
	site->point = own_tile(tree, BW_TILE_POINT, tile, &like, ones, middle, ones, around);
	site->compute = host;
	for (site->produce = site->point; site->produce->parent != host;)
		site->produce = site->produce->parent;
}

/* What every level of the walk asks: the features of a stage so far, and the loops around a point. */

void bw_feature_defaults(double *features, const struct bw_feature_limits *limits)
{
	features[BW_FEATURE_num_blocks] = 1;
	features[BW_FEATURE_block_occupancy] = 1.0 / (double)limits->block_threads;
	features[BW_FEATURE_warp_lane_utilization] = 1.0 / (double)limits->warp;
	features[BW_FEATURE_warp_lane_utilization_at_block_y] = 1;
	features[BW_FEATURE_warp_lane_utilization_at_block_z] = 1;
	features[BW_FEATURE_shared_mem_store_efficiency] = 1;
	features[BW_FEATURE_shared_mem_load_efficiency] = 1;
	features[BW_FEATURE_global_mem_store_efficiency] = 1;
	features[BW_FEATURE_global_mem_load_efficiency] = 1;
	features[BW_FEATURE_shared_mem_block_limit_factor] = 1;
}

double *bw_walk_features(const struct bw_feature_walk *walk, const struct bw_stage *stage)
{
	int number = bw_stage_number(walk->tree, stage);
	if (!walk->features[number]) {
		walk->features[number] = BW_ARENA_ARRAY(walk->tree->arena, double, BW_SCHEDULE_FEATURES);
		bw_feature_defaults(walk->features[number], walk->limits);
	}
	return walk->features[number];
}

double bw_row_bytes(const struct bw_func *func, const struct bw_span *computed, int v)
{
	return func->bytes * (v >= 0 && v < func->n_dims ? (double)bw_span_extent(&computed[v]) : 1);
}

int64_t bw_tile_iterations(const struct bw_tile *tile)
{
	int64_t product = 1;
	for (int l = 0; l < tile->stage->n_loops; l++)
		product *= tile->sizes[l];
	return product;
}

struct bw_tile *bw_thread_around(struct bw_tile *point)
{
	struct bw_tile *tile = point;
	while (tile->func && tile->kind != BW_TILE_THREAD)
		tile = tile->parent;
	return tile->func ? tile : NULL;
}

int64_t bw_serial_inside(const struct bw_tile *point)
{
	int64_t product = 1;
	const struct bw_tile *tile = point;
	for (; tile->func && tile->kind != BW_TILE_THREAD; tile = tile->parent)
		if (tile->kind == BW_TILE_SERIAL)
			product *= bw_tile_iterations(tile);
	return tile->func ? product : 1;
}

int64_t bw_serial_outside(const struct bw_tile *point)
{
	int64_t product = 1;
	const struct bw_tile *tile = point;
	while (tile->func && tile->kind != BW_TILE_THREAD)
		tile = tile->parent;
	for (; tile->func && tile->kind != BW_TILE_BLOCK; tile = tile->parent)
		if (tile->kind == BW_TILE_SERIAL)
			product *= bw_tile_iterations(tile);
	return product;
}

int64_t bw_serial_around(const struct bw_tile *point)
{
	int64_t product = 1;
	for (const struct bw_tile *tile = point; tile->func && tile->kind != BW_TILE_THREAD; tile = tile->parent)
		if (tile->kind == BW_TILE_SERIAL && tile->func != point->func)
			product *= bw_tile_iterations(tile);
	return product;
}
