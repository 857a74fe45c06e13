/* Features by kernel, and their combination to those of a nest. */
#include <math.h>

#include "base/arith.h"
#include "base/hash.h"
#include "cost/features_private.h"

struct bw_feature_basis {
	const struct bw_loop_tree *tree; /* without a kernel */
	double *bytes, *least;           /* by stage: bytes_at_root, points_computed_minimum */
};

/* Returns the least points of a stage: those of its region at root, or fewer if it could be inlined into
 * all its readers. */
static double least_points(const struct bw_loop_tree *tree, const double *least, const struct bw_func *func,
			   int s)
{
	int f = func->stages[s].func;
	double points =
		   bw_spans_points(bw_tile_bounds(tree, tree->root, f)->loops[s], func->stages[s].n_loops),
	       inlined = 0;
	if (func->n_stages > 1 || func->output)
		return points;
	for (int i = 0; i < tree->n_outgoing[f]; i++) {
		const struct bw_edge *edge = &tree->edges[tree->outgoing[f][i]];
		inlined += least[tree->pipeline->funcs[edge->consumer].first_stage + edge->stage] * edge->calls;
	}
	return fmin(points, inlined);
}

/* Processes consumers first. */
const struct bw_feature_basis *bw_feature_basis_new(const struct bw_pipeline *pipeline,
						    struct bw_arena *arena)
{
	struct bw_feature_basis *basis = BW_ARENA_NEW(arena, struct bw_feature_basis);
	const struct bw_loop_tree *tree = basis->tree = bw_loop_tree_new(pipeline, arena);
	basis->bytes = BW_ARENA_ARRAY(arena, double, pipeline->n_stages + 1);
	basis->least = BW_ARENA_ARRAY(arena, double, pipeline->n_stages + 1);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		for (int s = 0; s < func->n_stages && !func->input && !tree->inputs[f]; s++) {
			basis->bytes[func->first_stage + s] =
			    func->bytes *
			    bw_spans_points(bw_tile_bounds(tree, tree->root, f)->computed, func->n_dims);
			basis->least[func->first_stage + s] = least_points(tree, basis->least, func, s);
		}
	}
	return basis;
}

void bw_feature_each_kernel(const struct bw_feature_basis *basis, const struct bw_nest *nest,
			    bw_feature_each *each, void *data)
{
	for (int i = basis->tree->n_order; i > 0; i--) {
		int f = basis->tree->order[i - 1];
		const struct bw_placed *placed = nest->placed[f];
		if (!placed || placed->placement->compute.kind != BW_SITE_ROOT || basis->tree->inputs[f])
			continue;
		for (int s = basis->tree->pipeline->funcs[f].n_stages - 1; s >= 0; s--)
			each(data, f, s);
	}
}

/* The parts of a kernel, while they are collected. */
struct collecting {
	const struct bw_feature_basis *basis;
	struct bw_feature_walk *walk;
	struct bw_kernel_features kernel;
};

static void add_part(struct collecting *collecting, const struct bw_func *func, int s)
{
	const struct bw_loop_tree *tree = collecting->walk->tree;
	int number = func->first_stage + s, f = func->stages[s].func;
	const struct bw_stage_site *site = &tree->sites[number];
	struct bw_kernel_part *part = &collecting->kernel.parts[collecting->kernel.n++];
	const double *features = bw_walk_features(collecting->walk, &func->stages[s]);
	*part = (struct bw_kernel_part){.stage = number,
					.inlined = tree->inlined[f],
					.launched = site->compute == tree->root,
					.kept = site->store == tree->root};
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++)
		part->features[i] = features[i];
	part->features[BW_FEATURE_bytes_at_root] = collecting->basis->bytes[number];
	part->features[BW_FEATURE_points_computed_minimum] = collecting->basis->least[number];
	part->features[BW_FEATURE_innermost_bytes_at_root] =
	    bw_row_bytes(func, bw_tile_bounds(tree, tree->root, f)->computed, site->vector_dim);
}

struct bw_kernel_features bw_kernel_features_of(const struct bw_feature_basis *basis,
						const struct bw_nest *nest, int func, int stage,
						const struct bw_feature_limits *limits,
						struct bw_arena *arena)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	struct bw_loop_tree *tree = bw_loop_tree_of(basis->tree, nest, func, stage, limits, arena);
	struct bw_feature_walk walk = {tree, limits, BW_ARENA_ARRAY(arena, double *, pipeline->n_stages + 1)};
	struct collecting collecting = {.basis = basis, .walk = &walk};
	collecting.kernel.working_set = bw_walk_kernel(&walk);
	int n = 0;
	for (int i = 0; i < pipeline->n_stages; i++)
		n += tree->sites[i].produce != NULL;
	collecting.kernel.parts = BW_ARENA_ARRAY(arena, struct bw_kernel_part, n + 1);
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			if (tree->sites[pipeline->funcs[f].first_stage + s].produce)
				add_part(&collecting, &pipeline->funcs[f], s);
	return collecting.kernel;
}

void bw_inlined_begin(const struct bw_feature_basis *basis, int stage, const struct bw_feature_limits *limits,
		      double features[BW_SCHEDULE_FEATURES])
{
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++)
		features[i] = 0;
	bw_feature_defaults(features, limits);
	features[BW_FEATURE_bytes_at_root] = basis->bytes[stage];
	features[BW_FEATURE_points_computed_minimum] = basis->least[stage];
}

/* The features of an inlined stage that its kernels add up, and those that the last of them sets. */
static const enum bw_schedule_feature sums[] = {
    BW_FEATURE_inlined_calls, BW_FEATURE_num_scalars, BW_FEATURE_num_warps_per_block,
    BW_FEATURE_num_threads_per_block, BW_FEATURE_points_computed_per_thread};
static const enum bw_schedule_feature last[] = {BW_FEATURE_inner_parallelism, BW_FEATURE_outer_parallelism,
						BW_FEATURE_num_blocks, BW_FEATURE_innermost_bytes_at_root};
enum { SUMS = sizeof sums / sizeof *sums, LAST = sizeof last / sizeof *last };

void bw_inlined_add(const struct bw_kernel_part *part, double features[BW_SCHEDULE_FEATURES])
{
	for (size_t i = 0; i < SUMS; i++)
		features[sums[i]] += part->features[sums[i]];
	for (size_t i = 0; i < LAST; i++)
		features[last[i]] = part->features[last[i]];
	double before = features[BW_FEATURE_innermost_pure_loop_extent],
	       extent = part->features[BW_FEATURE_innermost_pure_loop_extent];
	features[BW_FEATURE_innermost_pure_loop_extent] = before > 0 ? fmin(before, extent) : extent;
}

/* A whole nest, while its kernels are combined. */
struct merging {
	const struct bw_feature_basis *basis;
	const struct bw_nest *nest;
	const struct bw_feature_limits *limits;
	struct bw_arena *arena;
	double (*features)[BW_SCHEDULE_FEATURES];
	bool *launched, *kept; /* by stage */
	double working_set;
};

static void merge_kernel(void *data, int func, int stage)
{
	struct merging *merging = data;
	struct bw_kernel_features kernel = bw_kernel_features_of(merging->basis, merging->nest, func, stage,
								 merging->limits, merging->arena);
	merging->working_set += kernel.working_set;
	for (int i = 0; i < kernel.n; i++) {
		const struct bw_kernel_part *part = &kernel.parts[i];
		double *features = merging->features[part->stage];
		merging->launched[part->stage] = part->launched;
		merging->kept[part->stage] = part->kept;
		if (part->inlined)
			bw_inlined_add(part, features);
		for (int f = 0; f < BW_SCHEDULE_FEATURES && !part->inlined; f++)
			features[f] = part->features[f];
	}
}

static void write_features(const struct merging *merging, int f, int s, struct bw_features *features)
{
	int number = merging->nest->pipeline->funcs[f].first_stage + s;
	double *from = merging->features[number];
	from[BW_FEATURE_working_set_at_root] = merging->working_set;
	if (merging->launched[number])
		from[BW_FEATURE_working_set_at_production] = merging->working_set;
	if (merging->kept[number])
		from[BW_FEATURE_working_set_at_realization] = merging->working_set;
	bw_pipeline_features(merging->nest->pipeline, f, s, features->pipeline);
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++)
		features->schedule[i] = bw_feature_float(from[i]);
}

struct bw_features *bw_nest_features(const struct bw_nest *nest, const struct bw_feature_limits *limits,
				     struct bw_arena *arena)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	struct bw_features *all = BW_ARENA_ARRAY(arena, struct bw_features, pipeline->n_stages + 1);
	struct merging merging = {
	    .basis = bw_feature_basis_new(pipeline, arena), .nest = nest, .limits = limits, .arena = arena};
	merging.features = bw_arena_array(arena, (size_t)pipeline->n_stages + 1, sizeof *merging.features);
	merging.launched = BW_ARENA_ARRAY(arena, bool, pipeline->n_stages + 1);
	merging.kept = BW_ARENA_ARRAY(arena, bool, pipeline->n_stages + 1);
	for (int i = 0; i < pipeline->n_stages; i++)
		bw_inlined_begin(merging.basis, i, limits, merging.features[i]);
	bw_feature_each_kernel(merging.basis, nest, merge_kernel, &merging);
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages && !pipeline->funcs[f].input &&
				!merging.basis->tree->inputs[f];
		     s++)
			write_features(&merging, f, s, &all[pipeline->funcs[f].first_stage + s]);
	return all;
}

/* The kernels that read each Func, as sets of `words` words; one more element stands for readers outside
 * of all kernels. */
struct readers {
	const struct bw_loop_tree *tree;
	const struct bw_nest *nest;
	int words;
	uint64_t *sets; /* by Func */
	uint64_t *keys;
};

static void put_in(uint64_t *set, int number)
{
	set[number / 64] |= (uint64_t)1 << number % 64;
}

/* Returns the number of the kernel that computes a stage. */
static int kernel_of(const struct bw_pipeline *pipeline, const struct bw_placed *placed, int stage)
{
	bool root = placed->placement->compute.kind == BW_SITE_ROOT;
	return root ? pipeline->funcs[placed->placement->func].first_stage + stage
		    : pipeline->funcs[placed->kernel_func].first_stage + placed->kernel_stage;
}

static void find_readers(const struct readers *readers, int f)
{
	const struct bw_pipeline *pipeline = readers->tree->pipeline;
	uint64_t *set = &readers->sets[f * readers->words];
	for (int i = 0; i < readers->tree->n_outgoing[f]; i++) {
		const struct bw_edge *edge = &readers->tree->edges[readers->tree->outgoing[f][i]];
		const struct bw_placed *placed = readers->nest->placed[edge->consumer];
		if (placed && placed->placement->compute.kind != BW_SITE_INLINE)
			put_in(set, kernel_of(pipeline, placed, edge->stage));
		for (int w = 0; w < readers->words && (!placed || placed->placement->compute.kind == BW_SITE_INLINE); w++)
			set[w] |= readers->sets[edge->consumer * readers->words + w];
	}
	if (pipeline->funcs[f].output)
		put_in(set, pipeline->n_stages);
}

/* Returns a hash of what kernels that read a Func see of it; if it is not placed, of whether several
 * kernels read it. */
static uint64_t seen_of(const struct bw_placed *placed, bool several)
{
	enum { INLINED = 1, STORED, OPEN, WITHIN };
	if (!placed)
		return several ? OPEN : WITHIN;
	if (placed->placement->compute.kind == BW_SITE_INLINE)
		return INLINED;
	return STORED + 4 * (uint64_t)(placed->placement->n_storage ? placed->placement->storage[0] : 0);
}

/* Adds to the keys of kernels what they see of the Funcs that they read. */
static void add_reads(const struct readers *readers, int f)
{
	const struct bw_pipeline *pipeline = readers->tree->pipeline;
	const struct bw_placed *placed = readers->nest->placed[f];
	const uint64_t *set = &readers->sets[f * readers->words];
	int own =
		placed && placed->placement->compute.kind == BW_SITE_AT ? kernel_of(pipeline, placed, 0) : -1,
	    n = 0;
	for (int w = 0; w < readers->words && !placed && n < 2; w++)
		n += __builtin_popcountll(set[w]);
	uint64_t seen = bw_hash_mix((uint64_t)f, seen_of(placed, n != 1));
	for (int w = 0; w < readers->words; w++)
		for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
			int kernel = 64 * w + __builtin_ctzll(rest);
			if (kernel != own && kernel < pipeline->n_stages)
				readers->keys[kernel] += seen;
		}
}

/* Adds the part of a Func's placement to the keys. */
static void add_placement(const struct bw_feature_basis *basis, const struct bw_nest *nest, int func,
			uint64_t *keys)
{
	const struct bw_placed *placed = nest->placed[func];
	if (!placed || placed->placement->compute.kind == BW_SITE_INLINE || basis->tree->inputs[func])
		return;
	int n = placed->placement->compute.kind == BW_SITE_ROOT ? nest->pipeline->funcs[func].n_stages : 1;
	uint64_t placement = bw_hash_mix(placed->placement->hash, (uint64_t)func);
	for (int s = 0; s < n; s++)
		keys[kernel_of(nest->pipeline, placed, s)] += placement;
}

void bw_kernel_keys(const struct bw_feature_basis *basis, const struct bw_nest *nest,
		    struct bw_arena *arena, uint64_t *keys)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	int words = pipeline->n_stages / 64 + 1;
	struct readers readers = {basis->tree, nest, words,
				  BW_ARENA_ARRAY(arena, uint64_t, pipeline->n_funcs * words), keys};
	for (int i = 0; i < pipeline->n_stages; i++)
		keys[i] = (uint64_t)i;
	for (int i = basis->tree->n_order; i > 0; i--) {
		int f = basis->tree->order[i - 1];
		if (basis->tree->inputs[f])
			continue;
		find_readers(&readers, f);
		add_reads(&readers, f);
		add_placement(basis, nest, f, keys);
	}
}
