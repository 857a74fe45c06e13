/* What every level of the walk asks: the features of a stage so far, and the loops around a point. */
#include "cost/features_walk.h"

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
