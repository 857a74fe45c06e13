/* The threads that run a stage, warp by warp, and what a regular and a tail warp move with one access (Anderson et al. 2021, section 5.1, "memory
 * access"). */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cost/features_private.h"

/* Bytes of a bank of shared memory. */
enum { BANK_BYTES = 4 };

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The extents of a level that are not 1, that of the vector's loop first; how many. */
static int lowered(const struct bw_tile *tile, int64_t *extents)
{
	int n = 0;
	if (tile->vector_loop >= 0 && tile->sizes[tile->vector_loop] > 1)
		extents[n++] = tile->sizes[tile->vector_loop];
	for (int l = 0; l < tile->stage->n_loops; l++)
		if (l != tile->vector_loop && tile->sizes[l] > 1)
			extents[n++] = tile->sizes[l];
	return n;
}

/* The most threads in each dimension of all thread levels below a level. */
static void widest(const struct bw_tile *tile, int64_t *extents)
{
	for (const struct bw_tile *child = tile->first; child; child = child->next) {
		int64_t own[BW_MAX_LOOPS];
		if (child->kind != BW_TILE_THREAD) {
			widest(child, extents);
			continue;
		}
		int n = lowered(child, own);
		for (int i = 0; i < n; i++)
			extents[i] = most(extents[i], own[i]);
	}
}

static void find_block(const struct bw_tile *thread, const struct bw_feature_limits *limits, struct bw_threads *threads)
{
	int64_t extents[BW_MAX_LOOPS];
	const struct bw_tile *block = thread;
	int n = 0;
	while (block->kind != BW_TILE_BLOCK && block->parent)
		block = block->parent;
	for (int i = 0; i < BW_MAX_LOOPS; i++)
		extents[i] = 1;
	widest(block, extents);
	for (int i = 0; i < BW_MAX_LOOPS; i++) {
		if (extents[i] == 1)
			continue;
		if (n == 3 || threads->n_in_block * extents[i] > limits->block_threads)
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

static void find_own(const struct bw_tile *thread, const struct bw_feature_limits *limits, struct bw_threads *threads)
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

static bool is_active(const struct bw_threads *threads, int64_t thread, int64_t at[3])
{
	at[0] = thread % threads->in_block[0];
	at[1] = thread / threads->in_block[0] % threads->in_block[1];
	at[2] = thread / (threads->in_block[0] * threads->in_block[1]);
	return at[0] < threads->own[0] && at[1] < threads->own[1] && at[2] < threads->own[2];
}

static void count_warps(struct bw_threads *threads, int64_t warp)
{
	int64_t first = -1;
	for (int64_t begin = 0; begin < threads->n_in_block; begin += warp) {
		int64_t at[3], end = bw_min(begin + warp, threads->n_in_block), active = 0;
		for (int64_t t = begin; t < end; t++)
			active += is_active(threads, t, at);
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
	threads->regular_warps = threads->active_warps - threads->tail;
}

struct bw_threads bw_threads_of(const struct bw_tile *thread, const struct bw_feature_limits *limits)
{
	struct bw_threads threads = {.in_block = {1, 1, 1}, .n_in_block = 1, .own = {1, 1, 1}, .n = 1, .stage = thread->stage};
	find_block(thread, limits, &threads);
	find_own(thread, limits, &threads);
	threads.warps = bw_div_up(threads.n_in_block, limits->warp);
	count_warps(&threads, limits->warp);
	return threads;
}

void bw_moved_add(struct bw_moved *to, const struct bw_moved *more)
{
	to->transactions += more->transactions;
	to->used += more->used;
	to->bytes += more->bytes;
}

double bw_moved_efficiency(const struct bw_moved *moved)
{
	return moved->bytes > 0 ? moved->used / moved->bytes : 1;
}

/* How far the address moves with each thread dimension: by storage dimension, the strides of the coordinate and of the storage. */
struct steps {
	int n_dims;
	int64_t storage[BW_MAX_DIMS];
	bool known[3];
	double index[3][BW_MAX_DIMS];
};

/* Elements beyond which how far two are apart makes no difference; extents have 32 bits. */
enum { FARTHEST = 1 << 30 };

static void find_steps(const struct bw_access *access, struct steps *steps)
{
	int rows = access->strides->rows, dims[BW_MAX_DIMS];
	int64_t stride = 1;
	steps->n_dims = 0;
	dims[steps->n_dims++] = access->innermost;
	for (int d = 0; d < rows; d++)
		if (d != access->innermost)
			dims[steps->n_dims++] = d;
	for (int d = 0; d < steps->n_dims; d++) {
		steps->storage[d] = stride;
		stride = bw_min(FARTHEST, stride * (rows ? bw_span_extent(&access->stored->required[dims[d]]) : 1));
	}
	for (int i = 0; i < access->threads->n_loops; i++) {
		int loop = bw_stage_find_loop(access->stage, access->threads->stage->loops[access->threads->loops[i]].name);
		steps->known[i] = true;
		for (int d = 0; d < steps->n_dims; d++) {
			struct bw_ratio ratio = loop < 0 ? (struct bw_ratio){.num = 0, .den = 1} : bw_strides_at(access->strides, dims[d], loop);
			steps->known[i] = steps->known[i] && ratio.den;
			steps->index[i][d] = ratio.den ? (double)((float)ratio.num / (float)ratio.den) : 0;
		}
	}
}

/* The element that a thread accesses, from where the block's first does; -1 where it is not known. */
static int64_t element_of(const struct bw_access *access, const struct steps *steps, const int64_t at[3])
{
	int64_t element = 0;
	for (int i = 0; i < access->threads->n_loops; i++) {
		int64_t offset = 0;
		if (!steps->known[i])
			return -1;
		for (int d = 0; d < steps->n_dims; d++)
			offset += (int64_t)((double)at[i] * steps->index[i][d]) * steps->storage[d];
		element += offset < 0 ? -offset : offset;
	}
	return element;
}

/* Sorts them, each once; how many. What a warp's threads access stands in order but for a few. */
static int distinct(int64_t *values, int n)
{
	int kept = 0;
	for (int i = 0; i < n; i++) {
		int64_t value = values[i];
		int at = kept;
		while (at > 0 && values[at - 1] > value)
			at--;
		if (at > 0 && values[at - 1] == value)
			continue;
		memmove(&values[at + 1], &values[at], (size_t)(kept - at) * sizeof *values);
		values[at] = value;
		kept++;
	}
	return kept;
}

/* Sectors of global memory that elements begin in; ascending, distinct. */
static int64_t count_sectors(const int64_t *elements, int n, int64_t bytes, int64_t sector)
{
	int64_t count = 0;
	for (int i = 0; i < n; i++)
		count += !i || elements[i] * bytes / sector != elements[i - 1] * bytes / sector;
	return count;
}

/* The most words that any bank of shared memory must give. */
static int64_t count_conflicts(const int64_t *elements, int n, int64_t bytes, int64_t banks, struct bw_arena *arena)
{
	int64_t *words = BW_ARENA_ARRAY(arena, int64_t, n * (bytes / BANK_BYTES + 2) + 1), most_words = 0;
	int *in_bank = BW_ARENA_ARRAY(arena, int, banks), n_words = 0;
	for (int i = 0; i < n; i++)
		for (int64_t word = elements[i] * bytes / BANK_BYTES; word <= (elements[i] * bytes + bytes - 1) / BANK_BYTES; word++)
			words[n_words++] = word;
	n_words = distinct(words, n_words);
	for (int i = 0; i < n_words; i++)
		most_words = most(most_words, ++in_bank[words[i] % banks]);
	return most_words;
}

/* Adds what requests of one warp move; the warp's threads are `count` from `first`. */
static void add_warp(const struct bw_loop_tree *tree, const struct bw_access *access, bool shared, const struct bw_feature_limits *limits, int64_t first, int64_t count, double requests, struct bw_moved *moved)
{
	struct steps steps;
	int64_t *elements = BW_ARENA_ARRAY(tree->arena, int64_t, count + 1), unknown = 0, bytes = tree->pipeline->funcs[access->strides->producer].bytes;
	int n = 0;
	find_steps(access, &steps);
	for (int64_t t = first; t < first + count; t++) {
		int64_t at[3];
		if (!is_active(access->threads, t, at))
			continue;
		int64_t element = element_of(access, &steps, at);
		if (element < 0)
			unknown++;
		else
			elements[n++] = element;
	}
	n = distinct(elements, n);
	int64_t transactions = unknown + (shared ? count_conflicts(elements, n, bytes, limits->banks, tree->arena) : count_sectors(elements, n, bytes, limits->sector));
	double each = (double)(shared ? limits->banks * BANK_BYTES : limits->sector);
	requests = trunc(requests);
	bw_moved_add(moved, &(struct bw_moved){requests * (double)transactions, requests * (double)((n + unknown) * bytes), requests * (double)transactions * each});
}

struct bw_moved bw_access_moves(const struct bw_loop_tree *tree, const struct bw_access *access, bool shared, const struct bw_feature_limits *limits)
{
	struct bw_moved moved = {0, 0, 0};
	const struct bw_threads *threads = access->threads;
	if (!threads) {
		double each = (double)(shared ? limits->banks * BANK_BYTES : limits->sector);
		return (struct bw_moved){access->times, access->times * tree->pipeline->funcs[access->strides->producer].bytes, access->times * each};
	}
	add_warp(tree, access, shared, limits, 0, bw_min(limits->warp, threads->n_in_block), (double)threads->regular_warps * access->times, &moved);
	if (threads->tail)
		add_warp(tree, access, shared, limits, threads->tail_first, threads->tail_threads, access->times, &moved);
	return moved;
}
