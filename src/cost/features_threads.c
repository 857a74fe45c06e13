/* The threads that run a stage, by warp. */
#include "base/arith.h"
#include "cost/features_private.h"

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

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
			extents[d] = most(extents[d], (launched ? child->placed->launched : child->placed->threads)[d]);
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
