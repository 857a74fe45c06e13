/* The features of a stage's innermost level: unrolling, stores, loads, the threads that run it, and the
 * Funcs inlined there. */
#include <math.h>

#include "base/arith.h"
#include "cost/features_private.h"

/* Most points of an unrolled tile. */
enum { UNROLL_MOST = 16 };

/* Returns true if a thread's tile is unrolled: small, with constant extents, and without reduction loops. */
static bool unrolls(struct bw_feature_walk *walk, const struct bw_tile *point)
{
	const struct bw_tile *tile = point->parent;
	if (bw_tile_scalar(point))
		return true;
	const struct bw_span *loops =
	    bw_tile_bounds(walk->tree, tile->parent, point->stage->func)->loops[point->stage->index];
	double points = 1;
	for (int l = 0; l < point->stage->n_loops; l++) {
		if (!point->stage->loops[l].pure || !loops[l].constant)
			return false;
		points *= (double)bw_span_extent(&loops[l]);
	}
	return points <= UNROLL_MOST;
}

/* Returns the innermost dimension of a Func's storage with more than one element. */
static int storage_dim(const struct bw_tile *point, const struct bw_bounds *bounds)
{
	if (point->vector_dim < point->func->n_dims && bw_span_extent(&bounds->computed[point->vector_dim]) > 1)
		return point->vector_dim;
	for (int d = 0; d < point->func->n_dims; d++)
		if (bw_span_extent(&bounds->computed[d]) > 1)
			return d;
	return point->vector_dim;
}

/* Returns the stores per thread: one for all iterations of loops that do not change the address, and one
 * per vector. */
static double stores_of(const struct bw_tile *point, const struct bw_strides *store,
			const struct bw_bounds *bounds, bool shared)
{
	int innermost = storage_dim(point, bounds);
	double stores = (double)bw_serial_inside(point) * (double)bw_serial_outside(point);
	int64_t vector = 1;
	for (int l = 0; l < point->stage->n_loops; l++) {
		bool still = true;
		for (int d = 0; d < store->rows; d++)
			still &= bw_strides_is(store, d, l, 0);
		if (still)
			stores /= (double)point->parent->sizes[l];
		else if (shared && bw_walks_innermost(store, innermost, l))
			vector = bw_max(vector, bw_vector_size(point->parent, l));
	}
	return stores / (double)vector;
}

/* Sets the features of a stage's stores; an update loads as much first. */
static void set_stores(struct bw_feature_walk *walk, struct bw_tile *point, const struct bw_threads *threads,
		       struct bw_stage_loads *loads, double *features)
{
	struct bw_loop_tree *tree = walk->tree;
	const struct bw_stage_site *site = &tree->sites[bw_stage_number(tree, point->stage)];
	struct bw_tile *thread = bw_thread_around(point);
	bool shared = site->memory == BW_MEMORY_SHARED;
	if (!point->func->n_dims || !thread || (!shared && site->memory != BW_MEMORY_GLOBAL))
		return;
	int func = point->stage->func;
	const struct bw_span *loops = bw_tile_bounds(tree, thread, func)->loops[point->stage->index];
	int64_t factors[BW_MAX_LOOPS];
	for (int l = 0; l < point->stage->n_loops; l++)
		factors[l] = bw_span_extent(&loops[l]);
	struct bw_strides store = bw_strides_of(&point->stage->store, func, tree->arena),
			  scaled = bw_strides_scale(&store, factors, tree->arena);
	const struct bw_bounds *bounds = bw_tile_bounds(tree, site->store, func);
	struct bw_access access = {&scaled,      bounds->required, point->vector_dim,
				   point->stage, threads,          stores_of(point, &store, bounds, shared)};
	struct bw_traffic moved = bw_access_traffic(tree, &access, shared, walk->limits);
	features[shared ? BW_FEATURE_num_shared_mem_stores_per_block
			: BW_FEATURE_num_global_mem_stores_per_block] = moved.transactions;
	features[shared ? BW_FEATURE_shared_mem_store_efficiency : BW_FEATURE_global_mem_store_efficiency] =
	    bw_traffic_efficiency(&moved);
	if (point->stage->index > 0)
		bw_traffic_add(shared ? &loads->shared : &loads->global, &moved);
}

static void set_loads(const struct bw_stage_loads *loads, double *features)
{
	const struct bw_footprint *of = loads->of;
	const struct bw_footprint *global = &of[BW_MEMORY_GLOBAL], *shared = &of[BW_MEMORY_SHARED],
				  *registers = &of[BW_MEMORY_REGISTERS];
	features[BW_FEATURE_unique_global_bytes_read_per_thread] = global->thread_bytes;
	features[BW_FEATURE_unique_shared_bytes_read_per_thread] = shared->thread_bytes;
	features[BW_FEATURE_unique_register_bytes_read_per_thread] = registers->thread_bytes;
	features[BW_FEATURE_unique_global_lines_read_per_thread] = global->thread_lines;
	features[BW_FEATURE_unique_shared_lines_read_per_thread] = shared->thread_lines;
	features[BW_FEATURE_unique_register_lines_read_per_thread] = registers->thread_lines;
	features[BW_FEATURE_unique_bytes_read_per_point] = global->bytes + shared->bytes + registers->bytes;
	/* For registers, Halide adds up bytes here. */
	features[BW_FEATURE_unique_lines_read_per_point] = global->lines + shared->lines + registers->bytes;
	features[BW_FEATURE_num_global_mem_loads_per_block] = loads->global.transactions;
	features[BW_FEATURE_global_mem_load_efficiency] = bw_traffic_efficiency(&loads->global);
	features[BW_FEATURE_num_shared_mem_loads_per_block] = loads->shared.transactions;
	features[BW_FEATURE_shared_mem_load_efficiency] = bw_traffic_efficiency(&loads->shared);
}

static double blocks_of(const struct bw_tile *tile)
{
	while (tile->func && tile->kind != BW_TILE_BLOCK)
		tile = tile->parent;
	return tile->func ? (double)bw_tile_iterations(tile) : 1;
}

static void set_threads(const struct bw_feature_walk *walk, const struct bw_tile *point,
			const struct bw_threads *threads, double *features)
{
	const struct bw_feature_limits *limits = walk->limits;
	double blocks = blocks_of(point), lanes = (double)(threads->active_warps * limits->warp);
	features[BW_FEATURE_warp_lane_utilization] = (double)threads->active / lanes;
	features[BW_FEATURE_num_active_warps_per_block] = (double)threads->active_warps;
	features[BW_FEATURE_idle_lane_wastage] = (lanes - (double)threads->active) / (double)limits->block_threads;
	features[BW_FEATURE_num_warps_per_block] = (double)threads->warps;
	features[BW_FEATURE_num_blocks] = blocks;
	features[BW_FEATURE_block_occupancy] = (double)threads->n / (double)limits->block_threads;
	features[BW_FEATURE_num_threads_per_block] = (double)threads->n;
	const struct bw_tile *outermost = point;
	while (outermost->parent->func)
		outermost = outermost->parent;
	if (outermost->func != point->func)
		return;
	int64_t blocks_per_sm = bw_min(limits->sm_blocks, (int64_t)ceil(blocks / (double)limits->parallelism));
	int64_t warps = bw_min(limits->sm_warps, blocks_per_sm * threads->warps);
	features[BW_FEATURE_max_warp_occupancy] = (double)warps / (double)limits->sm_warps;
	features[BW_FEATURE_max_block_occupancy] = (double)(warps / threads->warps) / (double)limits->sm_blocks;
}

static double branching_of(const struct bw_feature_walk *walk, const struct bw_tile *point)
{
	bool *inlined = BW_ARENA_ARRAY(walk->tree->arena, bool, walk->tree->pipeline->n_funcs);
	for (int i = 0; i < point->n_inlined; i++)
		inlined[point->inlined[i]] = true;
	return bw_func_branching(walk->tree->pipeline, point->stage->func, inlined);
}

/* Adds the features of a Func at the points that it is inlined into. */
static void add_inlined(const struct bw_feature_walk *walk, const struct bw_tile *point, int i,
			const struct bw_threads *threads, double points, double parallelism)
{
	const struct bw_func *func = &walk->tree->pipeline->funcs[point->inlined[i]];
	const double *host = bw_walk_features(walk, point->stage);
	double *features = bw_walk_features(walk, &func->stages[0]), calls = point->calls[i], warps = calls;
	double extent = host[BW_FEATURE_innermost_pure_loop_extent],
	       before = features[BW_FEATURE_innermost_pure_loop_extent];
	if (threads)
		warps *= (double)bw_serial_inside(point) * (double)bw_serial_outside(point) *
			 (double)threads->warps * parallelism;
	features[BW_FEATURE_inlined_calls] += calls * points;
	features[BW_FEATURE_num_scalars] += calls * host[BW_FEATURE_num_scalars];
	features[BW_FEATURE_innermost_pure_loop_extent] = before > 0 ? fmin(before, extent) : extent;
	features[BW_FEATURE_inner_parallelism] = 1;
	features[BW_FEATURE_outer_parallelism] = parallelism;
	features[BW_FEATURE_num_blocks] = parallelism;
	features[BW_FEATURE_num_warps_per_block] += warps;
	features[BW_FEATURE_num_threads_per_block] += threads ? (double)threads->n : 1;
	features[BW_FEATURE_points_computed_per_thread] += calls * host[BW_FEATURE_points_computed_per_thread];
}

void bw_walk_point(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances, int64_t points,
		   int64_t parallelism)
{
	double *features = bw_walk_features(walk, tile->stage);
	struct bw_tile *level = bw_thread_around(tile);
	struct bw_threads of_level, *threads = NULL;
	if (level && !bw_tile_scalar(tile)) {
		of_level = bw_threads_of(level, walk->limits);
		threads = &of_level;
	}
	bool small = features[BW_FEATURE_innermost_pure_loop_extent] <= UNROLL_MOST;
	features[BW_FEATURE_unrolled_loop_extent] =
	    small && unrolls(walk, tile) ? features[BW_FEATURE_innermost_pure_loop_extent] : 1;
	features[BW_FEATURE_expr_branching] = branching_of(walk, tile);
	struct bw_stage_loads loads = bw_walk_loads(walk, tile, instances, threads);
	set_stores(walk, tile, threads, &loads, features);
	set_loads(&loads, features);
	features[BW_FEATURE_points_computed_per_thread] =
	    (double)bw_serial_inside(tile) * (double)bw_serial_outside(tile);
	features[BW_FEATURE_points_computed_per_production] = (double)points / features[BW_FEATURE_num_productions];
	for (int i = 0; i < tile->n_inlined; i++)
		add_inlined(walk, tile, i, threads, (double)points, (double)parallelism);
	if (threads)
		set_threads(walk, tile, threads, features);
}

/* An update counts as reading everything that was computed before it. */
void bw_walk_production(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances)
{
	double *features = bw_walk_features(walk, tile->stage);
	struct bw_stage_loads loads = bw_walk_loads(walk, tile, instances, NULL);
	if (tile->stage->index > 0) {
		struct bw_footprint *own = &loads.of[walk->tree->sites[tile->func->first_stage].memory];
		own->bytes += features[BW_FEATURE_bytes_at_production];
		own->lines += features[BW_FEATURE_bytes_at_production] / features[BW_FEATURE_innermost_bytes_at_production];
		own->allocated += features[BW_FEATURE_bytes_at_production];
	}
	const struct bw_footprint *of[] = {&loads.of[BW_MEMORY_GLOBAL], &loads.of[BW_MEMORY_SHARED],
					   &loads.of[BW_MEMORY_REGISTERS]};
	for (int m = 0; m < 3; m++) {
		features[BW_FEATURE_unique_global_bytes_read_per_realization + m] = of[m]->bytes;
		features[BW_FEATURE_unique_global_lines_read_per_realization + m] = of[m]->lines;
		features[BW_FEATURE_global_allocation_bytes_read_per_realization + m] = of[m]->allocated;
	}
	if (tile->stage->index == 0 || walk->tree->sites[tile->func->first_stage].memory != BW_MEMORY_REGISTERS)
		features[BW_FEATURE_register_allocation_bytes_read_per_realization] = 0;
	else
		features[BW_FEATURE_register_allocation_bytes_read_per_realization] =
		    features[BW_FEATURE_bytes_at_production];
}
