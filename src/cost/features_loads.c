/* The loads of a stage at one of its levels: footprints by memory, and at a point the transactions of its
 * block. Looks through inlined Funcs. A producer that is reached on several ways has one footprint, but
 * its loads count each time, as in Halide. */
#include "base/arith.h"
#include "cost/features_private.h"

/* Limits on ways through inlined Funcs and on strides of loads; more are ignored. */
enum { MOST_WAYS = 4096, MOST_STRIDES = 1024 };

int bw_line_dim(const struct bw_loop_tree *tree, int func, const struct bw_span *box)
{
	const struct bw_func *of = &tree->pipeline->funcs[func];
	const struct bw_stage_site *site = &tree->sites[of->first_stage];
	int longest = 0;
	for (int d = 1; d < of->n_dims; d++)
		if (bw_span_extent(&box[d]) > bw_span_extent(&box[longest]))
			longest = d;
	return site->placed ? site->vector_dim : longest;
}

/* A stage to be visited, and the edges that lead to it. */
struct way {
	const struct bw_stage *stage;
	const struct bw_edge_chain *chain;
};

struct loading {
	struct bw_feature_walk *walk;
	struct bw_tile *tile;
	int64_t instances;
	const struct bw_threads *threads;
	bool point;
	int64_t *factors; /* at a point: points of a thread, by loop of the stage */
	int n_strides, strides_capacity;
	struct bw_strides *serial, *thread; /* of loads: by iterations of the serial loops, and by threads */
	int n_ways, ways_capacity;
	struct way *ways;
	bool *done; /* by Func: its footprint is counted */
	struct bw_stage_loads loads;
};

static void *grow(struct bw_arena *arena, const void *old, int n, int *capacity, size_t size)
{
	if (n < *capacity)
		return (void *)old;
	*capacity = *capacity ? *capacity * 2 : 16;
	char *list = bw_arena_array(arena, (size_t)*capacity, size);
	for (size_t i = 0; i < (size_t)n * size; i++)
		list[i] = ((const char *)old)[i];
	return list;
}

static void add_strides(struct loading *loading, struct bw_strides serial, struct bw_strides thread)
{
	struct bw_arena *arena = loading->walk->tree->arena;
	if (loading->n_strides == MOST_STRIDES)
		return;
	int capacity = loading->strides_capacity;
	loading->serial = grow(arena, loading->serial, loading->n_strides, &capacity, sizeof *loading->serial);
	loading->thread = grow(arena, loading->thread, loading->n_strides, &loading->strides_capacity,
			       sizeof *loading->thread);
	loading->serial[loading->n_strides] = serial;
	loading->thread[loading->n_strides++] = thread;
}

/* Computes the strides of an edge's loads: those of the stage itself, or for an inlined consumer, through
 * the strides by which it is read. New ones are stored before those that they come from. */
static void follow(struct loading *loading, const struct bw_edge *edge)
{
	struct bw_arena *arena = loading->walk->tree->arena;
	const struct bw_read *read = edge->read;
	if (edge->consumer == loading->tile->stage->func && edge->stage == loading->tile->stage->index) {
		for (int l = 0; l < read->n_loads; l++) {
			if (read->loads[l].predicate)
				continue;
			struct bw_strides strides = bw_strides_of(&read->loads[l], edge->producer, arena);
			add_strides(loading, strides,
				    loading->factors ? bw_strides_scale(&strides, loading->factors, arena)
						     : strides);
		}
		return;
	}
	int n = loading->n_strides;
	struct bw_strides *serial = loading->serial, *thread = loading->thread;
	loading->serial = loading->thread = NULL;
	loading->n_strides = loading->strides_capacity = 0;
	for (int i = 0; i < n; i++) {
		for (int l = 0; l < read->n_loads && serial[i].producer == edge->consumer; l++)
			add_strides(loading,
				    bw_strides_through(&read->loads[l], edge->producer, &serial[i], arena),
				    bw_strides_through(&read->loads[l], edge->producer, &thread[i], arena));
		add_strides(loading, serial[i], thread[i]);
	}
}

/* Returns the least traffic of an access over all choices of the innermost dimension. */
static struct bw_traffic moves_at_best(const struct bw_feature_walk *walk, struct bw_access access,
				       bool shared)
{
	struct bw_traffic least = {0, 0, 0};
	for (int d = 0; d < walk->tree->pipeline->funcs[access.strides->producer].n_dims; d++) {
		access.innermost = d;
		struct bw_traffic moved = bw_access_traffic(walk->tree, &access, shared, walk->limits);
		if (!d || moved.transactions < least.transactions)
			least = moved;
	}
	return least;
}

/* Returns the traffic of one load with strides number i. */
static struct bw_traffic moved_by(struct loading *loading, const struct bw_edge_chain *chain,
				  const struct bw_stage_site *site, int i)
{
	struct bw_feature_walk *walk = loading->walk;
	bool shared = site->memory == BW_MEMORY_SHARED;
	struct bw_access access = {
	    &loading->thread[i], bw_tile_required(walk->tree, site->store, chain->edge->producer),
	    site->vector_dim,    loading->tile->stage,
	    loading->threads,    0};
	access.times =
	    bw_points_accessed(walk, loading->tile, chain, &loading->thread[i], &loading->serial[i], shared);
	return site->placed ? bw_access_traffic(walk->tree, &access, shared, walk->limits)
			    : moves_at_best(walk, access, shared);
}

/* Loads that differ by a constant alone, such as those of a stencil, have the same strides and the same
 * traffic. */
static void add_transactions(struct loading *loading, const struct bw_edge_chain *chain,
			     const struct bw_stage_site *site)
{
	bool shared = site->memory == BW_MEMORY_SHARED;
	struct bw_traffic moved = {0, 0, 0};
	if (!shared && site->memory != BW_MEMORY_GLOBAL)
		return;
	for (int i = 0, last = -1; i < loading->n_strides; i++) {
		if (loading->thread[i].producer != chain->edge->producer)
			continue;
		if (last < 0 || !bw_strides_equal(&loading->thread[i], &loading->thread[last]) ||
		    !bw_strides_equal(&loading->serial[i], &loading->serial[last]))
			moved = moved_by(loading, chain, site, i);
		last = i;
		bw_traffic_add(shared ? &loading->loads.shared : &loading->loads.global, &moved);
	}
}

/* Returns the points and lines of a producer's box at one place. */
static struct bw_footprint box_of(const struct bw_loop_tree *tree, int producer, const struct bw_span *spans)
{
	const struct bw_func *func = &tree->pipeline->funcs[producer];
	int v = bw_line_dim(tree, producer, spans);
	struct bw_footprint box = {.bytes = func->bytes, .lines = 1};
	for (int d = 0; d < func->n_dims; d++) {
		double extent = (double)bw_span_extent(&spans[d]);
		box.bytes *= extent;
		if (d != v)
			box.lines *= extent;
	}
	return box;
}

static void add_footprint(struct loading *loading, int producer, const struct bw_stage_site *site)
{
	struct bw_feature_walk *walk = loading->walk;
	const struct bw_loop_tree *tree = walk->tree;
	const struct bw_func *func = &tree->pipeline->funcs[producer];
	struct bw_tile *tile = loading->tile, *thread_level = loading->point ? bw_thread_around(tile) : NULL;
	struct bw_tile *at = loading->point ? tile->parent : tree->sites[bw_stage_number(tree, tile->stage)].store;
	struct bw_footprint *to = &loading->loads.of[site->memory];
	struct bw_footprint here = box_of(tree, producer, bw_tile_required(tree, at, producer)),
			    thread = {.bytes = func->bytes, .lines = 1};
	if (thread_level)
		thread = box_of(tree, producer, bw_tile_required(tree, thread_level, producer));
	struct bw_footprint stored = box_of(tree, producer, bw_tile_required(tree, site->store, producer));
	to->allocated += box_of(tree, producer, bw_tile_bounds(tree, site->compute, producer)->computed).bytes;
	int64_t realizations =
	    site->produce ? (int64_t)bw_walk_features(walk, &func->stages[0])[BW_FEATURE_num_realizations]
			  : site->realizations;
	bool inside = realizations / loading->instances > 1;
	if (inside)
		here = thread = stored;
	else if (site->memory == BW_MEMORY_REGISTERS && site->store != thread_level)
		thread = stored;
	to->bytes += here.bytes;
	to->lines += here.lines;
	to->thread_bytes += thread.bytes;
	to->thread_lines += thread.lines;
}

static void look_at(struct loading *loading, const struct way *way)
{
	const struct bw_loop_tree *tree = loading->walk->tree;
	int number = bw_stage_number(tree, way->stage);
	for (int i = 0; i < tree->n_incoming[number]; i++) {
		const struct bw_edge *edge = &tree->edges[tree->incoming[number][i]];
		const struct bw_func *producer = &tree->pipeline->funcs[edge->producer];
		struct bw_edge_chain *chain = BW_ARENA_NEW(tree->arena, struct bw_edge_chain);
		*chain = (struct bw_edge_chain){edge, way->chain};
		if (loading->point)
			follow(loading, edge);
		if (tree->inlined[edge->producer]) {
			if (loading->n_ways < MOST_WAYS) {
				loading->ways = grow(tree->arena, loading->ways, loading->n_ways,
						     &loading->ways_capacity, sizeof *loading->ways);
				loading->ways[loading->n_ways++] = (struct way){&producer->stages[0], chain};
			}
			continue;
		}
		const struct bw_stage_site *site = &tree->sites[producer->first_stage];
		if (loading->point)
			add_transactions(loading, chain, site);
		if (!loading->done[edge->producer])
			add_footprint(loading, edge->producer, site);
		loading->done[edge->producer] = true;
	}
}

struct bw_stage_loads bw_walk_loads(struct bw_feature_walk *walk, struct bw_tile *tile, int64_t instances,
				    const struct bw_threads *threads)
{
	const struct bw_loop_tree *tree = walk->tree;
	struct loading loading = {.walk = walk,
				  .tile = tile,
				  .instances = bw_max(instances, 1),
				  .threads = threads,
				  .point = tile->kind == BW_TILE_POINT};
	loading.done = BW_ARENA_ARRAY(tree->arena, bool, tree->pipeline->n_funcs);
	struct bw_tile *thread = loading.point ? bw_thread_around(tile) : NULL;
	if (thread && !bw_tile_scalar(tile)) {
		const struct bw_span *loops = bw_tile_bounds(tree, thread, tile->stage->func)->loops[tile->stage->index];
		loading.factors = BW_ARENA_ARRAY(tree->arena, int64_t, tile->stage->n_loops);
		for (int l = 0; l < tile->stage->n_loops; l++)
			loading.factors[l] = bw_span_extent(&loops[l]);
	}
	struct way way = {tile->stage, NULL};
	look_at(&loading, &way);
	while (loading.n_ways) {
		way = loading.ways[--loading.n_ways];
		look_at(&loading, &way);
	}
	return loading.loads;
}

/* The threads that run a stage, by warp. */

/* Raises the threads in each dimension to the most of any thread level below a level: those launched, or
 * those with work in the representative block. */
static void widest(const struct bw_tile *tile, bool launched, int64_t *extents)
{
	for (const struct bw_tile *child = tile->first; child; child = child->next) {
		if (child->kind != BW_TILE_THREAD) {
			widest(child, launched, extents);
			continue;
		}
		for (int d = 0; d < 3; d++)
			extents[d] = bw_max(extents[d], (launched ? child->placed->launched : child->placed->threads)[d]);
	}
}

/* Sets the threads of a block: those launched, which may be more than have work in the representative block.
 * If there are too many to launch, or limits->busy_block is set, those with work are counted. */
static void find_block(const struct bw_tile *thread, const struct bw_feature_limits *limits,
		       struct bw_threads *threads)
{
	int64_t extents[3] = {1, 1, 1};
	const struct bw_tile *block = thread;
	int n = 0;
	while (block->kind != BW_TILE_BLOCK && block->parent)
		block = block->parent;
	widest(block, true, extents);
	if (limits->busy_block ||
	    (double)extents[0] * (double)extents[1] * (double)extents[2] > (double)limits->block_threads) {
		extents[0] = extents[1] = extents[2] = 1;
		widest(block, false, extents);
	}
	for (int i = 0; i < 3; i++) {
		if (extents[i] == 1)
			continue;
		if (threads->n_in_block * extents[i] > limits->block_threads)
			break;
		threads->in_block[n++] = extents[i];
		threads->n_in_block *= extents[i];
	}
}

static void take_loop(const struct bw_tile *thread, int loop, struct bw_threads *threads)
{
	threads->own[threads->n_loops] = thread->sizes[loop];
	threads->n *= thread->sizes[loop];
	threads->loops[threads->n_loops++] = loop;
}

static void find_own(const struct bw_tile *thread, const struct bw_feature_limits *limits,
		     struct bw_threads *threads)
{
	int v = thread->vector_loop;
	if (v >= 0 && thread->sizes[v] != 1)
		take_loop(thread, v, threads);
	for (int l = 0; l < thread->stage->n_loops && threads->n_loops < 3; l++) {
		if (thread->sizes[l] == 1 || l == v)
			continue;
		if (threads->n * thread->sizes[l] > limits->block_threads)
			break;
		take_loop(thread, l, threads);
	}
	if (!threads->n_loops)
		take_loop(thread, 0, threads);
}

/* Sets the warps of a block whose threads all compute the stage. */
static void fill_warps(struct bw_threads *threads, int64_t warp)
{
	int64_t rest = threads->n_in_block % warp;
	threads->active = threads->n_in_block;
	threads->active_warps = threads->warps;
	threads->tail = rest && threads->warps > 1;
	threads->tail_first = (threads->warps - 1) * warp;
	threads->tail_threads = threads->n_in_block - threads->tail_first;
}

static void count_warps(struct bw_threads *threads, int64_t warp)
{
	int64_t first = -1, at[3] = {0, 0, 0};
	for (int64_t begin = 0; begin < threads->n_in_block; begin += warp) {
		int64_t end = bw_min(begin + warp, threads->n_in_block), active = 0;
		for (int64_t t = begin; t < end; t++, bw_thread_next(threads, at))
			active += bw_thread_active(threads, at);
		threads->active += active;
		if (!active)
			continue;
		threads->active_warps++;
		first = first < 0 ? active : first;
		if (end == threads->n_in_block) {
			threads->tail = active != first;
			threads->tail_first = begin;
			threads->tail_threads = end - begin;
		}
	}
}

struct bw_threads bw_threads_of(const struct bw_tile *thread, const struct bw_feature_limits *limits)
{
	struct bw_threads threads = {
	    .in_block = {1, 1, 1}, .n_in_block = 1, .own = {1, 1, 1}, .n = 1, .stage = thread->stage};
	find_block(thread, limits, &threads);
	find_own(thread, limits, &threads);
	threads.warps = bw_div_up(threads.n_in_block, limits->warp);
	if (threads.own[0] >= threads.in_block[0] && threads.own[1] >= threads.in_block[1] &&
	    threads.own[2] >= threads.in_block[2])
		fill_warps(&threads, limits->warp);
	else
		count_warps(&threads, limits->warp);
	threads.regular_warps = threads.active_warps - threads.tail;
	return threads;
}
