/* The features of a schedule: a walk down the loop tree that adds each level's part to the stages in it.
 * Several features are set at every level of a stage, so that the innermost level decides. */
#include <math.h>

#include "base/arith.h"
#include "cost/features_private.h"

struct bw_feature_limits bw_feature_limits_of(const struct bw_device *device)
{
	return (struct bw_feature_limits){(int64_t)device->sms,
					  (int64_t)device->warp_size,
					  (int64_t)device->threads_per_block,
					  (int64_t)device->shared_per_block,
					  (int64_t)device->shared_per_sm,
					  (int64_t)device->blocks_per_sm,
					  (int64_t)device->warps_per_sm,
					  (int64_t)device->sector,
					  (int64_t)device->shared_banks,
					  false,
					  false,
					  false};
}

static double bytes_of(const struct bw_func *func, const struct bw_span *computed)
{
	double bytes = func->bytes;
	for (int d = 0; d < func->n_dims; d++)
		bytes *= (double)bw_span_extent(&computed[d]);
	return bytes;
}

/* Sets the two of six features, for global memory, shared memory and registers, that belong to the memory. */
static void set_by_memory(double *features, enum bw_memory memory, double bytes, double row)
{
	int first = memory == BW_MEMORY_GLOBAL ? 0 : memory == BW_MEMORY_SHARED ? 1 : 2;
	features[BW_FEATURE_global_bytes_at_task + first] = bytes;
	features[BW_FEATURE_global_innermost_bytes_at_task + first] = row;
}

/* Sets the features that depend on where a Func is stored. */
static void visit_stored(struct bw_feature_walk *walk, struct bw_tile *tile, int f, int64_t instances)
{
	const struct bw_func *func = &walk->tree->pipeline->funcs[f];
	const struct bw_bounds *bounds = bw_tile_bounds(walk->tree, tile, f);
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_tile *produce = walk->tree->sites[func->first_stage + s].produce;
		if (!produce)
			continue;
		double *features = bw_walk_features(walk, &func->stages[s]);
		features[BW_FEATURE_num_realizations] = (double)instances;
		features[BW_FEATURE_points_computed_per_realization] = 1;
		features[BW_FEATURE_num_scalars] = (double)instances;
		for (int l = 0; l < func->stages[s].n_loops; l++) {
			double extent = (double)bw_span_extent(&bounds->loops[s][l]);
			features[BW_FEATURE_points_computed_per_realization] *= extent;
			/* For the vector's loop, Halide counts the remainder of a division by the vector's
			 * width, which is 1 on a GPU. */
			features[BW_FEATURE_num_scalars] *= l == produce->vector_loop ? 0 : extent;
		}
		features[BW_FEATURE_points_computed_total] =
		    features[BW_FEATURE_points_computed_per_realization] *
		    features[BW_FEATURE_num_realizations];
		features[BW_FEATURE_bytes_at_realization] = bytes_of(func, bounds->computed);
		features[BW_FEATURE_innermost_bytes_at_realization] =
		    bw_row_bytes(func, bounds->computed, produce->vector_dim);
		if (tile->func)
			set_by_memory(features, walk->tree->sites[func->first_stage].memory,
				      features[BW_FEATURE_bytes_at_realization],
				      features[BW_FEATURE_innermost_bytes_at_realization]);
	}
}

/* Sets the bytes that a block writes. */
static void set_task_bytes(struct bw_feature_walk *walk, struct bw_tile *tile, double *features)
{
	const struct bw_func *func = tile->func;
	const struct bw_bounds *bounds = bw_tile_bounds(walk->tree, tile, tile->stage->func);
	double bytes = func->bytes, row = func->bytes, sms = (double)walk->limits->parallelism;
	for (int d = 0; d < func->n_dims; d++) {
		int64_t extent = bw_span_extent(&bounds->computed[d]);
		for (int l = 0; l < tile->stage->n_loops; l++)
			if (tile->stage->loops[l].dim == d)
				extent /= tile->sizes[l];
		bytes *= (double)extent;
		if (d == tile->vector_dim)
			row *= (double)extent;
	}
	if (tile->kind != BW_TILE_BLOCK) {
		bytes = (features[BW_FEATURE_bytes_at_realization] + sms - 1) / sms;
		row = fmin(bytes, features[BW_FEATURE_innermost_bytes_at_realization]);
	}
	set_by_memory(features, walk->tree->sites[func->first_stage].memory, bytes, row);
}

/* Adds what a block reads of one Func that is stored outside. */
static void add_task_reads(struct bw_feature_walk *walk, struct bw_tile *tile, int producer, double *features)
{
	const struct bw_func *func = &walk->tree->pipeline->funcs[producer];
	const struct bw_span *required = bw_tile_required(walk->tree, tile, producer);
	int v = bw_line_dim(walk->tree, producer, required);
	double bytes = func->bytes, lines = 1;
	for (int d = 0; d < func->n_dims; d++) {
		double extent = (double)bw_span_extent(&required[d]);
		bytes *= extent;
		if (d != v)
			lines *= extent;
	}
	features[BW_FEATURE_unique_bytes_read_per_task] += bytes;
	features[BW_FEATURE_unique_lines_read_per_task] += lines;
}

/* Visits each Func that is read inside the block once, through Funcs that are inlined or computed in it,
 * but not into Funcs that are only assumed there. */
static void visit_task_reads(struct bw_feature_walk *walk, struct bw_tile *tile, const struct bw_stage *stage,
			     bool *done, double *features)
{
	const struct bw_loop_tree *tree = walk->tree;
	int number = bw_stage_number(tree, stage);
	for (int i = 0; i < tree->n_incoming[number]; i++) {
		int producer = tree->edges[tree->incoming[number][i]].producer;
		const struct bw_func *func = &tree->pipeline->funcs[producer];
		if (done[producer])
			continue;
		done[producer] = true;
		if (tree->sites[func->first_stage].store == tree->root)
			add_task_reads(walk, tile, producer, features);
		else if (tree->sites[func->first_stage].placed)
			for (int s = 0; s < func->n_stages; s++)
				visit_task_reads(walk, tile, &func->stages[s], done, features);
	}
}

static void set_task_working_set(struct bw_feature_walk *walk, const struct bw_tile *tile, double bytes)
{
	for (const struct bw_tile *child = tile->first; child; child = child->next) {
		set_task_working_set(walk, child, bytes);
		bw_walk_features(walk, child->stage)[BW_FEATURE_working_set_at_task] = bytes;
	}
}

static void set_production(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances,
			   int64_t tasks, int64_t parallelism, double *features)
{
	const struct bw_bounds *bounds = bw_tile_bounds(walk->tree, tile->parent, tile->stage->func);
	features[BW_FEATURE_num_productions] = (double)instances;
	features[BW_FEATURE_inner_parallelism] = (double)tasks;
	features[BW_FEATURE_outer_parallelism] = (double)parallelism;
	features[BW_FEATURE_bytes_at_production] = bytes_of(tile->func, bounds->computed);
	features[BW_FEATURE_innermost_bytes_at_production] =
	    bw_row_bytes(tile->func, bounds->computed, tile->vector_dim);
}

static void set_innermost(const struct bw_tile *tile, double *features)
{
	features[BW_FEATURE_innermost_loop_extent] = 1;
	features[BW_FEATURE_innermost_pure_loop_extent] = 1;
	for (int l = 0; l < tile->stage->n_loops; l++) {
		features[BW_FEATURE_innermost_loop_extent] *= (double)tile->sizes[l];
		if (tile->stage->loops[l].pure)
			features[BW_FEATURE_innermost_pure_loop_extent] *= (double)tile->sizes[l];
	}
}

/* Returns the blocks of a level's own loops: its parallel loops up to the first that is not. */
static int64_t tasks_of(const struct bw_tile *tile, const struct bw_feature_limits *limits)
{
	int64_t tasks = 1;
	for (int l = tile->stage->n_loops - 1; l >= 0 && tile->kind == BW_TILE_BLOCK && limits->parallelism > 1; l--)
		if (tile->stage->loops[l].parallel)
			tasks *= tile->sizes[l];
		else if (tile->sizes[l] != 1)
			break;
	return tasks;
}

static void set_shared_occupancy(struct bw_feature_walk *walk, struct bw_tile *tile, double *features)
{
	double bytes = tile->assumed_bytes, most = (double)walk->limits->sm_blocks;
	for (int i = 0; i < tile->n_stored; i++)
		bytes += bytes_of(&walk->tree->pipeline->funcs[tile->stored[i]],
				  bw_tile_bounds(walk->tree, tile, tile->stored[i])->computed);
	features[BW_FEATURE_shared_mem_occupancy] = bytes / (double)walk->limits->shared_block;
	if (bytes > 0)
		features[BW_FEATURE_shared_mem_block_limit_factor] =
		    fmin(most, floor((double)walk->limits->shared_sm / bytes)) / most;
}

static double visit(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances,
		    int64_t parallelism);

/* Visits the levels inside a level. Returns the bytes allocated in it. */
static double visit_inside(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances,
			   int64_t parallelism)
{
	const struct bw_func *funcs = walk->tree->pipeline->funcs;
	double bytes = 0;
	for (int i = 0; i < tile->n_stored; i++)
		visit_stored(walk, tile, tile->stored[i], instances);
	for (struct bw_tile *child = tile->first; child; child = child->next)
		bytes += visit(walk, child, instances, parallelism);
	for (int i = 0; i < tile->n_stored; i++)
		bytes += bw_walk_features(walk, &funcs[tile->stored[i]].stages[0])[BW_FEATURE_bytes_at_production];
	for (int i = 0; i < tile->n_stored; i++)
		for (int s = 0; s < funcs[tile->stored[i]].n_stages; s++)
			bw_walk_features(walk, &funcs[tile->stored[i]].stages[s])[BW_FEATURE_working_set_at_realization] = bytes;
	for (const struct bw_tile *child = tile->first; child; child = child->next)
		if (child->func != tile->func)
			bw_walk_features(walk, child->stage)[BW_FEATURE_working_set_at_production] = bytes;
	return bytes;
}

/* Visits a level below root that `parallelism` blocks enter `instances` times in all. Returns the bytes
 * allocated in it. */
static double visit(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances,
		    int64_t parallelism)
{
	double *features = bw_walk_features(walk, tile->stage);
	bool at_task = !tile->parent->func, at_production = tile->parent->func != tile->func;
	int64_t inside = instances, tasks = tasks_of(tile, walk->limits);
	for (int l = 0; l < tile->stage->n_loops; l++)
		inside *= tile->sizes[l];
	if (tile->kind != BW_TILE_POINT)
		set_innermost(tile, features);
	if (at_task) {
		set_task_bytes(walk, tile, features);
		visit_task_reads(walk, tile, tile->stage,
				 BW_ARENA_ARRAY(walk->tree->arena, bool, walk->tree->pipeline->n_funcs),
				 features);
	}
	if (at_production)
		set_production(walk, tile, instances, tasks, parallelism, features);
	double bytes = visit_inside(walk, tile, inside, tasks * parallelism);
	if (tile->kind == BW_TILE_THREAD)
		features[BW_FEATURE_working_set_at_thread] = bytes;
	if (at_task)
		set_task_working_set(walk, tile, bytes);
	if (at_production) {
		features[BW_FEATURE_working_set] = bytes;
		bw_walk_production(walk, tile, (int64_t)features[BW_FEATURE_num_realizations]);
	}
	if (tile->kind == BW_TILE_POINT)
		bw_walk_point(walk, tile, instances, inside, parallelism);
	if (tile->kind == BW_TILE_BLOCK)
		set_shared_occupancy(walk, tile, features);
	return bytes;
}

double bw_walk_kernel(struct bw_feature_walk *walk)
{
	struct bw_tile *root = walk->tree->root;
	const struct bw_func *funcs = walk->tree->pipeline->funcs;
	for (int i = 0; i < root->n_stored; i++)
		visit_stored(walk, root, root->stored[i], 1);
	double bytes = visit(walk, root->first, 1, 1);
	for (int i = 0; i < root->n_stored; i++)
		if (walk->tree->sites[funcs[root->stored[i]].first_stage].produce)
			bytes += bw_walk_features(walk, &funcs[root->stored[i]].stages[0])[BW_FEATURE_bytes_at_production];
	return bytes;
}
