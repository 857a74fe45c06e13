/* Builds the loop tree of a kernel: the edges of the pipeline's graph in the order of Halide's
 * autoscheduler, and where each Func of a nest is computed, stored and inlined. */
#include <string.h>

#include "cost/features_private.h"

bool bw_func_wraps_input(const struct bw_pipeline *pipeline, const struct bw_func *func)
{
	if (!func->wrapper || func->n_stages != 1)
		return false;
	for (int r = 0; r < func->stages[0].n_reads; r++)
		if (!pipeline->funcs[func->stages[0].reads[r].producer].input)
			return false;
	return true;
}

static void collect_edges(struct bw_loop_tree *tree)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			n += pipeline->funcs[f].stages[s].n_reads;
	struct bw_edge *edges = BW_ARENA_ARRAY(tree->arena, struct bw_edge, n + 1);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			for (int r = 0; r < pipeline->funcs[f].stages[s].n_reads; r++) {
				const struct bw_read *read = &pipeline->funcs[f].stages[s].reads[r];
				if (!pipeline->funcs[read->producer].input && read->producer != f)
					edges[tree->n_edges++] = (struct bw_edge){read->producer, f, s, read->calls, read};
			}
	tree->edges = edges;
}

/* Inserts an edge into a list that is sorted by the producers' names. */
static void insert_by_name(const struct bw_loop_tree *tree, int *list, int n, int edge)
{
	const struct bw_func *funcs = tree->pipeline->funcs;
	for (; n > 0 && strcmp(funcs[tree->edges[list[n - 1]].producer].name,
			       funcs[tree->edges[edge].producer].name) > 0;
	     n--)
		list[n] = list[n - 1];
	list[n] = edge;
}

static void link_edges(struct bw_loop_tree *tree)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	struct bw_arena *arena = tree->arena;
	tree->incoming = BW_ARENA_ARRAY(arena, int *, pipeline->n_stages + 1);
	tree->n_incoming = BW_ARENA_ARRAY(arena, int, pipeline->n_stages + 1);
	tree->outgoing = BW_ARENA_ARRAY(arena, int *, pipeline->n_funcs);
	tree->n_outgoing = BW_ARENA_ARRAY(arena, int, pipeline->n_funcs);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		int readers = 0;
		for (int e = 0; e < tree->n_edges; e++)
			readers += tree->edges[e].producer == f;
		tree->outgoing[f] = BW_ARENA_ARRAY(arena, int, readers + 1);
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			tree->incoming[pipeline->funcs[f].first_stage + s] =
			    BW_ARENA_ARRAY(arena, int, pipeline->funcs[f].stages[s].n_reads + 1);
	}
	for (int e = 0; e < tree->n_edges; e++) {
		const struct bw_edge *edge = &tree->edges[e];
		int stage = pipeline->funcs[edge->consumer].first_stage + edge->stage;
		insert_by_name(tree, tree->incoming[stage], tree->n_incoming[stage]++, e);
		tree->outgoing[edge->producer][tree->n_outgoing[edge->producer]++] = e;
	}
}

static void find_dependencies(struct bw_loop_tree *tree)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	tree->depends = BW_ARENA_ARRAY(tree->arena, bool *, pipeline->n_stages + 1);
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++) {
			int number = pipeline->funcs[f].first_stage + s;
			bool *depends = tree->depends[number] = BW_ARENA_ARRAY(tree->arena, bool, pipeline->n_funcs);
			for (int i = 0; i < tree->n_incoming[number]; i++) {
				const struct bw_func *producer = &pipeline->funcs[tree->edges[tree->incoming[number][i]].producer];
				depends[producer - pipeline->funcs] = true;
				for (int t = 0; t < producer->n_stages; t++)
					for (int g = 0; g < pipeline->n_funcs; g++)
						depends[g] |= tree->depends[producer->first_stage + t][g];
			}
		}
}

/* Sets the edges of a tree's pipeline, and incoming, outgoing and depends from them. */
static void link_graph(struct bw_loop_tree *tree)
{
	collect_edges(tree);
	link_edges(tree);
	find_dependencies(tree);
}

/* Appends the producers of a Func by name, each once and before the Func itself: depth first, like Halide. */
static void put_in_order(const struct bw_loop_tree *tree, int func, bool *seen, int *order, int *n)
{
	const struct bw_func *of = &tree->pipeline->funcs[func];
	seen[func] = true;
	for (;;) {
		int next = -1;
		for (int s = 0; s < of->n_stages; s++)
			for (int i = 0; i < tree->n_incoming[of->first_stage + s]; i++) {
				int producer = tree->edges[tree->incoming[of->first_stage + s][i]].producer;
				if (!seen[producer] &&
				    (next < 0 || strcmp(tree->pipeline->funcs[producer].name,
							tree->pipeline->funcs[next].name) < 0))
					next = producer;
			}
		if (next < 0)
			break;
		put_in_order(tree, next, seen, order, n);
	}
	order[(*n)++] = func;
}

/* Returns the *n Funcs in Halide's order of realization, without inputs. The arena owns them. */
static int *realization_order(const struct bw_loop_tree *tree, int *n)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	int *order = BW_ARENA_ARRAY(tree->arena, int, pipeline->n_funcs);
	bool *seen = BW_ARENA_ARRAY(tree->arena, bool, pipeline->n_funcs);
	*n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (pipeline->funcs[f].output && !seen[f])
			put_in_order(tree, f, seen, order, n);
	return order;
}

/* Notes the Funcs that a stage of the kernel reads. */
static void note_reads(struct bw_loop_tree *tree, const struct bw_stage *stage)
{
	int number = bw_stage_number(tree, stage);
	for (int i = 0; i < tree->n_incoming[number]; i++)
		tree->reads[tree->edges[tree->incoming[number][i]].producer] = true;
}

static void add_stage(struct bw_loop_tree *tree, struct bw_tile *host, const struct bw_placed *placed,
		      int stage)
{
	bw_tree_add_stage(tree, host, placed, stage);
	note_reads(tree, &tree->pipeline->funcs[placed->placement->func].stages[stage]);
}

/* Returns the level of a site. Halide's features know no warps: theirs is the block. */
static struct bw_tile *host_of(const struct bw_loop_tree *tree, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT)
		return tree->root;
	enum bw_tile_kind kind = site->role == BW_ROLE_BLOCK || site->role == BW_ROLE_WARP ? BW_TILE_BLOCK
				 : site->role == BW_ROLE_THREAD                    ? BW_TILE_THREAD
											   : BW_TILE_SERIAL;
	struct bw_tile *tile =
	    tree->sites[tree->pipeline->funcs[site->func].first_stage + site->stage].point->parent;
	while (tile->kind != kind && tile->parent->func && tile->parent->stage == tile->stage)
		tile = tile->parent;
	return tile;
}

static enum bw_memory memory_at(const struct bw_tile *tile)
{
	for (; tile->func; tile = tile->parent)
		if (tile->kind == BW_TILE_THREAD)
			return BW_MEMORY_REGISTERS;
		else if (tile->kind == BW_TILE_BLOCK)
			return BW_MEMORY_SHARED;
	return BW_MEMORY_GLOBAL;
}

/* Places a Func of the kernel; only its stage `only` unless that is negative. */
static void place_at(struct bw_loop_tree *tree, const struct bw_placed *placed, int only, bool everywhere)
{
	const struct bw_placement *placement = placed->placement;
	const struct bw_func *func = &tree->pipeline->funcs[placement->func];
	struct bw_tile *host = host_of(tree, &placement->compute), *store = host_of(tree, &placement->store);
	for (int s = func->n_stages - 1; s >= 0; s--)
		if (only < 0 || s == only)
			add_stage(tree, host, placed, s);
	store->stored[store->n_stored++] = placement->func;
	while (everywhere && store->parent) {
		store = store->parent;
		store->stored[store->n_stored++] = placement->func;
	}
	for (int s = 0; s < func->n_stages; s++) {
		struct bw_stage_site *site = &tree->sites[func->first_stage + s];
		site->compute = host;
		site->store = store;
		site->memory = memory_at(store);
		site->placed = true;
		site->vector_dim = placement->n_storage ? placement->storage[0] : 0;
	}
}

/* Places a Func outside of the kernel. */
static void place_outside(struct bw_loop_tree *tree, const struct bw_func *func, int vector_dim)
{
	for (int s = 0; s < func->n_stages; s++)
		tree->sites[func->first_stage + s] = (struct bw_stage_site){.compute = tree->root,
									    .store = tree->root,
									    .memory = BW_MEMORY_GLOBAL,
									    .placed = true,
									    .vector_dim = vector_dim};
}

/* Returns the calls of a Func per point, directly or through inlined Funcs. */
static double calls_at(const struct bw_loop_tree *tree, const struct bw_tile *point, int func)
{
	double calls = 0;
	for (int i = 0; i < tree->n_outgoing[func]; i++) {
		const struct bw_edge *edge = &tree->edges[tree->outgoing[func][i]];
		for (int k = 0; k < point->n_inlined; k++)
			if (point->inlined[k] == edge->consumer)
				calls += point->calls[k] * edge->calls;
		if (point->stage == &tree->pipeline->funcs[edge->consumer].stages[edge->stage])
			calls += edge->calls;
	}
	return calls;
}

/* Returns the innermost level around two. */
static struct bw_tile *around(struct bw_tile *a, struct bw_tile *b)
{
	for (struct bw_tile *outer = a; outer; outer = outer->parent)
		for (struct bw_tile *other = b; other; other = other->parent)
			if (outer == other)
				return outer;
	return a;
}

/* Returns the innermost level around both; if one is NULL, the other. */
static struct bw_tile *tile_around(struct bw_tile *a, struct bw_tile *b)
{
	return !a ? b : !b ? a : around(a, b);
}

/* Inlines a Func into every point that reads it, with the layout of the last of these. */
static void place_inline(struct bw_loop_tree *tree, struct bw_tile *tile, int func)
{
	for (struct bw_tile *child = tile->first; child; child = child->next)
		place_inline(tree, child, func);
	double calls = tile->kind == BW_TILE_POINT ? calls_at(tree, tile, func) : 0;
	if (calls > 0) {
		struct bw_stage_site *site = &tree->sites[tree->pipeline->funcs[func].first_stage];
		tile->inlined[tile->n_inlined] = func;
		tile->calls[tile->n_inlined++] = calls;
		site->produce = tile;
		site->vector_dim = tile->vector_dim;
		site->point = tile_around(site->point, tile);
	}
}

/* Returns true if all readers of a Func are in the kernel. */
static bool is_wholly_inside(const struct bw_loop_tree *tree, const struct bw_func *func, int f)
{
	for (int i = 0; i < tree->n_outgoing[f]; i++) {
		const struct bw_edge *edge = &tree->edges[tree->outgoing[f][i]];
		const struct bw_func *consumer = &tree->pipeline->funcs[edge->consumer];
		const struct bw_stage_site *site = &tree->sites[consumer->first_stage + edge->stage];
		bool stored = site->placed && !tree->inlined[edge->consumer];
		if (stored ? !site->point : !tree->wholly[edge->consumer])
			return false;
	}
	return !func->output && tree->n_outgoing[f];
}

/* The assumed sites of Funcs that are not placed yet: at root; or, as in Halide, as deep as they could
 * possibly be computed, not inlined, so that their readers cost at most a little more than later (Halide
 * 19, anderson2021/State.cpp, compute_featurization and deepest_valid_compute_location). */

/* Most bytes of a Func that Halide keeps in the registers of a thread. */
enum { REGISTER_BYTES = 128 };

/* Most levels around a point. Halide's trees are much flatter. */
enum { MOST_LEVELS = 256 };

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
		around = tile_around(around, site->placed ? site->point : site->compute);
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

/* Assumes a site for a Func that is not placed: as deep as all its readers allow. */
static void assume(struct bw_loop_tree *tree, int f, const struct bw_feature_limits *limits)
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

static void place(struct bw_loop_tree *tree, const struct bw_nest *nest, int f, struct bw_kernel kernel,
		  const struct bw_feature_limits *limits)
{
	const struct bw_func *func = &tree->pipeline->funcs[f];
	const struct bw_placed *placed = nest->placed[f];
	const struct bw_placement *placement = placed ? placed->placement : NULL;
	tree->wholly[f] = is_wholly_inside(tree, func, f);
	if (tree->inputs[f]) {
		place_outside(tree, func, 0);
	} else if (!placed) {
		assume(tree, f, limits);
	} else if (placement->compute.kind == BW_SITE_INLINE) {
		tree->inlined[f] = tree->sites[func->first_stage].placed = true;
		if (tree->reads[f]) {
			place_inline(tree, tree->root, f);
			note_reads(tree, &func->stages[0]);
		}
	} else if (placement->compute.kind == BW_SITE_ROOT
		       ? f == kernel.func
		       : placed->kernel_func == kernel.func && placed->kernel_stage == kernel.stage) {
		place_at(tree, placed, f == kernel.func ? kernel.stage : -1, !limits->stored_apart);
	} else {
		place_outside(tree, func, placement->n_storage ? placement->storage[0] : 0);
	}
}

struct bw_loop_tree *bw_loop_tree_new(const struct bw_pipeline *pipeline, struct bw_arena *arena)
{
	struct bw_loop_tree *tree = BW_ARENA_NEW(arena, struct bw_loop_tree);
	tree->pipeline = pipeline;
	tree->arena = arena;
	tree->inputs = BW_ARENA_ARRAY(arena, bool, pipeline->n_funcs);
	link_graph(tree);
	bw_loop_tree_forms(tree);
	tree->order = realization_order(tree, &tree->n_order);
	tree->root = bw_tile_new(tree, BW_TILE_ROOT, NULL, NULL, NULL);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		if (pipeline->funcs[f].input)
			continue;
		tree->inputs[f] = bw_func_wraps_input(pipeline, &pipeline->funcs[f]);
		bw_tile_bounds(tree, tree->root, f);
	}
	return tree;
}

struct bw_loop_tree *bw_loop_tree_of(const struct bw_loop_tree *like, const struct bw_nest *nest, int func,
				     int stage, const struct bw_feature_limits *limits,
				     struct bw_arena *arena)
{
	const struct bw_pipeline *pipeline = like->pipeline;
	struct bw_loop_tree *tree = BW_ARENA_NEW(arena, struct bw_loop_tree);
	*tree = *like;
	tree->arena = arena;
	tree->inlined = BW_ARENA_ARRAY(arena, bool, 3 * pipeline->n_funcs);
	tree->reads = tree->inlined + pipeline->n_funcs;
	tree->wholly = tree->reads + pipeline->n_funcs;
	tree->sites = BW_ARENA_ARRAY(arena, struct bw_stage_site, pipeline->n_stages + 1);
	tree->root = bw_tile_new(tree, BW_TILE_ROOT, NULL, NULL, NULL);
	tree->root->bounds = like->root->bounds;
	for (int i = tree->n_order; i > 0; i--)
		place(tree, nest, tree->order[i - 1], (struct bw_kernel){.func = func, .stage = stage}, limits);
	return tree;
}
